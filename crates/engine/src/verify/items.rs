//! A table's items, with what follows from each.

use keyplan_store::{Bounds, SharedBytes, Space, counter_value};
use keyplan_value::{Item, ItemRef};

use super::entries::Entries;
use super::text::{item_text, nothing_or, place_text, table_name};
use super::{Look, each};
use crate::catalog::{IndexScope, TableDefinition, Totals, counters};
use crate::error::InternalError;
use crate::expiry;
use crate::indexes::{Entry, VectorEntry, vector_value};
use crate::jobs::Backfill;
use crate::keys::ItemKey;

/// Something that has an entry for items of a table.
pub(super) struct Follower<'t> {
    /// What a difference calls it.
    pub(super) name: String,
    pub(super) entries: Entries<'t>,
    /// The job that fills it, as long as one does.
    filling: Option<Backfill>,
    /// How many items have an entry that is there, whatever its value.
    pub(super) present: u64,
    /// What items have, or should have, there.
    held: Totals,
    saved: i64,
}

/// The entry that an item has somewhere.
pub(super) struct Expected {
    pub(super) place: Vec<u8>,
    pub(super) value: SharedBytes,
    pub(super) bytes: u64,
    /// Of a vector, what it takes less than the list of numbers that it is.
    pub(super) saved: i64,
}

impl Entries<'_> {
    /// The entry of the item at a place, if it has one.
    pub(super) fn expected(self, table: &TableDefinition, item: &Item, place: &ItemKey) -> Option<Expected> {
        match self {
            Entries::Index(index) => {
                let entry = Entry::of(table, index, item)?;
                Some(Expected {
                    place: entry.place().bytes().to_vec(),
                    value: entry.item().stored().clone(),
                    bytes: entry.size(),
                    saved: 0,
                })
            }
            Entries::Vectors(index) => {
                let entry = VectorEntry::of(table, index, item.as_ref(), place)?;
                let value = vector_value(index, item.as_ref())?;
                Some(Expected {
                    place: entry.place.bytes().to_vec(),
                    value: value.into(),
                    bytes: entry.bytes,
                    saved: entry.saved,
                })
            }
            Entries::Expiry(time_to_live) => {
                let time = expiry::expiry_time(time_to_live, item)?;
                let place = expiry::entry(time, place.bytes());
                Some(Expected { place, value: SharedBytes::from([].as_slice()), bytes: 0, saved: 0 })
            }
        }
    }
}

/// The item collection that a walk is in.
struct Collection {
    space: Space,
    partition: Vec<u8>,
    bytes: i64,
}

