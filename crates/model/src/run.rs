//! Running a model: set it up on an engine, ask every pattern, and hold the answers against what the
//! file says they return and cost.

use std::fmt;
use std::sync::Arc;

use keyplan_engine::capacity::Units;
use keyplan_engine::{Authentication, Call, Engine, EngineOptions, OpenError, Timestamp, arn};
use keyplan_store::MemoryStore;
use serde_json::{Value, json};

use crate::model::Model;
use crate::pattern::Pattern;
use crate::request::{ParameterError, Request};
use crate::units;

/// What one pattern did, asked with its example parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct PatternRun {
    /// The pattern's id.
    pub id: String,
    /// The request as it was sent, ReturnConsumedCapacity included.
    pub request: Request,
    /// The answer's status.
    pub status: u16,
    /// The answer's body.
    pub answer: Value,
    /// How many items came back.
    pub count: u64,
    /// The entities of the items, each once, in the model's order.
    pub entities: Vec<String>,
    /// The read units that the request cost.
    pub read_units: Option<Units>,
    /// Where this is not what the file says.
    pub differences: Vec<Difference>,
}

/// A difference between what a pattern did and what its file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The request was refused.
    Refused {
        /// The status of the answer.
        status: u16,
        /// The answer.
        body: String,
    },
    /// Another number of items came back.
    Count {
        /// As the file says.
        expected: u64,
        /// As it was.
        found: u64,
    },
    /// Items of other entities came back.
    Entities {
        /// As the file says.
        expected: Vec<String>,
        /// As it was.
        found: Vec<String>,
    },
    /// An item came back whose key fits no entity of the model.
    UnknownEntity {
        /// The item, as DynamoDB JSON.
        item: String,
    },
    /// It cost something else.
    ReadUnits {
        /// As the file says.
        expected: Units,
        /// As it was.
        found: Option<Units>,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Refused { status, body } => write!(f, "refused with {status}: {body}"),
            Difference::Count { expected, found } => {
                write!(f, "returned {found} items, not {expected}")
            }
            Difference::Entities { expected, found } => {
                write!(f, "returned [{}], not [{}]", found.join(", "), expected.join(", "))
            }
            Difference::UnknownEntity { item } => {
                write!(f, "returned an item that is of no entity: {item}")
            }
            Difference::ReadUnits { expected, found: Some(found) } => {
                write!(f, "cost {found} read units, not {expected}")
            }
            Difference::ReadUnits { expected, found: None } => {
                write!(f, "did not say its cost, which should be {expected} read units")
            }
        }
    }
}

/// Why a model could not be run at all.
#[derive(Debug)]
pub enum RunError {
    /// A request that sets the model up was refused.
    Setup {
        /// The request.
        request: Request,
        /// The status of the answer.
        status: u16,
        /// The answer.
        body: String,
    },
    /// The example parameters don't fill a pattern; a checked model has no such pattern.
    Parameters(ParameterError),
    /// The engine that the model was to stand on did not open.
    Open(OpenError),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Setup { request, status, body } => write!(
                f,
                "the model can't be set up: {} was refused with {status}: {body}\n  the request: {}",
                request.operation, request.body
            ),
            RunError::Parameters(error) => error.fmt(f),
            RunError::Open(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}

impl Model {
    /// An engine of the model's own, in memory, with the model set up on it and nothing else.
    ///
    /// # Errors
    /// When the model can't be set up.
    pub fn stage(&self, now: Timestamp) -> Result<Engine, RunError> {
        let options = EngineOptions { undo_depth: 0 };
        let engine = Engine::open(Arc::new(MemoryStore::new()), options).map_err(RunError::Open)?;
        self.set_up(&engine, now)?;
        Ok(engine)
    }

    /// Sets the model up on an engine that has none of its tables.
    ///
    /// # Errors
    /// When a request is refused.
    pub fn set_up(&self, engine: &Engine, now: Timestamp) -> Result<(), RunError> {
        for (draw, request) in (1..).zip(self.setup()) {
            let (status, body) = send(engine, &request, now, draw);
            if status != 200 {
                let body = String::from_utf8_lossy(&body).into_owned();
                return Err(RunError::Setup { request, status, body });
            }
        }
        Ok(())
    }

