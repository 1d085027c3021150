//! Changes of the replicas of a table: UpdateTable with ReplicaUpdates, and DeleteTable of a replica.
//!
//! None of them can be taken back, and neither can what was made before: what an undo rests on is the table as
//! one of its regions alone knew it.

use keyplan_store::{Batch, Snapshot, Space, StoreExt};
use keyplan_value::json::Node;

use super::is_strong;
use super::replica_actions::{AskedOfReplicas, Consistency, ReplicaAction, ReplicaSettings, WitnessAction};
use crate::arn::{ACCOUNT, key_arn};
use crate::call::Timestamp;
use crate::catalog::{
    self, BillingMode, GlobalTable, IndexScope, Membership, Replica, StreamView, TableDefinition,
    TableStatus, TableStream, TimeToLive, counters, name_of_key, random_uuid, region_of_key, replica_key,
    uuid_text,
};
use crate::context::Context;
use crate::error::{InUse, InternalError, NotFound, ReplicaError, ServiceError, ValidationError};
use crate::journal;
use crate::limits::DAY_MILLISECONDS;
use crate::operations::table_description::{
    Changing, Description, Group, described, group, index_states, vector_index_states,
};
use crate::operations::{Answer, Failure};
use crate::replication::{self, Progress};
use crate::streams::{self, Replacement};

/// UpdateTable with ReplicaUpdates.
pub(super) fn update_replicas(
    context: &Context<'_>,
    name: &str,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let found = context.catalog().table(context.store(), name)?;
    // A region without a replica speaks to the table that was there first, for its region.
    let own = match found.as_ref().and_then(|home| home.global.as_ref()) {
        Some(global) if !global.has(context.region()) => global.home.clone(),
        _ => context.region().to_owned(),
    };
    let asked = AskedOfReplicas::read(request, &own).map_err(refused)?;
    let missing = || ServiceError::ResourceNotFound(NotFound::Table(name.to_owned()));
    let home = found.ok_or_else(missing)?;
    let creates = asked.actions.iter().filter(|action| action.is_create()).count();
    let mut drawn = Vec::new();
    for _ in 0..creates * spaces_of_replica(&home) + 2 {
        drawn.push(context.store().new_space()?);
    }
    let change = ChangeOfReplicas { asked, own, now: context.now(), random: context.random() };
    let (wanted, fresh) = (home.key().into_owned(), drawn.clone());
    let written = context.undo().settle(context.store(), move |snapshot| {
        let Some(home) = catalog::table_in(snapshot, &wanted)? else {
            return Err(ServiceError::ResourceNotFound(NotFound::Table(wanted.clone())));
        };
        let mut spaces = fresh.iter().copied();
        change.apply(snapshot, home, &mut || spaces.next())
    });
    let written = written.map_err(ServiceError::from).flatten();
    context.catalog_changed();
    give_back(context, name, drawn)?;
    let Changed { shown, group } = written?;
    describe(context, &shown, TableStatus::Updating, group)
}

/// DeleteTable of a replica.
pub(in crate::operations) fn delete_replica(context: &Context<'_>, key: &str) -> Result<Answer, Failure> {
    let (name, region) = (name_of_key(key).to_owned(), region_of_key(key).unwrap_or_default().to_owned());
    let now = context.now();
    let written = context.undo().settle(context.store(), move |snapshot| {
        let replica = catalog::table_in(snapshot, &replica_key(&name, &region))?;
        let home = catalog::table_in(snapshot, &name)?;
        let (Some(replica), Some(home)) = (replica, home) else {
            return Err(ServiceError::ResourceNotFound(NotFound::Table(name.clone())));
        };
        if replica.is_filling {
            return Err(ServiceError::ResourceInUse(InUse::ReplicaInUse(name.clone())));
        }
        if is_strong(&replica) {
            return Err(refused(ReplicaError::StrongDelete));
        }
        let group = group(snapshot, &replica)?;
        let mut batch = Batch::new();
        let (mut home, region) = (home, region.clone());
        delete(snapshot, &mut batch, &mut home, &region, now)?;
        Ok((batch, Changed { shown: replica, group }))
    });
    let Changed { shown, group } = written.map_err(ServiceError::from).flatten()?;
    context.catalog_changed();
    describe(context, &shown, TableStatus::Deleting, group)
}

