//! The expression languages.

use keyplan_expression::{ParsedCondition, ParsedKeyCondition, ParsedProjection, ParsedUpdate, Placeholders};
use keyplan_value::{AttributeValue, Item, Value};

/// Any text is parsed, bound and evaluated as each kind of expression, or refused.
pub fn expression(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let placeholders = placeholders();
    let item = item();
    if let Ok(condition) = ParsedCondition::parse(text)
        && let Ok(condition) = condition.bind(&placeholders)
    {
        let _ = condition.matches(Some(item.as_ref()));
        let _ = condition.matches(None);
    }
    if let Ok(condition) = ParsedKeyCondition::parse(text) {
        let _ = condition.bind(&placeholders);
    }
    if let Ok(projection) = ParsedProjection::parse(text)
        && let Ok(projection) = projection.bind(&placeholders)
    {
        projection.write_json(item.as_ref(), &mut Vec::new());
    }
    if let Ok(update) = ParsedUpdate::parse(text)
        && let Ok(update) = update.bind(&placeholders)
        && let Ok(updated) = update.apply(item.as_ref())
    {
        updated.as_ref().check().expect("an updated item is whole");
    }
}

fn values() -> [(&'static str, AttributeValue); 5] {
    [
        (":s", AttributeValue::from("text")),
        (":n", AttributeValue::from(7)),
        (":l", AttributeValue::L(vec![AttributeValue::from(1), AttributeValue::from("two")])),
        (":ss", AttributeValue::Ss(["a".to_owned(), "b".to_owned()].into())),
        (":t", AttributeValue::S("S".to_owned())),
    ]
}

fn placeholders() -> Placeholders {
    let names = [("#s", "s"), ("#n", "n"), ("#l", "l")];
    Placeholders::new(
        names.map(|(key, name)| (key.to_owned(), name.to_owned())),
        values().map(|(key, value)| {
            (key.to_owned(), Value::try_from(&value).expect("the values of this file can be stored"))
        }),
    )
}

fn item() -> Item {
    let named = values().map(|(key, value)| (key.trim_start_matches(':'), value));
    Item::from_attributes(named).expect("the values of this file make an item")
}
