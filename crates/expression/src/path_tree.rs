//! Several paths laid over each other: what a projection reads, and what an update touches.

use std::sync::Arc;

use keyplan_value::{Item, ItemBuilder, ItemRef, Value, ValueKind, ValueRef, json, order};

use crate::error::ExpressionError;
use crate::path::{DocumentPath, PathElement};

/// Paths that neither overlap nor conflict, as a tree whose levels are in the order of the stored form.
#[derive(Clone, Debug)]
pub(crate) struct PathTree {
    pub(crate) attributes: Vec<(Arc<str>, Branch)>,
}

/// A place that a path ends at or goes through.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    /// Which of the paths was the first to come this way.
    pub(crate) first: usize,
    pub(crate) step: Step,
}

/// How paths go on from a place.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A path ends here.
    Here,
    Members(Vec<(Arc<str>, Branch)>),
    Elements(Vec<(u32, Branch)>),
}

/// How a path does not fit to an earlier one.
enum Clash {
    Overlap(usize),
    Conflict(usize),
}

impl PathTree {
    /// Lays paths over each other.
    ///
    /// # Errors
    /// The first overlap as written, else the first conflict.
    pub(crate) fn new<'p>(
        paths: impl IntoIterator<Item = &'p DocumentPath>,
    ) -> Result<PathTree, ExpressionError> {
        let paths: Vec<&DocumentPath> = paths.into_iter().collect();
        // Attributes have nothing to do with each other. In their order each is entered behind the others,
        // however many there are; paths into one attribute stay as written.
        let mut by_attribute: Vec<(usize, &DocumentPath)> = paths.iter().copied().enumerate().collect();
        order::sort_by(&mut by_attribute, |(_, one), (_, other)| one.attribute().cmp(other.attribute()));
        let mut tree = PathTree { attributes: Vec::new() };
        let (mut overlap, mut conflict) = (None, None);
        for (position, path) in by_attribute {
            match tree.insert(position, path) {
                Ok(()) => {}
                Err(Clash::Overlap(earlier)) => keep_first(&mut overlap, (position, earlier)),
                Err(Clash::Conflict(earlier)) => keep_first(&mut conflict, (position, earlier)),
            }
        }
        let printed = |position: usize| paths[position].printed();
        match (overlap, conflict) {
            (Some((position, earlier)), _) => {
                Err(ExpressionError::PathsOverlap { one: printed(earlier), two: printed(position) })
            }
            (None, Some((position, earlier))) => {
                Err(ExpressionError::PathsConflict { one: printed(earlier), two: printed(position) })
            }
            (None, None) => Ok(tree),
        }
    }

    fn insert(&mut self, position: usize, path: &DocumentPath) -> Result<(), Clash> {
        let (mut branch, mut is_new) = enter(&mut self.attributes, path.attribute(), position);
        for element in path.inner() {
            if is_new {
                branch.step = match element {
                    PathElement::Name(_) => Step::Members(Vec::new()),
                    PathElement::Index(_) => Step::Elements(Vec::new()),
                };
            }
            let first = branch.first;
            (branch, is_new) = match (&mut branch.step, element) {
                (Step::Here, _) => return Err(Clash::Overlap(first)),
                (Step::Members(members), PathElement::Name(name)) => enter(members, name, position),
                (Step::Elements(elements), PathElement::Index(index)) => enter(elements, index, position),
                _ => return Err(Clash::Conflict(first)),
            };
        }
        if is_new { Ok(()) } else { Err(Clash::Overlap(branch.first)) }
    }

    /// The attributes that the paths begin with, in the order of their bytes.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &Arc<str>> {
        self.attributes.iter().map(|(name, _)| name)
    }

    /// Appends what an item has at the paths as DynamoDB JSON, and says whether it has anything.
    pub(crate) fn write_json(&self, item: ItemRef, out: &mut Vec<u8>) -> bool {
        out.push(b'{');
        let found = write_members(&self.attributes, item.iter(), out);
        out.push(b'}');
        found
    }

    /// What an item has at the paths, as an item in its stored form.
    pub(crate) fn project(&self, item: ItemRef) -> Item {
        let parts: Vec<(&str, Value)> = matching(&self.attributes, item.iter())
            .filter_map(|(name, value, branch)| Some((name, branch.project(value)?)))
            .collect();
        let mut builder = ItemBuilder::new();
        for (name, value) in &parts {
            builder.insert(name, value.as_ref());
        }
        builder.finish()
    }
}

