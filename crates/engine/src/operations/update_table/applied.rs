//! What a request makes of the table as it is.

use keyplan_store::Space;

use super::asked::{Asked, StreamChange};
use super::index_actions::{Action, IndexAction, VectorAction};
use super::units::Billing;
use crate::call::Timestamp;
use crate::catalog::{
    BillingMode, IndexDefinition, IndexScope, IndexStatus, KeyAttribute, TableDefinition, TableStatus,
    TableStream, ThroughputSettings, Totals,
};
use crate::error::{
    LimitExceeded, NotFound, ReplicaError, ServiceError, ThroughputError, UpdateError, ValidationError,
};
use crate::limits::GLOBAL_INDEXES_MAX;
use crate::operations::table_description::{Changing, IndexState};
use crate::operations::table_parameters::indexes::{DefinedIndex, check_non_key_attributes};
use crate::operations::table_parameters::throughput::{AskedThroughput, within_account};

/// A changed table, and how the answer shows it.
pub(super) struct Applied {
    /// The table from now on.
    pub(super) table: TableDefinition,
    /// The table as the answer shows it: mostly as it was.
    pub(super) shown: TableDefinition,
    pub(super) status: TableStatus,
    /// The states of the indexes that are shown.
    pub(super) indexes: Vec<IndexState>,
    /// The same of vector indexes.
    pub(super) vector_indexes: Vec<IndexState>,
    pub(super) changing: Changing,
}

/// What was drawn for a request.
pub(super) struct Fresh {
    /// A keyspace for an index that is made.
    pub(super) index: Option<Space>,
    /// A keyspace for the journal of a stream that is enabled.
    pub(super) journal: Option<Space>,
    /// The label of such a stream.
    pub(super) stream_label: String,
}

/// Applies what is asked to a table whose indexes are in some states.
///
/// # Errors
/// What the table as it is doesn't allow.
pub(super) fn apply(
    asked: &Asked,
    table: &TableDefinition,
    (states, vector_states): (Vec<IndexState>, Vec<IndexState>),
    fresh: &Fresh,
    now: Timestamp,
    region: &str,
) -> Result<Applied, ServiceError> {
    let is_filling = |state: &IndexState| matches!(state.status, IndexStatus::Creating { .. });
    let names = table.indexes.iter().map(|index| index.name.as_str()).zip(&states);
    let vector_names = table.vector_indexes.iter().map(|index| index.name.as_str()).zip(&vector_states);
    let filling = names.chain(vector_names).find(|(_, state)| is_filling(state));
    let mut change = Change {
        table,
        billing: Billing {
            table: &table.name,
            from: table.billing_mode,
            to: asked.billing_mode.unwrap_or(table.billing_mode),
            now,
            filling: filling.map(|(name, _)| name),
        },
        applied: Applied {
            table: table.clone(),
            shown: table.clone(),
            status: TableStatus::Active,
            indexes: states,
            vector_indexes: vector_states,
            changing: Changing::default(),
        },
    };
    change.check_actions(&asked.actions, &asked.vector_actions)?;
    change.units(asked)?;
    for action in &asked.actions {
        change.index(action, &asked.definitions, fresh.index)?;
    }
    for action in &asked.vector_actions {
        change.vector_index(action, &asked.definitions, fresh.index)?;
    }
    change.settings(asked, fresh)?;
    let mut applied = change.applied;
    let units = applied.table.indexes.iter().map(|index| index.throughput.provisioned);
    within_account(units.chain([applied.table.throughput.provisioned]), region)?;
    let named = applied.table.indexes.iter().map(|index| index.projection.names().len());
    let vector_indexes = &applied.table.vector_indexes;
    let named_of_vectors = vector_indexes.iter().map(|index| index.projection.names().len());
    check_non_key_attributes(named.chain(named_of_vectors).sum())?;
    applied.table.drop_unused_definitions();
    applied.table.revision = table.next_revision()?;
    applied.shown.attribute_definitions.clone_from(&applied.table.attribute_definitions);
    Ok(applied)
}

/// A change in the making.
pub(super) struct Change<'t> {
    pub(super) table: &'t TableDefinition,
    pub(super) billing: Billing<'t>,
    pub(super) applied: Applied,
}

