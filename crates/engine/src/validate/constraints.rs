//! Constraints against the shapes, in the steps of the operation.

use std::borrow::Cow;

use keyplan_value::json::{Kind as Json, Node};

use super::echo::echo;
use super::member::number;
use super::violation::{Broken, Violation, Violations};
use crate::error::ValidationError;
use crate::shapes::{Check, Kind, Member, Operation, Parts, Rule, Shape, Step, Structure, Wording};

/// Checks the constraints that come before any of the operation's own rules.
///
/// # Errors
/// What the first step with a violation lists.
pub fn constraints(operation: &Operation, request: Node<'_, '_>) -> Result<(), ValidationError> {
    steps(operation, operation.steps, request)
}

/// Checks the constraints that come after some of the operation's own rules, which it asks for itself.
///
/// # Errors
/// What the first step with a violation lists.
pub fn late_constraints(operation: &Operation, request: Node<'_, '_>) -> Result<(), ValidationError> {
    steps(operation, operation.late_steps, request)
}

fn steps(
    operation: &Operation,
    steps: &'static [Step],
    request: Node<'_, '_>,
) -> Result<(), ValidationError> {
    let Kind::Structure(structure) = &operation.input.shape().kind else { return Ok(()) };
    for step in steps {
        if step.without.is_some_and(|member| super::present(request, member).is_some()) {
            continue;
        }
        let mut walk = Walk { path: Vec::new(), found: Violations::default(), looks_at: Parts::All };
        for check in step.checks {
            let Some(member) = structure.members.get(usize::from(check.member)) else { continue };
            let value = super::present(request, member.name);
            match check.wording {
                Wording::Value => walk.value(check, member, value),
                wording => {
                    let Some((broken, exact)) = first_broken(check, member, value) else { continue };
                    match wording {
                        Wording::Alone(text) => return Err(ValidationError::Sentence(text)),
                        Wording::Listed(text) => walk.found.push(Violation::Sentence(text)),
                        Wording::Unnamed => walk.found.push(Violation::Unnamed { broken }),
                        Wording::Member if exact => {
                            walk.found.push(Violation::Member { name: member.name, broken });
                        }
                        // A number that lost its fraction or was held at the end of its range is worded
                        // in the other style.
                        Wording::Member | Wording::Value => walk.value(check, member, value),
                    }
                }
            }
        }
        if !walk.found.is_empty() {
            return Err(ValidationError::Constraints(walk.found));
        }
    }
    Ok(())
}

/// The first thing a check finds, and whether the value was what its type holds exactly.
fn first_broken(
    check: &Check,
    member: &'static Member,
    value: Option<Node<'_, '_>>,
) -> Option<(Broken, bool)> {
    let Some(value) = value else { return check.required.then_some((Broken::NotNull, true)) };
    let shape = member.shape.shape();
    let broken = broken_rules(value, shape, check.rules).next()?;
    Some((Broken::Rule(broken), is_exact(value, shape)))
}

fn is_exact(value: Node<'_, '_>, shape: &Shape) -> bool {
    let (least, most) = bounds(shape);
    number(value).is_none_or(|number| number.is_exact_within(least, most))
}

fn bounds(shape: &Shape) -> (i64, i64) {
    match shape.kind {
        Kind::Integer => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN, i64::MAX),
    }
}

/// The rules that a value breaks.
fn broken_rules<'n>(
    value: Node<'n, 'n>,
    shape: &'static Shape,
    rules: &'static [Rule],
) -> impl Iterator<Item = Rule> + use<'n> {
    let text = value.string();
    let is_arn = text.as_ref().is_some_and(|text| text.starts_with("arn:"));
    checked_rules(is_arn, rules).filter(move |rule| breaks(value, text.as_ref(), shape, rule)).copied()
}

/// The rules that a text is checked by: an ARN is spared those from a mark on.
fn checked_rules(is_arn: bool, rules: &'static [Rule]) -> impl Iterator<Item = &'static Rule> {
    rules.iter().take_while(move |rule| !(is_arn && matches!(rule, Rule::ExceptArn)))
}

fn breaks(value: Node<'_, '_>, text: Option<&Cow<'_, str>>, shape: &Shape, rule: &Rule) -> bool {
    let length = || match text {
        Some(text) => text.chars().count(),
        // An entry of null is none.
        None if value.kind() == Json::Object => value.members().filter(|(_, entry)| !entry.is_null()).count(),
        None => value.len(),
    };
    let amount = || {
        let (least, most) = bounds(shape);
        number(value).map(|number| number.within(least, most))
    };
    match *rule {
        Rule::ExceptArn => false,
        Rule::LengthMin(least) => length() < least as usize,
        Rule::LengthMax(most) | Rule::LengthMaxAt(most, _) => length() > most as usize,
        Rule::PartsMax(most) => value.members().map(|(_, list)| list.len()).sum::<usize>() > most as usize,
        Rule::ValueMin(least) => amount().is_some_and(|amount| amount < least),
        Rule::ValueMax(most) => amount().is_some_and(|amount| amount > most),
        Rule::Pattern(pattern) => text.is_some_and(|text| !pattern.fits(text)),
        Rule::Enum { accepted, .. } => text.is_some_and(|text| !accepted.contains(&text.as_ref())),
        Rule::Except(words) => text.is_some_and(|text| words.contains(&text.as_ref())),
    }
}

/// What is reported of a map whose lists hold too much together.
fn broken_parts(map: &'static Shape) -> Broken {
    match &map.kind {
        Kind::Map { value, .. } => Broken::MapValues(value.shape().rules),
        _ => Broken::MapValues(&[]),
    }
}

/// A walk over a member and its parts, collecting violations.
struct Walk<'a> {
    path: Vec<Segment<'a>>,
    found: Violations,
    looks_at: Parts,
}

