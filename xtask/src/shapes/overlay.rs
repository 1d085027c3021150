//! What the published model lacks, read from `crates/engine/shapes/overlay.json`.

use serde_json::Value;

use super::model::{Model, Shape};
use crate::failure::{Failure, Outcome};

/// The overlay, and the sentences of the generated tables it leads to.
pub struct Overlay(pub Value);

impl Overlay {
    fn strings(value: &Value) -> impl Iterator<Item = &str> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    fn lists(&self, list: &str, name: &str) -> bool {
        Overlay::strings(&self.0[list]).any(|listed| listed == name)
    }

    /// Whether exactly one member of the structure is set.
    pub fn is_union(&self, shape: &str) -> bool {
        self.lists("unions", shape)
    }

    /// The constraints of a shape: the overlay's, or else the model's.
    pub fn shape_rules(&self, model: &Model, name: &str) -> Outcome<Vec<String>> {
        if let Some(set) = self.0["shapes"][name]["rules"].as_str() {
            return self.rule_set(set);
        }
        if self.lists("valueChecked", name) {
            return Ok(Vec::new());
        }
        self.model_rules(name, &model.shape(name)?)
    }

    /// The constraints of a member.
    pub fn member_rules(
        &self,
        model: &Model,
        structure: &str,
        member: &str,
        shape: &str,
    ) -> Outcome<Vec<String>> {
        match self.0["shapes"][structure]["members"][member]["rules"].as_str() {
            Some(set) => self.rule_set(set),
            None => self.shape_rules(model, shape),
        }
    }

    /// Whether a member must be there.
    pub fn member_required(&self, structure: &str, member: &str, model_says: bool) -> bool {
        let overlaid = &self.0["shapes"][structure]["members"][member]["required"];
        overlaid.as_bool().unwrap_or(model_says)
    }

    /// The order in which broken constraints of a structure's members are listed: the overlay's
    /// members first, then the others as the model has them.
    pub fn listing(&self, structure: &str, members: &[(String, String)]) -> Outcome<Vec<usize>> {
        let first = Overlay::strings(&self.0["shapes"][structure]["listing"]);
        let mut order = Vec::new();
        for name in first {
            order.push(place(structure, members, name)?);
        }
        order.extend((0..members.len()).filter(|at| !order.contains(at)).collect::<Vec<_>>());
        Ok(order)
    }

    /// The order in which JSON types of a structure's members are checked: nested structures, then the
    /// maps named in the overlay, then the scalars named there, then other scalars, booleans last.
    pub fn typing(&self, model: &Model, members: &[(String, String)]) -> Outcome<Vec<usize>> {
        let named = |list: &str, name: &str| {
            Overlay::strings(&self.0["typing"][list]).position(|listed| listed == name)
        };
        let mut ranked = Vec::new();
        for (at, (name, shape)) in members.iter().enumerate() {
            let kind = model.shape(shape)?.kind;
            let rank = match (named("maps", name), named("scalars", name), kind.as_str()) {
                (Some(place), _, _) => (1, place),
                (_, Some(place), _) => (2, place),
                (_, _, "structure" | "list" | "map") => (0, 0),
                (_, _, "boolean") => (4, 0),
                _ => (3, 0),
            };
            ranked.push((rank, at));
        }
        ranked.sort();
        Ok(ranked.into_iter().map(|(_, at)| at).collect())
    }

    /// A named set of rules, as expressions of the generated file.
    pub fn rule_set(&self, name: &str) -> Outcome<Vec<String>> {
        let set = self.0["ruleSets"][name]
            .as_array()
            .ok_or_else(|| Failure::new(format!("the overlay has no rule set {name}")))?;
        set.iter().map(rule).collect()
    }

    fn model_rules(&self, name: &str, shape: &Shape) -> Outcome<Vec<String>> {
        let mut rules = Vec::new();
        if let Some(pattern) = &shape.pattern
            && !self.lists("patternsLeftToOperations", name)
        {
            rules.push(pattern_rule(pattern)?);
        }
        let bound = match shape.kind.as_str() {
            "integer" | "long" | "double" => "Value",
            _ => "Length",
        };
        if let Some(min) = shape.min {
            rules.push(format!("Rule::{bound}Min({min})"));
        }
        if let Some(max) = shape.max {
            rules.push(format!("Rule::{bound}Max({max})"));
        }
        if !shape.words.is_empty() {
            let shown = &self.0["shapes"][name]["shown"];
            let shown: Vec<&str> = if shown.is_array() {
                Overlay::strings(shown).collect()
            } else {
                shape.words.iter().map(String::as_str).collect()
            };
            let accepted: Vec<&str> = shape.words.iter().map(String::as_str).collect();
            rules.push(enum_rule(&accepted, &shown));
        }
        Ok(rules)
    }
}

/// A member's place in its structure.
pub fn place(structure: &str, members: &[(String, String)], name: &str) -> Outcome<usize> {
    members
        .iter()
        .position(|(member, _)| member == name)
        .ok_or_else(|| Failure::new(format!("the overlay names {structure}.{name}, which isn't there")))
}

