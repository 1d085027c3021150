//! The forms in which people have tables and items in files.
//!
//! A file holds one JSON value, an array of them, or one a line. A value is a CreateTable request, a
//! DescribeTable answer, the items of a BatchWriteItem request, the answer of a Scan or Query, a PutItem
//! request, an exported line `{"Item": …}`, or an item. Its members tell which.

use std::borrow::Cow;

use keyplan_value::json::{JsonErrorKind, Kind, Limits, Node, Tape, Writer};

/// What a value holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Table {
        name: String,
        /// The body of the CreateTable.
        request: Vec<u8>,
    },
    Item {
        /// The table, where the value names it.
        table: Option<String>,
        /// The item as it stands, DynamoDB JSON.
        json: String,
    },
}

/// What is wrong with a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) line: usize,
    pub(super) what: String,
}

/// Items have 32 levels at most, and stand a few levels deep.
const LIMITS: Limits = Limits { depth_levels: 100, length_bytes: 256 * 1024 * 1024 };

const FORMS: &str = "neither a CreateTable request, a DescribeTable answer, the items of a BatchWriteItem request nor an \
                     item in DynamoDB JSON, such as {\"id\": {\"S\": \"a\"}}";

/// Everything that a file holds, with the lines where it stands.
pub(super) fn read(text: &str) -> Result<Vec<(usize, Found)>, Fault> {
    let mut lines = Lines { text, offset: 0, line: 1 };
    let mut all = Vec::new();
    match Tape::parse(text.as_bytes(), &LIMITS) {
        Ok(tape) if tape.root().kind() == Kind::Array => {
            for element in tape.root().elements() {
                value(element, &mut lines, &mut all)?;
            }
        }
        Ok(tape) => value(tape.root(), &mut lines, &mut all)?,
        Err(whole) => {
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let by_line =
                whole.kind == JsonErrorKind::TrailingText || Tape::parse(first.as_bytes(), &LIMITS).is_ok();
            if !by_line {
                let line = lines.of_offset(whole.offset);
                return Err(Fault { line, what: format!("this is not JSON: {whole}") });
            }
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                let tape = Tape::parse(line.as_bytes(), &LIMITS).map_err(|error| Fault {
                    line: lines.of(line),
                    what: format!("this line is not JSON: {error}"),
                })?;
                value(tape.root(), &mut lines, &mut all)?;
            }
        }
    }
    Ok(all)
}

type All = Vec<(usize, Found)>;

fn value(node: Node<'_, '_>, lines: &mut Lines<'_>, all: &mut All) -> Result<(), Fault> {
    let line = lines.of(node.raw());
    let fault = |what: &str| Fault { line, what: what.to_owned() };
    if node.kind() != Kind::Object {
        return Err(fault(&format!("this is {FORMS}")));
    }
    let member = |name: &str, kind: Kind| node.get(name).filter(|member| member.kind() == kind);
    if member("KeySchema", Kind::Array).is_some() {
        let name = member("TableName", Kind::String).and_then(|name| name.string());
        let name = name.ok_or_else(|| fault("this table has no TableName"))?.into_owned();
        all.push((line, Found::Table { name, request: node.raw().as_bytes().to_vec() }));
        return Ok(());
    }
    let described = member("Table", Kind::Object).or_else(|| member("TableDescription", Kind::Object));
    if let Some(table) = described.filter(|table| table.get("KeySchema").is_some()) {
        let name = table.get("TableName").and_then(|name| name.string()).map(Cow::into_owned);
        let name = name.ok_or_else(|| fault("this table has no TableName"))?;
        all.push((line, Found::Table { name, request: create_table(table) }));
        return Ok(());
    }
    if let Some(requests) = member("RequestItems", Kind::Object) {
        return batch(requests, lines, all);
    }
    if let Some(items) = member("Items", Kind::Array) {
        for item in items.elements() {
            all.push((lines.of(item.raw()), Found::Item { table: None, json: item.raw().to_owned() }));
        }
        return Ok(());
    }
    if let Some(put) = member("PutRequest", Kind::Object).filter(|_| node.len() == 1) {
        return value(put, lines, all);
    }
    // An item may have an attribute of the name Item, but then it has others beside it.
    let other_objects = node.members().filter(|(_, member)| member.kind() == Kind::Object).count();
    if let Some(item) = member("Item", Kind::Object).filter(|_| other_objects == 1) {
        let table = member("TableName", Kind::String).and_then(|name| name.string()).map(Cow::into_owned);
        all.push((lines.of(item.raw()), Found::Item { table, json: item.raw().to_owned() }));
        return Ok(());
    }
    if node.is_empty() {
        return Err(fault(&format!("this is {FORMS}")));
    }
    if node.members().all(|(_, member)| member.kind() == Kind::Array) {
        return batch(node, lines, all);
    }
    if node.members().all(|(_, member)| member.kind() == Kind::Object) {
        all.push((line, Found::Item { table: None, json: node.raw().to_owned() }));
        return Ok(());
    }
    Err(fault(&format!("this is {FORMS}")))
}

