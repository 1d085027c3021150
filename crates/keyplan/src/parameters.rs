//! The parameters of a typed request, written down as the request's JSON while they are given. Items and values
//! stay in their stored form, and the JSON has their numbers.
//!
//! A typed request goes the one way in that all requests go. A parameter that is given again stands in the
//! body twice, and the later one counts.

use keyplan_value::json::{Writer, write_string};
use keyplan_value::{AttributeValue, Given, Item, Value, ValueError};

use crate::Error;

/// Room for most bodies, which are short without their items.
const BODY_BYTES: usize = 256;

/// A whole request: its JSON, and what that has numbers of.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) text: Vec<u8>,
    pub(crate) given: Vec<Given>,
}

/// A request's body, or an action's of a transaction, not yet closed.
#[derive(Debug, Clone)]
pub(crate) struct Parameters {
    body: Vec<u8>,
    /// Members that are items or keys.
    items: Vec<(&'static str, Item)>,
    /// `ExpressionAttributeNames`, without braces.
    names: Vec<u8>,
    /// `ExpressionAttributeValues`.
    values: Vec<(String, Value)>,
    /// The first value that can't be sent.
    fault: Option<ValueError>,
}

impl Parameters {
    pub(crate) fn new() -> Parameters {
        let mut body = Vec::with_capacity(BODY_BYTES);
        body.push(b'{');
        Parameters { body, items: Vec::new(), names: Vec::new(), values: Vec::new(), fault: None }
    }

    pub(crate) fn of_table(table: &str) -> Parameters {
        let mut parameters = Parameters::new();
        parameters.string("TableName", table);
        parameters
    }

    pub(crate) fn string(&mut self, member: &str, value: &str) {
        self.member(member, |out| _ = Writer::new(out).string(value));
    }

    pub(crate) fn boolean(&mut self, member: &str, value: bool) {
        self.member(member, |out| _ = Writer::new(out).boolean(value));
    }

    pub(crate) fn integer(&mut self, member: &str, value: u64) {
        self.member(member, |out| _ = Writer::new(out).integer(value));
    }

    pub(crate) fn item(&mut self, member: &'static str, item: Result<Item, ValueError>) {
        match item {
            Ok(item) => self.items.push((member, item)),
            Err(error) => self.fail(error),
        }
    }

    /// A member whose value `write` appends as JSON.
    pub(crate) fn member(&mut self, member: &str, write: impl FnOnce(&mut Vec<u8>)) {
        append(&mut self.body, member, write);
    }

    /// A placeholder such as `#s` for an attribute's name.
    pub(crate) fn name(&mut self, placeholder: &str, name: &str) {
        append(&mut self.names, placeholder, |out| _ = Writer::new(out).string(name));
    }

    /// A placeholder such as `:s` for a value.
    pub(crate) fn value(&mut self, placeholder: &str, value: &AttributeValue) {
        match Value::try_from(value) {
            Ok(value) => self.values.push((placeholder.to_owned(), value)),
            Err(error) => self.fail(error),
        }
    }

    fn fail(&mut self, error: ValueError) {
        self.fault.get_or_insert(error);
    }

    /// The whole body.
    pub(crate) fn finish(self) -> Result<Body, Error> {
        let mut given = Vec::new();
        let text = self.finish_into(&mut given)?;
        Ok(Body { text, given })
    }

    /// The whole JSON; what it has numbers of is put behind what is `given` so far.
    pub(crate) fn finish_into(self, given: &mut Vec<Given>) -> Result<Vec<u8>, Error> {
        let Parameters { mut body, items, names, values, fault } = self;
        if let Some(fault) = fault {
            return Err(fault.into());
        }
        for (member, item) in items {
            append(&mut body, member, |out| give(Given::Item(item), given, out));
        }
        if !names.is_empty() {
            append(&mut body, "ExpressionAttributeNames", |out| {
                out.push(b'{');
                out.extend_from_slice(&names);
                out.push(b'}');
            });
        }
        if !values.is_empty() {
            append(&mut body, "ExpressionAttributeValues", |out| {
                out.push(b'{');
                for (placeholder, value) in values {
                    append(out, &placeholder, |out| give(Given::Value(value), given, out));
                }
                out.push(b'}');
            });
        }
        body.push(b'}');
        Ok(body)
    }
}

/// Puts something beside the text, and its number into it.
pub(crate) fn give(what: Given, given: &mut Vec<Given>, out: &mut Vec<u8>) {
    Writer::new(out).integer(given.len() as u64);
    given.push(what);
}

/// Appends a member to the inside of an object.
fn append(out: &mut Vec<u8>, member: &str, write: impl FnOnce(&mut Vec<u8>)) {
    if !matches!(out.last(), None | Some(b'{')) {
        out.push(b',');
    }
    write_string(member, out);
    out.push(b':');
    write(out);
}
