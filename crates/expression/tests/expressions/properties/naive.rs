//! Conditions, their texts and their meaning, written down as simply as can be.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use keyplan_value::AttributeValue as V;
use proptest::prelude::*;

type Attributes = BTreeMap<String, V>;

#[derive(Clone, Debug)]
pub enum Test {
    And(Box<Test>, Box<Test>),
    Or(Box<Test>, Box<Test>),
    Not(Box<Test>),
    Compare(&'static str, Side, Side),
    Between(Side, Side, Side),
    In(Side, Vec<Side>),
    Exists(&'static str),
    NotExists(&'static str),
    BeginsWith(Side, Side),
    Contains(Side, Side),
}

#[derive(Clone, Debug)]
pub enum Side {
    Path(&'static str),
    Value(usize),
    Size(&'static str),
}

/// The values of `:v0`, `:v1` and so on. The first six have an order.
pub fn values() -> Vec<V> {
    vec![
        V::from(1),
        V::from(2),
        V::S("a".into()),
        V::S("ab".into()),
        V::B(vec![1]),
        V::B(vec![1, 2]),
        V::Bool(true),
        V::Null,
        V::Ss(BTreeSet::from(["a".into(), "b".into()])),
        V::Ns(BTreeSet::from([1.into(), 2.into()])),
        V::L(vec![V::from(1), V::S("a".into())]),
        V::M(BTreeMap::from([("x".into(), V::from(1))])),
    ]
}

const PATHS: [&str; 8] = ["a", "b", "c", "m.x", "m.y[0]", "l[0]", "l[1].x", "nope"];

fn value() -> impl Strategy<Value = V> {
    let leaf = prop::sample::select(values());
    leaf.prop_recursive(2, 8, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..3).prop_map(V::L);
        let map = prop::collection::btree_map("[xy]", inner, 0..3).prop_map(V::M);
        prop_oneof![list, map]
    })
}

pub fn item() -> impl Strategy<Value = Attributes> {
    prop::collection::btree_map("[a-dlm]", value(), 0..6)
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![
        4 => prop::sample::select(&PATHS[..]).prop_map(Side::Path),
        3 => (0..values().len()).prop_map(Side::Value),
        1 => prop::sample::select(&PATHS[..]).prop_map(Side::Size),
    ]
}

/// A side that has an order as far as its text tells.
fn ordered() -> impl Strategy<Value = Side> {
    prop_oneof![
        4 => prop::sample::select(&PATHS[..]).prop_map(Side::Path),
        3 => (0..6_usize).prop_map(Side::Value),
        1 => prop::sample::select(&PATHS[..]).prop_map(Side::Size),
    ]
}

/// A side that can begin with something as far as its text tells.
fn text() -> impl Strategy<Value = Side> {
    prop_oneof![prop::sample::select(&PATHS[..]).prop_map(Side::Path), (2..6_usize).prop_map(Side::Value),]
}

pub fn test() -> impl Strategy<Value = Test> {
    let path = || prop::sample::select(&PATHS[..]);
    let equality = prop::sample::select(&["=", "<>"][..]);
    let ordering = prop::sample::select(&["<", "<=", ">", ">="][..]);
    let leaf = prop_oneof![
        (equality, side(), side()).prop_map(|(symbol, one, two)| Test::Compare(symbol, one, two)),
        (ordering, ordered(), ordered()).prop_map(|(symbol, one, two)| Test::Compare(symbol, one, two)),
        (ordered(), 0..3_usize).prop_map(|(one, pair)| Test::Between(
            one,
            Side::Value(2 * pair),
            Side::Value(2 * pair + 1)
        )),
        (ordered(), ordered(), ordered()).prop_map(|(one, two, three)| Test::Between(one, two, three)),
        (side(), prop::collection::vec(side(), 1..4)).prop_map(|(one, list)| Test::In(one, list)),
        path().prop_map(Test::Exists),
        path().prop_map(Test::NotExists),
        (text(), text()).prop_map(|(one, two)| Test::BeginsWith(one, two)),
        (side(), side()).prop_map(|(one, two)| Test::Contains(one, two)),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, two)| Test::And(one.into(), two.into())),
            (inner.clone(), inner.clone()).prop_map(|(one, two)| Test::Or(one.into(), two.into())),
            inner.prop_map(|negated| Test::Not(negated.into())),
        ]
    })
}

