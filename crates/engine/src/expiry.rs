//! Time to live: the expiry times of a table's items, in their order.
//!
//! A table with a time to live has a keyspace of its own for it: `expiry time || item's place`, for every item
//! whose attribute is a number that can be a time. The write path keeps it, a [job](crate::jobs) fills it for
//! a table in use, and another one removes the items whose time has come, by the same write path as a request.

use keyplan_store::{Batch, Snapshot, Space, StoreError, StoreExt, Visit};
use keyplan_store::{Bounds, Direction, Store};
use keyplan_value::Item;

use crate::call::Timestamp;
use crate::catalog::TimeToLive;
use crate::limits::EXPIRY_LOOK_BACK_SECONDS;
use crate::spaces::EXPIRY_TABLES;

/// The time at which an item expires, in epoch seconds. What is no number, is negative or is too far away is
/// no time; a fraction is dropped.
pub(crate) fn expiry_time(time_to_live: &TimeToLive, item: &Item) -> Option<u64> {
    let number = item.as_ref().get(&time_to_live.attribute)?.number()?;
    if number.is_negative() {
        return None;
    }
    number.to_u64().or_else(|| {
        let text = number.to_string();
        text.split_once('.').and_then(|(whole, _)| whole.parse().ok())
    })
}

/// The expiry times of items that have expired at `now`: those before it, but not those of long ago.
pub(crate) fn expired(now: Timestamp) -> std::ops::Range<u64> {
    let seconds = now.0 / 1_000;
    seconds.saturating_sub(EXPIRY_LOOK_BACK_SECONDS)..seconds
}

/// Where an item stands among the expiry times.
pub(crate) fn entry(time: u64, place: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(8 + place.len());
    key.extend(time.to_be_bytes());
    key.extend_from_slice(place);
    key
}

/// The item's place in such an entry.
pub(crate) fn place_of(entry: &[u8]) -> &[u8] {
    entry.get(8..).unwrap_or_default()
}

/// Adds to `batch` what the change of the item at `place` does to the expiry times.
pub(crate) fn follow(
    batch: &mut Batch,
    time_to_live: &TimeToLive,
    place: &[u8],
    before: Option<&Item>,
    after: Option<&Item>,
) {
    let time = |item: Option<&Item>| item.and_then(|item| expiry_time(time_to_live, item));
    let (before, after) = (time(before), time(after));
    if before == after {
        return;
    }
    if let Some(time) = before {
        batch.delete(time_to_live.space, entry(time, place));
    }
    if let Some(time) = after {
        batch.put(time_to_live.space, entry(time, place), [].as_slice());
    }
}

/// Adds to `batch` that the table's items expire.
pub(crate) fn note(batch: &mut Batch, time_to_live: &TimeToLive, table: &str) {
    batch.put(EXPIRY_TABLES, time_to_live.space.0.to_be_bytes(), table.as_bytes());
}

/// Takes that away, in the batch that drops the keyspace `space`, whatever it holds.
pub(crate) fn forget(batch: &mut Batch, space: Space) {
    batch.delete(EXPIRY_TABLES, space.0.to_be_bytes());
}

/// The tables whose items expire: each one's keyspace of expiry times, and its name.
///
/// # Errors
/// When the store fails.
pub(crate) fn tables(store: &dyn Store) -> Result<Vec<(Space, String)>, StoreError> {
    let mut tables = Vec::new();
    store.view(|snapshot: &dyn Snapshot| {
        snapshot.range(EXPIRY_TABLES, Bounds::ALL, Direction::Forward, 1, &mut |key, name| {
            if let Ok(space) = key.try_into() {
                let name = String::from_utf8_lossy(&name).into_owned();
                tables.push((Space(u64::from_be_bytes(space)), name));
            }
            Visit::Continue
        })
    })??;
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use keyplan_value::AttributeValue;

    use super::*;

    #[test]
    fn only_numbers_that_can_be_a_time_are_one() {
        let time_to_live = TimeToLive { attribute: "ttl".to_owned(), space: Space(16) };
        let time = |value: AttributeValue| {
            let item = Item::from_attributes([("ttl", value)]).expect("an item");
            expiry_time(&time_to_live, &item)
        };
        let number = |text: &str| AttributeValue::N(text.parse().expect("a number"));
        assert_eq!(time(number("1700000000")), Some(1_700_000_000));
        assert_eq!(time(number("1700000000.9")), Some(1_700_000_000), "a fraction is dropped");
        assert_eq!(time(number("1.7e9")), Some(1_700_000_000));
        assert_eq!(time(number("0")), Some(0));
        for none in [number("-1"), number("-0.5"), number("1e30"), "1700000000".into(), AttributeValue::Null]
        {
            assert_eq!(time(none.clone()), None, "{none:?}");
        }
    }
}
