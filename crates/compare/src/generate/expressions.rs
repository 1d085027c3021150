//! Random conditions, projections and updates. What the text alone shows to be wrong is not made here: those
//! errors have cases.

use super::Generator;
use crate::expression::{Comparator, Condition, Element, Operand, Path};
use crate::update::{Action, Change, Term, Update};
use crate::value::{Item, Value};

const COMPARATORS: [Comparator; 6] = [
    Comparator::Equal,
    Comparator::NotEqual,
    Comparator::Less,
    Comparator::LessOrEqual,
    Comparator::Greater,
    Comparator::GreaterOrEqual,
];

const KINDS: [&str; 10] = ["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"];

/// Whether two paths can't stand in one projection or update: one is the other's beginning, or they take one
/// value for a map and for a list.
fn clash(one: &Path, other: &Path) -> bool {
    if one.attribute != other.attribute {
        return false;
    }
    for (one, other) in one.inner.iter().zip(&other.inner) {
        match (one, other) {
            (one, other) if one == other => {}
            (Element::Index(_), Element::Member(_)) | (Element::Member(_), Element::Index(_)) => return true,
            _ => return false,
        }
    }
    true
}

impl Generator {
    /// A place, often a nested one.
    pub(super) fn path(&mut self) -> Path {
        let attribute = self.attribute();
        let mut inner = Vec::new();
        if !matches!(attribute.as_str(), "g1" | "g2" | "g3" | "l1" | "l2") {
            let depth = match attribute.as_str() {
                "doc" | "lst" => self.rng.usize(0..3),
                _ => usize::from(self.one_in(10)),
            };
            for _ in 0..depth {
                inner.push(if (attribute == "doc") != self.one_in(5) {
                    Element::Member(self.one_of(&["x", "yy", "z"]).to_owned())
                } else {
                    Element::Index(self.rng.usize(0..4))
                });
            }
        }
        Path { attribute, inner }
    }

    /// Places that may stand beside each other.
    pub(super) fn paths(&mut self) -> Vec<Path> {
        let mut paths: Vec<Path> = Vec::new();
        for _ in 0..self.rng.usize(1..5) {
            let path = match self.one_in(6) {
                true => Path { attribute: "pk".to_owned(), inner: Vec::new() },
                false => self.path(),
            };
            if !paths.iter().any(|known| clash(known, &path)) {
                paths.push(path);
            }
        }
        paths
    }

    fn operand(&mut self) -> Operand {
        match self.rng.u32(0..6) {
            0 => Operand::Size(self.path()),
            1 | 2 => Operand::Path(self.path()),
            _ => Operand::Value(self.value(1)),
        }
    }

    /// An operand that has an order, as far as its text shows.
    fn ordered_operand(&mut self) -> Operand {
        match self.rng.u32(0..6) {
            0 => Operand::Size(self.path()),
            1 => Operand::Path(self.path()),
            _ => Operand::Value(self.ordered_value()),
        }
    }

    fn ordered_value(&mut self) -> Value {
        let kind = self.one_of(&["S", "N", "B", "N"]);
        self.key_value(kind)
    }

    /// A value that is at a place of the item, so that equality is met with.
    fn likely(&mut self, item: Option<&Item>) -> Option<Condition> {
        let path = self.path();
        let value = path.find(item?)?.clone();
        let (path, value) = (Operand::Path(path), Operand::Value(value));
        Some(match self.one_in(3) {
            true => Condition::In(path, vec![Operand::Value(Value::n(3)), value]),
            false => Condition::Compare(Comparator::Equal, path, value),
        })
    }

    /// A condition; `item` is one that it may be about.
    pub(super) fn condition(&mut self, item: Option<&Item>, depth: u32) -> Condition {
        if depth > 0 && self.one_in(3) {
            let one = Box::new(self.condition(item, depth - 1));
            return match self.rng.u32(0..3) {
                0 => Condition::Not(one),
                1 => Condition::And(one, Box::new(self.condition(item, depth - 1))),
                _ => Condition::Or(one, Box::new(self.condition(item, depth - 1))),
            };
        }
        if self.one_in(4)
            && let Some(condition) = self.likely(item)
        {
            return condition;
        }
        loop {
            let condition = self.simple_condition();
            // An operand beside itself is refused.
            let is_double = match &condition {
                Condition::Compare(_, left, right) => left == right,
                Condition::Between(operand, low, high) => [low, high].contains(&operand),
                Condition::In(operand, others) => others.contains(operand),
                Condition::BeginsWith(path, operand) | Condition::Contains(path, operand) => {
                    *operand == Operand::Path(path.clone())
                }
                _ => false,
            };
            if !is_double {
                return condition;
            }
        }
    }

