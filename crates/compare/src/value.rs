//! Attribute values as the model has them: plain data, compared by Rust's own order.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

/// An item, or a key.
pub type Item = BTreeMap<String, Value>;

/// A number in ten-thousandths. All numbers of the comparison are of this size; those of 38 digits have cases
/// and property tests of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number(pub i128);

/// How many ten-thousandths a one has.
pub const ONE: i128 = 10_000;

/// A value. The order is by type first, so only values of one type are ever compared by it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// A string.
    S(String),
    /// A number.
    N(Number),
    /// Bytes.
    B(Vec<u8>),
    /// A truth value.
    Bool(bool),
    /// The null value.
    Null,
    /// A set of strings.
    Ss(BTreeSet<String>),
    /// A set of numbers.
    Ns(BTreeSet<Number>),
    /// A set of binaries.
    Bs(BTreeSet<Vec<u8>>),
    /// A list.
    L(Vec<Value>),
    /// A map.
    M(Item),
}

impl Value {
    /// A string.
    pub fn s(text: &str) -> Value {
        Value::S(text.to_owned())
    }

    /// A whole number.
    pub fn n(number: i128) -> Value {
        Value::N(Number(number * ONE))
    }

    /// The type's name on the wire.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::S(_) => "S",
            Value::N(_) => "N",
            Value::B(_) => "B",
            Value::Bool(_) => "BOOL",
            Value::Null => "NULL",
            Value::Ss(_) => "SS",
            Value::Ns(_) => "NS",
            Value::Bs(_) => "BS",
            Value::L(_) => "L",
            Value::M(_) => "M",
        }
    }

    /// Whether it is an empty string or binary, which no key may be.
    pub fn is_empty_text(&self) -> bool {
        matches!(self, Value::S(text) if text.is_empty())
            || matches!(self, Value::B(bytes) if bytes.is_empty())
    }

    /// The bytes that the service counts.
    pub fn size(&self) -> u64 {
        match self {
            Value::S(text) => text.len() as u64,
            Value::N(number) => number.size(),
            Value::B(bytes) => bytes.len() as u64,
            Value::Bool(_) | Value::Null => 1,
            Value::Ss(members) => members.iter().map(|member| member.len() as u64).sum(),
            Value::Ns(members) => members.iter().map(|member| member.size()).sum(),
            Value::Bs(members) => members.iter().map(|member| member.len() as u64).sum(),
            Value::L(elements) => 3 + elements.iter().map(|element| 1 + element.size()).sum::<u64>(),
            Value::M(members) => 3 + members.len() as u64 + size(members),
        }
    }

    /// The value as the service writes it.
    pub fn to_json(&self) -> Json {
        self.spelled(Spelling::Normal)
    }

    /// The value as a request may write it: a number has many forms.
    pub fn spelled(&self, spelling: Spelling) -> Json {
        match self {
            Value::S(text) => json!({ "S": text }),
            Value::N(number) => json!({ "N": number.spelled(spelling) }),
            Value::B(bytes) => json!({ "B": base64(bytes) }),
            Value::Bool(truth) => json!({ "BOOL": truth }),
            Value::Null => json!({ "NULL": true }),
            Value::Ss(members) => json!({ "SS": members }),
            Value::Ns(members) => {
                json!({ "NS": members.iter().map(|member| member.spelled(spelling)).collect::<Vec<_>>() })
            }
            Value::Bs(members) => {
                json!({ "BS": members.iter().map(|member| base64(member)).collect::<Vec<_>>() })
            }
            Value::L(elements) => {
                json!({ "L": elements.iter().map(|element| element.spelled(spelling)).collect::<Vec<_>>() })
            }
            Value::M(members) => json!({ "M": spelled(members, spelling) }),
        }
    }
}

/// The bytes of an item: of its names and its values.
pub fn size(item: &Item) -> u64 {
    item.iter().map(|(name, value)| name.len() as u64 + value.size()).sum()
}

/// An item as the service writes it.
pub fn to_json(item: &Item) -> Json {
    spelled(item, Spelling::Normal)
}

/// An item as a request may write it.
pub fn spelled(item: &Item, spelling: Spelling) -> Json {
    Json::Object(item.iter().map(|(name, value)| (name.clone(), value.spelled(spelling))).collect())
}

