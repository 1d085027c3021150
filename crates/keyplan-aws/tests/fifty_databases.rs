//! Fifty tests, each with a database of its own. The runner's closing line says how long all of them took.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, ConditionCheck, GlobalSecondaryIndex, KeySchemaElement,
    KeyType, Projection, ProjectionType, Put, ScalarAttributeType, TransactWriteItem,
};
use keyplan::Database;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn s(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

fn key(partition: &str, sort: &str) -> Result<[KeySchemaElement; 2], Box<dyn std::error::Error>> {
    let element = |name: &str, kind| KeySchemaElement::builder().attribute_name(name).key_type(kind).build();
    Ok([element(partition, KeyType::Hash)?, element(sort, KeyType::Range)?])
}

async fn create(client: &Client) -> Outcome {
    let mut table = client.create_table().table_name("Orders").billing_mode(BillingMode::PayPerRequest);
    for name in ["customer", "order", "state"] {
        let definition = AttributeDefinition::builder().attribute_name(name);
        table = table.attribute_definitions(definition.attribute_type(ScalarAttributeType::S).build()?);
    }
    let by_state = GlobalSecondaryIndex::builder()
        .index_name("ByState")
        .set_key_schema(Some(key("state", "order")?.into()))
        .projection(Projection::builder().projection_type(ProjectionType::All).build())
        .build()?;
    table
        .set_key_schema(Some(key("customer", "order")?.into()))
        .global_secondary_indexes(by_state)
        .send()
        .await?;
    Ok(())
}

/// What a test of a program that uses DynamoDB does; `number` is in the data, so that a database shared by
/// mistake would show.
async fn an_isolated_database(number: usize) -> Outcome {
    let database = Database::in_memory();
    let client = keyplan_aws::client(&database);
    create(&client).await?;

    let customer = format!("CUSTOMER#{number}");
    for order in 0..10 {
        client
            .put_item()
            .table_name("Orders")
            .item("customer", s(&customer))
            .item("order", s(format!("ORDER#{order}")))
            .item("state", s(if order % 2 == 0 { "open" } else { "shipped" }))
            .send()
            .await?;
    }

    let open = client
        .query()
        .table_name("Orders")
        .index_name("ByState")
        .key_condition_expression("#s = :open")
        .expression_attribute_names("#s", "state")
        .expression_attribute_values(":open", s("open"))
        .send()
        .await?;
    assert_eq!(open.count(), 5);
    assert!(open.items().iter().all(|item| item["customer"] == s(&customer)));

    let refused = client
        .put_item()
        .table_name("Orders")
        .item("customer", s(&customer))
        .item("order", s("ORDER#1"))
        .condition_expression("attribute_not_exists(customer)")
        .send()
        .await
        .expect_err("the order is there");
    assert!(matches!(refused.into_service_error(), PutItemError::ConditionalCheckFailedException(_)));

    let check = ConditionCheck::builder()
        .table_name("Orders")
        .key("customer", s(&customer))
        .key("order", s("ORDER#99"))
        .condition_expression("attribute_exists(customer)")
        .build()?;
    let put = Put::builder()
        .table_name("Orders")
        .item("customer", s(&customer))
        .item("order", s("ORDER#10"))
        .build()?;
    let canceled = client
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().put(put).build())
        .transact_items(TransactWriteItem::builder().condition_check(check).build())
        .send()
        .await
        .expect_err("there is no order 99");
    let TransactWriteItemsError::TransactionCanceledException(canceled) = canceled.into_service_error()
    else {
        return Err("another error than expected".into());
    };
    let codes: Vec<_> = canceled.cancellation_reasons().iter().map(|reason| reason.code()).collect();
    assert_eq!(codes, [Some("None"), Some("ConditionalCheckFailed")]);

    let all = client.scan().table_name("Orders").send().await?;
    assert_eq!(all.count(), 10, "the canceled transaction wrote nothing, and nobody else did");
    Ok(())
}

macro_rules! databases {
    ($($name:ident $number:literal)*) => {$(
        #[tokio::test]
        async fn $name() -> Outcome {
            an_isolated_database($number).await
        }
    )*};
}

databases! {
    d01 1 d02 2 d03 3 d04 4 d05 5 d06 6 d07 7 d08 8 d09 9 d10 10
    d11 11 d12 12 d13 13 d14 14 d15 15 d16 16 d17 17 d18 18 d19 19 d20 20
    d21 21 d22 22 d23 23 d24 24 d25 25 d26 26 d27 27 d28 28 d29 29 d30 30
    d31 31 d32 32 d33 33 d34 34 d35 35 d36 36 d37 37 d38 38 d39 39 d40 40
    d41 41 d42 42 d43 43 d44 44 d45 45 d46 46 d47 47 d48 48 d49 49 d50 50
}
