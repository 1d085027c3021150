//! What holds of every text, and that conditions mean what the same ConditionExpression means.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use keyplan_expression::{ParsedCondition, Placeholders};
use keyplan_partiql::{ParsedStatement, Statement};
use keyplan_value::{AttributeValue as V, Item, Value};
use proptest::prelude::*;

/// Pieces that statements are made of, and some that they are not.
const PIECES: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "INSERT",
    "INTO",
    "VALUE",
    "UPDATE",
    "SET",
    "REMOVE",
    "DELETE",
    "RETURNING",
    "ALL",
    "OLD",
    "NEW",
    "MODIFIED",
    "ORDER",
    "BY",
    "DESC",
    "AND",
    "OR",
    "NOT",
    "IN",
    "BETWEEN",
    "IS",
    "MISSING",
    "NULL",
    "LIKE",
    "EXISTS",
    "CASE",
    "WHEN",
    "THEN",
    "END",
    "AS",
    "a",
    "\"T\"",
    "\"T\".\"i\"",
    "m.x",
    "l[0]",
    "size",
    "contains",
    "begins_with",
    "set_add",
    "list_append",
    "'x'",
    "1",
    "-",
    "+",
    "1e5",
    "1.5",
    "?",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<<",
    ">>",
    ":",
    ",",
    "=",
    "<>",
    "<",
    ">=",
    "*",
    ";",
    "`1`",
    "@",
    "é",
    "--",
    "/*",
    "*/",
    "\n",
    "true",
    "count",
];

fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.join(" "))
}

fn parameters() -> Vec<Arc<Value>> {
    let values = [V::from("x"), V::from(1), V::Ss(BTreeSet::from(["a".to_owned()])), V::M(BTreeMap::new())];
    values.iter().map(|value| Value::try_from(value).expect("storable").into()).collect()
}

/// A condition in both languages: as PartiQL with its values written out, and as an expression.
#[derive(Clone, Debug)]
struct Both {
    partiql: String,
    expression: String,
}

/// The values, as placeholders of expressions and as literals.
const VALUES: [(&str, &str); 9] = [
    (":n1", "1"),
    (":n2", "2.50"),
    (":sa", "'a'"),
    (":sab", "'ab'"),
    (":yes", "true"),
    (":nil", "null"),
    (":ss", "<<'a', 'b'>>"),
    (":l", "[1, 'a']"),
    (":m", "{'x': 1}"),
];

fn placeholders() -> Placeholders {
    let values = [
        V::from(1),
        V::N("2.5".parse().expect("a number")),
        V::from("a"),
        V::from("ab"),
        V::Bool(true),
        V::Null,
        V::Ss(BTreeSet::from(["a".to_owned(), "b".to_owned()])),
        V::L(vec![V::from(1), V::from("a")]),
        V::M(BTreeMap::from([("x".to_owned(), V::from(1))])),
    ];
    let named = VALUES.iter().zip(values);
    Placeholders::new(
        [],
        named.map(|((key, _), value)| (String::from(*key), Value::try_from(&value).expect("storable"))),
    )
}

fn both(partiql: String, expression: String) -> Both {
    Both { partiql, expression }
}

fn side() -> impl Strategy<Value = Both> {
    let path = prop::sample::select(&["a", "b", "m.x", "l[0]", "l[1].x", "nope"][..]);
    prop_oneof![
        3 => path.clone().prop_map(|path| both(path.to_owned(), path.to_owned())),
        3 => prop::sample::select(&VALUES[..])
            .prop_map(|(key, literal)| both(literal.to_owned(), key.to_owned())),
        1 => path.prop_map(|path| both(format!("SIZE({path})"), format!("size({path})"))),
    ]
}

