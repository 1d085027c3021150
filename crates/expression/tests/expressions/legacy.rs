//! The parameters from before expressions: they mean what the expressions beside them mean.

use crate::request::{item, placeholders, value};
use keyplan_expression::{
    AttributeAction, AttributeUpdate, Combination, ComparisonOperator, Condition, Expectation, KeyAttribute,
    KeyCondition, KeyConditionError, KeySchema, LegacyCondition, LegacyError, ParsedCondition, Projection,
    Update, UpdateError,
};
use keyplan_value::{Item, ValueKind};

const ITEM: &str = r#"{"n":{"N":"5"},"s":{"S":"hello"},"b":{"B":"YWJj"},"t":{"SS":["x","y"]},
    "l":{"L":[{"N":"1"}]},"m":{"M":{"k":{"BOOL":true}}}}"#;

fn compared(attribute: &str, operator: &str, values: &[&str]) -> Result<LegacyCondition, LegacyError> {
    let operator = ComparisonOperator::from_word(operator).expect("an operator");
    LegacyCondition::new(attribute, operator, values.iter().map(|json| value(json)).collect())
}

/// Whether the item has what is asked of one attribute.
fn holds(attribute: &str, operator: &str, values: &[&str], item: Option<&Item>) -> bool {
    let condition = compared(attribute, operator, values).expect("a condition");
    let condition = Condition::from_legacy([condition], Combination::All).expect("it asks for something");
    condition.matches(item.map(Item::as_ref))
}

