//! UpdateTable.
//!
//! What a request asks is read and checked by itself first ([`asked`]), then applied to the table as the
//! transaction finds it ([`applied`]). The service takes its time over most changes and answers with the
//! table as it was, in a state that says so; here the next request sees the end of the change, but for an
//! index that is added: a job fills it.
//!
//! Replicas are changed by requests that change nothing else ([`replicas`]). Other changes of a table that has
//! some are made in all its regions at once, but for those that each region has of its own.

mod applied;
mod asked;
mod index_actions;
mod replica_actions;
mod replicas;
mod steps;
mod units;
mod vector_actions;

use keyplan_store::{Batch, Snapshot, Space};
use keyplan_value::json::Node;

use self::applied::{Applied, Fresh, apply};
use self::asked::{Asked, StreamChange};
pub(super) use self::replicas::delete_replica;
use super::lifecycle::{check_update, show_index_states};
use super::parameters::table_reference;
use super::table_description::{Description, described, group, index_states, vector_index_states};
use super::{Answer, Failure};
use crate::call::Timestamp;
use crate::catalog::{self, Membership, TableDefinition, counters, name_of_key};
use crate::context::Context;
use crate::error::{InUse, InternalError, NotFound, ReplicaError, ServiceError, ValidationError};
use crate::insights;
use crate::jobs::{cancel_backfill, schedule_backfill};
use crate::replication;
use crate::streams::{self, Replacement};
use crate::undo::WriteLabel;
use crate::validate::{present, string};
use crate::weather::Conditions;

/// UpdateTable.
pub(super) fn update_table(context: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    context.own(&reference)?;
    if present(request, "ReplicaUpdates").is_some() {
        return replicas::update_replicas(context, reference.name(), request);
    }
    let asked = Asked::read(context, request)?;
    check_update(context, reference.name(), &asked.wish())?;
    let key = context.table_key(reference.name())?;
    if string(request, "GlobalTableSettingsReplicationMode")
        .is_some_and(|mode| mode == "ENABLED_WITH_OVERRIDES")
    {
        return Err(
            ServiceError::from(ValidationError::Replica(ReplicaError::OverridesOfRegionalTable)).into()
        );
    }
    let name = name_of_key(&key).to_owned();
    let regions = context.catalog().table(context.store(), &name)?;
    let regions = regions.and_then(|home| Some(home.global.as_ref()?.regions().count())).unwrap_or(1);
    // An index and a stream are never asked for at once.
    let mut indexes = Vec::new();
    if asked.creates_index() {
        for _ in 0..regions {
            indexes.push(context.store().new_space()?);
        }
    }
    let journal = matches!(asked.stream, Some(StreamChange::Enable(_)));
    let journal = journal.then(|| context.store().new_space()).transpose()?;
    let label = WriteLabel { operation: context.operation().name, table: &name, now: context.now() };
    let (wanted, of, now, region) = (name.clone(), key.clone(), context.now(), context.region().to_owned());
    let (drawn, weather) = (indexes.clone(), context.weather());
    let written = context.undo().transact(context.store(), label, move |snapshot| {
        let found = catalog::table_in(snapshot, &of)?.filter(|table| !table.is_filling);
        let Some(table) = found else {
            return Err(ServiceError::ResourceNotFound(NotFound::Table(wanted.clone())));
        };
        if !table.is_usable() {
            return Err(ServiceError::ResourceInUse(InUse::TableIsBeingCreated(wanted.clone())));
        }
        let weather = weather.as_deref();
        let update = Update { asked: &asked, journal, now, region: &region, weather };
        let mut batch = Batch::new();
        let mut fresh = drawn.iter().copied();
        let applied = update.apply(snapshot, &mut batch, &table, fresh.next())?;
        for other in replication::others(snapshot, &table)? {
            update.follow(snapshot, &mut batch, &table, other, fresh.next())?;
        }
        let totals = counters::of_table(snapshot, &table).map_err(InternalError::from)?;
        let group = group(snapshot, &table)?;
        Ok((batch, (table, applied, totals, group)))
    });
    let written = written.map_err(ServiceError::from).flatten();
    // A table that has a journal needs no other.
    if written.is_err() || journal.is_some() {
        catalog::give_back(context.store(), &name, indexes.into_iter().chain(journal));
    }
    let (before, applied, totals, group) = written?;
    context.catalog_changed();
    steps::begin(context, &before, &applied.table);
    let Applied { shown, status, indexes, vector_indexes, changing, .. } = applied;
    let region = context.region();
    let description =
        Description { table: &shown, status, totals, indexes, vector_indexes, changing, region, now, group };
    Ok(described("TableDescription", &description))
}

