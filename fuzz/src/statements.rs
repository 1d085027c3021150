//! PartiQL.

use std::sync::Arc;

use keyplan_partiql::{ParsedStatement, Statement};
use keyplan_value::{AttributeValue, Item, Value};

/// Any text is parsed and bound as a statement, and what comes of it is asked of an item, or it is refused.
pub fn partiql(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let statement = match ParsedStatement::parse(text).and_then(|parsed| parsed.bind(&parameters())) {
        Ok(statement) => statement,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "a refusal has words");
            return;
        }
    };
    let item = item();
    let condition = match &statement {
        Statement::Select(select) | Statement::Exists(select) => select.condition.as_ref(),
        Statement::Update(update) => update.condition.as_ref(),
        Statement::Delete(delete) => delete.condition.as_ref(),
        Statement::Insert(insert) => {
            insert.item.as_ref().check().expect("an item to insert is whole");
            None
        }
    };
    if let Some(condition) = condition {
        let whole = condition.matches(Some(item.as_ref()));
        let twice = condition.clone().negated().negated();
        assert_eq!(whole, twice.matches(Some(item.as_ref())), "NOT NOT is nothing");
        let both = condition.clone().and(condition.clone());
        assert_eq!(whole, both.matches(Some(item.as_ref())), "a condition and itself");
        if let Some(root) = condition.root() {
            let _ = condition.paths_of(root);
        }
    }
    if let Statement::Update(update) = &statement
        && let Ok(updated) = update.update.apply(item.as_ref())
    {
        updated.as_ref().check().expect("an updated item is whole");
    }
}

fn parameters() -> Vec<Arc<Value>> {
    let values = [
        AttributeValue::from("text"),
        AttributeValue::from(7),
        AttributeValue::Ss(["a".to_owned(), "b".to_owned()].into()),
        AttributeValue::L(vec![AttributeValue::from(1)]),
        AttributeValue::M([("k".to_owned(), AttributeValue::Null)].into()),
    ];
    let stored = |value| Value::try_from(value).expect("the values of this file can be stored");
    values.iter().map(|value| Arc::new(stored(value))).collect()
}

fn item() -> Item {
    let named = [
        ("pk", AttributeValue::from("x")),
        ("n", AttributeValue::from(5)),
        ("ss", AttributeValue::Ss(["a".to_owned()].into())),
        ("l", AttributeValue::L(vec![AttributeValue::from(1), AttributeValue::from("two")])),
        ("m", AttributeValue::M([("a".to_owned(), AttributeValue::from(1))].into())),
    ];
    Item::from_attributes(named).expect("the values of this file make an item")
}