/// Keeps the clash, a path's position with an earlier one, that comes first as written.
fn keep_first(first: &mut Option<(usize, usize)>, clash: (usize, usize)) {
    *first = Some(first.map_or(clash, |first| first.min(clash)));
}

/// The branch under a key, and whether it is new.
fn enter<'t, K: Ord + Clone>(
    branches: &'t mut Vec<(K, Branch)>,
    key: &K,
    position: usize,
) -> (&'t mut Branch, bool) {
    let place = branches.binary_search_by(|(other, _)| other.cmp(key));
    let (at, is_new) = match place {
        Ok(at) => (at, false),
        Err(at) => {
            branches.insert(at, (key.clone(), Branch { first: position, step: Step::Here }));
            (at, true)
        }
    };
    (&mut branches[at].1, is_new)
}

/// The members that have a branch. Both sides are in one order, so each is walked once.
fn matching<'a, 't>(
    branches: &'t [(Arc<str>, Branch)],
    members: impl Iterator<Item = (&'a str, ValueRef<'a>)>,
) -> impl Iterator<Item = (&'a str, ValueRef<'a>, &'t Branch)> {
    let mut branches = branches.iter().peekable();
    let mut members = members;
    std::iter::from_fn(move || {
        loop {
            branches.peek()?;
            let (name, value) = members.next()?;
            while branches.next_if(|(wanted, _)| **wanted < *name).is_some() {}
            if let Some((_, branch)) = branches.next_if(|(wanted, _)| **wanted == *name) {
                return Some((name, value, branch));
            }
        }
    })
}

/// The elements of a list that have a branch, in ascending order. To those of a set no path leads.
fn matching_elements<'a, 't>(
    branches: &'t [(u32, Branch)],
    value: ValueRef<'a>,
) -> impl Iterator<Item = (ValueRef<'a>, &'t Branch)> {
    let elements = (value.kind() == ValueKind::L).then(|| value.elements());
    let mut elements = elements.into_iter().flatten().zip(0_u32..);
    branches.iter().map_while(move |(wanted, branch)| {
        let (element, _) = elements.find(|(_, index)| index == wanted)?;
        Some((element, branch))
    })
}

impl Branch {
    fn write_json(&self, value: ValueRef, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        let found = match &self.step {
            Step::Here => {
                value.write_json(out);
                return true;
            }
            Step::Members(branches) => {
                out.extend_from_slice(b"{\"M\":{");
                let found = write_members(branches, value.members(), out);
                out.extend_from_slice(b"}}");
                found
            }
            Step::Elements(branches) => {
                out.extend_from_slice(b"{\"L\":[");
                let mut found = false;
                for (element, branch) in matching_elements(branches, value) {
                    found |= write_after_comma(found, out, |out| branch.write_json(element, out));
                }
                out.extend_from_slice(b"]}");
                found
            }
        };
        if !found {
            out.truncate(start);
        }
        found
    }

    fn project(&self, value: ValueRef) -> Option<Value> {
        match &self.step {
            Step::Here => Some(Value::from(value)),
            Step::Members(branches) => {
                let parts: Vec<(&str, Value)> = matching(branches, value.members())
                    .filter_map(|(name, value, branch)| Some((name, branch.project(value)?)))
                    .collect();
                let members = parts.iter().map(|(name, value)| (*name, value.as_ref()));
                (!parts.is_empty()).then(|| Value::map(members))
            }
            Step::Elements(branches) => {
                let parts: Vec<Value> = matching_elements(branches, value)
                    .filter_map(|(element, branch)| branch.project(element))
                    .collect();
                (!parts.is_empty()).then(|| Value::list(parts.iter().map(Value::as_ref)))
            }
        }
    }
}

fn write_members<'a>(
    branches: &[(Arc<str>, Branch)],
    members: impl Iterator<Item = (&'a str, ValueRef<'a>)>,
    out: &mut Vec<u8>,
) -> bool {
    let mut found = false;
    for (name, value, branch) in matching(branches, members) {
        found |= write_after_comma(found, out, |out| {
            json::write_string(name, out);
            out.push(b':');
            branch.write_json(value, out)
        });
    }
    found
}

/// Writes an entry of an object or array; if it turns out to be nothing, nothing stays of it.
fn write_after_comma(is_after: bool, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> bool) -> bool {
    let start = out.len();
    if is_after {
        out.push(b',');
    }
    let found = write(out);
    if !found {
        out.truncate(start);
    }
    found
}
