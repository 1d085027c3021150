//! Ion text to attribute values.

use std::collections::{BTreeMap, BTreeSet};

use keyplan_value::{AttributeValue, Number, base64};

use super::IonError;
use crate::limits::ION_LEVELS_MAX;

/// Reads the one value that a text holds; version markers before it say nothing.
///
/// # Errors
/// When it is not Ion text, or no attribute can be what it holds.
pub fn read(text: &[u8]) -> Result<AttributeValue, IonError> {
    let text = std::str::from_utf8(text).map_err(|_| IonError::NotText)?;
    let mut reader = Reader { text, at: 0 };
    reader.space()?;
    while reader.skip("$ion_1_0") {
        reader.space()?;
    }
    let value = reader.value(0)?;
    reader.space()?;
    if reader.at < text.len() { Err(reader.wrong()) } else { Ok(value) }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

/// What a list that is annotated holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Annotated {
    Ss,
    Ns,
    Bs,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn wrong(&self) -> IonError {
        IonError::Syntax { at: self.at }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes over a token, if it comes next.
    fn skip(&mut self, token: &str) -> bool {
        let is_next = self.rest().starts_with(token);
        self.at += if is_next { token.len() } else { 0 };
        is_next
    }

    /// Passes over white space and comments.
    fn space(&mut self) -> Result<(), IonError> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{b}', '\u{c}']);
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                self.at += comment.find("*/").ok_or_else(|| self.wrong())? + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, level: usize) -> Result<AttributeValue, IonError> {
        if level >= ION_LEVELS_MAX {
            return Err(IonError::TooDeep);
        }
        let mut annotated = None;
        while let Some(name) = self.annotation()? {
            annotated = match &*name {
                "$dynamodb_SS" => Some(Annotated::Ss),
                "$dynamodb_NS" => Some(Annotated::Ns),
                "$dynamodb_BS" => Some(Annotated::Bs),
                _ => return Err(IonError::Type { found: "annotation of another name" }),
            };
            self.space()?;
        }
        if let Some(set) = annotated {
            if !self.skip("[") {
                return Err(IonError::Set);
            }
            return self.set(set, level);
        }
        match self.peek().ok_or_else(|| self.wrong())? {
            b'"' => {
                self.at += 1;
                self.quoted(b'"').map(AttributeValue::S)
            }
            b'\'' if self.skip("'''") => self.long_text().map(AttributeValue::S),
            b'[' => {
                self.at += 1;
                let mut elements = Vec::new();
                self.elements(level, &mut |element| elements.push(element))?;
                Ok(AttributeValue::L(elements))
            }
            b'{' if self.skip("{{") => self.blob().map(AttributeValue::B),
            b'{' => {
                self.at += 1;
                self.members(level).map(AttributeValue::M)
            }
            b'(' => Err(IonError::Type { found: "s-expression" }),
            b'0'..=b'9' | b'-' => self.number().map(AttributeValue::N),
            b'+' => Err(IonError::Type { found: "infinity" }),
            _ => self.word(),
        }
    }

    /// The name before `::`, if the next value is annotated.
    fn annotation(&mut self) -> Result<Option<String>, IonError> {
        let before = self.at;
        let name = match self.peek() {
            Some(b'\'') if !self.rest().starts_with("'''") => {
                self.at += 1;
                Some(self.quoted(b'\'')?)
            }
            _ => self.identifier().map(str::to_owned),
        };
        self.space()?;
        if name.is_some() && self.skip("::") {
            return Ok(name);
        }
        self.at = before;
        Ok(None)
    }

    fn identifier(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
        let length = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let name =
            rest.get(..length).filter(|name| name.starts_with(|first: char| !first.is_ascii_digit()))?;
        self.at += length;
        Some(name)
    }

    fn word(&mut self) -> Result<AttributeValue, IonError> {
        let before = self.wrong();
        match self.identifier().ok_or(before)? {
            "true" => Ok(AttributeValue::Bool(true)),
            "false" => Ok(AttributeValue::Bool(false)),
            "null" => {
                if self.skip(".") {
                    self.identifier().ok_or_else(|| self.wrong())?;
                }
                Ok(AttributeValue::Null)
            }
            _ => Err(IonError::Type { found: "symbol" }),
        }
    }

    /// The elements of a list, after its bracket.
    fn elements(&mut self, level: usize, take: &mut dyn FnMut(AttributeValue)) -> Result<(), IonError> {
        loop {
            self.space()?;
            if self.skip("]") {
                return Ok(());
            }
            take(self.value(level + 1)?);
            self.space()?;
            if !self.skip(",") && self.peek() != Some(b']') {
                return Err(self.wrong());
            }
        }
    }

    fn set(&mut self, set: Annotated, level: usize) -> Result<AttributeValue, IonError> {
        let (mut texts, mut numbers, mut binaries) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut fits = true;
        self.elements(level, &mut |element| {
            fits &= match (set, element) {
                (Annotated::Ss, AttributeValue::S(text)) => texts.insert(text),
                (Annotated::Ns, AttributeValue::N(number)) => numbers.insert(number),
                (Annotated::Bs, AttributeValue::B(bytes)) => binaries.insert(bytes),
                _ => false,
            };
        })?;
        match set {
            _ if !fits => Err(IonError::Set),
            Annotated::Ss => Ok(AttributeValue::Ss(texts)),
            Annotated::Ns => Ok(AttributeValue::Ns(numbers)),
            Annotated::Bs => Ok(AttributeValue::Bs(binaries)),
        }
    }

    /// The members of a struct, after its brace; of equal names the last.
    fn members(&mut self, level: usize) -> Result<BTreeMap<String, AttributeValue>, IonError> {
        let mut members = BTreeMap::new();
        loop {
            self.space()?;
            if self.skip("}") {
                return Ok(members);
            }
            let name = match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    self.quoted(b'"')?
                }
                Some(b'\'') if self.skip("'''") => self.long_text()?,
                Some(b'\'') => {
                    self.at += 1;
                    self.quoted(b'\'')?
                }
                _ => self.identifier().ok_or_else(|| self.wrong())?.to_owned(),
            };
            self.space()?;
            if !self.skip(":") {
                return Err(self.wrong());
            }
            self.space()?;
            members.insert(name, self.value(level + 1)?);
            self.space()?;
            if !self.skip(",") && self.peek() != Some(b'}') {
                return Err(self.wrong());
            }
        }
    }

    /// A text after its opening mark.
    fn quoted(&mut self, mark: u8) -> Result<String, IonError> {
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let length = rest
                .bytes()
                .position(|byte| byte == mark || byte == b'\\' || byte == b'\n')
                .ok_or_else(|| self.wrong())?;
            text.push_str(rest.get(..length).unwrap_or_default());
            self.at += length;
            match self.peek() {
                Some(b'\\') => self.escape(&mut text)?,
                Some(byte) if byte == mark => {
                    self.at += 1;
                    return Ok(text);
                }
                _ => return Err(self.wrong()),
            }
        }
    }

    /// A text in three marks, after the opening ones, with those that follow it: they are one.
    fn long_text(&mut self) -> Result<String, IonError> {
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let length = rest.find(['\'', '\\']).ok_or_else(|| self.wrong())?;
            text.push_str(rest.get(..length).unwrap_or_default());
            self.at += length;
            if self.skip("'''") {
                let end = self.at;
                self.space()?;
                if !self.skip("'''") {
                    self.at = end;
                    return Ok(text);
                }
            } else if self.skip("'") {
                text.push('\'');
            } else {
                self.escape(&mut text)?;
            }
        }
    }

    /// What a backslash and the letters behind it stand for.
    fn escape(&mut self, text: &mut String) -> Result<(), IonError> {
        let wrong = self.wrong();
        self.at += 1;
        let letter = self.rest().chars().next().ok_or_else(|| wrong.clone())?;
        self.at += letter.len_utf8();
        let plain = match letter {
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'f' => '\u{c}',
            'r' => '\r',
            'v' => '\u{b}',
            '"' | '\'' | '/' | '\\' | '?' => letter,
            // The end of a line is taken away.
            '\n' => return Ok(()),
            'x' => self.code(2, wrong)?,
            'u' => self.code(4, wrong)?,
            'U' => self.code(8, wrong)?,
            _ => return Err(wrong),
        };
        text.push(plain);
        Ok(())
    }

    /// The letter of a hexadecimal number; two of four digits may be a pair of surrogates.
    fn code(&mut self, digits: usize, wrong: IonError) -> Result<char, IonError> {
        let code = self.hexadecimal(digits).ok_or_else(|| wrong.clone())?;
        if digits == 4 && (0xd800..0xdc00).contains(&code) && self.skip("\\u") {
            let low = self.hexadecimal(4).filter(|low| (0xdc00..0xe000).contains(low));
            let low = low.ok_or_else(|| wrong.clone())?;
            return char::from_u32(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)).ok_or(wrong);
        }
        char::from_u32(code).ok_or(wrong)
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<u32> {
        let text =
            self.rest().get(..digits).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.at += digits;
        u32::from_str_radix(text, 16).ok()
    }

    /// Binary in base64, after its braces; white space in it says nothing.
    fn blob(&mut self) -> Result<Vec<u8>, IonError> {
        let (body, _) = self.rest().split_once("}}").ok_or_else(|| self.wrong())?;
        if body.trim_start().starts_with(['"', '\'']) {
            return Err(IonError::Type { found: "clob" });
        }
        let text: String = body.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
        let mut bytes = Vec::new();
        base64::decode(&text, &mut bytes).map_err(|_| self.wrong())?;
        self.at += body.len() + 2;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<Number, IonError> {
        let rest = self.rest();
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-._:".contains(&byte);
        let length = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let digits = word.strip_prefix('-').unwrap_or(word);
        if word == "-inf" {
            return Err(IonError::Type { found: "infinity" });
        }
        // A date starts with its year, and has a `T` or a hyphen behind it.
        if digits.get(4..5).is_some_and(|next| next == "-" || next == "T") {
            return Err(IonError::Type { found: "timestamp" });
        }
        let wrong = self.wrong();
        let text = if let Some(digits) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            whole(digits, 16).map(|whole| whole.to_string())
        } else if let Some(digits) = digits.strip_prefix("0b").or_else(|| digits.strip_prefix("0B")) {
            whole(digits, 2).map(|whole| whole.to_string())
        } else {
            decimal(digits)
        };
        let text = text.ok_or(wrong)?;
        let sign = if word.len() > digits.len() { "-" } else { "" };
        let number = Number::parse(&[sign, &text].concat()).map_err(IonError::Number)?;
        self.at += length;
        Ok(number)
    }
}

fn whole(digits: &str, radix: u32) -> Option<u128> {
    let plain = digits.replace('_', "");
    (!digits.starts_with('_') && !plain.starts_with(['+', '-']))
        .then(|| u128::from_str_radix(&plain, radix).ok())?
}

/// The text of a decimal as numbers are read elsewhere: `d` is `e`, and no point stands alone.
fn decimal(digits: &str) -> Option<String> {
    let (mantissa, power) = match digits.find(['d', 'D', 'e', 'E']) {
        Some(at) => (digits.get(..at)?, digits.get(at + 1..)?),
        None => (digits, "0"),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let power_digits = power.strip_prefix(['+', '-']).unwrap_or(power);
    if !whole.starts_with(|first: char| first.is_ascii_digit())
        || !is_digits(whole)
        || !is_digits(fraction)
        || power_digits.is_empty()
        || !power_digits.bytes().all(|byte| byte.is_ascii_digit())
        // What is longer is out of any range.
        || power_digits.len() > 8
    {
        return None;
    }
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    Some([whole, ".", fraction, "e", power].concat().replace('_', ""))
}
