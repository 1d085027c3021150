//! YAML text as a tree of nodes that know where they stand.
//!
//! Only what a model file needs: scalars, lists, mappings with text keys, one document. Anchors,
//! aliases and tags are refused, so a short file can't unfold into a long one.

use granit_parser::{Event, Marker, Parser, ScalarStyle};

use crate::finding::{Finding, Findings, Position};
use crate::limits::{MODEL_FILE_BYTES_MAX, MODEL_NESTING_MAX, MODEL_NODES_MAX};
use crate::problem::Problem;

/// One value of the file.
#[derive(Debug)]
pub(crate) struct Node {
    pub at: Position,
    pub kind: NodeKind,
}

#[derive(Debug)]
pub(crate) enum NodeKind {
    /// A text, and whether it stands in quotes (or as a block): `"1"` is never a number.
    Scalar {
        text: String,
        quoted: bool,
    },
    Sequence(Vec<Node>),
    Mapping(Vec<(Key, Node)>),
}

#[derive(Debug)]
pub(crate) struct Key {
    pub at: Position,
    pub text: String,
}

impl NodeKind {
    /// What it is, in the words of a finding.
    pub fn described(&self) -> &'static str {
        match self {
            NodeKind::Scalar { text, quoted } if !quoted && is_null(text) => "nothing",
            NodeKind::Scalar { .. } => "a single value",
            NodeKind::Sequence(_) => "a list",
            NodeKind::Mapping(_) => "a mapping",
        }
    }
}

/// Whether a plain scalar says "nothing" in YAML's core schema.
pub(crate) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// A list or mapping whose end has not come yet.
enum Open {
    Sequence(Position, Vec<Node>),
    Mapping { at: Position, entries: Vec<(Key, Node)>, key: Option<Key> },
}

/// Reads one document. The first fault ends the reading: what follows it can't be trusted.
pub(crate) fn read(text: &str) -> Result<Node, Finding> {
    if text.len() > MODEL_FILE_BYTES_MAX {
        let bytes = text.len();
        return Err(Finding::new(Position::START, Problem::FileTooLarge { bytes }));
    }
    let mut reader = Reader { open: Vec::new(), root: None, nodes: 0 };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            Finding::new(position(error.marker()), Problem::Syntax { text: error.info() })
        })?;
        reader.take(event, position(&span.start))?;
    }
    reader.root.ok_or(Finding::new(Position::START, Problem::EmptyFile))
}

fn position(marker: &Marker) -> Position {
    let column = marker.col().saturating_add(1);
    Position {
        line: u32::try_from(marker.line()).unwrap_or(u32::MAX),
        column: u32::try_from(column).unwrap_or(u32::MAX),
    }
}

struct Reader {
    open: Vec<Open>,
    root: Option<Node>,
    nodes: usize,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, at: Position) -> Result<(), Finding> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.count(at, anchor, tag.is_some())?;
                let quoted = style != ScalarStyle::Plain;
                let kind = NodeKind::Scalar { text: text.into_owned(), quoted };
                self.place(Node { at, kind })
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.count(at, anchor, tag.is_some())?;
                self.descend(at, Open::Sequence(at, Vec::new()))
            }
            Event::MappingStart(_, anchor, tag) => {
                self.count(at, anchor, tag.is_some())?;
                self.descend(at, Open::Mapping { at, entries: Vec::new(), key: None })
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::Sequence(at, nodes)) => self.place(Node { at, kind: NodeKind::Sequence(nodes) }),
                Some(Open::Mapping { at, entries, .. }) => {
                    self.place(Node { at, kind: NodeKind::Mapping(entries) })
                }
                None => Ok(()),
            },
            Event::Alias(_) => Err(Finding::new(at, Problem::AnchorOrAlias)),
            Event::DocumentStart(..) if self.root.is_some() => {
                Err(Finding::new(at, Problem::SeveralDocuments))
            }
            _ => Ok(()),
        }
    }

    fn count(&mut self, at: Position, anchor: usize, tagged: bool) -> Result<(), Finding> {
        if anchor != 0 {
            return Err(Finding::new(at, Problem::AnchorOrAlias));
        }
        if tagged {
            return Err(Finding::new(at, Problem::Tag));
        }
        self.nodes = self.nodes.saturating_add(1);
        if self.nodes > MODEL_NODES_MAX {
            return Err(Finding::new(at, Problem::TooManyNodes));
        }
        Ok(())
    }

    fn descend(&mut self, at: Position, open: Open) -> Result<(), Finding> {
        if self.open.len() >= MODEL_NESTING_MAX {
            return Err(Finding::new(at, Problem::NestedTooDeep));
        }
        self.open.push(open);
        Ok(())
    }

    fn place(&mut self, node: Node) -> Result<(), Finding> {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::Sequence(_, nodes)) => nodes.push(node),
            Some(Open::Mapping { entries, key, .. }) => match key.take() {
                Some(name) => entries.push((name, node)),
                None => {
                    let NodeKind::Scalar { text, .. } = node.kind else {
                        return Err(Finding::new(node.at, Problem::KeyNotText));
                    };
                    *key = Some(Key { at: node.at, text });
                }
            },
        }
        Ok(())
    }
}

/// Adds a finding for each member that a mapping names twice.
pub(crate) fn find_duplicate_members(node: &Node, findings: &mut Findings) {
    match &node.kind {
        NodeKind::Scalar { .. } => {}
        NodeKind::Sequence(nodes) => {
            for node in nodes {
                find_duplicate_members(node, findings);
            }
        }
        NodeKind::Mapping(entries) => {
            let mut seen = std::collections::HashMap::new();
            for (key, value) in entries {
                match seen.entry(key.text.as_str()) {
                    std::collections::hash_map::Entry::Vacant(vacant) => {
                        vacant.insert(key.at);
                    }
                    std::collections::hash_map::Entry::Occupied(first) => {
                        let first = *first.get();
                        let name = || key.text.clone();
                        findings.add(key.at, || Problem::DuplicateMember { name: name(), first });
                    }
                }
                find_duplicate_members(value, findings);
            }
        }
    }
}
