//! Random writes and searches of vector indexes against a naive model of them.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::harness::{Harness, cases, n, s};

/// An item, naively.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub vector: Option<[i8; 3]>,
    pub group: Option<u8>,
    pub kind: Option<u8>,
    pub text: Option<usize>,
}

pub type Items = BTreeMap<u8, Item>;

#[derive(Debug, Clone)]
pub enum Change {
    Put(Item),
    /// Each attribute is left, removed or set.
    Update(Item, [bool; 4]),
    Delete,
}

#[derive(Debug, Clone)]
pub enum Step {
    One(u8, Change),
    Batch(BTreeMap<u8, Change>),
    Transaction(BTreeMap<u8, Change>),
    Undo,
}

#[derive(Debug, Clone)]
pub struct Search {
    pub index: usize,
    pub vector: [i8; 3],
    pub group: u8,
    pub kind: Option<u8>,
    pub results: usize,
}

fn vector() -> impl Strategy<Value = [i8; 3]> {
    [-3..4_i8, -3..4_i8, -3..4_i8]
}

fn item() -> impl Strategy<Value = Item> {
    use proptest::option::of;
    (of(vector()), of(0..2_u8), of(0..2_u8), of(0..2_000_usize))
        .prop_map(|(vector, group, kind, text)| Item { vector, group, kind, text })
}

fn put_or_delete() -> impl Strategy<Value = Change> {
    prop_oneof![3 => item().prop_map(Change::Put), 1 => Just(Change::Delete)]
}

fn change() -> impl Strategy<Value = Change> {
    let update = (item(), any::<[bool; 4]>()).prop_map(|(item, named)| Change::Update(item, named));
    prop_oneof![2 => put_or_delete(), 1 => update]
}

fn step() -> impl Strategy<Value = Step> {
    let key = || 0..12_u8;
    prop_oneof![
        6 => (key(), change()).prop_map(|(key, change)| Step::One(key, change)),
        1 => proptest::collection::btree_map(key(), put_or_delete(), 1..5).prop_map(Step::Batch),
        1 => proptest::collection::btree_map(key(), change(), 1..5).prop_map(Step::Transaction),
        1 => Just(Step::Undo),
    ]
}

fn search() -> impl Strategy<Value = Search> {
    (0..INDEXES.len(), vector(), 0..3_u8, proptest::option::of(0..2_u8), 1..15_usize)
        .prop_map(|(index, vector, group, kind, results)| Search { index, vector, group, kind, results })
}

/// Name, distance function, projection, whether `group` parts it and whether `kind` filters.
const INDEXES: [(&str, &str, &str, bool, bool); 4] = [
    ("near", "EUCLIDEAN", "ALL", false, false),
    ("angle", "COSINE", "KEYS_ONLY", true, true),
    ("product", "DOT_PRODUCT", "INCLUDE", false, true),
    ("parted", "EUCLIDEAN", "ALL", true, false),
];

fn definition(at: usize) -> Value {
    let (name, distance, projection, parted, filtered) = INDEXES[at];
    let mut schema = Vec::new();
    if filtered {
        schema.push(json!({"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"}));
    }
    if parted {
        schema.push(json!({"AttributeName": "group", "SearchSchemaElementType": "HASH"}));
    }
    let mut index = json!({
        "IndexName": name, "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 3,
        "DistanceFunction": distance, "Projection": {"ProjectionType": projection},
    });
    if projection == "INCLUDE" {
        index["Projection"]["NonKeyAttributes"] = json!(["text"]);
    }
    if !schema.is_empty() {
        index["SearchSchema"] = Value::Array(schema);
    }
    index
}

fn attribute_definitions(names: &[&str]) -> Value {
    let kind = |name: &str| if name == "group" { "S" } else { "N" };
    names.iter().map(|name| json!({"AttributeName": name, "AttributeType": kind(name)})).collect()
}

/// A table with all indexes but the last, which is added to it.
pub fn create(engine: &Harness) {
    let request = json!({
        "TableName": "Items", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": attribute_definitions(&["pk", "group", "kind"]),
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "VectorIndexes": [definition(0), definition(1), definition(2)],
    });
    engine.call("CreateTable", &request).ok();
}