fn refused(error: ReplicaError) -> ServiceError {
    ValidationError::Replica(error).into()
}

/// Drops the keyspaces that no member of the table has.
fn give_back(context: &Context<'_>, name: &str, drawn: Vec<Space>) -> Result<(), ServiceError> {
    let kept = context.store().view(|snapshot| -> Result<Vec<Space>, InternalError> {
        let mut kept = Vec::new();
        let Some(home) = catalog::table_in(snapshot, name)? else { return Ok(kept) };
        let keys: Vec<String> = match &home.global {
            Some(global) => global.keys(name).map(|key| key.into_owned()).collect(),
            None => vec![name.to_owned()],
        };
        for key in keys {
            let table = catalog::table_in(snapshot, &key)?;
            kept.extend(table.iter().flat_map(|table| table.spaces().chain(table.journal)));
        }
        Ok(kept)
    })??;
    for space in drawn.into_iter().filter(|space| !kept.contains(space)) {
        // Should dropping fail, nothing is lost but a number.
        let _ = context.store().drop_space(space);
    }
    Ok(())
}

/// The keyspaces that a replica of a table needs at most: those of the table, a journal, and times.
fn spaces_of_replica(home: &TableDefinition) -> usize {
    home.spaces().count() + 3
}

/// How the answer shows the table.
struct Changed {
    shown: TableDefinition,
    group: Option<Group>,
}

fn describe(
    context: &Context<'_>,
    shown: &TableDefinition,
    status: TableStatus,
    group: Option<Group>,
) -> Result<Answer, Failure> {
    let (totals, indexes, vector_indexes) =
        context.store().view(|snapshot| -> Result<_, InternalError> {
            let totals = counters::of_table(snapshot, shown)?;
            Ok((totals, index_states(snapshot, shown)?, vector_index_states(snapshot, shown)?))
        })??;
    let description = Description {
        table: shown,
        status,
        totals,
        indexes,
        vector_indexes,
        changing: Changing::default(),
        region: context.region(),
        now: context.now(),
        group,
    };
    Ok(described("TableDescription", &description))
}

/// Gives the next of the keyspaces that were drawn.
type Draw<'d> = dyn FnMut() -> Option<Space> + 'd;

/// A request's change of the replicas of a table.
struct ChangeOfReplicas {
    asked: AskedOfReplicas,
    /// The region that is asked.
    own: String,
    now: Timestamp,
    random: u128,
}

impl ChangeOfReplicas {
    fn apply(
        &self,
        snapshot: &dyn Snapshot,
        mut home: TableDefinition,
        draw: &mut Draw<'_>,
    ) -> Result<(Batch, Changed), ServiceError> {
        let asked_of = match &home.global {
            Some(global) => catalog::table_in(snapshot, &global.key_in(&home.name, &self.own))?,
            None => Some(home.clone()),
        };
        let missing = || ServiceError::ResourceNotFound(NotFound::Table(home.name.clone()));
        let asked_of = asked_of.filter(|table| !table.is_filling).ok_or_else(missing)?;
        let before = group(snapshot, &asked_of)?;
        self.check(snapshot, &home)?;
        let mut batch = Batch::new();
        for (at, action) in self.asked.actions.iter().enumerate() {
            match action {
                ReplicaAction::Create { region, settings } => {
                    let id = random_uuid(self.random.wrapping_add(at as u128 + 1));
                    let made = New { region, settings, id };
                    self.create(snapshot, &mut batch, &mut home, &made, draw)?;
                }
                ReplicaAction::Update { region, settings } => {
                    self.update(snapshot, &mut batch, &mut home, region, settings)?;
                }
                ReplicaAction::Delete { region } => {
                    delete(snapshot, &mut batch, &mut home, region, self.now)?;
                }
            }
        }
        // The answer has the replicas that were, and what the table itself has become.
        let is_home = asked_of.region.is_none();
        let shown = if is_home { home.clone() } else { asked_of };
        let is_strong = is_strong(&shown);
        let group = before
            .or_else(|| home.global.as_ref().map(|_| Group { others: Vec::new(), is_strong, witness: None }));
        Ok((batch, Changed { shown, group }))
    }