/// One step of a path.
enum Segment<'a> {
    Member(&'static str),
    Element(usize),
    Entry(Cow<'a, str>),
}

impl<'a> Walk<'a> {
    fn value(&mut self, check: &Check, member: &'static Member, value: Option<Node<'_, 'a>>) {
        self.path.push(Segment::Member(member.path));
        self.member(value, member.shape.shape(), check.required, check.rules, check.first_rule_only);
        self.looks_at = check.parts;
        if check.parts != Parts::None
            && let Some(value) = value
        {
            self.parts(value, member.shape.shape());
        }
        self.path.pop();
    }

    /// Checks one value's own rules.
    fn member(
        &mut self,
        value: Option<Node<'_, 'a>>,
        shape: &'static Shape,
        required: bool,
        rules: &'static [Rule],
        first_only: bool,
    ) {
        let Some(value) = value else {
            if required {
                self.report(None, Broken::NotNull);
            }
            return;
        };
        for rule in broken_rules(value, shape, rules) {
            match rule {
                Rule::LengthMaxAt(_, path) => self.found.push(Violation::Value {
                    value: Some(echo(value, shape)),
                    path: path.to_owned(),
                    broken: Broken::Rule(rule),
                }),
                Rule::PartsMax(_) => self.report(Some((value, shape)), broken_parts(shape)),
                rule => self.report(Some((value, shape)), Broken::Rule(rule)),
            }
            if first_only {
                return;
            }
        }
    }

    /// Checks the parts of a value. The depth is that of the shapes: only attribute values hold
    /// themselves, and those have no constraints here.
    fn parts(&mut self, value: Node<'_, 'a>, shape: &'static Shape) {
        if !shape.ruled_parts || self.found.is_full() {
            return;
        }
        match &shape.kind {
            Kind::Structure(structure) => self.members(value, structure),
            Kind::List { element } => {
                let element = element.shape();
                for (at, part) in value.elements().enumerate() {
                    self.path.push(Segment::Element(at + 1));
                    self.member(Some(part), element, false, element.rules, false);
                    self.parts(part, element);
                    self.path.pop();
                }
            }
            Kind::Map { key, value: part } => self.entries(value, shape, key.shape(), part.shape()),
            _ => {}
        }
    }

    fn members(&mut self, value: Node<'_, 'a>, structure: &'static Structure) {
        for at in structure.listing {
            let Some(member) = structure.members.get(usize::from(*at)) else { continue };
            let part = super::present(value, member.name);
            self.path.push(Segment::Member(member.path));
            if self.looks_at_member(member.name) {
                self.member(part, member.shape.shape(), member.required, member.rules, false);
            }
            if let Some(part) = part {
                self.parts(part, member.shape.shape());
            }
            self.path.pop();
        }
    }

    fn looks_at_member(&self, name: &str) -> bool {
        match self.looks_at {
            Parts::Only(only) => name == only,
            Parts::Except(except) => name != except,
            Parts::None | Parts::All | Parts::Keys | Parts::Values => true,
        }
    }

    fn entries(
        &mut self,
        map: Node<'_, 'a>,
        shape: &'static Shape,
        key: &'static Shape,
        part: &'static Shape,
    ) {
        let present = || map.members().filter(|(_, value)| value.kind() != Json::Null);
        let looks_at_keys = !matches!(self.looks_at, Parts::Values);
        let breaks_key = |name: &str| {
            let mut checked = checked_rules(name.starts_with("arn:"), key.rules);
            checked.any(|rule| breaks(map, Some(&Cow::Borrowed(name)), key, rule))
        };
        if looks_at_keys && present().any(|(name, _)| breaks_key(&name.to_str())) {
            self.report(Some((map, shape)), Broken::MapKeys(key.rules));
        }
        if self.looks_at == Parts::Keys {
            return;
        }
        if present().any(|(_, value)| broken_rules(value, part, part.rules).next().is_some()) {
            self.report(Some((map, shape)), Broken::MapValues(part.rules));
        }
        for (name, value) in present() {
            self.path.push(Segment::Entry(name.to_str()));
            self.parts(value, part);
            self.path.pop();
        }
    }

    fn report(&mut self, value: Option<(Node<'_, 'a>, &'static Shape)>, broken: Broken) {
        if self.found.is_full() {
            return;
        }
        self.found.push(Violation::Value {
            value: value.map(|(node, shape)| echo(node, shape)),
            path: self.path(),
            broken,
        });
    }

    /// The path as the service writes it: elements count from 1, and what follows an element or an
    /// entry goes through `member`.
    fn path(&self) -> String {
        let mut out = String::new();
        for segment in &self.path {
            if !out.is_empty() {
                out.push('.');
            }
            match segment {
                Segment::Member(name) => out.push_str(name),
                Segment::Element(at) => out.push_str(&format!("{at}.member")),
                Segment::Entry(name) => {
                    out.push_str(name);
                    out.push_str(".member");
                }
            }
        }
        out
    }
}
