//! Running a read plan.

use keyplan_store::{SharedBytes, Snapshot, StoreExt, Visit};
use keyplan_value::{Item, ItemRef};

use super::{Extent, Output, Read, ReadPlan, Source, write_columns};
use crate::capacity::{Charge, Consumption, Units};
use crate::catalog;
use crate::context::Context;
use crate::error::{InternalError, ItemFault, ServiceError};
use crate::jobs::Backfill;
use crate::kept::KeptItems;
use crate::keys::{self, ItemKey};
use crate::limits::PAGE_BYTES_MAX;
use crate::trace::{Access, PartitionLog, Stopped, Tally, Tracer};
use crate::weather::{Behind, Demand, IndexStep};

/// Items a store may fetch ahead when a read has no limit of its own.
const ITEMS_EXPECTED: usize = 100;

/// An entry is written with its item and goes with it.
const STRAY_ENTRY: InternalError = InternalError::Malformed("an index");

/// Entries whose items are fetched from the table together.
const ITEMS_FETCHED_TOGETHER: usize = 25;

/// What one run of a plan came to.
#[derive(Debug)]
pub struct Page {
    /// Everything read, before the filter.
    pub examined: Tally,
    /// Everything answered, at its full size.
    pub returned: Tally,
    /// Why it went no further.
    pub stopped: Stopped,
    /// The key to go on after; nothing when the stretch is at its end.
    pub last_key: Option<Item>,
    /// What it costs.
    pub charge: Charge,
    /// What was fetched from the table in the place of an index's entries, and what that costs.
    pub fetched: Option<(Tally, Charge)>,
}

impl Page {
    /// What the page consumes, of the table and of an index.
    pub fn consumed<'t>(&self, source: Source<'t>) -> Consumption<'t> {
        let Some(index) = source.index else { return Consumption::of_table(self.charge.units()) };
        let fetched = self.fetched.map_or(Units::ZERO, |(_, charge)| charge.units());
        let mut consumed = Consumption::of_table(fetched);
        consumed.add_index(index, self.charge.units());
        consumed
    }
}

/// Reads one page, appends its items to `out` separated by commas, and notes what it cost.
///
/// # Errors
/// When an index that is read isn't filled yet, the store fails, or its bytes can't be read.
pub fn run(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    plan: &ReadPlan<'_>,
    out: &mut Vec<u8>,
) -> Result<Read<Page>, ServiceError> {
    if let Some(index) = plan.source.global_index()
        && let Some(IndexStep::Allocating | IndexStep::Filling) =
            ctx.state_of(plan.source.table).index(&index.name)
    {
        return Err(ItemFault::Backfilling { index: index.name.clone() }.into());
    }
    let mut walk = Walk::new(plan, out, ctx.kept(), tracer.is_wanted());
    let weather = ctx.weather();
    let demand = Demand::read(plan.source, plan.hash());
    if let Some(weather) = &weather {
        weather.admit(&demand, ctx.now(), ctx.region())?;
    }
    let overlays = weather.as_ref().and_then(|weather| {
        weather.overlays(plan.source, plan.consistency, plan.extent.bounds(), plan.fetch, ctx.now())
    });
    let current = ctx.store().view(|snapshot| -> Result<bool, ServiceError> {
        if !catalog::is_current(snapshot, plan.source.table)? {
            return Ok(false);
        }
        if let Some(index) = plan.source.index
            && index.added
            && Backfill::of(snapshot, index.space)?.is_some()
        {
            return Err(ItemFault::Backfilling { index: index.name.clone() }.into());
        }
        let behind = overlays.as_ref().map(|overlays| Behind::new(snapshot, overlays));
        let snapshot: &dyn Snapshot = match &behind {
            Some(behind) => behind,
            None => snapshot,
        };
        if plan.fetch {
            walk.through_fetching(snapshot)?
        } else {
            walk.through(snapshot)?
        }
        Ok(true)
    })??;
    if !current {
        return Ok(Read::TableChanged);
    }
    let (page, log) = walk.finish()?;
    if let Some(weather) = &weather {
        weather.spend(&demand.costing(page.charge.units()), ctx.now());
        if let Some((_, charge)) = page.fetched {
            let of_table = Demand::read(Source { index: None, ..plan.source }, plan.hash());
            weather.spend(&of_table.costing(charge.units()), ctx.now());
        }
    }
    note(tracer, plan, &page, log);
    Ok(Read::Done(page))
}