pub fn addition(at: usize) -> Value {
    json!({
        "TableName": "Items", "AttributeDefinitions": attribute_definitions(&["group"]),
        "VectorIndexUpdates": [{"Create": definition(at)}],
    })
}

pub fn vector_value(vector: [i8; 3]) -> Value {
    json!({"L": vector.map(n)})
}

/// The attributes but the key.
fn attributes(item: &Item) -> [(&'static str, Option<Value>); 4] {
    [
        ("v", item.vector.map(vector_value)),
        ("group", item.group.map(|group| s(&format!("g{group}")))),
        ("kind", item.kind.map(n)),
        ("text", item.text.map(|length| s(&"x".repeat(length)))),
    ]
}

fn written(key: u8, item: &Item) -> Value {
    let mut value = json!({"pk": n(key)});
    for (name, attribute) in attributes(item) {
        if let Some(attribute) = attribute {
            value[name] = attribute;
        }
    }
    value
}

fn update(key: u8, item: &Item, named: [bool; 4]) -> Value {
    let (mut sets, mut removes, mut values) = (Vec::new(), Vec::new(), json!({}));
    for ((name, attribute), _) in attributes(item).into_iter().zip(named).filter(|(_, named)| *named) {
        match attribute {
            Some(value) => {
                sets.push(format!("#{name} = :{name}"));
                values[format!(":{name}")] = value;
            }
            None => removes.push(format!("#{name}")),
        }
    }
    let mut request = json!({"TableName": "Items", "Key": {"pk": n(key)}});
    let clauses = [("SET", &sets), ("REMOVE", &removes)];
    let clauses = clauses.iter().filter(|(_, parts)| !parts.is_empty());
    let text: Vec<String> = clauses.map(|(word, parts)| format!("{word} {}", parts.join(", "))).collect();
    if !text.is_empty() {
        request["UpdateExpression"] = json!(text.join(" "));
        let all = ["v", "group", "kind", "text"];
        let names = all.iter().zip(named).filter(|(_, named)| *named);
        request["ExpressionAttributeNames"] =
            names.map(|(name, _)| (format!("#{name}"), json!(name))).collect();
        if !sets.is_empty() {
            request["ExpressionAttributeValues"] = values;
        }
    }
    request
}

fn applied(items: &mut Items, key: u8, change: &Change) {
    match change {
        Change::Put(item) => _ = items.insert(key, item.clone()),
        Change::Delete => _ = items.remove(&key),
        Change::Update(new, named) => {
            let nothing = Item { vector: None, group: None, kind: None, text: None };
            let removes_alone = named.iter().any(|named| *named)
                && attributes(new).iter().zip(named).all(|((_, value), named)| !named || value.is_none());
            if removes_alone && !items.contains_key(&key) {
                return;
            }
            let item = items.entry(key).or_insert(nothing);
            let [vector, group, kind, text] = *named;
            if vector {
                item.vector = new.vector;
            }
            if group {
                item.group = new.group;
            }
            if kind {
                item.kind = new.kind;
            }
            if text {
                item.text = new.text;
            }
        }
    }
}

fn send(engine: &Harness, step: &Step) {
    let put = |key: u8, item: &Item| json!({"TableName": "Items", "Item": written(key, item)});
    let delete = |key: u8| json!({"TableName": "Items", "Key": {"pk": n(key)}});
    match step {
        Step::One(key, Change::Put(item)) => engine.call("PutItem", &put(*key, item)).ok(),
        Step::One(key, Change::Delete) => engine.call("DeleteItem", &delete(*key)).ok(),
        Step::One(key, Change::Update(item, named)) => {
            engine.call("UpdateItem", &update(*key, item, *named)).ok()
        }
        Step::Batch(changes) => {
            let one = |(key, change): (&u8, &Change)| match change {
                Change::Put(item) => json!({"PutRequest": {"Item": written(*key, item)}}),
                _ => json!({"DeleteRequest": {"Key": {"pk": n(key)}}}),
            };
            let requests: Vec<Value> = changes.iter().map(one).collect();
            engine.call("BatchWriteItem", &json!({"RequestItems": {"Items": requests}})).ok()
        }
        Step::Transaction(changes) => {
            let one = |(key, change): (&u8, &Change)| match change {
                Change::Put(item) => json!({"Put": put(*key, item)}),
                Change::Delete => json!({"Delete": delete(*key)}),
                Change::Update(item, named) => {
                    let mut request = update(*key, item, *named);
                    if request.get("UpdateExpression").is_none() {
                        request["UpdateExpression"] = json!("REMOVE nothing");
                    }
                    json!({"Update": request})
                }
            };
            let actions: Vec<Value> = changes.iter().map(one).collect();
            engine.call("TransactWriteItems", &json!({"TransactItems": actions})).ok()
        }
        Step::Undo => {
            engine.engine.undo(engine.now()).expect("the store works");
            Value::Null
        }
    };
}

/// Steps, and the items after them. What is taken back isn't taken back again.
pub fn run(engine: &Harness, items: &mut Items, steps: &[Step]) {
    let mut history = Vec::new();
    for step in steps {
        let before = items.clone();
        match step {
            Step::Undo if history.is_empty() => continue,
            Step::Undo => *items = history.pop().unwrap_or_default(),
            Step::One(key, change) => applied(items, *key, change),
            Step::Batch(changes) => changes.iter().for_each(|(key, change)| applied(items, *key, change)),
            Step::Transaction(changes) => {
                for (key, change) in changes {
                    // An update that says nothing stands in a transaction as one that removes nothing.
                    match change {
                        Change::Update(_, [false, false, false, false]) => {}
                        change => applied(items, *key, change),
                    }
                }
            }
        }
        send(engine, step);
        if !matches!(step, Step::Undo) && *items != before {
            history.push(before);
        }
    }
}

/// The keys in the order of a Scan, in which results of one score are.
fn scan_order(engine: &Harness) -> Vec<u8> {
    let scanned = engine.call("Scan", &json!({"TableName": "Items"})).ok();
    let key = |item: &Value| item["pk"]["N"].as_str().and_then(|text| text.parse().ok()).expect("a key");
    scanned["Items"].as_array().expect("items").iter().map(key).collect()
}

fn score(distance: &str, searched: [i8; 3], vector: [i8; 3]) -> f64 {
    let product = |a: [i8; 3], b: [i8; 3]| -> f64 {
        a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let lengths = product(searched, searched) * product(vector, vector);
    match distance {
        "EUCLIDEAN" => {
            let squares = searched.iter().zip(&vector).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2));
            squares.sum::<f64>().sqrt()
        }
        "COSINE" if lengths == 0.0 => 1.0,
        "COSINE" => (1.0 - product(searched, vector) / lengths.sqrt()).clamp(0.0, 2.0),
        _ => product(searched, vector),
    }
}

