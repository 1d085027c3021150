//! The table that the tests use: orders of customers, with an index of each kind.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType,
    LocalSecondaryIndex, Projection, ProjectionType, ScalarAttributeType,
};
use keyplan_clients_rust::Outcome;

/// A string.
pub fn s(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

/// A number.
pub fn n(value: usize) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

/// An order; every second one is open.
pub fn order(customer: &str, number: usize) -> HashMap<String, AttributeValue> {
    HashMap::from([
        ("customer".to_owned(), s(customer)),
        ("order".to_owned(), s(format!("ORDER#{number:03}"))),
        ("state".to_owned(), s(if number.is_multiple_of(2) { "open" } else { "shipped" })),
        ("amount".to_owned(), n(number * 10)),
    ])
}

fn key(partition: &str, sort: &str) -> Result<Option<Vec<KeySchemaElement>>, BuildError> {
    let element = |name: &str, kind| KeySchemaElement::builder().attribute_name(name).key_type(kind).build();
    Ok(Some(vec![element(partition, KeyType::Hash)?, element(sort, KeyType::Range)?]))
}

/// Creates the table and waits until it is there.
pub async fn create_orders(client: &Client, table: &str) -> Outcome {
    let mut request = client.create_table().table_name(table).billing_mode(BillingMode::PayPerRequest);
    for (name, kind) in [
        ("customer", ScalarAttributeType::S),
        ("order", ScalarAttributeType::S),
        ("state", ScalarAttributeType::S),
        ("amount", ScalarAttributeType::N),
    ] {
        let definition = AttributeDefinition::builder().attribute_name(name).attribute_type(kind).build()?;
        request = request.attribute_definitions(definition);
    }
    let projection = Projection::builder().projection_type(ProjectionType::All).build();
    let by_state = GlobalSecondaryIndex::builder()
        .index_name("ByState")
        .set_key_schema(key("state", "order")?)
        .projection(projection.clone())
        .build()?;
    let by_amount = LocalSecondaryIndex::builder()
        .index_name("ByAmount")
        .set_key_schema(key("customer", "amount")?)
        .projection(projection)
        .build()?;
    request
        .set_key_schema(key("customer", "order")?)
        .global_secondary_indexes(by_state)
        .local_secondary_indexes(by_amount)
        .send()
        .await?;
    Ok(())
}
