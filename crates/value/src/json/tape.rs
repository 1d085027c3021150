//! The tape of a scanned text, and the nodes by which it is read.

use std::borrow::Cow;
use std::fmt;

use super::scan::{JsonError, Limits, scan};
use super::text::Text;
use crate::given::Given;

/// What a JSON value is. Numbers are told apart by their text, as the service does it: a point or an
/// exponent makes a [`Kind::Decimal`], so `1.0` and `1e2` are decimals and `-0` is an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// A number without point and exponent.
    Integer,
    /// A number with a point or an exponent.
    Decimal,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    const ALL: [Kind; 8] = [
        Kind::Null,
        Kind::True,
        Kind::False,
        Kind::Integer,
        Kind::Decimal,
        Kind::String,
        Kind::Array,
        Kind::Object,
    ];
}

/// Where one value or member name stands in the text. Twelve bytes, because a hostile text of 16 MB can
/// hold eight million values.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// Kind (three bits), whether a string has escapes (one bit), and the index of the entry after this
    /// value and all it contains (28 bits).
    head: u32,
    /// First byte; of a string, the one after the quote.
    start: u32,
    /// The byte after the last; of a string, its closing quote.
    end: u32,
}

impl Entry {
    const KIND_SHIFT: u32 = 29;
    const ESCAPED: u32 = 1 << 28;
    const NEXT: u32 = Self::ESCAPED - 1;
    /// The longest text whose entries can be counted in the bits there are for an index.
    pub(super) const TEXT_LENGTH_MAX: usize = Self::NEXT as usize - 1;

    pub(super) fn new(kind: Kind, escaped: bool, start: usize, end: usize) -> Self {
        let escaped = if escaped { Self::ESCAPED } else { 0 };
        Self { head: (kind as u32) << Self::KIND_SHIFT | escaped, start: start as u32, end: end as u32 }
    }

    pub(super) fn close(&mut self, next: usize, end: usize) {
        self.head = self.head & !Self::NEXT | next as u32 & Self::NEXT;
        self.end = end as u32;
    }

    fn kind(&self) -> Kind {
        Kind::ALL.get((self.head >> Self::KIND_SHIFT) as usize).copied().unwrap_or(Kind::Null)
    }

    fn escaped(&self) -> bool {
        self.head & Self::ESCAPED != 0
    }

    fn next(&self) -> u32 {
        self.head & Self::NEXT
    }
}

/// A JSON text that has been scanned: the text and the places of its values.
pub struct Tape<'a> {
    text: &'a str,
    entries: Vec<Entry>,
    given: &'a [Given],
}

impl<'a> Tape<'a> {
    /// Scans `input`, which must hold exactly one JSON value.
    ///
    /// # Errors
    /// Where the text breaks RFC 8259, holds half a surrogate pair, or exceeds `limits`.
    pub fn parse(input: &'a [u8], limits: &Limits) -> Result<Tape<'a>, JsonError> {
        Tape::parse_with(input, limits, &[])
    }

    /// Scans `input`, in which numbers may stand for items and values that are given beside it.
    ///
    /// # Errors
    /// As those of [`parse`](Self::parse).
    pub fn parse_with(input: &'a [u8], limits: &Limits, given: &'a [Given]) -> Result<Tape<'a>, JsonError> {
        let (text, entries) = scan(input, limits)?;
        Ok(Tape { text, entries, given })
    }

    /// The value that the text holds.
    pub fn root(&self) -> Node<'_, 'a> {
        Node { tape: self, index: 0 }
    }

    fn entry(&self, index: u32) -> Entry {
        // A node's index always comes from this tape; an absent one would read as null.
        self.entries.get(index as usize).copied().unwrap_or(Entry::new(Kind::Null, false, 0, 0))
    }

    fn slice(&self, entry: Entry) -> &'a str {
        self.text.get(entry.start as usize..entry.end as usize).unwrap_or_default()
    }
}

impl fmt::Debug for Tape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tape").field(&self.text).finish()
    }
}

/// One value on a tape. Copying it copies a reference and an index.
#[derive(Clone, Copy)]
pub struct Node<'t, 'a> {
    tape: &'t Tape<'a>,
    index: u32,
}

impl<'t, 'a> Node<'t, 'a> {
    /// What the value is.
    pub fn kind(&self) -> Kind {
        self.entry().kind()
    }

