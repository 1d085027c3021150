//! Which operations of the service a target doesn't know.

use serde_json::Value;

use crate::target::{Target, TargetError};

/// Those of `operations` (whole targets, such as `DynamoDB_20120810.UpdateItem`) that answer
/// UnknownOperationException, by their bare names. An empty request is sent to each: one that is known
/// refuses it or has nothing to change.
///
/// # Errors
/// When the target gives no answer.
pub fn not_built<'o>(
    target: &mut dyn Target,
    operations: impl IntoIterator<Item = &'o str>,
) -> Result<Vec<String>, TargetError> {
    let mut unknown = Vec::new();
    for operation in operations {
        let answer = target.send(operation, b"{}")?;
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        let kind = body.get("__type").and_then(Value::as_str).unwrap_or("");
        if kind.ends_with("#UnknownOperationException") {
            let name = operation.rsplit('.').next().unwrap_or(operation);
            unknown.push(name.to_owned());
        }
    }
    Ok(unknown)
}