    /// Checks what is asked against the table as it is.
    fn check(&self, snapshot: &dyn Snapshot, home: &TableDefinition) -> Result<(), ServiceError> {
        let creates = self.asked.actions.iter().any(ReplicaAction::is_create);
        let deletes: Vec<&str> = self
            .asked
            .actions
            .iter()
            .filter(|action| matches!(action, ReplicaAction::Delete { .. }))
            .map(ReplicaAction::region)
            .collect();
        for action in &self.asked.actions {
            let has = home.global.as_ref().is_some_and(|global| global.has(action.region()));
            if action.is_create() && has {
                return Err(refused(ReplicaError::Exists { table: home.name.clone() }));
            }
            if !action.is_create() && !has {
                return Err(refused(ReplicaError::NotMember(action.region().to_owned())));
            }
        }
        let Some(global) = &home.global else {
            return if creates { self.check_first(snapshot, home) } else { Ok(()) };
        };
        if self.asked.consistency.is_some() {
            return Err(refused(ReplicaError::StrongChange));
        }
        if is_strong(home) && creates {
            return Err(refused(ReplicaError::StrongAdd));
        }
        for region in global.regions() {
            let member = catalog::table_in(snapshot, &global.key_in(&home.name, region))?;
            if member.is_some_and(|member| member.is_filling) {
                return Err(ServiceError::ResourceInUse(InUse::Replicas));
            }
        }
        if deletes.is_empty() {
            return Ok(());
        }
        if let Some(WitnessAction::Delete(region)) = &self.asked.witness
            && global.witness.as_ref() != Some(region)
        {
            return Err(refused(ReplicaError::NoWitness(region.clone())));
        }
        match is_strong(home) {
            true if global.witness.is_some() && self.asked.witness.is_none() => {
                Err(refused(ReplicaError::StrongWitnessStays))
            }
            true if deletes.len() != global.replicas.len() => Err(refused(ReplicaError::StrongDelete)),
            false if deletes.len() > 1 => Err(refused(ReplicaError::Several)),
            _ => Ok(()),
        }
    }

    /// Checks that a table can have replicas at all.
    fn check_first(&self, snapshot: &dyn Snapshot, home: &TableDefinition) -> Result<(), ServiceError> {
        if self.asked.consistency != Some(Consistency::Strong) {
            return Ok(());
        }
        if home.indexes_of(IndexScope::Local).next().is_some() {
            return Err(refused(ReplicaError::StrongWithout("Local secondary indexes are")));
        }
        if home.time_to_live.is_some() {
            return Err(refused(ReplicaError::StrongWithout("Time to live is")));
        }
        let totals = counters::totals(snapshot, home.space).map_err(InternalError::from)?;
        if totals.items != 0 { Err(refused(ReplicaError::StrongNotEmpty)) } else { Ok(()) }
    }

