//! Requests as JSON, with expressions written out as texts.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use crate::expression::{Comparator, Condition, Element, Operand, Path};
use crate::legacy;
use crate::request::{
    Detail, Effect, GetBlock, Index, KeySchema, Projection, Read, Request, Returned, Shown, SortTest,
    TableSpec, View, Write,
};
use crate::update::{Change, Term, Update};
use crate::value::{Item, Spelling, Value, spelled, to_json};

/// A request as it is sent: the operation and its body.
pub fn body(request: &Request) -> (&'static str, Json) {
    match request {
        Request::Create(table) => ("CreateTable", create(table)),
        Request::Write { write, returned, detail, metrics, spelling } => {
            let mut body = write_members(write, *spelling);
            let word = match returned {
                Returned::None => None,
                Returned::AllOld => Some("ALL_OLD"),
                Returned::AllNew => Some("ALL_NEW"),
                Returned::UpdatedOld => Some("UPDATED_OLD"),
                Returned::UpdatedNew => Some("UPDATED_NEW"),
            };
            if let Some(word) = word {
                body.insert("ReturnValues".into(), word.into());
            }
            if *metrics {
                body.insert("ReturnItemCollectionMetrics".into(), "SIZE".into());
            }
            (operation(&write.effect), with_detail(body, *detail))
        }
        Request::Get { table, key, paths, is_consistent, detail } => {
            let mut body = Map::new();
            body.insert("TableName".into(), table.as_str().into());
            body.insert("Key".into(), to_json(key));
            consistency(&mut body, *is_consistent);
            let mut texts = Texts::default();
            if let Some(paths) = paths {
                body.insert("ProjectionExpression".into(), texts.paths(paths).into());
            }
            texts.finish(&mut body);
            ("GetItem", with_detail(body, *detail))
        }
        Request::Query { read, partition, sort, is_forward } => {
            let (mut body, mut texts) = read_members(read);
            legacy_filter(read, "QueryFilter", &mut body);
            if !is_forward {
                body.insert("ScanIndexForward".into(), false.into());
            }
            if read.is_legacy {
                let conditions = legacy::key_conditions(key_names(read), partition, sort.as_ref());
                body.insert("KeyConditions".into(), conditions);
                return ("Query", with_detail(body, read.detail));
            }
            let (first, second) = key_names(read);
            let name = texts.name(&first);
            let mut condition = format!("{name} = {}", texts.value(partition));
            if let Some(test) = sort {
                let name = texts.name(&second);
                let test = match test {
                    SortTest::Compare(comparator, value) => {
                        format!("{name} {} {}", sign(*comparator), texts.value(value))
                    }
                    SortTest::Between(low, high) => {
                        format!("{name} BETWEEN {} AND {}", texts.value(low), texts.value(high))
                    }
                    SortTest::BeginsWith(start) => format!("begins_with({name}, {})", texts.value(start)),
                };
                condition = format!("{condition} AND {test}");
            }
            body.insert("KeyConditionExpression".into(), condition.into());
            texts.finish(&mut body);
            ("Query", with_detail(body, read.detail))
        }
        Request::Scan { read, segment } => {
            let (mut body, texts) = read_members(read);
            legacy_filter(read, "ScanFilter", &mut body);
            if let Some((number, total)) = segment {
                body.insert("Segment".into(), (*number).into());
                body.insert("TotalSegments".into(), (*total).into());
            }
            texts.finish(&mut body);
            ("Scan", with_detail(body, read.detail))
        }
        Request::BatchGet(tables, detail) => {
            let block = |GetBlock { table, keys, paths, is_consistent }: &GetBlock| {
                let mut block = Map::new();
                block.insert("Keys".into(), keys.iter().map(to_json).collect());
                consistency(&mut block, *is_consistent);
                let mut texts = Texts::default();
                if let Some(paths) = paths {
                    block.insert("ProjectionExpression".into(), texts.paths(paths).into());
                }
                texts.finish(&mut block);
                (table.clone(), Json::Object(block))
            };
            let blocks: Map<String, Json> = tables.iter().map(block).collect();
            let body = Map::from_iter([("RequestItems".to_owned(), blocks.into())]);
            ("BatchGetItem", with_detail(body, *detail))
        }
        Request::BatchWrite(tables, detail) => {
            let request = |effect: &Effect| match effect {
                Effect::Put(item) => json!({ "PutRequest": { "Item": to_json(item) } }),
                Effect::Update(key, _) | Effect::Delete(key) | Effect::Check(key) => {
                    json!({ "DeleteRequest": { "Key": to_json(key) } })
                }
            };
            let block = |(table, effects): &(String, Vec<Effect>)| {
                (table.clone(), effects.iter().map(request).collect::<Json>())
            };
            let blocks: Map<String, Json> = tables.iter().map(block).collect();
            let body = Map::from_iter([("RequestItems".to_owned(), blocks.into())]);
            ("BatchWriteItem", with_detail(body, *detail))
        }
        Request::TransactGet(gets, detail) => {
            let get = |(table, key, paths): &(String, Item, Option<Vec<Path>>)| {
                let mut get = Map::new();
                get.insert("TableName".into(), table.as_str().into());
                get.insert("Key".into(), to_json(key));
                let mut texts = Texts::default();
                if let Some(paths) = paths {
                    get.insert("ProjectionExpression".into(), texts.paths(paths).into());
                }
                texts.finish(&mut get);
                json!({ "Get": get })
            };
            let body = Map::from_iter([("TransactItems".to_owned(), gets.iter().map(get).collect())]);
            ("TransactGetItems", with_detail(body, *detail))
        }
        Request::TransactWrite(writes, token, detail) => {
            let action = |write: &Write| {
                let member = match write.effect {
                    Effect::Put(_) => "Put",
                    Effect::Update(..) => "Update",
                    Effect::Delete(_) => "Delete",
                    Effect::Check(_) => "ConditionCheck",
                };
                json!({ member: write_members(write, Spelling::Normal) })
            };
            let actions: Json = writes.iter().map(action).collect();
            let mut body = Map::from_iter([("TransactItems".to_owned(), actions)]);
            if let Some(token) = token {
                body.insert("ClientRequestToken".into(), token.as_str().into());
            }
            ("TransactWriteItems", with_detail(body, *detail))
        }
        Request::AddIndex(table, index) => {
            let body = json!({
                "TableName": table,
                "AttributeDefinitions": definitions(index.key.attributes()),
                "GlobalSecondaryIndexUpdates": [{ "Create": index_members(index) }],
            });
            ("UpdateTable", body)
        }
        Request::RemoveIndex(table, index) => {
            let update = json!([{ "Delete": { "IndexName": index } }]);
            ("UpdateTable", json!({ "TableName": table, "GlobalSecondaryIndexUpdates": update }))
        }
        Request::Drop(table) => ("DeleteTable", json!({ "TableName": table })),
        Request::Stream(table, view) => {
            let specification = match view {
                Some(view) => json!({ "StreamEnabled": true, "StreamViewType": view_word(*view) }),
                None => json!({ "StreamEnabled": false }),
            };
            ("UpdateTable", json!({ "TableName": table, "StreamSpecification": specification }))
        }
        Request::Expire(table, attribute) => {
            let specification = json!({ "AttributeName": attribute, "Enabled": true });
            ("UpdateTimeToLive", json!({ "TableName": table, "TimeToLiveSpecification": specification }))
        }
        Request::Describe(table) => ("DescribeTable", json!({ "TableName": table })),
    }
}

