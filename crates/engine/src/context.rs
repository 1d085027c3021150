//! What an operation works with: the engine, the call, and the operation's own shape.

use std::sync::Arc;

use keyplan_store::Store;

use crate::arn::{ACCOUNT, ResourceReference, TableReference};
use crate::call::{Call, Timestamp};
use crate::catalog::{Catalog, Membership, TableDefinition};
use crate::engine::Engine;
use crate::error::{BackupError, NotFound, ReplicaError, ServiceError, ValidationError};
use crate::expressions::ExpressionCache;
use crate::kept::KeptItems;
use crate::shapes::Operation;
use crate::trace::Tracer;
use crate::undo::UndoLog;
use crate::weather::{Conditions, Move, TableState};

/// Everything an operation may use besides its request.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    engine: &'a Engine,
    call: &'a Call<'a>,
    operation: &'static Operation,
    kept: Option<&'a KeptItems>,
}

impl<'a> Context<'a> {
    /// The context of one call of `operation`, whose answer's items go into `kept` if that is given.
    pub fn new(
        engine: &'a Engine,
        call: &'a Call<'a>,
        operation: &'static Operation,
        kept: Option<&'a KeptItems>,
    ) -> Context<'a> {
        Context { engine, call, operation, kept }
    }

    /// Where the answer's items go, if they are not to be written into its body.
    pub(crate) fn kept(&self) -> Option<&'a KeptItems> {
        self.kept
    }

    /// The store.
    pub fn store(&self) -> &'a dyn Store {
        &*self.engine.store
    }

    /// The tables.
    pub fn catalog(&self) -> &'a Catalog {
        &self.engine.catalog
    }

    /// A table was put into the catalog or taken out of it, perhaps with work to be done later.
    pub fn catalog_changed(&self) {
        self.engine.catalog.changed();
        if self.engine.insights.is_on() {
            // What is counted of a table that is gone goes; that the store fails is told by what comes next.
            let _ = self.engine.insights.refresh(self.store());
        }
        self.engine.next_look.now();
    }

    /// There is work for later, which the next request is to look for.
    pub(crate) fn work_given(&self) {
        self.engine.next_look.now();
    }

    /// Contributor insights were enabled or disabled.
    ///
    /// # Errors
    /// When the store fails.
    pub fn insights_changed(&self) -> Result<(), ServiceError> {
        Ok(self.engine.insights.refresh(self.store())?)
    }

    /// The writes that can be taken back.
    pub fn undo(&self) -> &'a UndoLog {
        &self.engine.undo
    }

    /// The weather that the request meets; nothing on a fine day.
    pub(crate) fn weather(&self) -> Option<Arc<Conditions>> {
        self.engine.weather.now()
    }

    /// The request's time.
    pub fn now(&self) -> Timestamp {
        self.call.now
    }

    /// The request's chance.
    pub fn random(&self) -> u128 {
        self.call.random
    }

    /// The region the request speaks to.
    pub fn region(&self) -> &'a str {
        self.call.region()
    }

    /// The expressions that were parsed before.
    pub fn expressions(&self) -> &'a ExpressionCache {
        &self.engine.expressions
    }

    /// A collector of what the call costs, and of its trace, unless the caller wants none.
    pub fn tracer(&self) -> Tracer<'a> {
        let wanted = self.call.trace || self.engine.insights.is_on();
        Tracer::new(self.operation.name, wanted, &self.engine.consumed)
    }

    /// The operation's shape.
    pub fn operation(&self) -> &'static Operation {
        self.operation
    }

    /// Refuses a table of another account: no resource policy here lets anyone in.
    ///
    /// # Errors
    /// AccessDeniedException.
    pub fn own(&self, reference: &TableReference<'_>) -> Result<(), ServiceError> {
        self.own_account(reference.account(), reference.sent())
    }

    /// As [`Context::own`], for a resource that is named by its ARN alone.
    ///
    /// # Errors
    /// AccessDeniedException.
    pub fn own_resource(&self, reference: &ResourceReference<'_>) -> Result<(), ServiceError> {
        self.own_account(reference.account(), reference.sent())
    }

    /// As [`Context::own`], for an ARN of any form.
    ///
    /// # Errors
    /// AccessDeniedException.
    pub fn own_account(&self, account: Option<&str>, resource: &str) -> Result<(), ServiceError> {
        match account {
            Some(account) if account != ACCOUNT => Err(ServiceError::AccessDenied {
                operation: self.operation.name,
                resource: resource.to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// The table of an item operation, whose not-found text doesn't name it.
    ///
    /// # Errors
    /// ResourceNotFoundException `Requested resource not found`, or the store's failure.
    pub fn table(&self, reference: &TableReference<'_>) -> Result<Arc<TableDefinition>, ServiceError> {
        let found = self.find(reference)?.filter(|table| table.is_usable());
        let table = found.ok_or(ServiceError::ResourceNotFound(NotFound::Resource))?;
        // Items of a table that is still being made can't be reached.
        if self.state_of(&table).is_being_made() {
            return Err(ServiceError::ResourceNotFound(NotFound::Resource));
        }
        Ok(table)
    }

    /// What is under way with a table; nothing on a fine day.
    pub(crate) fn state_of(&self, table: &TableDefinition) -> TableState {
        self.weather().map(|weather| weather.state(table.id, self.now())).unwrap_or_default()
    }

    /// Whether the table of a name is still being made.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) fn is_being_made(&self, name: &str) -> Result<bool, ServiceError> {
        if self.weather().is_none() {
            return Ok(false);
        }
        let table = self.here(name)?;
        Ok(table.is_some_and(|table| self.state_of(&table).is_being_made()))
    }

    /// Notes that something of a table is under way from now on.
    pub(crate) fn begin(&self, table: u128, step: impl FnOnce() -> Move) {
        if let Some(weather) = self.weather() {
            weather.begin(table, step(), self.now());
        }
    }

    /// Refuses a table that takes part in no transactions.
    ///
    /// # Errors
    /// That it is strongly consistent over regions.
    pub fn transacts(&self, table: &TableDefinition) -> Result<(), ServiceError> {
        match table.membership {
            Some(Membership::Strong) => {
                Err(ValidationError::Replica(ReplicaError::StrongWithout("Transactions are")).into())
            }
            Some(Membership::Eventual { .. }) | None => Ok(()),
        }
    }

    /// The table of a table operation, whose not-found text names it.
    ///
    /// # Errors
    /// ResourceNotFoundException, or the store's failure.
    pub fn named_table(&self, reference: &TableReference<'_>) -> Result<Arc<TableDefinition>, ServiceError> {
        let missing = || ServiceError::ResourceNotFound(NotFound::Table(reference.name().to_owned()));
        self.find(reference)?.ok_or_else(missing)
    }

    /// The table of an operation on backups, whose not-found text is one of their own.
    ///
    /// # Errors
    /// TableNotFoundException, or the store's failure.
    pub fn table_to_keep(
        &self,
        reference: &TableReference<'_>,
    ) -> Result<Arc<TableDefinition>, ServiceError> {
        let found = self.find(reference)?.filter(|table| table.is_usable());
        found.ok_or_else(|| BackupError::NoTable(reference.sent().to_owned()).into())
    }

    /// As [`Context::named_table`], and a replica whose items are still being copied is found too.
    ///
    /// # Errors
    /// ResourceNotFoundException, or the store's failure.
    pub fn described_table(
        &self,
        reference: &TableReference<'_>,
    ) -> Result<Arc<TableDefinition>, ServiceError> {
        self.own(reference)?;
        let missing = || ServiceError::ResourceNotFound(NotFound::Table(reference.name().to_owned()));
        self.here(reference.name())?.ok_or_else(missing)
    }

    /// The place in the catalog of the table of this name that the request's region speaks to, whether or not
    /// there is one.
    ///
    /// # Errors
    /// When the store fails.
    pub fn table_key(&self, name: &str) -> Result<String, ServiceError> {
        Ok(self.here(name)?.map_or_else(|| name.to_owned(), |table| table.key().into_owned()))
    }

    fn find(&self, reference: &TableReference<'_>) -> Result<Option<Arc<TableDefinition>>, ServiceError> {
        self.own(reference)?;
        // A replica is not to be read before it has all items.
        Ok(self.here(reference.name())?.filter(|table| !table.is_filling))
    }

    /// The table of this name that the request's region speaks to.
    pub(crate) fn here(&self, name: &str) -> Result<Option<Arc<TableDefinition>>, ServiceError> {
        let Some(table) = self.catalog().table(self.store(), name)? else { return Ok(None) };
        match &table.global {
            Some(global) if global.replica(self.region()).is_some() => {
                Ok(self.catalog().table(self.store(), &global.key_in(name, self.region()))?)
            }
            _ => Ok(Some(table)),
        }
    }
}