    fn simple_condition(&mut self) -> Condition {
        match self.rng.u32(0..11) {
            0 => Condition::Exists(self.path()),
            1 => Condition::NotExists(self.path()),
            2 => Condition::Type(self.path(), self.one_of(&KINDS)),
            3 => {
                let start = match self.one_in(5) {
                    true => Operand::Path(self.path()),
                    false => {
                        let kind = self.one_of(&["S", "S", "B"]);
                        Operand::Value(self.key_value(kind))
                    }
                };
                Condition::BeginsWith(self.path(), start)
            }
            4 | 5 => {
                let part = match self.one_in(5) {
                    true => Operand::Path(self.path()),
                    false => Operand::Value(self.value(1)),
                };
                Condition::Contains(self.path(), part)
            }
            6 => {
                let mut bounds = [self.ordered_value(), self.ordered_value()];
                if bounds[0].kind() != bounds[1].kind() {
                    bounds[1] = bounds[0].clone();
                }
                bounds.sort();
                let [low, high] = bounds;
                Condition::Between(self.ordered_operand(), Operand::Value(low), Operand::Value(high))
            }
            7 => {
                let others = (0..self.rng.usize(1..4)).map(|_| self.operand()).collect();
                Condition::In(self.operand(), others)
            }
            8 => Condition::Compare(
                self.one_of(&[Comparator::Equal, Comparator::NotEqual]),
                self.operand(),
                self.operand(),
            ),
            _ => {
                let comparator = self.one_of(&COMPARATORS);
                Condition::Compare(comparator, self.ordered_operand(), self.ordered_operand())
            }
        }
    }

    /// An update of a few places.
    pub(super) fn update(&mut self, now: u64) -> Update {
        let mut actions: Vec<Action> = Vec::new();
        // Most of what is drawn freely finds no place, so half of all updates are such as can be done.
        let is_careful = self.rng.bool();
        for _ in 0..self.rng.usize(1..5) {
            if is_careful {
                let target = Path { attribute: self.attribute(), inner: Vec::new() };
                if !actions.iter().any(|action| clash(&action.target, &target)) {
                    let change = self.careful_change(&target.attribute, now);
                    actions.push(Action { target, change });
                }
                continue;
            }
            let target = match self.rng.u32(0..60) {
                // An update of a key is refused.
                0 => Path { attribute: "pk".to_owned(), inner: Vec::new() },
                1..5 => Path { attribute: super::EXPIRES.to_owned(), inner: Vec::new() },
                _ => self.path(),
            };
            if !actions.iter().any(|action| clash(&action.target, &target)) {
                let change = self.change(&target, now);
                actions.push(Action { target, change });
            }
        }
        Update(actions)
    }

    /// A change that can be done to an attribute, unless it has an unusual value.
    fn careful_change(&mut self, attribute: &str, now: u64) -> Change {
        let usual = self.usual_value(attribute, now);
        match (attribute, self.rng.u32(0..6)) {
            (_, 0) => Change::Remove,
            ("num" | "tags" | "nums" | "bins", 1 | 2) => Change::Add(usual),
            ("tags" | "nums" | "bins", 3) => Change::Delete(usual),
            ("num", 3) => {
                let place = Path { attribute: "num".to_owned(), inner: Vec::new() };
                let start = Box::new(Term::Value(Value::n(0)));
                Change::Set(Term::Plus(
                    Box::new(Term::IfNotExists(place, start)),
                    Box::new(Term::Value(usual)),
                ))
            }
            (name, 4) => {
                let place = Path { attribute: name.to_owned(), inner: Vec::new() };
                Change::Set(Term::IfNotExists(place, Box::new(Term::Value(usual))))
            }
            _ => Change::Set(Term::Value(usual)),
        }
    }

    fn change(&mut self, target: &Path, now: u64) -> Change {
        let usual = match (target.inner.as_slice(), self.one_in(20)) {
            ([], false) => self.usual_value(&target.attribute, now),
            _ => self.value(1),
        };
        match (target.attribute.as_str(), self.rng.u32(0..10)) {
            // When an item expires is set, or taken away.
            (super::EXPIRES, 0..7) => Change::Set(Term::Value(usual)),
            (_, 0 | 1) | (super::EXPIRES, _) => Change::Remove,
            (_, 2 | 3) => {
                let kind = match target.attribute.as_str() {
                    "tags" => "SS",
                    "nums" => "NS",
                    "bins" => "BS",
                    _ => self.one_of(&["N", "N", "SS"]),
                };
                let operand = if kind == "N" { self.key_value("N") } else { self.set(kind) };
                match operand {
                    Value::N(_) => Change::Add(operand),
                    _ if self.rng.bool() => Change::Add(operand),
                    _ => Change::Delete(operand),
                }
            }
            _ => Change::Set(self.term(usual)),
        }
    }