fn create(table: &TableSpec) -> Json {
    let attributes =
        table.key.attributes().chain(table.indexes.iter().flat_map(|index| index.key.attributes()));
    let mut body = json!({
        "TableName": table.name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": definitions(attributes),
        "KeySchema": key_schema(&table.key),
    });
    for (member, is_global) in [("GlobalSecondaryIndexes", true), ("LocalSecondaryIndexes", false)] {
        let indexes: Vec<Json> =
            table.indexes.iter().filter(|index| index.is_global == is_global).map(index_members).collect();
        if !indexes.is_empty() {
            body[member] = indexes.into();
        }
    }
    if let Some(view) = table.stream {
        body["StreamSpecification"] = json!({ "StreamEnabled": true, "StreamViewType": view_word(view) });
    }
    body
}

/// The word for a view.
pub fn view_word(view: View) -> &'static str {
    match view {
        View::KeysOnly => "KEYS_ONLY",
        View::NewImage => "NEW_IMAGE",
        View::OldImage => "OLD_IMAGE",
        View::NewAndOldImages => "NEW_AND_OLD_IMAGES",
    }
}

fn definitions<'a>(attributes: impl Iterator<Item = &'a (String, &'static str)>) -> Json {
    let each_once: BTreeMap<&String, &&str> = attributes.map(|(name, kind)| (name, kind)).collect();
    each_once.iter().map(|(name, kind)| json!({ "AttributeName": name, "AttributeType": kind })).collect()
}