#[test]
fn an_operator_is_the_expression_beside_it() {
    let item = item(ITEM);
    let (one, five, nine) = (r#"{"N":"1"}"#, r#"{"N":"5.0"}"#, r#"{"N":"9"}"#);
    let (hel, x) = (r#"{"S":"hel"}"#, r#"{"S":"x"}"#);
    for (operator, values, expression) in [
        ("EQ", vec![five], "# = :0"),
        ("NE", vec![five], "# <> :0"),
        ("LT", vec![nine], "# < :0"),
        ("LE", vec![five], "# <= :0"),
        ("GT", vec![five], "# > :0"),
        ("GE", vec![one], "# >= :0"),
        ("BETWEEN", vec![one, five], "# BETWEEN :0 AND :1"),
        ("IN", vec![one, nine], "# IN (:0, :1)"),
        ("BEGINS_WITH", vec![hel], "begins_with(#, :0)"),
        ("CONTAINS", vec![x], "contains(#, :0)"),
        ("NOT_CONTAINS", vec![one], "attribute_exists(#) AND NOT contains(#, :0)"),
        ("NULL", vec![], "attribute_not_exists(#)"),
        ("NOT_NULL", vec![], "attribute_exists(#)"),
    ] {
        for attribute in ["n", "s", "b", "t", "l", "m", "nope"] {
            let text = expression.replace('#', attribute);
            let named: Vec<(String, &str)> =
                values.iter().enumerate().map(|(at, json)| (format!(":{at}"), *json)).collect();
            let named: Vec<(&str, &str)> = named.iter().map(|(key, json)| (key.as_str(), *json)).collect();
            let parsed = ParsedCondition::parse(&text).expect("an expression");
            let beside = parsed.bind(&placeholders(&[], &named)).expect("it binds");
            for there in [Some(&item), None] {
                assert_eq!(
                    holds(attribute, operator, &values, there),
                    beside.matches(there.map(Item::as_ref)),
                    "{attribute} {operator} {values:?} is {text}"
                );
            }
        }
    }
}

#[test]
fn conditions_go_together_however_many_there_are() {
    let item = item(ITEM);
    let all = |count: usize, wrong: usize, combination| {
        let conditions = (0..count + wrong).map(|at| {
            let operator = if at < count { "NOT_NULL" } else { "NULL" };
            compared("n", operator, &[]).expect("a condition")
        });
        let condition = Condition::from_legacy(conditions, combination).expect("it asks for something");
        condition.matches(Some(item.as_ref()))
    };
    for count in [1, 2, 3, 5, 100_000] {
        assert!(all(count, 0, Combination::All), "{count} that hold");
        assert!(!all(count, 1, Combination::All), "{count} that hold and one that doesn't");
        assert!(all(1, count, Combination::Any), "one that holds is enough");
        assert!(!all(0, count, Combination::Any), "none that holds");
    }
    assert!(Condition::from_legacy([], Combination::All).is_none());
}

#[test]
fn expected_without_an_operator_asks_for_equality_or_absence() {
    let item = item(ITEM);
    let asks = |value: Option<&str>, exists| {
        let value = value.map(self::value);
        let expectation = Expectation { attribute: "n", value, list: None, operator: None, exists };
        let condition = expectation.into_condition().map_err(|error| error.to_string())?;
        let condition = Condition::from_legacy([condition], Combination::All).expect("it asks for something");
        Ok::<bool, String>(condition.matches(Some(item.as_ref())))
    };
    assert_eq!(asks(Some(r#"{"N":"5"}"#), None), Ok(true));
    assert_eq!(asks(Some(r#"{"N":"6"}"#), Some(true)), Ok(false));
    assert_eq!(asks(None, Some(false)), Ok(false));
    let refused = |value, exists| asks(value, exists).expect_err("it is refused");
    assert!(refused(None, None).ends_with("when Exists is null for Attribute: n"));
    assert!(refused(None, Some(true)).ends_with("when Exists is true for Attribute: n"));
    assert!(refused(Some(r#"{"N":"6"}"#), Some(false)).ends_with("when Exists is false for Attribute: n"));
}

#[test]
fn a_condition_takes_values_of_the_right_number_and_types() {
    let refused = |operator: &str, values: &[&str]| {
        let error = compared("n", operator, values).expect_err("it is refused").to_string();
        error.trim_start_matches("One or more parameter values were invalid: ").to_owned()
    };
    let (one, text, list) = (r#"{"N":"1"}"#, r#"{"S":"a"}"#, r#"{"L":[]}"#);
    for (operator, values) in
        [("EQ", vec![one, one]), ("IN", vec![]), ("BETWEEN", vec![one]), ("NULL", vec![one])]
    {
        assert_eq!(
            refused(operator, &values),
            format!("Invalid number of argument(s) for the {operator} ComparisonOperator")
        );
    }
    for (operator, value, kind) in [("LT", list, "L"), ("BEGINS_WITH", one, "N"), ("CONTAINS", list, "L")] {
        assert_eq!(
            refused(operator, &[value]),
            format!("ComparisonOperator {operator} is not valid for {kind} AttributeValue type")
        );
    }
    assert_eq!(refused("IN", &[one, text]), "AttributeValues inside AttributeValueList must be of same type");
    assert!(refused("BETWEEN", &[r#"{"N":"2"}"#, one]).starts_with("The BETWEEN condition"));
    assert!(compared("n", "EQ", &[list]).is_ok(), "anything can be equal");
}

#[test]
fn key_conditions_take_what_keys_can_be_looked_up_with() {
    let text = r#"{"S":"a"}"#;
    let condition = |operator: &str, values: &[&str]| compared("k", operator, values).expect("a condition");
    let key = |conditions| KeyCondition::from_legacy(conditions, 2);
    for conditions in [vec![], ["EQ"; 3].map(|operator| condition(operator, &[text])).into()] {
        assert_eq!(key(conditions).map(|_| ()).expect_err("refused"), LegacyError::KeyConditionCount);
    }
    let read = key(vec![condition("EQ", &[text]), condition("BETWEEN", &[text, text])]).expect("conditions");
    assert_eq!(read.attributes().len(), 2);
    let k = [KeyAttribute { name: "k", kind: ValueKind::S }];
    let schema = KeySchema { partition: &k, sort: &[] };
    for refused in [condition("NULL", &[]), condition("IN", &[text])] {
        let read = key(vec![refused]).expect("told only when the key is known");
        assert_eq!(read.resolve(schema).map(|_| ()).expect_err("refused"), KeyConditionError::NotIndexable);
    }
}

fn update(actions: &[(&str, &str, Option<&str>)]) -> Update {
    let action = |(attribute, action, json): &(&str, &str, Option<&str>)| {
        let action = AttributeAction::from_word(action).expect("an action");
        AttributeUpdate::new(attribute, action, json.map(value)).expect("an update")
    };
    Update::from_legacy(actions.iter().map(action)).expect("no attribute comes twice")
}

#[test]
fn actions_change_whole_attributes() {
    let updated = update(&[
        ("n", "ADD", Some(r#"{"N":"2"}"#)),
        ("s", "PUT", Some(r#"{"S":"bye"}"#)),
        ("b", "DELETE", None),
        ("t", "DELETE", Some(r#"{"SS":["x","y"]}"#)),
        ("l", "ADD", Some(r#"{"L":[{"N":"2"}]}"#)),
        ("new", "ADD", Some(r#"{"L":[{"N":"3"}]}"#)),
    ])
    .apply(item(ITEM).as_ref());
    let expected = r#"{"n":{"N":"7"},"s":{"S":"bye"},"l":{"L":[{"N":"1"},{"N":"2"}]},
        "m":{"M":{"k":{"BOOL":true}}},"new":{"L":[{"N":"3"}]}}"#;
    assert_eq!(updated, Ok(item(expected)));
}

#[test]
fn an_action_on_another_type_has_words_of_its_own() {
    for (attribute, action, value) in [
        ("s", "ADD", r#"{"N":"1"}"#),
        ("n", "ADD", r#"{"L":[]}"#),
        ("n", "DELETE", r#"{"SS":["x"]}"#),
        ("t", "ADD", r#"{"NS":["1"]}"#),
    ] {
        let refused = update(&[(attribute, action, Some(value))]).apply(item(ITEM).as_ref());
        assert_eq!(refused, Err(UpdateError::AttributeType), "{action} {value} to {attribute}");
    }
    assert!(update(&[("n", "DELETE", None)]).is_deletions_only());
    assert!(!update(&[("n", "DELETE", None), ("s", "PUT", Some(r#"{"N":"1"}"#))]).is_deletions_only());
}

#[test]
fn a_list_of_names_is_a_projection() {
    let projection = Projection::of_attributes(["n", "m.k", "s"]).expect("different names");
    assert_eq!(projection.project(item(ITEM).as_ref()), item(r#"{"n":{"N":"5"},"s":{"S":"hello"}}"#));
    let twice = Projection::of_attributes(["n", "s", "n"]).map(|_| ()).expect_err("a name twice");
    assert_eq!(twice, LegacyError::NameTwice { name: "n".to_owned() });
}
