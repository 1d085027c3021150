//! Projections: the part of an item that a read returns.

use std::sync::Arc;

use keyplan_value::{Item, ItemRef};

use crate::bind::resolve_path;
use crate::error::ExpressionError;
use crate::parser::parse_projection;
use crate::path::DocumentPath;
use crate::path_tree::PathTree;
use crate::placeholders::Placeholders;
use crate::syntax::Path;

/// The text of a projection, read. It holds nothing of a request, so it can be kept and bound again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedProjection {
    paths: Vec<Path>,
}

impl ParsedProjection {
    /// Reads a text.
    ///
    /// # Errors
    /// What the text alone shows, in this order: emptiness, size, syntax, reserved words.
    pub fn parse(text: &str) -> Result<ParsedProjection, ExpressionError> {
        parse_projection(text).map(|paths| ParsedProjection { paths })
    }

    /// Binds the names and marks the ones used.
    ///
    /// # Errors
    /// Undefined names, then overlapping paths, then conflicting ones.
    pub fn bind(&self, placeholders: &Placeholders) -> Result<Projection, ExpressionError> {
        let resolved = self.paths.iter().map(|path| resolve_path(path, placeholders));
        Projection::new(resolved.collect::<Result<_, _>>()?)
    }
}

impl std::fmt::Display for ParsedProjection {
    /// Writes a text that reads back as the same projection.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (position, path) in self.paths.iter().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(f, "{comma}{path}")?;
        }
        Ok(())
    }
}

/// The part of an item that a read returns: the named paths and nothing else, not even the key.
#[derive(Clone, Debug)]
pub struct Projection {
    paths: Vec<DocumentPath>,
    tree: PathTree,
}

impl Projection {
    /// A projection onto paths.
    ///
    /// # Errors
    /// Overlapping paths, then conflicting ones.
    pub fn new(paths: Vec<DocumentPath>) -> Result<Projection, ExpressionError> {
        let tree = PathTree::new(&paths)?;
        Ok(Projection { paths, tree })
    }

    /// The paths in the order in which they are written.
    pub fn paths(&self) -> &[DocumentPath] {
        &self.paths
    }

    /// The attributes that the paths begin with, each once, in the order of their bytes.
    pub fn attributes(&self) -> impl Iterator<Item = &Arc<str>> {
        self.tree.attributes()
    }

    /// Appends the projected item as DynamoDB JSON. What an item does not have is left out, elements
    /// of a list come dense and in ascending order, and several paths into one element make one
    /// element. An item with nothing at the paths is written as `{}`, and the answer is `false`.
    pub fn write_json(&self, item: ItemRef, out: &mut Vec<u8>) -> bool {
        self.tree.write_json(item, out)
    }

    /// The projected item in its stored form.
    pub fn project(&self, item: ItemRef) -> Item {
        self.tree.project(item)
    }
}
