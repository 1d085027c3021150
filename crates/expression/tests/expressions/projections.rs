//! Projections: paths that fit together, and what an item gives for them.

use crate::request::{item, placeholders};
use keyplan_expression::{DocumentPath, ParsedProjection, Projection};

const NAMES: &[(&str, &str)] = &[("#a", "a"), ("#dotted", "x.y")];

fn projection(text: &str) -> Result<Projection, String> {
    let parsed = ParsedProjection::parse(text).expect(text);
    parsed.bind(&placeholders(NAMES, &[])).map_err(|error| error.to_string())
}

fn projected(text: &str, of: &str) -> String {
    let projection = projection(text).expect(text);
    let item = item(of);
    let mut json = Vec::new();
    let found = projection.write_json(item.as_ref(), &mut json);
    let mut stored = Vec::new();
    projection.project(item.as_ref()).as_ref().write_json(&mut stored);
    assert_eq!(
        String::from_utf8_lossy(&json),
        String::from_utf8_lossy(&stored),
        "{text}: both forms are one"
    );
    assert_eq!(found, json != b"{}", "{text}: says whether there is anything");
    String::from_utf8(json).expect("text")
}

#[test]
fn paths_must_not_overlap() {
    let overlap = |one, two| {
        Err(format!(
            "Two document paths overlap with each other; must remove or rewrite one of these paths; \
             path one: {one}, path two: {two}"
        ))
    };
    let cases = [
        ("a, a", overlap("[a]", "[a]")),
        ("a, b, #a", overlap("[a]", "[a]")),
        ("a, a.b", overlap("[a]", "[a, b]")),
        ("a.b, a", overlap("[a, b]", "[a]")),
        ("b.x, b.y, c, b", overlap("[b, x]", "[b]")),
        ("a.b[1], a.b[1].c", overlap("[a, b, [1]]", "[a, b, [1], c]")),
        ("#dotted, #dotted.z", overlap("[x.y]", "[x.y, z]")),
        ("a.b, a[0], c, c", overlap("[c]", "[c]")),
        ("b, a, b, a", overlap("[b]", "[b]")),
        ("b.x, a.x, a.y, a, b", overlap("[a, x]", "[a]")),
    ];
    for (text, expected) in cases {
        assert_eq!(projection(text).map(drop), expected, "{text}");
    }
    for text in ["a, b", "a.b, a.c", "l[0], l[1]", "a.b, b.a", "#dotted, x.y"] {
        assert!(projection(text).is_ok(), "{text}");
    }
}

#[test]
fn very_many_attributes_are_laid_out_in_their_order() {
    let names = (0..300_000).rev().map(|number| format!("{number:06}"));
    let paths = names.map(|name| DocumentPath::new(name.into(), []));
    let projection = Projection::new(paths.collect()).expect("no two are one");
    assert_eq!(projection.attributes().count(), 300_000);
    assert!(projection.attributes().is_sorted());
}

#[test]
fn paths_must_not_treat_one_place_as_map_and_list() {
    let conflict = |one, two| {
        Err(format!(
            "Two document paths conflict with each other; must remove or rewrite one of these paths; \
             path one: {one}, path two: {two}"
        ))
    };
    let cases = [
        ("a.b, a[0]", conflict("[a, b]", "[a, [0]]")),
        ("a[0], b, a.b", conflict("[a, [0]]", "[a, b]")),
        ("a.b[0].c, a.b.c.d", conflict("[a, b, [0], c]", "[a, b, c, d]")),
    ];
    for (text, expected) in cases {
        assert_eq!(projection(text).map(drop), expected, "{text}");
    }
}

#[test]
fn an_item_gives_what_it_has_at_the_paths() {
    const ITEM: &str = r#"{
        "a":{"S":"1"},
        "m":{"M":{"x":{"N":"1"},"y":{"N":"2"},"z":{"L":[{"S":"p"},{"M":{"k":{"S":"v"},"j":{"S":"w"}}}]}}},
        "l":{"L":[{"S":"p"},{"S":"q"},{"S":"r"},{"L":[{"N":"1"},{"N":"2"}]}]},
        "s":{"SS":["b","c"]},
        "x.y":{"BOOL":true}
    }"#;
    let cases = [
        ("a", r#"{"a":{"S":"1"}}"#),
        ("m.x, l[2], l[0], nope", r#"{"l":{"L":[{"S":"p"},{"S":"r"}]},"m":{"M":{"x":{"N":"1"}}}}"#),
        ("nope", "{}"),
        ("m.nope", "{}"),
        ("m.nope.deeper, a", r#"{"a":{"S":"1"}}"#),
        ("l[9]", "{}"),
        ("l[9], l[1]", r#"{"l":{"L":[{"S":"q"}]}}"#),
        ("a.b, a2", "{}"),
        ("a[0]", "{}"),
        ("s[0]", "{}"),
        ("l.x", "{}"),
        ("m[0]", "{}"),
        ("m.z[1].k", r#"{"m":{"M":{"z":{"L":[{"M":{"k":{"S":"v"}}}]}}}}"#),
        (
            "m.z[1].k, m.z[1].j, m.z[0]",
            r#"{"m":{"M":{"z":{"L":[{"S":"p"},{"M":{"j":{"S":"w"},"k":{"S":"v"}}}]}}}}"#,
        ),
        ("l[3][1], l[0].x", r#"{"l":{"L":[{"L":[{"N":"2"}]}]}}"#),
        ("#dotted", r#"{"x.y":{"BOOL":true}}"#),
        ("x.y", "{}"),
    ];
    for (text, expected) in cases {
        assert_eq!(projected(text, ITEM), expected, "{text}");
    }
}

#[test]
fn attributes_are_told_once_each() {
    let projection = projection("m.x, a, m.y").expect("a projection");
    let attributes: Vec<_> = projection.attributes().map(ToString::to_string).collect();
    assert_eq!(attributes, ["a", "m"]);
    let paths: Vec<_> = projection.paths().iter().map(|path| path.printed().to_string()).collect();
    assert_eq!(paths, ["[m, x]", "[a]", "[m, y]"]);
}