fn shown(at: usize, key: u8, item: &Item) -> Value {
    let (_, _, projection, parted, filtered) = INDEXES[at];
    let mut value = json!({"pk": n(key)});
    for (name, attribute) in attributes(item) {
        let is_shown = match name {
            "v" => false,
            _ if projection == "ALL" => true,
            "group" => parted,
            "kind" => filtered,
            _ => projection == "INCLUDE",
        };
        if let Some(attribute) = attribute.filter(|_| is_shown) {
            value[name] = attribute;
        }
    }
    value
}

fn is_in(at: usize, item: &Item) -> bool {
    item.vector.is_some() && (!INDEXES[at].3 || item.group.is_some())
}

pub fn check_search(engine: &Harness, items: &Items, search: &Search) {
    let (name, distance, _, parted, filtered) = INDEXES[search.index];
    let mut request = json!({
        "TableName": "Items", "IndexName": name, "TopK": search.results,
        "SearchVector": search.vector.map(n),
    });
    let (mut conditions, mut values, mut names) = (Vec::new(), json!({}), json!({}));
    if parted {
        conditions.push("#g = :g");
        values[":g"] = s(&format!("g{}", search.group));
        names["#g"] = json!("group");
    }
    let kind = search.kind.filter(|_| filtered);
    if let Some(kind) = kind {
        conditions.push("kind = :k");
        values[":k"] = n(kind);
    }
    if !conditions.is_empty() {
        request["SearchConditionExpression"] = json!(conditions.join(" AND "));
        request["ExpressionAttributeValues"] = values;
        if parted {
            request["ExpressionAttributeNames"] = names;
        }
    }
    let mut expected: Vec<(f64, Value)> = Vec::new();
    for key in scan_order(engine) {
        let item = &items[&key];
        let fits = is_in(search.index, item)
            && (!parted || item.group == Some(search.group))
            && kind.is_none_or(|kind| item.kind == Some(kind));
        if let Some(vector) = item.vector.filter(|_| fits) {
            expected.push((score(distance, search.vector, vector) + 0.0, shown(search.index, key, item)));
        }
    }
    expected.sort_by(|(one, _), (other, _)| match distance {
        "DOT_PRODUCT" => other.total_cmp(one),
        _ => one.total_cmp(other),
    });
    expected.truncate(search.results);
    let found = engine.call("SearchVectors", &request).ok();
    let found = found["SearchResults"].as_array().expect("results");
    let items = |results: &[Value]| results.iter().map(|result| result["Item"].clone()).collect::<Vec<_>>();
    let expected_items: Vec<Value> = expected.iter().map(|(_, item)| item.clone()).collect();
    assert_eq!(items(found), expected_items, "{request}");
    for (result, (score, _)) in found.iter().zip(&expected) {
        // What reads the answer here is not exact to the last digit.
        let found = result["Score"].as_f64().expect("a score");
        assert!((found - score).abs() < 1e-12, "{found} is {score}: {request}");
    }
}

