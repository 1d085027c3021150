//! Templates: texts with names in angle brackets, such as `CUSTOMER#<customerId>`.

use std::fmt;

use crate::limits::TEMPLATE_PARTS_MAX;
use crate::problem::TemplateProblem;

/// A text with names in it. In an entity's key the names are its attributes, in a pattern's
/// condition they are its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

/// One part of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A text that stands as it is.
    Text(String),
    /// A name in angle brackets.
    Name(String),
}

impl Template {
    /// Reads a template.
    pub fn parse(text: &str) -> Result<Template, TemplateProblem> {
        if text.is_empty() {
            return Err(TemplateProblem::Empty);
        }
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if parts.len() >= TEMPLATE_PARTS_MAX {
                return Err(TemplateProblem::TooManyParts);
            }
            if let Some(opened) = rest.strip_prefix('<') {
                let (name, after) = opened.split_once('>').ok_or(TemplateProblem::NotClosed)?;
                if !is_name(name) {
                    return Err(TemplateProblem::NotAName);
                }
                if matches!(parts.last(), Some(Part::Name(_))) {
                    return Err(TemplateProblem::NamesTouch);
                }
                parts.push(Part::Name(name.to_owned()));
                rest = after;
            } else {
                let end = rest.find('<').unwrap_or(rest.len());
                let (literal, after) = rest.split_at(end);
                if literal.contains('>') {
                    return Err(TemplateProblem::NotOpened);
                }
                parts.push(Part::Text(literal.to_owned()));
                rest = after;
            }
        }
        Ok(Template { parts })
    }

    /// The parts in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The names in order; one that stands twice comes twice.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.parts.iter().filter_map(|part| match part {
            Part::Name(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The text with each name replaced by `value(name)`.
    pub fn fill<E>(&self, mut value: impl FnMut(&str) -> Result<String, E>) -> Result<String, E> {
        let mut filled = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => filled.push_str(text),
                Part::Name(name) => filled.push_str(&value(name)?),
            }
        }
        Ok(filled)
    }

    /// The one name that is the whole template.
    pub fn single_name(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Name(name)] => Some(name),
            _ => None,
        }
    }

    /// How many bytes of text the template holds, if `text` can have come from it. The more there are,
    /// the better the template tells this text from others.
    pub fn matches(&self, text: &str) -> Option<usize> {
        let mut rest = text;
        let mut literal_bytes = 0;
        let mut parts = self.parts.iter().peekable();
        while let Some(part) = parts.next() {
            match (part, parts.peek()) {
                (Part::Text(literal), _) => {
                    rest = rest.strip_prefix(literal.as_str())?;
                    literal_bytes += literal.len();
                }
                (Part::Name(_), None) => return (!rest.is_empty()).then_some(literal_bytes),
                // Text follows the name: the name takes as little as it can, one character at least.
                (Part::Name(_), Some(Part::Text(literal))) => {
                    let first = rest.chars().next()?.len_utf8();
                    let (_, tail) = rest.split_at(first);
                    // The last text of a template has to meet the end.
                    let found = if parts.clone().count() == 1 {
                        tail.ends_with(literal.as_str()).then(|| tail.len() - literal.len())?
                    } else {
                        tail.find(literal.as_str())?
                    };
                    rest = rest.get(first + found..)?;
                }
                (Part::Name(_), Some(Part::Name(_))) => return None,
            }
        }
        rest.is_empty().then_some(literal_bytes)
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                Part::Text(text) => f.write_str(text)?,
                Part::Name(name) => write!(f, "<{name}>")?,
            }
        }
        Ok(())
    }
}

/// Names of parameters and attributes in templates: a letter or `_`, then letters, digits and `_`.
pub(crate) fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    let first = letters.next();
    first.is_some_and(|letter| letter.is_ascii_alphabetic() || letter == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(template: &str) -> String {
        let template = Template::parse(template).unwrap();
        template.fill::<()>(|name| Ok(name.to_uppercase())).unwrap()
    }

    #[test]
    fn texts_and_names_alternate() {
        assert_eq!(filled("ORDER#<day>#<id>"), "ORDER#DAY#ID");
        assert_eq!(filled("<a>"), "A");
        assert_eq!(filled("META"), "META");
    }

    #[test]
    fn faulty_templates_are_told_apart() {
        for (text, problem) in [
            ("", TemplateProblem::Empty),
            ("A#<b", TemplateProblem::NotClosed),
            ("A>b", TemplateProblem::NotOpened),
            ("A#<>", TemplateProblem::NotAName),
            ("A#<b c>", TemplateProblem::NotAName),
            ("<a><b>", TemplateProblem::NamesTouch),
        ] {
            assert_eq!(Template::parse(text), Err(problem), "{text}");
        }
        let long = "a#<b>#".repeat(TEMPLATE_PARTS_MAX);
        assert_eq!(Template::parse(&long), Err(TemplateProblem::TooManyParts));
    }

    #[test]
    fn a_key_is_recognised_by_its_texts() {
        let order = Template::parse("ORDER#<placedOn>#<orderId>").unwrap();
        assert_eq!(order.matches("ORDER#2026-11-02#5003"), Some(7));
        assert_eq!(order.matches("ORDER#2026-11-02"), None);
        assert_eq!(order.matches("CUSTOMER#c-1"), None);
        let closed = Template::parse("<a>#END").unwrap();
        assert_eq!(closed.matches("x#END#END"), Some(4));
        assert_eq!(closed.matches("#END"), None);
    }

    proptest! {
        #[test]
        fn what_a_template_writes_it_reads(
            texts in prop::collection::vec("[A-Z]{1,4}#", 1..5),
            value in "[a-z0-9]{1,6}",
        ) {
            let written: String = texts.iter().map(|text| format!("{text}<n>")).collect();
            let template = Template::parse(&written).unwrap();
            prop_assert_eq!(template.to_string(), written);
            let key = template.fill::<()>(|_| Ok(value.clone())).unwrap();
            prop_assert!(template.matches(&key).is_some(), "{key}");
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
            if let Ok(template) = Template::parse(&text) {
                prop_assert_eq!(template.to_string(), text);
            }
        }
    }
}