fn condition() -> impl Strategy<Value = Both> {
    let path = || prop::sample::select(&["a", "b", "m.x", "l[0]", "nope"][..]);
    let comparator = prop::sample::select(&["=", "<>", "<", "<=", ">", ">="][..]);
    let leaf = prop_oneof![
        (comparator, side(), side()).prop_map(|(symbol, one, two)| both(
            format!("{} {symbol} {}", one.partiql, two.partiql),
            format!("{} {symbol} {}", one.expression, two.expression),
        )),
        (side(), side(), side(), any::<bool>()).prop_map(|(one, two, three, negated)| {
            let (partiql, expression) = if negated { ("NOT ", "NOT ") } else { ("", "") };
            both(
                format!("{} {partiql}BETWEEN {} AND {}", one.partiql, two.partiql, three.partiql),
                format!("{expression}{} BETWEEN {} AND {}", one.expression, two.expression, three.expression),
            )
        }),
        (side(), prop::collection::vec(side(), 1..4)).prop_map(|(one, list)| {
            let joined = |side: fn(&Both) -> &str| list.iter().map(side).collect::<Vec<_>>().join(", ");
            both(
                format!("{} IN [{}]", one.partiql, joined(|side| &side.partiql)),
                format!("{} IN ({})", one.expression, joined(|side| &side.expression)),
            )
        }),
        path().prop_map(|path| both(
            format!("{path} IS NOT MISSING"),
            format!("NOT attribute_not_exists({path})")
        )),
        path().prop_map(|path| both(format!("{path} IS MISSING"), format!("attribute_not_exists({path})"))),
        (side(), side()).prop_map(|(one, two)| both(
            format!("Contains({}, {})", one.partiql, two.partiql),
            format!("contains({}, {})", one.expression, two.expression),
        )),
        (side(), side()).prop_map(|(one, two)| both(
            format!("begins_with({}, {})", one.partiql, two.partiql),
            format!("begins_with({}, {})", one.expression, two.expression),
        )),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        let joined = |word: &'static str| {
            move |(one, two): (Both, Both)| {
                both(
                    format!("({}) {word} ({})", one.partiql, two.partiql),
                    format!("({}) {word} ({})", one.expression, two.expression),
                )
            }
        };
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(joined("AND")),
            (inner.clone(), inner.clone()).prop_map(joined("OR")),
            inner.prop_map(|one| both(format!("NOT ({})", one.partiql), format!("NOT ({})", one.expression))),
        ]
    })
}

fn item() -> impl Strategy<Value = Item> {
    let value = prop::sample::select(vec![
        V::from(1),
        V::N("2.5".parse().expect("a number")),
        V::from("a"),
        V::from("ab"),
        V::Bool(true),
        V::Null,
        V::Ss(BTreeSet::from(["a".to_owned(), "b".to_owned()])),
        V::L(vec![V::from(1), V::from("a")]),
        V::M(BTreeMap::from([("x".to_owned(), V::from(1))])),
    ]);
    prop::collection::btree_map("[ablm]", value, 0..4)
        .prop_map(|attributes| Item::from_attributes(attributes).expect("an item"))
}

proptest! {
    #[test]
    fn any_text_is_a_statement_or_refused(text in pieces()) {
        if let Ok(parsed) = ParsedStatement::parse(&text) {
            let _either = parsed.bind(&parameters());
        }
    }

    #[test]
    fn any_characters_are_a_statement_or_refused(text in "\\PC{0,60}") {
        let _either = ParsedStatement::parse(&text);
        let _either = ParsedStatement::parse(&format!("SELECT * FROM t WHERE {text}"));
    }

    #[test]
    fn a_where_means_what_the_same_expression_means(condition in condition(), item in item()) {
        let expression = ParsedCondition::parse(&condition.expression);
        // Expressions don't take parentheses around parentheses.
        prop_assume!(expression.is_ok());
        let expression = expression.expect("it parses").bind(&placeholders());
        let text = format!("SELECT * FROM t WHERE {}", condition.partiql);
        let statement = ParsedStatement::parse(&text).map_err(|error| error.to_string())
            .and_then(|parsed| parsed.bind(&[]).map_err(|error| error.to_string()));
        match (statement, expression) {
            (Ok(Statement::Select(select)), Ok(expression)) => {
                let of_select = select.condition.expect("there is a WHERE");
                prop_assert_eq!(
                    of_select.matches(Some(item.as_ref())), expression.matches(Some(item.as_ref())), "{}", text
                );
                prop_assert_eq!(of_select.matches(None), expression.matches(None), "{}", text);
            }
            (Err(one), Err(other)) => prop_assert_eq!(one, other.to_string(), "{}", text),
            (one, other) => prop_assert!(false, "{}: {:?}, but {:?}", text, one, other),
        }
    }
}
