//! A broken constraint, and how a list of them is worded.

use std::fmt;

use crate::limits::CONSTRAINT_ERRORS_LISTED_MAX;
use crate::shapes::Rule;

/// The broken constraints of one request, as many as are listed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Violations {
    listed: Vec<Violation>,
}

impl Violations {
    /// Adds one; those that don't go into the list, or are in it, are dropped.
    pub(super) fn push(&mut self, violation: Violation) {
        if !self.is_full() && !self.listed.contains(&violation) {
            self.listed.push(violation);
        }
    }

    /// Whether the list takes no more.
    pub(super) fn is_full(&self) -> bool {
        self.listed.len() >= CONSTRAINT_ERRORS_LISTED_MAX
    }

    /// Whether nothing is broken.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.listed.len();
        let plural = if count == 1 { "" } else { "s" };
        write!(f, "{count} validation error{plural} detected: ")?;
        for (at, violation) in self.listed.iter().enumerate() {
            if at > 0 {
                f.write_str("; ")?;
            }
            violation.fmt(f)?;
        }
        Ok(())
    }
}

/// One broken constraint.
#[derive(Debug, Clone, PartialEq)]
pub enum Violation {
    /// `Value 'x' at 'tableName' failed to satisfy constraint: …`
    Value {
        /// The value as the service prints it; nothing when it is missing.
        value: Option<String>,
        /// The path of members to it.
        path: String,
        /// The constraint.
        broken: Broken,
    },
    /// `Value at 'TableName' failed to satisfy constraint: …`
    Member {
        /// The member's name.
        name: &'static str,
        /// The constraint.
        broken: Broken,
    },
    /// `Failed to satisfy constraint: …`
    Unnamed {
        /// The constraint.
        broken: Broken,
    },
    /// A sentence of its own.
    Sentence(&'static str),
}

/// What is broken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Broken {
    /// The member is missing.
    NotNull,
    /// One rule.
    Rule(Rule),
    /// A map has a key that breaks one of these.
    MapKeys(&'static [Rule]),
    /// A map has a value that breaks one of these.
    MapValues(&'static [Rule]),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Value { value: Some(value), path, broken } => {
                write!(f, "Value '{value}' at '{path}' failed to satisfy constraint: {broken}")
            }
            Violation::Value { value: None, path, broken } => {
                write!(f, "Value null at '{path}' failed to satisfy constraint: {broken}")
            }
            Violation::Member { name, broken } => {
                write!(f, "Value at '{name}' failed to satisfy constraint: {broken}")
            }
            Violation::Unnamed { broken } => write!(f, "Failed to satisfy constraint: {broken}"),
            Violation::Sentence(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (of, rules) = match self {
            Broken::NotNull => return f.write_str("Member must not be null"),
            Broken::Rule(rule) => return write_rule(rule, f),
            Broken::MapKeys(rules) => ("Map keys", rules),
            Broken::MapValues(rules) => ("Map value", rules),
        };
        write!(f, "{of} must satisfy constraint: [")?;
        // Inside a map's constraint the service lists the upper bound first and the pattern last.
        let is_max = |rule: &&Rule| matches!(rule, Rule::LengthMax(_) | Rule::LengthMaxAt(..));
        let is_pattern = |rule: &&Rule| matches!(rule, Rule::Pattern(_));
        let shown = rules.iter().filter(|rule| !matches!(rule, Rule::ExceptArn));
        let highest = shown.clone().filter(is_max);
        let others = shown.clone().filter(|rule| !is_max(rule) && !is_pattern(rule));
        for (at, rule) in highest.chain(others).chain(shown.filter(is_pattern)).enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            write_rule(rule, f)?;
        }
        f.write_str("]")
    }
}

fn write_rule(rule: &Rule, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match rule {
        Rule::ExceptArn | Rule::Except(_) | Rule::PartsMax(_) => Ok(()),
        Rule::LengthMin(least) => write!(f, "Member must have length greater than or equal to {least}"),
        Rule::LengthMax(most) | Rule::LengthMaxAt(most, _) => {
            write!(f, "Member must have length less than or equal to {most}")
        }
        Rule::ValueMin(least) => write!(f, "Member must have value greater than or equal to {least}"),
        Rule::ValueMax(most) => write!(f, "Member must have value less than or equal to {most}"),
        Rule::Pattern(pattern) => {
            write!(f, "Member must satisfy regular expression pattern: {}", pattern.text)
        }
        Rule::Enum { shown, .. } => {
            write!(f, "Member must satisfy enum value set: [{}]", shown.join(", "))
        }
    }
}
