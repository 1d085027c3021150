//! Running a model: set it up on an engine, ask every pattern, and hold the answers against what the
//! file says they return and cost.

use std::fmt;
use std::sync::Arc;

use keyplan_engine::capacity::Units;
use keyplan_engine::trace::Trace;
use keyplan_engine::{Authentication, Call, Engine, EngineOptions, OpenError, Reply, Timestamp, arn};
use keyplan_store::MemoryStore;
use serde_json::Value;

use crate::model::{Design, Model};
use crate::pattern::Pattern;
use crate::request::{ParameterError, Request};

/// What one pattern did, asked with its example parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct PatternRun {
    /// The pattern's id.
    pub id: String,
    /// The request as it was sent.
    pub request: Request,
    /// The answer's status.
    pub status: u16,
    /// The answer's body.
    pub answer: Value,
    /// How many items came back.
    pub count: u64,
    /// The entities of the items, each once, in the model's order.
    pub entities: Vec<String>,
    /// The engine's account of the request.
    pub trace: Option<Trace>,
    /// Where this is not what the file says.
    pub differences: Vec<Difference>,
}

impl PatternRun {
    /// The read units that the request cost.
    pub fn read_units(&self) -> Units {
        self.trace.as_ref().map(Trace::read_units).unwrap_or_default()
    }

    /// The write units that the request cost.
    pub fn write_units(&self) -> Units {
        self.trace.as_ref().map(Trace::write_units).unwrap_or_default()
    }

    /// The units, reads or writes, that the request cost on an index.
    pub fn index_units(&self, index: &str) -> Units {
        let accesses = self.trace.iter().flat_map(|trace| &trace.accesses);
        let of_index = accesses.filter(|access| access.index.as_deref() == Some(index));
        of_index.map(|access| access.read_units() + access.write_units()).sum()
    }
}

/// Of what a pattern states its units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cost {
    /// All that it reads.
    Read,
    /// All that it writes.
    Write,
    /// One index.
    Index(String),
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cost::Read => f.write_str("read units"),
            Cost::Write => f.write_str("write units"),
            Cost::Index(name) => write!(f, "units on index {name}"),
        }
    }
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
    Units {
        /// What of its cost.
        of: Cost,
        /// As the file says.
        expected: Units,
        /// As it was.
        found: Units,
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
            Difference::Units { of, expected, found } => write!(f, "cost {found} {of}, not {expected}"),
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
    /// Asks every pattern once with its example parameters, each of the design as it was set up, and
    /// compares; the counter-design's pattern comes last.
    ///
    /// # Errors
    /// When the model can't be set up. A pattern that is refused is a [`Difference`].
    pub fn run(&self, now: Timestamp) -> Result<Vec<PatternRun>, RunError> {
        let mut runs = self.design.run(&self.patterns, now)?;
        if let Some(counter) = &self.counter_design {
            runs.extend(counter.design.run(std::slice::from_ref(&counter.pattern), now)?);
        }
        Ok(runs)
    }
}

impl Design {
    /// An engine of the design's own, in memory, with the design set up on it and nothing else.
    ///
    /// # Errors
    /// When the design can't be set up.
    pub fn stage(&self, now: Timestamp) -> Result<Engine, RunError> {
        let options = EngineOptions { undo_depth: 0, ..EngineOptions::default() };
        let engine = Engine::open(Arc::new(MemoryStore::new()), options).map_err(RunError::Open)?;
        self.set_up(&engine, now)?;
        Ok(engine)
    }

    /// Sets the design up on an engine that has none of its tables.
    ///
    /// # Errors
    /// When a request is refused.
    pub fn set_up(&self, engine: &Engine, now: Timestamp) -> Result<(), RunError> {
        for (draw, request) in (1..).zip(self.setup()) {
            let Reply { status, body, .. } = send(engine, &request, now, draw);
            if status != 200 {
                let body = String::from_utf8_lossy(&body).into_owned();
                return Err(RunError::Setup { request, status, body });
            }
        }
        Ok(())
    }

    /// Asks patterns of the design as it was set up: one that writes gets an engine of its own.
    ///
    /// # Errors
    /// When the design can't be set up.
    pub fn run(&self, patterns: &[Pattern], now: Timestamp) -> Result<Vec<PatternRun>, RunError> {
        let engine = self.stage(now)?;
        let run = |pattern: &Pattern| match pattern.operation.writes() {
            true => self.ask(pattern, &self.stage(now)?, now),
            false => self.ask(pattern, &engine, now),
        };
        patterns.iter().map(run).collect()
    }