    fn create(
        &self,
        snapshot: &dyn Snapshot,
        batch: &mut Batch,
        home: &mut TableDefinition,
        made: &New<'_>,
        draw: &mut Draw<'_>,
    ) -> Result<(), ServiceError> {
        if home.billing_mode == BillingMode::Provisioned {
            return Err(refused(ReplicaError::Provisioned));
        }
        let key = made.key(home)?;
        let mut drawn = || draw().ok_or(InternalError::Unchecked("a keyspace"));
        let now = self.now;
        let strong = match &home.global {
            Some(_) => is_strong(home),
            None => self.asked.consistency == Some(Consistency::Strong),
        };
        if home.global.is_none() {
            let before = home.clone();
            if !strong {
                home.membership = Some(Membership::Eventual { times: drawn()? });
                if home.stream.as_ref().is_none_or(|stream| stream.view.is_none()) {
                    let label = streams::free_label(snapshot, &home.key(), now)?;
                    home.stream = Some(TableStream { label, view: Some(StreamView::NewAndOldImages) });
                }
                if home.journal.is_none() {
                    home.journal = Some(drawn()?);
                }
            } else {
                home.membership = Some(Membership::Strong);
            }
            let (mut witness, mut replicas) = (None, Vec::new());
            if let Some(WitnessAction::Create(region)) = &self.asked.witness {
                witness = Some(region.clone());
            }
            replicas.push(made.listed(&self.own, now));
            let (home_region, paused) = (self.own.clone(), false);
            home.global = Some(GlobalTable { home: home_region, replicas, witness, paused });
            streams::follow(snapshot, batch, Replacement::Asked, Some(&before), Some(home), now)?;
            if let (false, Some(journal)) = (strong, home.journal) {
                let next = journal::next_number(snapshot, journal)?.unwrap_or(journal::FIRST_NUMBER);
                replication::note(batch, home, &Progress { journal, next, filled: None });
            }
        } else if let Some(global) = &mut home.global {
            global.replicas.push(made.listed(&self.own, now));
        }
        let mut replica = made.replica(home, key, now, &mut drawn)?;
        if strong {
            (replica.membership, replica.is_filling) = (Some(Membership::Strong), false);
        } else {
            replica.membership = Some(Membership::Eventual { times: drawn()? });
            replica.is_filling = true;
        }
        if let Some(stream) = &mut replica.stream {
            replica.journal = Some(drawn()?);
            stream.label = streams::free_label(snapshot, &replica_key(&home.name, made.region), now)?;
        }
        streams::follow(snapshot, batch, Replacement::Asked, None, Some(&mut replica), now)?;
        if let (false, Some(journal)) = (strong, replica.journal) {
            let filled = Some(Vec::new());
            replication::note(batch, &replica, &Progress { journal, next: journal::FIRST_NUMBER, filled });
        }
        catalog::put(batch, &replica)?;
        home.revision = home.next_revision()?;
        catalog::put(batch, home)?;
        Ok(())
    }

    fn update(
        &self,
        snapshot: &dyn Snapshot,
        batch: &mut Batch,
        home: &mut TableDefinition,
        region: &str,
        settings: &ReplicaSettings,
    ) -> Result<(), ServiceError> {
        if settings.has_units {
            return Err(refused(ReplicaError::UnitsOnDemand));
        }
        // A replica's key changes with the encryption of its own table.
        if settings.key.is_some() {
            return Err(refused(ReplicaError::Key));
        }
        let key = home.global.as_ref().map(|global| global.key_in(&home.name, region).into_owned());
        if key.as_deref() == Some(home.name.as_str()) {
            settings.apply(home, Some(self.now));
            home.revision = home.next_revision()?;
            catalog::put(batch, home)?;
        } else if let Some(mut replica) =
            key.map(|key| catalog::table_in(snapshot, &key)).transpose()?.flatten()
        {
            settings.apply(&mut replica, Some(self.now));
            replica.revision = replica.next_revision()?;
            catalog::put(batch, &replica)?;
        }
        Ok(())
    }
}

impl ReplicaSettings {
    fn apply(&self, table: &mut TableDefinition, changed_at: Option<Timestamp>) {
        if let Some(class) = self.class {
            (table.table_class, table.class_changed_at) = (Some(class), changed_at);
        }
        // A bound that is no number of units takes the bound away.
        let bound = |bound: u64| Some(bound).filter(|bound| *bound > 0);
        if let Some(reads) = self.maximum_reads {
            table.throughput.on_demand_maxima.read = bound(reads);
        }
        for (name, reads) in &self.of_indexes {
            if let Some(index) = table.indexes.iter_mut().find(|index| index.name == *name) {
                index.throughput.on_demand_maxima.read = bound(*reads);
            }
        }
    }
}

/// A replica that is to be made.
struct New<'a> {
    region: &'a str,
    settings: &'a ReplicaSettings,
    id: u128,
}

