//! CSV: fields with a delimiter between them, in quotation marks where they hold one, a mark or a line's end.

use std::borrow::Cow;
use std::fmt;

use crate::limits::CSV_FIELDS_MAX;

/// Why a record can't be taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CsvError {
    /// It is not UTF-8.
    NotText,
    /// A quotation mark has no other.
    Unclosed,
    /// Something stands between a field's closing mark and the delimiter.
    AfterQuotation,
    /// It has more fields than any may have.
    TooManyFields,
}

impl fmt::Display for CsvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CsvError::NotText => "the record is not UTF-8",
            CsvError::Unclosed => "a field in quotation marks doesn't end",
            CsvError::AfterQuotation => "text follows a field's closing quotation mark",
            CsvError::TooManyFields => "the record has too many fields",
        })
    }
}

impl std::error::Error for CsvError {}

/// The fields of a record, which has no line's end behind it.
///
/// # Errors
/// When it is not well formed.
pub fn read(record: &[u8], delimiter: u8) -> Result<Vec<Cow<'_, str>>, CsvError> {
    let mut rest = std::str::from_utf8(record).map_err(|_| CsvError::NotText)?;
    let delimiter = char::from(delimiter);
    let mut fields = Vec::new();
    loop {
        if fields.len() == CSV_FIELDS_MAX {
            return Err(CsvError::TooManyFields);
        }
        let after = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (field, after) = quotation(quoted)?;
                fields.push(field);
                if after.is_empty() {
                    None
                } else {
                    Some(after.strip_prefix(delimiter).ok_or(CsvError::AfterQuotation)?)
                }
            }
            None => match rest.split_once(delimiter) {
                Some((field, after)) => {
                    fields.push(Cow::Borrowed(field));
                    Some(after)
                }
                None => {
                    fields.push(Cow::Borrowed(rest));
                    None
                }
            },
        };
        match after {
            Some(after) => rest = after,
            None => return Ok(fields),
        }
    }
}

/// A field after its opening mark, and what follows its closing one.
fn quotation(text: &str) -> Result<(Cow<'_, str>, &str), CsvError> {
    let (first, mut rest) = text.split_once('"').ok_or(CsvError::Unclosed)?;
    let mut field = Cow::Borrowed(first);
    while let Some(more) = rest.strip_prefix('"') {
        let (part, after) = more.split_once('"').ok_or(CsvError::Unclosed)?;
        let field = field.to_mut();
        field.push('"');
        field.push_str(part);
        rest = after;
    }
    Ok((field, rest))
}

/// Tells at which line's end a record ends.
pub(crate) struct Scanner {
    delimiter: u8,
    state: State,
}

enum State {
    FieldStart,
    Plain,
    Quoted,
    /// After a mark in a field in marks: the closing one, or the first of two.
    Mark,
}

impl Scanner {
    pub(crate) fn new(delimiter: u8) -> Scanner {
        Scanner { delimiter, state: State::FieldStart }
    }

    /// Whether the record ends with this byte, the next.
    pub(crate) fn is_end(&mut self, byte: u8) -> bool {
        self.state = match (&self.state, byte) {
            (State::Quoted, b'"') => State::Mark,
            (State::Quoted, _) => State::Quoted,
            (_, b'\n') => return true,
            (State::FieldStart | State::Mark, b'"') => State::Quoted,
            (_, byte) if byte == self.delimiter => State::FieldStart,
            _ => State::Plain,
        };
        false
    }
}