    /// Asks one pattern with its example parameters.
    ///
    /// # Errors
    /// When the examples don't fill the pattern.
    pub fn ask(&self, pattern: &Pattern, engine: &Engine, now: Timestamp) -> Result<PatternRun, RunError> {
        let request = pattern.request(&pattern.examples()).map_err(RunError::Parameters)?;
        let Reply { status, body, trace, .. } = send(engine, &request, now, 0);
        let answer: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let mut differences = Vec::new();
        if status != 200 {
            let body = String::from_utf8_lossy(&body).into_owned();
            differences.push(Difference::Refused { status, body });
        }
        let (count, found) = self.returned(pattern, &answer, &mut differences);
        let names = self.entities.iter().map(|entity| &entity.name);
        let entities = names.filter(|name| found.contains(&name.as_str())).cloned().collect();
        let id = pattern.id.clone();
        let mut run = PatternRun { id, request, status, count, entities, trace, differences, answer };
        if status == 200 {
            compare(pattern, &mut run);
        }
        Ok(run)
    }

    /// How many items an answer holds, and of which entities they are.
    fn returned<'d>(
        &'d self,
        pattern: &'d Pattern,
        answer: &Value,
        differences: &mut Vec<Difference>,
    ) -> (u64, Vec<&'d str>) {
        let items = items(&pattern.table, answer);
        // An answer that only counts has no items.
        let counted = answer.get("Items").is_none().then(|| answer.get("Count")?.as_u64()).flatten();
        let whole = pattern.body.get("ProjectionExpression").is_none();
        let mut found = Vec::new();
        for (table, item) in &items {
            let entity = match &pattern.entity {
                Some(entity) => Some(entity.as_str()),
                None => self.entity_of(table, item),
            };
            match entity {
                Some(entity) if found.contains(&entity) => {}
                Some(entity) => found.push(entity),
                None if whole => differences.push(Difference::UnknownEntity { item: item.to_string() }),
                None => {}
            }
        }
        (counted.unwrap_or(items.len() as u64), found)
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

fn send(engine: &Engine, request: &Request, now: Timestamp, random: u128) -> Reply {
    let body = request.body.to_string();
    engine.dispatch(&Call {
        target: Some(&request.target()),
        authentication: Authentication::NotRequired { region: arn::DEFAULT_REGION },
        body: body.as_bytes(),
        now,
        random,
        trace: true,
    })
}

/// The items of an answer, each with its table; a write's attributes are an item.
fn items<'a>(table: &'a str, answer: &'a Value) -> Vec<(&'a str, &'a Value)> {
    if let Some(Value::Object(tables)) = answer.get("Responses") {
        let lists = tables.iter().filter_map(|(table, items)| Some((table.as_str(), items.as_array()?)));
        return lists.flat_map(|(table, items)| items.iter().map(move |item| (table, item))).collect();
    }
    match (answer.get("Items"), answer.get("Item").or(answer.get("Attributes"))) {
        (Some(Value::Array(items)), _) => items.iter().map(|item| (table, item)).collect(),
        (_, Some(item)) => vec![(table, item)],
        _ => Vec::new(),
    }
}

fn compare(pattern: &Pattern, run: &mut PatternRun) {
    if let Some(returns) = &pattern.returns {
        if returns.count != run.count {
            run.differences.push(Difference::Count { expected: returns.count, found: run.count });
        }
        let same = returns.entities.len() == run.entities.len()
            && returns.entities.iter().all(|entity| run.entities.contains(entity));
        if !same {
            let expected = returns.entities.clone();
            run.differences.push(Difference::Entities { expected, found: run.entities.clone() });
        }
    }
    let costs = &pattern.costs;
    let totals = [(Cost::Read, costs.read, run.read_units()), (Cost::Write, costs.write, run.write_units())];
    let indexes = costs
        .indexes
        .iter()
        .map(|(name, expected)| (Cost::Index(name.clone()), Some(*expected), run.index_units(name)));
    let stated: Vec<_> = totals.into_iter().chain(indexes).collect();
    for (of, expected, found) in stated {
        if let Some(expected) = expected.filter(|expected| *expected != found) {
            run.differences.push(Difference::Units { of, expected, found });
        }
    }
}
