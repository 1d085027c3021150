//! The requests that set a design up: its tables with their indexes, and its sample items.

use serde_json::{Map, Value, json};

use crate::model::{Billing, Design, Index, IndexScope, KeyAttribute, Model, Projection, Table};
use crate::request::Request;

impl Model {
    /// The requests that make the tables and put the sample items, in the file's order.
    pub fn setup(&self) -> Vec<Request> {
        self.design.setup()
    }
}

impl Design {
    /// The requests that make the tables and put the sample items, in the file's order.
    pub fn setup(&self) -> Vec<Request> {
        let tables = self.tables.iter().map(create_table);
        let items = self.items.iter().filter_map(|item| {
            let table = &self.entity(&item.entity)?.table;
            let body = json!({ "TableName": table, "Item": item.attributes });
            Some(Request { operation: "PutItem", body })
        });
        tables.chain(items).collect()
    }
}

/// The request that makes a table with its indexes.
pub fn create_table(table: &Table) -> Request {
    let definitions: Vec<Value> = table
        .defined_attributes()
        .into_iter()
        .map(|key| json!({ "AttributeName": key.name, "AttributeType": key.kind.code() }))
        .collect();
    let mut body = Map::new();
    body.insert("TableName".into(), json!(table.name));
    body.insert("KeySchema".into(), key_schema(std::iter::once(&table.partition), &table.sort));
    body.insert("AttributeDefinitions".into(), json!(definitions));
    for (scope, member) in
        [(IndexScope::Local, "LocalSecondaryIndexes"), (IndexScope::Global, "GlobalSecondaryIndexes")]
    {
        let indexes: Vec<Value> = table
            .indexes
            .iter()
            .filter(|index| index.scope == scope)
            .map(|index| secondary_index(index, table.billing))
            .collect();
        if !indexes.is_empty() {
            body.insert(member.into(), json!(indexes));
        }
    }
    match table.billing {
        Billing::OnDemand => {
            body.insert("BillingMode".into(), json!("PAY_PER_REQUEST"));
        }
        Billing::Provisioned { read, write } => {
            body.insert("BillingMode".into(), json!("PROVISIONED"));
            body.insert("ProvisionedThroughput".into(), throughput(read, write));
        }
    }
    Request { operation: "CreateTable", body: Value::Object(body) }
}

fn secondary_index(index: &Index, billing: Billing) -> Value {
    let projection = match &index.projection {
        Projection::All => json!({ "ProjectionType": "ALL" }),
        Projection::KeysOnly => json!({ "ProjectionType": "KEYS_ONLY" }),
        Projection::Include(names) => json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": names }),
    };
    let mut members = Map::new();
    members.insert("IndexName".into(), json!(index.name));
    members.insert("KeySchema".into(), key_schema(&index.partition, &index.sort));
    members.insert("Projection".into(), projection);
    if let (Billing::Provisioned { read, write }, IndexScope::Global) = (billing, index.scope) {
        members.insert("ProvisionedThroughput".into(), throughput(read, write));
    }
    Value::Object(members)
}

fn throughput(read: u64, write: u64) -> Value {
    json!({ "ReadCapacityUnits": read, "WriteCapacityUnits": write })
}

fn key_schema<'k>(
    partition: impl IntoIterator<Item = &'k KeyAttribute>,
    sort: impl IntoIterator<Item = &'k KeyAttribute>,
) -> Value {
    let element =
        |role: &'static str| move |key: &KeyAttribute| json!({ "AttributeName": key.name, "KeyType": role });
    partition.into_iter().map(element("HASH")).chain(sort.into_iter().map(element("RANGE"))).collect()
}
