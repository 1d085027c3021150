//! The requests of a model: those that set it up, and those of its patterns, filled or as templates.

use std::collections::BTreeMap;
use std::fmt;

use keyplan_expression::ParsedProjection;
use keyplan_value::Number;
use serde_json::{Map, Value, json};

use crate::model::{KeyTemplate, Model, Table};
use crate::pattern::{Access, Direction, Parameter, Pattern, SortComparison, SortCondition};
use crate::template::Template;
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

impl Model {
    /// The requests that make the tables and put the sample items, in the file's order.
    pub fn setup(&self) -> Vec<Request> {
        let tables = self.tables.iter().map(create_table);
        let items = self.items.iter().filter_map(|item| {
            let table = &self.entity(&item.entity)?.table;
            let body = json!({ "TableName": table, "Item": item.attributes });
            Some(Request { operation: "PutItem", body })
        });
        tables.chain(items).collect()
    }
}

fn create_table(table: &Table) -> Request {
    let definitions: Vec<Value> = table
        .key_attributes()
        .map(|key| json!({ "AttributeName": key.name, "AttributeType": key.kind.code() }))
        .collect();
    let schema: Vec<Value> = table
        .key_attributes()
        .zip(["HASH", "RANGE"])
        .map(|(key, role)| json!({ "AttributeName": key.name, "KeyType": role }))
        .collect();
    let body = json!({
        "TableName": table.name,
        "KeySchema": schema,
        "AttributeDefinitions": definitions,
        "BillingMode": table.billing.mode(),
    });
    Request { operation: "CreateTable", body }
}

impl Pattern {
    /// The request with `<name>` where each parameter goes.
    pub fn template(&self) -> RequestTemplate<'_> {
        let body = match self.body::<std::convert::Infallible>(&|template| Ok(template.to_string())) {
            Ok(body) => body,
            Err(never) => match never {},
        };
        RequestTemplate { operation: self.operation().name(), body, parameters: &self.parameters }
    }

    /// The request with these parameters filled in.
    ///
    /// # Errors
    /// When a parameter is missing, not the pattern's, or not of its type.
    pub fn request(&self, parameters: &BTreeMap<String, String>) -> Result<Request, ParameterError> {
        let declared = |name: &str| self.parameters.iter().find(|parameter| parameter.name == name);
        if let Some(name) = parameters.keys().find(|name| declared(name).is_none()) {
            return Err(ParameterError::Unknown { name: name.clone() });
        }
        let body = self.body(&|template| {
            template.fill(|name| {
                let Some(text) = parameters.get(name) else {
                    return Err(ParameterError::Missing { name: name.to_owned() });
                };
                let number = declared(name).is_some_and(|parameter| parameter.kind == KeyType::N);
                if number && Number::parse(text).is_err() {
                    let name = name.to_owned();
                    return Err(ParameterError::NotANumber { name, text: text.clone() });
                }
                Ok(text.clone())
            })
        })?;
        Ok(Request { operation: self.operation().name(), body })
    }

    /// The example parameters, by name.
    pub fn examples(&self) -> BTreeMap<String, String> {
        self.parameters.iter().map(|parameter| (parameter.name.clone(), parameter.example.clone())).collect()
    }

    fn body<E>(&self, text: &dyn Fn(&Template) -> Result<String, E>) -> Result<Value, E> {
        let mut body = Map::new();
        body.insert("TableName".into(), json!(self.table));
        match &self.access {
            Access::Get { key } => {
                let mut members = Map::new();
                for part in key {
                    members.insert(part.attribute.clone(), key_value(part.kind, text(&part.template)?));
                }
                body.insert("Key".into(), Value::Object(members));
            }
            Access::Query { partition, sort, direction, limit } => {
                query(partition, sort.as_ref(), &mut body, text)?;
                if *direction == Direction::Backward {
                    body.insert("ScanIndexForward".into(), json!(false));
                }
                insert_limit(*limit, &mut body);
            }
            Access::Scan { limit } => insert_limit(*limit, &mut body),
        }
        if self.consistent {
            body.insert("ConsistentRead".into(), json!(true));
        }
        Ok(Value::Object(body))
    }
}

fn insert_limit(limit: Option<u32>, body: &mut Map<String, Value>) {
    if let Some(limit) = limit {
        body.insert("Limit".into(), json!(limit));
    }
}

fn key_value(kind: KeyType, text: String) -> Value {
    json!({ kind.code(): text })
}

/// Adds the key condition. Placeholders have fixed names, so none can meet an attribute's.
fn query<E>(
    partition: &KeyTemplate,
    sort: Option<&SortCondition>,
    body: &mut Map<String, Value>,
    text: &dyn Fn(&Template) -> Result<String, E>,
) -> Result<(), E> {
    let mut names = Map::new();
    let mut values = Map::new();
    let left = expression_name(&partition.attribute, "#partition", &mut names);
    let mut condition = format!("{left} = :partition");
    values.insert(":partition".into(), key_value(partition.kind, text(&partition.template)?));
    if let Some(sort) = sort {
        let left = expression_name(&sort.attribute, "#sort", &mut names);
        let mut operand = |placeholder: &str, template: &Template| {
            values.insert(placeholder.to_owned(), key_value(sort.kind, text(template)?));
            Ok(())
        };
        let asked = match &sort.comparison {
            SortComparison::Operator(operator, template) => {
                operand(":sort", template)?;
                format!("{left} {operator} :sort")
            }
            SortComparison::BeginsWith(template) => {
                operand(":sort", template)?;
                format!("begins_with({left}, :sort)")
            }
            SortComparison::Between(lower, upper) => {
                operand(":from", lower)?;
                operand(":to", upper)?;
                format!("{left} BETWEEN :from AND :to")
            }
        };
        condition.push_str(" AND ");
        condition.push_str(&asked);
    }
    body.insert("KeyConditionExpression".into(), json!(condition));
    if !names.is_empty() {
        body.insert("ExpressionAttributeNames".into(), Value::Object(names));
    }
    body.insert("ExpressionAttributeValues".into(), Value::Object(values));
    Ok(())
}

/// The attribute's name as an expression may write it: itself, or a placeholder where the name is
/// reserved or no plain word.
fn expression_name(attribute: &str, placeholder: &str, names: &mut Map<String, Value>) -> String {
    if is_plain_word(attribute) && ParsedProjection::parse(attribute).is_ok() {
        return attribute.to_owned();
    }
    names.insert(placeholder.to_owned(), json!(attribute));
    placeholder.to_owned()
}

/// A letter, then letters, digits and `_`: a word that stands for one attribute wherever it stands.
fn is_plain_word(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}
