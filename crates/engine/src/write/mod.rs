//! The one way to change items.
//!
//! Every operation that writes makes [`Mutation`]s: which item, what shall become of it, and the
//! condition under which. [`commit`] applies them in one transaction of the store, all or none; a
//! [`transaction`] of the service is the same with a token. What follows from a changed item (index
//! entries, counts and sizes, the journal, expiry times) is kept in `apply` and nowhere else.

mod apply;
mod restore;
pub mod transaction;

use std::sync::Arc;

pub(crate) use apply::apply_all;
pub(crate) use restore::restore;

use keyplan_expression::{Condition, Update};
use keyplan_store::Batch;
use keyplan_value::{Item, ItemRef};

use crate::call::Timestamp;
use crate::capacity::{Charge, Consumption};
use crate::catalog::{IndexDefinition, TableDefinition, VectorIndexDefinition};
use crate::context::Context;
use crate::error::{InternalError, ItemFault, ServiceError};
use crate::indexes::{self, EntryChange, EntryWrite, ItemCollection};
use crate::journal::CommitTime;
use crate::keys::ItemKey;
use crate::read::Source;
use crate::trace::{Access, PartitionLog, SizeChange, Tally, Tracer};
use crate::undo::WriteLabel;
use crate::weather::Throttle;

/// One change of one item, owned: it goes into the store's transaction.
#[derive(Debug)]
pub struct Mutation {
    /// The item's table.
    pub table: Arc<TableDefinition>,
    /// The item's place in it.
    pub key: ItemKey,
    /// What shall become of the item.
    pub action: Action,
    /// The condition under which.
    pub condition: Option<Arc<Condition>>,
    /// Whether a refusal by the condition hands back the item as it stands.
    pub return_on_failure: bool,
}

/// What shall become of an item.
#[derive(Debug)]
pub enum Action {
    /// It is replaced by another, or created.
    Put(Item),
    /// It is updated, or created with its key first. Without an update it is created, or stays as it is.
    Update(Option<Arc<Update>>),
    /// It is removed.
    Delete,
    /// Nothing: its condition is all that matters.
    Check,
    /// It is removed if it has expired at this moment.
    Expire(Timestamp),
    /// It becomes what it is in another region, unless it was changed later than there.
    Replicate(Replicated),
}

/// What an item is in another region.
#[derive(Debug)]
pub struct Replicated {
    /// The item, if it is there.
    pub item: Option<Item>,
    /// When it became so.
    pub time: CommitTime,
    /// Whether it is copied into a new replica, whose stream tells nothing of that.
    pub is_copy: bool,
}

impl Mutation {
    /// The mutation that puts an item.
    ///
    /// # Errors
    /// When the item doesn't fit the table, then when it doesn't fit an index.
    pub fn put(
        table: &Arc<TableDefinition>,
        item: &Item,
        condition: Option<Arc<Condition>>,
    ) -> Result<Mutation, ItemFault> {
        let key = ItemKey::of_item(&table.key_schema, item.as_ref())?;
        indexes::check_put(table, item)?;
        Ok(Mutation {
            table: Arc::clone(table),
            key,
            action: Action::Put(item.clone()),
            condition,
            return_on_failure: false,
        })
    }

    /// The mutation that does something with the item of a key.
    ///
    /// # Errors
    /// When the key isn't one of the table.
    pub fn of_key(
        table: &Arc<TableDefinition>,
        key: ItemRef<'_>,
        action: Action,
        condition: Option<Arc<Condition>>,
    ) -> Result<Mutation, ItemFault> {
        let key = ItemKey::of_key(&table.key_schema, key)?;
        Ok(Mutation { table: Arc::clone(table), key, action, condition, return_on_failure: false })
    }

    /// The item's place in all of the store: no other item has it.
    pub fn place(&self) -> (u64, &[u8]) {
        (self.table.space.0, self.key.bytes())
    }

