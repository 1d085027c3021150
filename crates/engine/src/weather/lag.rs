//! Old images: what eventually consistent reads see while the lag is on.
//!
//! Every write that is committed leaves here, for each place it changed, what was there before. A read that is
//! behind looks at the store as it is, with the images of the writes that are too young for it laid over it. So a
//! store knows nothing of it, and nothing is kept longer than the lag.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Bound;

use keyplan_store::{
    Bounds, Direction, SharedBytes, Snapshot, Space, StoreError, StoredValue, Visit, Visitor,
};
use keyplan_value::order;

use crate::call::Timestamp;
use crate::limits::WEATHER_IMAGES_BYTES_MAX;

/// One place that a write changed: its keyspace, its key, and the image before.
pub(crate) type OldImage = (Space, Vec<u8>, Option<SharedBytes>);

/// The images of the last writes.
#[derive(Debug, Default)]
pub(super) struct Images {
    /// By place, oldest first.
    places: HashMap<Space, BTreeMap<Vec<u8>, Past>>,
    /// What each write changed, oldest first: a write's images go together, so that what is seen is whole.
    writes: VecDeque<Kept>,
    bytes: usize,
}

/// What lay at a place before each of some writes, with the time of the write.
type Past = VecDeque<(Timestamp, Option<SharedBytes>)>;

/// The places of one write.
#[derive(Debug)]
struct Kept {
    time: Timestamp,
    places: Vec<(Space, Vec<u8>)>,
    bytes: usize,
}

/// The images that a read sees in the place of what is there.
pub(crate) type Overlay = BTreeMap<Vec<u8>, Option<SharedBytes>>;

impl Images {
    /// Keeps the images of a write made at `now`, and lets go of those older than `kept` milliseconds.
    pub(super) fn keep(&mut self, now: Timestamp, kept: u64, images: Vec<OldImage>) {
        while let Some(Kept { time, .. }) = self.writes.front()
            && (time.0.saturating_add(kept) <= now.0 || self.bytes > WEATHER_IMAGES_BYTES_MAX)
        {
            self.forget_oldest();
        }
        let mut places = Vec::with_capacity(images.len());
        let mut bytes = 0;
        for (space, place, image) in images {
            bytes += place.len() * 2 + image.as_ref().map_or(0, |image| image.len());
            places.push((space, place.clone()));
            let of_place = self.places.entry(space).or_default().entry(place).or_default();
            of_place.push_back((now, image));
        }
        self.bytes += bytes;
        self.writes.push_back(Kept { time: now, places, bytes });
    }

    fn forget_oldest(&mut self) {
        let Some(Kept { places, bytes, .. }) = self.writes.pop_front() else { return };
        self.bytes -= bytes;
        for (space, place) in places {
            let Some(of_space) = self.places.get_mut(&space) else { continue };
            if let Some(images) = of_space.get_mut(&place) {
                images.pop_front();
                if images.is_empty() {
                    of_space.remove(&place);
                }
            }
            if of_space.is_empty() {
                self.places.remove(&space);
            }
        }
    }

    /// What a read of a keyspace sees that is at the state of `as_of`, inside some bounds.
    pub(super) fn overlay(&self, space: Space, bounds: Bounds<'_>, as_of: Timestamp) -> Overlay {
        let Some(of_space) = self.places.get(&space).filter(|_| !bounds.is_empty()) else {
            return Overlay::new();
        };
        let images = of_space.range::<[u8], (Bound<&[u8]>, Bound<&[u8]>)>((bounds.lower, bounds.upper));
        order::entered(images.filter_map(|(place, images)| {
            let (_, image) = images.iter().find(|(time, _)| *time > as_of)?;
            Some((place.clone(), image.clone()))
        }))
    }
}

/// A snapshot as a read sees it that is behind.
pub(crate) struct Behind<'s> {
    snapshot: &'s dyn Snapshot,
    overlays: &'s [(Space, Overlay)],
}

impl<'s> Behind<'s> {
    pub(crate) fn new(snapshot: &'s dyn Snapshot, overlays: &'s [(Space, Overlay)]) -> Behind<'s> {
        Behind { snapshot, overlays }
    }

    fn overlay(&self, space: Space) -> Option<&'s Overlay> {
        self.overlays.iter().find(|(of, overlay)| *of == space && !overlay.is_empty()).map(|(_, found)| found)
    }
}

