//! The templates of a pattern, and the parameters that fill them.

use super::super::known;
use crate::finding::{Findings, Position};
use crate::pattern::Parameter;
use crate::placed::{At, Entries};
use crate::problem::{Named, Problem};
use crate::sample::key_text;
use crate::shape::ParameterShape;
use crate::template::{Part, Template};
use crate::types::{AttributeType, KeyType};

/// One template in a pattern: where it stands, and the types of its names.
pub(super) struct Use {
    template: Template,
    at: Position,
    name_types: Vec<(String, KeyType)>,
}

/// The templates of a pattern in the order in which they stand.
#[derive(Default)]
pub(super) struct Uses(Vec<Use>);

impl Uses {
    /// Takes note of a template that makes a value of a type: a single name has it, the names in a longer
    /// text are texts.
    pub fn add(&mut self, template: &Template, kind: KeyType, at: Position) {
        let whole = template.single_name().is_some();
        let name_kind = if whole { kind } else { KeyType::S };
        self.add_typed(template, at, |_| name_kind);
    }

    /// Takes note of a template whose names have types of their own.
    pub fn add_typed(&mut self, template: &Template, at: Position, kind: impl Fn(&str) -> KeyType) {
        let name_types = template.names().map(|name| (name.to_owned(), kind(name))).collect();
        self.0.push(Use { template: template.clone(), at, name_types });
    }

    /// The type of a name where it stands first.
    pub fn kind(&self, name: &str) -> Option<KeyType> {
        let mut kinds = self.0.iter().flat_map(|used| &used.name_types);
        kinds.find(|(other, _)| other == name).map(|(_, kind)| *kind)
    }

    /// The parameters of a pattern, all declared and all used.
    pub fn parameters(&self, shapes: &Entries<ParameterShape>, findings: &mut Findings) -> Vec<Parameter> {
        let declared = shapes.names();
        for used in &self.0 {
            for name in used.template.names() {
                let name = At { at: used.at, value: name.to_owned() };
                known(Named::Parameter, &name, declared.iter().copied(), findings);
            }
        }
        let mut parameters = Vec::new();
        for (name, shape) in &shapes.list {
            let Some(kind) = self.kind(&name.value) else {
                findings.add(name.at, || Problem::UnusedParameter { name: name.value.clone() });
                continue;
            };
            let attribute_kind = AttributeType::from(kind);
            if let Some(stated) = &shape.kind
                && KeyType::from(stated.value) != kind
            {
                let (name, expected) = (name.value.clone(), attribute_kind);
                let declared = AttributeType::from(KeyType::from(stated.value));
                findings.add(stated.at, || Problem::NameType { name, expected, declared });
            }
            let Some(example) = key_text(&name.value, attribute_kind, &shape.example, findings) else {
                continue;
            };
            let prefix = self.prefix(&name.value);
            parameters.push(Parameter { name: name.value.clone(), kind, example, prefix });
        }
        parameters
    }

    /// The text directly before a parameter where it stands first.
    fn prefix(&self, name: &str) -> String {
        for used in &self.0 {
            let mut before = "";
            for part in used.template.parts() {
                match part {
                    Part::Text(text) => before = text,
                    Part::Name(other) if other == name => return before.to_owned(),
                    Part::Name(_) => before = "",
                }
            }
        }
        String::new()
    }
}
