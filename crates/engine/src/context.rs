//! What an operation works with: the engine, the call, and the operation's own shape.

use std::sync::Arc;

use keyplan_store::Store;

use crate::arn::{ACCOUNT, ResourceReference, TableReference};
use crate::call::{Call, Timestamp};
use crate::catalog::{Catalog, TableDefinition};
use crate::engine::Engine;
use crate::error::{NotFound, ServiceError};
use crate::expressions::ExpressionCache;
use crate::kept::KeptItems;
use crate::shapes::Operation;
use crate::trace::Tracer;
use crate::undo::UndoLog;

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
        self.engine.next_look.now();
    }

    /// The writes that can be taken back.
    pub fn undo(&self) -> &'a UndoLog {
        &self.engine.undo
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

    /// A collector of the call's trace, which collects nothing when the caller wants none.
    pub fn tracer(&self) -> Tracer {
        Tracer::new(self.operation.name, self.call.trace)
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
        self.check_account(reference.account(), reference.sent())
    }

    /// As [`Context::own`], for a resource that is named by its ARN alone.
    ///
    /// # Errors
    /// AccessDeniedException.
    pub fn own_resource(&self, reference: &ResourceReference<'_>) -> Result<(), ServiceError> {
        self.check_account(reference.account(), reference.sent())
    }

    fn check_account(&self, account: Option<&str>, resource: &str) -> Result<(), ServiceError> {
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
        self.find(reference)?.ok_or(ServiceError::ResourceNotFound(NotFound::Resource))
    }

    /// The table of a table operation, whose not-found text names it.
    ///
    /// # Errors
    /// ResourceNotFoundException, or the store's failure.
    pub fn named_table(&self, reference: &TableReference<'_>) -> Result<Arc<TableDefinition>, ServiceError> {
        let missing = || ServiceError::ResourceNotFound(NotFound::Table(reference.name().to_owned()));
        self.find(reference)?.ok_or_else(missing)
    }

    fn find(&self, reference: &TableReference<'_>) -> Result<Option<Arc<TableDefinition>>, ServiceError> {
        self.own(reference)?;
        Ok(self.catalog().table(self.store(), reference.name())?)
    }
}
