//! Searching a vector index: all of its entries, or those of one HASH value, are looked at, so what is found are
//! the nearest there are.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use keyplan_expression::{PathElement, Projection};
use keyplan_store::{Direction, Snapshot, StoreExt, Visit};
use keyplan_value::json::Writer;
use keyplan_value::{Item, ItemBuilder, ItemRef, Value};

use super::{Extent, Read, write_item};
use crate::capacity::Charge;
use crate::catalog::{self, TableDefinition, VectorIndexDefinition};
use crate::context::Context;
use crate::error::{InternalError, ItemFault, SearchFault, ServiceError};
use crate::indexes::{Searched, StoredVector};
use crate::jobs::Backfill;
use crate::keys::{self, ItemKey};
use crate::limits::{SEARCH_ANSWER_BYTES_MAX, SEARCH_TRACE_PARTITIONS_MAX};
use crate::trace::{Access, PartitionLog, Stopped, Tally, Tracer};
use crate::weather::IndexStep;

/// An entry is written with its item and goes with it.
const STRAY_ENTRY: InternalError = InternalError::Malformed("a vector index");

/// Entries a store may fetch ahead.
const ENTRIES_EXPECTED: usize = 1_000;

/// What is searched for.
#[derive(Debug)]
pub struct Search<'s> {
    /// The table.
    pub table: &'s TableDefinition,
    /// The index.
    pub index: &'s VectorIndexDefinition,
    /// The vector, of as many numbers as the index has dimensions.
    pub vector: &'s [f32],
    /// How many entries are to be found.
    pub results: usize,
    /// The value of the HASH attribute, if the index has one.
    pub hash: Option<&'s Value>,
    /// The encoded values that the filters' attributes have to have, in the order of the search schema.
    pub filters: Vec<Option<Vec<u8>>>,
    /// What is answered of the items found.
    pub projection: Option<&'s Projection>,
}

/// Searches, appends the results to `out` separated by commas, the nearest first, and notes what that cost.
///
/// # Errors
/// When the index isn't filled yet, the store fails, or its bytes can't be read.
pub fn search(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    search: &Search<'_>,
    out: &mut Vec<u8>,
) -> Result<Read<Charge>, ServiceError> {
    let Search { table, index, .. } = *search;
    let parted = search.hash.map(|value| ItemKey::of_partition([value.as_ref()])).transpose()?;
    let is_on_its_way =
        matches!(ctx.state_of(table).index(&index.name), Some(IndexStep::Allocating | IndexStep::Filling));
    let mut walk = Walk::new(search, parted.as_ref(), tracer.is_wanted());
    let found = ctx.store().view(|snapshot| -> Result<_, ServiceError> {
        if !catalog::is_current(snapshot, table)? {
            return Ok(None);
        }
        if is_on_its_way || (index.added && Backfill::of(snapshot, index.space)?.is_some()) {
            let fault = SearchFault::Backfilling { index: index.name.clone() };
            return Err(ItemFault::Search(fault).into());
        }
        let extent = match &parted {
            Some(place) => Extent::beginning(place, None)?,
            None => Extent::table(),
        };
        walk.through(snapshot, &extent)?;
        let candidates = std::mem::take(&mut walk.nearest).into_sorted_vec();
        let places: Vec<&[u8]> = candidates.iter().map(|found| walk.place_of_item(&found.place)).collect();
        let items = snapshot.get_many(table.space, &places)?;
        let item = |stored: Option<_>| -> Result<Item, InternalError> {
            Ok(Item::from_stored(stored.ok_or(STRAY_ENTRY)?)?)
        };
        let items = items.into_iter().map(item).collect::<Result<Vec<_>, _>>()?;
        Ok(Some((candidates, items)))
    })??;
    let Some((candidates, items)) = found else { return Ok(Read::TableChanged) };
    let (mut returned, start) = (Tally::default(), out.len());
    for (candidate, item) in candidates.iter().zip(&items) {
        let before = out.len();
        let bytes = write_result(ctx, search, candidate.score, item.as_ref(), out);
        // The service's answers have no more than this; the farthest are left out.
        if out.len() - start > SEARCH_ANSWER_BYTES_MAX {
            out.truncate(before);
            break;
        }
        out.push(b',');
        returned.add(bytes);
        walk.note_returned(&candidate.place, bytes);
    }
    if out.len() > start {
        out.pop();
    }
    let charge = Charge::vector_search(index.dimensions, returned.bytes);
    tracer.record(charge, || Access {
        table: table.name.clone(),
        index: Some(index.name.clone()),
        partitions: walk.log.take().unwrap_or_default().into_partitions(),
        examined: walk.examined,
        returned,
        stopped: Some(Stopped::End),
        change: None,
        charge,
    });
    Ok(Read::Done(charge))
}

