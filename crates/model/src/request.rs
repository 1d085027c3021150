//! The requests of patterns, filled or as templates.

use std::collections::BTreeMap;
use std::fmt;

use keyplan_value::Number;
use serde_json::{Map, Value};

use crate::pattern::{Parameter, Pattern};
use crate::template::is_name;
use crate::types::KeyType;

/// A request of the service.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The operation's name, such as `Query`.
    pub operation: &'static str,
    /// The body, its members in the order in which people read them.
    pub body: Value,
}

impl Request {
    /// The `X-Amz-Target` header.
    pub fn target(&self) -> String {
        format!("DynamoDB_20120810.{}", self.operation)
    }
}

/// A request with `<name>` in its texts where a parameter goes.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestTemplate<'m> {
    /// The operation's name.
    pub operation: &'static str,
    /// The body; parameters stand in texts alone, so filling them in needs no knowledge of types.
    pub body: Value,
    /// The parameters in the file's order.
    pub parameters: &'m [Parameter],
}

/// Why parameters don't make a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterError {
    /// A parameter of the pattern was not given.
    Missing {
        /// Its name.
        name: String,
    },
    /// A parameter was given that the pattern doesn't have.
    Unknown {
        /// Its name.
        name: String,
    },
    /// A number was asked for.
    NotANumber {
        /// The parameter.
        name: String,
        /// What was given.
        text: String,
    },
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterError::Missing { name } => write!(f, "the parameter `{name}` is missing"),
            ParameterError::Unknown { name } => write!(f, "the pattern has no parameter `{name}`"),
            ParameterError::NotANumber { name, text } => {
                write!(f, "the parameter `{name}` is a number, but `{text}` is none")
            }
        }
    }
}

impl std::error::Error for ParameterError {}

impl Pattern {
    /// The request with `<name>` where each parameter goes.
    pub fn template(&self) -> RequestTemplate<'_> {
        RequestTemplate {
            operation: self.operation.name(),
            body: self.body.clone(),
            parameters: &self.parameters,
        }
    }

    /// The request with these parameters filled in.
    ///
    /// # Errors
    /// When a parameter is missing, not the pattern's, or not of its type.
    pub fn request(&self, parameters: &BTreeMap<String, String>) -> Result<Request, ParameterError> {
        let declared = |name: &str| self.parameters.iter().any(|parameter| parameter.name == name);
        if let Some(name) = parameters.keys().find(|name| !declared(name)) {
            return Err(ParameterError::Unknown { name: name.clone() });
        }
        for Parameter { name, kind, .. } in &self.parameters {
            let Some(text) = parameters.get(name) else {
                return Err(ParameterError::Missing { name: name.clone() });
            };
            if *kind == KeyType::N && Number::parse(text).is_err() {
                return Err(ParameterError::NotANumber { name: name.clone(), text: text.clone() });
            }
        }
        Ok(Request { operation: self.operation.name(), body: filled(&self.body, parameters) })
    }

    /// The example parameters, by name.
    pub fn examples(&self) -> BTreeMap<String, String> {
        self.parameters.iter().map(|parameter| (parameter.name.clone(), parameter.example.clone())).collect()
    }
}

/// The body with every parameter in its place. Its depth is bounded by the file's.
fn filled(body: &Value, parameters: &BTreeMap<String, String>) -> Value {
    match body {
        Value::String(text) => Value::String(filled_text(text, parameters)),
        Value::Array(elements) => elements.iter().map(|element| filled(element, parameters)).collect(),
        Value::Object(members) => {
            let filled = members.iter().map(|(name, member)| (name.clone(), filled(member, parameters)));
            Value::Object(filled.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// What stands between `<` and `>` and is no parameter's name stays as it is, as in `a < :b AND c > :d`.
fn filled_text(text: &str, parameters: &BTreeMap<String, String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, opened)) = rest.split_once('<') {
        filled.push_str(before);
        let value = opened.split_once('>').filter(|(name, _)| is_name(name));
        match value.and_then(|(name, after)| Some((parameters.get(name)?, after))) {
            Some((value, after)) => {
                filled.push_str(value);
                rest = after;
            }
            None => {
                filled.push('<');
                rest = opened;
            }
        }
    }
    filled.push_str(rest);
    filled
}
