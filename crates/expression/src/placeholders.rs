//! The placeholders of one request: `#name` and `:value`, shared by all of its expressions.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use keyplan_value::{Value, order};

use crate::error::{ExpressionError, PlaceholderMap};
use crate::limits::PLACEHOLDER_BYTES_MAX;

/// The definitions of `#name` and `:value` in one request, and which of them an expression has used.
///
/// Binding an expression marks what it uses; when all are bound, [`Placeholders::check_unused`]
/// refuses what no expression used.
#[derive(Debug, Default)]
pub struct Placeholders {
    names: Entries<Arc<str>>,
    values: Entries<Arc<Value>>,
}

/// Entries in the order in which they were sent, and their order by key.
#[derive(Debug)]
struct Entries<T> {
    sent: Vec<Entry<T>>,
    by_key: Vec<usize>,
}

#[derive(Debug)]
struct Entry<T> {
    key: Box<str>,
    definition: T,
    used: Cell<bool>,
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Entries { sent: Vec::new(), by_key: Vec::new() }
    }
}

impl<T> Entries<T> {
    fn new(entries: impl IntoIterator<Item = (String, T)>) -> Self {
        let entry =
            |(key, definition): (String, T)| Entry { key: key.into(), definition, used: Cell::new(false) };
        let sent: Vec<_> = entries.into_iter().map(entry).collect();
        let mut by_key: Vec<usize> = (0..sent.len()).collect();
        let key = |position: &usize| sent.get(*position).map(|entry: &Entry<T>| &entry.key);
        order::sort_by(&mut by_key, |one, other| key(one).cmp(&key(other)));
        Entries { sent, by_key }
    }

    /// The definition of a key, which is marked as used. Of equal keys the last sent counts.
    fn find(&self, key: &str) -> Option<&T> {
        let past = self.by_key.partition_point(|position| self.key(*position) <= Some(key));
        let position = *self.by_key.get(past.checked_sub(1)?)?;
        let entry = self.sent.get(position).filter(|entry| &*entry.key == key)?;
        entry.used.set(true);
        Some(&entry.definition)
    }

    fn key(&self, position: usize) -> Option<&str> {
        self.sent.get(position).map(|entry| &*entry.key)
    }

    fn unused(&self) -> Vec<String> {
        self.sent.iter().filter(|entry| !entry.used.get()).map(|entry| String::from(&*entry.key)).collect()
    }
}

impl Placeholders {
    /// Placeholders from the entries of ExpressionAttributeNames and ExpressionAttributeValues, in
    /// the order in which they were sent, each key once and with its sign.
    pub fn new(
        names: impl IntoIterator<Item = (String, String)>,
        values: impl IntoIterator<Item = (String, Value)>,
    ) -> Placeholders {
        Placeholders {
            names: Entries::new(names.into_iter().map(|(key, name)| (key, Arc::from(name)))),
            values: Entries::new(values.into_iter().map(|(key, value)| (key, Arc::new(value)))),
        }
    }

    /// Refuses a key that is too long or no placeholder; the length is looked at first.
    pub fn check_key(map: PlaceholderMap, key: &str) -> Result<(), PlaceholderKeyError> {
        let refused = |problem| Err(PlaceholderKeyError { map, problem });
        if key.is_empty() {
            return refused(PlaceholderKeyProblem::Empty);
        }
        if key.len() > PLACEHOLDER_BYTES_MAX {
            return refused(PlaceholderKeyProblem::TooLong { bytes: key.len() });
        }
        let is_word = |word: &str| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        match key.strip_prefix(map.sign()) {
            Some(word) if is_word(word) => Ok(()),
            _ => refused(PlaceholderKeyProblem::Syntax { key: key.into() }),
        }
    }

    pub(crate) fn name(&self, placeholder: &str) -> Result<Arc<str>, ExpressionError> {
        let undefined = || ExpressionError::UndefinedName { placeholder: placeholder.into() };
        self.names.find(placeholder).cloned().ok_or_else(undefined)
    }

    pub(crate) fn value(&self, placeholder: &str) -> Result<&Arc<Value>, ExpressionError> {
        let undefined = || ExpressionError::UndefinedValue { placeholder: placeholder.into() };
        self.values.find(placeholder).ok_or_else(undefined)
    }

    /// Refuses the names, and then the values, that no bound expression has used.
    pub fn check_unused(&self) -> Result<(), ExpressionError> {
        let unused =
            [(PlaceholderMap::Names, self.names.unused()), (PlaceholderMap::Values, self.values.unused())];
        match unused.into_iter().find(|(_, placeholders)| !placeholders.is_empty()) {
            Some((map, placeholders)) => Err(ExpressionError::Unused { map, placeholders }),
            None => Ok(()),
        }
    }
}

/// A key of ExpressionAttributeNames or ExpressionAttributeValues that is no placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceholderKeyError {
    /// The map.
    pub map: PlaceholderMap,
    /// What is wrong with the key.
    pub problem: PlaceholderKeyProblem,
}

/// What is wrong with a placeholder's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceholderKeyProblem {
    /// It is the empty string.
    Empty,
    /// It is longer than the limit.
    TooLong {
        /// Its bytes.
        bytes: usize,
    },
    /// It is not the map's sign with letters, digits and underscores after it.
    Syntax {
        /// The key.
        key: String,
    },
}

impl std::error::Error for PlaceholderKeyError {}

impl fmt::Display for PlaceholderKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} contains invalid key: ", self.map.parameter())?;
        match &self.problem {
            PlaceholderKeyProblem::Empty => f.write_str("The expression attribute map contains an empty key"),
            PlaceholderKeyProblem::TooLong { bytes } => {
                write!(
                    f,
                    "The expression attribute map contains a key that is too long; size of key: {bytes}"
                )
            }
            PlaceholderKeyProblem::Syntax { key } => write!(f, "Syntax error; key: \"{key}\""),
        }
    }
}
