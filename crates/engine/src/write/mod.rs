//! The one way to change items.
//!
//! Every operation that writes makes [`Mutation`]s: which item, what shall become of it, and the
//! condition under which. [`commit`] applies them in one transaction of the store, all or none. What
//! follows from a changed item (index entries, counts and sizes, and later the journal) is kept in `apply`
//! and nowhere else.

mod apply;

use std::sync::Arc;

use keyplan_expression::Condition;
use keyplan_store::Batch;
use keyplan_value::Item;

use crate::capacity::{Charge, Consumption};
use crate::catalog::{IndexDefinition, TableDefinition};
use crate::context::Context;
use crate::error::{InternalError, ServiceError};
use crate::indexes::{EntryChange, EntryWrite, ItemCollection};
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
    /// It is removed.
    Delete,
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
        let mut consumed = Consumption::of_table(self.charge().units());
        for (index, write) in self.entry_writes() {
            consumed.add_index(index, write.charge().units());
        }
        consumed
    }
}

fn size(item: Option<&Item>) -> u64 {
    item.map_or(0, |item| item.as_ref().size())
}

/// Why a transaction of mutations was given up; nothing of it was written.
#[derive(Debug)]
pub enum Refusal {
    /// The table was dropped or changed since it was looked up.
    TableChanged,
    /// A mutation's condition doesn't hold.
    ConditionFailed {
        /// Which mutation.
        mutation: usize,
        /// The item as it stands.
        item: Option<Item>,
    },
    /// The item collection would become too large.
    CollectionTooLarge,
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
    let Some(first) = mutations.first() else { return Ok(Vec::new()) };
    let table = Arc::clone(&first.table);
    let label = WriteLabel { operation: ctx.operation().name, table: &table.name, now: ctx.now() };
    ctx.undo().transact(ctx.store(), label, move |snapshot| {
        let mut batch = Batch::new();
        let mut outcomes = Vec::with_capacity(mutations.len());
        for (position, mutation) in mutations.iter().enumerate() {
            outcomes.push(apply::apply(snapshot, &mut batch, position, mutation)?);
        }
        Ok((batch, outcomes))
    })?
}

/// Applies the one mutation of a single-item operation, and notes what it did and cost.
///
/// `mutation` makes it for the table as it is; it is called again when the table was replaced
/// between the look-up and the write.
///
/// # Errors
/// Those of `mutation`; that there is no such table; that the condition doesn't hold; that the store
/// failed.
pub fn commit_one(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    find_table: impl Fn() -> Result<Arc<TableDefinition>, ServiceError>,
    mutation: impl Fn(&Arc<TableDefinition>) -> Result<Mutation, ServiceError>,
) -> Result<Outcome, ServiceError> {
    loop {
        let table = find_table()?;
        let mutations: Arc<[Mutation]> = Arc::from([mutation(&table)?]);
        match commit(ctx, Arc::clone(&mutations)) {
            Ok(outcomes) => {
                let Some(outcome) = outcomes.into_iter().next() else {
                    return Err(InternalError::Panicked.into());
                };
                note(tracer, &mutations, &outcome);
                return Ok(outcome);
            }
            // Every turn means that another request replaced the table, so this ends when they do.
            Err(Refusal::TableChanged) => ctx.catalog().changed(),
            Err(Refusal::ConditionFailed { item, .. }) => {
                // A refused write costs what the item that was examined weighs.
                let examined = Outcome {
                    table,
                    before: item.clone(),
                    after: item.clone(),
                    entries: Vec::new(),
                    collection: None,
                };
                note(tracer, &mutations, &examined);
                let wanted = mutations.first().is_some_and(|mutation| mutation.return_on_failure);
                return Err(ServiceError::ConditionalCheckFailed { item: item.filter(|_| wanted) });
            }
            Err(Refusal::CollectionTooLarge) => return Err(ServiceError::ItemCollectionSizeLimitExceeded),
            Err(Refusal::Internal(error)) => return Err(error.into()),
        }
    }
}

/// Notes in the trace, if there is one, what a mutation did to its item and to the item's entries.
fn note(tracer: &mut Tracer, mutations: &[Mutation], outcome: &Outcome) {
    let Some(mutation) = mutations.first() else { return };
    let table = &outcome.table;
    tracer.record(|| {
        let source = Source { table, index: None };
        access(source, &mutation.key, outcome.before.is_some(), outcome.sizes(), outcome.charge())
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
