//! The members, types and constraints of every operation, as data.
//!
//! The tables are generated from `crates/engine/shapes/`: the service's published model, and an overlay
//! with what that model lacks (name bounds, sizes of key schemas, the order of checks, wording). They
//! cover all operations of both targets, built or not. `cargo xtask shapes` makes them anew and
//! `cargo xtask shapes --check` finds drift.

#[rustfmt::skip]
mod generated;

use generated::{OPERATIONS as TABLE, SHAPES};

/// An operation: its name, its input, and the order in which its constraints are checked.
#[derive(Debug)]
pub struct Operation {
    /// The name after the target's prefix.
    pub name: &'static str,
    /// Which target it belongs to.
    pub service: Service,
    /// The structure of the request.
    pub input: ShapeId,
    /// Constraint checks before any of the operation's own rules; the first step with a violation ends
    /// the request.
    pub steps: &'static [Step],
    /// Constraint checks that the operation asks for after some of its own rules.
    pub late_steps: &'static [Step],
}

/// The two targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// `DynamoDB_20120810.`
    DynamoDb,
    /// `DynamoDBStreams_20120810.`
    Streams,
}

impl Service {
    /// The target's prefix, with its point.
    pub fn prefix(self) -> &'static str {
        match self {
            Service::DynamoDb => "DynamoDB_20120810.",
            Service::Streams => "DynamoDBStreams_20120810.",
        }
    }
}

/// All operations of the service, in order of their names within each target.
pub fn operations() -> &'static [Operation] {
    &TABLE
}

/// All shapes that requests are made of.
pub fn shapes() -> &'static [Shape] {
    &SHAPES
}

/// The operation a target names.
pub fn operation(target: &str) -> Option<&'static Operation> {
    TABLE.get(operation_place(target)?)
}

/// The place in [`operations`] of the operation a target names.
pub fn operation_place(target: &str) -> Option<usize> {
    let (service, name) = [Service::DynamoDb, Service::Streams]
        .into_iter()
        .find_map(|service| Some((service, target.strip_prefix(service.prefix())?)))?;
    let of_service = TABLE.partition_point(|operation| operation.service != Service::Streams);
    let (dynamodb, streams) = TABLE.split_at_checked(of_service)?;
    let (table, before) = match service {
        Service::DynamoDb => (dynamodb, 0),
        Service::Streams => (streams, of_service),
    };
    let at = table.binary_search_by(|operation| operation.name.cmp(name)).ok()?;
    Some(before + at)
}

/// A shape's place in the table of shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShapeId(u16);

impl ShapeId {
    /// The shape.
    pub fn shape(self) -> &'static Shape {
        // The generator numbers shapes by their place in this very table.
        &SHAPES[usize::from(self.0)]
    }
}

/// A shape of the service's model.
#[derive(Debug)]
pub struct Shape {
    /// The shape's name.
    pub name: &'static str,
    /// Its type and parts.
    pub kind: Kind,
    /// What a value of the shape must satisfy as an element of a list, or as a key or value of a map. A
    /// structure's members carry theirs in [`Member::rules`].
    pub rules: &'static [Rule],
    /// Whether anything inside has constraints.
    pub ruled_parts: bool,
}

/// Types of shapes.
#[derive(Debug)]
pub enum Kind {
    /// Named members.
    Structure(Structure),
    /// A list.
    List {
        /// The shape of its elements.
        element: ShapeId,
    },
    /// A map from strings.
    Map {
        /// The shape of its keys.
        key: ShapeId,
        /// The shape of its values.
        value: ShapeId,
    },
    /// A string.
    String,
    /// A 32-bit integer.
    Integer,
    /// A 64-bit integer.
    Long,
    /// A double.
    Double,
    /// A boolean.
    Boolean,
    /// Bytes, in Base64.
    Blob,
    /// A date, in epoch seconds.
    Timestamp,
}