/// An entry that may be among the nearest.
struct Candidate {
    rank: f64,
    /// How many entries came before: of equally near ones the first count.
    number: u64,
    score: f64,
    place: Vec<u8>,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        self.rank.total_cmp(&other.rank).then(self.number.cmp(&other.number))
    }
}

/// The state of a walk over the entries.
struct Walk<'s> {
    search: &'s Search<'s>,
    searched: Searched,
    /// The place of the one HASH value that is searched, if it is one.
    parted: Option<&'s ItemKey>,
    /// The farthest on top.
    nearest: BinaryHeap<Candidate>,
    examined: Tally,
    log: Option<PartitionLog>,
    is_broken: bool,
}

impl<'s> Walk<'s> {
    fn new(search: &'s Search<'s>, parted: Option<&'s ItemKey>, traced: bool) -> Walk<'s> {
        let mut walk = Walk {
            search,
            searched: Searched::new(search.index.distance, search.vector),
            parted,
            nearest: BinaryHeap::with_capacity(search.results),
            examined: Tally::default(),
            log: traced.then(PartitionLog::default),
            is_broken: false,
        };
        // A partition that is looked into is shown even when nothing is found there.
        if let (Some(place), Some(log)) = (parted, &mut walk.log) {
            log.partition_touched(place.hash(), place.attributes(search.index.hash()));
        }
        walk
    }

    fn through(&mut self, snapshot: &dyn Snapshot, extent: &Extent) -> Result<(), InternalError> {
        let space = self.search.index.space;
        let dimensions = self.search.vector.len();
        let mut number = 0;
        snapshot.range(
            space,
            extent.bounds(),
            Direction::Forward,
            ENTRIES_EXPECTED,
            &mut |place, stored| {
                let Some(vector) = StoredVector::read(dimensions, stored.bytes()) else {
                    self.is_broken = true;
                    return Visit::Stop;
                };
                number += 1;
                self.look_at(number, place, vector);
                Visit::Continue
            },
        )?;
        if self.is_broken { Err(STRAY_ENTRY) } else { Ok(()) }
    }

    fn look_at(&mut self, number: u64, place: &[u8], vector: StoredVector<'_>) {
        let bytes = self.search.index.vector_bytes();
        self.examined.add(bytes);
        self.note_examined(place, bytes);
        if !vector.passes(&self.search.filters) {
            return;
        }
        let score = self.searched.score(vector.numbers, vector.squares);
        let rank = self.searched.rank(score);
        if self.nearest.len() < self.search.results {
            self.nearest.push(Candidate { rank, number, score, place: place.to_vec() });
        } else if let Some(mut farthest) = self.nearest.peek_mut()
            && rank < farthest.rank
        {
            // Its room is used again, so few of many entries need any.
            farthest.place.clear();
            farthest.place.extend_from_slice(place);
            (farthest.rank, farthest.number, farthest.score) = (rank, number, score);
        }
    }

    /// Where the item of an entry lies in its table.
    fn place_of_item<'p>(&self, place: &'p [u8]) -> &'p [u8] {
        let front = self.parted.map_or(0, |parted| parted.bytes().len());
        place.get(front..).unwrap_or_default()
    }

    /// The partition of an entry, and the key of its item.
    fn position(&self, place: &[u8]) -> Option<(u32, Item, Item)> {
        let Search { table, index, .. } = *self.search;
        let item = ItemKey::from_bytes(&table.key_schema, self.place_of_item(place))?;
        let partition = match self.parted {
            Some(parted) => parted.attributes(index.hash()),
            None => item.partition_item(&table.key_schema),
        };
        Some((keys::hash_of_place(place), partition, item.attributes(table.key_schema.attributes())))
    }

    fn note_examined(&mut self, place: &[u8], bytes: u64) {
        let has_room = |log: &PartitionLog| self.parted.is_some() || log.len() < SEARCH_TRACE_PARTITIONS_MAX;
        if !self.log.as_ref().is_some_and(has_room) {
            return;
        }
        if let (Some((hash, partition, key)), Some(log)) = (self.position(place), &mut self.log) {
            log.examined(hash, partition, key, bytes, false);
        }
    }

    fn note_returned(&mut self, place: &[u8], bytes: u64) {
        if self.log.is_none() {
            return;
        }
        if let (Some((hash, partition, key)), Some(log)) = (self.position(place), &mut self.log) {
            log.returned(hash, partition, &key, bytes);
        }
    }
}

