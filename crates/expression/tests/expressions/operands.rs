//! What binding shows: undefined placeholders, and operands that cannot mean anything.

use crate::request::{everything, placeholders};
use keyplan_expression::ParsedCondition;

fn error(text: &str) -> String {
    let parsed = ParsedCondition::parse(text).expect(text);
    parsed.bind(&everything()).err().map_or("accepted".into(), |error| error.to_string())
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(error(text), *expected, "{text}");
    }
}

#[test]
fn placeholders_must_be_defined_and_are_told_apart_by_case() {
    check(&[
        (
            "#x = :s",
            "An expression attribute name used in the document path is not defined; attribute name: #x",
        ),
        (
            "a.#A = :s",
            "An expression attribute name used in the document path is not defined; attribute name: #A",
        ),
        ("a = :x", "An expression attribute value used in expression is not defined; attribute value: :x"),
        (":x = #x", "An expression attribute value used in expression is not defined; attribute value: :x"),
        (
            "a = :s OR size(#x) > :x",
            "An expression attribute name used in the document path is not defined; attribute name: #x",
        ),
    ]);
}

#[test]
fn functions_have_their_numbers_of_operands() {
    let count = |function, count| {
        format!(
            "Incorrect number of operands for operator or function; \
             operator or function: {function}, number of operands: {count}"
        )
    };
    let cases = [
        ("attribute_exists(a, b)", count("attribute_exists", 2)),
        ("attribute_not_exists(a, b, c)", count("attribute_not_exists", 3)),
        ("attribute_type(a)", count("attribute_type", 1)),
        ("begins_with(a)", count("begins_with", 1)),
        ("contains(a, :s, :s)", count("contains", 3)),
        ("size(a, b) > :n", count("size", 2)),
        (":n < size(a, b)", count("size", 2)),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn some_functions_need_a_path() {
    for (text, function) in [
        ("attribute_exists(:s)", "attribute_exists"),
        ("attribute_not_exists(size(a))", "attribute_not_exists"),
    ] {
        let expected =
            format!("Operator or function requires a document path; operator or function: {function}");
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn operators_refuse_types_that_are_known_and_have_no_meaning_for_them() {
    let wrong = |operator, kind| {
        format!(
            "Incorrect operand type for operator or function; operator or function: {operator}, operand type: {kind}"
        )
    };
    let kinds = [
        (":bool", "BOOL"),
        (":null", "NULL"),
        (":ss", "SS"),
        (":ns", "NS"),
        (":bs", "BS"),
        (":l", "L"),
        (":m", "M"),
    ];
    for (value, kind) in kinds {
        for operator in ["<", "<=", ">", ">="] {
            assert_eq!(error(&format!("a {operator} {value}")), wrong(operator, kind));
            assert_eq!(error(&format!("{value} {operator} a")), wrong(operator, kind));
        }
        assert_eq!(error(&format!("a BETWEEN {value} AND :s")), wrong("BETWEEN", kind));
        assert_eq!(error(&format!("{value} BETWEEN :s AND :s")), wrong("BETWEEN", kind));
        assert_eq!(error(&format!("begins_with(a, {value})")), wrong("begins_with", kind));
        assert_eq!(error(&format!("attribute_type(a, {value})")), wrong("attribute_type", kind));
        assert_eq!(error(&format!("a = {value} AND b <> {value}")), "accepted", "{value}");
        assert_eq!(error(&format!("a IN ({value}) OR contains(a, {value})")), "accepted", "{value}");
    }
    for (value, kind) in [(":n", "N"), (":bool", "BOOL"), (":null", "NULL")] {
        assert_eq!(error(&format!("size({value}) = a")), wrong("size", kind));
    }
    let cases = [
        ("size(size(a)) = :n", wrong("size", "N")),
        ("begins_with(a, :n)", wrong("begins_with", "N")),
        ("begins_with(:n, a)", wrong("begins_with", "N")),
        ("begins_with(a, size(b))", wrong("begins_with", "N")),
        ("attribute_type(a, :n)", wrong("attribute_type", "N")),
        ("attribute_type(a, b)", wrong("attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected, "{text}");
    }
    check(&[
        ("size(:s) > size(:l)", "accepted"),
        ("attribute_type(a, :type)", "accepted"),
        (
            "attribute_type(a, :s)",
            "Invalid attribute type name found; type: x, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
        ),
    ]);
}

#[test]
fn the_first_operand_is_none_of_the_others() {
    let same = |operator, operand| {
        format!(
            "The first operand must be distinct from the remaining operands for this operator or function; \
             operator: {operator}, first operand: {operand}"
        )
    };
    let cases = [
        ("a = a", same("=", "[a]")),
        ("a <> #a", same("<>", "[a]")),
        ("m.a >= m.a", same(">=", "[m, a]")),
        ("l[0] < l[0]", same("<", "[l, [0]]")),
        ("#dotted = #dotted", same("=", "[x.y]")),
        ("contains(a, a)", same("contains", "[a]")),
        ("begins_with(a, a)", same("begins_with", "[a]")),
        ("a BETWEEN b AND a", same("BETWEEN", "[a]")),
        ("a IN (:s, b, a)", same("IN", "[a]")),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected, "{text}");
    }
    check(&[("a = a.b", "accepted"), ("l[0] = l[1]", "accepted"), ("b BETWEEN a AND a", "accepted")]);
}

#[test]
fn the_bounds_of_between_are_of_one_type_and_in_order() {
    let types = "The BETWEEN operator requires same data type for lower and upper bounds; ";
    let order = "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; ";
    let cases = [
        (
            "a BETWEEN :s AND :n",
            format!(
                "{types}lower bound operand: AttributeValue: {{S:x}}, upper bound operand: AttributeValue: {{N:3}}"
            ),
        ),
        (
            "a BETWEEN :s AND :t",
            format!(
                "{order}lower bound operand: AttributeValue: {{S:x}}, upper bound operand: AttributeValue: {{S:b}}"
            ),
        ),
        (
            "a BETWEEN :b AND :n",
            format!(
                "{types}lower bound operand: AttributeValue: {{B:java.nio.HeapByteBuffer[pos=0 lim=3 cap=3]}}, \
                 upper bound operand: AttributeValue: {{N:3}}"
            ),
        ),
        ("a BETWEEN :t AND :s", "accepted".into()),
        ("a BETWEEN :s AND :s", "accepted".into()),
        ("a BETWEEN :n AND size(b)", "accepted".into()),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn in_takes_a_hundred_operands() {
    let list = |count: usize| format!("a IN ({})", vec![":s"; count].join(","));
    assert_eq!(error(&list(100)), "accepted");
    assert_eq!(
        error(&list(101)),
        "The IN operator is provided with too many operands; number of operands: 101"
    );
}

#[test]
fn a_path_has_at_most_thirty_two_elements() {
    let path = |elements: usize| format!("a{} = :s", ".b".repeat(elements - 1));
    assert_eq!(error(&path(32)), "accepted");
    assert_eq!(error(&path(33)), "The document path has too many nesting levels; nesting levels: 33");
}

#[test]
fn each_comparison_is_checked_whole_before_the_next() {
    let first = |text: &str, begins: &str| {
        let error = error(text);
        assert!(error.starts_with(begins), "{text}: {error}");
    };
    first("a = a AND b = :undefined", "The first operand");
    first("b = :undefined AND a = a", "An expression attribute value");
    first("begins_with(:n, :undefined)", "An expression attribute value");
    first("begins_with(:n, a, a)", "Incorrect number of operands");
    first("size(:n) < size(a, a)", "Incorrect number of operands");
    first("contains(a, a) AND a < :bool", "The first operand");
    first("a < :bool OR contains(a, a)", "Incorrect operand type");
}

#[test]
fn a_parsed_condition_is_bound_again_and_again() {
    let parsed = ParsedCondition::parse("#a = :s").expect("a condition");
    assert!(parsed.bind(&placeholders(&[("#a", "b")], &[(":s", r#"{"S":"1"}"#)])).is_ok());
    assert!(parsed.bind(&placeholders(&[], &[(":s", r#"{"S":"1"}"#)])).is_err());
    let condition = parsed.bind(&everything()).expect("defined");
    let paths: Vec<_> = condition.paths().map(|path| path.attribute().to_string()).collect();
    assert_eq!(paths, ["a"]);
}

#[test]
fn paths_are_told_as_often_as_they_are_written() {
    let parsed = ParsedCondition::parse(
        "a = :s AND b BETWEEN c.d AND :s OR NOT (attribute_exists(e[0]) OR size(f) IN (:n, g)) OR contains(h, i)",
    );
    let condition = parsed.expect("a condition").bind(&everything()).expect("defined");
    let attributes: Vec<_> = condition.paths().map(|path| path.attribute().to_string()).collect();
    assert_eq!(attributes, ["a", "b", "c", "e", "f", "g", "h", "i"]);
    let inner: Vec<_> = condition.paths().map(|path| path.inner().len()).collect();
    assert_eq!(inner, [0, 0, 1, 1, 0, 0, 0, 0]);
}