    /// True for `null`, which the service treats as if the member were absent.
    pub fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    /// The member of this object with that name; the last one if the name is there more than once.
    /// None for a value that is no object.
    pub fn get(&self, member: &str) -> Option<Node<'t, 'a>> {
        let entry = self.entry();
        if entry.kind() != Kind::Object {
            return None;
        }
        // Every request is looked through some dozen times, so names are compared as bytes where they stand, and
        // most differ by their lengths or their first bytes.
        let (text, mut at, mut found) = (self.tape.text.as_bytes(), self.index + 1, None);
        let length = u32::try_from(member.len()).ok()?;
        while at < entry.next() {
            let (name, value) = (self.tape.entry(at), at + 1);
            let is_wanted = if name.escaped() {
                Text::new(self.tape.slice(name), true).is(member)
            } else {
                name.end.wrapping_sub(name.start) == length
                    && (length == 0 || text.get(name.start as usize) == member.as_bytes().first())
                    && text.get(name.start as usize..name.end as usize) == Some(member.as_bytes())
            };
            if is_wanted {
                found = Some(Node { tape: self.tape, index: value });
            }
            at = self.tape.entry(value).next().max(value + 1);
        }
        found
    }

    /// The members of this object in the order of the text. A name that is there twice comes twice, and
    /// the later one counts. Empty for a value that is no object.
    pub fn members(&self) -> Members<'t, 'a> {
        Members { nodes: self.children(Kind::Object) }
    }

    /// The elements of this array. Empty for a value that is no array.
    pub fn elements(&self) -> Elements<'t, 'a> {
        self.children(Kind::Array)
    }

    /// How many elements or members there are, counting a name that is there twice as two; 0 for a
    /// scalar. Counts them by walking over them.
    pub fn len(&self) -> usize {
        match self.kind() {
            Kind::Array => self.elements().count(),
            Kind::Object => self.members().count(),
            _ => 0,
        }
    }

    /// True if [`len`](Self::len) is 0.
    pub fn is_empty(&self) -> bool {
        self.entry().next() <= self.index + 1
    }

    /// The text of a string, borrowed if it has no escapes.
    pub fn string(&self) -> Option<Cow<'a, str>> {
        self.text().map(|text| text.to_str())
    }

    /// A string as it is written, to compare without copying.
    pub fn text(&self) -> Option<Text<'a>> {
        let entry = self.entry();
        (entry.kind() == Kind::String).then(|| Text::new(self.tape.slice(entry), entry.escaped()))
    }

    /// The value as it is written; a string without its quotes and with its escapes.
    pub fn raw(&self) -> &'a str {
        self.tape.slice(self.entry())
    }

    /// The value of a [`Kind::Integer`], held at the ends of `i128` if it lies beyond them.
    pub fn integer(&self) -> Option<i128> {
        if self.kind() != Kind::Integer {
            return None;
        }
        let raw = self.raw();
        let end = if raw.starts_with('-') { i128::MIN } else { i128::MAX };
        Some(raw.parse().unwrap_or(end))
    }

    /// What was given beside the text and has its number here. A number that is meant as one reads as something
    /// given too, if as many were given: whoever asks knows that an item or a value belongs here.
    pub fn given(&self) -> Option<&'a Given> {
        if self.tape.given.is_empty() {
            return None;
        }
        self.tape.given.get(usize::try_from(self.integer()?).ok()?)
    }

    /// The value of a boolean.
    pub fn boolean(&self) -> Option<bool> {
        match self.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    fn children(&self, kind: Kind) -> Elements<'t, 'a> {
        let entry = self.entry();
        let end = if entry.kind() == kind { entry.next() } else { self.index + 1 };
        Elements { tape: self.tape, at: self.index + 1, end }
    }

    fn entry(&self) -> Entry {
        self.tape.entry(self.index)
    }
}

impl fmt::Debug for Node<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.kind(), self.raw())
    }
}

/// The elements of an array.
#[derive(Clone)]
pub struct Elements<'t, 'a> {
    tape: &'t Tape<'a>,
    at: u32,
    end: u32,
}

impl<'t, 'a> Iterator for Elements<'t, 'a> {
    type Item = Node<'t, 'a>;

    fn next(&mut self) -> Option<Node<'t, 'a>> {
        if self.at >= self.end {
            return None;
        }
        let node = Node { tape: self.tape, index: self.at };
        self.at = self.tape.entry(self.at).next().max(self.at + 1);
        Some(node)
    }
}

/// The members of an object with their names.
#[derive(Clone)]
pub struct Members<'t, 'a> {
    nodes: Elements<'t, 'a>,
}

impl<'t, 'a> Iterator for Members<'t, 'a> {
    type Item = (Text<'a>, Node<'t, 'a>);

    fn next(&mut self) -> Option<(Text<'a>, Node<'t, 'a>)> {
        let name = self.nodes.next()?.text()?;
        Some((name, self.nodes.next()?))
    }
}