fn rule(rule: &Value) -> Outcome<String> {
    let number = |name: &str| rule[name].as_i64();
    let words = |name: &str| -> Vec<&str> { Overlay::strings(&rule[name]).collect() };
    if rule["exceptArn"].as_bool() == Some(true) {
        Ok("Rule::ExceptArn".to_owned())
    } else if let Some(least) = number("lengthMin") {
        Ok(format!("Rule::LengthMin({least})"))
    } else if let (Some(most), Some(at)) = (number("lengthMax"), rule["at"].as_str()) {
        Ok(format!("Rule::LengthMaxAt({most}, {at:?})"))
    } else if let Some(most) = number("lengthMax") {
        Ok(format!("Rule::LengthMax({most})"))
    } else if let Some(most) = number("partsMax") {
        Ok(format!("Rule::PartsMax({most})"))
    } else if let Some(least) = number("valueMin") {
        Ok(format!("Rule::ValueMin({least})"))
    } else if let Some(most) = number("valueMax") {
        Ok(format!("Rule::ValueMax({most})"))
    } else if let Some(pattern) = rule["pattern"].as_str() {
        pattern_rule(pattern)
    } else if rule["enum"].is_array() {
        let accepted = words("enum");
        let shown = if rule["shown"].is_array() { words("shown") } else { accepted.clone() };
        Ok(enum_rule(&accepted, &shown))
    } else if rule["enumExcept"].is_array() {
        Ok(format!("Rule::Except(&{:?})", words("enumExcept")))
    } else {
        Err(Failure::new(format!("the overlay has a rule of no known kind: {rule}")))
    }
}

fn enum_rule(accepted: &[&str], shown: &[&str]) -> String {
    format!("Rule::Enum {{ accepted: &{accepted:?}, shown: &{shown:?} }}")
}

/// Reads a pattern of one class of characters and a count.
fn pattern_rule(pattern: &str) -> Outcome<String> {
    let unreadable = || {
        Failure::new(format!(
            "the pattern {pattern} isn't one class of characters with a count: name its shape under \
             patternsLeftToOperations in the overlay, and check it in the operation"
        ))
    };
    let bare = pattern.trim_start_matches('^').trim_end_matches('$');
    let rest = bare.strip_prefix('[').ok_or_else(unreadable)?;
    let end = rest.rfind(']').ok_or_else(unreadable)?;
    let (class, count) = (&rest[..end], &rest[end + 1..]);
    let (min, max) = match count {
        "" => (1, 1),
        "+" => (1, u32::MAX),
        "*" => (0, u32::MAX),
        _ => {
            let digits = count.strip_prefix('{').and_then(|count| count.strip_suffix('}'));
            let times = digits.and_then(|digits| digits.parse().ok()).ok_or_else(unreadable)?;
            (times, times)
        }
    };
    let (negated, class) = match class.strip_prefix('^') {
        Some(class) => (true, class),
        None => (false, class),
    };
    let ranges = class_ranges(class).ok_or_else(unreadable)?;
    Ok(format!(
        "Rule::Pattern(Pattern {{ text: {pattern:?}, ranges: &{ranges:?}, negated: {negated}, min: {min}, \
         max: {max} }})"
    ))
}

/// The ranges of a class; nothing when it holds what isn't read here.
fn class_ranges(class: &str) -> Option<Vec<(char, char)>> {
    let mut characters = Vec::new();
    let mut rest = class.chars();
    while let Some(character) = rest.next() {
        characters.push(match character {
            '[' | ']' => return None,
            '\\' => match rest.next()? {
                't' => ('\t', true),
                escaped if escaped.is_ascii_alphanumeric() => return None,
                escaped => (escaped, true),
            },
            plain => (plain, false),
        });
    }
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(&(from, _)) = characters.get(at) {
        match (characters.get(at + 1), characters.get(at + 2)) {
            (Some(&('-', false)), Some(&(to, _))) => {
                ranges.push((from, to));
                at += 3;
            }
            _ => {
                ranges.push((from, from));
                at += 1;
            }
        }
    }
    Some(ranges)
}

#[cfg(test)]
mod tests {
    use super::{class_ranges, pattern_rule};

    #[test]
    fn a_class_is_read_as_ranges() {
        assert_eq!(
            class_ranges("a-zA-Z0-9_.-"),
            Some(vec![('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_'), ('.', '.'), ('-', '-')])
        );
        assert_eq!(
            class_ranges(r",;:|\t "),
            Some(vec![(',', ','), (';', ';'), (':', ':'), ('|', '|'), ('\t', '\t'), (' ', ' ')])
        );
        assert_eq!(class_ranges(r"\w"), None, "a class by name isn't read");
    }

    #[test]
    fn a_pattern_of_more_than_one_class_is_refused() {
        for pattern in [r"^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$", r"([0-9a-f]{16})+", r"\p{Print}+"] {
            assert!(pattern_rule(pattern).is_err(), "{pattern}");
        }
        assert!(pattern_rule("[0-9]{12}").is_ok_and(|rule| rule.contains("min: 12, max: 12")));
    }
}