/// Notes in the trace, if there is one, what a page read of its source, and what it fetched besides.
fn note(tracer: &mut Tracer, plan: &ReadPlan<'_>, page: &Page, log: Option<Log>) {
    let Log { read, fetched } = log.unwrap_or_default();
    let access = |source: Source<'_>, partitions: PartitionLog, examined, charge| Access {
        table: source.table.name.clone(),
        index: source.index_name(),
        partitions: partitions.into_partitions(),
        examined,
        returned: page.returned,
        stopped: Some(page.stopped),
        change: None,
        charge,
    };
    tracer.record(page.charge, || access(plan.source, read, page.examined, page.charge));
    if let Some((examined, charge)) = page.fetched {
        tracer.record(charge, || access(Source { index: None, ..plan.source }, fetched, examined, charge));
    }
}

/// The partitions of a trace: those of the source, and those of the items fetched.
#[derive(Debug, Default)]
struct Log {
    read: PartitionLog,
    fetched: PartitionLog,
}

/// The state of a walk over items.
struct Walk<'p, 'o> {
    plan: &'p ReadPlan<'p>,
    out: &'o mut Vec<u8>,
    out_start: usize,
    kept: Option<&'p KeptItems>,
    log: Option<Log>,
    examined: Tally,
    fetched: Option<(Tally, Charge)>,
    returned: Tally,
    stopped: Stopped,
    last_key: Option<Item>,
    fault: Option<InternalError>,
}

impl<'p, 'o> Walk<'p, 'o> {
    fn new(
        plan: &'p ReadPlan<'p>,
        out: &'o mut Vec<u8>,
        kept: Option<&'p KeptItems>,
        traced: bool,
    ) -> Walk<'p, 'o> {
        Walk {
            plan,
            kept,
            out_start: out.len(),
            out,
            log: traced.then(|| {
                let mut log = Log::default();
                // A partition that is looked into is shown even when nothing is found there.
                if let Some((hash, key)) = &plan.partition {
                    log.read.partition_touched(*hash, key.clone());
                }
                log
            }),
            examined: Tally::default(),
            fetched: None,
            returned: Tally::default(),
            stopped: Stopped::End,
            last_key: None,
            fault: None,
        }
    }

    /// The stretch that is walked.
    fn extent(&self) -> Extent {
        let extent = self.plan.extent.clone();
        match &self.plan.start_after {
            Some(place) => extent.after(place, self.plan.direction),
            None => extent,
        }
    }

    /// How many items the walk will probably take, at most `most`.
    fn expected(&self, most: usize) -> usize {
        let limit = self.plan.limit.and_then(|limit| usize::try_from(limit).ok());
        limit.map_or(most, |limit| limit.min(most))
    }

    /// Walks the stretch.
    fn through(&mut self, snapshot: &dyn Snapshot) -> Result<(), InternalError> {
        let (space, direction) = (self.plan.source.space(), self.plan.direction);
        let (extent, expected) = (self.extent(), self.expected(ITEMS_EXPECTED));
        snapshot.range(space, extent.bounds(), direction, expected, &mut |place, stored| {
            match ItemRef::from_stored(stored.bytes()) {
                Ok(item) => self.visit(place, item, None),
                Err(error) => self.broken(error.into()),
            }
        })?;
        Ok(())
    }

