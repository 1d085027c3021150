//! One request, in the order the service looks at it.
//!
//! Is it JSON; does its target name an operation; is it signed; has it a body; are its JSON types right;
//! are its constraints kept; and only then the operation itself, with its table. A later check never
//! answers before an earlier one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use keyplan_value::json::{Kind, Limits, Tape};

use crate::call::{Authentication, Call, Reply, Timestamp};
use crate::context::Context;
use crate::engine::Engine;
use crate::error::{InternalError, SerializationError, ServiceError};
use crate::kept::Beside;
use crate::limits::{JOB_ENTRIES_BEFORE_REQUEST_MAX, JOB_LOOK_MILLISECONDS};
use crate::operations::{Answer, Failure, built};
use crate::shapes::operation;
use crate::trace::Trace;
use crate::validate::{constraints, types, without_unknown_members};

/// When a request is to look for due jobs. A look reads the store, which most requests can save.
#[derive(Debug, Default)]
pub(crate) struct NextLook(AtomicU64);

impl NextLook {
    /// The next request looks: this engine has given out work.
    pub(crate) fn now(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    fn step_if_due(&self, engine: &Engine, now: Timestamp) {
        if now.0 < self.0.load(Ordering::Relaxed) {
            return;
        }
        // Work can also come due without this engine's doing: an undo record lets go of a dropped table,
        // another process writes to the store. So a look is taken again after a while.
        let later = Timestamp(now.0.saturating_add(JOB_LOOK_MILLISECONDS));
        // A failing job must not fail every request; whoever calls `step` for its own sake gets the error.
        let due = engine.step(now, JOB_ENTRIES_BEFORE_REQUEST_MAX).ok().flatten();
        self.0.store(due.map_or(later, |due| due.min(later)).0, Ordering::Relaxed);
    }
}

/// Answers one request. An operation that breaks off is a fault of ours, and is answered as the service
/// answers its own; it takes nothing down with it where the platform can unwind.
pub fn dispatch(engine: &Engine, call: &Call<'_>, beside: Option<Beside<'_>>) -> Reply {
    // Nothing of the engine is left half changed by a panic: stores apply batches whole, and the locks
    // of the caches guard single steps.
    let answered = catch_unwind(AssertUnwindSafe(|| answer(engine, call, beside)))
        .unwrap_or_else(|_| Err(InternalError::Panicked.into()));
    let not_before = engine.weather.now().and_then(|weather| {
        let operation = call.target.and_then(operation)?;
        weather.not_before(operation.name, answered.is_ok(), call.now)
    });
    let (status, body, mut trace, fault) = match answered {
        Ok(Answer { body, trace }) => (200, body, trace, None),
        Err(Failure { error, trace }) => {
            let (status, body) = error.render();
            (status, body, trace, error.fault())
        }
    };
    if engine.insights.is_on()
        && let Some(made) = &trace
    {
        engine.insights.add(made, |table| place(engine, call, table));
    }
    // One that was made for the insights alone is no part of the reply.
    trace = trace.filter(|_| call.trace);
    Reply { status, body, trace: trace.or_else(|| nothing_touched(call)), fault, not_before }
}

/// The place in the catalog of a table that a call spoke to.
fn place(engine: &Engine, call: &Call<'_>, table: &str) -> String {
    let found = engine.catalog.table(&*engine.store, table).ok().flatten();
    let global = found.as_ref().and_then(|table| table.global.as_ref());
    global.map_or_else(|| table.to_owned(), |global| global.key_in(table, call.region()).into_owned())
}

/// The trace of a request that reached no item: refused before, or not about items. That it cost nothing
/// is an account like any other.
fn nothing_touched(call: &Call<'_>) -> Option<Trace> {
    let operation = call.trace.then_some(call.target)?.and_then(operation)?;
    Some(Trace { operation: operation.name, accesses: Vec::new() })
}

fn answer(engine: &Engine, call: &Call<'_>, beside: Option<Beside<'_>>) -> Result<Answer, Failure> {
    let tape = match call.body {
        [] => None,
        body => {
            let given = beside.map_or(&[][..], |beside| beside.given);
            let parsed = Tape::parse_with(body, &Limits::default(), given);
            Some(parsed.map_err(|_| SerializationError::Unreadable)?)
        }
    };
    let operation = call.target.and_then(operation).ok_or(ServiceError::UnknownOperation)?;
    // An operation of a newer model is as unknown as one that does not exist.
    let run = built(operation.name).ok_or(ServiceError::UnknownOperation)?;
    if let Authentication::Refused(error) = call.authentication {
        return Err(ServiceError::from(error).into());
    }
    let tape = tape.ok_or(SerializationError::EmptyBody)?;
    let request = tape.root();
    if request.kind() != Kind::Object {
        return Err(SerializationError::Unreadable.into());
    }
    let known = without_unknown_members(operation, request);
    let known = known.as_deref().map(|body| Tape::parse(body, &Limits::default())).transpose();
    let known = known.map_err(|_| SerializationError::Unreadable)?;
    let request = known.as_ref().map_or(request, Tape::root);
    // A typed request has no other types than it should.
    if beside.is_none() {
        types(operation, request)?;
    }
    constraints(operation, request)?;
    engine.next_look.step_if_due(engine, call.now);
    let ctx = Context::new(engine, call, operation, beside.map(|beside| beside.kept));
    match ctx.weather().and_then(|weather| weather.trouble(&ctx, request)) {
        None => run(&ctx, request),
        Some((error, false)) => Err(error.into()),
        // What was done is done; only its answer is lost.
        Some((error, true)) => run(&ctx, request).and_then(|done| Err(Failure { error, trace: done.trace })),
    }
}