    fn term(&mut self, usual: Value) -> Term {
        let path = |generator: &mut Generator| Box::new(Term::Path(generator.path()));
        let value = |value: Value| Box::new(Term::Value(value));
        match self.rng.u32(0..12) {
            0 => Term::Path(self.path()),
            1 => Term::IfNotExists(self.path(), value(usual)),
            2 => Term::IfNotExists(self.path(), path(self)),
            3 => {
                let list = self.list(1);
                Term::ListAppend(Box::new(Term::Path(self.list_path())), value(list))
            }
            4 => {
                let list = self.list(1);
                Term::ListAppend(value(list), Box::new(Term::Path(self.list_path())))
            }
            5 => {
                let (number, start) = (self.key_value("N"), self.key_value("N"));
                let place = Path { attribute: "num".to_owned(), inner: Vec::new() };
                Term::Plus(Box::new(Term::IfNotExists(place, value(start))), value(number))
            }
            6 => {
                let number = self.key_value("N");
                Term::Minus(path(self), value(number))
            }
            7 => {
                let number = self.key_value("N");
                Term::Minus(value(number), path(self))
            }
            _ => Term::Value(usual),
        }
    }

    /// A condition that can be written without expressions.
    pub(super) fn legacy_condition(&mut self) -> Condition {
        let count = self.rng.usize(1..4);
        let mut conditions: Vec<(String, Condition)> = Vec::new();
        while conditions.len() < count {
            let attribute = self.attribute();
            if conditions.iter().all(|(known, _)| *known != attribute) {
                let condition = self.legacy_comparison(&attribute);
                conditions.push((attribute, condition));
            }
        }
        let is_any = self.rng.bool();
        let joined = conditions.into_iter().map(|(_, condition)| condition).reduce(|one, other| {
            let (one, other) = (Box::new(one), Box::new(other));
            if is_any { Condition::Or(one, other) } else { Condition::And(one, other) }
        });
        joined.unwrap_or_else(|| Condition::Exists(Path { attribute: "a".to_owned(), inner: Vec::new() }))
    }

    fn legacy_comparison(&mut self, attribute: &str) -> Condition {
        let path = Path { attribute: attribute.to_owned(), inner: Vec::new() };
        let operand = |path: &Path| Operand::Path(path.clone());
        let contained = |generator: &mut Generator| match generator.rng.u32(0..6) {
            0 => Operand::Value(Value::Bool(true)),
            1 => Operand::Value(Value::Null),
            _ => Operand::Value(generator.ordered_value()),
        };
        match self.rng.u32(0..9) {
            0 => Condition::Exists(path),
            1 => Condition::NotExists(path),
            2 => {
                let kind = self.one_of(&["S", "B"]);
                Condition::BeginsWith(path, Operand::Value(self.key_value(kind)))
            }
            3 => Condition::Contains(path, contained(self)),
            4 => Condition::Lacks(path, contained(self)),
            5 => {
                let kind = self.one_of(&["S", "N", "B"]);
                let mut bounds = [self.key_value(kind), self.key_value(kind)];
                bounds.sort();
                let [low, high] = bounds;
                Condition::Between(operand(&path), Operand::Value(low), Operand::Value(high))
            }
            6 => {
                let kind = self.one_of(&["S", "N", "B"]);
                let others = (0..self.rng.usize(1..4)).map(|_| Operand::Value(self.key_value(kind)));
                Condition::In(operand(&path), others.collect())
            }
            7 => {
                let comparator = self.one_of(&[Comparator::Equal, Comparator::NotEqual]);
                Condition::Compare(comparator, operand(&path), Operand::Value(self.value(1)))
            }
            _ => {
                let comparator = self.one_of(&COMPARATORS);
                Condition::Compare(comparator, operand(&path), Operand::Value(self.ordered_value()))
            }
        }
    }

    /// An update that can be written without expressions.
    pub(super) fn legacy_update(&mut self, now: u64) -> Update {
        let mut actions: Vec<Action> = Vec::new();
        for _ in 0..self.rng.usize(1..4) {
            let target = Path { attribute: self.attribute(), inner: Vec::new() };
            if actions.iter().any(|action| action.target == target) {
                continue;
            }
            let change = match self.change(&target, now) {
                Change::Set(_) => Change::Set(Term::Value(self.usual_value(&target.attribute, now))),
                change => change,
            };
            actions.push(Action { target, change });
        }
        // They are looked at in the order of names.
        actions.sort_by(|one, other| one.target.cmp(&other.target));
        Update(actions)
    }

    fn list_path(&mut self) -> Path {
        if self.one_in(4) { self.path() } else { Path { attribute: "lst".to_owned(), inner: Vec::new() } }
    }
}
