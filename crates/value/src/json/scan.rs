//! The scan: one pass over the text that checks it and notes where each value stands.

use std::fmt;

use super::tape::{Entry, Kind};
use crate::limits::{JSON_DEPTH_LEVELS_MAX, REQUEST_LENGTH_BYTES_MAX};

/// How long and how deep a JSON text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most arrays and objects open at once.
    pub depth_levels: usize,
    /// Most bytes of text.
    pub length_bytes: usize,
}

impl Default for Limits {
    /// The limits of a request: [`JSON_DEPTH_LEVELS_MAX`] and [`REQUEST_LENGTH_BYTES_MAX`].
    fn default() -> Self {
        Self { depth_levels: JSON_DEPTH_LEVELS_MAX, length_bytes: REQUEST_LENGTH_BYTES_MAX }
    }
}

/// Why a text is not JSON, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong.
    pub kind: JsonErrorKind,
    /// The byte at which it was noticed, counted from 0.
    pub offset: usize,
}

/// What is wrong with a text that is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// The text is longer than [`Limits::length_bytes`].
    TooLong,
    /// More containers are open than [`Limits::depth_levels`].
    TooDeep,
    /// The text ends inside a value.
    UnexpectedEnd,
    /// A byte that cannot stand here.
    UnexpectedByte,
    /// An unescaped control character inside a string.
    ControlCharacter,
    /// A backslash followed by something that is no escape.
    InvalidEscape,
    /// Half of a surrogate pair, which no UTF-8 text can hold.
    LoneSurrogate,
    /// Something after the value.
    TrailingText,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            JsonErrorKind::InvalidUtf8 => "the text is not UTF-8",
            JsonErrorKind::TooLong => "the text is too long",
            JsonErrorKind::TooDeep => "the text is nested too deep",
            JsonErrorKind::UnexpectedEnd => "the text ends inside a value",
            JsonErrorKind::UnexpectedByte => "unexpected character",
            JsonErrorKind::ControlCharacter => "unescaped control character in a string",
            JsonErrorKind::InvalidEscape => "invalid escape in a string",
            JsonErrorKind::LoneSurrogate => "half of a surrogate pair in a string",
            JsonErrorKind::TrailingText => "text after the value",
        };
        write!(f, "{what} at byte {}", self.offset)
    }
}

impl std::error::Error for JsonError {}

/// Checks `input` and returns it as text with the entries of its tape.
pub(super) fn scan<'a>(input: &'a [u8], limits: &Limits) -> Result<(&'a str, Vec<Entry>), JsonError> {
    if input.len() > limits.length_bytes.min(Entry::TEXT_LENGTH_MAX) {
        return Err(JsonError { kind: JsonErrorKind::TooLong, offset: limits.length_bytes });
    }
    let text = std::str::from_utf8(input)
        .map_err(|error| JsonError { kind: JsonErrorKind::InvalidUtf8, offset: error.valid_up_to() })?;
    let mut scanner = Scanner {
        bytes: input,
        at: 0,
        // Typical requests have a value or a name every dozen bytes.
        entries: Vec::with_capacity(input.len() / 12 + 8),
        open: Vec::new(),
        depth_levels: limits.depth_levels,
    };
    scanner.document()?;
    Ok((text, scanner.entries))
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    entries: Vec<Entry>,
    /// The containers that are open, outermost first: index into `entries`, and the kind.
    open: Vec<(usize, Kind)>,
    depth_levels: usize,
}

