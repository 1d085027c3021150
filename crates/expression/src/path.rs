//! Document paths with their names resolved.

use std::fmt::Write;
use std::sync::Arc;

use keyplan_value::{ItemRef, ValueRef};

use crate::error::PrintedPath;

/// One step of a document path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathElement {
    /// The member of a map, or, at the path's start, the attribute of an item.
    Name(Arc<str>),
    /// The element of a list.
    Index(u32),
}

/// A document path with its names resolved: an attribute, and perhaps a way into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentPath {
    attribute: Arc<str>,
    inner: Box<[PathElement]>,
}

impl DocumentPath {
    /// A path from its attribute and what follows.
    pub fn new(attribute: Arc<str>, inner: impl Into<Box<[PathElement]>>) -> DocumentPath {
        DocumentPath { attribute, inner: inner.into() }
    }

    /// The name of the attribute that the path begins with.
    pub fn attribute(&self) -> &Arc<str> {
        &self.attribute
    }

    /// The steps into the attribute; none for the attribute itself.
    pub fn inner(&self) -> &[PathElement] {
        &self.inner
    }

    /// The value at the path's place in an item.
    pub fn find<'a>(&self, item: ItemRef<'a>) -> Option<ValueRef<'a>> {
        self.inner.iter().try_fold(item.get(&self.attribute)?, |value, element| match element {
            PathElement::Name(name) => value.get(name),
            PathElement::Index(index) => value.index(*index as usize),
        })
    }

    /// The path as messages print it.
    pub fn printed(&self) -> PrintedPath {
        let mut text = String::from(&*self.attribute);
        for element in &self.inner {
            text.push_str(", ");
            match element {
                PathElement::Name(name) => text.push_str(name),
                PathElement::Index(index) => {
                    let _infallible = write!(text, "[{index}]");
                }
            }
        }
        PrintedPath(text)
    }
}
