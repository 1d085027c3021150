//! What of an UpdateTable takes its time, where the weather says that it does.

use super::asked::Asked;
use super::index_actions::{Action, VectorAction};
use crate::catalog::TableDefinition;
use crate::context::Context;
use crate::operations::lifecycle::Wish;
use crate::weather::Move;

impl Asked {
    /// What is asked, as far as it matters to a table that is on its way.
    pub(super) fn wish(&self) -> Wish<'_> {
        let mut wish = Wish {
            billing: self.billing_mode,
            units: self.throughput.units.is_some(),
            maxima: self.throughput.maxima.first().is_some(),
            stream: self.stream.is_some(),
            class: self.table_class.is_some(),
            makes_index: self.creates_index(),
            ..Wish::default()
        };
        for action in &self.actions {
            match action.action {
                Action::Create { .. } => {}
                Action::Update(_) => wish.updates.push(&action.index),
                Action::Delete => wish.deletes.push(&action.index),
            }
        }
        for action in &self.vector_actions {
            if let VectorAction::Delete(name) = action {
                wish.deletes.push(name);
            }
        }
        wish
    }
}

/// Notes what is under way from now on, between two states of a table.
pub(super) fn begin(context: &Context<'_>, before: &TableDefinition, after: &TableDefinition) {
    if context.weather().is_none() {
        return;
    }
    if before.billing_mode != after.billing_mode
        || before.throughput.provisioned != after.throughput.provisioned
    {
        context.begin(after.id, || Move::Units(before.throughput));
    }
    if before.table_class != after.table_class {
        context.begin(after.id, || Move::Class(before.table_class));
    }
    let has_stream =
        |table: &TableDefinition| table.stream.as_ref().is_some_and(|stream| stream.view.is_some());
    if let Some(stream) = &after.stream
        && has_stream(before) != has_stream(after)
    {
        context.begin(after.id, || Move::Stream { label: stream.label.clone(), enables: has_stream(after) });
    }
    for index in &after.indexes {
        match before.index(&index.name) {
            None => context.begin(after.id, || Move::IndexMade(index.name.clone())),
            Some(was) if was.throughput.provisioned != index.throughput.provisioned => {
                context.begin(after.id, || Move::IndexUnits(index.name.clone(), was.throughput));
            }
            Some(_) => {}
        }
    }
    for made in after.vector_indexes.iter().filter(|index| before.vector_index(&index.name).is_none()) {
        context.begin(after.id, || Move::IndexMade(made.name.clone()));
    }
    for gone in before.indexes.iter().filter(|index| after.index(&index.name).is_none()) {
        context.begin(after.id, || Move::IndexGone(Box::new(gone.clone())));
    }
}