impl Look<'_> {
    /// Holds all that follows from a table's items against them.
    pub(super) fn items(&mut self, table: &TableDefinition) -> Result<(), InternalError> {
        let name = table_name(table);
        self.verified.tables += 1;
        let mut followers = self.followers(table, &name)?;
        let mut collection =
            table.collections.map(|space| Collection { space, partition: Vec::new(), bytes: 0 });
        let (snapshot, mut held) = (self.snapshot, Totals::default());
        each(snapshot, table.space, Bounds::ALL, |place, stored| {
            let attributes = || table.key_schema.attributes();
            let is_whole = ItemRef::from_stored(stored.bytes()).is_ok_and(|item| item.check().is_ok());
            let item = is_whole.then(|| Item::from_stored(stored.to_shared())).transpose()?;
            let key = item.as_ref().map(|item| ItemKey::of_item(&table.key_schema, item.as_ref()));
            let (Some(item), Some(Ok(key))) = (item, key) else {
                self.tell(
                    &name,
                    place_text(place, attributes()),
                    item_text(&stored),
                    "an item with this key",
                );
                return Ok(());
            };
            if key.bytes() != place {
                self.tell(
                    &name,
                    place_text(place, attributes()),
                    item_text(&stored),
                    "an item with this key",
                );
                return Ok(());
            }
            self.verified.items += 1;
            let size = i64::try_from(item.as_ref().size()).unwrap_or(i64::MAX);
            held += Totals { items: 1, bytes: size };
            let mut grown = size;
            for follower in &mut followers {
                grown += self.entry(table, follower, &item, &key)?;
            }
            if let Some(collection) = &mut collection {
                if collection.partition != key.partition_bytes() {
                    self.end_collection(table, &name, collection)?;
                    collection.partition = key.partition_bytes().to_vec();
                }
                collection.bytes += grown;
            }
            Ok(())
        })?;
        let counted = counters::totals(snapshot, table.space)?;
        self.compare(&name, "its count of items", counted.items, held.items);
        self.compare(&name, "its count of bytes", counted.bytes, held.bytes);
        if let Some(mut collection) = collection {
            self.end_collection(table, &name, &mut collection)?;
            self.stray_collections(table, &name, &collection)?;
        }
        for follower in &followers {
            self.totals(table, follower)?;
        }
        Ok(())
    }

    fn followers<'t>(
        &mut self,
        table: &'t TableDefinition,
        name: &str,
    ) -> Result<Vec<Follower<'t>>, InternalError> {
        let indexes = table.indexes.iter().map(Entries::Index);
        let vectors = table.vector_indexes.iter().map(Entries::Vectors);
        let expiry = table.time_to_live.iter().map(Entries::Expiry);
        let mut followers = Vec::new();
        for entries in indexes.chain(vectors).chain(expiry) {
            followers.push(Follower {
                name: match entries {
                    Entries::Index(index) => format!("{name}, index {}", index.name),
                    Entries::Vectors(index) => format!("{name}, vector index {}", index.name),
                    Entries::Expiry(_) => format!("{name}, expiry times"),
                },
                entries,
                filling: Backfill::of(self.snapshot, entries.space())?,
                present: 0,
                held: Totals::default(),
                saved: 0,
            });
        }
        Ok(followers)
    }

    /// Holds an item's entry against it. Gives what the item collection grows by.
    fn entry(
        &mut self,
        table: &TableDefinition,
        follower: &mut Follower<'_>,
        item: &Item,
        place: &ItemKey,
    ) -> Result<i64, InternalError> {
        let Some(expected) = follower.entries.expected(table, item, place) else { return Ok(0) };
        let found = self.snapshot.get(follower.entries.space(), &expected.place)?;
        let may_lack = follower.filling.as_ref().is_some_and(|filling| !filling.has_reached(place.bytes()));
        if found.is_none() && may_lack {
            return Ok(0);
        }
        follower.present += u64::from(found.is_some());
        if found.as_ref() != Some(&expected.value) {
            let told = |value: &SharedBytes| follower.entries.value_text(value);
            let key = place_text(place.bytes(), table.key_schema.attributes());
            let found = nothing_or(found.as_ref().map(told));
            self.tell(&follower.name, format!("the entry of {key}"), found, told(&expected.value));
        }
        // Where one is missing its bytes are counted all the same, so that the count isn't told as well.
        let bytes = i64::try_from(expected.bytes).unwrap_or(i64::MAX);
        follower.held += Totals { items: 1, bytes };
        follower.saved += expected.saved;
        let is_local = matches!(follower.entries, Entries::Index(index) if index.scope == IndexScope::Local);
        Ok(if is_local { bytes } else { 0 })
    }

    /// Counts the entries that are there, names those that no item has, and compares the counters.
    fn totals(&mut self, table: &TableDefinition, follower: &Follower<'_>) -> Result<(), InternalError> {
        self.strays(table, follower)?;
        let space = follower.entries.space();
        if matches!(follower.entries, Entries::Expiry(_)) {
            return Ok(());
        }
        let counted = counters::totals(self.snapshot, space)?;
        self.compare(&follower.name, "its count of entries", counted.items, follower.held.items);
        self.compare(&follower.name, "its count of bytes", counted.bytes, follower.held.bytes);
        let saved = counters::saved(self.snapshot, space)?;
        self.compare(&follower.name, "its count of bytes saved", saved, follower.saved);
        Ok(())
    }

    /// Compares the size of the item collection that a walk leaves, and makes room for the next.
    fn end_collection(
        &mut self,
        table: &TableDefinition,
        name: &str,
        collection: &mut Collection,
    ) -> Result<(), InternalError> {
        if collection.partition.is_empty() {
            return Ok(());
        }
        let counted = self.snapshot.get(collection.space, &collection.partition)?;
        let counted = counted.and_then(|bytes| counter_value(&bytes)).unwrap_or_default();
        let key = place_text(&collection.partition, &table.key_schema.partition);
        self.compare(name, &format!("the size of the item collection {key}"), counted, collection.bytes);
        collection.bytes = 0;
        Ok(())
    }

    /// Names item collections that have a size and no items.
    fn stray_collections(
        &mut self,
        table: &TableDefinition,
        name: &str,
        collection: &Collection,
    ) -> Result<(), InternalError> {
        let snapshot = self.snapshot;
        each(snapshot, collection.space, Bounds::ALL, |partition, counted| {
            if super::entries::first_of(snapshot, table.space, partition)?.is_none() {
                let key = place_text(partition, &table.key_schema.partition);
                let counted = counter_value(&counted).unwrap_or_default();
                self.compare(name, &format!("the size of the item collection {key}"), counted, 0);
            }
            Ok(())
        })
    }
}