impl Change<'_> {
    /// The indexes named are there, or aren't where one is made; and only one is made or taken away at a
    /// time.
    fn check_actions(
        &self,
        actions: &[IndexAction],
        vector_actions: &[VectorAction],
    ) -> Result<(), ServiceError> {
        let is_made_or_gone = |action: &&IndexAction| !matches!(action.action, Action::Update(_));
        // Before anything is looked up.
        if actions.iter().filter(is_made_or_gone).count() + vector_actions.len() > 1 {
            return Err(ServiceError::LimitExceeded(LimitExceeded::OneIndexAtATime));
        }
        self.check_vector_actions(vector_actions)?;
        for IndexAction { index, action } in actions {
            let found = self.table.index(index);
            let verb = match action {
                Action::Create { .. } => {
                    if found.is_some() || self.table.vector_index(index).is_some() {
                        return Err(UpdateError::IndexExists.into());
                    }
                    if self.billing.filling.is_some() {
                        return Err(ServiceError::LimitExceeded(LimitExceeded::OneIndexAtATime));
                    }
                    continue;
                }
                Action::Update(_) => "update",
                Action::Delete => "delete",
            };
            if self.table.vector_index(index).is_some() {
                return Err(UpdateError::NotGlobal { action: verb, index: index.clone() }.into());
            }
            let Some(found) = found else {
                return Err(ServiceError::ResourceNotFound(NotFound::Index {
                    table: self.table.name.clone(),
                    index: index.clone(),
                }));
            };
            if found.scope == IndexScope::Local {
                return Err(UpdateError::NotGlobal { action: verb, index: index.clone() }.into());
            }
            if matches!(action, Action::Delete) {
                // An index that is being filled can itself be given up.
                if self.billing.filling.is_some_and(|filling| filling != *index) {
                    return Err(ServiceError::LimitExceeded(LimitExceeded::OneIndexAtATime));
                }
            }
        }
        let creates = actions.iter().any(|action| matches!(action.action, Action::Create { .. }));
        if creates && self.table.indexes_of(IndexScope::Global).count() >= GLOBAL_INDEXES_MAX {
            return Err(ServiceError::LimitExceeded(LimitExceeded::GlobalIndexes));
        }
        Ok(())
    }

    /// The billing mode, and the throughput of the table itself.
    fn units(&mut self, asked: &Asked) -> Result<(), ServiceError> {
        let AskedThroughput { units, maxima, warm } = &asked.throughput;
        let becomes_provisioned = self.billing.becomes(BillingMode::Provisioned);
        // Nothing here scales what its replicas would need.
        if becomes_provisioned && self.table.membership.is_some() {
            return Err(ValidationError::Replica(ReplicaError::Provisioned).into());
        }
        if asked.billing_mode.is_some() || units.is_some() {
            self.applied.status = TableStatus::Updating;
        }
        match (self.billing.to, units) {
            (BillingMode::PayPerRequest, Some(_)) if asked.billing_mode.is_some() => {
                return Err(UpdateError::UnitsOnDemand.into());
            }
            (BillingMode::PayPerRequest, Some(_)) => {
                return Err(ThroughputError::OnDemand.into());
            }
            (BillingMode::Provisioned, None) if becomes_provisioned => {
                return Err(UpdateError::UnitsMissing.into());
            }
            _ => {}
        }
        if becomes_provisioned && !self.table.vector_indexes.is_empty() {
            return Err(UpdateError::ProvisionedWithVectorIndexes.into());
        }
        if becomes_provisioned {
            self.check_units_of_indexes(&asked.actions)?;
        }
        if let Some(unit) = maxima.first().filter(|_| self.billing.to == BillingMode::Provisioned) {
            return Err(UpdateError::MaximumProvisioned(unit).into());
        }
        let settings = self.billing.changed(self.table.throughput, &asked.throughput, None)?;
        self.applied.table.throughput = settings;
        self.applied.shown.throughput =
            ThroughputSettings { provisioned: self.table.throughput.provisioned, ..settings };
        self.applied.changing.maxima = *maxima;
        self.applied.changing.warm = warm.is_some();
        if self.billing.to != self.table.billing_mode {
            self.switch_billing();
        }
        Ok(())
    }

    /// Every index of a table that becomes a provisioned one is given units in the same request.
    fn check_units_of_indexes(&self, actions: &[IndexAction]) -> Result<(), ServiceError> {
        let given = |index: &IndexDefinition| {
            actions.iter().any(|action| {
                action.index == index.name
                    && matches!(&action.action, Action::Update(Ok(asked)) if asked.units.is_some())
            })
        };
        match self.table.indexes_of(IndexScope::Global).find(|index| !given(index)) {
            Some(index) => Err(UpdateError::UnitsOfIndexMissing(index.name.clone()).into()),
            None => Ok(()),
        }
    }

    /// What the new billing mode makes of the table and of the indexes that the request doesn't name.
    fn switch_billing(&mut self) {
        for index in &mut self.applied.table.indexes {
            index.throughput = self.billing.switched(index.throughput, index.throughput.provisioned);
        }
        let Billing { to, now, .. } = self.billing;
        for table in [&mut self.applied.table, &mut self.applied.shown] {
            table.billing_mode = to;
            if to == BillingMode::PayPerRequest {
                table.on_demand_since = Some(now);
            }
        }
    }

    fn index(
        &mut self,
        action: &IndexAction,
        definitions: &[KeyAttribute],
        space: Option<Space>,
    ) -> Result<(), ServiceError> {
        match &action.action {
            Action::Create { index, throughput } => self.create(index, throughput, definitions, space),
            Action::Update(asked) => self.update(&action.index, asked.as_ref().map_err(Clone::clone)?),
            Action::Delete => {
                self.delete(&action.index);
                Ok(())
            }
        }
    }

    fn create(
        &mut self,
        index: &DefinedIndex,
        asked: &AskedThroughput,
        definitions: &[KeyAttribute],
        space: Option<Space>,
    ) -> Result<(), ServiceError> {
        let name = &index.name;
        match (self.billing.to, asked.units) {
            (BillingMode::PayPerRequest, Some(_)) => {
                return Err(UpdateError::UnitsOfIndexOnDemand(name.clone()).into());
            }
            (BillingMode::Provisioned, None) => {
                return Err(UpdateError::UnitsOfIndexIncomplete(name.clone()).into());
            }
            _ => {}
        }
        if let Some(unit) = asked.maxima.first().filter(|_| self.billing.to == BillingMode::Provisioned) {
            return Err(UpdateError::MaximumProvisioned(unit).into());
        }
        self.check_not_vectors(index)?;
        // Definitions that the index has no use for wouldn't stay, so they aren't looked at; a request may
        // have very many. Those of other keys may say what they like.
        for attribute in index.key_schema.attributes() {
            let schemas = std::iter::once(&self.table.key_schema)
                .chain(self.table.indexes.iter().map(|index| &index.key_schema));
            for existing in schemas {
                if existing.attributes().any(|one| one.name == attribute.name && one.kind != attribute.kind) {
                    let (existing, new) = (existing.clone(), index.key_schema.clone());
                    return Err(UpdateError::AttributeRedefined { existing, new }.into());
                }
            }
        }
        self.define(definitions, |name| index.key_schema.has(name));
        // A keyspace is drawn for every request that makes an index.
        let Some(space) = space else { return Ok(()) };
        let mut made = index.clone().in_space(space, true);
        made.throughput = asked.initial_settings(self.billing.to, Some(name))?;
        self.applied.status = TableStatus::Updating;
        let status = IndexStatus::Creating { backfilling: Some(false) };
        self.applied.indexes.push(IndexState { status, totals: Totals::default() });
        self.applied.shown.indexes.push(made.clone());
        self.applied.table.indexes.push(made);
        Ok(())
    }

    /// Takes up the definitions of the attributes that an index uses.
    pub(super) fn define(&mut self, definitions: &[KeyAttribute], is_used: impl Fn(&str) -> bool) {
        // An attribute that is defined already keeps its type, whatever the request says. Definitions that
        // the index has no use for wouldn't stay, so they aren't looked at; a request may have very many.
        let known = &mut self.applied.table.attribute_definitions;
        for definition in definitions.iter().filter(|definition| is_used(&definition.name)) {
            if !known.iter().any(|known| known.name == definition.name) {
                known.push(definition.clone());
            }
        }
    }

    fn update(&mut self, name: &str, asked: &AskedThroughput) -> Result<(), ServiceError> {
        let Some(position) = self.table.indexes.iter().position(|index| index.name == name) else {
            return Ok(());
        };
        let Some(current) = self.table.indexes.get(position) else { return Ok(()) };
        if asked.warm.is_some_and(|warm| warm.first().is_none()) {
            return Err(UpdateError::WarmEmpty(name.to_owned()).into());
        }
        let says_more = asked.maxima.first().is_some() || asked.warm.is_some();
        match self.billing.to {
            BillingMode::PayPerRequest
                if asked.units.is_some() && self.billing.becomes(BillingMode::PayPerRequest) =>
            {
                return Err(UpdateError::UnitsOfIndexOnDemand(name.to_owned()).into());
            }
            BillingMode::PayPerRequest if asked.units.is_some() || !says_more => {
                return Err(UpdateError::OnlyOnDemand(name.to_owned()).into());
            }
            BillingMode::Provisioned if asked.units.is_none() && !says_more => {
                return Err(UpdateError::UnitsOfIndexIncomplete(name.to_owned()).into());
            }
            _ => {}
        }
        if let Some(unit) = asked.maxima.first().filter(|_| self.billing.to == BillingMode::Provisioned) {
            return Err(UpdateError::MaximumProvisioned(unit).into());
        }
        let settings = self.billing.changed(current.throughput, asked, Some(name))?;
        if let Some(index) = self.applied.table.indexes.iter_mut().find(|index| index.name == name) {
            index.throughput = settings;
        }
        if let Some(index) = self.applied.shown.indexes.get_mut(position) {
            index.throughput = ThroughputSettings { provisioned: current.throughput.provisioned, ..settings };
        }
        if let Some(state) = self.applied.indexes.get_mut(position) {
            state.status = IndexStatus::Updating;
        }
        Ok(())
    }

    fn delete(&mut self, name: &str) {
        self.applied.status = TableStatus::Updating;
        self.applied.table.indexes.retain(|index| index.name != name);
        let states = self.applied.shown.indexes.iter().zip(&mut self.applied.indexes);
        for (_, state) in states.filter(|(index, _)| index.name == name) {
            state.status = IndexStatus::Deleting;
        }
    }

    fn stream(&mut self, asked: Option<StreamChange>, fresh: &Fresh) -> Result<(), ServiceError> {
        let table = || self.table.name.clone();
        let enabled = self.table.stream.as_ref().filter(|stream| stream.view.is_some());
        let changed = match (asked, enabled) {
            (None, _) => return Ok(()),
            (Some(StreamChange::Enable(_)), Some(_)) => {
                return Err(UpdateError::StreamEnabled { table: table() }.into());
            }
            (Some(StreamChange::Disable), Some(_)) if self.table.is_replicated_later() => {
                return Err(ValidationError::Replica(ReplicaError::StreamNeeded).into());
            }
            (Some(StreamChange::Disable), None) => {
                return Err(UpdateError::NoStream { table: table() }.into());
            }
            (Some(StreamChange::Enable(view)), None) => {
                TableStream { label: fresh.stream_label.clone(), view: Some(view) }
            }
            (Some(StreamChange::Disable), Some(stream)) => TableStream { view: None, ..stream.clone() },
        };
        // A journal that there is goes on, for all that read it.
        if changed.view.is_some() {
            self.applied.table.journal = self.table.journal.or(fresh.journal);
        }
        self.applied.shown.stream = Some(changed.clone());
        self.applied.table.stream = Some(changed);
        self.applied.status = TableStatus::Updating;
        Ok(())
    }

    /// The settings that have nothing to do with throughput; each comes alone.
    fn settings(&mut self, asked: &Asked, fresh: &Fresh) -> Result<(), ServiceError> {
        self.stream(asked.stream, fresh)?;
        if let Some(class) = asked.table_class {
            // The answer has the class that was.
            self.applied.table.table_class = Some(class);
            self.applied.table.class_changed_at = Some(self.billing.now);
            self.applied.status = TableStatus::Updating;
        }
        if let Some(mode) = asked.settings_replication {
            self.applied.table.settings_replication = Some(mode);
            self.applied.shown.settings_replication = Some(mode);
        }
        if let Some(protected) = asked.disassociation_protection {
            self.applied.table.disassociation_protection = Some(protected);
            self.applied.shown.disassociation_protection = Some(protected);
        }
        if let Some(protected) = asked.deletion_protection {
            self.applied.table.deletion_protection = protected;
            self.applied.shown.deletion_protection = protected;
        }
        if let Some(key) = &asked.encryption {
            match (key, &self.table.encryption_key) {
                (None, None) => return Err(UpdateError::AlreadyDefault.into()),
                (Some(asked), Some(current)) if asked == current => {
                    return Err(UpdateError::AlreadyWithKey.into());
                }
                _ => {}
            }
            self.applied.table.encryption_key.clone_from(key);
            // The answer has the key that was, if there was one.
            self.applied.shown.encryption_key = self.table.encryption_key.clone().or_else(|| key.clone());
            self.applied.changing.encryption = true;
        }
        Ok(())
    }
}