/// Writes one result. Gives the bytes of what the index has of its item besides the vector.
fn write_result(
    ctx: &Context<'_>,
    search: &Search<'_>,
    score: f64,
    item: ItemRef<'_>,
    out: &mut Vec<u8>,
) -> u64 {
    let Search { table, index, projection, .. } = *search;
    let mut builder = ItemBuilder::new();
    for (name, value) in item {
        if name != index.attribute && index.projects(table, name) {
            builder.insert(name, value);
        }
    }
    let shown = builder.finish();
    let mut json = Writer::new(out);
    json.begin_object().name("Item");
    json.value_with(|out| {
        write_item(ctx.kept(), shown.as_ref(), projection, out);
        if let Some(projection) = projection.filter(|_| index.projects(table, &index.attribute)) {
            write_vector(index, projection, item, out);
        }
    });
    json.name("Score").float(score).end_object();
    shown.as_ref().size()
}

/// Adds to the item that `out` ends in what a projection wants of its vector. It is answered as the index has it:
/// the numbers are those of 32 bits.
fn write_vector(
    index: &VectorIndexDefinition,
    projection: &Projection,
    item: ItemRef<'_>,
    out: &mut Vec<u8>,
) {
    let paths = projection.paths().iter().filter(|path| **path.attribute() == *index.attribute);
    let (mut whole, mut wanted) = (false, Vec::new());
    for path in paths {
        match path.inner() {
            [] => whole = true,
            [PathElement::Index(position)] => wanted.push(*position as usize),
            _ => {}
        }
    }
    let Some(vector) = item.get(&index.attribute).filter(|_| whole || !wanted.is_empty()) else { return };
    let numbers = vector.elements().filter_map(|element| element.to_f32());
    let numbers =
        numbers.enumerate().filter(|(at, _)| whole || wanted.contains(at)).map(|(_, number)| number);
    let mut numbers = numbers.peekable();
    if numbers.peek().is_none() || out.pop() != Some(b'}') {
        return;
    }
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    let mut list = Vec::new();
    let mut json = Writer::new(&mut list);
    json.begin_object().name(&index.attribute).begin_object().name("L").begin_array();
    for number in numbers {
        json.begin_object().name("N").string(&format!("{number:?}")).end_object();
    }
    json.end_array().end_object().end_object();
    // Its own first brace stands there already.
    out.extend_from_slice(list.get(1..).unwrap_or_default());
}
