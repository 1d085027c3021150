//! Items and values that callers in the same process hand over, and are handed, as they are stored.

use std::cell::RefCell;

use keyplan_value::{Given, Item};

/// What goes beside a call's body and its answer's.
#[derive(Debug, Clone, Copy)]
pub struct Beside<'a> {
    /// What the request gives in its stored form. The body has, where an item, a key or a value of an expression
    /// belongs, its number here, counted from 0.
    pub given: &'a [Given],
    /// Where the answer's items are put.
    pub kept: &'a KeptItems,
}

/// A place for an answer's items. The body then has, in the place of such an item, its number here: nothing
/// is written as JSON that the caller would have to read back.
///
/// A page of a Query or a Scan has an empty list there: its items are all that were kept, in their order.
///
/// Items to which a projection was applied are in the body nevertheless, and so are the items of errors.
#[derive(Debug, Default)]
pub struct KeptItems {
    items: RefCell<Vec<Item>>,
}

impl KeptItems {
    /// An empty place.
    pub fn new() -> KeptItems {
        KeptItems::default()
    }

    /// Keeps an item and gives its number, which counts from 0.
    pub(crate) fn keep(&self, item: Item) -> usize {
        let mut items = self.items.borrow_mut();
        items.push(item);
        items.len() - 1
    }

    /// The items, in the order of their numbers.
    pub fn into_items(self) -> Vec<Item> {
        self.items.into_inner()
    }
}