    /// Sets the model up, asks every pattern once with its example parameters, and compares.
    ///
    /// # Errors
    /// When the model can't be set up. A pattern that is refused is a [`Difference`].
    pub fn run(&self, engine: &Engine, now: Timestamp) -> Result<Vec<PatternRun>, RunError> {
        self.set_up(engine, now)?;
        self.patterns.iter().map(|pattern| self.ask(pattern, engine, now)).collect()
    }

    fn ask(&self, pattern: &Pattern, engine: &Engine, now: Timestamp) -> Result<PatternRun, RunError> {
        let mut request = pattern.request(&pattern.examples()).map_err(RunError::Parameters)?;
        if let Some(body) = request.body.as_object_mut() {
            body.insert("ReturnConsumedCapacity".into(), json!("TOTAL"));
        }
        let (status, body) = send(engine, &request, now, 0);
        let answer: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let mut differences = Vec::new();
        if status != 200 {
            let body = String::from_utf8_lossy(&body).into_owned();
            differences.push(Difference::Refused { status, body });
        }
        let items = items(&answer);
        let mut found = Vec::new();
        for item in &items {
            match self.entity_of(&pattern.table, item) {
                Some(entity) if found.contains(&entity) => {}
                Some(entity) => found.push(entity),
                None => differences.push(Difference::UnknownEntity { item: item.to_string() }),
            }
        }
        let entities: Vec<String> = self
            .entities
            .iter()
            .map(|entity| &entity.name)
            .filter(|name| found.contains(&name.as_str()))
            .cloned()
            .collect();
        let count = items.len() as u64;
        let read_units = read_units(&answer);
        if status == 200 {
            compare(pattern, count, &entities, read_units, &mut differences);
        }
        let id = pattern.id.clone();
        Ok(PatternRun { id, request, status, count, entities, read_units, differences, answer })
    }

    /// The entity of an item (DynamoDB JSON): the one whose key templates fit it best.
    pub fn entity_of(&self, table: &str, item: &Value) -> Option<&str> {
        let key = |attribute: &str| {
            let value = item.get(attribute)?.as_object()?.values().next()?;
            value.as_str().map(str::to_owned)
        };
        self.entities
            .iter()
            .filter(|entity| entity.table == table)
            .filter_map(|entity| Some((entity.matches(key)?, entity.name.as_str())))
            .max_by_key(|(bytes, _)| *bytes)
            .map(|(_, name)| name)
    }
}

fn send(engine: &Engine, request: &Request, now: Timestamp, random: u128) -> (u16, Vec<u8>) {
    let body = request.body.to_string();
    let reply = engine.dispatch(&Call {
        target: Some(&request.target()),
        authentication: Authentication::NotRequired { region: arn::DEFAULT_REGION },
        body: body.as_bytes(),
        now,
        random,
        trace: false,
    });
    (reply.status, reply.body)
}

fn items(answer: &Value) -> Vec<&Value> {
    match (answer.get("Items"), answer.get("Item")) {
        (Some(Value::Array(items)), _) => items.iter().collect(),
        (_, Some(item)) => vec![item],
        _ => Vec::new(),
    }
}

fn read_units(answer: &Value) -> Option<Units> {
    let units = answer.get("ConsumedCapacity")?.get("CapacityUnits")?;
    units::parse(&units.to_string())
}

fn compare(
    pattern: &Pattern,
    count: u64,
    entities: &[String],
    read_units: Option<Units>,
    differences: &mut Vec<Difference>,
) {
    if let Some(returns) = &pattern.returns {
        if returns.count != count {
            differences.push(Difference::Count { expected: returns.count, found: count });
        }
        let same = returns.entities.len() == entities.len()
            && returns.entities.iter().all(|entity| entities.contains(entity));
        if !same {
            let expected = returns.entities.clone();
            differences.push(Difference::Entities { expected, found: entities.to_vec() });
        }
    }
    if let Some(expected) = pattern.read_units
        && read_units != Some(expected)
    {
        differences.push(Difference::ReadUnits { expected, found: read_units });
    }
}