/// Well-formed updates, of which many can be applied to [`item`]s.
pub fn update() -> impl Strategy<Value = String> {
    let path = || prop::sample::select(&["a", "b", "c", "d", "l[0]", "l[5]", "m.x", "m.y", "m.y[0]"][..]);
    let value = || (0..values().len()).prop_map(|position| format!(":v{position}"));
    let operand = || {
        let simple = prop_oneof![path().prop_map(String::from), value()];
        simple.prop_recursive(2, 4, 2, move |inner| {
            let pair = (inner.clone(), inner);
            prop_oneof![
                (path(), pair.0.clone()).prop_map(|(path, other)| format!("if_not_exists({path}, {other})")),
                pair.clone()
                    .prop_filter("list_append takes none of itself", |(one, two)| {
                        !one.starts_with("list_append") && !two.starts_with("list_append")
                    })
                    .prop_map(|(one, two)| format!("list_append({one}, {two})")),
                pair.prop_map(|(one, two)| format!("({one} + {two})")),
            ]
        })
    };
    let actions = |action: BoxedStrategy<String>| prop::collection::vec(action, 0..3);
    let set = actions((path(), operand()).prop_map(|(path, value)| format!("{path} = {value}")).boxed());
    let remove = actions(path().prop_map(String::from).boxed());
    let add = actions((path(), value()).prop_map(|(path, value)| format!("{path} {value}")).boxed());
    (set, remove, add).prop_filter_map("no action", |(set, remove, add)| {
        let clauses = [("SET", set), ("REMOVE", remove), ("ADD", add)];
        let clauses = clauses.into_iter().filter(|(_, actions)| !actions.is_empty());
        let text: Vec<_> =
            clauses.map(|(clause, actions)| format!("{clause} {}", actions.join(", "))).collect();
        (!text.is_empty()).then(|| text.join(" "))
    })
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Test::And(one, two) => write!(f, "({one}) AND ({two})"),
            Test::Or(one, two) => write!(f, "({one}) OR ({two})"),
            Test::Not(negated) => write!(f, "NOT ({negated})"),
            Test::Compare(symbol, one, two) => write!(f, "{one} {symbol} {two}"),
            Test::Between(one, lower, upper) => write!(f, "{one} BETWEEN {lower} AND {upper}"),
            Test::In(one, list) => {
                let list: Vec<_> = list.iter().map(ToString::to_string).collect();
                write!(f, "{one} IN ({})", list.join(", "))
            }
            Test::Exists(path) => write!(f, "attribute_exists({path})"),
            Test::NotExists(path) => write!(f, "attribute_not_exists({path})"),
            Test::BeginsWith(one, two) => write!(f, "begins_with({one}, {two})"),
            Test::Contains(one, two) => write!(f, "contains({one}, {two})"),
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Side::Path(path) => f.write_str(path),
            Side::Value(position) => write!(f, ":v{position}"),
            Side::Size(path) => write!(f, "size({path})"),
        }
    }
}

impl Test {
    pub fn holds(&self, item: &Attributes) -> bool {
        match self {
            Test::And(one, two) => one.holds(item) && two.holds(item),
            Test::Or(one, two) => one.holds(item) || two.holds(item),
            Test::Not(negated) => !negated.holds(item),
            Test::Compare("=", one, two) => equal(one.of(item), two.of(item)),
            Test::Compare("<>", one, two) => !equal(one.of(item), two.of(item)),
            Test::Compare(symbol, one, two) => match (order(one.of(item), two.of(item)), *symbol) {
                (Some(order), "<") => order.is_lt(),
                (Some(order), "<=") => order.is_le(),
                (Some(order), ">") => order.is_gt(),
                (Some(order), _) => order.is_ge(),
                (None, _) => false,
            },
            Test::Between(one, lower, upper) => {
                order(one.of(item), lower.of(item)).is_some_and(Ordering::is_ge)
                    && order(one.of(item), upper.of(item)).is_some_and(Ordering::is_le)
            }
            Test::In(one, list) => list.iter().any(|two| equal(one.of(item), two.of(item))),
            Test::Exists(path) => at(path, item).is_some(),
            Test::NotExists(path) => at(path, item).is_none(),
            Test::BeginsWith(one, two) => match (one.of(item), two.of(item)) {
                (Some(V::S(one)), Some(V::S(two))) => one.starts_with(&two),
                (Some(V::B(one)), Some(V::B(two))) => one.starts_with(&two),
                _ => false,
            },
            Test::Contains(one, two) => match (one.of(item), two.of(item)) {
                (Some(V::S(one)), Some(V::S(two))) => one.contains(&two),
                (Some(V::B(one)), Some(V::B(two))) => one.windows(two.len().max(1)).any(|part| part == two),
                (Some(V::Ss(one)), Some(V::S(two))) => one.contains(&two),
                (Some(V::Ns(one)), Some(V::N(two))) => one.contains(&two),
                (Some(V::L(one)), Some(two)) => one.contains(&two),
                _ => false,
            },
        }
    }
}

impl Side {
    fn of(&self, item: &Attributes) -> Option<V> {
        match self {
            Side::Path(path) => at(path, item),
            Side::Value(position) => Some(values()[*position].clone()),
            Side::Size(path) => {
                let size = match at(path, item)? {
                    V::S(text) => text.encode_utf16().count(),
                    V::B(bytes) => bytes.len(),
                    V::Ss(set) => set.len(),
                    V::Ns(set) => set.len(),
                    V::Bs(set) => set.len(),
                    V::L(list) => list.len(),
                    V::M(map) => map.len(),
                    V::N(_) | V::Bool(_) | V::Null => return None,
                };
                Some(V::N(size.to_string().parse().expect("a number")))
            }
        }
    }
}

fn at(path: &str, item: &Attributes) -> Option<V> {
    let mut here = V::M(item.clone());
    for step in path.replace('[', ".[").split('.') {
        here = match (here, step.strip_prefix('[')) {
            (V::M(members), None) => members.get(step)?.clone(),
            (V::L(list), Some(index)) => {
                list.get(index.trim_end_matches(']').parse::<usize>().ok()?)?.clone()
            }
            _ => return None,
        };
    }
    Some(here)
}

fn equal(one: Option<V>, two: Option<V>) -> bool {
    one.is_some() && one == two
}

fn order(one: Option<V>, two: Option<V>) -> Option<Ordering> {
    match (one?, two?) {
        (V::N(one), V::N(two)) => Some(one.cmp(&two)),
        (V::S(one), V::S(two)) => Some(one.as_bytes().cmp(two.as_bytes())),
        (V::B(one), V::B(two)) => Some(one.cmp(&two)),
        _ => None,
    }
}
