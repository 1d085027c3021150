//! Resolves a tree's placeholders and checks its operands, in the service's order.

use std::sync::Arc;

use keyplan_value::{Value, ValueKind, ValueRef};

use crate::error::{ExpressionError, OperandType, PrintedValue};
use crate::limits::PATH_ELEMENTS_MAX;
use crate::path::{DocumentPath, PathElement};
use crate::placeholders::Placeholders;
use crate::syntax::{ArithmeticOperator, Element, Function, Operand, OperandId, Path};

/// An operand whose placeholders are resolved and whose types are not checked yet.
pub(crate) enum Resolved<'a> {
    Path(DocumentPath),
    Value(&'a Arc<Value>),
    Call { function: Function, arguments: Vec<Resolved<'a>> },
    Arithmetic { operator: ArithmeticOperator, left: Box<Resolved<'a>>, right: Box<Resolved<'a>> },
}

/// Resolves the operands of one tree against the placeholders of its request.
pub(crate) struct Binder<'a> {
    pub(crate) operands: &'a [Operand],
    pub(crate) placeholders: &'a Placeholders,
}

impl<'a> Binder<'a> {
    pub(crate) fn path(&self, path: &Path) -> Result<DocumentPath, ExpressionError> {
        resolve_path(path, self.placeholders)
    }

    /// Refuses undefined names in an operand and below it, whatever else is undefined there.
    pub(crate) fn check_names(&self, id: OperandId) -> Result<(), ExpressionError> {
        // Ids come from the parser that made the operands, so each names one.
        match &self.operands[id] {
            Operand::Path(path) => self.path(path).map(drop),
            Operand::Value(_) => Ok(()),
            Operand::Call { arguments, .. } => arguments.iter().try_for_each(|id| self.check_names(*id)),
            Operand::Arithmetic { left, right, .. } => {
                self.check_names(*left).and_then(|()| self.check_names(*right))
            }
        }
    }

    /// Resolves an operand and all below it in the order in which they are written.
    pub(crate) fn resolve(&self, id: OperandId) -> Result<Resolved<'a>, ExpressionError> {
        // Ids come from the parser that made the operands, so each names one.
        Ok(match &self.operands[id] {
            Operand::Path(path) => Resolved::Path(self.path(path)?),
            Operand::Value(placeholder) => Resolved::Value(self.placeholders.value(placeholder)?),
            Operand::Call { function, arguments } => {
                Resolved::Call { function: *function, arguments: self.resolve_all(arguments)? }
            }
            Operand::Arithmetic { operator, left, right } => {
                let left = Box::new(self.resolve(*left)?);
                let right = Box::new(self.resolve(*right)?);
                Resolved::Arithmetic { operator: *operator, left, right }
            }
        })
    }

    pub(crate) fn resolve_all(&self, ids: &[OperandId]) -> Result<Vec<Resolved<'a>>, ExpressionError> {
        ids.iter().map(|id| self.resolve(*id)).collect()
    }
}

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

impl Resolved<'_> {
    /// What is known of the operand's type before any item is seen.
    pub(crate) fn known_type(&self) -> Option<ValueKind> {
        match self {
            Resolved::Value(value) => Some(Value::as_ref(value).kind()),
            Resolved::Call { function: Function::Size, .. } | Resolved::Arithmetic { .. } => {
                Some(ValueKind::N)
            }
            Resolved::Call { function: Function::ListAppend, .. } => Some(ValueKind::L),
            Resolved::Path(_) | Resolved::Call { .. } => None,
        }
    }

    /// Refuses a wrong number of operands in this operand and below it, the innermost first.
    pub(crate) fn check_counts(&self) -> Result<(), ExpressionError> {
        match self {
            Resolved::Path(_) | Resolved::Value(_) => Ok(()),
            Resolved::Arithmetic { left, right, .. } => {
                left.check_counts().and_then(|()| right.check_counts())
            }
            Resolved::Call { function, arguments } => check_call_counts(*function, arguments),
        }
    }

    /// Refuses what can be told from known types in this operand and below it, the innermost first.
    pub(crate) fn check_types(&self) -> Result<(), ExpressionError> {
        match self {
            Resolved::Path(_) | Resolved::Value(_) => Ok(()),
            Resolved::Arithmetic { operator, left, right } => {
                left.check_types()?;
                right.check_types()?;
                let operator = operator.symbol();
                [left, right]
                    .into_iter()
                    .try_for_each(|side| side.check_type(operator, |kind| kind == ValueKind::N))
            }
            Resolved::Call { function, arguments } => check_call_types(*function, arguments),
        }
    }

    /// Refuses a known type that an operator or function has no meaning for.
    pub(crate) fn check_type(
        &self,
        operator: &'static str,
        allows: impl Fn(ValueKind) -> bool,
    ) -> Result<(), ExpressionError> {
        match self.known_type() {
            Some(kind) if !allows(kind) => {
                Err(ExpressionError::OperandType { operator, operand: OperandType::Known(kind) })
            }
            _ => Ok(()),
        }
    }
}

