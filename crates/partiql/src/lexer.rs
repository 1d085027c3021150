//! From a text to tokens with their places.

use crate::keywords::keyword;
use crate::position::Position;

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A word that is no keyword, as written.
    Word(String),
    /// A name in quotation marks, without them.
    Quoted(String),
    /// A keyword, in lower case.
    Keyword(&'static str),
    /// An operator: signs, or one of the words that stand between or before operands.
    Operator(&'static str),
    /// A string.
    String(String),
    /// A number, as written.
    Number(String),
    /// A literal of Ion between backticks.
    Ion(String),
    /// `?`, and how many stand before it.
    Parameter(usize),
    /// Brackets, commas and the like.
    Sign(&'static str),
    /// Where the text ends.
    End,
}

/// A token and its place.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) token: Token,
    pub(crate) at: Position,
}

/// What can't be read as a token; the service doesn't say what or where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable;

/// Keywords that are operators.
const WORD_OPERATORS: [&str; 9] =
    ["and", "between", "except", "in", "intersect", "is", "like", "or", "union"];

const SIGNS: [&str; 24] = [
    "<<", ">>", "<=", ">=", "<>", "!=", "||", "<", ">", "=", "+", "-", "*", "/", "%", "@", "(", ")", "[",
    "]", "{", "}", ",", ":",
];

/// Those of the signs that are operators.
const SIGN_OPERATORS: [&str; 14] =
    ["<=", ">=", "<>", "!=", "||", "<", ">", "=", "+", "-", "/", "%", "@", "*"];

struct Lexer<'s> {
    rest: &'s str,
    line: u32,
    column: u32,
    parameters: usize,
}

/// Reads all tokens; the last is [`Token::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Placed>, Unreadable> {
    let mut lexer = Lexer { rest: text, line: 1, column: 1, parameters: 0 };
    let mut tokens: Vec<Placed> = Vec::new();
    loop {
        lexer.skip_blanks()?;
        let (line, column) = (lexer.line, lexer.column);
        let before = lexer.rest;
        let token = lexer.token()?;
        let taken = before.len() - lexer.rest.len();
        let length = before.get(..taken).map_or(0, |text| text.chars().count());
        let at = Position { line, column, length: u32::try_from(length).unwrap_or(u32::MAX) };
        let is_end = token == Token::End;
        tokens.push(Placed { token, at });
        if is_end {
            return Ok(tokens);
        }
    }
}

impl<'s> Lexer<'s> {
    /// Goes on behind so many bytes.
    fn advance(&mut self, bytes: usize) -> &'s str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        for character in taken.chars() {
            if character == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.rest = rest;
        taken
    }

    fn while_bytes(&mut self, holds: impl Fn(u8) -> bool) -> &'s str {
        let length = self.rest.bytes().position(|byte| !holds(byte)).unwrap_or(self.rest.len());
        self.advance(length)
    }

    fn skip_blanks(&mut self) -> Result<(), Unreadable> {
        loop {
            self.while_bytes(|byte| byte.is_ascii_whitespace() || byte == 0x0b);
            if self.rest.starts_with("--") {
                self.while_bytes(|byte| byte != b'\n');
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                let length = comment.find("*/").ok_or(Unreadable)?;
                self.advance(length + 4);
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token, Unreadable> {
        let Some(&first) = self.rest.as_bytes().first() else { return Ok(Token::End) };
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => Ok(self.word()),
            b'0'..=b'9' => self.number(),
            b'.' if self.rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit) => self.number(),
            b'.' => {
                self.advance(1);
                Ok(Token::Sign("."))
            }
            b';' => {
                self.advance(1);
                Ok(Token::Sign(";"))
            }
            b'\'' => self.quoted('\'').map(Token::String),
            b'"' => self.quoted('"').map(Token::Quoted),
            b'`' => {
                let length = self.rest.get(1..).and_then(|rest| rest.find('`')).ok_or(Unreadable)?;
                let text = self.advance(length + 2);
                Ok(Token::Ion(text.trim_matches('`').to_owned()))
            }
            b'?' => {
                self.advance(1);
                self.parameters += 1;
                Ok(Token::Parameter(self.parameters - 1))
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| self.rest.starts_with(sign)).ok_or(Unreadable)?;
                self.advance(sign.len());
                let is_operator = SIGN_OPERATORS.contains(&sign);
                Ok(if is_operator { Token::Operator(sign) } else { Token::Sign(sign) })
            }
        }
    }

    fn word(&mut self) -> Token {
        let word = self.while_bytes(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$');
        match keyword(word) {
            None => Token::Word(word.to_owned()),
            Some(keyword) if WORD_OPERATORS.contains(&keyword) || keyword == "not" => {
                Token::Operator(keyword)
            }
            Some(keyword) => Token::Keyword(keyword),
        }
    }

    fn number(&mut self) -> Result<Token, Unreadable> {
        let before = self.rest;
        let is_digit = |byte: u8| byte.is_ascii_digit();
        self.while_bytes(is_digit);
        if self.rest.starts_with('.') {
            self.advance(1);
            self.while_bytes(is_digit);
        }
        if self.rest.starts_with(['e', 'E']) {
            self.advance(1);
            if self.rest.starts_with(['+', '-']) {
                self.advance(1);
            }
            if self.while_bytes(is_digit).is_empty() {
                return Err(Unreadable);
            }
        }
        // A name doesn't begin right behind a number.
        if self.rest.starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '_' | '$' | '.')) {
            return Err(Unreadable);
        }
        let taken = before.len() - self.rest.len();
        let text = before.get(..taken).unwrap_or_default();
        if is_wide_number(text) {
            return Err(Unreadable);
        }
        Ok(Token::Number(text.to_owned()))
    }

    /// What stands between two quotation marks, where a doubled one stands for itself.
    fn quoted(&mut self, mark: char) -> Result<String, Unreadable> {
        self.advance(1);
        let mut text = String::new();
        loop {
            let length = self.rest.find(mark).ok_or(Unreadable)?;
            text.push_str(self.advance(length));
            self.advance(1);
            if !self.rest.starts_with(mark) {
                return Ok(text);
            }
            text.push(mark);
            self.advance(1);
        }
    }
}

/// The power of ten of a number's last digit, and how many digits there are; nothing if its exponent has more
/// than 32 bits.
fn scale(number: &str) -> Option<(i64, usize)> {
    let (digits, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let behind = i64::try_from(fraction.len()).ok()?;
    Some((i64::from(exponent).saturating_sub(behind), whole.len() + fraction.len()))
}

/// Whether a number's exponent, or the power of ten of its last digit, has more than the 32 bits that the
/// service holds them in here; it takes such a text for no number.
pub fn is_wide_number(number: &str) -> bool {
    // The service holds the negative of the power.
    scale(number).is_none_or(|(power, _)| i32::try_from(-power).is_err())
}

/// Whether a number is so large that the service, counting its digits in 32 bits, takes it for too small.
pub fn is_overlarge_number(number: &str) -> bool {
    let digits =
        |(power, digits): (i64, usize)| power.saturating_add(i64::try_from(digits).unwrap_or(i64::MAX));
    scale(number).is_some_and(|scale| digits(scale) >= i64::from(i32::MAX))
}
