//! Random conditions: what a SELECT reads by the keys that it finds is what a look at everything finds.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::harness::{Harness, cases, n, s, sorted};

fn engine() -> Harness {
    let engine = Harness::new();
    engine.create("Items", "S", Some("N"));
    for pk in ["a", "b", "c"] {
        for sk in 0..5 {
            let f = if sk % 2 == 0 { "even" } else { "odd" };
            engine.put("Items", &json!({"pk": s(pk), "sk": n(sk), "f": s(f)}));
        }
    }
    engine
}

fn condition() -> impl Strategy<Value = String> {
    let partition = prop::sample::select(&["'a'", "'b'", "'c'", "'none'"][..]);
    let number = 0..6_u8;
    let leaf = prop_oneof![
        4 => partition.clone().prop_map(|value| format!("pk = {value}")),
        1 => (partition.clone(), partition).prop_map(|(one, two)| format!("pk IN [{one}, {two}]")),
        1 => Just("pk > 'a'".to_owned()),
        3 => (prop::sample::select(&["=", "<>", "<", "<=", ">", ">="][..]), number.clone())
            .prop_map(|(comparator, value)| format!("sk {comparator} {value}")),
        1 => (number.clone(), number.clone())
            .prop_map(|(low, more)| format!("sk BETWEEN {low} AND {}", low + more)),
        1 => (number.clone(), number).prop_map(|(one, two)| format!("sk IN [{one}, {two}]")),
        1 => Just("f = 'even'".to_owned()),
        1 => Just("attribute_exists(sk)".to_owned()),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        prop_oneof![
            3 => (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("({one}) AND ({two})")),
            2 => (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("({one}) OR ({two})")),
            1 => inner.prop_map(|one| format!("NOT ({one})")),
        ]
    })
}

/// All items of a SELECT, page by page, or why it is refused.
fn read(engine: &Harness, statement: &str, limit: Option<u8>) -> Result<Vec<Value>, String> {
    let mut request = json!({"Statement": statement, "Limit": limit});
    let mut items = Vec::new();
    for _ in 0..100 {
        let answer = engine.call("ExecuteStatement", &request);
        if answer.status != 200 {
            return Err(answer.refusal());
        }
        items.extend(answer.body["Items"].as_array().expect("items").iter().cloned());
        match answer.body.get("NextToken") {
            Some(token) => request["NextToken"] = token.clone(),
            None => return Ok(items),
        }
    }
    panic!("{statement} has no end");
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_read_by_keys_finds_what_a_look_at_everything_finds(condition in condition(), limit in 1..5_u8) {
        let engine = engine();
        let statement = format!("SELECT * FROM Items WHERE {condition}");
        // An alternative without a key makes it a look at everything.
        let everything = read(&engine, &format!("{statement} OR nope = 1"), None).expect("it is read");
        match read(&engine, &statement, None) {
            Ok(items) => {
                prop_assert_eq!(sorted(items.clone()), sorted(everything), "{}", statement);
                prop_assert_eq!(read(&engine, &statement, Some(limit)), Ok(items), "{} by {}", statement, limit);
            }
            Err(refusal) => prop_assert_eq!(
                refusal,
                "Overlapping conditions with range keys are not supported in where clause",
                "{}",
                statement
            ),
        }
    }
}
