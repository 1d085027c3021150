//! The placeholders of a request: their keys, and that each is used.

use crate::request::placeholders;
use keyplan_expression::{ParsedCondition, ParsedProjection, PlaceholderMap, Placeholders};

#[test]
fn keys_are_a_sign_and_a_word_of_at_most_255_bytes() {
    let error = |map, key: &str| {
        Placeholders::check_key(map, key).err().map_or("accepted".into(), |error| error.to_string())
    };
    let names = PlaceholderMap::Names;
    let values = PlaceholderMap::Values;
    for key in ["#a", "#_", "#1", "#a_B9"] {
        assert_eq!(error(names, key), "accepted", "{key}");
    }
    for key in ["a", "#", "##a", ":a", "#a-b", "#a b", "#é"] {
        let expected = format!("ExpressionAttributeNames contains invalid key: Syntax error; key: \"{key}\"");
        assert_eq!(error(names, key), expected);
    }
    assert_eq!(error(values, ":v"), "accepted");
    assert_eq!(
        error(values, "#v"),
        "ExpressionAttributeValues contains invalid key: Syntax error; key: \"#v\""
    );
    assert_eq!(error(names, &format!("#{}", "a".repeat(254))), "accepted");
    assert_eq!(
        error(names, &format!("#{}", "-".repeat(255))),
        "ExpressionAttributeNames contains invalid key: \
         The expression attribute map contains a key that is too long; size of key: 256"
    );
    assert_eq!(
        error(values, ""),
        "ExpressionAttributeValues contains invalid key: The expression attribute map contains an empty key"
    );
}

#[test]
fn what_no_expression_uses_is_refused_names_first_and_as_sent() {
    let request = placeholders(
        &[("#z", "a"), ("#b", "b"), ("#a", "c")],
        &[(":y", r#"{"S":"1"}"#), (":x", r#"{"S":"1"}"#)],
    );
    let unused = |request: &Placeholders| request.check_unused().err().map(|error| error.to_string());
    let text = "Value provided in ExpressionAttributeNames unused in expressions: keys: {#z, #b, #a}";
    assert_eq!(unused(&request).as_deref(), Some(text));

    let projection = ParsedProjection::parse("#b, d.#z").expect("a projection");
    projection.bind(&request).expect("defined");
    let text = "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}";
    assert_eq!(unused(&request).as_deref(), Some(text));

    let condition = ParsedCondition::parse("#a = :x").expect("a condition");
    condition.bind(&request).expect("defined");
    let text = "Value provided in ExpressionAttributeValues unused in expressions: keys: {:y}";
    assert_eq!(unused(&request).as_deref(), Some(text));
    let error = request.check_unused().expect_err("unused");
    assert!(!error.has_lead() && error.is_about_placeholders());

    let condition = ParsedCondition::parse("a = :y").expect("a condition");
    condition.bind(&request).expect("defined");
    assert_eq!(unused(&request), None);
}
