//! How the items of a table or the entries of an index lie, for the table view: by partition, in the order
//! of a Scan.
//!
//! It isn't a request of the service and is billed to nobody. It is bounded: only so many partitions
//! and items are listed, and only so many items are looked at to count the rest.

use std::fmt;

use keyplan_store::{Bounds, Direction, StoreError, StoreExt, Visit};
use keyplan_value::json::Writer;
use keyplan_value::{Item, ItemRef};

use crate::catalog::{self, KeyAttribute, KeySchema, Totals, counters};
use crate::engine::Engine;
use crate::error::InternalError;
use crate::keys;
use crate::limits::{INSPECTED_ITEMS_COUNTED_MAX, INSPECTED_ITEMS_MAX, INSPECTED_PARTITIONS_MAX};
use crate::read::Source;
use crate::trace::{Tally, hash_text};

/// How much of a table is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Partitions listed at most.
    pub partitions: usize,
    /// Items listed at most, over all partitions.
    pub items: usize,
}

impl Default for Window {
    fn default() -> Window {
        Window { partitions: INSPECTED_PARTITIONS_MAX, items: INSPECTED_ITEMS_MAX }
    }
}

/// How the items of a table, or the entries of one of its indexes, lie.
#[derive(Debug, Clone, PartialEq)]
pub struct Inspection {
    /// The table.
    pub table: String,
    /// The index, if it isn't the table itself.
    pub index: Option<String>,
    /// The key that places them.
    pub key: KeySchema,
    /// The partitions listed, in the order of a Scan.
    pub partitions: Vec<Partition>,
    /// Partitions counted, listed or not.
    pub partition_count: u64,
    /// Whether all of it was looked at; if not, there are more partitions than were counted.
    pub complete: bool,
    /// What the table or index holds.
    pub totals: Tally,
}

/// A partition: a partition key value's items.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// The hash that places it.
    pub hash: u32,
    /// The partition key.
    pub partition_key: Item,
    /// The items listed, in the order of their sort keys.
    pub items: Vec<Item>,
    /// What the partition holds.
    pub held: Tally,
}

impl Partition {
    /// What a plan calls the partition's place by: the first byte of its hash, in hexadecimal.
    pub fn badge(&self) -> String {
        format!("{:02x}", self.hash >> 24)
    }

    /// Items that the listing leaves out.
    pub fn items_left_out(&self) -> u64 {
        self.held.items.saturating_sub(self.items.len() as u64)
    }
}

/// Why a table can't be inspected.
#[derive(Debug)]
pub enum InspectError {
    /// There is no such table.
    NoSuchTable {
        /// Its name.
        table: String,
    },
    /// The table has no such index.
    NoSuchIndex {
        /// The table's name.
        table: String,
        /// The index's name.
        index: String,
    },
    /// The store failed, or its bytes can't be read.
    Internal(InternalError),
}

impl fmt::Display for InspectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InspectError::NoSuchTable { table } => write!(f, "there is no table {table}"),
            InspectError::NoSuchIndex { table, index } => write!(f, "table {table} has no index {index}"),
            InspectError::Internal(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InspectError {}

impl From<InternalError> for InspectError {
    fn from(error: InternalError) -> InspectError {
        InspectError::Internal(error)
    }
}

impl From<StoreError> for InspectError {
    fn from(error: StoreError) -> InspectError {
        InspectError::Internal(error.into())
    }
}

/// Looks at a table on one snapshot.
pub(crate) fn inspect(
    engine: &Engine,
    table: &str,
    index: Option<&str>,
    window: Window,
) -> Result<Inspection, InspectError> {
    engine.store.view(|snapshot| -> Result<Inspection, InspectError> {
        let Some(definition) = catalog::table_in(snapshot, table)? else {
            return Err(InspectError::NoSuchTable { table: table.to_owned() });
        };
        let Ok(source) = Source::named(&definition, index) else {
            let index = index.unwrap_or_default().to_owned();
            return Err(InspectError::NoSuchIndex { table: table.to_owned(), index });
        };
        let totals = match source.index {
            None => counters::of_table(snapshot, &definition)?,
            Some(index) => counters::totals(snapshot, index.space)?,
        };
        let mut listing = Listing::new(source, window);
        let expected = window.items.min(INSPECTED_ITEMS_MAX);
        snapshot.range(source.space(), Bounds::ALL, Direction::Forward, expected, &mut |place, stored| {
            match Item::from_stored(stored.to_shared()) {
                Ok(item) => listing.add(keys::hash_of_place(place), item),
                Err(error) => {
                    listing.fault = Some(error.into());
                    Visit::Stop
                }
            }
        })?;
        listing.finish(totals)
    })?
}

/// The partitions of a walk in place order.
struct Listing<'t> {
    source: Source<'t>,
    window: Window,
    partitions: Vec<Partition>,
    partition_count: u64,
    /// The partition the walk is in.
    current: Option<(u32, Item)>,
    items_listed: usize,
    items_counted: u64,
    complete: bool,
    fault: Option<InternalError>,
}

