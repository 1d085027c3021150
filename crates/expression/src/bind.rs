//! Resolves a tree's placeholders and checks its operands, in the service's order.

use std::ops::Range;
use std::sync::Arc;

use keyplan_value::{Value, ValueKind, ValueRef};

use crate::error::{ExpressionError, OperandType, PrintedValue};
use crate::limits::PATH_ELEMENTS_MAX;
use crate::path::{DocumentPath, PathElement};
use crate::placeholders::Placeholders;
use crate::syntax::{ArithmeticOperator, ConditionId, Element, Function, Operand, OperandId, Path};

/// An operand whose placeholders are resolved. It names the operands below it by position.
pub(crate) enum Resolved<'a> {
    Path(DocumentPath),
    Value(&'a Arc<Value>),
    Truth(ConditionId),
    Call { function: Function, arguments: &'a [OperandId] },
    Arithmetic { operator: ArithmeticOperator, left: OperandId, right: OperandId },
}

/// Resolves the operands of one tree, part by part as the parts are written.
///
/// Operands lie in the order in which they end in the text, so those of one comparison or action are a
/// range, and whatever holds of all of them is found by walking the range.
pub(crate) struct Binder<'a> {
    operands: &'a [Operand],
    placeholders: &'a Placeholders,
    resolved: Vec<Resolved<'a>>,
}

impl<'a> Binder<'a> {
    pub(crate) fn new(operands: &'a [Operand], placeholders: &'a Placeholders) -> Self {
        Binder { operands, placeholders, resolved: Vec::with_capacity(operands.len()) }
    }

    /// Resolves all operands up to the last one of a part, and gives the range of the new ones.
    pub(crate) fn resolve_to(&mut self, last: OperandId) -> Result<Range<OperandId>, ExpressionError> {
        let start = self.resolved.len();
        let range = start..(last + 1).max(start);
        for operand in self.operands.get(range.clone()).unwrap_or_default() {
            self.resolved.push(match operand {
                Operand::Path(path) => Resolved::Path(resolve_path(path, self.placeholders)?),
                Operand::Value(placeholder) => Resolved::Value(self.placeholders.value(placeholder)?),
                Operand::Literal(value) => Resolved::Value(value),
                Operand::Truth(condition) => Resolved::Truth(*condition),
                Operand::Call { function, arguments } => Resolved::Call { function: *function, arguments },
                Operand::Arithmetic { operator, left, right } => {
                    Resolved::Arithmetic { operator: *operator, left: *left, right: *right }
                }
            });
        }
        Ok(range)
    }

