//! TransactWriteItems: up to a hundred actions, all or none.

mod action;

use std::collections::HashSet;

use keyplan_value::json::{Node, Writer};

use super::consumed::{CollectionsByTable, ConsumedByTable};
use super::parameters::required;
use super::{Answer, Failure};
use crate::capacity::{CapacityDetail, Consumption};
use crate::context::Context;
use crate::error::{ItemFault, ManyFault};
use crate::limits::TRANSACTION_BYTES_MAX;
use crate::shapes::Kind;
use crate::validate::{late_constraints, present, string};
use crate::write::transaction::{self, Blamed, RequestToken, Transacted};
use action::{CheckedAction, SentAction};

/// Runs one TransactWriteItems.
pub(super) fn transact_write_items(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let mut sent = Vec::new();
    for node in required(request, "TransactItems")?.elements() {
        sent.push(SentAction::read(node)?);
    }
    late_constraints(ctx.operation(), request)?;
    action::check_names(&sent)?;
    let mut actions = Vec::with_capacity(sent.len());
    for sent in sent {
        actions.push(sent.check(ctx)?);
    }
    action::check_key_depth(&actions)?;
    // The service looks for these before it looks for the tables. An item to put says nothing yet: which
    // of its attributes are the key, the table tells.
    let mut seen = HashSet::new();
    let mut keys = actions.iter().filter_map(|action| Some((action.table().name(), action.key()?.stored())));
    if keys.any(|key| !seen.insert(key)) {
        return Err(ManyFault::ItemTwiceInTransaction.into());
    }

    let token = token(ctx, request);
    let mut tracer = ctx.tracer();
    let transacted = transaction::transact(ctx, &mut tracer, token.as_ref(), Blamed::FirstMisfit, || {
        // A table that isn't there is told before any key that doesn't fit.
        let tables = actions.iter().map(|action| ctx.table(action.table())).collect::<Result<Vec<_>, _>>()?;
        let mut planned = Vec::with_capacity(actions.len());
        for (action, table) in actions.iter().zip(tables) {
            ctx.transacts(&table)?;
            planned.push(match action.mutation(&table) {
                // Of all faults of a key these alone are not left to the reasons.
                Err(fault @ (ItemFault::EmptyKey { .. } | ItemFault::EmptyIndexKey { .. })) => {
                    return Err(fault.into());
                }
                planned => planned,
            });
        }
        let mut seen = HashSet::new();
        if planned.iter().flatten().any(|mutation| !seen.insert(mutation.place())) {
            return Err(ManyFault::ItemTwiceInTransaction.into());
        }
        // What the request says counts, not the items that are there.
        let payload = actions.iter().map(CheckedAction::payload_bytes).sum();
        if payload > TRANSACTION_BYTES_MAX {
            return Err(ManyFault::PayloadTooLarge(payload).into());
        }
        Ok(planned)
    });
    let transacted = match transacted {
        Ok(transacted) => transacted,
        // What was examined has a cost, so its trace goes along.
        Err(error) => return Err(Failure { error, trace: tracer.finish() }),
    };

    let tables = actions.iter().map(|action| action.table().sent());
    let mut collections = CollectionsByTable::default();
    let consumed = match &transacted {
        Transacted::Written(outcomes) => {
            let mut consumed = ConsumedByTable::written_by_transaction();
            for (table, outcome) in tables.zip(outcomes) {
                consumed.add(table, transaction::consumed(outcome));
                collections.add(table, outcome.collection.as_ref());
            }
            consumed
        }
        Transacted::Repeated(charges) => {
            let mut consumed = ConsumedByTable::read_by_transaction();
            for (table, charge) in tables.zip(charges) {
                consumed.add(table, Consumption::of_table(charge.units()));
            }
            consumed
        }
    };
    let detail = CapacityDetail::from_request(string(request, "ReturnConsumedCapacity").as_deref());
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object();
    consumed.write(detail, &mut json);
    collections.write(request, &mut json);
    json.end_object();
    Ok(Answer { body, trace: tracer.finish() })
}

/// ClientRequestToken, with the parameters that must not differ when it comes again: all but
/// ReturnConsumedCapacity.
fn token(ctx: &Context<'_>, request: Node<'_, '_>) -> Option<RequestToken> {
    let token = string(request, "ClientRequestToken")?;
    let Kind::Structure(structure) = &ctx.operation().input.shape().kind else { return None };
    let compared = structure
        .members
        .iter()
        .filter(|member| !matches!(member.name, "ClientRequestToken" | "ReturnConsumedCapacity"));
    let parameters =
        compared.filter_map(|member| Some((present(request, member.name)?, member.shape.shape())));
    Some(RequestToken::new(ctx.operation().name, &token, parameters))
}
