//! The requests of a model: set-up, filled patterns, templates, and the data of its page.

use std::collections::BTreeMap;

use keyplan_model::{Model, ParameterError};
use serde_json::{Value, json};

const PRICES: &str = include_str!("../../../content/prices.json");
const CUSTOMER_ORDERS: &str = include_str!("../../../content/models/customer-orders.yaml");

fn model() -> Model {
    match Model::parse(CUSTOMER_ORDERS, "content/models/customer-orders.yaml") {
        Ok(model) => model,
        Err(error) => panic!("{error}"),
    }
}

fn parameters(given: &[(&str, &str)]) -> BTreeMap<String, String> {
    given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn set_up_makes_the_table_and_puts_every_item() {
    let model = model();
    assert_eq!(model.id, "customer-orders");
    let setup = model.setup();
    assert_eq!(setup.len(), 1 + model.design.items.len());
    assert_eq!(
        setup[0].body.to_string(),
        concat!(
            r#"{"TableName":"Shop","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},"#,
            r#"{"AttributeName":"sk","KeyType":"RANGE"}],"AttributeDefinitions":["#,
            r#"{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}],"#,
            r#""BillingMode":"PAY_PER_REQUEST"}"#
        )
    );
    assert_eq!(setup[1].target(), "DynamoDB_20120810.PutItem");
    assert_eq!(setup[1].body["Item"]["pk"]["S"], "CUSTOMER#c-ines");
    assert!(setup[1].body["Item"].get("customerId").is_none(), "a key's part is not stored twice");
    assert_eq!(setup[2].body["Item"]["lines"], json!({ "L": [{ "S": "teapot" }] }));
}

#[test]
fn a_pattern_is_filled_with_parameters() {
    let model = model();
    let pattern = model.pattern("orders-in-a-window").unwrap();
    let given = parameters(&[("customerId", "c-lin"), ("from", "2026-01-01"), ("to", "2026-06-30")]);
    let request = pattern.request(&given).unwrap();
    assert_eq!(
        request.body,
        json!({
            "TableName": "Shop",
            "KeyConditionExpression": "pk = :partition AND sk BETWEEN :from AND :to",
            "ExpressionAttributeValues": {
                ":partition": { "S": "CUSTOMER#c-lin" },
                ":from": { "S": "ORDER#2026-01-01" },
                ":to": { "S": "ORDER#2026-06-30~" }
            }
        })
    );
    let newest = model.pattern("newest-orders").unwrap();
    let body = newest.request(&newest.examples()).unwrap().body;
    assert_eq!(body["ScanIndexForward"], json!(false));
    assert_eq!(body["Limit"], json!(3));
    let one = model.pattern("one-order").unwrap();
    assert_eq!(one.request(&one.examples()).unwrap().body["Key"]["sk"]["S"], "ORDER#2026-11-29#5107");
}

#[test]
fn wrong_parameters_are_told() {
    let model = model();
    let pattern = model.pattern("newest-orders").unwrap();
    assert_eq!(pattern.request(&parameters(&[])), Err(ParameterError::Missing { name: "customerId".into() }));
    assert_eq!(
        pattern.request(&parameters(&[("customerId", "c-lin"), ("day", "x")])),
        Err(ParameterError::Unknown { name: "day".into() })
    );
}

#[test]
fn a_number_key_takes_numbers_alone_and_a_reserved_name_is_aliased() {
    let text = r#"
keyplan: 1
title: Levels
question: Which readings are above this?
category: sensors
summary: A station is a partition.
tables:
  Levels: { key: { partition: { name: S }, sort: { measured: N } } }
entities:
  Level: { table: Levels, key: { name: "<station>", measured: "<measured>" } }
patterns:
  after:
    question: Which readings came after?
    operation: Query
    table: Levels
    where: { name: "<station>", measured: { ">": "<since>" } }
    parameters: { station: { example: s }, since: { example: 10 } }
"#;
    let model = Model::parse(text, "levels.yaml").unwrap();
    let pattern = model.pattern("after").unwrap();
    let body = pattern.request(&pattern.examples()).unwrap().body;
    assert_eq!(body["KeyConditionExpression"], "#partition = :partition AND measured > :sort");
    assert_eq!(body["ExpressionAttributeNames"], json!({ "#partition": "name" }));
    assert_eq!(body["ExpressionAttributeValues"][":sort"], json!({ "N": "10" }));
    assert_eq!(
        pattern.request(&parameters(&[("station", "s"), ("since", "noon")])),
        Err(ParameterError::NotANumber { name: "since".into(), text: "noon".into() })
    );
}

#[test]
fn the_page_data_is_json_that_a_script_element_can_hold() {
    let model = model();
    let text = model.page_data(&[r#"{"table":"Shop"}"#.into()], PRICES, &serde_json::json!({})).unwrap();
    assert!(!text.contains('<'));
    let data: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(data["model"]["id"], "customer-orders");
    assert_eq!(data["tables"], json!(["Shop"]));
    assert_eq!(data["setup"][0]["target"], "DynamoDB_20120810.CreateTable");
    assert_eq!(data["inspections"], json!([{ "table": "Shop" }]));
    let window = &data["patterns"][0];
    assert_eq!(window["template"]["ExpressionAttributeValues"][":to"], json!({ "S": "ORDER#<to>~" }));
    assert_eq!(
        window["parameters"][2],
        json!({ "name": "to", "label": "To", "type": "S", "example": "2026-11-30", "prefix": "ORDER#" })
    );
    assert_eq!(window["costs"], json!({ "read": 0.5 }));
    assert!(model.page_data(&["{".into()], PRICES, &serde_json::json!({})).is_err());
}
