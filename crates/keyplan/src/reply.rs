//! Reading what the engine answered.

use keyplan_engine::trace::Trace;
use keyplan_engine::{Beside, KeptItems};
use keyplan_value::Item;
use keyplan_value::json::{Kind, Limits, Node, Tape};

use crate::parameters::Body;
use crate::{CancellationReason, Database, Error, ErrorCode};

/// Bounds for reading an answer of our own: JSON makes a few bytes of one, and a batch gives back 16 MB.
const ANSWER_LIMITS: Limits = Limits { depth_levels: 128, length_bytes: 128 * 1024 * 1024 };

/// What a request came to, with what it read, wrote and cost.
///
/// The trace is there for a request that failed as well: a failed condition has its cost. It is typed, it is
/// a text for people when it is displayed, and [`Trace::to_json`] is what the studio draws.
#[derive(Debug)]
pub struct Explained<T> {
    /// The output, or the service's error.
    pub result: Result<T, Error>,
    /// What was touched, and how the units came about. A request with a value that can't be sent has none.
    pub trace: Option<Trace>,
}

/// An answer on its way to being an output.
pub(crate) struct Reply<'t, 'a> {
    root: Node<'t, 'a>,
    items: Vec<Item>,
}

/// What is read from an answer.
pub(crate) trait Output: Sized {
    fn read(reply: Reply<'_, '_>) -> Result<Self, Error>;
}

/// An answer that says nothing but that it is done.
impl Output for () {
    fn read(_: Reply<'_, '_>) -> Result<(), Error> {
        Ok(())
    }
}

impl<'t, 'a> Reply<'t, 'a> {
    pub(crate) fn root(&self) -> Node<'t, 'a> {
        self.root
    }

    /// The item at a place: a number is that of one that was kept, an object is its JSON.
    pub(crate) fn item_at(&self, node: Node<'_, '_>) -> Result<Item, Error> {
        match node.kind() {
            Kind::Integer => node
                .integer()
                .and_then(|number| self.items.get(usize::try_from(number).ok()?))
                .cloned()
                .ok_or_else(Error::unreadable),
            _ => Item::from_json(node).map_err(|_| Error::unreadable()),
        }
    }

    /// The item of a member, if it is there.
    pub(crate) fn item(&self, member: &str) -> Result<Option<Item>, Error> {
        self.root.get(member).map(|node| self.item_at(node)).transpose()
    }

    /// The items of a page: all that were kept, or else those of the list.
    pub(crate) fn page_items(&mut self) -> Result<Vec<Item>, Error> {
        let list = self.root.get("Items").filter(|list| !list.is_empty());
        match list {
            Some(list) => self.items_at(list),
            None => Ok(std::mem::take(&mut self.items)),
        }
    }

    /// The items of a list.
    pub(crate) fn items_at(&self, node: Node<'_, '_>) -> Result<Vec<Item>, Error> {
        node.elements().map(|node| self.item_at(node)).collect()
    }

    pub(crate) fn count(&self, member: &str) -> usize {
        count(self.root, member)
    }
}

pub(crate) fn count(node: Node<'_, '_>, member: &str) -> usize {
    let count = node.get(member).and_then(|node| node.integer());
    count.and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
}

pub(crate) fn text(node: Node<'_, '_>, member: &str) -> Option<String> {
    node.get(member).and_then(|node| node.string()).map(|text| text.into_owned())
}

/// Sends a typed request.
pub(crate) fn send<T: Output>(
    database: &Database,
    target: &str,
    body: Result<Body, Error>,
) -> Result<T, Error> {
    run(database, target, body, false).result
}

/// Sends a typed request, and has it traced if that is wanted.
pub(crate) fn run<T: Output>(
    database: &Database,
    target: &str,
    body: Result<Body, Error>,
    traced: bool,
) -> Explained<T> {
    let body = match body {
        Ok(body) => body,
        Err(error) => return Explained { result: Err(error), trace: None },
    };
    let kept = KeptItems::new();
    let answer =
        database.dispatch(Some(target), &body.text, traced, Some(Beside { given: &body.given, kept: &kept }));
    let items = kept.into_items();
    let result = match Tape::parse(&answer.body, &ANSWER_LIMITS) {
        Err(_) => Err(Error::unreadable()),
        Ok(tape) => {
            let reply = Reply { root: tape.root(), items };
            if answer.is_ok() { T::read(reply) } else { Err(error(&reply)) }
        }
    };
    Explained { result, trace: answer.trace }
}

fn error(reply: &Reply<'_, '_>) -> Error {
    let root = reply.root;
    let code = ErrorCode::of_type(&text(root, "__type").unwrap_or_default());
    // The service writes the member of some errors with a capital.
    let message = text(root, "message").or_else(|| text(root, "Message")).unwrap_or_default();
    let reasons = root.get("CancellationReasons").into_iter().flat_map(|reasons| reasons.elements());
    let reasons = reasons.map(|reason| CancellationReason {
        code: text(reason, "Code").unwrap_or_default(),
        message: text(reason, "Message"),
        item: reason.get("Item").and_then(|item| reply.item_at(item).ok()),
    });
    Error::new(code, message).with_item(reply.item("Item").ok().flatten()).with_reasons(reasons.collect())
}
