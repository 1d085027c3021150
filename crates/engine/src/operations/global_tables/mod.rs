//! Global tables of the version of 2017, which nobody can make any more, and the scaling of replicas.
//!
//! The older operations see no tables of the newer version; what they answer is what an account without any
//! is answered. Replicas themselves are changed by UpdateTable.

mod scaling;

use keyplan_value::json::{Node, Writer};

pub(super) use scaling::{describe_table_replica_auto_scaling, update_table_replica_auto_scaling};

use super::{Answer, Failure};
use crate::context::Context;
use crate::error::{DefinitionError, GlobalTableNotFound, ServiceError, SettingError};
use crate::validate::{present, string};

fn not_found(request: Node<'_, '_>, has_lead: bool) -> Failure {
    let name = string(request, "GlobalTableName").unwrap_or_default().into_owned();
    ServiceError::GlobalTableNotFound(GlobalTableNotFound { name, has_lead }).into()
}

fn invalid(error: SettingError) -> Failure {
    ServiceError::from(DefinitionError::from(error)).into()
}

/// Runs one CreateGlobalTable: the version is refused before anything is looked up.
pub(super) fn create_global_table(_: &Context<'_>, _: Node<'_, '_>) -> Result<Answer, Failure> {
    Err(invalid(SettingError::GlobalTableVersion))
}

/// Runs one UpdateGlobalTable.
pub(super) fn update_global_table(_: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let updates = present(request, "ReplicaUpdates").into_iter().flat_map(|list| list.elements());
    let updates: Vec<Node<'_, '_>> = updates.collect();
    if updates.is_empty() {
        return Err(invalid(SettingError::Unsaid));
    }
    if updates.iter().any(|update| present(*update, "Create").is_some()) {
        return Err(invalid(SettingError::GlobalTableVersion));
    }
    Err(not_found(request, false))
}

/// Runs one DescribeGlobalTable.
pub(super) fn describe_global_table(_: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    Err(not_found(request, true))
}

/// Runs one DescribeGlobalTableSettings or UpdateGlobalTableSettings.
pub(super) fn global_table_settings(_: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    Err(not_found(request, false))
}

/// Runs one ListGlobalTables.
pub(super) fn list_global_tables(_: &Context<'_>, _: Node<'_, '_>) -> Result<Answer, Failure> {
    let mut body = Vec::new();
    Writer::new(&mut body).begin_object().name("GlobalTables").begin_array().end_array().end_object();
    Ok(body.into())
}
