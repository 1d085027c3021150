//! What conditions mean, asked of items.

use crate::request::{item, placeholders};
use keyplan_expression::{Condition, ParsedCondition};
use keyplan_value::Item;

fn condition(text: &str) -> Condition {
    let request = placeholders(
        &[("#dotted", "x.y")],
        &[
            (":one", r#"{"N":"1"}"#),
            (":two", r#"{"N":"2.0"}"#),
            (":ten", r#"{"N":"10"}"#),
            (":zero", r#"{"N":"0"}"#),
            (":abc", r#"{"S":"abc"}"#),
            (":b", r#"{"S":"b"}"#),
            (":empty", r#"{"S":""}"#),
            (":upper", r#"{"S":"B"}"#),
            (":z", r#"{"S":"z"}"#),
            (":bin", r#"{"B":"YWJj"}"#),
            (":binb", r#"{"B":"Yg=="}"#),
            (":true", r#"{"BOOL":true}"#),
            (":null", r#"{"NULL":true}"#),
            (":set", r#"{"SS":["y","x"]}"#),
            (":list", r#"{"L":[{"N":"1.0"},{"M":{"k":{"S":"v"},"j":{"N":"2"}}}]}"#),
            (":map", r#"{"M":{"j":{"N":"2.00"},"k":{"S":"v"}}}"#),
            (":S", r#"{"S":"S"}"#),
            (":L", r#"{"S":"L"}"#),
        ],
    );
    ParsedCondition::parse(text).expect(text).bind(&request).expect(text)
}

fn subject() -> Item {
    item(
        r#"{
        "s":{"S":"abc"}, "emoji":{"S":"a😀"}, "n":{"N":"2"}, "neg":{"N":"-5"}, "b":{"B":"YWJj"},
        "t":{"BOOL":true}, "nul":{"NULL":true}, "ss":{"SS":["x","y"]}, "ns":{"NS":["1","2"]}, "bs":{"BS":["Yg=="]},
        "l":{"L":[{"N":"1"},{"M":{"j":{"N":"2"},"k":{"S":"v"}}}]},
        "m":{"M":{"deep":{"L":[{"S":"abc"}]},"e":{"S":""}}},
        "x.y":{"N":"1"}
    }"#,
    )
}

fn check(cases: &[(&str, bool)]) {
    let subject = subject();
    for (text, expected) in cases {
        assert_eq!(condition(text).matches(Some(subject.as_ref())), *expected, "{text}");
    }
}

#[test]
fn equality_is_by_type_and_value() {
    check(&[
        ("s = :abc", true),
        (":abc = s", true),
        ("s = :b", false),
        ("s <> :b", true),
        ("n = :two", true),
        ("n <> :two", false),
        ("n = :abc", false),
        ("n <> :abc", true),
        ("b = :bin", true),
        ("b = s", false),
        ("t = :true", true),
        ("nul = :null", true),
        ("ss = :set", true),
        ("l = :list", true),
        ("l[1] = :map", true),
        ("m.deep[0] = s", true),
        ("#dotted = :one", true),
    ]);
}

#[test]
fn order_is_by_bytes_or_value_and_only_within_a_type() {
    check(&[
        ("n < :ten", true),
        ("n > :ten", false),
        ("neg < :zero", true),
        ("n <= :two AND n >= :two", true),
        ("n < :two", false),
        ("s < :b", true),
        ("s > :upper", true),
        ("s < :ten", false),
        ("s >= :ten", false),
        ("b < :binb", true),
        ("b <= :bin", true),
        ("t < :z", false),
        ("l < m", false),
        ("t <= t2", false),
    ]);
}

#[test]
fn what_is_missing_is_only_unequal() {
    check(&[
        ("nope = :one", false),
        ("nope <> :one", true),
        ("nope <> another", true),
        ("nope = another", false),
        ("nope < :one", false),
        ("nope >= :one", false),
        ("NOT nope = :one", true),
        ("NOT nope <> :one", false),
        ("nope BETWEEN :one AND :ten", false),
        ("NOT nope BETWEEN :one AND :ten", true),
        ("nope IN (:one)", false),
        ("n IN (nope)", false),
        ("begins_with(nope, :b)", false),
        ("contains(nope, :b)", false),
        ("contains(s, nope)", false),
        ("attribute_type(nope, :S)", false),
        ("size(nope) > :zero", false),
        ("size(nope) <> :zero", true),
        ("l[7] = :one", false),
        ("s.x = :one", false),
        ("ss[0] = :one", false),
        ("m[0] = :one", false),
        ("l.k = :one", false),
    ]);
}

#[test]
fn where_there_is_no_item_every_path_is_missing() {
    for (text, expected) in [
        ("attribute_not_exists(s)", true),
        ("attribute_exists(s)", false),
        ("s = :abc", false),
        ("s <> :abc", true),
        (":one < :two", true),
        ("attribute_not_exists(s) AND NOT s = :abc", true),
    ] {
        assert_eq!(condition(text).matches(None), expected, "{text}");
    }
}

#[test]
fn between_has_both_its_bounds_and_in_any_of_its_list() {
    check(&[
        ("n BETWEEN :one AND :ten", true),
        ("n BETWEEN :two AND :two", true),
        ("neg BETWEEN :one AND :ten", false),
        ("s BETWEEN :abc AND :b", true),
        ("s BETWEEN :one AND :ten", false),
        (":two BETWEEN n AND :ten", true),
        ("n BETWEEN size(m) AND :ten", true),
        ("n IN (:abc, :ten, :two)", true),
        ("n IN (:abc, :ten)", false),
        ("l[1] IN (:one, :map)", true),
        (":abc IN (n, s)", true),
    ]);
}

#[test]
fn functions_look_at_what_is_there() {
    check(&[
        ("attribute_exists(nul)", true),
        ("attribute_exists(m.deep[0])", true),
        ("attribute_exists(m.deep[1])", false),
        ("attribute_not_exists(m.nope)", true),
        ("attribute_type(s, :S)", true),
        ("attribute_type(l, :L)", true),
        ("attribute_type(m.e, :L)", false),
        ("begins_with(s, :abc)", true),
        ("begins_with(s, :empty)", true),
        ("begins_with(s, :b)", false),
        ("begins_with(b, :bin)", true),
        ("begins_with(b, :abc)", false),
        ("begins_with(n, :b)", false),
        ("begins_with(:abc, m.e)", true),
    ]);
}

#[test]
fn contains_is_a_part_of_a_text_or_a_member() {
    check(&[
        ("contains(s, :b)", true),
        ("contains(s, :empty)", true),
        ("contains(s, :z)", false),
        ("contains(s, :binb)", false),
        ("contains(b, :binb)", true),
        ("contains(b, :b)", false),
        ("contains(ns, :two)", true),
        ("contains(ns, :ten)", false),
        ("contains(ns, :b)", false),
        ("contains(bs, :binb)", true),
        ("contains(ss, :b)", false),
        ("contains(l, :one)", true),
        ("contains(l, :map)", true),
        ("contains(m.deep, s)", true),
        ("contains(l, :null)", false),
        ("contains(n, :two)", false),
        ("contains(m, :abc)", false),
        ("contains(ns, size(ss))", true),
        ("contains(s, size(ss))", false),
        ("contains(:abc, :b)", true),
    ]);
}

#[test]
fn size_counts_utf_16_units_bytes_or_members() {
    for (path, size) in
        [("s", 3), ("emoji", 3), ("b", 3), ("ss", 2), ("ns", 2), ("bs", 1), ("l", 2), ("m", 2), ("m.e", 0)]
    {
        let request = placeholders(&[], &[(":size", &format!(r#"{{"N":"{size}"}}"#))]);
        let parsed = ParsedCondition::parse(&format!("size({path}) = :size")).expect(path);
        let condition = parsed.bind(&request).expect(path);
        assert!(condition.matches(Some(subject().as_ref())), "size({path}) is {size}");
    }
    check(&[
        ("size(n) = :one", false),
        ("size(n) <> :one", true),
        ("size(t) >= :zero", false),
        ("size(nul) <> size(t)", true),
        ("size(s) = size(emoji)", true),
        ("size(ss) < size(s)", true),
        ("size(:abc) > n", true),
        (":two < size(s)", true),
        ("size(s) = :abc", false),
        ("size(s) IN (:one, size(emoji))", true),
        ("size(l) BETWEEN :one AND :two", true),
    ]);
}

#[test]
fn operators_bind_not_then_and_then_or() {
    // y holds, and z does not.
    let cases = [
        ("y OR y AND z", true),
        ("(y OR y) AND z", false),
        ("z AND z OR y", true),
        ("z AND (z OR y)", false),
        ("NOT z AND z", false),
        ("NOT (z AND z)", true),
        ("NOT z OR y", true),
        ("NOT NOT y", true),
        ("NOT y OR NOT z", true),
        ("z OR NOT z AND y", true),
        ("y AND NOT z OR z", true),
    ];
    for (text, expected) in cases {
        let text = text.replace('y', "attribute_exists(s)").replace('z', "attribute_exists(nope)");
        check(&[(&text, expected)]);
    }
}

#[test]
fn a_condition_as_large_as_can_be_is_asked_on_a_small_stack() {
    let deep = format!("{}s = :abc", "NOT ".repeat(299));
    let wide = vec!["s=:abc"; 150].join(" AND ");
    let nested = format!("{}s=:abc{}", "(s=:abc OR ".repeat(149), ")".repeat(149));
    let small = std::thread::Builder::new().stack_size(256 * 1024);
    let answers = small
        .spawn(move || [deep, wide, nested].map(|text| condition(&text).matches(Some(subject().as_ref()))));
    assert_eq!(answers.expect("a thread").join().expect("no overflow"), [false, true, true]);
}

#[test]
fn a_condition_can_move_to_another_thread() {
    fn is_movable<T: Send + 'static>(_: &T) {}
    is_movable(&condition("s = :abc"));
}
