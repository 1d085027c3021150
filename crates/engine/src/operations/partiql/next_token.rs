//! Where a SELECT goes on, as a text that is good for an hour.
//!
//! It is bound to the statement's text and the values of its parameters. Numbers are compared as the service
//! compares them, by value and by the digits behind the point: `1` and `1.0` differ.

use std::sync::Arc;

use keyplan_value::json::Node;
use keyplan_value::{Item, base64, order};
use twox_hash::XxHash3_128;

use crate::call::Timestamp;
use crate::error::StatementFault;
use crate::limits::NEXT_TOKEN_LIFE_MILLISECONDS;
use crate::validate::{present, string};

const VERSION: u8 = 1;

/// Where a read goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Position {
    /// The stretch, in the order in which they are read.
    pub(super) stretch: usize,
    /// The key in it after which it goes on; nothing for its beginning.
    pub(super) after: Option<Item>,
}

/// What a token is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Binding(Option<u128>);

impl Binding {
    /// The binding of a request.
    pub(super) fn of(request: Node<'_, '_>) -> Binding {
        let mut bytes = Vec::new();
        push(string(request, "Statement").unwrap_or_default().as_bytes(), &mut bytes);
        let mut parameters = present(request, "Parameters").into_iter().flat_map(|list| list.elements());
        // A read with a list or a map among its parameters can't be gone on with.
        if parameters.any(|parameter| push_parameter(parameter, &mut bytes).is_none()) {
            return Binding(None);
        }
        Binding(Some(XxHash3_128::oneshot(&bytes)))
    }

    /// The token of a position.
    pub(super) fn token(self, position: &Position, now: Timestamp) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend(now.0.to_be_bytes());
        bytes.extend(self.0.unwrap_or_default().to_be_bytes());
        bytes.extend(u32::try_from(position.stretch).unwrap_or(u32::MAX).to_be_bytes());
        if let Some(after) = &position.after {
            bytes.extend_from_slice(after.stored());
        }
        base64::text(&bytes)
    }

    /// The position of a token.
    ///
    /// # Errors
    /// That it is none, of another request, or too old.
    pub(super) fn position(self, token: &str, now: Timestamp) -> Result<Position, StatementFault> {
        let read = read(token).ok_or(StatementFault::NoToken)?;
        if self.0 != Some(read.fingerprint) {
            return Err(StatementFault::OtherToken);
        }
        if now.0.saturating_sub(read.made.0) > NEXT_TOKEN_LIFE_MILLISECONDS {
            return Err(StatementFault::OldToken);
        }
        Ok(read.position)
    }
}

struct Read {
    made: Timestamp,
    fingerprint: u128,
    position: Position,
}

fn read(token: &str) -> Option<Read> {
    let mut bytes = Vec::new();
    base64::decode(token, &mut bytes).ok()?;
    let (&[version], rest) = bytes.split_first_chunk::<1>()?;
    let (made, rest) = rest.split_first_chunk::<8>()?;
    let (fingerprint, rest) = rest.split_first_chunk::<16>()?;
    let (stretch, key) = rest.split_first_chunk::<4>()?;
    let after = if key.is_empty() {
        None
    } else {
        let item = Item::from_stored(Arc::from(key)).ok()?;
        // The bytes have been out of the house.
        item.as_ref().check().ok()?;
        Some(item)
    };
    let stretch = usize::try_from(u32::from_be_bytes(*stretch)).ok()?;
    (version == VERSION).then(|| Read {
        made: Timestamp(u64::from_be_bytes(*made)),
        fingerprint: u128::from_be_bytes(*fingerprint),
        position: Position { stretch, after },
    })
}

fn push(part: &[u8], bytes: &mut Vec<u8>) {
    bytes.extend((part.len() as u64).to_be_bytes());
    bytes.extend_from_slice(part);
}

/// Writes a parameter so that equal ones have equal bytes; nothing for a list or a map.
fn push_parameter(parameter: Node<'_, '_>, bytes: &mut Vec<u8>) -> Option<()> {
    let (name, value) = parameter.members().find(|(_, value)| !value.is_null())?;
    let name = name.to_str();
    push(name.as_bytes(), bytes);
    match &*name {
        "L" | "M" => return None,
        "N" => push(&decimal(&value.string()?), bytes),
        "NS" | "SS" | "BS" => {
            let member = |text: &str| if &*name == "NS" { decimal(text) } else { text.as_bytes().to_vec() };
            let mut members: Vec<_> =
                value.elements().filter_map(|element| element.string().map(|text| member(&text))).collect();
            order::sort_by(&mut members, |one, other| one.cmp(other));
            members.iter().for_each(|member| push(member, bytes));
        }
        _ => match value.string() {
            Some(text) => push(text.as_bytes(), bytes),
            None => push(value.raw().as_bytes(), bytes),
        },
    }
    Some(())
}

/// A number as its digits without zeros in front, and how many of them are behind the point.
fn decimal(text: &str) -> Vec<u8> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let exponent: i64 = exponent.parse().unwrap_or_default();
    let scale = i64::try_from(fraction.len()).unwrap_or(i64::MAX).saturating_sub(exponent);
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    let mut bytes = vec![u8::from(negative && !digits.is_empty())];
    bytes.extend(scale.to_be_bytes());
    bytes.extend_from_slice(digits.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use keyplan_value::AttributeValue;
    use keyplan_value::json::{Limits, Tape};

    use super::*;

    fn binding(request: &str) -> Binding {
        let tape = Tape::parse(request.as_bytes(), &Limits::default()).expect("it is JSON");
        Binding::of(tape.root())
    }

    fn with(parameters: &str) -> Binding {
        binding(&format!(r#"{{"Statement": "SELECT", "Parameters": [{parameters}]}}"#))
    }

    #[test]
    fn a_token_holds_for_its_request_alone() {
        let one = with(r#"{"S": "a"}"#);
        let key = Item::from_attributes([("pk", AttributeValue::from("a"))]).expect("it is an item");
        let position = Position { stretch: 3, after: Some(key) };
        let token = one.token(&position, Timestamp(5));
        assert_eq!(one.position(&token, Timestamp(6)), Ok(position));
        assert_eq!(with(r#"{"S": "b"}"#).position(&token, Timestamp(6)), Err(StatementFault::OtherToken));
        let late = Timestamp(6 + NEXT_TOKEN_LIFE_MILLISECONDS);
        assert_eq!(one.position(&token, late), Err(StatementFault::OldToken));
        for other in ["", "x", "AAAA", token.get(4..).expect("it is longer")] {
            assert_eq!(one.position(other, Timestamp(6)), Err(StatementFault::NoToken), "{other}");
        }
    }

    #[test]
    fn numbers_are_bound_by_value_and_scale_and_sets_without_order() {
        assert_eq!(with(r#"{"N": "10"}"#), with(r#"{"N": "+010"}"#));
        assert_ne!(with(r#"{"N": "1"}"#), with(r#"{"N": "1.0"}"#));
        assert_ne!(with(r#"{"N": "1"}"#), with(r#"{"N": "-1"}"#));
        assert_eq!(with(r#"{"NS": ["1", "2"]}"#), with(r#"{"NS": ["2", "1"]}"#));
        assert_ne!(with(r#"{"SS": ["a"]}"#), with(r#"{"S": "a"}"#));
        assert_eq!(with(r#"{"L": []}"#), Binding(None));
        let token = Binding(None).token(&Position::default(), Timestamp(0));
        assert_eq!(with(r#"{"L": []}"#).position(&token, Timestamp(0)), Err(StatementFault::OtherToken));
    }
}
