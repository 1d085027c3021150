//! Transactions: actions that are applied all or none, once for each token.
//!
//! All actions are looked at even when one can't be applied, for the answer says of each whether it is to
//! blame. A request may carry a token: it is put into the store with the request's writes, in one
//! transaction of the store, so a request that comes again finds either both or neither. What is kept of
//! a request is a fingerprint of its parameters, to tell it from another, and the sizes of the items it
//! had, for that is what its repetition is charged for. A job forgets the token after a while.

mod token;

use std::sync::Arc;

use keyplan_store::Batch;

pub use token::RequestToken;
pub(crate) use token::is_remembered;

use super::{Applied, Mutation, Outcome, Refusal, Rejection, all_or_none, apply_all, label, note, tables_of};
use crate::capacity::{Charge, Consistency, Consumption};
use crate::context::Context;
use crate::error::{CancellationReason, InternalError, ItemFault, ManyFault, ServiceError};
use crate::limits::TRANSACTION_BYTES_MAX;
use crate::trace::{Access, PartitionLog, Tally, Tracer};

/// An action of a transaction: its mutation, or why it doesn't fit its table.
pub type Action = Result<Mutation, ItemFault>;

/// What came of a transaction.
#[derive(Debug)]
pub enum Transacted {
    /// It was written: the outcome of each action.
    Written(Vec<Outcome>),
    /// It had been written before: the charge of each action, which is that of reading its item.
    Repeated(Vec<Charge>),
}

/// Why a transaction wrote nothing.
enum Broken {
    Refused(Refusal),
    Mismatch,
    TooLarge,
}

impl<E: Into<Refusal>> From<E> for Broken {
    fn from(error: E) -> Broken {
        Broken::Refused(error.into())
    }
}

/// What the store's transaction answers.
enum Committed {
    Written(Vec<Outcome>),
    Repeated(Vec<u64>),
}

/// Applies the actions that `actions` makes for the tables as they are, all or none, and notes what they
/// did and cost.
///
/// # Errors
/// Those of `actions`; a token that another request has; items that are too large together; that the
/// transaction was given up, with a reason for each action.
pub fn transact(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    token: Option<&RequestToken>,
    actions: impl Fn() -> Result<Vec<Action>, ServiceError>,
) -> Result<Transacted, ServiceError> {
    loop {
        let actions: Arc<[Action]> = Arc::from(actions()?);
        match commit(ctx, Arc::clone(&actions), token.cloned())? {
            Ok(Committed::Written(outcomes)) => {
                for (action, outcome) in actions.iter().zip(&outcomes) {
                    note_action(tracer, action, outcome);
                }
                return Ok(Transacted::Written(outcomes));
            }
            Ok(Committed::Repeated(sizes)) => {
                let charges = sizes.iter().map(|size| charge_of_read(*size)).collect::<Vec<_>>();
                for (action, charge) in actions.iter().zip(&charges) {
                    note_read(tracer, action, *charge);
                }
                return Ok(Transacted::Repeated(charges));
            }
            // Every turn means that another request replaced a table, so this ends when they do.
            Err(Broken::Refused(Refusal::TableChanged)) => ctx.catalog().changed(),
            Err(Broken::Refused(Refusal::Rejected(applied))) => {
                let reasons =
                    actions.iter().zip(applied).map(|(action, applied)| reason(tracer, action, applied));
                return Err(ServiceError::TransactionCanceled(reasons.collect()));
            }
            Err(Broken::Refused(Refusal::Internal(error))) => return Err(error.into()),
            Err(Broken::Mismatch) => return Err(ServiceError::IdempotentParameterMismatch),
            Err(Broken::TooLarge) => return Err(ManyFault::TransactionTooLarge.into()),
        }
    }
}

fn commit(
    ctx: &Context<'_>,
    actions: Arc<[Action]>,
    token: Option<RequestToken>,
) -> Result<Result<Committed, Broken>, InternalError> {
    let tables = tables_of(actions.iter().flatten());
    let now = ctx.now();
    Ok(ctx.undo().transact(ctx.store(), label(ctx, &tables), move |snapshot| {
        let mut batch = Batch::new();
        if let Some(token) = &token
            && let Some(sizes) = token.find(snapshot, now)?
        {
            return Ok((batch, Committed::Repeated(sizes)));
        }
        let applied = apply_all(snapshot, &mut batch, now, actions.iter().map(Result::as_ref))?;
        let outcomes = all_or_none(applied)?;
        if outcomes.iter().map(Outcome::image_bytes).sum::<u64>() > TRANSACTION_BYTES_MAX {
            return Err(Broken::TooLarge);
        }
        if let Some(token) = &token {
            token.keep(&mut batch, &outcomes, now)?;
        }
        Ok((batch, Committed::Written(outcomes)))
    })?)
}

/// What an action has to do with the end of its transaction; what it examined was paid for all the same.
fn reason(tracer: &mut Tracer, action: &Action, applied: Applied) -> CancellationReason {
    let Ok(mutation) = action else {
        return match applied {
            Err(Rejection::Fault(fault)) => CancellationReason::Validation(fault),
            _ => CancellationReason::None,
        };
    };
    let table = &mutation.table;
    match applied {
        Ok(outcome) => {
            note_action(tracer, action, &Outcome::untouched(table, outcome.before));
            CancellationReason::None
        }
        Err(Rejection::ConditionFailed { item }) => {
            note_action(tracer, action, &Outcome::untouched(table, item.clone()));
            CancellationReason::ConditionalCheckFailed { item: item.filter(|_| mutation.return_on_failure) }
        }
        Err(Rejection::Fault(fault)) => CancellationReason::Validation(fault),
        Err(Rejection::CollectionTooLarge) => CancellationReason::ItemCollectionTooLarge,
    }
}

/// What an action consumed: twice what it would by itself of the table, and of indexes the same.
pub fn consumed(outcome: &Outcome) -> Consumption<'_> {
    outcome.consumed_with(charge(outcome))
}

/// What an action cost on the table itself.
fn charge(outcome: &Outcome) -> Charge {
    outcome.charge().in_transaction()
}

fn note_action(tracer: &mut Tracer, action: &Action, outcome: &Outcome) {
    if let Ok(mutation) = action {
        note(tracer, mutation, outcome, charge(outcome));
    }
}

fn charge_of_read(bytes: u64) -> Charge {
    Charge::read(bytes, Consistency::Strong).in_transaction()
}

/// Notes that the item of an action was looked at again.
fn note_read(tracer: &mut Tracer, action: &Action, charge: Charge) {
    let Ok(mutation) = action else { return };
    tracer.record(|| {
        let schema = &mutation.table.key_schema;
        let mut partitions = PartitionLog::default();
        partitions.partition_touched(mutation.key.hash(), mutation.key.partition_item(schema));
        Access {
            table: mutation.table.name.clone(),
            index: None,
            partitions: partitions.into_partitions(),
            examined: Tally { items: 1, bytes: charge.bytes() },
            returned: Tally::default(),
            stopped: None,
            change: None,
            charge,
        }
    });
}
