//! What PutItem, UpdateItem and DeleteItem have in common: a condition, the values to return, and the
//! answer.

use std::sync::Arc;

use keyplan_expression::{
    Combination, Condition, ExpressionError, ExpressionKind, ParsedCondition, Placeholders, Update,
};
use keyplan_value::json::{Node, Writer};
use keyplan_value::{Item, ValueError};

use super::legacy::{self, Conditions};
use super::parameters::{self, Generations, Layer, PlaceholderMaps, table_reference};
use super::{Answer, Failure};
use crate::capacity::CapacityDetail;
use crate::catalog::TableDefinition;
use crate::context::Context;
use crate::error::{ItemFault, ServiceError};
use crate::kept::KeptItems;
use crate::read::write_item;
use crate::validate::{late_constraints, string};
use crate::write::{self, Mutation, Outcome};

const LAYER: Layer = Layer::SingleWrite;

/// The parameters of the two generations that put and delete have.
pub(super) const GENERATIONS: Generations = Generations {
    older: &["Expected", "ConditionalOperator"],
    expressions: &["ConditionExpression"],
    values_detail: None,
};

/// The parameters that say under which condition something is written, decoded.
pub(super) struct ConditionParameters<'a> {
    maps: PlaceholderMaps<'a>,
    expected: Conditions<'a>,
}

impl<'a> ConditionParameters<'a> {
    /// Reads them; what is wrong with them is told later.
    pub(super) fn read(request: Node<'_, 'a>) -> ConditionParameters<'a> {
        ConditionParameters {
            maps: PlaceholderMaps::read(request),
            expected: Conditions::read(request, "Expected"),
        }
    }

    /// What is wrong with names and values, for those faults that come before all others.
    pub(super) fn errors(&self) -> impl Iterator<Item = &ValueError> + Clone {
        self.maps.value_errors().chain(self.expected.errors())
    }

    /// Checks the rules between parameters, the placeholders, and ConditionalOperator.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn check(
        self,
        ctx: &Context<'_>,
        request: Node<'_, '_>,
        generations: &Generations,
    ) -> Result<WriteCondition<'a>, ServiceError> {
        generations.check(request).map_err(|fault| LAYER.fault(fault))?;
        let placeholders = self.maps.into_placeholders(LAYER)?;
        late_constraints(ctx.operation(), request)?;
        let combination = legacy::combination(request, &self.expected);
        let combination = combination.map_err(|fault| LAYER.fault(fault))?;
        Ok(WriteCondition { placeholders, expected: self.expected, combination })
    }
}

/// The condition of a write, as far as the service reads it before it looks at other parameters.
pub(super) struct WriteCondition<'a> {
    /// The placeholders of all expressions of the request.
    pub(super) placeholders: Placeholders,
    /// Expected.
    expected: Conditions<'a>,
    combination: Combination,
}

impl WriteCondition<'_> {
    /// No value of Expected is nested too deep.
    ///
    /// # Errors
    /// The first that is.
    pub(super) fn check_depth(&self) -> Result<(), ServiceError> {
        self.expected.check_depth(LAYER)
    }

    /// The condition that Expected is; the placeholders are left.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn expected(self) -> Result<(Placeholders, Option<Condition>), ServiceError> {
        let conditions = self.expected.expected(LAYER)?;
        Ok((self.placeholders, Condition::from_legacy(conditions, self.combination)))
    }
}

/// A ConditionExpression whose operands are right, but whose placeholders may be missing.
pub(super) struct BoundCondition {
    condition: Option<Condition>,
    undefined: Option<ExpressionError>,
}

impl BoundCondition {
    /// Parses and binds the ConditionExpression.
    ///
    /// # Errors
    /// What is wrong with it, but for placeholders.
    pub(super) fn read(
        ctx: &Context<'_>,
        request: Node<'_, '_>,
        placeholders: &Placeholders,
    ) -> Result<BoundCondition, ServiceError> {
        let which = ExpressionKind::Condition;
        let Some(parsed) = parameters::parse_condition(ctx, LAYER, which, request)? else {
            return Ok(BoundCondition { condition: None, undefined: None });
        };
        match parsed.bind(placeholders) {
            Ok(condition) => Ok(BoundCondition { condition: Some(condition), undefined: None }),
            Err(error) if error.is_about_placeholders() => {
                Ok(BoundCondition { condition: None, undefined: Some(error) })
            }
            Err(error) => Err(LAYER.expression(which, error)),
        }
    }

    /// The condition.
    ///
    /// # Errors
    /// Placeholders that are missing, then those that are left over.
    pub(super) fn finish(self, placeholders: &Placeholders) -> Result<Option<Condition>, ServiceError> {
        if let Some(error) = self.undefined {
            return Err(LAYER.expression(ExpressionKind::Condition, error));
        }
        parameters::check_unused(LAYER, placeholders)?;
        Ok(self.condition)
    }
}

