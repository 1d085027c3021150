//! A set of data of its own, requests sent to it, and what came of them.

use std::sync::Arc;

use keyplan_engine::arn::DEFAULT_REGION;
use keyplan_engine::capacity::Units;
use keyplan_engine::trace::{Access, Trace};
use keyplan_engine::{Authentication, Call, Engine, EngineOptions, OpenError, Timestamp};
use keyplan_store::MemoryStore;
use keyplan_value::Item;
use keyplan_value::json::{Kind, Limits, Node, Tape, Writer};

use crate::exercise::Request;
use crate::limits::TABLE_PAGES_MAX;

/// What came of requests that were sent one after the other.
#[derive(Debug, Default)]
pub struct Outcome {
    /// An answer for each request.
    pub replies: Vec<Replied>,
    /// The tables afterwards, in the order of their names.
    pub tables: Vec<TableImage>,
}

/// The answer to one request.
#[derive(Debug, Default)]
pub struct Replied {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: String,
    /// The error's name without its namespace, if it was refused.
    pub error: Option<String>,
    /// The error's message.
    pub message: Option<String>,
    /// The items that came back.
    pub items: Vec<Item>,
    /// Whether there is a LastEvaluatedKey.
    pub has_bookmark: bool,
    /// What it did and cost.
    pub trace: Option<Trace>,
}

/// A table's items.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TableImage {
    /// The table's name.
    pub name: String,
    /// The names of its key attributes.
    pub key: Vec<String>,
    /// Its items, as a Scan meets them.
    pub items: Vec<Item>,
}

/// Why requests could not be run.
#[derive(Debug)]
pub enum WorldError {
    /// The engine did not open.
    Open(OpenError),
    /// A request that sets the data up was refused.
    Setup {
        /// The request's place, from 1.
        place: usize,
        /// The operation.
        operation: String,
        /// The answer.
        body: String,
    },
}

impl std::fmt::Display for WorldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WorldError::Open(error) => error.fmt(f),
            WorldError::Setup { place, operation, body } => {
                write!(f, "request {place} of the setup, a {operation}, was refused: {body}")
            }
        }
    }
}

impl std::error::Error for WorldError {}

/// An engine in memory with data on it.
pub struct World {
    engine: Engine,
    now: Timestamp,
    draws: std::cell::Cell<u128>,
}

impl World {
    /// Sets data up on an engine of its own.
    ///
    /// # Errors
    /// When a request of the setup is refused.
    pub fn new<'r>(
        setup: impl IntoIterator<Item = &'r Request>,
        now: Timestamp,
    ) -> Result<World, WorldError> {
        let options = EngineOptions { undo_depth: 0, ..EngineOptions::default() };
        let engine = Engine::open(Arc::new(MemoryStore::new()), options).map_err(WorldError::Open)?;
        let world = World { engine, now, draws: std::cell::Cell::new(1) };
        for (place, request) in (1..).zip(setup) {
            let reply = world.ask(request);
            if reply.status != 200 {
                let operation = request.operation().to_owned();
                return Err(WorldError::Setup { place, operation, body: reply.body });
            }
        }
        Ok(world)
    }

    /// The engine, to be looked at.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Sends requests one after the other and looks at the tables afterwards.
    pub fn run(&self, requests: &[Request]) -> Outcome {
        let replies = requests.iter().map(|request| self.ask(request)).collect();
        Outcome { replies, tables: self.tables() }
    }

    /// Sends one request.
    pub fn ask(&self, request: &Request) -> Replied {
        let random = self.draws.get();
        self.draws.set(random.wrapping_add(1));
        let reply = self.engine.dispatch(&Call {
            target: Some(&request.target),
            authentication: Authentication::NotRequired { region: DEFAULT_REGION },
            body: request.body.as_bytes(),
            now: self.now,
            random,
            trace: true,
        });
        let mut replied = Replied { status: reply.status, trace: reply.trace, ..Replied::default() };
        if let Ok(tape) = Tape::parse(&reply.body, &Limits::default()) {
            replied.read(tape.root());
        }
        replied.body = String::from_utf8(reply.body).unwrap_or_default();
        replied
    }

    /// All tables with all their items.
    pub fn tables(&self) -> Vec<TableImage> {
        let list = Request { target: target("ListTables"), body: "{}".to_owned() };
        let names = self.ask(&list).body;
        let Ok(tape) = Tape::parse(names.as_bytes(), &Limits::default()) else { return Vec::new() };
        let names = tape.root().get("TableNames");
        let names = names.iter().flat_map(Node::elements).filter_map(|name| name.string());
        names.map(|name| self.table(&name)).collect()
    }

    fn table(&self, name: &str) -> TableImage {
        let mut image = TableImage { name: name.to_owned(), ..TableImage::default() };
        if let Ok(inspection) = self.engine.inspect(name, None, Default::default()) {
            image.key = inspection.key.attributes().map(|attribute| attribute.name.clone()).collect();
        }
        let mut bookmark = None;
        for _ in 0..TABLE_PAGES_MAX {
            let reply = self.ask(&scan(name, bookmark.as_deref()));
            bookmark = last_key(&reply.body);
            image.items.extend(reply.items);
            if bookmark.is_none() {
                break;
            }
        }
        image
    }
}

