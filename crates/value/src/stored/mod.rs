//! The stored form: how items and values lie in the store.
//!
//! ```text
//! item    = format (1 byte) | DynamoDB size (4 bytes, little-endian) | attributes
//! attributes = count | (length of name | name | value)*      ordered by the names' bytes
//! value   = type (1 byte) | length of body | body
//! body    S, B        the bytes
//!         N           the order-keeping encoding of `Number`
//!         BOOL        1 byte; NULL: none
//!         SS, BS      count | (length | bytes)*              ordered, each once
//!         NS          count | number*                        ordered, each once
//!         L           count | value*
//!         M           attributes
//! ```
//!
//! Counts and lengths are variable: seven bits a byte, the lowest first, the high bit set on all but the
//! last. One value has one stored form, so equality of values is equality of bytes.
//!
//! Everything here is read lazily and from bytes that may have been tampered with: what is broken reads
//! as absent or ends an iteration, and nothing panics or recurses further than values may nest.

mod encode;
mod item;
mod read;
mod value;

pub use encode::ItemBuilder;
pub(crate) use encode::{Sink, check_name};
pub use item::{Item, ItemRef, StoredFormError};
pub use read::{Elements, Members, ValueRef};
pub use value::Value;

use crate::kind::ValueKind;

/// The only format there is.
const FORMAT: u8 = 1;

/// The length of an item's header.
const HEADER_BYTES: usize = 5;

fn tag(kind: ValueKind) -> u8 {
    match kind {
        ValueKind::S => 1,
        ValueKind::N => 2,
        ValueKind::B => 3,
        ValueKind::Ss => 4,
        ValueKind::Ns => 5,
        ValueKind::Bs => 6,
        ValueKind::Bool => 7,
        ValueKind::Null => 8,
        ValueKind::L => 9,
        ValueKind::M => 10,
    }
}

fn kind_of(tag: u8) -> Option<ValueKind> {
    ValueKind::ALL.get(usize::from(tag.checked_sub(1)?)).copied()
}

/// Appends a count or length.
fn push_length(mut length: usize, out: &mut Vec<u8>) {
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
}

/// Takes a count or length from the front of `bytes`.
fn take_length(bytes: &mut &[u8]) -> Option<usize> {
    let mut length: u64 = 0;
    for (index, &byte) in bytes.iter().take(5).enumerate() {
        length |= u64::from(byte & 0x7F) << (7 * index);
        if byte < 0x80 {
            *bytes = bytes.get(index + 1..)?;
            return usize::try_from(length).ok();
        }
    }
    None
}

/// Takes a length and that many bytes from the front of `bytes`.
fn take_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take_length(bytes)?;
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
mod tests;
