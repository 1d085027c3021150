//! UpdateTable.
//!
//! What a request asks is read and checked by itself first ([`asked`]), then applied to the table as the
//! transaction finds it ([`applied`]). The service takes its time over most changes and answers with the
//! table as it was, in a state that says so; here the next request sees the end of the change, but for an
//! index that is added: a job fills it.

mod applied;
mod asked;
mod index_actions;
mod units;

use keyplan_store::Batch;
use keyplan_value::json::Node;

use self::applied::{Applied, Fresh, apply};
use self::asked::{Asked, StreamChange};
use super::parameters::table_reference;
use super::table_description::{Description, described, index_states};
use super::{Answer, Failure};
use crate::catalog::{self, counters};
use crate::context::Context;
use crate::error::{InternalError, NotFound, ServiceError};
use crate::jobs::{cancel_backfill, schedule_backfill};
use crate::streams::{self, Replacement};
use crate::undo::WriteLabel;

/// UpdateTable.
pub(super) fn update_table(context: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    context.own(&reference)?;
    let asked = Asked::read(context, request)?;
    let draw = |wanted: bool| wanted.then(|| context.store().new_space()).transpose();
    // An index and a stream are never asked for at once.
    let index = draw(asked.creates_index())?;
    let journal = draw(matches!(asked.stream, Some(StreamChange::Enable(_))))?;
    let name = reference.name().to_owned();
    let label = WriteLabel { operation: context.operation().name, table: &name, now: context.now() };
    let (wanted, now, region) = (name.clone(), context.now(), context.region().to_owned());
    let written = context.undo().transact(context.store(), label, move |snapshot| {
        let Some(table) = catalog::table_in(snapshot, &wanted)? else {
            return Err(ServiceError::ResourceNotFound(NotFound::Table(wanted.clone())));
        };
        let states = index_states(snapshot, &table)?;
        let stream_label = streams::free_label(snapshot, &wanted, now)?;
        let fresh = Fresh { index, journal, stream_label };
        let mut applied = apply(&asked, &table, states, &fresh, now, &region)?;
        let mut batch = Batch::new();
        let changed = Some(&mut applied.table);
        streams::follow(snapshot, &mut batch, Replacement::Asked, Some(&table), changed, now)?;
        catalog::put(&mut batch, &applied.table)?;
        if let Some(space) = index {
            schedule_backfill(&mut batch, &applied.table, space);
        }
        for gone in table.spaces().filter(|space| !applied.table.spaces().any(|kept| kept == *space)) {
            cancel_backfill(&mut batch, gone);
            catalog::retire(&mut batch, gone);
        }
        let totals = counters::totals(snapshot, table.space).map_err(InternalError::from)?;
        Ok((batch, (applied, totals)))
    });
    let written = written.map_err(ServiceError::from).flatten();
    if written.is_err() {
        catalog::give_back(context.store(), &name, index.into_iter().chain(journal));
    }
    let (applied, totals) = written?;
    context.catalog_changed();
    let Applied { shown, status, indexes, changing, .. } = applied;
    let description =
        Description { table: &shown, status, totals, indexes, changing, region: context.region(), now };
    Ok(described("TableDescription", &description))
}