impl<'t> Listing<'t> {
    fn new(source: Source<'t>, window: Window) -> Listing<'t> {
        Listing {
            source,
            window,
            partitions: Vec::new(),
            partition_count: 0,
            current: None,
            items_listed: 0,
            items_counted: 0,
            complete: true,
            fault: None,
        }
    }

    fn add(&mut self, hash: u32, item: Item) -> Visit {
        if self.items_counted >= INSPECTED_ITEMS_COUNTED_MAX {
            self.complete = false;
            return Visit::Stop;
        }
        self.items_counted += 1;
        if !self.is_in_current(hash, item.as_ref()) {
            let partition_key = self.source.partition_key_of(item.as_ref());
            self.partition_count += 1;
            if self.partitions.len() < self.window.partitions {
                self.partitions.push(Partition {
                    hash,
                    partition_key: partition_key.clone(),
                    items: Vec::new(),
                    held: Tally::default(),
                });
            }
            self.current = Some((hash, partition_key));
        }
        // The last partition listed is the current one as long as not more were met than are listed.
        if self.partition_count == self.partitions.len() as u64
            && let Some(partition) = self.partitions.last_mut()
        {
            partition.held.add(self.source.billed_bytes(item.as_ref()));
            if self.items_listed < self.window.items {
                self.items_listed += 1;
                partition.items.push(item);
            }
        }
        Visit::Continue
    }

    fn is_in_current(&self, hash: u32, item: ItemRef<'_>) -> bool {
        let Some((current, key)) = &self.current else { return false };
        let mut partition = self.source.key_schema().partition.iter();
        *current == hash
            && partition.all(|attribute| key.as_ref().get(&attribute.name) == item.get(&attribute.name))
    }

    fn finish(self, totals: Totals) -> Result<Inspection, InspectError> {
        if let Some(fault) = self.fault {
            return Err(fault.into());
        }
        let whole = |count: i64| u64::try_from(count).unwrap_or_default();
        Ok(Inspection {
            table: self.source.table.name.clone(),
            index: self.source.index_name(),
            key: self.source.key_schema().clone(),
            partitions: self.partitions,
            partition_count: self.partition_count,
            complete: self.complete,
            totals: Tally { items: whole(totals.items), bytes: whole(totals.bytes) },
        })
    }
}

impl Inspection {
    /// Partitions that were counted and are not listed.
    pub fn partitions_left_out(&self) -> u64 {
        self.partition_count.saturating_sub(self.partitions.len() as u64)
    }

    /// Writes the inspection as one JSON object.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        let mut json = Writer::new(out);
        json.begin_object().name("table").string(&self.table).name("index");
        match &self.index {
            Some(index) => json.string(index),
            None => json.null(),
        };
        self.write_key(&mut json);
        json.name("partitions").begin_array();
        for partition in &self.partitions {
            write_partition(partition, &mut json);
        }
        json.end_array();
        json.name("partitionCount").integer(self.partition_count);
        json.name("itemCount").integer(self.totals.items).name("bytes").integer(self.totals.bytes);
        json.name("partitionsLeftOut").integer(self.partitions_left_out());
        json.name("complete").boolean(self.complete).end_object();
    }

    /// A key of one attribute each is told by those; what an index's key has beyond them stands in lists.
    fn write_key(&self, json: &mut Writer<'_>) {
        json.name("key").begin_object();
        for (name, more, attributes) in
            [("partition", "morePartition", &self.key.partition), ("sort", "moreSort", &self.key.sort)]
        {
            let Some((first, rest)) = attributes.split_first() else { continue };
            json.name(name);
            write_key_attribute(first, json);
            if !rest.is_empty() {
                json.name(more).begin_array();
                for attribute in rest {
                    write_key_attribute(attribute, json);
                }
                json.end_array();
            }
        }
        json.end_object();
    }

    /// The inspection as JSON text.
    pub fn to_json(&self) -> String {
        let mut json = Vec::new();
        self.write_json(&mut json);
        String::from_utf8_lossy(&json).into_owned()
    }
}

fn write_key_attribute(attribute: &KeyAttribute, json: &mut Writer<'_>) {
    json.begin_object().name("name").string(&attribute.name);
    json.name("type").string(attribute.kind.code()).end_object();
}

fn write_partition(partition: &Partition, json: &mut Writer<'_>) {
    json.begin_object().name("hash").string(&hash_text(partition.hash));
    json.name("badge").string(&partition.badge());
    json.name("partitionKey").value_with(|out| partition.partition_key.as_ref().write_json(out));
    json.name("items").begin_array();
    for item in &partition.items {
        json.begin_object().name("bytes").integer(item.as_ref().size());
        json.name("item").value_with(|out| item.as_ref().write_json(out)).end_object();
    }
    json.end_array();
    json.name("itemCount").integer(partition.held.items).name("bytes").integer(partition.held.bytes);
    json.name("itemsLeftOut").integer(partition.items_left_out()).end_object();
}
