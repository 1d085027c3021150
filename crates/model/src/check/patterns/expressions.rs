//! Expressions: DynamoDB's own text with `<name>` for a parameter, `:name` for a value of the pattern and
//! `#name` for an attribute whose name is reserved.

use keyplan_expression::{ParsedCondition, ParsedProjection, ParsedUpdate};
use serde_json::{Map, Value, json};

use super::super::{known, template};
use super::uses::Uses;
use crate::finding::{Findings, Position};
use crate::placed::{At, Entries, Plain};
use crate::problem::{Named, Problem};
use crate::sample::inferred;
use crate::shape::{ParameterShape, ValuesShape};
use crate::template::{Template, is_name};
use crate::types::KeyType;

/// What an expression is for.
#[derive(Clone, Copy)]
pub(super) enum Language {
    Condition,
    Projection,
    Update,
}

/// The expressions of one request (or of one action in it), with the names and values they share.
pub(super) struct Expressions<'s> {
    names: Map<String, Value>,
    values: Map<String, Value>,
    given: Option<&'s At<ValuesShape>>,
    used: Vec<&'s str>,
    parameters: &'s Entries<ParameterShape>,
}

impl<'s> Expressions<'s> {
    pub fn new(given: Option<&'s At<ValuesShape>>, parameters: &'s Entries<ParameterShape>) -> Self {
        Expressions { names: Map::new(), values: Map::new(), given, used: Vec::new(), parameters }
    }

    /// An attribute's name as an expression may write it: itself, or a placeholder where the name is
    /// reserved or no plain word.
    pub fn name(&mut self, attribute: &str, placeholder: &str) -> String {
        if is_plain_word(attribute) && ParsedProjection::parse(attribute).is_ok() {
            return attribute.to_owned();
        }
        self.names.insert(placeholder.to_owned(), json!(attribute));
        placeholder.to_owned()
    }

    /// A placeholder for a value: `base`, or `base` and a number where that stands for another value.
    pub fn value(&mut self, base: &str, value: Value) -> String {
        let given = |name: &str| self.given.is_some_and(|given| find(&given.value, name).is_some());
        let mut number = 1_usize;
        loop {
            let name = if number == 1 { base.to_owned() } else { format!("{base}{number}") };
            let placeholder = format!(":{name}");
            match self.values.get(&placeholder) {
                Some(other) if *other == value => return placeholder,
                None if !given(&name) => {
                    self.values.insert(placeholder.clone(), value);
                    return placeholder;
                }
                _ => number = number.saturating_add(1),
            }
        }
    }

    /// An expression as the request has it, put into the body as `member`.
    pub fn add(
        &mut self,
        member: &str,
        language: Language,
        text: Option<&At<String>>,
        body: &mut Map<String, Value>,
        uses: &mut Uses,
        findings: &mut Findings,
    ) {
        let Some(text) = text else { return };
        let written = self.written(text, uses, findings);
        let refused = match language {
            Language::Condition => ParsedCondition::parse(&written).err().map(|error| error.to_string()),
            Language::Projection => ParsedProjection::parse(&written).err().map(|error| error.to_string()),
            Language::Update => ParsedUpdate::parse(&written).err().map(|error| error.to_string()),
        };
        if let Some(refused) = refused {
            findings.add(text.at, || Problem::Expression { text: refused });
        }
        body.insert(member.to_owned(), json!(written));
    }

    fn written(&mut self, text: &At<String>, uses: &mut Uses, findings: &mut Findings) -> String {
        let mut written = String::new();
        let mut rest = text.value.trim();
        while let Some(at) = rest.find(['<', '#', ':']) {
            let (before, marked) = rest.split_at(at);
            written.push_str(before);
            let (mark, after) = marked.split_at(1);
            match mark {
                "<" => match after.split_once('>').filter(|(name, _)| is_name(name)) {
                    Some((name, after)) => {
                        written.push_str(&self.parameter(name, text.at, uses));
                        rest = after;
                    }
                    None => {
                        written.push('<');
                        rest = after;
                    }
                },
                mark => {
                    let end = after.find(|letter: char| !is_word_letter(letter)).unwrap_or(after.len());
                    let (name, after) = after.split_at(end);
                    if mark == "#" {
                        self.names.insert(format!("#{name}"), json!(name));
                    } else {
                        self.given(name, text.at, uses, findings);
                    }
                    written.push_str(mark);
                    written.push_str(name);
                    rest = after;
                }
            }
        }
        written.push_str(rest);
        written
    }

    fn parameter(&mut self, name: &str, at: Position, uses: &mut Uses) -> String {
        let shape = self.parameters.list.iter().find(|(other, _)| other.value == name);
        let stated = shape.and_then(|(_, shape)| shape.kind.as_ref()).map(|kind| kind.value.into());
        let kind = stated.or_else(|| uses.kind(name)).unwrap_or(KeyType::S);
        if let Ok(template) = Template::parse(&format!("<{name}>")) {
            uses.add(&template, kind, at);
        }
        self.value(name, json!({ kind.code(): format!("<{name}>") }))
    }

    fn given(&mut self, name: &str, at: Position, uses: &mut Uses, findings: &mut Findings) {
        let given = self.given;
        match given.and_then(|given| find(&given.value, name)) {
            Some((own, value)) => {
                self.used.push(own);
                templates_within(value, uses, findings);
                self.values.insert(format!(":{name}"), inferred(&value.value));
            }
            None => {
                let names = given.map(|given| given.value.names()).unwrap_or_default();
                known(Named::Value, &At { at, value: name.to_owned() }, names.into_iter(), findings);
            }
        }
    }

    /// Puts the names and values into the body; a value that no expression uses is a finding.
    pub fn finish(self, body: &mut Map<String, Value>, findings: &mut Findings) {
        for (name, _) in self.given.iter().flat_map(|given| &given.value.list) {
            if !self.used.contains(&name.value.as_str()) {
                findings.add(name.at, || Problem::UnusedValue { name: name.value.clone() });
            }
        }
        if !self.names.is_empty() {
            body.insert("ExpressionAttributeNames".into(), Value::Object(self.names));
        }
        if !self.values.is_empty() {
            body.insert("ExpressionAttributeValues".into(), Value::Object(self.values));
        }
    }
}

fn find<'s>(values: &'s ValuesShape, name: &str) -> Option<(&'s str, &'s At<Plain>)> {
    let found = values.list.iter().find(|(other, _)| other.value == name);
    found.map(|(name, value)| (name.value.as_str(), value))
}

/// Takes note of the parameters in the texts of a value. The file's depth bounds the recursion.
pub(super) fn templates_within(value: &At<Plain>, uses: &mut Uses, findings: &mut Findings) {
    match &value.value {
        Plain::Text { text, .. } if text.contains('<') => {
            let text = At { at: value.at, value: text.clone() };
            if let Some(template) = template(&text, findings) {
                uses.add(&template, KeyType::S, text.at);
            }
        }
        Plain::Text { .. } => {}
        Plain::List(elements) => {
            elements.iter().for_each(|element| templates_within(element, uses, findings))
        }
        Plain::Mapping(members) => {
            members.iter().for_each(|(_, member)| templates_within(member, uses, findings))
        }
    }
}

/// A letter, then letters, digits and `_`: a word that stands for one attribute wherever it stands.
fn is_plain_word(name: &str) -> bool {
    name.chars().next().is_some_and(|letter| letter.is_ascii_alphabetic()) && name.chars().all(is_word_letter)
}

fn is_word_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}
