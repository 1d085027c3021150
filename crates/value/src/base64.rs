//! Base64 with padding, told apart in its errors as the service does it.

/// Why a text is not the base64 form of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base64Error {
    /// The length, which is no multiple of four.
    Length(usize),
    /// A character outside the alphabet, or padding before the end.
    Character(char),
    /// The last character before the padding has bits that belong to no byte.
    LastCharacter,
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const OUTSIDE: u8 = 0xFF;

const SIXES: [u8; 256] = {
    let mut sixes = [OUTSIDE; 256];
    let mut index = 0;
    while index < ALPHABET.len() {
        sixes[ALPHABET[index] as usize] = index as u8;
        index += 1;
    }
    sixes
};

/// The text of bytes.
///
/// ```
/// assert_eq!(keyplan_value::base64::text(b"key"), "a2V5");
/// ```
pub fn text(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    encode(bytes, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Appends the bytes that `text` stands for.
///
/// # Errors
/// If the text is not canonical base64 with padding; `out` may then have grown.
pub fn decode(text: &str, out: &mut Vec<u8>) -> Result<(), Base64Error> {
    out.reserve(text.len() / 4 * 3);
    read(text, |bytes| out.extend_from_slice(bytes))
}

/// Looks for what [`decode`] would find wrong.
///
/// # Errors
/// If the text is not canonical base64 with padding.
pub fn check(text: &str) -> Result<(), Base64Error> {
    read(text, |_| {})
}

fn read(text: &str, mut take: impl FnMut(&[u8])) -> Result<(), Base64Error> {
    let (quads, odd) = text.as_bytes().as_chunks::<4>();
    if !odd.is_empty() {
        return Err(Base64Error::Length(text.len()));
    }
    let Some((last, quads)) = quads.split_last() else { return Ok(()) };
    let six = |byte: u8| SIXES.get(usize::from(byte)).copied().unwrap_or(OUTSIDE);
    let [a, b, c, d] = *last;
    let spare = match (c, d) {
        (b'=', b'=') => six(b) & 0x0F,
        (_, b'=') => six(c) & 0x03,
        _ => 0,
    };
    // The service finds spare bits before it finds foreign characters further to the left.
    if spare != 0 && six(if c == b'=' { b } else { c }) != OUTSIDE {
        return Err(Base64Error::LastCharacter);
    }
    let foreign = || {
        let body = text.trim_end_matches('=');
        let other = body.chars().find(|c| !c.is_ascii() || six(*c as u8) == OUTSIDE);
        Base64Error::Character(other.unwrap_or('='))
    };
    for &[a, b, c, d] in quads {
        let (a, b, c, d) = (six(a), six(b), six(c), six(d));
        if (a | b | c | d) & 0xC0 != 0 {
            return Err(foreign());
        }
        take(&[a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
    }
    let (first, second, third, fourth) = match (c, d) {
        (b'=', b'=') => (six(a), six(b), 0, 0),
        (_, b'=') => (six(a), six(b), six(c), 0),
        _ => (six(a), six(b), six(c), six(d)),
    };
    if (first | second | third | fourth) & 0xC0 != 0 {
        return Err(foreign());
    }
    let bytes = [first << 2 | second >> 4, second << 4 | third >> 2, third << 6 | fourth];
    let kept = match (c, d) {
        (b'=', b'=') => 1,
        (_, b'=') => 2,
        _ => 3,
    };
    take(bytes.get(..kept).unwrap_or_default());
    Ok(())
}

/// Appends the base64 form of `bytes`, with padding.
pub fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    let letter = |six: u8| ALPHABET.get(usize::from(six & 0x3F)).copied().unwrap_or(b'=');
    out.reserve(bytes.len().div_ceil(3) * 4);
    let (threes, rest) = bytes.as_chunks::<3>();
    for &[a, b, c] in threes {
        let four = [letter(a >> 2), letter(a << 4 | b >> 4), letter(b << 2 | c >> 6), letter(c)];
        out.extend_from_slice(&four);
    }
    match *rest {
        [a] => out.extend_from_slice(&[letter(a >> 2), letter(a << 4), b'=', b'=']),
        [a, b] => {
            out.extend_from_slice(&[letter(a >> 2), letter(a << 4 | b >> 4), letter(b << 2), b'=']);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(text: &str) -> Result<Vec<u8>, Base64Error> {
        let mut out = Vec::new();
        let decoded = decode(text, &mut out);
        assert_eq!(check(text), decoded, "what a check finds in {text}");
        decoded.map(|()| out)
    }

    #[test]
    fn errors_are_told_apart() {
        assert_eq!(decoded(""), Ok(vec![]));
        assert_eq!(decoded("YQ=="), Ok(b"a".to_vec()));
        assert_eq!(decoded("YWI="), Ok(b"ab".to_vec()));
        assert_eq!(decoded("YWJj"), Ok(b"abc".to_vec()));
        assert_eq!(decoded("YWJ"), Err(Base64Error::Length(3)));
        assert_eq!(decoded("YR=="), Err(Base64Error::LastCharacter));
        assert_eq!(decoded("YWJ="), Err(Base64Error::LastCharacter));
        assert_eq!(decoded("YW-j"), Err(Base64Error::Character('-')));
        assert_eq!(decoded("=+/="), Err(Base64Error::LastCharacter));
        assert_eq!(decoded("+/+="), Err(Base64Error::LastCharacter));
        assert_eq!(decoded("--k="), Err(Base64Error::Character('-')));
        assert_eq!(decoded("YQ==YQ=="), Err(Base64Error::Character('=')));
        assert_eq!(decoded("===="), Err(Base64Error::Character('=')));
        assert_eq!(decoded("Y==="), Err(Base64Error::Character('=')));
        assert_eq!(decoded("YQ=a"), Err(Base64Error::Character('=')));
        assert_eq!(decoded("éYQ"), Err(Base64Error::Character('é')));
    }

    proptest! {
        #[test]
        fn encoding_is_undone(bytes in any::<Vec<u8>>()) {
            let mut text = Vec::new();
            encode(&bytes, &mut text);
            prop_assert_eq!(decoded(std::str::from_utf8(&text).unwrap()), Ok(bytes));
        }

        #[test]
        fn only_the_canonical_text_is_read(text in "[A-Za-z0-9+/=]{0,12}") {
            if let Ok(bytes) = decoded(&text) {
                let mut again = Vec::new();
                encode(&bytes, &mut again);
                prop_assert_eq!(text.as_bytes(), &again[..]);
            }
        }
    }
}