    /// Walks the stretch of an index, with the table's items in the place of their entries.
    fn through_fetching(&mut self, snapshot: &dyn Snapshot) -> Result<(), InternalError> {
        let (space, direction) = (self.plan.source.space(), self.plan.direction);
        let table = self.plan.source.table;
        let expected = self.expected(ITEMS_FETCHED_TOGETHER);
        let mut extent = self.extent();
        loop {
            let mut entries: Vec<(Vec<u8>, SharedBytes)> = Vec::with_capacity(expected);
            snapshot.range(space, extent.bounds(), direction, expected, &mut |place, stored| {
                entries.push((place.to_vec(), stored.to_shared()));
                if entries.len() < expected { Visit::Continue } else { Visit::Stop }
            })?;
            let items = entries.iter().map(|(_, entry)| ItemRef::from_stored(entry));
            let items = items.collect::<Result<Vec<_>, _>>()?;
            let place = |entry: &ItemRef<'_>| ItemKey::of_item(&table.key_schema, *entry);
            let places = items.iter().map(place).collect::<Result<Vec<_>, _>>().map_err(|_| STRAY_ENTRY)?;
            let keys: Vec<&[u8]> = places.iter().map(ItemKey::bytes).collect();
            let fetched = snapshot.get_many(table.space, &keys)?;
            for (((place, _), entry), stored) in entries.iter().zip(items).zip(&fetched) {
                let stored = stored.as_deref().ok_or(STRAY_ENTRY)?;
                if self.visit(place, entry, Some(ItemRef::from_stored(stored)?)) == Visit::Stop {
                    return Ok(());
                }
            }
            match entries.last() {
                Some((place, _)) if entries.len() == expected => extent = extent.after(place, direction),
                _ => return Ok(()),
            }
        }
    }

    fn broken(&mut self, error: InternalError) -> Visit {
        self.fault = Some(error);
        Visit::Stop
    }

    /// Looks at what lies at a place, and at the table's item if that was fetched.
    fn visit(&mut self, place: &[u8], found: ItemRef<'_>, fetched: Option<ItemRef<'_>>) -> Visit {
        let item = fetched.unwrap_or(found);
        let source = self.plan.source;
        let found_bytes = source.billed_bytes(found);
        let item_bytes = fetched.map_or(found_bytes, |item| source.table.billed_bytes(item));
        self.examined.add(found_bytes);
        if fetched.is_some() {
            let charge = Charge::read(item_bytes, self.plan.consistency);
            let (tally, sum) = self.fetched.get_or_insert((Tally::default(), charge));
            if tally.items > 0 {
                *sum = sum.and(charge);
            }
            tally.add(item_bytes);
        }
        let returned = self.plan.filter.is_none_or(|filter| filter.matches(Some(item)));
        if returned {
            self.returned.add(item_bytes);
            self.answer(item);
        }
        if let Some(log) = &mut self.log {
            let (key, partition) = (source.position_of(found), source.partition_key_of(found));
            log.read.examined(keys::hash_of_place(place), partition, key, found_bytes, returned);
            if let Some(item) = fetched {
                let table = Source { index: None, ..source };
                let hash = table.place_of(item).map_or(0, |place| place.hash());
                let (key, partition) = (table.position_of(item), table.partition_key_of(item));
                log.fetched.picked(hash, partition, key, item_bytes, returned);
            }
        }
        let fetched = self.fetched.map_or(0, |(tally, _)| tally.bytes);
        let bytes = self.plan.bytes_before + self.examined.bytes + fetched;
        if self.plan.limit.is_some_and(|limit| self.examined.items >= limit) {
            self.stopped = Stopped::Limit;
        } else if bytes >= PAGE_BYTES_MAX {
            // The item that fills the page is part of it.
            self.stopped = Stopped::Size;
        } else {
            return Visit::Continue;
        }
        // Also when nothing follows: the service doesn't look past the bound it stopped at.
        self.last_key = Some(source.position_of(found));
        Visit::Stop
    }

    fn answer(&mut self, item: ItemRef<'_>) {
        match (self.plan.output, self.kept) {
            (Output::Count, _) => return,
            (Output::Items, Some(kept)) => {
                kept.keep(Item::from(item));
                return;
            }
            _ => {}
        }
        if self.out.len() > self.out_start {
            self.out.push(b',');
        }
        match self.plan.output {
            Output::Count => {}
            Output::Items => item.write_json(self.out),
            // That nothing matches makes no difference: the answer holds an empty item.
            Output::Projected(projection) => _ = projection.write_json(item, self.out),
            Output::Columns(columns) => write_columns(item, columns, self.out),
        }
    }

    fn finish(self) -> Result<(Page, Option<Log>), ServiceError> {
        if let Some(fault) = self.fault {
            return Err(fault.into());
        }
        let charge = Charge::read(self.examined.bytes, self.plan.consistency);
        let Walk { examined, fetched, returned, stopped, last_key, log, .. } = self;
        Ok((Page { examined, fetched, returned, stopped, last_key, charge }, log))
    }
}