    /// The same, and a refusal by the condition hands back the item if `wanted`.
    #[must_use]
    pub fn returning_on_failure(self, wanted: bool) -> Mutation {
        Mutation { return_on_failure: wanted, ..self }
    }
}

/// What became of an item.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The item's table.
    pub table: Arc<TableDefinition>,
    /// The item before.
    pub before: Option<Item>,
    /// The item after.
    pub after: Option<Item>,
    /// What became of its entries in the table's indexes, where anything did.
    pub entries: Vec<EntryChange>,
    /// The same of the table's vector indexes.
    pub vector_entries: Vec<EntryChange>,
    /// Its item collection after the write, on a table with local secondary indexes.
    pub collection: Option<ItemCollection>,
}

impl Outcome {
    /// The outcome of what leaves an item of the table as it is.
    pub fn untouched(table: &Arc<TableDefinition>, item: Option<Item>) -> Outcome {
        Outcome {
            table: Arc::clone(table),
            before: item.clone(),
            after: item,
            entries: Vec::new(),
            vector_entries: Vec::new(),
            collection: None,
        }
    }

    /// The size of the item that a transaction counts: the new one, or where there is none the old.
    pub fn image_bytes(&self) -> u64 {
        self.size(self.after.as_ref().or(self.before.as_ref()))
    }

    /// The sizes before and after.
    pub fn sizes(&self) -> SizeChange {
        SizeChange { before: self.size(self.before.as_ref()), after: self.size(self.after.as_ref()) }
    }

    fn size(&self, item: Option<&Item>) -> u64 {
        item.map_or(0, |item| self.table.billed_bytes(item.as_ref()))
    }

    /// What the write costs on the table itself.
    pub fn charge(&self) -> Charge {
        let SizeChange { before, after } = self.sizes();
        Charge::write(before, after)
    }

    /// The writes of index entries that it led to, each with its index.
    pub fn entry_writes(&self) -> impl Iterator<Item = (&IndexDefinition, EntryWrite<'_>)> {
        self.entries.iter().flat_map(|change| {
            let index = self.table.indexes.get(change.index);
            change.writes().filter_map(move |write| Some((index?, write)))
        })
    }

    /// The same of vector indexes.
    pub fn vector_writes(&self) -> impl Iterator<Item = (&VectorIndexDefinition, EntryWrite<'_>)> {
        self.vector_entries.iter().flat_map(|change| {
            let index = self.table.vector_indexes.get(change.index);
            change.writes().filter_map(move |write| Some((index?, write)))
        })
    }

    /// What the write consumes, of the table and of each index.
    pub fn consumed(&self) -> Consumption<'_> {
        self.consumed_with(self.charge())
    }

    /// The same where the table charges the write otherwise; what indexes charge is always the same.
    fn consumed_with(&self, charge: Charge) -> Consumption<'_> {
        let mut consumed = Consumption::of_table(charge.units());
        for (index, write) in self.entry_writes() {
            consumed.add_index(index, write.charge().units());
        }
        for (index, write) in self.vector_writes() {
            consumed.add_vector_index(index, write.vector_charge().charged_bytes());
        }
        consumed
    }
}

/// Why a mutation can't be applied to the item as it stands.
#[derive(Debug, Clone)]
pub enum Rejection {
    /// Its condition doesn't hold.
    ConditionFailed {
        /// The item.
        item: Option<Item>,
    },
    /// It doesn't fit the item, or the table.
    Fault(ItemFault),
    /// The item collection would become too large.
    CollectionTooLarge,
}

/// What became of one mutation among several.
pub type Applied = Result<Outcome, Rejection>;

/// Why a transaction of mutations was given up; nothing of it was written.
#[derive(Debug)]
pub enum Refusal {
    /// The table was dropped or changed since it was looked up.
    TableChanged,
    /// Some mutations can't be applied: what would have become of each.
    Rejected(Vec<Applied>),
    /// Some find no units left: why, of each that doesn't.
    Throttled(Vec<Option<Throttle>>),
    /// The store failed, or its bytes can't be read.
    Internal(InternalError),
}

