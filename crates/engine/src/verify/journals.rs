//! Journals: their records in order, the images of each item one after the other, and the shards of streams.

use std::collections::{BTreeMap, HashMap};

use keyplan_store::{Bounds, Space};
use keyplan_value::Item;
use twox_hash::XxHash3_128;

use super::text::{item_text, nothing_or, place_text, table_name, table_named};
use super::{Look, each};
use crate::catalog::{KeySchema, StreamDefinition, TableDefinition, decode_stream};
use crate::error::InternalError;
use crate::journal::{self, CommitTime, Record};
use crate::keys::ItemKey;
use crate::spaces::STREAMS;
use crate::streams;

/// Items whose last images are kept at a time.
const ITEMS_AT_ONCE: u64 = 50_000;

/// A journal and who reads it.
struct Journal<'j> {
    space: Space,
    name: String,
    key_schema: &'j KeySchema,
    /// The table, while it is there.
    table: Option<&'j TableDefinition>,
    streams: Vec<&'j StreamDefinition>,
    /// The number that the next record will have.
    next: u64,
}

/// Numbers of a journal between which every change of the table's items has a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    from: u64,
    /// The number behind the last.
    until: u64,
    /// Whether it goes on: the last image of an item is the item as it is.
    goes_on: bool,
}

/// The image that an item was left with: the number of the record, and a digest.
type Left = (u64, u128);

