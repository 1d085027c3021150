//! The parameters of a typed request, written down as the request's JSON while they are given.
//!
//! A typed request goes the one way in that all requests go. A parameter that is given again stands in the
//! body twice, and the later one counts.

use keyplan_value::json::Writer;
use keyplan_value::{AttributeValue, Item, Value, ValueError};

use crate::Error;

/// A request's body, or an action's of a transaction, not yet closed.
#[derive(Debug, Clone)]
pub(crate) struct Parameters {
    body: Vec<u8>,
    /// `ExpressionAttributeNames`, without braces.
    names: Vec<u8>,
    /// `ExpressionAttributeValues`, without braces.
    values: Vec<u8>,
    /// The first value that can't be sent.
    fault: Option<ValueError>,
}

impl Parameters {
    pub(crate) fn new() -> Parameters {
        Parameters { body: vec![b'{'], names: Vec::new(), values: Vec::new(), fault: None }
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

    pub(crate) fn item(&mut self, member: &str, item: Result<Item, ValueError>) {
        match item {
            Ok(item) => self.member(member, |out| item.as_ref().write_json(out)),
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
            Ok(value) => append(&mut self.values, placeholder, |out| value.as_ref().write_json(out)),
            Err(error) => self.fail(error),
        }
    }

    fn fail(&mut self, error: ValueError) {
        self.fault.get_or_insert(error);
    }

    /// The whole body.
    pub(crate) fn finish(self) -> Result<Vec<u8>, Error> {
        let Parameters { mut body, names, values, fault } = self;
        if let Some(fault) = fault {
            return Err(fault.into());
        }
        for (member, placeholders) in
            [("ExpressionAttributeNames", names), ("ExpressionAttributeValues", values)]
        {
            if !placeholders.is_empty() {
                append(&mut body, member, |out| {
                    out.push(b'{');
                    out.extend_from_slice(&placeholders);
                    out.push(b'}');
                });
            }
        }
        body.push(b'}');
        Ok(body)
    }
}

/// Appends a member to the inside of an object.
fn append(out: &mut Vec<u8>, member: &str, write: impl FnOnce(&mut Vec<u8>)) {
    if !matches!(out.last(), None | Some(b'{')) {
        out.push(b',');
    }
    keyplan_value::json::write_string(member, out);
    out.push(b':');
    write(out);
}
