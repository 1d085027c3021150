//! UpdateItem against a naive evaluator, and what its examples don't show.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::harness::{Harness, cases, n, s};

/// A target of an update; none lies inside another.
type Target = &'static str;

const TARGETS: [Target; 8] = ["a", "b", "m.x", "m.y", "l[0]", "l[1]", "l[5]", "t"];

/// The name or index in front of which a target's parent ends.
fn steps(target: Target) -> (&'static str, Option<Inner>) {
    match target.split_once('.') {
        Some((parent, name)) => (parent, Some(Inner::Member(name))),
        None => match target.split_once('[') {
            Some((parent, index)) => {
                let index = index.trim_end_matches(']').parse().expect("an index");
                (parent, Some(Inner::Element(index)))
            }
            None => (target, None),
        },
    }
}

enum Inner {
    Member(&'static str),
    Element(usize),
}

#[derive(Debug, Clone)]
enum Change {
    Set(i32),
    Copy(Target),
    Plus(Target, i32),
    IfNotExists(Target, i32),
    Append(Target, i32),
    Remove,
    AddNumber(i32),
    AddMembers(BTreeSet<char>),
    DeleteMembers(BTreeSet<char>),
}

type Item = Map<String, Value>;

fn get(item: &Item, target: Target) -> Option<Value> {
    let (attribute, inner) = steps(target);
    let value = item.get(attribute)?;
    match inner {
        None => Some(value.clone()),
        Some(Inner::Member(name)) => value.get("M")?.get(name).cloned(),
        Some(Inner::Element(index)) => value.get("L")?.get(index).cloned(),
    }
}

fn number(value: &Value) -> Option<i32> {
    value.get("N")?.as_str()?.parse().ok()
}

fn members(value: &Value) -> Option<BTreeSet<char>> {
    let list = value.get("SS")?.as_array()?;
    Some(list.iter().filter_map(|member| member.as_str()?.chars().next()).collect())
}

fn set_of(members: &BTreeSet<char>) -> Value {
    json!({"SS": members.iter().map(char::to_string).collect::<Vec<_>>()})
}

const TYPE: &str = "An operand in the update expression has an incorrect data type";
const MISSING: &str = "The provided expression refers to an attribute that does not exist in the item";
const PATH: &str = "The document path provided in the update expression is invalid for update";

/// What becomes of a target: a value, nothing, or what was there.
enum Outcome {
    Put(Value),
    Gone,
    Kept,
}

fn outcome(item: &Item, target: Target, change: &Change) -> Result<Outcome, &'static str> {
    let stored = get(item, target);
    let found = |from: Target| get(item, from).ok_or(MISSING);
    Ok(match change {
        Change::Set(value) => Outcome::Put(n(value)),
        Change::Copy(from) => Outcome::Put(found(from)?),
        Change::Plus(from, more) => Outcome::Put(n(number(&found(from)?).ok_or(TYPE)? + more)),
        Change::IfNotExists(from, value) => Outcome::Put(get(item, from).unwrap_or_else(|| n(value))),
        Change::Append(from, value) => {
            let found = found(from)?;
            let mut list = found.get("L").and_then(Value::as_array).ok_or(TYPE)?.clone();
            list.push(n(value));
            Outcome::Put(json!({"L": list}))
        }
        Change::Remove => Outcome::Gone,
        Change::AddNumber(more) => match stored {
            Some(stored) => Outcome::Put(n(number(&stored).ok_or(TYPE)? + more)),
            None => Outcome::Put(n(more)),
        },
        Change::AddMembers(more) => match stored {
            Some(stored) => Outcome::Put(set_of(&(&members(&stored).ok_or(TYPE)? | more))),
            None => Outcome::Put(set_of(more)),
        },
        Change::DeleteMembers(less) => match stored {
            None => Outcome::Kept,
            Some(stored) => {
                let left = &members(&stored).ok_or(TYPE)? - less;
                if left.is_empty() { Outcome::Gone } else { Outcome::Put(set_of(&left)) }
            }
        },
    })
}

fn is_about_stored_type(change: &Change) -> bool {
    matches!(change, Change::AddNumber(_) | Change::AddMembers(_) | Change::DeleteMembers(_))
}

