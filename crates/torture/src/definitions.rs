//! Tables that come and go beside the load, and an index that is added to the table in use and taken away.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use fastrand::Rng;
use serde_json::{Value, json};

use crate::load::Shared;
use crate::service::Service;
use crate::table::{self, LATE_INDEX, NAME};

/// Tables that come and go.
const TABLES: [&str; 3] = ["Side-0", "Side-1", "Side-2"];

/// What is known of a table or an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    There,
    Gone,
    /// A request that changes it wasn't answered.
    Either,
}

impl Known {
    fn allows(self, is_there: bool) -> bool {
        match self {
            Known::There => is_there,
            Known::Gone => !is_there,
            Known::Either => true,
        }
    }
}

/// What is there, as far as it was answered.
#[derive(Debug)]
pub struct Definitions {
    tables: BTreeMap<&'static str, Known>,
    /// Items that were put into a table since it was made.
    items: BTreeMap<&'static str, u64>,
    index: Known,
    /// How many requests were answered.
    pub changes: u64,
}

impl Default for Definitions {
    fn default() -> Definitions {
        Definitions {
            tables: TABLES.map(|name| (name, Known::Gone)).into_iter().collect(),
            items: BTreeMap::new(),
            index: Known::Gone,
            changes: 0,
        }
    }
}

impl Definitions {
    /// Makes and deletes tables, and adds and removes the index, until it is stopped or isn't answered.
    ///
    /// # Errors
    /// When an answer is none that fits; in words.
    pub fn change(&mut self, service: &mut dyn Service, shared: &Shared, seed: u64) -> Result<(), String> {
        let mut rng = Rng::with_seed(seed);
        while !shared.stopping.load(Ordering::Relaxed) {
            let is_answered = match rng.u32(..8) {
                0 => self.change_index(service)?,
                1..4 => self.change_table(service, TABLES[rng.usize(..TABLES.len())])?,
                _ => self.put(service, TABLES[rng.usize(..TABLES.len())])?,
            };
            if !is_answered {
                return if shared.stopping.load(Ordering::SeqCst) {
                    Ok(())
                } else {
                    Err("a change of a table is not answered, and nobody was killed".to_owned())
                };
            }
            self.changes += 1;
        }
        Ok(())
    }

    fn change_table(&mut self, service: &mut dyn Service, name: &'static str) -> Result<bool, String> {
        let is_there = self.tables.get(name) == Some(&Known::There);
        let (operation, body, then) = if is_there {
            ("DeleteTable", json!({"TableName": name}), Known::Gone)
        } else {
            let definition = json!({
                "TableName": name, "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "GlobalSecondaryIndexes": [{
                    "IndexName": "same", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "ALL"},
                }],
                "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"},
            });
            ("CreateTable", definition, Known::There)
        };
        let answered = service.call(operation, &body.to_string());
        match answered {
            Some((200, _)) => {
                self.tables.insert(name, then);
                self.items.remove(name);
                Ok(true)
            }
            Some((status, answer)) => Err(format!("{operation} {name} is answered {status} {answer}")),
            None => {
                self.tables.insert(name, Known::Either);
                if then == Known::There {
                    self.items.remove(name);
                }
                Ok(false)
            }
        }
    }

    fn put(&mut self, service: &mut dyn Service, name: &'static str) -> Result<bool, String> {
        if self.tables.get(name) != Some(&Known::There) {
            return Ok(true);
        }
        let next = self.items.get(name).copied().unwrap_or_default();
        let body = json!({"TableName": name, "Item": {"id": {"S": next.to_string()}}});
        match service.call("PutItem", &body.to_string()) {
            Some((200, _)) => {
                self.items.insert(name, next + 1);
                Ok(true)
            }
            Some((status, answer)) => Err(format!("PutItem {body} is answered {status} {answer}")),
            None => Ok(false),
        }
    }

    fn change_index(&mut self, service: &mut dyn Service) -> Result<bool, String> {
        let is_there = self.index == Known::There;
        let mut body = json!({"TableName": NAME});
        if is_there {
            body["GlobalSecondaryIndexUpdates"] = json!([{"Delete": {"IndexName": LATE_INDEX}}]);
        } else {
            body["AttributeDefinitions"] = json!([{"AttributeName": "mark", "AttributeType": "S"}]);
            body["GlobalSecondaryIndexUpdates"] = json!([{"Create": {
                "IndexName": LATE_INDEX, "KeySchema": [{"AttributeName": "mark", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["v"]},
            }}]);
        }
        match service.call("UpdateTable", &body.to_string()) {
            Some((200, _)) => {
                self.index = if is_there { Known::Gone } else { Known::There };
                Ok(true)
            }
            // It is being filled, and can't change before that is done.
            Some((400, answer)) if is_in_use(&answer) => Ok(true),
            Some((status, answer)) => Err(format!("UpdateTable {body} is answered {status} {answer}")),
            None => {
                self.index = Known::Either;
                Ok(false)
            }
        }
    }

    /// Compares what is there with what was answered, and goes on from what is there.
    ///
    /// # Errors
    /// When they differ, in words.
    pub fn check(&mut self, service: &mut dyn Service) -> Result<(), String> {
        let listed = table::call(service, "ListTables", &json!({}))?;
        let names: Vec<&str> =
            listed["TableNames"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, known) in &mut self.tables {
            let is_there = names.contains(name);
            if !known.allows(is_there) {
                return Err(format!("table {name} is {known:?} as it was answered; listed are {names:?}"));
            }
            *known = if is_there { Known::There } else { Known::Gone };
            let put = self.items.get(name).copied().unwrap_or_default();
            if is_there {
                let found =
                    table::call(service, "Scan", &json!({"TableName": name, "ConsistentRead": true}))?;
                let count = found["Count"].as_u64().unwrap_or_default();
                // The last put may not have been answered.
                if !(put..=put + 1).contains(&count) {
                    return Err(format!("table {name} has {count} items of the {put} that were put into it"));
                }
                self.items.insert(name, count);
            } else {
                self.items.remove(name);
            }
        }
        let described = table::call(service, "DescribeTable", &json!({"TableName": NAME}))?;
        let indexes = described["Table"]["GlobalSecondaryIndexes"].as_array().cloned().unwrap_or_default();
        let is_there = indexes.iter().any(|index| index["IndexName"] == LATE_INDEX);
        if !self.index.allows(is_there) {
            return Err(format!("index {LATE_INDEX} is {:?} as it was answered, and not so", self.index));
        }
        self.index = if is_there { Known::There } else { Known::Gone };
        Ok(())
    }
}

fn is_in_use(answer: &Value) -> bool {
    let kind = answer["__type"].as_str().unwrap_or_default();
    kind.ends_with("#ResourceInUseException") || kind.ends_with("#LimitExceededException")
}