/// The requests of a BatchWriteItem, by table.
fn batch(requests: Node<'_, '_>, lines: &mut Lines<'_>, all: &mut All) -> Result<(), Fault> {
    for (table, requests) in requests.members() {
        let table = table.to_str();
        for request in requests.elements() {
            let line = lines.of(request.raw());
            let item = request.get("PutRequest").and_then(|put| put.get("Item"));
            let item = item.ok_or_else(|| Fault {
                line,
                what: "only {\"PutRequest\": {\"Item\": …}} can stand here; a seed deletes nothing"
                    .to_owned(),
            })?;
            let json = item.raw().to_owned();
            all.push((lines.of(item.raw()), Found::Item { table: Some(table.clone().into_owned()), json }));
        }
    }
    Ok(())
}

/// The request that makes a table as one is described.
fn create_table(described: Node<'_, '_>) -> Vec<u8> {
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object();
    let as_it_is =
        ["TableName", "AttributeDefinitions", "KeySchema", "StreamSpecification", "OnDemandThroughput"];
    for name in as_it_is {
        copy(described, name, &mut json);
    }
    copy(described, "DeletionProtectionEnabled", &mut json);
    let mode = described.get("BillingModeSummary").and_then(|summary| summary.get("BillingMode"));
    let on_demand = mode.is_some_and(|mode| mode.text().is_some_and(|mode| mode.is("PAY_PER_REQUEST")));
    json.name("BillingMode").string(if on_demand { "PAY_PER_REQUEST" } else { "PROVISIONED" });
    if let Some(class) = described.get("TableClassSummary").and_then(|summary| summary.get("TableClass")) {
        json.name("TableClass").value_with(|out| out.extend_from_slice(quoted(class).as_bytes()));
    }
    throughput(described, on_demand, &mut json);
    for list in ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"] {
        let Some(indexes) = described.get(list).filter(|indexes| !indexes.is_empty()) else { continue };
        json.name(list).begin_array();
        for index in indexes.elements() {
            json.begin_object();
            for name in ["IndexName", "KeySchema", "Projection", "OnDemandThroughput"] {
                copy(index, name, &mut json);
            }
            if list == "GlobalSecondaryIndexes" {
                throughput(index, on_demand, &mut json);
            }
            json.end_object();
        }
        json.end_array();
    }
    json.end_object();
    body
}

fn copy(from: Node<'_, '_>, name: &str, json: &mut Writer<'_>) {
    if let Some(value) = from.get(name).filter(|value| !value.is_null()) {
        json.name(name).value_with(|out| out.extend_from_slice(quoted(value).as_bytes()));
    }
}

/// Only the two members that a request may have; none where units are paid as they are used.
fn throughput(from: Node<'_, '_>, on_demand: bool, json: &mut Writer<'_>) {
    let Some(units) = from.get("ProvisionedThroughput").filter(|_| !on_demand) else { return };
    json.name("ProvisionedThroughput").begin_object();
    copy(units, "ReadCapacityUnits", json);
    copy(units, "WriteCapacityUnits", json);
    json.end_object();
}

/// A value as it stands in the text; of a string, a node has what is between the quotes.
fn quoted<'a>(value: Node<'_, 'a>) -> Cow<'a, str> {
    match value.kind() {
        Kind::String => Cow::Owned(format!("\"{}\"", value.raw())),
        _ => Cow::Borrowed(value.raw()),
    }
}

