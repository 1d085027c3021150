//! What PutItem and DeleteItem have in common: a condition, the values to return, and the answer.

use std::sync::Arc;

use keyplan_expression::{Condition, ExpressionError, ExpressionKind, Placeholders};
use keyplan_value::json::{Node, Writer};

use super::parameters::{self, Generations, Layer, PlaceholderMaps, table_reference};
use super::{Answer, Failure};
use crate::capacity::CapacityDetail;
use crate::catalog::TableDefinition;
use crate::context::Context;
use crate::error::{ItemFault, ServiceError};
use crate::validate::{late_constraints, string};
use crate::write::{self, Mutation};

/// The parameters of the two generations that both operations have.
const GENERATIONS: Generations = Generations {
    older: &["Expected", "ConditionalOperator"],
    expressions: &["ConditionExpression"],
    values_detail: None,
};

/// A condition that has been read as far as the service reads it before it looks at other parameters.
pub(super) struct PendingCondition {
    placeholders: Placeholders,
    condition: Option<Arc<Condition>>,
    /// What is wrong with the condition's placeholders; it is told last.
    undefined: Option<ExpressionError>,
}

impl PendingCondition {
    /// Reads the rules between parameters, the placeholders and the condition.
    ///
    /// # Errors
    /// What is wrong with them, but for placeholders that are missing or left over.
    pub(super) fn read(
        ctx: &Context<'_>,
        request: Node<'_, '_>,
        maps: PlaceholderMaps<'_>,
    ) -> Result<PendingCondition, ServiceError> {
        const LAYER: Layer = Layer::SingleWrite;
        GENERATIONS.check(request).map_err(|fault| LAYER.fault(fault))?;
        let placeholders = maps.into_placeholders(LAYER)?;
        late_constraints(ctx.operation(), request)?;
        GENERATIONS.refuse_older(request)?;
        let which = ExpressionKind::Condition;
        let Some(parsed) = parameters::parse_condition(ctx, LAYER, which, request)? else {
            return Ok(PendingCondition { placeholders, condition: None, undefined: None });
        };
        match parsed.bind(&placeholders) {
            Ok(condition) => {
                Ok(PendingCondition { placeholders, condition: Some(Arc::new(condition)), undefined: None })
            }
            Err(error) if error.is_about_placeholders() => {
                Ok(PendingCondition { placeholders, condition: None, undefined: Some(error) })
            }
            Err(error) => Err(LAYER.expression(which, error)),
        }
    }

    /// The condition, once its placeholders are found right.
    ///
    /// # Errors
    /// Placeholders that are missing, then those that are left over.
    pub(super) fn finish(self) -> Result<Option<Arc<Condition>>, ServiceError> {
        if let Some(error) = self.undefined {
            return Err(Layer::SingleWrite.expression(ExpressionKind::Condition, error));
        }
        parameters::check_unused(Layer::SingleWrite, &self.placeholders)?;
        Ok(self.condition)
    }
}

/// ReturnValues of a put or delete: the old item or nothing.
///
/// # Errors
/// When it is one of UpdateItem's.
pub(super) fn wants_old_item(request: Node<'_, '_>) -> Result<bool, ServiceError> {
    match string(request, "ReturnValues").as_deref() {
        None | Some("NONE") => Ok(false),
        Some("ALL_OLD") => Ok(true),
        Some(_) => Err(Layer::SingleWrite.fault(ItemFault::OnlyOldValues)),
    }
}

/// Whether a refusal by the condition shall hand back the item.
pub(super) fn wants_item_on_failure(request: Node<'_, '_>) -> bool {
    string(request, "ReturnValuesOnConditionCheckFailure").as_deref() == Some("ALL_OLD")
}

/// Applies the mutation that `mutation` makes for the table, and answers.
///
/// # Errors
/// Those of `mutation` and of the write.
pub(super) fn answer(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
    return_old: bool,
    mutation: impl Fn(&Arc<TableDefinition>) -> Result<Mutation, ServiceError>,
) -> Result<Answer, Failure> {
    let table = table_reference(request)?;
    let mut tracer = ctx.tracer();
    let written = write::commit_one(ctx, &mut tracer, || ctx.table(&table), mutation);
    let outcome = match written {
        Ok(outcome) => outcome,
        // A failed condition has a cost, so its trace goes along.
        Err(error) => return Err(Failure { error, trace: tracer.finish() }),
    };
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object();
    if let Some(before) = outcome.before.as_ref().filter(|_| return_old) {
        json.name("Attributes").value_with(|out| before.as_ref().write_json(out));
    }
    let detail = CapacityDetail::from_request(string(request, "ReturnConsumedCapacity").as_deref());
    outcome.consumed().write(detail, table.sent(), &mut json);
    if string(request, "ReturnItemCollectionMetrics").as_deref() == Some("SIZE")
        && let Some(collection) = &outcome.collection
    {
        collection.write_metrics(&mut json);
    }
    json.end_object();
    Ok(Answer { body, trace: tracer.finish() })
}
