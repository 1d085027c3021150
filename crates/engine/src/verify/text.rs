//! Keys and values as a difference tells them.

use keyplan_value::{ItemBuilder, ItemRef, key};

use crate::catalog::{KeyAttribute, TableDefinition, name_of_key, region_of_key};

/// Bytes of an item's JSON that a difference tells at most.
const TOLD_BYTES_MAX: usize = 400;

/// What a table is called.
pub(super) fn table_name(table: &TableDefinition) -> String {
    table_named(&table.key())
}

/// What the table at a place of the catalog is called.
pub(super) fn table_named(key: &str) -> String {
    match region_of_key(key) {
        Some(region) => format!("table {} in {region}", name_of_key(key)),
        None => format!("table {key}"),
    }
}

/// A place as the key that it is made of, or as its bytes where it is of none.
pub(super) fn place_text<'a>(place: &[u8], attributes: impl IntoIterator<Item = &'a KeyAttribute>) -> String {
    let attributes: Vec<&KeyAttribute> = attributes.into_iter().collect();
    match key::decode_item_key(place) {
        Ok((_, values)) if values.len() == attributes.len() => {
            let mut builder = ItemBuilder::new();
            for (attribute, value) in attributes.iter().zip(&values) {
                builder.insert(&attribute.name, value.as_ref());
            }
            shortened(builder.finish().to_json())
        }
        _ => format!("bytes {}", hexadecimal(place)),
    }
}

/// An item as DynamoDB JSON, if the bytes are one.
pub(super) fn item_text(stored: &[u8]) -> String {
    match ItemRef::from_stored(stored).ok().filter(|item| item.check().is_ok()) {
        Some(item) => shortened(item.to_json()),
        None => format!("{} bytes that are no item ({})", stored.len(), hexadecimal(stored)),
    }
}

/// What may be there or not.
pub(super) fn nothing_or(text: Option<String>) -> String {
    text.unwrap_or_else(|| "nothing".to_owned())
}

/// The first bytes in hexadecimal.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    const SHOWN: usize = 40;
    let mut text: String = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    if bytes.len() > SHOWN {
        text.push('…');
    }
    text
}

fn shortened(mut text: String) -> String {
    if text.len() > TOLD_BYTES_MAX {
        text.truncate(text.floor_char_boundary(TOLD_BYTES_MAX));
        text.push('…');
    }
    text
}
