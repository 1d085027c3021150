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
use crate::catalog::{IndexDefinition, TableDefinition};
use crate::context::Context;
use crate::error::{InternalError, ItemFault, ServiceError};
use crate::indexes::{self, EntryChange, EntryWrite, ItemCollection};
use crate::keys::ItemKey;
use crate::read::Source;
use crate::trace::{Access, PartitionLog, SizeChange, Tally, Tracer};
use crate::undo::WriteLabel;

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
            collection: None,
        }
    }

    /// The size of the item that a transaction counts: the new one, or where there is none the old.
    pub fn image_bytes(&self) -> u64 {
        size(self.after.as_ref().or(self.before.as_ref()))
    }

    /// The sizes before and after.
    pub fn sizes(&self) -> SizeChange {
        SizeChange { before: size(self.before.as_ref()), after: size(self.after.as_ref()) }
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
        consumed
    }
}

fn size(item: Option<&Item>) -> u64 {
    item.map_or(0, |item| item.as_ref().size())
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
    let (tables, now) = (tables_of(mutations.iter()), ctx.now());
    ctx.undo().transact(ctx.store(), label(ctx, &tables), move |snapshot| {
        let mut batch = Batch::new();
        let applied = apply_all(snapshot, &mut batch, now, mutations.iter().map(Ok))?;
        Ok((batch, all_or_none(applied)?))
    })?
}

/// The outcomes, if there is nothing else.
fn all_or_none(applied: Vec<Applied>) -> Result<Vec<Outcome>, Refusal> {
    if applied.iter().any(Result::is_err) {
        return Err(Refusal::Rejected(applied));
    }
    Ok(applied.into_iter().flatten().collect())
}

/// The names of the tables that mutations change, each once.
fn tables_of<'m>(mutations: impl IntoIterator<Item = &'m Mutation>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for mutation in mutations {
        if !names.contains(&mutation.table.name.as_str()) {
            names.push(&mutation.table.name);
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
            Err(Refusal::Internal(error)) => return Err(error.into()),
        }
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
    tracer.record(|| {
        let source = Source { table, index: None };
        access(source, &mutation.key, outcome.before.is_some(), outcome.sizes(), charge)
    });
    for (index, write) in outcome.entry_writes() {
        tracer.record(|| {
            let source = Source { table, index: Some(index) };
            let existed = write.change.before > 0;
            access(source, write.entry.place(), existed, write.change, write.charge())
        });
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
