//! Splits an expression's text into tokens that know where they stand.
//!
//! Reading never fails: a character that begins no token is a token of its own, and the parser
//! refuses it where it stands. So every syntax error has a token, and a window of text around it.

use crate::error::ExpressionError;
use crate::limits::EXPRESSION_SIZE_BYTES_MAX;

/// What a token is. Keywords are read in any case; all five languages share one alphabet, so `SET`
/// is a keyword in a condition too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    And,
    Or,
    Not,
    Between,
    In,
    Set,
    Remove,
    Add,
    Delete,
    /// A name without a sign: an attribute's or a function's.
    Name,
    /// `#name`
    NamePlaceholder,
    /// `:value`
    ValuePlaceholder,
    /// Digits without a leading zero.
    Index,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    LeftParenthesis,
    RightParenthesis,
    LeftBracket,
    RightBracket,
    Comma,
    Dot,
    /// A character that begins no token.
    Unreadable,
    /// The end of the text.
    End,
}

/// One token and the bytes it covers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    start: u32,
    end: u32,
}

/// The tokens of one text, the last of them [`TokenKind::End`].
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

impl<'a> Tokens<'a> {
    /// Reads a text after the checks that come before any reading: it is not empty, nor too long.
    pub(crate) fn read(text: &'a str) -> Result<Tokens<'a>, ExpressionError> {
        if text.is_empty() {
            return Err(ExpressionError::Empty);
        }
        if text.len() > EXPRESSION_SIZE_BYTES_MAX {
            return Err(ExpressionError::TooLong { bytes: text.len() });
        }
        let mut tokens = Vec::with_capacity(text.len() / 3 + 2);
        let mut rest = text;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
            let start = (text.len() - rest.len()) as u32;
            let (kind, length) = first_token(rest);
            tokens.push(Token { kind, start, end: start + length as u32 });
            if kind == TokenKind::End {
                return Ok(Tokens { text, tokens });
            }
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    /// The kind of a token; past the last one, the end.
    pub(crate) fn kind(&self, index: usize) -> TokenKind {
        self.tokens.get(index).map_or(TokenKind::End, |token| token.kind)
    }

    /// The text of a token as written; the end has none.
    pub(crate) fn text(&self, index: usize) -> &'a str {
        match self.tokens.get(index) {
            Some(token) => self.slice(token.start, token.end),
            None => "",
        }
    }

    /// The refusal of a token: the token, and the text from the start of the one before it to the
    /// end of the one after it. At the end of the text the window is the last token, or, if there
    /// is none, the white space as sent.
    pub(crate) fn syntax_error(&self, index: usize) -> ExpressionError {
        let before = index.checked_sub(1).and_then(|before| self.tokens.get(before));
        let token = self.tokens.get(index).filter(|token| token.kind != TokenKind::End);
        let Some(token) = token else {
            let near = before.map_or(self.text, |last| self.slice(last.start, last.end));
            return ExpressionError::Syntax { token: "<EOF>".into(), near: near.into() };
        };
        let after = self.tokens.get(index + 1).filter(|after| after.kind != TokenKind::End);
        let start = before.unwrap_or(token).start;
        let end = after.unwrap_or(token).end;
        ExpressionError::Syntax { token: self.text(index).into(), near: self.slice(start, end).into() }
    }

    fn slice(&self, start: u32, end: u32) -> &'a str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// The token that a text begins with, and its length in bytes. The text has no leading white space.
fn first_token(text: &str) -> (TokenKind, usize) {
    use TokenKind::*;
    let bytes = text.as_bytes();
    let second = bytes.get(1).copied();
    let Some(&first) = bytes.first() else { return (End, 0) };
    match first {
        b'a'..=b'z' | b'A'..=b'Z' => {
            let length = word_length(bytes);
            (keyword_or_name(text.get(..length).unwrap_or_default()), length)
        }
        b'0' => (Index, 1),
        b'1'..=b'9' => (Index, bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()),
        b'#' | b':' => match word_length(bytes.get(1..).unwrap_or_default()) {
            0 => (Unreadable, 1),
            length if first == b'#' => (NamePlaceholder, 1 + length),
            length => (ValuePlaceholder, 1 + length),
        },
        b'<' if second == Some(b'=') => (LessOrEqual, 2),
        b'<' if second == Some(b'>') => (NotEqual, 2),
        b'>' if second == Some(b'=') => (GreaterOrEqual, 2),
        b'<' => (Less, 1),
        b'>' => (Greater, 1),
        b'=' => (Equal, 1),
        b'+' => (Plus, 1),
        b'-' => (Minus, 1),
        b'(' => (LeftParenthesis, 1),
        b')' => (RightParenthesis, 1),
        b'[' => (LeftBracket, 1),
        b']' => (RightBracket, 1),
        b',' => (Comma, 1),
        b'.' => (Dot, 1),
        _ => (Unreadable, text.chars().next().map_or(1, char::len_utf8)),
    }
}

fn word_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
}

fn keyword_or_name(word: &str) -> TokenKind {
    const KEYWORDS: [(&str, TokenKind); 9] = [
        ("AND", TokenKind::And),
        ("OR", TokenKind::Or),
        ("NOT", TokenKind::Not),
        ("BETWEEN", TokenKind::Between),
        ("IN", TokenKind::In),
        ("SET", TokenKind::Set),
        ("REMOVE", TokenKind::Remove),
        ("ADD", TokenKind::Add),
        ("DELETE", TokenKind::Delete),
    ];
    let keyword = KEYWORDS.iter().find(|(keyword, _)| keyword.eq_ignore_ascii_case(word));
    keyword.map_or(TokenKind::Name, |(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        let tokens = Tokens::read(text).expect("readable");
        (0..)
            .take_while(|index| tokens.kind(*index) != TokenKind::End)
            .map(|index| tokens.text(index))
            .collect()
    }

    #[test]
    fn a_text_splits_into_its_longest_tokens() {
        let cases: &[(&str, &[&str])] = &[
            ("a.b[10]", &["a", ".", "b", "[", "10", "]"]),
            ("a<=:b", &["a", "<=", ":b"]),
            ("a<>b", &["a", "<>", "b"]),
            ("[00]", &["[", "0", "0", "]"]),
            ("1a", &["1", "a"]),
            ("_a", &["_", "a"]),
            ("#_1 :_1", &["#_1", ":_1"]),
            ("# :", &["#", ":"]),
            ("a != é", &["a", "!", "=", "é"]),
            (" \t\r\na\u{b}b", &["a", "\u{b}", "b"]),
        ];
        for (text, expected) in cases {
            assert_eq!(texts(text), *expected, "{text:?}");
        }
    }

    #[test]
    fn keywords_are_read_in_any_case_and_only_whole() {
        let tokens = Tokens::read("aNd ANDa between").expect("readable");
        assert_eq!(tokens.kind(0), TokenKind::And);
        assert_eq!(tokens.kind(1), TokenKind::Name);
        assert_eq!(tokens.kind(2), TokenKind::Between);
    }

    #[test]
    fn emptiness_and_size_come_before_reading() {
        assert_eq!(Tokens::read("").err(), Some(ExpressionError::Empty));
        assert!(Tokens::read(&"!".repeat(4_096)).is_ok(), "the limit itself is accepted");
        assert_eq!(Tokens::read(&"!".repeat(4_097)).err(), Some(ExpressionError::TooLong { bytes: 4_097 }));
    }
}
