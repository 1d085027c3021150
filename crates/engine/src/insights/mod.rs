//! Contributor insights: which keys of a table or an index are the busiest.
//!
//! Where they are enabled is a record in [`SETTINGS`], under the table's place in the catalog and the index's
//! name. What is counted lies in memory, in a bounded sketch for each of them, and begins anew with the
//! process. The accesses that are counted are those of the [trace](crate::trace), which is made for it while
//! insights are enabled anywhere: a partition key counts for each item of its partition that was read or written,
//! and at least once; the key of an item when a request names it or its answer holds it.
//!
//! The service hands the counts to CloudWatch; here the endpoint's control address and
//! [`Engine::busiest_keys`](crate::Engine::busiest_keys) show them.

mod sketch;

use std::collections::HashMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use keyplan_store::{Batch, Bounds, Direction, SharedBytes, Snapshot, Store, StoreExt, Visit};
use keyplan_value::json::Writer;
use keyplan_value::{Item, ItemRef};

use self::sketch::Sketch;
use crate::call::Timestamp;
use crate::error::InternalError;
use crate::limits::{INSIGHTS_KEYS_COUNTED, INSIGHTS_KEYS_SHOWN_MAX};
use crate::spaces::{SETTINGS, Setting};
use crate::trace::Trace;

const MALFORMED: InternalError = InternalError::Malformed("contributor insights");

/// What parts a table's place from an index's name in a key; neither has it.
const BETWEEN: u8 = 0;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsightsMode {
    /// Accesses, and requests that were throttled.
    AccessedAndThrottled,
    /// Requests that were throttled alone.
    Throttled,
}

impl InsightsMode {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            InsightsMode::AccessedAndThrottled => "ACCESSED_AND_THROTTLED_KEYS",
            InsightsMode::Throttled => "THROTTLED_KEYS",
        }
    }

    /// The mode of a word.
    pub fn from_word(word: &str) -> Option<InsightsMode> {
        [InsightsMode::AccessedAndThrottled, InsightsMode::Throttled]
            .into_iter()
            .find(|mode| mode.word() == word)
    }
}

/// The insights of a table or an index, once they were enabled for the first time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) is_enabled: bool,
    pub(crate) mode: InsightsMode,
    /// When they were enabled last, having been disabled; it stands in the names of the rules.
    pub(crate) since: Timestamp,
    /// When they were changed last.
    pub(crate) updated_at: Timestamp,
}

impl Settings {
    fn encode(&self) -> Result<SharedBytes, InternalError> {
        let item = Item::from_attributes([
            ("Enabled", self.is_enabled.into()),
            ("Mode", self.mode.word().into()),
            ("Since", self.since.0.into()),
            ("UpdatedAt", self.updated_at.0.into()),
        ]);
        Ok(item.map_err(|_| MALFORMED)?.into_stored())
    }

    fn decode(bytes: &[u8]) -> Result<Settings, InternalError> {
        let item = ItemRef::from_stored(bytes)?;
        let time = |name: &str| Some(Timestamp(item.get(name)?.number()?.to_u64()?));
        let read = || {
            Some(Settings {
                is_enabled: item.get("Enabled")?.as_bool()?,
                mode: InsightsMode::from_word(item.get("Mode")?.as_str()?)?,
                since: time("Since")?,
                updated_at: time("UpdatedAt")?,
            })
        };
        read().ok_or(MALFORMED)
    }
}

fn key(table: &str, index: Option<&str>) -> Vec<u8> {
    let index = index.unwrap_or_default().as_bytes();
    Setting::Insights.key(&[table.as_bytes(), &[BETWEEN], index].concat())
}

/// The settings of a table or an index; nothing if they were never made.
///
/// # Errors
/// When the store fails, or the record can't be read.
pub(crate) fn settings(
    snapshot: &dyn Snapshot,
    table: &str,
    index: Option<&str>,
) -> Result<Option<Settings>, InternalError> {
    snapshot.get(SETTINGS, &key(table, index))?.map(|record| Settings::decode(&record)).transpose()
}

/// Adds to `batch` the settings of a table or an index.
///
/// # Errors
/// When they can't be given the stored form.
pub(crate) fn put(
    batch: &mut Batch,
    table: &str,
    index: Option<&str>,
    settings: &Settings,
) -> Result<(), InternalError> {
    batch.put(SETTINGS, key(table, index), settings.encode()?);
    Ok(())
}

/// Forgets the settings of a table and its indexes, in the batch that takes it away.
pub(crate) fn remove(batch: &mut Batch, table: &str) {
    let end = Setting::Insights.key(&[table.as_bytes(), &[BETWEEN + 1]].concat());
    batch.delete_range(SETTINGS, Bound::Included(key(table, None)), Bound::Excluded(end));
}

/// Forgets the settings of an index, in the batch that takes it away.
pub(crate) fn remove_index(batch: &mut Batch, table: &str, index: &str) {
    batch.delete(SETTINGS, key(table, Some(index)));
}

/// A table's place in the catalog, an index of it or the table itself, and the settings.
pub(crate) type Listed = (String, Option<String>, Settings);

