//! JSON appended to a byte buffer.

use super::scan::plain_length;

/// Appends JSON to a buffer and puts the commas where they belong.
///
/// It keeps no stack: whether a comma is due shows from the last byte written, because a value never
/// ends in `{`, `[`, `:` or `,`.
///
/// ```
/// use keyplan_value::json::Writer;
///
/// let mut out = Vec::new();
/// let mut json = Writer::new(&mut out);
/// json.begin_object();
/// json.name("Count").integer(2);
/// json.name("Names").begin_array();
/// json.string("a").string("b\n");
/// json.end_array().end_object();
/// assert_eq!(out, br#"{"Count":2,"Names":["a","b\n"]}"#);
/// ```
#[derive(Debug)]
pub struct Writer<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
}

impl<'o> Writer<'o> {
    /// A writer of one value at the end of `out`.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        let start = out.len();
        Self { out, start }
    }

    /// Opens an object.
    pub fn begin_object(&mut self) -> &mut Self {
        self.separate();
        self.out.push(b'{');
        self
    }

    /// Closes an object.
    pub fn end_object(&mut self) -> &mut Self {
        self.out.push(b'}');
        self
    }

    /// Opens an array.
    pub fn begin_array(&mut self) -> &mut Self {
        self.separate();
        self.out.push(b'[');
        self
    }

    /// Closes an array.
    pub fn end_array(&mut self) -> &mut Self {
        self.out.push(b']');
        self
    }

    /// The name of a member; its value must follow.
    pub fn name(&mut self, name: &str) -> &mut Self {
        self.separate();
        write_string(name, self.out);
        self.out.push(b':');
        self
    }

    /// A string.
    pub fn string(&mut self, value: &str) -> &mut Self {
        self.separate();
        write_string(value, self.out);
        self
    }

    /// An integer.
    pub fn integer(&mut self, value: impl Into<i128>) -> &mut Self {
        self.separate();
        let value = value.into();
        if value < 0 {
            self.out.push(b'-');
        }
        let magnitude = value.unsigned_abs();
        match u64::try_from(magnitude) {
            Ok(small) => write_digits(small, self.out),
            Err(_) => self.out.extend_from_slice(magnitude.to_string().as_bytes()),
        }
        self
    }

    /// A decimal number with a point (`1.0`, `0.5`), as capacity units are written. What JSON cannot say
    /// (an infinity, not a number) becomes `null`.
    pub fn float(&mut self, value: f64) -> &mut Self {
        if !value.is_finite() {
            return self.null();
        }
        self.separate();
        self.out.extend_from_slice(format!("{value:?}").as_bytes());
        self
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, value: bool) -> &mut Self {
        self.separate();
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
        self
    }

    /// `null`.
    pub fn null(&mut self) -> &mut Self {
        self.separate();
        self.out.extend_from_slice(b"null");
        self
    }

    /// A value that `write` appends as finished JSON, such as an item.
    pub fn value_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> &mut Self {
        self.separate();
        write(self.out);
        self
    }

    fn separate(&mut self) {
        if self.out.len() > self.start
            && let Some(last) = self.out.last()
            && !matches!(last, b'{' | b'[' | b':' | b',')
        {
            self.out.push(b',');
        }
    }
}

/// Appends `value` as a JSON string with its quotes.
pub fn write_string(value: &str, out: &mut Vec<u8>) {
    // Nearly every string is plain: one look, one copy.
    out.reserve(value.len() + 2);
    out.push(b'"');
    let mut rest = value.as_bytes();
    loop {
        let (plain, special) = rest.split_at(plain_length(rest));
        out.extend_from_slice(plain);
        let Some((&byte, after)) = special.split_first() else { break };
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            control => {
                let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[digit(control >> 4), digit(control & 15)]);
            }
        }
        rest = after;
    }
    out.push(b'"');
}

/// Appends the decimal digits of `value`.
fn write_digits(mut value: u64, out: &mut Vec<u8>) {
    let start = out.len();
    loop {
        out.push(b'0' + (value % 10) as u8);
        value /= 10;
        if value == 0 {
            break;
        }
    }
    if let Some(digits) = out.get_mut(start..) {
        digits.reverse();
    }
}
