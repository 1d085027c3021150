//! TransactWriteItems: up to a hundred actions, all or none.

mod action;

use std::collections::HashSet;

use keyplan_value::json::{Node, Writer};

use super::consumed::ConsumedByTable;
use super::parameters::required;
use super::{Answer, Failure};
use crate::capacity::CapacityDetail;
use crate::context::Context;
use crate::error::{ItemFault, ManyFault};
use crate::shapes::Kind;
use crate::validate::{late_constraints, present, string};
use crate::write::transaction::{self, RequestToken, Transacted};
use action::SentAction;

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

    let token = token(ctx, request);
    let mut tracer = ctx.tracer();
    let transacted = transaction::transact(ctx, &mut tracer, token.as_ref(), || {
        let mut planned = Vec::with_capacity(actions.len());
        for action in &actions {
            let table = ctx.table(action.table())?;
            planned.push(match action.mutation(&table) {
                // Of all faults of a key this one alone is not left to the reasons.
                Err(fault @ ItemFault::EmptyKey { .. }) => return Err(fault.into()),
                planned => planned,
            });
        }
        let mut seen = HashSet::new();
        if planned.iter().flatten().any(|mutation| !seen.insert(mutation.place())) {
            return Err(ManyFault::ItemTwiceInTransaction.into());
        }
        Ok(planned)
    });
    let transacted = match transacted {
        Ok(transacted) => transacted,
        // What was examined has a cost, so its trace goes along.
        Err(error) => return Err(Failure { error, trace: tracer.finish() }),
    };

    let (mut consumed, charges) = match transacted {
        Transacted::Written(outcomes) => {
            let charges = outcomes.iter().map(transaction::charge).collect();
            (ConsumedByTable::written_by_transaction(), charges)
        }
        Transacted::Repeated(charges) => (ConsumedByTable::read_by_transaction(), charges),
    };
    for (action, charge) in actions.iter().zip(charges) {
        consumed.add(action.table().sent(), charge.units());
    }
    let detail = CapacityDetail::from_request(string(request, "ReturnConsumedCapacity").as_deref());
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object();
    consumed.write(detail, &mut json);
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