fn key_schema(key: &KeySchema) -> Json {
    let kinds = ["HASH", "RANGE"];
    key.attributes()
        .zip(kinds)
        .map(|((name, _), kind)| json!({ "AttributeName": name, "KeyType": kind }))
        .collect()
}

fn index_members(index: &Index) -> Json {
    let projection = match &index.projection {
        Projection::All => json!({ "ProjectionType": "ALL" }),
        Projection::KeysOnly => json!({ "ProjectionType": "KEYS_ONLY" }),
        Projection::Include(names) => json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": names }),
    };
    json!({ "IndexName": index.name, "KeySchema": key_schema(&index.key), "Projection": projection })
}

fn operation(effect: &Effect) -> &'static str {
    match effect {
        Effect::Put(_) => "PutItem",
        Effect::Update(..) | Effect::Check(_) => "UpdateItem",
        Effect::Delete(_) => "DeleteItem",
    }
}

fn with_detail(mut body: Map<String, Json>, detail: Detail) -> Json {
    let word = match detail {
        Detail::None => return body.into(),
        Detail::Total => "TOTAL",
        Detail::Indexes => "INDEXES",
    };
    body.insert("ReturnConsumedCapacity".into(), word.into());
    body.into()
}

fn consistency(body: &mut Map<String, Json>, is_consistent: bool) {
    if is_consistent {
        body.insert("ConsistentRead".into(), true.into());
    }
}

fn write_members(write: &Write, spelling: Spelling) -> Map<String, Json> {
    let mut body = Map::new();
    let mut texts = Texts { spelling, ..Texts::default() };
    body.insert("TableName".into(), write.table.as_str().into());
    match &write.effect {
        Effect::Put(item) => body.insert("Item".into(), spelled(item, spelling)),
        Effect::Update(key, _) | Effect::Delete(key) | Effect::Check(key) => {
            body.insert("Key".into(), spelled(key, spelling))
        }
    };
    if write.is_legacy {
        if let Effect::Update(_, Some(update)) = &write.effect {
            body.insert("AttributeUpdates".into(), legacy::updates(update, spelling));
        }
        if let Some(condition) = &write.condition {
            let (conditions, is_any) = legacy::expected(condition, spelling);
            body.insert("Expected".into(), conditions.into());
            any(&mut body, is_any);
        }
    } else if let Effect::Update(_, Some(update)) = &write.effect {
        body.insert("UpdateExpression".into(), texts.update(update).into());
    }
    if let Some(condition) = write.condition.as_ref().filter(|_| !write.is_legacy) {
        body.insert("ConditionExpression".into(), texts.condition(condition).into());
    }
    if write.tells_item {
        body.insert("ReturnValuesOnConditionCheckFailure".into(), "ALL_OLD".into());
    }
    texts.finish(&mut body);
    body
}

/// Says that one condition is enough.
fn any(body: &mut Map<String, Json>, is_any: bool) {
    if is_any {
        body.insert("ConditionalOperator".into(), "OR".into());
    }
}