impl New<'_> {
    fn listed(&self, source: &str, now: Timestamp) -> Replica {
        Replica { region: self.region.to_owned(), source: source.to_owned(), added_at: now }
    }

    /// The key that encrypts it: one of its region, as the table has one of its.
    fn key(&self, home: &TableDefinition) -> Result<Option<String>, ServiceError> {
        let own_of_account = uuid_text(random_uuid(ACCOUNT.len() as u128));
        match (&home.encryption_key, &self.settings.key) {
            (None, None) => Ok(None),
            (None, Some(_)) => Err(refused(ReplicaError::Key)),
            (Some(key), None) if key.ends_with(&own_of_account) => {
                Ok(Some(key_arn(self.region, &own_of_account)))
            }
            (Some(_), None) => Err(refused(ReplicaError::Key)),
            (Some(_), Some(key)) if key.starts_with("arn:") => Ok(Some(key.clone())),
            (Some(_), Some(key)) => Ok(Some(key_arn(self.region, key))),
        }
    }

    /// Its definition, without what makes it a member.
    fn replica(
        &self,
        home: &TableDefinition,
        encryption_key: Option<String>,
        now: Timestamp,
        draw: &mut dyn FnMut() -> Result<Space, InternalError>,
    ) -> Result<TableDefinition, InternalError> {
        let mut indexes = home.indexes.clone();
        for index in &mut indexes {
            index.space = draw()?;
            // Each item that comes brings its entries.
            index.added = false;
        }
        let mut vector_indexes = home.vector_indexes.clone();
        for index in &mut vector_indexes {
            index.space = draw()?;
            index.added = false;
        }
        let enabled = home.stream.as_ref().and_then(|stream| stream.view);
        let mut replica = TableDefinition {
            region: Some(self.region.to_owned()),
            id: self.id,
            revision: 1,
            space: draw()?,
            collections: home.collections.map(|_| draw()).transpose()?,
            indexes,
            vector_indexes,
            encryption_key,
            // Each region has these of its own.
            deletion_protection: false,
            tags: Vec::new(),
            copies: Vec::new(),
            recovery: None,
            destinations: Vec::new(),
            settings_replication: None,
            disassociation_protection: None,
            journal: None,
            stream: enabled.map(|view| TableStream { label: String::new(), view: Some(view) }),
            time_to_live: match &home.time_to_live {
                Some(set) => Some(TimeToLive { attribute: set.attribute.clone(), space: draw()? }),
                None => None,
            },
            global: None,
            membership: None,
            is_filling: false,
            on_demand_since: Some(now),
            created_at: now,
            ..home.clone()
        };
        self.settings.apply(&mut replica, None);
        Ok(replica)
    }
}

/// Takes the replica of a region away.
fn delete(
    snapshot: &dyn Snapshot,
    batch: &mut Batch,
    home: &mut TableDefinition,
    region: &str,
    now: Timestamp,
) -> Result<(), ServiceError> {
    let Some(global) = &mut home.global else { return Ok(()) };
    let is_source = |replica: &Replica| {
        replica.source == region && now.0 < replica.added_at.0.saturating_add(DAY_MILLISECONDS)
    };
    // The table that was there first goes last.
    if global.home == region || global.replicas.iter().any(is_source) {
        return Err(refused(ReplicaError::IsSource));
    }
    let key = replica_key(&home.name, region);
    let Some(replica) = catalog::table_in(snapshot, &key)? else {
        return Err(refused(ReplicaError::NotMember(region.to_owned())));
    };
    if replica.deletion_protection {
        let (table, region) = (home.name.clone(), region.to_owned());
        return Err(refused(ReplicaError::Protected { table, region }));
    }
    global.replicas.retain(|replica| replica.region != region);
    let is_last = global.replicas.is_empty();
    replication::forget(batch, &replica);
    catalog::remove(batch, &replica);
    streams::follow(snapshot, batch, Replacement::Asked, Some(&replica), None, now)?;
    if is_last {
        replication::forget(batch, home);
        if let Some(Membership::Eventual { times }) = home.membership {
            catalog::retire(batch, times);
        }
        (home.global, home.membership) = (None, None);
    }
    home.revision = home.next_revision()?;
    catalog::put(batch, home)?;
    Ok(())
}
