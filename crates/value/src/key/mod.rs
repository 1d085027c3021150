//! Keys as bytes whose order is the order of the service.
//!
//! An item's key in the store is
//!
//! ```text
//! hash (4 bytes) | partition key attribute(s) | sort key attribute(s)
//! ```
//!
//! The hash is the first four bytes, big-endian, of XXH3-64 over the encoded partition key. It decides
//! the order in which a Scan meets partitions, and it is part of the file format: it never changes.
//!
//! An attribute is one byte for its type and an encoding that keeps order and is never the beginning of
//! another one, so attributes can stand one behind the other: strings and binaries have each zero byte
//! followed by `FF` and end in `00 01`; a number is written as [`Number::write_ordered`] does.
//!
//! ```
//! use keyplan_value::{key, ValueRef};
//!
//! let partition = key::partition_prefix([ValueRef::string("CUSTOMER#1")])?;
//! let first = key::item_key([ValueRef::string("CUSTOMER#1")], [ValueRef::string("ORDER#1")])?;
//! let second = key::item_key([ValueRef::string("CUSTOMER#1")], [ValueRef::string("ORDER#2")])?;
//! assert!(first.starts_with(&partition) && first < second);
//!
//! let orders = key::SortCondition::BeginsWith(ValueRef::string("ORDER#"));
//! let span = key::Span::of(&partition, Some(&orders))?;
//! assert!(span.contains(&first) && span.contains(&second));
//! # Ok::<(), key::NotAKeyType>(())
//! ```

mod span;

use std::fmt;

use crate::kind::ValueKind;
use crate::number::Number;
use crate::stored::{Value, ValueRef};

pub use span::{SortCondition, Span, prefix_end};

/// The length of the hash at the front of an item's key.
pub const HASH_BYTES: usize = 4;

const ESCAPE: u8 = 0xFF;
const TERMINATOR: u8 = 0x01;

/// A value of this type cannot be a key attribute: only S, N and B can.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAKeyType(pub ValueKind);

impl fmt::Display for NotAKeyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value of type {} cannot be a key attribute", self.0)
    }
}

impl std::error::Error for NotAKeyType {}

/// Bytes that are not the encoding of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DamagedKey;

impl fmt::Display for DamagedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a stored key is damaged")
    }
}

impl std::error::Error for DamagedKey {}

/// Appends the encoding of a key attribute's value.
///
/// # Errors
/// If the value is not an S, N or B; nothing is appended then.
pub fn encode_attribute(value: ValueRef<'_>, out: &mut Vec<u8>) -> Result<(), NotAKeyType> {
    encode_open(value, out)?;
    if value.kind() != ValueKind::N {
        out.extend_from_slice(&[0, TERMINATOR]);
    }
    Ok(())
}

/// Appends the encoding without its end: what the encodings of all strings or binaries with this
/// beginning begin with.
fn encode_open(value: ValueRef<'_>, out: &mut Vec<u8>) -> Result<(), NotAKeyType> {
    out.push(tag(value.kind()).ok_or(NotAKeyType(value.kind()))?);
    if value.kind() == ValueKind::N {
        // The stored form of a number is its order-keeping encoding.
        out.extend_from_slice(value.body());
        return Ok(());
    }
    out.reserve(value.body().len() + 2);
    let mut parts = value.body().split(|&byte| byte == 0);
    out.extend_from_slice(parts.next().unwrap_or_default());
    for part in parts {
        out.extend_from_slice(&[0, ESCAPE]);
        out.extend_from_slice(part);
    }
    Ok(())
}

/// Takes the value of a key attribute from the front of `bytes`; gives it and what follows.
///
/// # Errors
/// If no key attribute's encoding stands there.
pub fn decode_attribute(bytes: &[u8]) -> Result<(Value, &[u8]), DamagedKey> {
    let (&tag, rest) = bytes.split_first().ok_or(DamagedKey)?;
    let kind = match tag {
        b'S' => ValueKind::S,
        b'B' => ValueKind::B,
        b'N' => {
            let (number, length) = Number::read_ordered(rest).ok_or(DamagedKey)?;
            return Ok((Value::number(&number), rest.get(length..).unwrap_or_default()));
        }
        _ => return Err(DamagedKey),
    };
    let mut body = Vec::new();
    let mut rest = rest;
    loop {
        let zero = rest.iter().position(|&byte| byte == 0).ok_or(DamagedKey)?;
        let (plain, after) = rest.split_at(zero);
        body.extend_from_slice(plain);
        match after {
            [0, ESCAPE, after @ ..] => {
                body.push(0);
                rest = after;
            }
            [0, TERMINATOR, after @ ..] => {
                return match (kind, std::str::from_utf8(&body)) {
                    (ValueKind::S, Err(_)) => Err(DamagedKey),
                    _ => Ok((Value::from(ValueRef::from_body(kind, &body)), after)),
                };
            }
            _ => return Err(DamagedKey),
        }
    }
}

/// The place of a partition: the first four bytes, big-endian, of XXH3-64 over its encoded key.
pub fn partition_hash(encoded_partition_key: &[u8]) -> u32 {
    (twox_hash::XxHash3_64::oneshot(encoded_partition_key) >> 32) as u32
}

/// What the keys of all items of a partition begin with: the hash and the partition key.
///
/// # Errors
/// If a value is not an S, N or B.
pub fn partition_prefix<'v>(
    partition: impl IntoIterator<Item = ValueRef<'v>>,
) -> Result<Vec<u8>, NotAKeyType> {
    let mut prefix = Vec::with_capacity(64);
    prefix.extend_from_slice(&[0; HASH_BYTES]);
    for value in partition {
        encode_attribute(value, &mut prefix)?;
    }
    let (hash, encoded) = prefix.split_at_mut(HASH_BYTES);
    hash.copy_from_slice(&partition_hash(encoded).to_be_bytes());
    Ok(prefix)
}

/// The key of an item in the store.
///
/// # Errors
/// If a value is not an S, N or B.
pub fn item_key<'v>(
    partition: impl IntoIterator<Item = ValueRef<'v>>,
    sort: impl IntoIterator<Item = ValueRef<'v>>,
) -> Result<Vec<u8>, NotAKeyType> {
    let mut key = partition_prefix(partition)?;
    for value in sort {
        encode_attribute(value, &mut key)?;
    }
    Ok(key)
}

/// Takes a key apart: the hash, and the values of all its attributes.
///
/// # Errors
/// If the bytes are no key.
pub fn decode_item_key(key: &[u8]) -> Result<(u32, Vec<Value>), DamagedKey> {
    let (&hash, mut rest) = key.split_first_chunk::<HASH_BYTES>().ok_or(DamagedKey)?;
    let mut values = Vec::with_capacity(2);
    while !rest.is_empty() {
        let (value, after) = decode_attribute(rest)?;
        values.push(value);
        rest = after;
    }
    Ok((u32::from_be_bytes(hash), values))
}

/// Letters, so that a dump of keys can be read.
fn tag(kind: ValueKind) -> Option<u8> {
    match kind {
        ValueKind::S => Some(b'S'),
        ValueKind::N => Some(b'N'),
        ValueKind::B => Some(b'B'),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
