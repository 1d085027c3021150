//! Transactions: actions that are applied all or none, once for each token.
//!
//! All actions are looked at even when one can't be applied, for the answer says of each whether it is to
//! blame (which of them, where some don't fit their tables, depends on the operation: [`Blamed`]). A request may
//! carry a token: it is put into the store with the request's writes, in one
//! transaction of the store, so a request that comes again finds either both or neither. What is kept of
//! a request is a fingerprint of its parameters, to tell it from another, and the sizes of the items it
//! had, for that is what its repetition is charged for. A job forgets the token after a while.

mod token;

use std::sync::Arc;

use keyplan_store::Batch;

pub use token::RequestToken;
pub(crate) use token::is_remembered;

use super::{
    Applied, Mutation, Outcome, Refusal, Rejection, all_or_none, apply_all, label, note, tables_of,
    wake_replication,
};
use crate::call::Timestamp;
use crate::capacity::{Charge, Consistency, Consumption};
use crate::context::Context;
use crate::error::{CancellationReason, InternalError, ItemFault, ServiceError};
use crate::trace::{Access, PartitionLog, Tally, Tracer};
use crate::weather::{Conditions, Held, Place, Throttle};

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
    /// Others hold its token or its items.
    Held(Held),
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

/// Who is to blame where actions don't fit their tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blamed {
    /// TransactWriteItems blames the first of them alone.
    FirstMisfit,
    /// ExecuteTransaction blames each, and those whose conditions fail.
    Each,
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
    blamed: Blamed,
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
                // What doesn't fit its table is found before anything runs, and no more than the first.
                let misfit = actions.iter().find_map(|action| action.as_ref().err());
                if let Some(misfit) = misfit.filter(|_| blamed == Blamed::FirstMisfit) {
                    let first = actions.iter().position(Result::is_err);
                    let reason = |at| match Some(at) == first {
                        true => CancellationReason::Validation(misfit.clone()),
                        false => CancellationReason::None,
                    };
                    return Err(ServiceError::TransactionCanceled((0..actions.len()).map(reason).collect()));
                }
                let reasons =
                    actions.iter().zip(applied).map(|(action, applied)| reason(tracer, action, applied));
                return Err(ServiceError::TransactionCanceled(reasons.collect()));
            }
            Err(Broken::Refused(Refusal::Throttled(refusals))) => {
                let reason = |refusal: Option<Throttle>| match refusal {
                    Some(throttle) => CancellationReason::Throttled(throttle.told(ctx.region())),
                    None => CancellationReason::None,
                };
                return Err(ServiceError::TransactionCanceled(refusals.into_iter().map(reason).collect()));
            }
            Err(Broken::Refused(Refusal::Internal(error))) => return Err(error.into()),
            Err(Broken::Held(Held::Token)) => return Err(ServiceError::TransactionInProgress),
            Err(Broken::Held(Held::Places(held))) => {
                let reason =
                    |held| if held { CancellationReason::Conflict } else { CancellationReason::None };
                return Err(ServiceError::TransactionCanceled(held.into_iter().map(reason).collect()));
            }
            Err(Broken::Mismatch) => return Err(ServiceError::IdempotentParameterMismatch),
        }
    }
}

fn commit(
    ctx: &Context<'_>,
    actions: Arc<[Action]>,
    token: Option<RequestToken>,
) -> Result<Result<Committed, Broken>, InternalError> {
    let tables = tables_of(ctx, actions.iter().flatten());
    wake_replication(ctx, actions.iter().flatten());
    let now = ctx.now();
    let weather = ctx.weather();
    let Some(held) = &weather else { return write(ctx, &tables, actions, token, None) };
    let places: Vec<Place> = actions.iter().map(place).collect();
    let key = token.as_ref().map(|token| token.key().to_vec());
    let hold = match held.hold(&places, key.as_deref(), now) {
        Ok(hold) => hold,
        Err(why) => return Ok(Err(Broken::Held(why))),
    };
    let committed = write(ctx, &tables, Arc::clone(&actions), token, weather.clone());
    let done = match &committed {
        Ok(Ok(Committed::Written(outcomes))) => Ok(outcomes.as_slice()),
        Ok(Err(Broken::Refused(refusal))) => Err(refusal),
        _ => {
            held.let_go(hold);
            return committed;
        }
    };
    if done.is_err() {
        held.let_go(hold);
    }
    held.applied(actions.iter().map(|action| action.as_ref().ok()), done, true, now);
    committed
}

/// The place that an action wants to hold. One that doesn't fit its table wants none, and no item has this.
fn place(action: &Action) -> Place {
    action.as_ref().map_or((0, Vec::new()), |mutation| {
        let (space, place) = mutation.place();
        (space, place.to_vec())
    })
}

fn write(
    ctx: &Context<'_>,
    tables: &str,
    actions: Arc<[Action]>,
    token: Option<RequestToken>,
    weather: Option<Arc<Conditions>>,
) -> Result<Result<Committed, Broken>, InternalError> {
    let now = ctx.now();
    Ok(ctx.undo().transact(ctx.store(), label(ctx, tables), move |snapshot| {
        let mut batch = Batch::new();
        if let Some(token) = &token
            && let Some(sizes) = token.find(snapshot, now)?
        {
            return Ok((batch, Committed::Repeated(sizes)));
        }
        let applied = apply_all(snapshot, &mut batch, now, actions.iter().map(Result::as_ref))?;
        if let Some(weather) = &weather {
            refuse_throttled(weather, &actions, &applied, now)?;
        }
        let outcomes = all_or_none(applied)?;
        if let Some(token) = &token {
            token.keep(&mut batch, &outcomes, now)?;
        }
        Ok((batch, Committed::Written(outcomes)))
    })?)
}

/// Gives up a transaction that finds no units left for some of its actions.
fn refuse_throttled(
    weather: &Conditions,
    actions: &[Action],
    applied: &[Applied],
    now: Timestamp,
) -> Result<(), Refusal> {
    let fitting =
        actions.iter().zip(applied).filter_map(|(action, applied)| Some((action.as_ref().ok()?, applied)));
    let Some(refusals) = weather.refusals(fitting, true, now) else { return Ok(()) };
    let mut refusals = refusals.into_iter();
    let of_action = |action: &Action| if action.is_ok() { refusals.next().flatten() } else { None };
    Err(Refusal::Throttled(actions.iter().map(of_action).collect()))
}

/// What an action has to do with the end of its transaction; what it examined was paid for all the same.
fn reason(tracer: &mut Tracer, action: &Action, applied: Applied) -> CancellationReason {
    let mutation = match action {
        Ok(mutation) => mutation,
        Err(misfit) => return CancellationReason::Validation(misfit.clone()),
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
    tracer.record(charge, || {
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
