//! Writes a syntax tree as text that reads back as the same tree.

use std::fmt;

use crate::syntax::{
    Action, ConditionId, ConditionNode, ConditionTree, Element, Operand, OperandId, Path, UpdateTree,
};

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, element) in self.elements.iter().enumerate() {
            match element {
                Element::Name(name) | Element::Placeholder(name) => {
                    let dot = if position == 0 { "" } else { "." };
                    write!(f, "{dot}{name}")?;
                }
                Element::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// Operands as text.
struct PrintedOperand<'a> {
    operands: &'a [Operand],
    id: OperandId,
    /// Whether arithmetic here needs parentheses.
    nested: bool,
}

impl fmt::Display for PrintedOperand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nested = |id| PrintedOperand { operands: self.operands, id, nested: true };
        match self.operands.get(self.id) {
            None => Ok(()),
            Some(Operand::Path(path)) => write!(f, "{path}"),
            Some(Operand::Value(placeholder)) => f.write_str(placeholder),
            Some(Operand::Literal(value)) => write!(f, "{value:?}"),
            Some(Operand::Truth(condition)) => write!(f, "({condition})"),
            Some(Operand::Call { function, arguments }) => {
                write!(f, "{}({})", function.name(), PrintedList { operands: self.operands, ids: arguments })
            }
            Some(Operand::Arithmetic { operator, left, right }) => {
                let (open, close) = if self.nested { ("(", ")") } else { ("", "") };
                write!(f, "{open}{} {} {}{close}", nested(*left), operator.symbol(), nested(*right))
            }
        }
    }
}

struct PrintedList<'a> {
    operands: &'a [Operand],
    ids: &'a [OperandId],
}

impl fmt::Display for PrintedList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, id) in self.ids.iter().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(f, "{comma}{}", PrintedOperand { operands: self.operands, id: *id, nested: true })?;
        }
        Ok(())
    }
}

impl fmt::Display for ConditionTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nodes.len().checked_sub(1) {
            Some(root) => self.print(f, root),
            None => Ok(()),
        }
    }
}

impl ConditionTree {
    fn print(&self, f: &mut fmt::Formatter<'_>, id: ConditionId) -> fmt::Result {
        let operand = |id: &OperandId| PrintedOperand { operands: &self.operands, id: *id, nested: true };
        let Some(node) = self.nodes.get(id) else { return Ok(()) };
        match node {
            ConditionNode::And(left, right) => {
                self.print_side(f, *left, Self::is_or)?;
                f.write_str(" AND ")?;
                // AND gathers to the left, so one on the right was written in parentheses.
                self.print_side(f, *right, |node| Self::is_or(node) || matches!(node, ConditionNode::And(..)))
            }
            ConditionNode::Or(left, right) => {
                self.print_side(f, *left, |_| false)?;
                f.write_str(" OR ")?;
                self.print_side(f, *right, Self::is_or)
            }
            ConditionNode::Not(negated) => {
                f.write_str("NOT ")?;
                self.print_side(f, *negated, |node| {
                    Self::is_or(node) || matches!(node, ConditionNode::And(..))
                })
            }
            ConditionNode::Compare { comparator, left, right } => {
                write!(f, "{} {} {}", operand(left), comparator.symbol(), operand(right))
            }
            ConditionNode::Between { operand: tested, lower, upper } => {
                write!(f, "{} BETWEEN {} AND {}", operand(tested), operand(lower), operand(upper))
            }
            ConditionNode::In { operand: tested, list } => {
                write!(f, "{} IN ({})", operand(tested), PrintedList { operands: &self.operands, ids: list })
            }
            ConditionNode::Call { function, arguments } => {
                write!(f, "{}({})", function.name(), PrintedList { operands: &self.operands, ids: arguments })
            }
        }
    }

    fn print_side(
        &self,
        f: &mut fmt::Formatter<'_>,
        id: ConditionId,
        needs_parentheses: impl Fn(&ConditionNode) -> bool,
    ) -> fmt::Result {
        if !self.nodes.get(id).is_some_and(needs_parentheses) {
            return self.print(f, id);
        }
        f.write_str("(")?;
        self.print(f, id)?;
        f.write_str(")")
    }

    fn is_or(node: &ConditionNode) -> bool {
        matches!(node, ConditionNode::Or(..))
    }
}

impl fmt::Display for UpdateTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operand = |id: &OperandId| PrintedOperand { operands: &self.operands, id: *id, nested: false };
        let mut before: Option<&Action> = None;
        for action in &self.actions {
            let path = action.path();
            match before.replace(action) {
                Some(before) if before.clause() == action.clause() => write!(f, ", {path}")?,
                Some(_) => write!(f, " {} {path}", action.clause().keyword())?,
                None => write!(f, "{} {path}", action.clause().keyword())?,
            }
            match action {
                Action::Set { value, .. } => write!(f, " = {}", operand(value))?,
                Action::Add { value, .. } | Action::Delete { value, .. } => write!(f, " {}", operand(value))?,
                Action::Remove { .. } => {}
            }
        }
        Ok(())
    }
}