impl Look<'_> {
    /// The streams that are there, each held against its table and its own shards.
    pub(super) fn streams(
        &mut self,
        tables: &[TableDefinition],
    ) -> Result<Vec<StreamDefinition>, InternalError> {
        let mut found = Vec::new();
        each(self.snapshot, STREAMS, Bounds::ALL, |key, record| {
            match decode_stream(&record) {
                Ok(stream) if streams::key(&stream.table, &stream.label) == key => found.push(stream),
                _ => {
                    let key = String::from_utf8_lossy(key).replace('\0', ", ");
                    self.tell("the streams", key, "a damaged record", "the stream of a table");
                }
            }
            Ok(())
        })?;
        for stream in &found {
            self.shards(stream, tables);
        }
        for table in tables {
            let Some(set) = table.stream.as_ref().filter(|set| set.view.is_some()) else { continue };
            if !found.iter().any(|stream| stream.table == table.key() && stream.label == set.label) {
                let key = format!("stream {}", set.label);
                self.tell(&table_name(table), key, "nothing", "the stream that the table has enabled");
            }
        }
        Ok(found)
    }

    fn shards(&mut self, stream: &StreamDefinition, tables: &[TableDefinition]) {
        let place = format!("{}, stream {}", table_named(&stream.table), stream.label);
        let is_enabled = tables.iter().any(|table| {
            let set = table.stream.as_ref().filter(|set| set.view.is_some() && set.label == stream.label);
            set.is_some() && table.key() == stream.table.as_str() && table.journal == Some(stream.journal)
        });
        let is_open = stream.ended_at().is_none();
        if is_open != is_enabled {
            let told = |open: bool| if open { "an open shard" } else { "no open shard" };
            self.tell(&place, "its last shard".to_owned(), told(is_open), told(is_enabled));
        }
        for (earlier, later) in stream.shards.iter().zip(stream.shards.iter().skip(1)) {
            let follows = earlier.closed.is_some_and(|end| end.number < later.start)
                && later.parent == Some(earlier.opened)
                && earlier.opened < later.opened;
            if !follows {
                let key = format!("the shard that was opened at {}", later.opened.0);
                let found = format!("numbers from {}, after a parent of {:?}", later.start, later.parent);
                self.tell(&place, key, found, "numbers and a time after its parent's");
            }
        }
    }

    /// Holds the records of all journals against each other and the items.
    pub(super) fn journals(
        &mut self,
        tables: &[TableDefinition],
        streams: &[StreamDefinition],
    ) -> Result<(), InternalError> {
        let mut journals: BTreeMap<Space, Journal<'_>> = BTreeMap::new();
        for table in tables {
            let Some(space) = table.journal else { continue };
            let Some(next) = journal::next_number(self.snapshot, space)? else { continue };
            let name = format!("{}, journal", table_name(table));
            let (key_schema, table) = (&table.key_schema, Some(table));
            journals.insert(space, Journal { space, name, key_schema, table, streams: Vec::new(), next });
        }
        for stream in streams {
            let space = stream.journal;
            let Some(next) = journal::next_number(self.snapshot, space)? else { continue };
            let name = || format!("{}, journal {}", table_named(&stream.table), space.0);
            let journal = journals.entry(space).or_insert_with(|| Journal {
                space,
                name: name(),
                key_schema: &stream.key_schema,
                table: None,
                streams: Vec::new(),
                next,
            });
            journal.streams.push(stream);
        }
        for journal in journals.values() {
            let records = self.order(journal)?;
            self.images(journal, records)?;
        }
        Ok(())
    }

    /// Records lie in the order of their numbers and times, and none is missing that a stream has. Gives how many
    /// there are.
    fn order(&mut self, journal: &Journal<'_>) -> Result<u64, InternalError> {
        let last_commit = journal::last_commit(self.snapshot)?;
        let (mut count, mut previous, mut latest) = (0, None, CommitTime(0));
        each(self.snapshot, journal.space, Bounds::ALL, |place, stored| {
            count += 1;
            let Some(number) = journal::number_of(place) else {
                self.tell(&journal.name, super::text::hexadecimal(place), "a record", "a number for its key");
                return Ok(());
            };
            let key = || format!("record {number}");
            if number >= journal.next {
                self.tell(&journal.name, key(), "a record", format!("none from {} on", journal.next));
            }
            if let Some(previous) = previous {
                self.missing(journal, previous + 1, number);
            }
            previous = Some(number);
            let Ok(record) = Record::decode(&stored) else {
                self.tell(&journal.name, key(), "a damaged record", "the change of an item");
                return Ok(());
            };
            if record.time < latest {
                self.tell(
                    &journal.name,
                    key(),
                    format!("the time {}", record.time.0),
                    format!("{} or later", latest.0),
                );
            }
            if last_commit.is_none_or(|last| record.time > last) {
                let expected = format!("at most the last commit's, {}", last_commit.map_or(0, |last| last.0));
                self.tell(&journal.name, key(), format!("the time {}", record.time.0), expected);
            }
            latest = latest.max(record.time);
            if record.before == record.after {
                let found = nothing_or(record.before.as_ref().map(|item| item_text(item.stored())));
                self.tell(&journal.name, key(), format!("{found} before and after"), "a change");
            }
            Ok(())
        })?;
        if let Some(previous) = previous {
            self.missing(journal, previous + 1, journal.next);
        }
        self.verified.records += count;
        Ok(count)
    }

    /// Names the records from one number up to another, as far as a stream has them: what ends a shard takes a
    /// number and leaves no record.
    fn missing(&mut self, journal: &Journal<'_>, from: u64, until: u64) {
        if from >= until {
            return;
        }
        for shard in journal.streams.iter().flat_map(|stream| &stream.shards) {
            let end = shard.closed.map_or(journal.next, |end| end.number);
            let (first, behind) = (from.max(shard.start), until.min(end));
            if first < behind {
                let key = format!("records {first} to {}", behind - 1);
                self.tell(&journal.name, key, "nothing", "the changes that took these numbers");
            }
        }
    }

    /// Each record's image before is what the last record of the item left, and the last image is the item.
    fn images(&mut self, journal: &Journal<'_>, records: u64) -> Result<(), InternalError> {
        let stretches = self.stretches(journal)?;
        // The items are parted by a digest of their places, so that a walk remembers only so many.
        let walks = u128::from(records / ITEMS_AT_ONCE + 1);
        for walk in 0..walks {
            let mut left: HashMap<Vec<u8>, Left> = HashMap::new();
            let mut at = None;
            each(self.snapshot, journal.space, Bounds::ALL, |place, stored| {
                let Some(number) = journal::number_of(place) else { return Ok(()) };
                let stretch =
                    stretches.iter().find(|stretch| (stretch.from..stretch.until).contains(&number));
                let Some(stretch) = stretch else { return Ok(()) };
                if at != Some(stretch.from) {
                    at = Some(stretch.from);
                    left.clear();
                }
                let Ok(record) = Record::decode(&stored) else { return Ok(()) };
                let Some(item) = self.item_of(journal, number, &record, walk == 0) else { return Ok(()) };
                if digest(&item) % walks != walk {
                    return Ok(());
                }
                let before = image(record.before.as_ref());
                if let Some((earlier, image)) = left.insert(item, (number, image(record.after.as_ref())))
                    && image != before
                {
                    let found = nothing_or(record.before.as_ref().map(|item| item_text(item.stored())));
                    let expected = format!("what record {earlier} left");
                    self.tell(&journal.name, format!("the item before record {number}"), found, expected);
                }
                Ok(())
            })?;
            let goes_on = stretches.iter().any(|stretch| stretch.goes_on && at == Some(stretch.from));
            if let Some(table) = journal.table.filter(|_| goes_on) {
                self.last_images(table, &left)?;
            }
        }
        Ok(())
    }

    /// The place of the item that a record is of.
    fn item_of(
        &mut self,
        journal: &Journal<'_>,
        number: u64,
        record: &Record,
        tells: bool,
    ) -> Option<Vec<u8>> {
        let place =
            |item: &Item| ItemKey::of_item(journal.key_schema, item.as_ref()).map(ItemKey::into_bytes);
        let images = [record.before.as_ref(), record.after.as_ref()];
        let mut places = images.into_iter().flatten().map(place);
        let first = places.next()?.ok();
        let is_one = first.is_some() && places.all(|place| place.ok() == first);
        if !is_one && tells {
            let told = |item: Option<&Item>| nothing_or(item.map(|item| item_text(item.stored())));
            let [before, after] = images.map(told);
            let found = format!("{before} before and {after} after");
            self.tell(&journal.name, format!("record {number}"), found, "one item of the table");
        }
        first.filter(|_| is_one)
    }

    fn last_images(
        &mut self,
        table: &TableDefinition,
        left: &HashMap<Vec<u8>, Left>,
    ) -> Result<(), InternalError> {
        for (place, (number, image)) in left {
            let item = self.snapshot.get(table.space, place)?;
            if item.as_ref().map_or(0, |stored| digest(stored)) != *image {
                let key = place_text(place, table.key_schema.attributes());
                let found = nothing_or(item.map(|stored| item_text(&stored)));
                let expected = format!("what record {number} of its journal left");
                self.tell(&table_name(table), key, found, expected);
            }
        }
        Ok(())
    }

    /// Where a journal has every change: in the shards of streams, and as far back as the table can be recovered.
    fn stretches(&mut self, journal: &Journal<'_>) -> Result<Vec<Stretch>, InternalError> {
        // A replica's first items were copied into it, which is no change.
        if journal.table.is_some_and(|table| table.region.is_some()) {
            return Ok(Vec::new());
        }
        let mut stretches = Vec::new();
        for stream in &journal.streams {
            for shard in &stream.shards {
                let (until, goes_on) = match shard.closed {
                    Some(end) => (end.number, false),
                    None => (u64::MAX, true),
                };
                stretches.push(Stretch { from: shard.start, until, goes_on });
            }
        }
        if let Some(recovery) = journal.table.and_then(|table| table.recovery.as_ref()) {
            let since = CommitTime::of(recovery.since);
            let from = journal::first_since(self.snapshot, journal.space, since, journal.next)?;
            stretches.push(Stretch { from, until: u64::MAX, goes_on: true });
        }
        Ok(joined(stretches))
    }
}

/// Stretches that overlap are one.
fn joined(mut stretches: Vec<Stretch>) -> Vec<Stretch> {
    stretches.sort_by_key(|stretch| stretch.from);
    let mut joined: Vec<Stretch> = Vec::new();
    for stretch in stretches {
        match joined.last_mut().filter(|last| stretch.from < last.until) {
            Some(last) => {
                last.until = last.until.max(stretch.until);
                last.goes_on |= stretch.goes_on;
            }
            None => joined.push(stretch),
        }
    }
    joined
}

fn image(item: Option<&Item>) -> u128 {
    item.map_or(0, |item| digest(item.stored()))
}

fn digest(bytes: &[u8]) -> u128 {
    XxHash3_128::oneshot(bytes)
}