/// One of the forms that a number can be sent in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// As the service writes it.
    Normal,
    /// With zeros that say nothing.
    Zeros,
    /// With an exponent.
    Exponent,
}

impl Number {
    /// Plain decimal, without superfluous zeros.
    pub fn text(self) -> String {
        let (sign, magnitude) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let (whole, fraction) = (magnitude / ONE.unsigned_abs(), magnitude % ONE.unsigned_abs());
        let fraction = format!("{fraction:04}");
        match fraction.trim_end_matches('0') {
            "" => format!("{sign}{whole}"),
            fraction => format!("{sign}{whole}.{fraction}"),
        }
    }

    fn spelled(self, spelling: Spelling) -> String {
        let text = self.text();
        match spelling {
            Spelling::Normal => text,
            Spelling::Zeros if text.contains('.') => format!("{text}00"),
            Spelling::Zeros => format!("{text}.0"),
            Spelling::Exponent => format!("{}E-4", self.0),
        }
    }

    /// One byte, one for two digits on either side of the point, zeros at the ends not counted, and one for
    /// a minus sign.
    fn size(self) -> u64 {
        let text = self.text();
        let digits = text.trim_start_matches('-');
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let whole = if fraction.is_empty() { whole.trim_end_matches('0') } else { whole };
        let whole = whole.trim_start_matches('0');
        let fraction = if whole.is_empty() { fraction.trim_start_matches('0') } else { fraction };
        let pairs = whole.len().div_ceil(2) + fraction.len().div_ceil(2);
        1 + pairs as u64 + u64::from(self.0 < 0)
    }
}

/// A value of a key, read back from an answer.
pub fn from_json(value: &Json) -> Option<Value> {
    let (kind, text) = value.as_object()?.iter().next()?;
    let text = text.as_str()?;
    match kind.as_str() {
        "S" => Some(Value::s(text)),
        "N" => {
            let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
            let digits: i128 = format!("{whole}{fraction:0<4}").parse().ok()?;
            Some(Value::N(Number(digits)))
        }
        "B" => Some(Value::B(bytes(text))),
        _ => None,
    }
}

fn bytes(base64: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for chunk in base64.as_bytes().chunks(4) {
        let place = |letter: &u8| LETTERS.iter().position(|known| known == letter).unwrap_or(0);
        let bits = chunk.iter().fold(0_u32, |bits, letter| bits << 6 | place(letter) as u32);
        let count = chunk.iter().filter(|letter| **letter != b'=').count();
        bytes.extend(bits.to_be_bytes().iter().skip(1).take(count.saturating_sub(1)));
    }
    bytes
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 as the wire has it, with padding.
pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_normal_form_and_many_spellings() {
        let number = Number(15_000);
        assert_eq!(number.text(), "1.5");
        assert_eq!(number.spelled(Spelling::Zeros), "1.500");
        assert_eq!(number.spelled(Spelling::Exponent), "15000E-4");
        assert_eq!(Number(-1).text(), "-0.0001");
        assert_eq!(Number(0).text(), "0");
    }

    #[test]
    fn sizes_are_those_of_the_service() {
        // The measured figures: 42, -42, 1000, 123, 1.5 and 0.
        for (ten_thousandths, size) in
            [(420_000, 2), (-420_000, 3), (10_000_000, 2), (1_230_000, 3), (15_000, 3), (0, 1), (1, 2)]
        {
            assert_eq!(Number(ten_thousandths).size(), size, "{}", Number(ten_thousandths).text());
        }
        assert_eq!(Value::L(vec![Value::s("ab"), Value::Null]).size(), 3 + 3 + 2);
        assert_eq!(Value::M([("k".to_owned(), Value::n(1))].into()).size(), 3 + 1 + 1 + 2);
    }

    #[test]
    fn base64_has_its_padding() {
        let texts: Vec<String> = [b"".as_slice(), b"a", b"ab", b"abc", b"abcd"].map(base64).into();
        assert_eq!(texts, ["", "YQ==", "YWI=", "YWJj", "YWJjZA=="]);
        assert_eq!(texts.iter().map(|text| bytes(text)).collect::<Vec<_>>().concat(), b"aababcabcd");
    }

    #[test]
    fn a_key_is_read_back() {
        for key in [Value::s("a"), Value::B(vec![0, 255, 7]), Value::N(Number(-15)), Value::n(10)] {
            assert_eq!(from_json(&key.to_json()), Some(key));
        }
    }
}
