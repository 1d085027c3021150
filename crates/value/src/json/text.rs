//! A string as the JSON text writes it.

use std::borrow::Cow;
use std::fmt;

/// A JSON string as written, read without copying unless it has escapes.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    raw: &'a str,
    escaped: bool,
}

impl<'a> Text<'a> {
    pub(super) fn new(raw: &'a str, escaped: bool) -> Self {
        Self { raw, escaped }
    }

    /// True if the string says `other`, however it is escaped.
    pub fn is(&self, other: &str) -> bool {
        if self.escaped { Unescape(self.raw.chars()).eq(other.chars()) } else { self.raw == other }
    }

    /// What the string says, borrowed if it has no escapes.
    pub fn to_str(&self) -> Cow<'a, str> {
        if self.escaped { Cow::Owned(Unescape(self.raw.chars()).collect()) } else { Cow::Borrowed(self.raw) }
    }
}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        self.is(other)
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.is(other)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_str())
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.to_str(), f)
    }
}

/// The characters that an escaped string stands for. The scan has checked the escapes already.
struct Unescape<'a>(std::str::Chars<'a>);

impl Unescape<'_> {
    fn unit(&mut self) -> Option<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            unit = unit << 4 | self.0.next()?.to_digit(16)?;
        }
        Some(unit)
    }
}

impl Iterator for Unescape<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let char = self.0.next()?;
        if char != '\\' {
            return Some(char);
        }
        match self.0.next()? {
            'b' => Some('\u{8}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'u' => {
                let unit = self.unit()?;
                if !(0xD800..0xDC00).contains(&unit) {
                    return char::from_u32(unit);
                }
                (self.0.next()? == '\\' && self.0.next()? == 'u').then_some(())?;
                let low = self.unit()?.checked_sub(0xDC00)?;
                char::from_u32(0x10000 + ((unit - 0xD800) << 10) + low)
            }
            quoted => Some(quoted),
        }
    }
}