/// Adds the filter in the parameters from before expressions.
fn legacy_filter(read: &Read, member: &str, body: &mut Map<String, Json>) {
    if let Some(filter) = read.filter.as_ref().filter(|_| read.is_legacy) {
        let (conditions, is_any) = legacy::conditions(filter, Spelling::Normal);
        body.insert(member.to_owned(), conditions.into());
        any(body, is_any);
    }
}

fn read_members(read: &Read) -> (Map<String, Json>, Texts) {
    let mut body = Map::new();
    let mut texts = Texts::default();
    // The names of the table and the index hold more than the wire has: see `key_names`.
    body.insert("TableName".into(), read.table.as_str().into());
    if let Some(index) = &read.index {
        body.insert("IndexName".into(), index.as_str().into());
    }
    if let Some(filter) = read.filter.as_ref().filter(|_| !read.is_legacy) {
        body.insert("FilterExpression".into(), texts.condition(filter).into());
    }
    match &read.shown {
        Shown::Default => {}
        Shown::All => {
            body.insert("Select".into(), "ALL_ATTRIBUTES".into());
        }
        Shown::Paths(paths) if read.is_legacy => {
            let names = paths.iter().map(|path| Json::from(path.attribute.as_str()));
            body.insert("AttributesToGet".into(), names.collect());
        }
        Shown::Paths(paths) => {
            body.insert("ProjectionExpression".into(), texts.paths(paths).into());
        }
        Shown::Count => {
            body.insert("Select".into(), "COUNT".into());
        }
    }
    if let Some(limit) = read.limit {
        body.insert("Limit".into(), limit.into());
    }
    if let Some(start) = &read.start {
        body.insert("ExclusiveStartKey".into(), to_json(start));
    }
    consistency(&mut body, read.is_consistent);
    (body, texts)
}

/// The key attributes of what is read. Tables and indexes are named after them, so that a request's text needs
/// nothing but the request.
pub fn key_names(read: &Read) -> (String, String) {
    match &read.index {
        None => ("pk".to_owned(), "sk".to_owned()),
        Some(index) => {
            let mut names = index.split('.').skip(1).map(str::to_owned);
            (names.next().unwrap_or_default(), names.next().unwrap_or_default())
        }
    }
}

fn sign(comparator: Comparator) -> &'static str {
    match comparator {
        Comparator::Equal => "=",
        Comparator::NotEqual => "<>",
        Comparator::Less => "<",
        Comparator::LessOrEqual => "<=",
        Comparator::Greater => ">",
        Comparator::GreaterOrEqual => ">=",
    }
}

/// The texts of one request's expressions, with the placeholders they use.
struct Texts {
    names: BTreeMap<String, String>,
    values: Vec<Value>,
    spelling: Spelling,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts { names: BTreeMap::new(), values: Vec::new(), spelling: Spelling::Normal }
    }
}

impl Texts {
    /// A name: as it is, or by a placeholder. Which of them depends on the name, so that both occur.
    fn name(&mut self, name: &str) -> String {
        if name.len().is_multiple_of(2) {
            return name.to_owned();
        }
        let count = self.names.len();
        let placeholder = self.names.entry(name.to_owned()).or_insert_with(|| format!("#n{count}"));
        placeholder.clone()
    }

    fn value(&mut self, value: &Value) -> String {
        self.values.push(value.clone());
        format!(":v{}", self.values.len() - 1)
    }

    fn path(&mut self, path: &Path) -> String {
        let mut text = self.name(&path.attribute);
        for element in &path.inner {
            match element {
                Element::Index(index) => text.push_str(&format!("[{index}]")),
                Element::Member(name) => {
                    text.push('.');
                    text.push_str(&self.name(name));
                }
            }
        }
        text
    }

    fn paths(&mut self, paths: &[Path]) -> String {
        let texts: Vec<String> = paths.iter().map(|path| self.path(path)).collect();
        texts.join(", ")
    }

    fn operand(&mut self, operand: &Operand) -> String {
        match operand {
            Operand::Path(path) => self.path(path),
            Operand::Value(value) => self.value(value),
            Operand::Size(path) => format!("size({})", self.path(path)),
        }
    }