impl From<InternalError> for Refusal {
    fn from(error: InternalError) -> Refusal {
        Refusal::Internal(error)
    }
}

impl From<keyplan_store::StoreError> for Refusal {
    fn from(error: keyplan_store::StoreError) -> Refusal {
        Refusal::Internal(InternalError::Store(error))
    }
}

/// Applies mutations in one transaction, all or none, and gives their outcomes in the same order.
///
/// # Errors
/// See [`Refusal`].
pub fn commit(ctx: &Context<'_>, mutations: Arc<[Mutation]>) -> Result<Vec<Outcome>, Refusal> {
    if mutations.is_empty() {
        return Ok(Vec::new());
    }
    let (tables, now) = (tables_of(ctx, mutations.iter()), ctx.now());
    let weather = ctx.weather();
    let (met, written) = (weather.clone(), Arc::clone(&mutations));
    wake_replication(ctx, mutations.iter());
    let committed = ctx.undo().transact(ctx.store(), label(ctx, &tables), move |snapshot| {
        let mut batch = Batch::new();
        let applied = apply_all(snapshot, &mut batch, now, mutations.iter().map(Ok))?;
        if let Some(weather) = &met
            && let Some(refusals) = weather.refusals(mutations.iter().zip(&applied), false, now)
        {
            return Err(Refusal::Throttled(refusals));
        }
        Ok((batch, all_or_none(applied)?))
    })?;
    if let Some(weather) = weather {
        weather.applied(written.iter().map(Some), committed.as_deref(), false, now);
    }
    committed
}

/// Has the next request look for changes that other regions are to be told of, where there will be some.
fn wake_replication<'m>(ctx: &Context<'_>, mutations: impl IntoIterator<Item = &'m Mutation>) {
    if mutations.into_iter().any(|mutation| mutation.table.is_replicated_later()) {
        ctx.work_given();
    }
}

/// The outcomes, if there is nothing else.
fn all_or_none(applied: Vec<Applied>) -> Result<Vec<Outcome>, Refusal> {
    if applied.iter().any(Result::is_err) {
        return Err(Refusal::Rejected(applied));
    }
    Ok(applied.into_iter().flatten().collect())
}