/// Finds the lines of parts of a text, quickly where they are asked for in order.
struct Lines<'a> {
    text: &'a str,
    /// The place that was asked for last, and its line.
    offset: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line where a part of the text begins, counted from 1.
    fn of(&mut self, part: &str) -> usize {
        self.of_offset((part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize))
    }

    fn of_offset(&mut self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        if offset < self.offset {
            (self.offset, self.line) = (0, 1);
        }
        let between = self.text.as_bytes().get(self.offset..offset).unwrap_or_default();
        self.line += between.iter().filter(|byte| **byte == b'\n').count();
        self.offset = offset;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn item(table: Option<&str>, json: &str) -> Found {
        Found::Item { table: table.map(str::to_owned), json: json.to_owned() }
    }

    #[test]
    fn items_are_found_in_every_form_with_their_lines() {
        let a = r#"{"id": {"S": "a"}}"#;
        for (text, expected) in [
            (a.to_owned(), vec![(1, item(None, a))]),
            (format!("[\n{a},\n\n{a}]"), vec![(2, item(None, a)), (4, item(None, a))]),
            (
                format!("{{\"Item\": {a}}}\n\n{{\"Item\": {a}}}\n"),
                vec![(1, item(None, a)), (3, item(None, a))],
            ),
            (format!("{{\"Items\": [\n{a}], \"Count\": 1}}"), vec![(2, item(None, a))]),
            (format!("{{\"TableName\": \"T\", \"Item\": {a}}}"), vec![(1, item(Some("T"), a))]),
            (format!("{{\"T\": [\n{{\"PutRequest\": {{\"Item\": {a}}}}}]}}"), vec![(2, item(Some("T"), a))]),
            (
                format!("{{\"RequestItems\": {{\"T\": [{{\"PutRequest\": {{\"Item\": {a}}}}}]}}}}"),
                vec![(1, item(Some("T"), a))],
            ),
        ] {
            assert_eq!(read(&text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn an_attribute_of_the_name_item_is_one_of_several() {
        let text = r#"{"id": {"S": "a"}, "Item": {"S": "chair"}}"#;
        assert_eq!(read(text), Ok(vec![(1, item(None, text))]));
    }

    #[test]
    fn a_description_becomes_the_request_that_makes_the_table() {
        let text = r#"{"Table": {"TableName": "T", "TableStatus": "ACTIVE", "ItemCount": 3,
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 2, "WriteCapacityUnits": 1},
            "GlobalSecondaryIndexes": [{"IndexName": "i", "IndexStatus": "ACTIVE", "KeySchema": [],
              "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 1,
              "WriteCapacityUnits": 1}}]}}"#;
        let found = read(text).expect("a table");
        let [(1, Found::Table { name, request })] = &found[..] else { panic!("{found:?}") };
        let request: serde_json::Value = serde_json::from_slice(request).expect("JSON");
        assert_eq!(name, "T");
        assert_eq!(
            request,
            serde_json::json!({"TableName": "T",
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "BillingMode": "PROVISIONED",
                "ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 1},
                "GlobalSecondaryIndexes": [{"IndexName": "i", "KeySchema": [],
                  "Projection": {"ProjectionType": "ALL"},
                  "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}]})
        );
    }

    proptest! {
        /// Items written in any of the forms are found, each at its line.
        #[test]
        fn items_survive_every_form(
            items in vec((any::<String>(), 0..3_usize), 1..20),
            form in 0..4_usize,
        ) {
            let (before, between, after) =
                [("[", ",", "]"), ("", "\n", "\n"), ("{\"Items\":[", ",", "]}"), ("{\"T\":[", ",", "]}")][form];
            let mut text = before.to_owned();
            let mut expected = Vec::new();
            for (index, (id, blank_lines)) in items.iter().enumerate() {
                if index > 0 {
                    text.push_str(between);
                }
                text.push_str(&"\n".repeat(*blank_lines));
                let json = serde_json::json!({ "id": { "S": id } }).to_string();
                let line = text.matches('\n').count() + 1;
                if form == 3 {
                    text.push_str(&format!("{{\"PutRequest\":{{\"Item\":{json}}}}}"));
                    expected.push((line, item(Some("T"), &json)));
                } else {
                    text.push_str(&json);
                    expected.push((line, item(None, &json)));
                }
            }
            text.push_str(after);
            prop_assert_eq!(read(&text), Ok(expected));
        }

        /// Whatever stands in a file, reading it ends, and a fault is at one of its lines.
        #[test]
        fn no_text_breaks_the_reader(text in "[\\[\\]{}:,\" \n0a]{0,60}|.{0,60}") {
            if let Err(fault) = read(&text) {
                prop_assert!((1..=text.matches('\n').count() + 1).contains(&fault.line));
            }
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, line, part) in [
            ("{\"a\": 1,\n oops}", 2, "not JSON"),
            ("{\"Item\": {\"id\": {\"S\": \"a\"}}}\n{\"Item\": ", 2, "this line is not JSON"),
            ("[\n\n{\"id\": \"a\"}]", 3, "DynamoDB JSON"),
            ("[7]", 1, "DynamoDB JSON"),
            ("{}", 1, "DynamoDB JSON"),
            ("{\"T\": [\n{\"DeleteRequest\": {}}]}", 2, "a seed deletes nothing"),
            ("", 1, "not JSON"),
        ] {
            let fault = read(text).expect_err(text);
            assert_eq!(fault.line, line, "{text}: {fault:?}");
            assert!(fault.what.contains(part), "{text}: {fault:?}");
        }
    }
}