impl Scanner<'_> {
    fn document(&mut self) -> Result<(), JsonError> {
        loop {
            if self.value()? {
                continue;
            }
            if self.after_value()? {
                continue;
            }
            self.skip_space();
            return match self.peek() {
                None => Ok(()),
                Some(_) => Err(self.error(JsonErrorKind::TrailingText)),
            };
        }
    }

    /// Reads the value that begins here. True if it opened a container whose first value comes next.
    fn value(&mut self) -> Result<bool, JsonError> {
        self.skip_space();
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                self.string()?;
            }
            Some(b'{') => {
                self.open(Kind::Object)?;
                if self.peek() == Some(b'}') {
                    self.close();
                } else {
                    self.member_name()?;
                    return Ok(true);
                }
            }
            Some(b'[') => {
                self.open(Kind::Array)?;
                if self.peek() == Some(b']') {
                    self.close();
                } else {
                    return Ok(true);
                }
            }
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.literal("true", Kind::True)?,
            Some(b'f') => self.literal("false", Kind::False)?,
            Some(b'n') => self.literal("null", Kind::Null)?,
            _ => return Err(self.unexpected()),
        }
        Ok(false)
    }

    /// Closes what ends after a value. True if another value follows, false if the document has ended.
    fn after_value(&mut self) -> Result<bool, JsonError> {
        while let Some(&(_, kind)) = self.open.last() {
            self.skip_space();
            match (self.peek(), kind) {
                (Some(b','), Kind::Object) => {
                    self.at += 1;
                    self.skip_space();
                    self.member_name()?;
                    return Ok(true);
                }
                (Some(b','), _) => {
                    self.at += 1;
                    return Ok(true);
                }
                (Some(b'}'), Kind::Object) | (Some(b']'), Kind::Array) => self.close(),
                _ => return Err(self.unexpected()),
            }
        }
        Ok(false)
    }

    fn open(&mut self, kind: Kind) -> Result<(), JsonError> {
        if self.open.len() >= self.depth_levels {
            return Err(self.error(JsonErrorKind::TooDeep));
        }
        self.open.push((self.entries.len(), kind));
        self.entries.push(Entry::new(kind, false, self.at, self.at));
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    fn close(&mut self) {
        self.at += 1;
        let next = self.entries.len();
        if let Some((index, _)) = self.open.pop()
            && let Some(entry) = self.entries.get_mut(index)
        {
            entry.close(next, self.at);
        }
    }

    fn member_name(&mut self) -> Result<(), JsonError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected());
        }
        self.at += 1;
        self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected());
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a string whose opening quote has been passed.
    fn string(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        let mut escaped = false;
        loop {
            self.at += plain_length(self.bytes.get(self.at..).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.push(Kind::String, escaped, start);
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    escaped = true;
                    self.at += 1;
                    self.escape()?;
                }
                Some(_) => return Err(self.error(JsonErrorKind::ControlCharacter)),
                None => return Err(self.unexpected()),
            }
        }
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
                self.at += 1;
                match self.four_hex_digits()? {
                    0xD800..=0xDBFF => {
                        let low = self.bytes.get(self.at..).unwrap_or_default().starts_with(b"\\u");
                        if !low {
                            return Err(self.error(JsonErrorKind::LoneSurrogate));
                        }
                        self.at += 2;
                        match self.four_hex_digits()? {
                            0xDC00..=0xDFFF => Ok(()),
                            _ => Err(self.error(JsonErrorKind::LoneSurrogate)),
                        }
                    }
                    0xDC00..=0xDFFF => Err(self.error(JsonErrorKind::LoneSurrogate)),
                    _ => Ok(()),
                }
            }
            Some(_) => Err(self.error(JsonErrorKind::InvalidEscape)),
            None => Err(self.unexpected()),
        }
    }

    fn four_hex_digits(&mut self) -> Result<u32, JsonError> {
        let mut unit = 0;
        for _ in 0..4 {
            match self.peek().map(|byte| (byte as char).to_digit(16)) {
                Some(Some(digit)) => unit = unit << 4 | digit,
                Some(None) => return Err(self.error(JsonErrorKind::InvalidEscape)),
                None => return Err(self.unexpected()),
            }
            self.at += 1;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        let mut kind = Kind::Integer;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            kind = Kind::Decimal;
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            kind = Kind::Decimal;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        self.push(kind, false, start);
        Ok(())
    }

    /// Passes one digit or more.
    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected()) } else { Ok(()) }
    }

    fn literal(&mut self, word: &str, kind: Kind) -> Result<(), JsonError> {
        let start = self.at;
        for &byte in word.as_bytes() {
            if self.peek() != Some(byte) {
                return Err(self.unexpected());
            }
            self.at += 1;
        }
        self.push(kind, false, start);
        Ok(())
    }

    fn push(&mut self, kind: Kind, escaped: bool, start: usize) {
        let mut entry = Entry::new(kind, escaped, start, self.at);
        entry.close(self.entries.len() + 1, self.at);
        self.entries.push(entry);
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&self, kind: JsonErrorKind) -> JsonError {
        JsonError { kind, offset: self.at }
    }

    fn unexpected(&self) -> JsonError {
        self.error(match self.peek() {
            Some(_) => JsonErrorKind::UnexpectedByte,
            None => JsonErrorKind::UnexpectedEnd,
        })
    }
}

/// How many leading bytes can stand in a string as they are: no quote, backslash or control character.
/// Looks at eight bytes at a time.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let (chunks, rest) = bytes.as_chunks::<8>();
    for (index, chunk) in chunks.iter().enumerate() {
        let special = special_bytes(u64::from_le_bytes(*chunk));
        if special != 0 {
            return index * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let special = rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\');
    bytes.len() - rest.len() + special.unwrap_or(rest.len())
}

/// Sets the high bit of bytes of `word` that end a plain run; the lowest bit set is always a true one
/// (a borrow can only mark bytes above it).
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGH: u64 = ONES * 0x80;
    let zero_bytes = |x: u64| x.wrapping_sub(ONES) & !x & HIGH;
    let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
    controls | zero_bytes(word ^ (ONES * b'"' as u64)) | zero_bytes(word ^ (ONES * b'\\' as u64))
}