fn target(operation: &str) -> String {
    format!("DynamoDB_20120810.{operation}")
}

fn scan(table: &str, start: Option<&str>) -> Request {
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("TableName").string(table);
    if let Some(start) = start {
        json.name("ExclusiveStartKey").value_with(|out| out.extend_from_slice(start.as_bytes()));
    }
    json.end_object();
    Request { target: target("Scan"), body: String::from_utf8(body).unwrap_or_default() }
}

fn last_key(body: &str) -> Option<String> {
    let tape = Tape::parse(body.as_bytes(), &Limits::default()).ok()?;
    Some(tape.root().get("LastEvaluatedKey")?.raw().to_owned())
}

impl Replied {
    fn read(&mut self, root: Node<'_, '_>) {
        if self.status != 200 {
            let name = root.get("__type").and_then(|name| name.string());
            self.error = name.map(|name| name.rsplit('#').next().unwrap_or_default().to_owned());
            let message = root.get("message").or_else(|| root.get("Message"));
            self.message = message.and_then(|text| text.string()).map(|text| text.into_owned());
            return;
        }
        self.has_bookmark = root.get("LastEvaluatedKey").is_some();
        for member in ["Item", "Attributes"] {
            self.items.extend(root.get(member).and_then(|item| Item::from_json(item).ok()));
        }
        self.take(root.get("Items"));
        // BatchGetItem answers by table, TransactGetItems in the order of its actions.
        let Some(responses) = root.get("Responses") else { return };
        match responses.kind() {
            Kind::Object => responses.members().for_each(|(_, items)| self.take(Some(items))),
            _ => {
                let items = responses.elements().filter_map(|response| response.get("Item"));
                self.items.extend(items.filter_map(|item| Item::from_json(item).ok()));
            }
        }
    }

    fn take(&mut self, items: Option<Node<'_, '_>>) {
        let items = items.into_iter().flat_map(|items| items.elements());
        self.items.extend(items.filter_map(|item| Item::from_json(item).ok()));
    }

    /// What it did on each table and index.
    pub fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.trace.iter().flat_map(|trace| &trace.accesses)
    }

    /// Items that were read to be answered: writes read theirs for nothing.
    pub fn examined(&self) -> u64 {
        self.accesses().filter(|access| access.change.is_none()).map(|access| access.examined.items).sum()
    }

    /// Read units.
    pub fn read_units(&self) -> Units {
        self.trace.as_ref().map(Trace::read_units).unwrap_or_default()
    }

    /// Write units.
    pub fn write_units(&self) -> Units {
        self.trace.as_ref().map(Trace::write_units).unwrap_or_default()
    }
}

impl Outcome {
    /// The items that came back, over all requests.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.replies.iter().flat_map(|reply| &reply.items)
    }

    /// Items read, over all requests.
    pub fn examined(&self) -> u64 {
        self.replies.iter().map(Replied::examined).sum()
    }

    /// Read units, over all requests.
    pub fn read_units(&self) -> Units {
        self.replies.iter().map(Replied::read_units).sum()
    }

    /// Write units, over all requests.
    pub fn write_units(&self) -> Units {
        self.replies.iter().map(Replied::write_units).sum()
    }

    /// How the last request was refused, if it was.
    pub fn error(&self) -> Option<&str> {
        self.replies.last()?.error.as_deref()
    }
}