/// The settings that are enabled, of one table or of all, each table before its indexes, behind a key.
///
/// # Errors
/// When the store fails, or a record can't be read.
pub(crate) fn enabled(snapshot: &dyn Snapshot, table: Option<&str>) -> Result<Vec<Listed>, InternalError> {
    // No table's name begins with the greatest byte there is.
    let lower = table.map_or_else(|| Setting::Insights.key(&[]), |table| key(table, None));
    let upper = table.map_or_else(|| vec![u8::MAX], |table| [table.as_bytes(), &[BETWEEN + 1]].concat());
    let upper = Setting::Insights.key(&upper);
    let (lower, upper) = (Bound::Included(lower.as_slice()), Bound::Excluded(upper.as_slice()));
    let (mut found, mut failed) = (Vec::new(), None);
    snapshot.range(SETTINGS, Bounds::new(lower, upper), Direction::Forward, 16, &mut |key, record| {
        let place = key.get(1..).and_then(|key| std::str::from_utf8(key).ok());
        match (place.and_then(|place| place.split_once(char::from(BETWEEN))), Settings::decode(&record)) {
            (Some((table, index)), Ok(settings)) => {
                let index = (!index.is_empty()).then(|| index.to_owned());
                if settings.is_enabled {
                    found.push((table.to_owned(), index, settings));
                }
                Visit::Continue
            }
            (_, settings) => {
                failed = Some(settings.err().unwrap_or(MALFORMED));
                Visit::Stop
            }
        }
    })?;
    failed.map_or(Ok(found), Err)
}

/// What is counted by one engine.
#[derive(Debug, Default)]
pub(crate) struct Counting {
    /// Whether anything is; the one thing that other requests look at.
    is_on: AtomicBool,
    counted: Mutex<HashMap<(String, Option<String>), Counts>>,
}

/// The counts of a table or an index.
#[derive(Debug)]
struct Counts {
    mode: InsightsMode,
    since: Timestamp,
    partition_keys: Sketch,
    item_keys: Sketch,
}

impl Counting {
    /// Whether anything is counted.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Looks where insights are enabled: this engine was opened, or changed some.
    ///
    /// # Errors
    /// When the store fails, or a record can't be read.
    pub(crate) fn refresh(&self, store: &dyn Store) -> Result<(), InternalError> {
        let enabled = store.view(|snapshot| enabled(snapshot, None))??;
        let mut counted = self.lock();
        counted.retain(|(table, index), counts| {
            enabled.iter().any(|(enabled, of, settings)| {
                enabled == table && of == index && settings.since == counts.since
            })
        });
        for (table, index, Settings { mode, since, .. }) in enabled {
            let empty =
                || Counts { mode, since, partition_keys: Sketch::default(), item_keys: Sketch::default() };
            counted.entry((table, index)).or_insert_with(empty).mode = mode;
        }
        self.is_on.store(!counted.is_empty(), Ordering::Relaxed);
        Ok(())
    }

    /// Counts what a request did. `place` gives a table's place in the catalog.
    pub(crate) fn add(&self, trace: &Trace, place: impl Fn(&str) -> String) {
        let mut counted = self.lock();
        for access in &trace.accesses {
            let of = (place(&access.table), access.index.clone());
            let Some(counts) = counted.get_mut(&of) else { continue };
            if counts.mode != InsightsMode::AccessedAndThrottled {
                continue;
            }
            for partition in &access.partitions {
                let items = partition.runs.iter().map(|run| run.items).sum::<u64>().max(1);
                let key = partition.partition_key.stored();
                counts.partition_keys.add(key, items, INSIGHTS_KEYS_COUNTED);
                let named = partition.runs.iter().filter(|run| run.items == 1).map(|run| &run.first);
                let named: Vec<&SharedBytes> = named.map(Item::stored).collect();
                let returned = partition.returned.iter().map(Item::stored);
                for key in named.iter().copied().chain(returned.filter(|key| !named.contains(key))) {
                    counts.item_keys.add(key, 1, INSIGHTS_KEYS_COUNTED);
                }
            }
        }
    }

    /// The busiest keys of a table or an index as JSON; nothing where they aren't counted.
    pub(crate) fn to_json(&self, table: &str, index: Option<&str>) -> Option<String> {
        let counted = self.lock();
        let counts = counted.get(&(table.to_owned(), index.map(str::to_owned)))?;
        let mut body = Vec::new();
        let mut json = Writer::new(&mut body);
        json.begin_object().name("since").float(counts.since.seconds());
        json.name("mode").string(counts.mode.word());
        for (name, sketch) in [("partitionKeys", &counts.partition_keys), ("itemKeys", &counts.item_keys)] {
            json.name(name).begin_array();
            for (key, counted) in sketch.busiest(INSIGHTS_KEYS_SHOWN_MAX) {
                let Ok(item) = ItemRef::from_stored(key) else { continue };
                json.begin_object().name("key").value_with(|out| item.write_json(out));
                json.name("count").integer(counted.count).name("error").integer(counted.error).end_object();
            }
            json.end_array();
        }
        json.end_object();
        Some(String::from_utf8_lossy(&body).into_owned())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, Option<String>), Counts>> {
        // Counts change in single steps.
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_as_they_were_stored() {
        for mode in [InsightsMode::AccessedAndThrottled, InsightsMode::Throttled] {
            for is_enabled in [true, false] {
                let settings = Settings { is_enabled, mode, since: Timestamp(1), updated_at: Timestamp(2) };
                assert_eq!(
                    Settings::decode(&settings.encode().expect("a form")).expect("readable"),
                    settings
                );
            }
        }
        assert!(Settings::decode(b"").is_err(), "no bytes");
    }
}