/// The size of an item by the service's rule, its vector at four bytes a number.
fn size(key: u8, item: &Item, is_counted: impl Fn(&str) -> bool) -> usize {
    // A byte, and one for each two digits up to the last that isn't zero.
    let number = |number: u8| 1 + number.to_string().trim_end_matches('0').len().div_ceil(2);
    let sizes = [
        ("v", item.vector.map(|_| 12)),
        ("group", item.group.map(|_| 2)),
        ("kind", item.kind.map(number)),
        ("text", item.text),
    ];
    let sizes = sizes.into_iter().filter(|(name, _)| is_counted(name));
    2 + number(key) + sizes.filter_map(|(name, size)| Some(name.len() + size?)).sum::<usize>()
}

pub fn check_totals(engine: &Harness, items: &Items, indexes: usize) {
    let described = engine.call("DescribeTable", &json!({"TableName": "Items"})).ok();
    let table = &described["Table"];
    let all: usize = items.iter().map(|(key, item)| size(*key, item, |_| true)).sum();
    assert_eq!(table["ItemCount"], json!(items.len()));
    assert_eq!(table["TableSizeBytes"], json!(all));
    for at in 0..indexes {
        let (name, _, projection, parted, filtered) = INDEXES[at];
        let of_index = |attribute: &str| match attribute {
            "v" => true,
            _ if projection == "ALL" => true,
            "group" => parted,
            "kind" => filtered,
            _ => projection == "INCLUDE",
        };
        let entries: Vec<usize> = items
            .iter()
            .filter(|(_, item)| is_in(at, item))
            .map(|(key, item)| size(*key, item, of_index))
            .collect();
        let index = &table["VectorIndexes"][at];
        assert_eq!(index["IndexName"], json!(name));
        assert_eq!(index["ItemCount"], json!(entries.len()), "{name}");
        assert_eq!(index["IndexSizeBytes"], json!(entries.iter().sum::<usize>()), "{name}");
    }
}

proptest! {
    #![proptest_config(cases(24))]
    #[test]
    fn searches_find_what_a_naive_model_finds(
        before in prop::collection::vec(step(), 0..20),
        after in prop::collection::vec(step(), 0..20),
        searches in prop::collection::vec(search(), 1..8),
    ) {
        let engine = Harness::with_undo(50);
        create(&engine);
        let mut items = Items::new();
        run(&engine, &mut items, &before);
        check_totals(&engine, &items, 3);
        engine.call("UpdateTable", &addition(3)).ok();
        run(&engine, &mut items, &after);
        engine.settle();
        check_totals(&engine, &items, 4);
        for search in &searches {
            check_search(&engine, &items, search);
        }
    }
}