pub(crate) fn check_call_counts(function: Function, arguments: &[Resolved]) -> Result<(), ExpressionError> {
    arguments.iter().try_for_each(Resolved::check_counts)?;
    if arguments.len() != function.operand_count() {
        return Err(ExpressionError::OperandCount { function: function.name(), count: arguments.len() });
    }
    Ok(())
}

/// Refuses a first operand that is one path with another operand.
pub(crate) fn check_distinct(
    operator: &'static str,
    first: &Resolved,
    others: &[Resolved],
) -> Result<(), ExpressionError> {
    let Resolved::Path(first) = first else { return Ok(()) };
    let same = |other: &Resolved| matches!(other, Resolved::Path(path) if path == first);
    if others.iter().any(same) {
        return Err(ExpressionError::SameOperand { operator, operand: first.printed() });
    }
    Ok(())
}

pub(crate) fn check_call_types(function: Function, arguments: &[Resolved]) -> Result<(), ExpressionError> {
    arguments.iter().try_for_each(Resolved::check_types)?;
    let operator = function.name();
    let Some((first, others)) = arguments.split_first() else { return Ok(()) };
    if function.requires_path() && !matches!(first, Resolved::Path(_)) {
        return Err(ExpressionError::PathRequired { function: operator });
    }
    match function {
        Function::Size => first.check_type(operator, has_size),
        Function::BeginsWith => arguments.iter().try_for_each(|argument| {
            argument.check_type(operator, |kind| matches!(kind, ValueKind::S | ValueKind::B))
        }),
        Function::ListAppend => arguments
            .iter()
            .try_for_each(|argument| argument.check_type(operator, |kind| kind == ValueKind::L)),
        Function::AttributeType => others.first().map_or(Ok(()), |other| type_named_by(other).map(drop)),
        Function::AttributeExists
        | Function::AttributeNotExists
        | Function::Contains
        | Function::IfNotExists => Ok(()),
    }
}

/// The type that the second operand of attribute_type names. It must be a value, and a string.
pub(crate) fn type_named_by(operand: &Resolved) -> Result<ValueKind, ExpressionError> {
    let wrong = |operand| ExpressionError::OperandType { operator: Function::AttributeType.name(), operand };
    let name = match operand {
        Resolved::Value(value) => Value::as_ref(value).as_str(),
        _ => return Err(wrong(operand.known_type().map_or(OperandType::Any, OperandType::Known))),
    };
    let Some(name) = name else {
        return Err(wrong(operand.known_type().map_or(OperandType::Any, OperandType::Known)));
    };
    ValueKind::from_code(name).ok_or_else(|| ExpressionError::AttributeTypeName { name: name.into() })
}

/// Whether size() has a meaning for a type.
pub(crate) fn has_size(kind: ValueKind) -> bool {
    !matches!(kind, ValueKind::N | ValueKind::Bool | ValueKind::Null)
}

/// Whether values of a type have an order.
pub(crate) fn has_order(kind: ValueKind) -> bool {
    matches!(kind, ValueKind::S | ValueKind::N | ValueKind::B)
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