    /// A resolved operand.
    pub(crate) fn operand(&self, id: OperandId) -> &Resolved<'a> {
        // Positions come from the parser that made the operands, and a part is resolved before it is read.
        &self.resolved[id]
    }

    /// What is known of an operand's type before any item is seen.
    pub(crate) fn known_type(&self, id: OperandId) -> Option<ValueKind> {
        match self.operand(id) {
            Resolved::Value(value) => Some(Value::as_ref(value).kind()),
            Resolved::Call { function: Function::Size, .. } | Resolved::Arithmetic { .. } => {
                Some(ValueKind::N)
            }
            Resolved::Call { function: Function::ListAppend, .. } => Some(ValueKind::L),
            Resolved::Truth(_) => Some(ValueKind::Bool),
            Resolved::Path(_) | Resolved::Call { .. } => None,
        }
    }

    /// Refuses functions with a wrong number of operands.
    pub(crate) fn check_counts(&self, range: Range<OperandId>) -> Result<(), ExpressionError> {
        for id in range {
            if let Resolved::Call { function, arguments } = self.operand(id) {
                check_count(*function, arguments)?;
            }
        }
        Ok(())
    }

    /// Refuses functions and arithmetic of operands whose known type has no meaning for them.
    pub(crate) fn check_types(&self, range: Range<OperandId>) -> Result<(), ExpressionError> {
        for id in range {
            match self.operand(id) {
                Resolved::Path(_) | Resolved::Value(_) | Resolved::Truth(_) => {}
                Resolved::Call { function, arguments } => self.check_call(*function, arguments)?,
                Resolved::Arithmetic { operator, left, right } => {
                    self.check_type(operator.symbol(), *left, |kind| kind == ValueKind::N)?;
                    self.check_type(operator.symbol(), *right, |kind| kind == ValueKind::N)?;
                }
            }
        }
        Ok(())
    }

    /// Refuses operands of a function that have no meaning for it. Their number is checked already.
    pub(crate) fn check_call(
        &self,
        function: Function,
        arguments: &[OperandId],
    ) -> Result<(), ExpressionError> {
        let name = function.name();
        let Some((first, others)) = arguments.split_first() else { return Ok(()) };
        if function.requires_path() && !matches!(self.operand(*first), Resolved::Path(_)) {
            return Err(ExpressionError::PathRequired { function: name });
        }
        let check_all = |allows: fn(ValueKind) -> bool| {
            arguments.iter().try_for_each(|argument| self.check_type(name, *argument, allows))
        };
        match function {
            Function::Size => check_all(has_size),
            Function::BeginsWith => check_all(|kind| matches!(kind, ValueKind::S | ValueKind::B)),
            Function::ListAppend => check_all(|kind| kind == ValueKind::L),
            Function::AttributeType => {
                others.iter().try_for_each(|named| self.type_named_by(*named).map(drop))
            }
            Function::AttributeExists
            | Function::AttributeNotExists
            | Function::Contains
            | Function::IfNotExists => Ok(()),
        }
    }

    /// Refuses an operand of a known type that an operator or function has no meaning for.
    pub(crate) fn check_type(
        &self,
        operator: &'static str,
        id: OperandId,
        allows: impl Fn(ValueKind) -> bool,
    ) -> Result<(), ExpressionError> {
        match self.known_type(id) {
            Some(kind) if !allows(kind) => {
                Err(ExpressionError::OperandType { operator, operand: OperandType::Known(kind) })
            }
            _ => Ok(()),
        }
    }

    /// Refuses a first operand that is one path with another operand.
    pub(crate) fn check_distinct(
        &self,
        operator: &'static str,
        first: OperandId,
        others: &[OperandId],
    ) -> Result<(), ExpressionError> {
        let Resolved::Path(first) = self.operand(first) else { return Ok(()) };
        let is_first =
            |other: &OperandId| matches!(self.operand(*other), Resolved::Path(path) if path == first);
        if others.iter().any(is_first) {
            return Err(ExpressionError::SameOperand { operator, operand: first.printed() });
        }
        Ok(())
    }

    /// The type that the second operand of attribute_type names. It must be a value, and a string.
    pub(crate) fn type_named_by(&self, id: OperandId) -> Result<ValueKind, ExpressionError> {
        let name = match self.operand(id) {
            Resolved::Value(value) => Value::as_ref(value).as_str(),
            _ => None,
        };
        let name = name.ok_or_else(|| ExpressionError::OperandType {
            operator: Function::AttributeType.name(),
            operand: self.known_type(id).map_or(OperandType::Any, OperandType::Known),
        })?;
        ValueKind::from_code(name).ok_or_else(|| ExpressionError::AttributeTypeName { name: name.into() })
    }
}

/// Refuses a wrong number of operands.
pub(crate) fn check_count(function: Function, arguments: &[OperandId]) -> Result<(), ExpressionError> {
    if arguments.len() == function.operand_count() {
        return Ok(());
    }
    Err(ExpressionError::OperandCount { function: function.name(), count: arguments.len() })
}

/// Resolves the names of a path.
pub(crate) fn resolve_path(
    path: &Path,
    placeholders: &Placeholders,
) -> Result<DocumentPath, ExpressionError> {
    let resolve = |element: &Element| {
        Ok(match element {
            Element::Name(name) => PathElement::Name(name.clone()),
            Element::Placeholder(placeholder) => PathElement::Name(placeholders.name(placeholder)?),
            Element::Index(index) => PathElement::Index(*index),
        })
    };
    let mut elements = path.elements.iter().map(resolve).collect::<Result<Vec<_>, _>>()?;
    if elements.len() > PATH_ELEMENTS_MAX {
        return Err(ExpressionError::PathTooDeep { levels: elements.len() });
    }
    let inner = elements.split_off(1);
    let attribute = match elements.pop() {
        Some(PathElement::Name(name)) => name,
        // The parser begins every path with a name.
        _ => "".into(),
    };
    Ok(DocumentPath::new(attribute, inner))
}

/// Whether size() has a meaning for a type.
pub(crate) fn has_size(kind: ValueKind) -> bool {
    !matches!(kind, ValueKind::N | ValueKind::Bool | ValueKind::Null)
}

/// A value as messages print it.
pub(crate) fn printed(value: ValueRef) -> PrintedValue {
    let kind = value.kind();
    let text = if let Some(text) = value.as_str() {
        text.to_owned()
    } else if let Some(number) = value.number() {
        number.to_string()
    } else {
        // A binary is printed as the buffer that the service's runtime holds it in.
        let bytes = value.as_bytes().map_or(0, <[u8]>::len);
        format!("java.nio.HeapByteBuffer[pos=0 lim={bytes} cap={bytes}]")
    };
    PrintedValue { kind, text }
}
