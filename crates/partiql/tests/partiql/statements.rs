//! What statements say.

use keyplan_expression::{KeyTest, Part};
use keyplan_partiql::{Returning, Statement};
use keyplan_value::{AttributeValue, Item};

use super::{bound, refused};

#[test]
fn a_select_has_a_source_columns_a_condition_and_an_order() {
    let text = r#"SELECT "a.b", m.items[3], m['k'].z FROM "T-1"."by.x" WHERE p = 'v' ORDER BY q DESC, p;"#;
    let Ok(Statement::Select(select)) = bound(text, &[]) else { panic!("it is a SELECT") };
    assert_eq!((select.table.as_str(), select.index.as_deref()), ("T-1", Some("by.x")));
    let columns = select.columns.expect("columns");
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["a.b", "items[3]", "z"]);
    let order: Vec<(&str, bool)> =
        select.order.iter().map(|term| (&*term.attribute, term.descending)).collect();
    assert_eq!(order, [("q", true), ("p", false)]);
    let condition = select.condition.expect("a condition");
    let root = condition.root().expect("a part");
    let Part::Test { attribute, tests, listed } = condition.part(root) else { panic!("it is a test") };
    assert!(!listed && **attribute == *"p");
    assert!(matches!(tests.as_slice(), [KeyTest::Equal(value)] if value.as_ref().as_str() == Some("v")));
}

#[test]
fn an_insert_has_an_item() {
    let text = "insert into T value {'pk': ?, 'n': +1.50, 'm': {'l': [null, 'it''s']}}";
    let Ok(Statement::Insert(insert)) = bound(text, &["x".into()]) else { panic!("it is an INSERT") };
    let list = AttributeValue::L(vec![AttributeValue::Null, "it's".into()]);
    let expected = Item::from_attributes([
        ("pk", AttributeValue::from("x")),
        ("n", AttributeValue::N("1.5".parse().expect("a number"))),
        ("m", AttributeValue::M([("l".to_owned(), list)].into())),
    ]);
    assert_eq!(insert.item, expected.expect("an item"));
}

#[test]
fn an_update_has_changes_in_written_order() {
    let text = "UPDATE T REMOVE a[1] SET b = c - 1, s = set_add(s, <<'x'>>) REMOVE d \
                WHERE pk = 'x' RETURNING MODIFIED OLD *";
    let Ok(Statement::Update(update)) = bound(text, &[]) else { panic!("it is an UPDATE") };
    let targets: Vec<String> = update.update.targets().map(|path| path.printed().to_string()).collect();
    assert_eq!(targets, ["[a, [1]]", "[b]", "[s]", "[d]"]);
    assert_eq!(update.returning, Some(Returning::ModifiedOld));
}

#[test]
fn what_is_written_first_is_refused_first_and_a_where_before_a_set() {
    let both = "UPDATE T SET a = f(1) WHERE pk = g(2)";
    assert_eq!(refused(both), format!("Unrecognized function: g at 1:{}:1", both.find('g').expect("g") + 1));
    let operands = "UPDATE T SET a = 'x' + 1 WHERE pk = 'x' AND b = c + 1";
    assert_eq!(refused(operands), "Unsupported operator in Condition Expression. Operator: +");
    let two = "SELECT * FROM T WHERE a = f(1) AND b = MISSING";
    assert!(refused(two).starts_with("Unrecognized function: f"), "{}", refused(two));
}

#[test]
fn places_are_counted_in_characters_over_lines() {
    let text = "SELECT *\n  FROM T\nWHERE a = 'ä' AND nope(b) = 1";
    assert_eq!(refused(text), "Unrecognized function: nope at 3:19:4");
}