/// A structure's members and the orders in which they are looked at.
#[derive(Debug)]
pub struct Structure {
    /// The members, in the model's order.
    pub members: &'static [Member],
    /// Places in `members`, in the order JSON types are checked.
    pub typing: &'static [u8],
    /// Places in `members`, in the order broken constraints are listed.
    pub listing: &'static [u8],
    /// Exactly one member is set (attribute values): members are looked at as the request has them.
    pub union: bool,
}

/// A member of a structure.
#[derive(Debug)]
pub struct Member {
    /// The name on the wire.
    pub name: &'static str,
    /// The name in a constraint's path.
    pub path: &'static str,
    /// The shape.
    pub shape: ShapeId,
    /// Whether it must be there.
    pub required: bool,
    /// What it must satisfy.
    pub rules: &'static [Rule],
}

/// One constraint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// A value that starts with `arn:` is spared the rules after this one.
    ExceptArn,
    /// At least so many characters, elements or entries.
    LengthMin(u32),
    /// At most so many characters, elements or entries.
    LengthMax(u32),
    /// As [`Rule::LengthMax`], but a violation is reported at this path without what leads there.
    LengthMaxAt(u32, &'static str),
    /// A map's lists have at most so many elements together; a violation is reported as one of the rules
    /// of those lists.
    PartsMax(u32),
    /// At least this number.
    ValueMin(i64),
    /// At most this number.
    ValueMax(i64),
    /// Characters of one class only.
    Pattern(Pattern),
    /// One of some words.
    Enum {
        /// The words that are accepted.
        accepted: &'static [&'static str],
        /// The words as the message lists them; the service's lists have an order, and misprints, of
        /// their own.
        shown: &'static [&'static str],
    },
    /// None of some words.
    Except(&'static [&'static str]),
}

/// A pattern: one class of characters, so many times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pattern {
    /// The pattern as messages show it.
    pub text: &'static str,
    /// The class: ranges of characters.
    pub ranges: &'static [(char, char)],
    /// Whether the class is what is forbidden.
    pub negated: bool,
    /// At least so many characters.
    pub min: u32,
    /// At most so many characters.
    pub max: u32,
}

impl Pattern {
    /// Whether all of a text fits.
    pub fn fits(&self, text: &str) -> bool {
        let mut count = 0;
        for character in text.chars() {
            let inside = self.ranges.iter().any(|&(from, to)| (from..=to).contains(&character));
            if inside == self.negated {
                return false;
            }
            count += 1;
        }
        (self.min..=self.max).contains(&count)
    }
}

/// Checks that are reported together.
#[derive(Debug)]
pub struct Step {
    /// The step is for requests without this member only.
    pub without: Option<&'static str>,
    /// What is checked, in the order violations are listed.
    pub checks: &'static [Check],
}

/// A check of one member of the request.
#[derive(Debug)]
pub struct Check {
    /// The member's place among the request's members.
    pub member: u8,
    /// Whether it must be there.
    pub required: bool,
    /// What it must satisfy.
    pub rules: &'static [Rule],
    /// Whether only its first broken rule is listed.
    pub first_rule_only: bool,
    /// Which of its parts are checked as well.
    pub parts: Parts,
    /// How a violation is worded.
    pub wording: Wording,
}

/// Which parts of a member are checked for their own constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// None.
    None,
    /// All, at whatever depth.
    All,
    /// The keys of a map.
    Keys,
    /// The values of a map and what they hold, without its keys.
    Values,
    /// Members of this name, at whatever depth.
    Only(&'static str),
    /// All but members of this name, at whatever depth.
    Except(&'static str),
}

/// How a violation is worded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// `Value 'x' at 'tableName' failed to satisfy constraint: …`
    Value,
    /// `Value at 'TableName' failed to satisfy constraint: …`
    Member,
    /// `Failed to satisfy constraint: …`
    Unnamed,
    /// A sentence of its own in the list of violations.
    Listed(&'static str),
    /// A sentence that is the whole message.
    Alone(&'static str),
}
