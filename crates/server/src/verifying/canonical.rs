//! The canonical form of a request: what a signer and a verifier both make of it, whatever the way between
//! them did to its spelling.

use hyper::header::{HOST, HeaderMap};
use hyper::http::request::Parts;

/// The canonical request. Calls have one path, so it is never anything but `/`.
pub(super) fn request(head: &Parts, signed_headers: &[String], body_digest: &str) -> String {
    let mut text = format!("{}\n/\n{}\n", head.method, query(head.uri.query().unwrap_or_default()));
    for name in signed_headers {
        text.push_str(name);
        text.push(':');
        header(&head.headers, name, &mut text);
        text.push('\n');
    }
    text.push('\n');
    text.push_str(&signed_headers.join(";"));
    text.push('\n');
    text.push_str(body_digest);
    text
}

/// The values of a header, with a comma between them, and one space where several are.
fn header(headers: &HeaderMap, name: &str, out: &mut String) {
    let values = if name == "host" { headers.get_all(HOST) } else { headers.get_all(name) };
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        let value = String::from_utf8_lossy(value.as_bytes());
        for (at, word) in value.split(' ').filter(|word| !word.is_empty()).enumerate() {
            if at > 0 {
                out.push(' ');
            }
            out.push_str(word);
        }
    }
}

/// The parameters of a query but for the signature itself, encoded in one way and sorted.
fn query(query: &str) -> String {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let mut parameters: Vec<(String, String)> = pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (encoded(&decoded(name)), encoded(&decoded(value))))
        .filter(|(name, _)| name != "X-Amz-Signature")
        .collect();
    parameters.sort_unstable();
    let pairs: Vec<String> = parameters.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join("&")
}

/// A part of a query as it was before it was encoded.
pub(super) fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|letter| char::from(*letter).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.extend(u8::try_from(high << 4 | low));
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

fn encoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(*byte))
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    #[test]
    fn a_query_is_sorted_by_its_encoded_names_and_values() {
        assert_eq!(query("b=2&a=2&a=1&B&X-Amz-Signature=zz"), "B=&a=1&a=2&b=2");
        assert_eq!(query("k=a%2fb%20c~d+e&%7Ex=%c3%a9&broken=%z"), "broken=%25z&k=a%2Fb%20c~d%2Be&~x=%C3%A9");
        assert_eq!(query(""), "");
    }

    #[test]
    fn a_headers_values_are_joined_and_their_spaces_made_one() {
        let mut headers = HeaderMap::new();
        for value in ["  a   b ", "c"] {
            headers.append("my-header", HeaderValue::from_static(value));
        }
        let mut text = String::new();
        header(&headers, "my-header", &mut text);
        assert_eq!(text, "a b,c");
    }
}
