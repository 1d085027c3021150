//! Traces on the wire: in a header where they are short, else kept under a token for a while.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

use crate::limits::{TRACE_HEADER_BYTES_MAX, TRACES_KEPT_BYTES_MAX, TRACES_KEPT_MAX};

/// The header that asks for a trace and the one that answers it.
pub(crate) const TRACE_HEADER: &str = "x-keyplan-trace";

/// The address under which a kept trace is fetched, followed by its token.
pub(crate) const TRACE_PATH: &str = "/keyplan/trace/";

/// The long traces of the last answers.
#[derive(Default)]
pub(crate) struct KeptTraces(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// Tokens and their traces, oldest first.
    traces: VecDeque<(String, Bytes)>,
    /// The bytes of all of them.
    bytes: usize,
}

impl Kept {
    /// Keeps one more, whatever its length, and lets go of older ones beyond what may be kept.
    fn push(&mut self, token: String, trace: Bytes) {
        self.bytes += trace.len();
        self.traces.push_back((token, trace));
        while self.traces.len() > 1
            && (self.traces.len() > TRACES_KEPT_MAX || self.bytes > TRACES_KEPT_BYTES_MAX)
        {
            if let Some((_, oldest)) = self.traces.pop_front() {
                self.bytes -= oldest.len();
            }
        }
    }
}

impl KeptTraces {
    /// The value of the answer's header: the trace itself, or `token <token>`.
    pub(crate) fn header_value(&self, trace: String) -> String {
        let trace = ascii_json(trace);
        if trace.len() <= TRACE_HEADER_BYTES_MAX {
            return trace;
        }
        let token = format!("{:032x}", fastrand::u128(..));
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(token.clone(), trace.into());
        format!("token {token}")
    }

    /// The trace that is kept under a token.
    pub(crate) fn get(&self, token: &str) -> Option<Bytes> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.traces.iter().find(|(kept_token, _)| kept_token == token).map(|(_, trace)| trace.clone())
    }
}

/// JSON with each character outside ASCII escaped, since a header carries no others safely.
fn ascii_json(json: String) -> String {
    if json.is_ascii() {
        return json;
    }
    let mut ascii = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if character.is_ascii() {
            ascii.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            ascii.push_str(&format!("\\u{unit:04x}"));
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_traces_travel_in_the_header_as_ascii() {
        let traces = KeptTraces::default();
        assert_eq!(traces.header_value(r#"{"key":"é😀"}"#.to_owned()), r#"{"key":"\u00e9\ud83d\ude00"}"#);
    }

    #[test]
    fn long_traces_are_kept_and_the_oldest_go() {
        let traces = KeptTraces::default();
        let long = "1".repeat(TRACE_HEADER_BYTES_MAX + 1);
        let first = traces.header_value(long.clone());
        let token = first.strip_prefix("token ").expect("a token");
        assert_eq!(traces.get(token), Some(Bytes::from(long.clone())));
        for _ in 0..TRACES_KEPT_MAX {
            traces.header_value(long.clone());
        }
        assert_eq!(traces.get(token), None);
    }

    #[test]
    fn what_is_kept_is_bounded_in_bytes_and_the_last_stays() {
        let traces = KeptTraces::default();
        let token = |value: &str| value.strip_prefix("token ").expect("a token").to_owned();
        let half = "1".repeat(TRACES_KEPT_BYTES_MAX / 2);
        let [first, second, third] = [(); 3].map(|()| token(&traces.header_value(half.clone())));
        assert!(traces.get(&first).is_none());
        assert!(traces.get(&second).is_some() && traces.get(&third).is_some());
        let huge = token(&traces.header_value("1".repeat(TRACES_KEPT_BYTES_MAX + 1)));
        assert!(traces.get(&third).is_none() && traces.get(&huge).is_some());
    }
}