    fn condition(&mut self, condition: &Condition) -> String {
        match condition {
            Condition::Compare(comparator, left, right) => {
                format!("{} {} {}", self.operand(left), sign(*comparator), self.operand(right))
            }
            Condition::Between(operand, low, high) => {
                let operand = self.operand(operand);
                format!("{operand} BETWEEN {} AND {}", self.operand(low), self.operand(high))
            }
            Condition::In(operand, others) => {
                let operand = self.operand(operand);
                let others: Vec<String> = others.iter().map(|other| self.operand(other)).collect();
                format!("{operand} IN ({})", others.join(", "))
            }
            Condition::Exists(path) => format!("attribute_exists({})", self.path(path)),
            Condition::NotExists(path) => format!("attribute_not_exists({})", self.path(path)),
            Condition::Type(path, kind) => {
                format!("attribute_type({}, {})", self.path(path), self.value(&Value::s(kind)))
            }
            Condition::BeginsWith(path, operand) => {
                format!("begins_with({}, {})", self.path(path), self.operand(operand))
            }
            Condition::Contains(path, operand) => {
                format!("contains({}, {})", self.path(path), self.operand(operand))
            }
            Condition::Lacks(path, operand) => {
                let (path, operand) = (self.path(path), self.operand(operand));
                format!("(attribute_exists({path}) AND NOT contains({path}, {operand}))")
            }
            Condition::And(one, other) => format!("{} AND {}", self.part(one), self.part(other)),
            Condition::Or(one, other) => format!("{} OR {}", self.part(one), self.part(other)),
            Condition::Not(condition) => format!("NOT {}", self.part(condition)),
        }
    }

    /// A condition inside another: in parentheses where it has parts itself.
    fn part(&mut self, condition: &Condition) -> String {
        let text = self.condition(condition);
        match condition {
            Condition::And(..) | Condition::Or(..) | Condition::Not(_) => format!("({text})"),
            _ => text,
        }
    }

    fn term(&mut self, term: &Term) -> String {
        match term {
            Term::Path(path) => self.path(path),
            Term::Value(value) => self.value(value),
            Term::IfNotExists(path, otherwise) => {
                format!("if_not_exists({}, {})", self.path(path), self.term(otherwise))
            }
            Term::ListAppend(front, back) => {
                format!("list_append({}, {})", self.term(front), self.term(back))
            }
            Term::Plus(left, right) => format!("{} + {}", self.term(left), self.term(right)),
            Term::Minus(left, right) => format!("{} - {}", self.term(left), self.term(right)),
        }
    }

    fn update(&mut self, update: &Update) -> String {
        let mut clauses: [(&str, Vec<String>); 4] =
            [("SET", Vec::new()), ("REMOVE", Vec::new()), ("ADD", Vec::new()), ("DELETE", Vec::new())];
        for action in &update.0 {
            let target = self.path(&action.target);
            let (clause, text) = match &action.change {
                Change::Set(term) => (0, format!("{target} = {}", self.term(term))),
                Change::Remove => (1, target),
                Change::Add(operand) => (2, format!("{target} {}", self.value(operand))),
                Change::Delete(operand) => (3, format!("{target} {}", self.value(operand))),
            };
            clauses[clause].1.push(text);
        }
        let written = clauses.iter().filter(|(_, actions)| !actions.is_empty());
        let clauses: Vec<String> =
            written.map(|(word, actions)| format!("{word} {}", actions.join(", "))).collect();
        clauses.join(" ")
    }

    fn finish(self, body: &mut Map<String, Json>) {
        if !self.names.is_empty() {
            let names: Map<String, Json> =
                self.names.into_iter().map(|(name, placeholder)| (placeholder, name.into())).collect();
            body.insert("ExpressionAttributeNames".into(), names.into());
        }
        if !self.values.is_empty() {
            let values: Map<String, Json> = self
                .values
                .iter()
                .enumerate()
                .map(|(number, value)| (format!(":v{number}"), value.spelled(self.spelling)))
                .collect();
            body.insert("ExpressionAttributeValues".into(), values.into());
        }
    }
}