/// The tables that mutations change, each once: their places in the catalog; where nobody keeps writes, none are told.
fn tables_of<'m>(ctx: &Context<'_>, mutations: impl IntoIterator<Item = &'m Mutation>) -> String {
    if !ctx.undo().is_on() {
        return String::new();
    }
    let mut names = Vec::new();
    for mutation in mutations {
        let name = mutation.table.key();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

fn label<'l>(ctx: &Context<'_>, tables: &'l str) -> WriteLabel<'l> {
    WriteLabel { operation: ctx.operation().name, table: tables, now: ctx.now() }
}

/// Applies the mutations that `mutations` makes for the tables as they are, and notes what they did and
/// cost. It is called again when a table was replaced between the look-up and the write.
///
/// # Errors
/// Those of `mutations`, and the first of the faults that the items have.
pub fn commit_all(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    mutations: impl Fn() -> Result<Vec<Mutation>, ServiceError>,
) -> Result<Vec<Outcome>, ServiceError> {
    loop {
        let mutations: Arc<[Mutation]> = Arc::from(mutations()?);
        if held_by_transactions(ctx, &mutations).contains(&true) {
            return Err(ServiceError::TransactionConflict);
        }
        match commit(ctx, Arc::clone(&mutations)) {
            Ok(outcomes) => {
                for (mutation, outcome) in mutations.iter().zip(&outcomes) {
                    note(tracer, mutation, outcome, outcome.charge());
                }
                return Ok(outcomes);
            }
            // Every turn means that another request replaced a table, so this ends when they do.
            Err(Refusal::TableChanged) => ctx.catalog().changed(),
            Err(Refusal::Rejected(applied)) => return Err(rejected(tracer, &mutations, applied)),
            Err(Refusal::Throttled(refusals)) => return Err(throttled(ctx, &refusals)),
            Err(Refusal::Internal(error)) => return Err(error.into()),
        }
    }
}

/// As [`commit_all`], but mutations that the weather leaves are left: nothing is their outcome.
///
/// # Errors
/// As [`commit_all`]; and when all are throttled.
pub fn commit_some(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    mutations: impl Fn() -> Result<Vec<Mutation>, ServiceError>,
) -> Result<Vec<Option<Outcome>>, ServiceError> {
    let Some(weather) = ctx.weather() else {
        return Ok(commit_all(ctx, tracer, mutations)?.into_iter().map(Some).collect());
    };
    // Which are processed; the chance is drawn once, whatever comes.
    let mut processed: Option<Vec<bool>> = None;
    loop {
        let all = mutations()?;
        let processed = processed.get_or_insert_with(|| {
            let chosen = weather.processed(all.len());
            let held = held_by_transactions(ctx, &all);
            chosen.into_iter().zip(held).map(|(chosen, held)| chosen && !held).collect()
        });
        let chosen = all.into_iter().zip(processed.iter());
        let chosen: Arc<[Mutation]> =
            chosen.filter(|(_, processed)| **processed).map(|(one, _)| one).collect();
        let leave = |refusals: &[Option<Throttle>], processed: &mut [bool]| {
            let tried = processed.iter_mut().filter(|processed| **processed);
            tried.zip(refusals).for_each(|(processed, refusal)| *processed = refusal.is_none());
        };
        match commit(ctx, Arc::clone(&chosen)) {
            Ok(outcomes) => {
                for (mutation, outcome) in chosen.iter().zip(&outcomes) {
                    note(tracer, mutation, outcome, outcome.charge());
                }
                weather.left_unprocessed(processed.iter().filter(|processed| !**processed).count());
                let mut outcomes = outcomes.into_iter();
                let outcome = |processed: &bool| if *processed { outcomes.next() } else { None };
                return Ok(processed.iter().map(outcome).collect());
            }
            // Every turn means that another request replaced a table, so this ends when they do.
            Err(Refusal::TableChanged) => ctx.catalog().changed(),
            Err(Refusal::Rejected(applied)) => return Err(rejected(tracer, &chosen, applied)),
            Err(Refusal::Throttled(refusals)) if refusals.iter().all(Option::is_some) => {
                return Err(throttled(ctx, &refusals));
            }
            // Every turn leaves some more.
            Err(Refusal::Throttled(refusals)) => leave(&refusals, processed),
            Err(Refusal::Internal(error)) => return Err(error.into()),
        }
    }
}

/// Which items are held by transactions that aren't done.
fn held_by_transactions(ctx: &Context<'_>, mutations: &[Mutation]) -> Vec<bool> {
    match ctx.weather() {
        Some(weather) => weather.held(mutations.iter().map(Mutation::place), ctx.now()),
        None => Vec::new(),
    }
}

/// The error of the first of several that found no units left.
fn throttled(ctx: &Context<'_>, refusals: &[Option<Throttle>]) -> ServiceError {
    match refusals.iter().flatten().next() {
        Some(throttle) => ServiceError::Throttled(Box::new(throttle.told(ctx.region()))),
        None => InternalError::Panicked.into(),
    }
}

/// The error of the first mutation that couldn't be applied.
fn rejected(tracer: &mut Tracer, mutations: &[Mutation], applied: Vec<Applied>) -> ServiceError {
    let first =
        mutations.iter().zip(applied).find_map(|(mutation, applied)| Some((mutation, applied.err()?)));
    match first {
        Some((mutation, Rejection::ConditionFailed { item })) => {
            // A refused write costs what the item that was examined weighs.
            let examined = Outcome::untouched(&mutation.table, item.clone());
            note(tracer, mutation, &examined, examined.charge());
            ServiceError::ConditionalCheckFailed { item: item.filter(|_| mutation.return_on_failure) }
        }
        Some((_, Rejection::Fault(fault))) => fault.into(),
        Some((_, Rejection::CollectionTooLarge)) => ServiceError::ItemCollectionSizeLimitExceeded,
        None => InternalError::Panicked.into(),
    }
}

/// Applies the one mutation of a single-item operation; otherwise as [`commit_all`].
///
/// # Errors
/// Those of `mutation`; that there is no such table; that the mutation can't be applied; that the store
/// failed.
pub fn commit_one(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    find_table: impl Fn() -> Result<Arc<TableDefinition>, ServiceError>,
    mutation: impl Fn(&Arc<TableDefinition>) -> Result<Mutation, ServiceError>,
) -> Result<Outcome, ServiceError> {
    let outcomes = commit_all(ctx, tracer, || Ok(vec![mutation(&find_table()?)?]))?;
    outcomes.into_iter().next().ok_or_else(|| InternalError::Panicked.into())
}

/// Notes in the trace, if there is one, what a mutation did to its item, which the table charges so, and to
/// the item's entries.
fn note(tracer: &mut Tracer, mutation: &Mutation, outcome: &Outcome, charge: Charge) {
    let table = &outcome.table;
    tracer.record(charge, || {
        let source = Source { table, index: None };
        access(source, &mutation.key, outcome.before.is_some(), outcome.sizes(), charge)
    });
    for (index, write) in outcome.entry_writes() {
        tracer.record(write.charge(), || {
            let source = Source { table, index: Some(index) };
            let existed = write.change.before > 0;
            access(source, write.place, existed, write.change, write.charge())
        });
    }
    for (index, write) in outcome.vector_writes() {
        tracer.record(write.vector_charge(), || vector_access(table, index, &mutation.key, &write));
    }
}

/// The record of one write of an entry in a vector index.
fn vector_access(
    table: &TableDefinition,
    index: &VectorIndexDefinition,
    item: &ItemKey,
    write: &EntryWrite<'_>,
) -> Access {
    let mut examined = Tally::default();
    let mut partitions = PartitionLog::default();
    // What parts a vector index is a partition's key; without it, items lie as in their table.
    let partition_key = match index.hash() {
        Some(attribute) => write.place.attributes([attribute]),
        None => item.partition_item(&table.key_schema),
    };
    let key = item.attributes(table.key_schema.attributes());
    match write.change.before {
        0 => partitions.partition_touched(write.place.hash(), partition_key),
        before => {
            examined.add(before);
            partitions.examined(write.place.hash(), partition_key, key, before, false);
        }
    }
    Access {
        table: table.name.clone(),
        index: Some(index.name.clone()),
        partitions: partitions.into_partitions(),
        examined,
        returned: Tally::default(),
        stopped: None,
        change: Some(write.change),
        charge: write.vector_charge(),
    }
}

/// The record of one write, of an item or an entry.
fn access(source: Source<'_>, place: &ItemKey, existed: bool, change: SizeChange, charge: Charge) -> Access {
    let schema = source.key_schema();
    let mut examined = Tally::default();
    let mut partitions = PartitionLog::default();
    let partition_key = place.partition_item(schema);
    if existed {
        examined.add(change.before);
        let key = place.attributes(source.position());
        partitions.examined(place.hash(), partition_key, key, change.before, false);
    } else {
        partitions.partition_touched(place.hash(), partition_key);
    }
    Access {
        table: source.table.name.clone(),
        index: source.index_name(),
        partitions: partitions.into_partitions(),
        examined,
        returned: Tally::default(),
        stopped: None,
        change: Some(change),
        charge,
    }
}
