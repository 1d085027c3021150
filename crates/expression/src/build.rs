//! Conditions and updates that were written in another language, put together part by part.
//!
//! The trees are those that the parsers of this crate make, so binding checks them in the same words and
//! what is bound is evaluated in the same way.

use std::sync::Arc;

use keyplan_value::Value;

use crate::condition::ParsedCondition;
use crate::path::{DocumentPath, PathElement};
use crate::syntax::{
    Action, ArithmeticOperator, Comparator, ConditionNode, ConditionTree, Element, Function, Operand, Path,
    UpdateTree,
};
use crate::update::ParsedUpdate;

/// An operand of a builder.
#[derive(Clone, Copy, Debug)]
pub struct OperandRef(usize);

/// A part of a builder's condition.
#[derive(Clone, Copy, Debug)]
pub struct PartRef(usize);

/// Puts a condition or an update together. Parts are added in the order in which they are written, each
/// behind the parts that it is made of; the last part of a condition is the condition.
///
/// ```
/// use keyplan_expression::{Comparator, DocumentPath, ExpressionBuilder, Placeholders};
/// use keyplan_value::{AttributeValue, Item, Value};
///
/// let mut builder = ExpressionBuilder::default();
/// let total = builder.path(&DocumentPath::new("total".into(), []));
/// let least = builder.value(Value::try_from(&AttributeValue::from(10))?.into());
/// builder.compare(Comparator::Greater, total, least);
/// let condition = builder.into_condition().bind(&Placeholders::default())?;
///
/// let order = Item::from_attributes([("total", AttributeValue::from(25))])?;
/// assert!(condition.matches(Some(order.as_ref())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct ExpressionBuilder {
    operands: Vec<Operand>,
    nodes: Vec<ConditionNode>,
    actions: Vec<Action>,
}

impl ExpressionBuilder {
    fn operand(&mut self, operand: Operand) -> OperandRef {
        self.operands.push(operand);
        OperandRef(self.operands.len() - 1)
    }

    fn part(&mut self, node: ConditionNode) -> PartRef {
        self.nodes.push(node);
        PartRef(self.nodes.len() - 1)
    }

    /// What is at a path.
    pub fn path(&mut self, path: &DocumentPath) -> OperandRef {
        self.operand(Operand::Path(as_written(path)))
    }

    /// A value.
    pub fn value(&mut self, value: Arc<Value>) -> OperandRef {
        self.operand(Operand::Literal(value))
    }

    /// Whether a condition holds.
    pub fn truth(&mut self, part: PartRef) -> OperandRef {
        self.operand(Operand::Truth(part.0))
    }

    /// What a function makes of operands.
    pub fn call(&mut self, function: Function, arguments: &[OperandRef]) -> OperandRef {
        self.operand(Operand::Call { function, arguments: ids(arguments) })
    }

    /// A sum or a difference.
    pub fn arithmetic(
        &mut self,
        operator: ArithmeticOperator,
        left: OperandRef,
        right: OperandRef,
    ) -> OperandRef {
        self.operand(Operand::Arithmetic { operator, left: left.0, right: right.0 })
    }

    /// A comparison.
    pub fn compare(&mut self, comparator: Comparator, left: OperandRef, right: OperandRef) -> PartRef {
        self.part(ConditionNode::Compare { comparator, left: left.0, right: right.0 })
    }

    /// That an operand lies between two others, or is one of them.
    pub fn between(&mut self, operand: OperandRef, lower: OperandRef, upper: OperandRef) -> PartRef {
        self.part(ConditionNode::Between { operand: operand.0, lower: lower.0, upper: upper.0 })
    }

    /// That an operand equals one of a list.
    pub fn is_in(&mut self, operand: OperandRef, list: &[OperandRef]) -> PartRef {
        self.part(ConditionNode::In { operand: operand.0, list: ids(list) })
    }

    /// A function that is a condition by itself.
    pub fn test(&mut self, function: Function, arguments: &[OperandRef]) -> PartRef {
        self.part(ConditionNode::Call { function, arguments: ids(arguments) })
    }

    /// Both of two conditions.
    pub fn and(&mut self, left: PartRef, right: PartRef) -> PartRef {
        self.part(ConditionNode::And(left.0, right.0))
    }

    /// One of two conditions.
    pub fn or(&mut self, left: PartRef, right: PartRef) -> PartRef {
        self.part(ConditionNode::Or(left.0, right.0))
    }

    /// The contrary of a condition.
    pub fn not(&mut self, negated: PartRef) -> PartRef {
        self.part(ConditionNode::Not(negated.0))
    }

    /// Assigns the last operand to a path.
    pub fn set(&mut self, path: &DocumentPath, value: OperandRef) {
        self.actions.push(Action::Set { path: as_written(path), value: value.0 });
    }

    /// Removes what is at a path.
    pub fn remove(&mut self, path: &DocumentPath) {
        self.actions.push(Action::Remove { path: as_written(path) });
    }

    /// Adds the last operand, a set, to the one at a path.
    pub fn add(&mut self, path: &DocumentPath, value: OperandRef) {
        self.actions.push(Action::Add { path: as_written(path), value: value.0 });
    }

    /// Takes the members of the last operand, a set, out of the one at a path.
    pub fn delete(&mut self, path: &DocumentPath, value: OperandRef) {
        self.actions.push(Action::Delete { path: as_written(path), value: value.0 });
    }

    /// The condition.
    pub fn into_condition(self) -> ParsedCondition {
        ParsedCondition { tree: ConditionTree { operands: self.operands, nodes: self.nodes } }
    }

    /// The update.
    pub fn into_update(self) -> ParsedUpdate {
        ParsedUpdate { tree: UpdateTree { operands: self.operands, actions: self.actions } }
    }
}

fn ids(operands: &[OperandRef]) -> Vec<usize> {
    operands.iter().map(|operand| operand.0).collect()
}

fn as_written(path: &DocumentPath) -> Path {
    let attribute = std::iter::once(Element::Name(path.attribute().clone()));
    let inner = path.inner().iter().map(|element| match element {
        PathElement::Name(name) => Element::Name(name.clone()),
        PathElement::Index(index) => Element::Index(*index),
    });
    Path { elements: attribute.chain(inner).collect() }
}
