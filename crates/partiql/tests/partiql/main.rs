//! PartiQL by its public face.

mod depth;
mod properties;
mod statements;

use std::sync::Arc;

use keyplan_partiql::{ParsedStatement, Statement, StatementError};
use keyplan_value::{AttributeValue, Value};

fn bound(text: &str, parameters: &[AttributeValue]) -> Result<Statement, StatementError> {
    let parameters: Vec<Arc<Value>> = parameters
        .iter()
        .map(|value| Value::try_from(value).expect("the parameter can be stored").into())
        .collect();
    ParsedStatement::parse(text)?.bind(&parameters)
}

#[track_caller]
fn refused(text: &str) -> String {
    match bound(text, &[]) {
        Ok(statement) => panic!("{text} is taken: {statement:?}"),
        Err(error) => error.to_string(),
    }
}