/// The item after the update, or the service's words for why there is none.
fn updated(item: &Item, changes: &[(Target, Change)]) -> Result<Item, &'static str> {
    let mut outcomes = Vec::new();
    for stored_first in [true, false] {
        for (target, change) in
            changes.iter().filter(|(_, change)| is_about_stored_type(change) == stored_first)
        {
            outcomes.push((*target, outcome(item, target, change)?));
        }
    }
    let has_place = |target: Target| match steps(target) {
        (_, None) => true,
        (attribute, Some(Inner::Member(_))) => item.get(attribute).is_some_and(|map| map.get("M").is_some()),
        (attribute, Some(Inner::Element(_))) => {
            item.get(attribute).is_some_and(|list| list.get("L").is_some())
        }
    };
    if !outcomes.iter().all(|(target, _)| has_place(target)) {
        return Err(PATH);
    }
    let mut after = item.clone();
    let mut list = item.get("l").and_then(|list| list.get("L")?.as_array().cloned());
    // Elements in the order of their indexes, so that what is past the end is appended in it.
    outcomes.sort_by_key(|(target, _)| *target);
    let mut gone = BTreeSet::new();
    for (target, outcome) in outcomes {
        match (steps(target), outcome) {
            (_, Outcome::Kept) => {}
            ((attribute, None), Outcome::Put(value)) => _ = after.insert(attribute.to_owned(), value),
            ((attribute, None), Outcome::Gone) => _ = after.remove(attribute),
            ((attribute, Some(Inner::Member(name))), outcome) => {
                let map = after[attribute]["M"].as_object_mut().expect("it has its place");
                match outcome {
                    Outcome::Put(value) => _ = map.insert(name.to_owned(), value),
                    _ => _ = map.remove(name),
                }
            }
            ((_, Some(Inner::Element(index))), outcome) => {
                let list = list.as_mut().expect("it has its place");
                match outcome {
                    Outcome::Put(value) if index < list.len() => list[index] = value,
                    Outcome::Put(value) => list.push(value),
                    _ => _ = gone.insert(index),
                }
            }
        }
    }
    if let Some(mut list) = list {
        for index in gone.into_iter().rev().filter(|index| *index < original_length(item)) {
            list.remove(index);
        }
        after.insert("l".to_owned(), json!({"L": list}));
    }
    Ok(after)
}

fn original_length(item: &Item) -> usize {
    item.get("l").and_then(|list| Some(list.get("L")?.as_array()?.len())).unwrap_or_default()
}

/// The update as a request says it.
fn request(changes: &[(Target, Change)]) -> Value {
    let mut clauses = [("SET", vec![]), ("REMOVE", vec![]), ("ADD", vec![]), ("DELETE", vec![])];
    let mut values = Map::new();
    for (at, (target, change)) in changes.iter().enumerate() {
        let value = format!(":v{at}");
        let (clause, action, given) = match change {
            Change::Set(number) => (0, format!("{target} = {value}"), Some(n(number))),
            Change::Copy(from) => (0, format!("{target} = {from}"), None),
            Change::Plus(from, more) => (0, format!("{target} = {from} + {value}"), Some(n(more))),
            Change::IfNotExists(from, number) => {
                (0, format!("{target} = if_not_exists({from}, {value})"), Some(n(number)))
            }
            Change::Append(from, number) => {
                (0, format!("{target} = list_append({from}, {value})"), Some(json!({"L": [n(number)]})))
            }
            Change::Remove => (1, target.to_string(), None),
            Change::AddNumber(more) => (2, format!("{target} {value}"), Some(n(more))),
            Change::AddMembers(more) => (2, format!("{target} {value}"), Some(set_of(more))),
            Change::DeleteMembers(less) => (3, format!("{target} {value}"), Some(set_of(less))),
        };
        clauses[clause].1.push(action);
        values.extend(given.map(|given| (value, given)));
    }
    let clauses = clauses.iter().filter(|(_, actions)| !actions.is_empty());
    let text: Vec<String> =
        clauses.map(|(clause, actions)| format!("{clause} {}", actions.join(", "))).collect();
    let mut request = json!({
        "TableName": "Items", "Key": {"pk": s("k")}, "ReturnValues": "ALL_NEW", "UpdateExpression": text.join(" "),
    });
    if !values.is_empty() {
        request["ExpressionAttributeValues"] = Value::Object(values);
    }
    request
}

fn change() -> impl Strategy<Value = Change> {
    let target = || prop::sample::select(TARGETS.as_slice());
    let small = -9..10_i32;
    let some = || prop::collection::btree_set(prop::char::range('p', 's'), 1..3);
    prop_oneof![
        small.clone().prop_map(Change::Set),
        target().prop_map(Change::Copy),
        (target(), small.clone()).prop_map(|(from, more)| Change::Plus(from, more)),
        (target(), small.clone()).prop_map(|(from, value)| Change::IfNotExists(from, value)),
        (prop_oneof![Just("l"), target()], small.clone())
            .prop_map(|(from, value)| Change::Append(from, value)),
        Just(Change::Remove),
        small.prop_map(Change::AddNumber),
        some().prop_map(Change::AddMembers),
        some().prop_map(Change::DeleteMembers),
    ]
}