/// Binds the condition of an update, whose operands the service looks at last of all.
///
/// # Errors
/// Placeholders that are missing, those that are left over, and then what is wrong with operands.
pub(super) fn bind_after_update(
    parsed: Option<Arc<ParsedCondition>>,
    placeholders: &Placeholders,
) -> Result<Option<Condition>, ServiceError> {
    let error = |error| LAYER.expression(ExpressionKind::Condition, error);
    let Some(parsed) = parsed else {
        parameters::check_unused(LAYER, placeholders)?;
        return Ok(None);
    };
    let bound = parsed.bind(placeholders);
    if let Err(undefined) = &bound
        && undefined.is_about_placeholders()
    {
        return Err(error(undefined.clone()));
    }
    parsed.mark_used(placeholders);
    parameters::check_unused(LAYER, placeholders)?;
    bound.map(Some).map_err(error)
}

/// What is returned of a write, as ReturnValues says.
#[derive(Debug, Clone)]
pub(super) enum Returned {
    /// Nothing.
    Nothing,
    /// The item before.
    Old,
    /// The item after.
    New,
    /// What an update's targets held before.
    UpdatedOld(Option<Arc<Update>>),
    /// What an update's targets hold after.
    UpdatedNew(Option<Arc<Update>>),
}

impl Returned {
    /// ReturnValues of a put or delete: the old item or nothing.
    ///
    /// # Errors
    /// When it is one of UpdateItem's.
    pub(super) fn of_replacement(request: Node<'_, '_>) -> Result<Returned, ServiceError> {
        match string(request, "ReturnValues").as_deref() {
            None | Some("NONE") => Ok(Returned::Nothing),
            Some("ALL_OLD") => Ok(Returned::Old),
            Some(_) => Err(LAYER.fault(ItemFault::OnlyOldValues)),
        }
    }

    /// ReturnValues of an update, which validation has found to be one of its words.
    pub(super) fn of_update(request: Node<'_, '_>, update: Option<&Arc<Update>>) -> Returned {
        match string(request, "ReturnValues").as_deref() {
            Some("ALL_OLD") => Returned::Old,
            Some("ALL_NEW") => Returned::New,
            Some("UPDATED_OLD") => Returned::UpdatedOld(update.cloned()),
            Some("UPDATED_NEW") => Returned::UpdatedNew(update.cloned()),
            _ => Returned::Nothing,
        }
    }

    /// Writes the member Attributes, unless there is nothing to put into it.
    fn write(&self, kept: Option<&KeptItems>, outcome: &Outcome, json: &mut Writer<'_>) {
        let Outcome { before, after, .. } = outcome;
        let mut attributes = Vec::new();
        let whole = |item: &Option<Item>, out: &mut Vec<u8>| {
            item.as_ref().map(|item| write_item(kept, item.as_ref(), None, out)).is_some()
        };
        let is_there = match self {
            Returned::Nothing => false,
            Returned::Old => whole(before, &mut attributes),
            Returned::New => whole(after, &mut attributes),
            Returned::UpdatedOld(update) => match (update, before) {
                (Some(update), Some(item)) => update.write_updated_old(item.as_ref(), &mut attributes),
                _ => false,
            },
            Returned::UpdatedNew(update) => match (update, after) {
                (Some(update), Some(item)) => update.write_updated_new(item.as_ref(), &mut attributes),
                _ => false,
            },
        };
        if is_there {
            json.name("Attributes").value_with(|out| out.append(&mut attributes));
        }
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
    returned: &Returned,
    mutation: impl Fn(&Arc<TableDefinition>) -> Result<Mutation, ItemFault>,
) -> Result<Answer, Failure> {
    let table = table_reference(request)?;
    let returns_item = wants_item_on_failure(request);
    let mut tracer = ctx.tracer();
    let written = write::commit_one(
        ctx,
        &mut tracer,
        || ctx.table(&table),
        |table| Ok(mutation(table)?.returning_on_failure(returns_item)),
    );
    let outcome = match written {
        Ok(outcome) => outcome,
        // A failed condition has a cost, so its trace goes along.
        Err(error) => return Err(Failure { error, trace: tracer.finish() }),
    };
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object();
    returned.write(ctx.kept(), &outcome, &mut json);
    let detail = CapacityDetail::from_request(string(request, "ReturnConsumedCapacity").as_deref());
    outcome.consumed().write(detail, table.sent(), &mut json);
    if string(request, "ReturnItemCollectionMetrics").as_deref() == Some("SIZE")
        && let Some(collection) = &outcome.collection
    {
        json.name("ItemCollectionMetrics");
        collection.write_metrics(&mut json);
    }
    json.end_object();
    Ok(Answer { body, trace: tracer.finish() })
}
