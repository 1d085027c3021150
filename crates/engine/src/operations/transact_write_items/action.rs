//! One action of a transaction: put, update, delete or condition check.

use std::sync::Arc;

use keyplan_expression::{Condition, ExpressionKind, Update};
use keyplan_value::json::Node;
use keyplan_value::limits::ITEM_SIZE_BYTES_MAX;
use keyplan_value::{Item, ValueError};

use crate::arn::TableReference;
use crate::catalog::TableDefinition;
use crate::context::Context;
use crate::error::{ItemFault, ManyFault, ServiceError};
use crate::operations::legacy::check_depth;
use crate::operations::parameters::{
    self, Layer, PlaceholderMaps, check_first_faults, required, table_reference,
};
use crate::operations::single_write::wants_item_on_failure;
use crate::operations::update_item::update_expression;
use crate::validate::present;
use crate::write::{self, Mutation};

const LAYER: Layer = Layer::Older;

/// The kinds of actions, by the member that an action is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ActionKind {
    ConditionCheck,
    Put,
    Delete,
    Update,
}

impl ActionKind {
    const ALL: [ActionKind; 4] =
        [ActionKind::ConditionCheck, ActionKind::Put, ActionKind::Delete, ActionKind::Update];

    fn member(self) -> &'static str {
        match self {
            ActionKind::ConditionCheck => "ConditionCheck",
            ActionKind::Put => "Put",
            ActionKind::Delete => "Delete",
            ActionKind::Update => "Update",
        }
    }

    /// The member that names the item.
    fn subject(self) -> &'static str {
        if self == ActionKind::Put { "Item" } else { "Key" }
    }
}

/// An action, decoded; what is wrong with its values is told later.
pub(super) struct SentAction<'t, 'a> {
    kind: ActionKind,
    node: Node<'t, 'a>,
    subject: Result<Item, ValueError>,
    maps: PlaceholderMaps<'a>,
}

/// An action whose parameters are right.
pub(super) struct CheckedAction<'a> {
    kind: ActionKind,
    table: TableReference<'a>,
    /// The item of a put, the key of the others.
    subject: Result<Item, ValueError>,
    update: Option<Arc<Update>>,
    condition: Option<Arc<Condition>>,
    returns_item: bool,
}

impl<'t, 'a> SentAction<'t, 'a> {
    /// Reads an element of TransactItems.
    ///
    /// # Errors
    /// When it is no action, or several.
    pub(super) fn read(element: Node<'t, 'a>) -> Result<SentAction<'t, 'a>, ServiceError> {
        let mut actions = ActionKind::ALL
            .into_iter()
            .filter_map(|kind| present(element, kind.member()).map(|node| (kind, node)));
        let (kind, node) = actions.next().ok_or(ManyFault::NoAction)?;
        if actions.next().is_some() {
            return Err(ManyFault::SeveralActions.into());
        }
        let subject = Item::from_json(required(node, kind.subject())?);
        Ok(SentAction { kind, node, subject, maps: PlaceholderMaps::read(node) })
    }

    /// Checks what needs no table.
    ///
    /// # Errors
    /// In this order: values, the item's size, expressions, placeholders that are left over.
    pub(super) fn check(self, ctx: &Context<'_>) -> Result<CheckedAction<'a>, ServiceError> {
        let SentAction { kind, node, subject, maps } = self;
        match &subject {
            // How deep a key is nested comes after all actions.
            Err(ValueError::NestedTooDeep { .. }) if kind != ActionKind::Put => {}
            Err(error) => return Err(LAYER.value(error.clone())),
            Ok(_) => {}
        }
        let placeholders = maps.into_placeholders(LAYER)?;
        if kind == ActionKind::Put
            && subject.as_ref().is_ok_and(|item| item.as_ref().size() > ITEM_SIZE_BYTES_MAX)
        {
            return Err(ItemFault::ItemTooLarge.into());
        }
        let update = update_expression(ctx, LAYER, node, &placeholders)?;
        let which = ExpressionKind::Condition;
        let condition = match parameters::parse_condition(ctx, LAYER, which, node)? {
            Some(parsed) => {
                let bound = parsed.bind(&placeholders);
                Some(bound.map_err(|error| LAYER.expression(which, error))?)
            }
            None => None,
        };
        // Placeholders without any expression are taken.
        if update.is_some() || condition.is_some() {
            parameters::check_unused(LAYER, &placeholders)?;
        }
        Ok(CheckedAction {
            kind,
            table: table_reference(node)?,
            subject,
            update: update.map(Arc::new),
            condition: condition.map(Arc::new),
            returns_item: wants_item_on_failure(node),
        })
    }
}

/// No name in any action is empty, and no `NULL` is false.
///
/// # Errors
/// The first that is.
pub(super) fn check_names(actions: &[SentAction<'_, '_>]) -> Result<(), ServiceError> {
    let errors = actions
        .iter()
        .flat_map(|action| action.subject.as_ref().err().into_iter().chain(action.maps.value_errors()));
    check_first_faults(LAYER, errors)
}

/// No key of any action is nested too deep.
///
/// # Errors
/// The first that is.
pub(super) fn check_key_depth(actions: &[CheckedAction<'_>]) -> Result<(), ServiceError> {
    check_depth(LAYER, actions.iter().filter_map(|action| action.subject.as_ref().err()))
}

impl<'a> CheckedAction<'a> {
    /// The table.
    pub(super) fn table(&self) -> &TableReference<'a> {
        &self.table
    }

    /// The key that the action names, which is all that it names; a put's is in its item.
    pub(super) fn key(&self) -> Option<&Item> {
        self.subject.as_ref().ok().filter(|_| self.kind != ActionKind::Put)
    }

    /// The size of what the action says: the item that it puts, or the key and what its update brings.
    pub(super) fn payload_bytes(&self) -> u64 {
        let subject = self.subject.as_ref().map_or(0, |subject| subject.as_ref().size());
        subject + self.update.as_deref().map_or(0, Update::charge)
    }

    /// The mutation that the action is.
    ///
    /// # Errors
    /// When its key doesn't fit the table.
    pub(super) fn mutation(&self, table: &Arc<TableDefinition>) -> Result<Mutation, ItemFault> {
        let subject = self.subject.as_ref().map_err(|_| ItemFault::KeyMismatch)?;
        let condition = self.condition.clone();
        let action = match self.kind {
            ActionKind::Put => {
                let mutation = Mutation::put(table, subject, condition)?;
                return Ok(mutation.returning_on_failure(self.returns_item));
            }
            ActionKind::Update => write::Action::Update(self.update.clone()),
            ActionKind::Delete => write::Action::Delete,
            ActionKind::ConditionCheck => write::Action::Check,
        };
        let mutation = Mutation::of_key(table, subject.as_ref(), action, condition)?;
        Ok(mutation.returning_on_failure(self.returns_item))
    }
}
