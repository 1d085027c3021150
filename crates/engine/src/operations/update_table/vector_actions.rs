//! Vector indexes that are made or taken away.

use keyplan_store::Space;

use super::applied::Change;
use super::index_actions::VectorAction;
use crate::catalog::{BillingMode, IndexStatus, KeyAttribute, TableStatus, Totals};
use crate::error::{LimitExceeded, NotFound, ServiceError, UpdateError, VectorIndexError};
use crate::limits::VECTOR_INDEXES_MAX;
use crate::operations::table_description::IndexState;
use crate::operations::table_parameters::indexes::DefinedIndex;
use crate::operations::table_parameters::vector_indexes::DefinedVectorIndex;

impl Change<'_> {
    /// The vector indexes named are there, or aren't where one is made. Gives how many are made or taken away.
    pub(super) fn check_vector_actions(&self, actions: &[VectorAction]) -> Result<usize, ServiceError> {
        let one_at_a_time = || ServiceError::LimitExceeded(LimitExceeded::OneIndexAtATime);
        for action in actions {
            match action {
                VectorAction::Create(index) => {
                    if self.table.index(&index.name).is_some()
                        || self.table.vector_index(&index.name).is_some()
                    {
                        return Err(UpdateError::IndexExists.into());
                    }
                    if self.billing.filling.is_some() {
                        return Err(one_at_a_time());
                    }
                }
                VectorAction::Delete(name) => {
                    if self.table.vector_index(name).is_none() {
                        let (table, index) = (self.table.name.clone(), name.clone());
                        return Err(ServiceError::ResourceNotFound(NotFound::Index { table, index }));
                    }
                    // An index that is being filled can itself be given up.
                    if self.billing.filling.is_some_and(|filling| filling != name) {
                        return Err(one_at_a_time());
                    }
                }
            }
        }
        Ok(actions.len())
    }

    /// Makes a vector index, or takes one away.
    pub(super) fn vector_index(
        &mut self,
        action: &VectorAction,
        definitions: &[KeyAttribute],
        space: Option<Space>,
    ) -> Result<(), ServiceError> {
        match action {
            VectorAction::Create(index) => self.create_vector_index(index, definitions, space),
            VectorAction::Delete(name) => {
                self.applied.status = TableStatus::Updating;
                self.applied.table.vector_indexes.retain(|index| index.name != *name);
                let shown = self.applied.shown.vector_indexes.iter().zip(&mut self.applied.vector_indexes);
                for (_, state) in shown.filter(|(index, _)| index.name == *name) {
                    state.status = IndexStatus::Deleting;
                }
                Ok(())
            }
        }
    }

    fn create_vector_index(
        &mut self,
        index: &DefinedVectorIndex,
        definitions: &[KeyAttribute],
        space: Option<Space>,
    ) -> Result<(), ServiceError> {
        if self.billing.to == BillingMode::Provisioned {
            return Err(VectorIndexError::Provisioned.into());
        }
        let table = &self.applied.table;
        if table.vector_indexes.len() >= VECTOR_INDEXES_MAX {
            return Err(VectorIndexError::TooMany(VECTOR_INDEXES_MAX).into());
        }
        let conflicts = table
            .vector_indexes
            .iter()
            .any(|other| other.attribute == index.attribute && other.dimensions != index.dimensions);
        if conflicts {
            return Err(VectorIndexError::DimensionsConflict(index.attribute.clone()).into());
        }
        if table.attribute_definitions.iter().any(|definition| definition.name == index.attribute) {
            return Err(VectorIndexError::AttributeDefined(index.attribute.clone()).into());
        }
        self.define(definitions, |name| {
            index.search_schema.iter().any(|element| element.attribute.name == name)
        });
        // A keyspace is drawn for every request that makes an index.
        let Some(space) = space else { return Ok(()) };
        let mut made = index.clone().in_space(space, true);
        let known = &self.applied.table.attribute_definitions;
        for element in &mut made.search_schema {
            if let Some(known) = known.iter().find(|known| known.name == element.attribute.name) {
                element.attribute.kind = known.kind;
            }
        }
        self.applied.status = TableStatus::Updating;
        let status = IndexStatus::Creating { backfilling: Some(false) };
        self.applied.vector_indexes.push(IndexState { status, totals: Totals::default() });
        self.applied.shown.vector_indexes.push(made.clone());
        self.applied.table.vector_indexes.push(made);
        Ok(())
    }

    /// No key attribute of a secondary index that is made holds vectors.
    pub(super) fn check_not_vectors(&self, index: &DefinedIndex) -> Result<(), UpdateError> {
        let holds_vectors =
            |key: &KeyAttribute| self.table.vector_indexes.iter().find(|other| other.attribute == key.name);
        let Some(vectors) = index.key_schema.attributes().find_map(holds_vectors) else { return Ok(()) };
        let part = |attributes: &[KeyAttribute], role| -> Vec<(String, _, _)> {
            attributes.iter().map(|key| (key.name.clone(), key.kind, role)).collect()
        };
        let mut key = part(&index.key_schema.partition, "HASH");
        key.extend(part(&index.key_schema.sort, "RANGE"));
        Err(UpdateError::VectorAsKey { name: vectors.attribute.clone(), dimensions: vectors.dimensions, key })
    }
}
