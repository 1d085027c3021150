//! A statement as a request sends it: its text and its parameters.

use std::borrow::Cow;
use std::sync::Arc;

use keyplan_partiql::{
    ParsedStatement, Rule, Statement, StatementError, is_overlarge_number, is_wide_number,
};
use keyplan_value::json::Node;
use keyplan_value::{NumberError, Value, ValueError};

use crate::arn::TableReference;
use crate::error::{ServiceError, StatementFault, ValidationError};
use crate::limits::STATEMENT_PARAMETER_LEVELS_MAX;
use crate::operations::single_write::wants_item_on_failure;
use crate::validate::{present, string};

/// A statement whose parameters are right.
pub(super) struct SentStatement<'a> {
    /// Its text.
    pub(super) text: Cow<'a, str>,
    /// Its parameters.
    pub(super) parameters: Vec<Arc<Value>>,
    /// Whether a refusal by its condition shall hand back the item.
    pub(super) returns_item: bool,
}

impl<'a> SentStatement<'a> {
    /// Reads a statement's members. The service looks at all parameters before it looks at any text.
    ///
    /// # Errors
    /// The first parameter that is no value.
    pub(super) fn read(node: Node<'_, 'a>) -> Result<SentStatement<'a>, ServiceError> {
        let mut parameters = Vec::new();
        for parameter in present(node, "Parameters").into_iter().flat_map(|list| list.elements()) {
            parameters.push(Arc::new(read_parameter(parameter)?));
        }
        Ok(SentStatement {
            text: string(node, "Statement").unwrap_or_default(),
            parameters,
            returns_item: wants_item_on_failure(node),
        })
    }

    /// The statement.
    ///
    /// # Errors
    /// What is wrong with it, whatever its table.
    pub(super) fn bind(&self) -> Result<Statement, StatementFault> {
        Ok(ParsedStatement::parse(&self.text)?.bind(&self.parameters)?)
    }
}

fn read_parameter(node: Node<'_, '_>) -> Result<Value, ServiceError> {
    if let Some(text) = wide_number(node) {
        let error = ValueError::Number { error: NumberError::NotANumber, text };
        return Err(ValidationError::OlderValue(error).into());
    }
    Value::from_json(node).map_err(|error| match error {
        error if error.is_serialization() => error.into(),
        ValueError::EmptyAttributeName => {
            StatementFault::Statement(StatementError::Rule(Rule::EmptyName)).into()
        }
        ValueError::NestedTooDeep { levels } if levels == STATEMENT_PARAMETER_LEVELS_MAX + 1 => {
            StatementFault::ParameterTooDeep.into()
        }
        ValueError::Number { error: NumberError::Overflow, text }
            if is_overlarge_number(text.trim_start_matches(['-', '+'])) =>
        {
            ValidationError::OlderValue(ValueError::Number { error: NumberError::Underflow, text }).into()
        }
        error => ValidationError::OlderValue(error).into(),
    })
}

/// The number of a parameter that the service takes for none here, though it is one elsewhere.
fn wide_number(node: Node<'_, '_>) -> Option<String> {
    let is_wide = |text: &Cow<'_, str>| {
        let digits = text.trim_start_matches(['-', '+']);
        digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') && is_wide_number(digits)
    };
    let single = string(node, "N");
    let set =
        present(node, "NS").into_iter().flat_map(|set| set.elements()).filter_map(|member| member.string());
    single.into_iter().chain(set).find(is_wide).map(Cow::into_owned)
}

/// The table that a statement names.
///
/// # Errors
/// When it starts as an ARN and isn't a table's.
pub(super) fn table_of(statement: &Statement) -> Result<TableReference<'_>, ServiceError> {
    let sent = Cow::Borrowed(statement.table());
    TableReference::parse(sent).map_err(|error| ValidationError::Arn(error).into())
}
