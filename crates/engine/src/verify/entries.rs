//! The entries of one keyspace that follows a table's items, seen from their own side.

use std::ops::Bound;

use keyplan_store::{Bounds, Direction, SharedBytes, Snapshot, Space, Visit};
use keyplan_value::{Item, ItemRef, key};

use super::items::Follower;
use super::text::{hexadecimal, item_text, place_text};
use super::{Look, each};
use crate::catalog::{IndexDefinition, TableDefinition, TimeToLive, VectorIndexDefinition};
use crate::error::InternalError;
use crate::expiry;
use crate::keys::ItemKey;

/// What kind of entries lie in a keyspace.
#[derive(Clone, Copy)]
pub(super) enum Entries<'t> {
    Index(&'t IndexDefinition),
    Vectors(&'t VectorIndexDefinition),
    Expiry(&'t TimeToLive),
}

impl Entries<'_> {
    pub(super) fn space(self) -> Space {
        match self {
            Entries::Index(index) => index.space,
            Entries::Vectors(index) => index.space,
            Entries::Expiry(time_to_live) => time_to_live.space,
        }
    }

    /// An entry's value as a difference tells it.
    pub(super) fn value_text(self, value: &[u8]) -> String {
        match self {
            Entries::Index(_) => item_text(value),
            Entries::Vectors(_) => format!("the vector and filters {}", hexadecimal(value)),
            Entries::Expiry(_) if value.is_empty() => "an entry without a value".to_owned(),
            Entries::Expiry(_) => format!("an entry with the value {}", hexadecimal(value)),
        }
    }

    /// The place in the table of the item that an entry is of, as far as the entry tells.
    fn item_place(self, table: &TableDefinition, entry: &[u8], value: &[u8]) -> Option<Vec<u8>> {
        match self {
            Entries::Index(_) => {
                let item = ItemRef::from_stored(value).ok()?;
                Some(ItemKey::of_item(&table.key_schema, item).ok()?.into_bytes())
            }
            Entries::Vectors(index) if index.hash().is_some() => {
                let (_, place) = key::decode_attribute(entry.get(key::HASH_BYTES..)?).ok()?;
                Some(place.to_vec())
            }
            Entries::Vectors(_) => Some(entry.to_vec()),
            Entries::Expiry(_) => Some(expiry::place_of(entry).to_vec()),
        }
    }

    /// An entry's place as a difference tells it.
    fn place_text(self, table: &TableDefinition, entry: &[u8]) -> String {
        let key = || table.key_schema.attributes();
        match self {
            Entries::Index(index) => place_text(entry, index.key_schema.attributes().chain(key())),
            Entries::Vectors(_) => {
                let place = self.item_place(table, entry, &[]).unwrap_or_default();
                place_text(&place, key())
            }
            Entries::Expiry(_) => {
                let time = entry.first_chunk().copied().map_or(0, u64::from_be_bytes);
                format!("{time} of {}", place_text(expiry::place_of(entry), key()))
            }
        }
    }
}

impl Look<'_> {
    /// Names the entries that no item has. Those that items have were looked at from the items' side, so as long as
    /// there are as many, there is none.
    pub(super) fn strays(
        &mut self,
        table: &TableDefinition,
        follower: &Follower<'_>,
    ) -> Result<(), InternalError> {
        let (snapshot, entries) = (self.snapshot, follower.entries);
        let count = count(snapshot, entries.space())?;
        if !matches!(entries, Entries::Expiry(_)) {
            self.verified.entries += count;
        }
        if count == follower.present {
            return Ok(());
        }
        each(snapshot, entries.space(), Bounds::ALL, |entry, value| {
            if !has_item(snapshot, table, entries, entry, &value)? {
                let key = format!("the entry at {}", entries.place_text(table, entry));
                self.tell(&follower.name, key, entries.value_text(&value), "nothing, for no item has it");
            }
            Ok(())
        })
    }
}

/// Whether an item has the entry.
fn has_item(
    snapshot: &dyn Snapshot,
    table: &TableDefinition,
    entries: Entries<'_>,
    entry: &[u8],
    value: &[u8],
) -> Result<bool, InternalError> {
    let Some(place) = entries.item_place(table, entry, value) else { return Ok(false) };
    let Some(stored) = snapshot.get(table.space, &place)? else { return Ok(false) };
    let Ok(item) = Item::from_stored(stored) else { return Ok(false) };
    let Ok(place) = ItemKey::of_item(&table.key_schema, item.as_ref()) else { return Ok(false) };
    Ok(entries.expected(table, &item, &place).is_some_and(|expected| expected.place == entry))
}

/// The first entry whose key begins so.
pub(super) fn first_of(
    snapshot: &dyn Snapshot,
    space: Space,
    prefix: &[u8],
) -> Result<Option<SharedBytes>, InternalError> {
    let mut found = None;
    let bounds = Bounds::new(Bound::Included(prefix), Bound::Unbounded);
    snapshot.range(space, bounds, Direction::Forward, 1, &mut |key, value| {
        found = key.starts_with(prefix).then(|| value.to_shared());
        Visit::Stop
    })?;
    Ok(found)
}

/// How many entries a keyspace has.
pub(super) fn count(snapshot: &dyn Snapshot, space: Space) -> Result<u64, InternalError> {
    let mut count = 0;
    each(snapshot, space, Bounds::ALL, |_, _| {
        count += 1;
        Ok(())
    })?;
    Ok(count)
}