fn stored() -> impl Strategy<Value = Item> {
    let simple = || prop_oneof![(-9..10_i32).prop_map(n), Just(s("text")), Just(json!({"SS": ["p", "q"]}))];
    let map = prop::collection::btree_map(prop::sample::select(vec!["x", "y", "z"]), simple(), 0..3)
        .prop_map(|map| json!({"M": map}));
    let list = prop::collection::vec(simple(), 0..4).prop_map(|list| json!({"L": list}));
    (
        prop::option::of(simple()),
        prop::option::weighted(0.9, prop_oneof![4 => map, 1 => simple()]),
        prop::option::weighted(0.9, prop_oneof![4 => list, 1 => simple()]),
        prop::option::of(simple()),
    )
        .prop_map(|(a, m, l, t)| {
            let named = [("pk", Some(s("k"))), ("a", a), ("m", m), ("l", l), ("t", t)];
            named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
        })
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn an_update_does_what_a_naive_evaluator_does(
        item in stored(),
        mut changes in prop::collection::btree_map(prop::sample::select(TARGETS.as_slice()), change(), 1..5)
            .prop_map(|changes| changes.into_iter().collect::<Vec<_>>()),
    ) {
        let engine = Harness::new();
        engine.create("Items", "S", None);
        engine.put("Items", &Value::Object(item.clone()));
        // ADD and DELETE are looked at in the order of the clauses.
        changes.sort_by_key(|(_, change)| matches!(change, Change::DeleteMembers(_)));
        let request = request(&changes);
        let answer = engine.call("UpdateItem", &request);
        let get = json!({"TableName": "Items", "Key": {"pk": s("k")}});
        let left = engine.call("GetItem", &get).ok();
        match updated(&item, &changes) {
            Ok(expected) => {
                let expected = Value::Object(expected);
                prop_assert_eq!(&answer.ok()["Attributes"], &expected, "{}", request);
                prop_assert_eq!(&left["Item"], &expected, "what is returned is what is there");
            }
            Err(message) => {
                prop_assert_eq!(answer.refusal(), message, "{}", request);
                prop_assert_eq!(&left["Item"], &Value::Object(item), "a refused update changes nothing");
            }
        }
        let described = engine.call("DescribeTable", &json!({"TableName": "Items"})).ok();
        prop_assert_eq!(&described["Table"]["ItemCount"], &json!(1));
    }
}

#[test]
fn an_update_that_changes_nothing_is_no_write() {
    let engine = Harness::with_undo(10);
    engine.create("Items", "S", None);
    engine.put("Items", &json!({"pk": s("a"), "n": n(1)}));
    for (key, update) in [("a", "SET n = :one"), ("a", "REMOVE nope"), ("ghost", "REMOVE n")] {
        let mut request = json!({"TableName": "Items", "Key": {"pk": s(key)}, "UpdateExpression": update});
        if update.contains(":one") {
            request["ExpressionAttributeValues"] = json!({":one": n("1.0")});
        }
        engine.call("UpdateItem", &request).ok();
    }
    let undone = engine.engine.undo(engine.now()).expect("the store works").expect("the put");
    assert_eq!(undone.operation, "PutItem", "no update is there to be taken back");
}

#[test]
fn a_trace_shows_what_an_update_changed() {
    let engine = Harness::new();
    engine.create("Items", "S", None);
    engine.put("Items", &json!({"pk": s("a"), "n": n(1)}));
    let answer = engine.traced(
        "UpdateItem",
        &json!({
            "TableName": "Items", "Key": {"pk": s("a")}, "UpdateExpression": "SET t = :t",
            "ExpressionAttributeValues": {":t": s("text")}, "ReturnConsumedCapacity": "TOTAL",
        }),
    );
    let trace = answer.trace();
    let access = &trace["accesses"][0];
    assert_eq!((&access["before"], &access["after"]), (&json!(6), &json!(11)));
    assert_eq!(access["units"], json!({"read": 0.0, "write": 1.0}));
    assert_eq!(answer.ok()["ConsumedCapacity"]["CapacityUnits"], json!(1.0));
}
