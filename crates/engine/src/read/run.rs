//! Running a read plan.

use keyplan_store::{StoreExt, Visit};
use keyplan_value::{Item, ItemRef};

use super::{Output, Read, ReadPlan, write_item};
use crate::capacity::Charge;
use crate::catalog;
use crate::context::Context;
use crate::error::{InternalError, ServiceError};
use crate::keys;
use crate::limits::PAGE_BYTES_MAX;
use crate::trace::{Access, PartitionLog, Stopped, Tally, Tracer};

/// Items a store may fetch ahead when a read has no limit of its own.
const ITEMS_EXPECTED: usize = 100;

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
}

/// Reads one page, appends its items to `out` separated by commas, and notes what it cost.
///
/// # Errors
/// When the store fails, or its bytes can't be read.
pub fn run(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    plan: &ReadPlan<'_>,
    out: &mut Vec<u8>,
) -> Result<Read<Page>, ServiceError> {
    let extent = match &plan.start_after {
        Some(place) => plan.extent.clone().after(place, plan.direction),
        None => plan.extent.clone(),
    };
    let expected = plan
        .limit
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(ITEMS_EXPECTED)
        .min(ITEMS_EXPECTED);
    let mut walk = Walk::new(plan, out, tracer.is_wanted());
    let current = ctx.store().view(|snapshot| -> Result<bool, InternalError> {
        if !catalog::is_current(snapshot, plan.table)? {
            return Ok(false);
        }
        snapshot.range(
            plan.table.space,
            extent.bounds(),
            plan.direction,
            expected,
            &mut |place, stored| walk.visit(place, stored.bytes()),
        )?;
        Ok(true)
    })??;
    if !current {
        return Ok(Read::TableChanged);
    }
    let (page, partitions) = walk.finish()?;
    tracer.record(|| Access {
        table: plan.table.name.clone(),
        index: None,
        partitions: partitions.unwrap_or_default().into_partitions(),
        examined: page.examined,
        returned: page.returned,
        stopped: Some(page.stopped),
        change: None,
        charge: page.charge,
    });
    Ok(Read::Done(page))
}

/// The state of a walk over items.
struct Walk<'p, 'o> {
    plan: &'p ReadPlan<'p>,
    out: &'o mut Vec<u8>,
    out_start: usize,
    partitions: Option<PartitionLog>,
    examined: Tally,
    returned: Tally,
    stopped: Stopped,
    last_key: Option<Item>,
    fault: Option<InternalError>,
}

impl<'p, 'o> Walk<'p, 'o> {
    fn new(plan: &'p ReadPlan<'p>, out: &'o mut Vec<u8>, traced: bool) -> Walk<'p, 'o> {
        Walk {
            plan,
            out_start: out.len(),
            out,
            partitions: traced.then(|| {
                let mut partitions = PartitionLog::default();
                // A partition that is looked into is shown even when nothing is found there.
                if let Some((hash, key)) = &plan.partition {
                    partitions.partition_touched(*hash, key.clone());
                }
                partitions
            }),
            examined: Tally::default(),
            returned: Tally::default(),
            stopped: Stopped::End,
            last_key: None,
            fault: None,
        }
    }

    fn visit(&mut self, place: &[u8], stored: &[u8]) -> Visit {
        let item = match ItemRef::from_stored(stored) {
            Ok(item) => item,
            Err(error) => {
                self.fault = Some(error.into());
                return Visit::Stop;
            }
        };
        let bytes = item.size();
        self.examined.add(bytes);
        let returned = self.plan.filter.is_none_or(|filter| filter.matches(Some(item)));
        if returned {
            self.returned.add(bytes);
            self.answer(item);
        }
        let schema = &self.plan.table.key_schema;
        if let Some(partitions) = &mut self.partitions {
            let partition_key = keys::partition_key_of(schema, item);
            let key = keys::key_of(schema, item);
            partitions.examined(keys::hash_of_place(place), partition_key, key, bytes, returned);
        }
        if self.plan.limit.is_some_and(|limit| self.examined.items >= limit) {
            self.stopped = Stopped::Limit;
        } else if self.examined.bytes >= PAGE_BYTES_MAX {
            // The item that fills the page is part of it.
            self.stopped = Stopped::Size;
        } else {
            return Visit::Continue;
        }
        // Also when nothing follows: the service doesn't look past the bound it stopped at.
        self.last_key = Some(keys::key_of(schema, item));
        Visit::Stop
    }

    fn answer(&mut self, item: ItemRef<'_>) {
        let projection = match self.plan.output {
            Output::Count => return,
            Output::Items => None,
            Output::Projected(projection) => Some(projection),
        };
        if self.out.len() > self.out_start {
            self.out.push(b',');
        }
        write_item(item, projection, self.out);
    }

    fn finish(self) -> Result<(Page, Option<PartitionLog>), ServiceError> {
        if let Some(fault) = self.fault {
            return Err(fault.into());
        }
        let charge = Charge::read(self.examined.bytes, self.plan.consistency);
        let Walk { examined, returned, stopped, last_key, partitions, .. } = self;
        Ok((Page { examined, returned, stopped, last_key, charge }, partitions))
    }
}