/// A change of one table, or of all members of a global table.
struct Update<'a> {
    asked: &'a Asked,
    /// A keyspace for the journal of a stream that is enabled.
    journal: Option<Space>,
    now: Timestamp,
    region: &'a str,
    /// What the weather makes of the indexes' states.
    weather: Option<&'a Conditions>,
}

impl Update<'_> {
    /// Changes a table.
    fn apply(
        &self,
        snapshot: &dyn Snapshot,
        batch: &mut Batch,
        table: &TableDefinition,
        index: Option<Space>,
    ) -> Result<Applied, ServiceError> {
        if self.asked.creates_index() && index.is_none() {
            // A replica has come since keyspaces were drawn.
            return Err(ServiceError::ResourceInUse(InUse::Replicas));
        }
        let mut states = (index_states(snapshot, table)?, vector_index_states(snapshot, table)?);
        if let Some(weather) = self.weather {
            let state = weather.state(table.id, self.now);
            show_index_states(&mut states.0, &mut table.indexes.iter().map(|index| &index.name), &state);
            let mut names = table.vector_indexes.iter().map(|index| &index.name);
            show_index_states(&mut states.1, &mut names, &state);
        }
        let stream_label = streams::free_label(snapshot, &table.key(), self.now)?;
        let fresh = Fresh { index, journal: self.journal, stream_label };
        let mut applied = apply(self.asked, table, states, &fresh, self.now, self.region)?;
        let changed = Some(&mut applied.table);
        streams::follow(snapshot, batch, Replacement::Asked, Some(table), changed, self.now)?;
        catalog::put(batch, &applied.table)?;
        if let Some(space) = index {
            schedule_backfill(batch, &applied.table, space);
        }
        for gone in table.indexes.iter().filter(|index| applied.table.index(&index.name).is_none()) {
            insights::remove_index(batch, &table.key(), &gone.name);
        }
        for gone in table.spaces().filter(|space| !applied.table.spaces().any(|kept| kept == *space)) {
            cancel_backfill(batch, gone);
            catalog::retire(batch, gone);
        }
        Ok(applied)
    }

    /// Changes another member as `table` is changed, but for what each region has of its own.
    fn follow(
        &self,
        snapshot: &dyn Snapshot,
        batch: &mut Batch,
        table: &TableDefinition,
        other: TableDefinition,
        index: Option<Space>,
    ) -> Result<(), ServiceError> {
        let own = |region: &Option<String>, home: &TableDefinition| {
            region.clone().or_else(|| home.global.as_ref().map(|global| global.home.clone()))
        };
        let mut asked = self.asked.clone();
        asked.stream = None;
        asked.deletion_protection = None;
        asked.settings_replication = None;
        asked.disassociation_protection = None;
        if let Some(Some(key)) = &mut asked.encryption {
            // A key is of one region; the account's own of another has the same id there.
            let home = replication::home(snapshot, table)?;
            let region = home.as_ref().and_then(|home| own(&other.region, home));
            if let Some(region) = region {
                *key = key.replacen(self.region, &region, 1);
            }
        }
        Update { asked: &asked, journal: None, ..*self }.apply(snapshot, batch, &other, index).map(|_| ())
    }
}

/// Whether a table's other regions are told of its changes at once.
fn is_strong(table: &TableDefinition) -> bool {
    table.membership == Some(Membership::Strong)
}
