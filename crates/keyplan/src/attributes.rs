//! What may be given as an item or a key.

use std::collections::BTreeMap;

use crate::{AttributeValue, Item, ItemRef, ValueError};

/// An item or a key to send: an [`Item`], or names with values.
///
/// ```
/// use keyplan::{AttributeValue, Database};
/// # let database = Database::in_memory();
///
/// let key = [("customer", "c1"), ("order", "o1")];
/// let item = [("customer", AttributeValue::from("c1")), ("amount", 5.into()), ("tags", vec!["a".into()].into())];
/// # let _ = (database.get_item("Orders", key), database.put_item("Orders", item));
/// ```
pub trait IntoItem {
    /// The item.
    ///
    /// # Errors
    /// When a name or a value can't be stored: an empty set, a value nested too deep.
    fn into_item(self) -> Result<Item, ValueError>;
}

impl IntoItem for Item {
    fn into_item(self) -> Result<Item, ValueError> {
        Ok(self)
    }
}

impl IntoItem for &Item {
    fn into_item(self) -> Result<Item, ValueError> {
        Ok(self.clone())
    }
}

impl IntoItem for ItemRef<'_> {
    fn into_item(self) -> Result<Item, ValueError> {
        Ok(Item::from(self))
    }
}

fn of_pairs<N: AsRef<str>, V: Into<AttributeValue>>(
    pairs: impl IntoIterator<Item = (N, V)>,
) -> Result<Item, ValueError> {
    Item::from_attributes(pairs.into_iter().map(|(name, value)| (name, value.into())))
}

impl<N: AsRef<str>, V: Into<AttributeValue>, const COUNT: usize> IntoItem for [(N, V); COUNT] {
    fn into_item(self) -> Result<Item, ValueError> {
        of_pairs(self)
    }
}

impl<N: AsRef<str>, V: Into<AttributeValue>> IntoItem for Vec<(N, V)> {
    fn into_item(self) -> Result<Item, ValueError> {
        of_pairs(self)
    }
}

impl<N: AsRef<str>, V: Into<AttributeValue>> IntoItem for BTreeMap<N, V> {
    fn into_item(self) -> Result<Item, ValueError> {
        of_pairs(self)
    }
}