impl Snapshot for Behind<'_> {
    fn get_many(&self, space: Space, keys: &[&[u8]]) -> Result<Vec<Option<SharedBytes>>, StoreError> {
        let mut values = self.snapshot.get_many(space, keys)?;
        if let Some(overlay) = self.overlay(space) {
            for (value, key) in values.iter_mut().zip(keys) {
                if let Some(image) = overlay.get(*key) {
                    value.clone_from(image);
                }
            }
        }
        Ok(values)
    }

    fn range(
        &self,
        space: Space,
        bounds: Bounds<'_>,
        direction: Direction,
        expected: usize,
        visit: &mut Visitor<'_>,
    ) -> Result<(), StoreError> {
        let Some(overlay) = self.overlay(space).filter(|_| !bounds.is_empty()) else {
            return self.snapshot.range(space, bounds, direction, expected, visit);
        };
        let inside = overlay.range::<[u8], (Bound<&[u8]>, Bound<&[u8]>)>((bounds.lower, bounds.upper));
        // The next image is the last.
        let mut images: Vec<_> = inside.collect();
        if direction == Direction::Forward {
            images.reverse();
        }
        let comes_first = |one: &[u8], other: &[u8]| match direction {
            Direction::Forward => one < other,
            Direction::Backward => one > other,
        };
        let mut stopped = false;
        self.snapshot.range(space, bounds, direction, expected, &mut |key, value| {
            while !stopped && let Some(image) = images.pop_if(|(place, _)| comes_first(place, key)) {
                stopped = show(visit, image) == Visit::Stop;
            }
            if stopped {
                return Visit::Stop;
            }
            let visited = match images.pop_if(|(place, _)| place.as_slice() == key) {
                Some(image) => show(visit, image),
                None => visit(key, value),
            };
            stopped = visited == Visit::Stop;
            visited
        })?;
        while !stopped && let Some(image) = images.pop() {
            stopped = show(visit, image) == Visit::Stop;
        }
        Ok(())
    }
}

/// Visits an image, if there was anything.
fn show(visit: &mut Visitor<'_>, (place, image): (&Vec<u8>, &Option<SharedBytes>)) -> Visit {
    image.as_ref().map_or(Visit::Continue, |image| visit(place, StoredValue::shared(image)))
}

#[cfg(test)]
mod tests {
    use keyplan_store::{Batch, MemoryStore, Store, StoreExt};
    use proptest::prelude::*;

    use super::*;

    fn write(store: &MemoryStore, space: Space, images: &mut Images, now: u64, key: u8, value: Option<u8>) {
        let key = vec![key];
        let before = store.view(|snapshot| snapshot.get(space, &key)).expect("a view").expect("a value");
        images.keep(Timestamp(now), 10, vec![(space, key.clone(), before)]);
        let written = store.transact(move |_| -> Result<_, ()> {
            let mut batch = Batch::new();
            match value {
                Some(value) => batch.put(space, key.as_slice(), vec![value]),
                None => batch.delete(space, key.as_slice()),
            }
            Ok((batch, ()))
        });
        written.expect("a store").expect("a commit");
    }

    fn all(snapshot: &dyn Snapshot, space: Space, bounds: Bounds<'_>, direction: Direction) -> Vec<(u8, u8)> {
        let mut found = Vec::new();
        let visit = &mut |key: &[u8], value: StoredValue<'_>| {
            found.push((key[0], value.bytes()[0]));
            Visit::Continue
        };
        snapshot.range(space, bounds, direction, 4, visit).expect("a range");
        found
    }

    proptest! {
        /// A read that is behind sees the store as it was then: all of it, in both directions, by key and by
        /// range.
        #[test]
        fn what_is_behind_sees_the_store_as_it_was(
            writes in proptest::collection::vec((0_u8..8, proptest::option::of(any::<u8>())), 1..20),
            behind in 0_u64..10,
            (low, high) in (0_u8..8, 0_u8..9),
        ) {
            let store = MemoryStore::new();
            let space = store.new_space().expect("a space");
            let mut images = Images::default();
            let mut states = vec![BTreeMap::new()];
            for (now, (key, value)) in writes.iter().enumerate() {
                write(&store, space, &mut images, now as u64 + 1, *key, *value);
                let mut state: BTreeMap<u8, u8> = states.last().expect("one").clone();
                match value {
                    Some(value) => _ = state.insert(*key, *value),
                    None => _ = state.remove(key),
                }
                states.push(state);
            }
            let as_of = (writes.len() as u64).saturating_sub(behind);
            let then = &states[as_of as usize];
            let overlays = [(space, images.overlay(space, Bounds::ALL, Timestamp(as_of)))];
            store.view(|snapshot| {
                let seen = Behind::new(snapshot, &overlays);
                let mut expected: Vec<(u8, u8)> = then.iter().map(|(key, value)| (*key, *value)).collect();
                assert_eq!(all(&seen, space, Bounds::ALL, Direction::Forward), expected);
                let (low, high) = ([low], [high]);
                let bounds = Bounds::new(Bound::Included(&low[..]), Bound::Excluded(&high[..]));
                expected.retain(|(key, _)| bounds.contains(&[*key]));
                expected.reverse();
                assert_eq!(all(&seen, space, bounds, Direction::Backward), expected);
                for key in 0..8 {
                    let value = seen.get(space, &[key]).expect("a value");
                    assert_eq!(value.map(|value| value[0]), then.get(&key).copied());
                }
            }).expect("a view");
        }
    }

    #[test]
    fn images_that_nobody_can_be_behind_of_any_more_go() {
        let (space, mut images) = (Space(20), Images::default());
        for now in 0..100 {
            images.keep(Timestamp(now), 10, vec![(space, vec![1], None), (space, vec![now as u8], None)]);
        }
        assert_eq!(images.writes.len(), 10);
        assert_eq!(images.places[&space].len(), 11, "one for each write, and the one that all changed");
        images.keep(Timestamp(1_000), 10, Vec::new());
        assert!(images.places.is_empty() && images.bytes == 0, "{images:?}");
    }
}
