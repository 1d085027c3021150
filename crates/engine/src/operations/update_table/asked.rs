//! What an UpdateTable request asks, checked as far as the request alone goes.

use keyplan_value::json::Node;

use super::index_actions::{Action, IndexAction, VectorAction, actions, vector_actions};
use crate::catalog::{BillingMode, KeyAttribute, SettingsReplication, StreamView, TableClass};
use crate::context::Context;
use crate::error::{DefinitionError, UpdateError};
use crate::operations::table_parameters::throughput::AskedThroughput;
use crate::operations::table_parameters::{key_schema, settings, throughput};
use crate::validate::{boolean, present, string};

/// What shall change.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) definitions: Vec<KeyAttribute>,
    pub(super) billing_mode: Option<BillingMode>,
    pub(super) throughput: AskedThroughput,
    pub(super) actions: Vec<IndexAction>,
    pub(super) vector_actions: Vec<VectorAction>,
    /// What shall become of the table's stream.
    pub(super) stream: Option<StreamChange>,
    /// The key that shall encrypt the table, or the service's own.
    pub(super) encryption: Option<Option<String>>,
    pub(super) table_class: Option<TableClass>,
    pub(super) deletion_protection: Option<bool>,
    pub(super) settings_replication: Option<SettingsReplication>,
    pub(super) disassociation_protection: Option<bool>,
}

impl Asked {
    /// Reads a request.
    ///
    /// # Errors
    /// When it asks for nothing, for what can't be asked for at once, or for what is wrong by itself.
    pub(super) fn read(context: &Context<'_>, request: Node<'_, '_>) -> Result<Asked, DefinitionError> {
        let definitions = key_schema::definitions(request);
        let throughput = AskedThroughput::read(request, None)?;
        Concerns::read(request, &throughput).check()?;
        let stream = stream_change(request)?;
        let encryption = present(request, "SSESpecification").map(|_| settings::encryption(context, request));
        Ok(Asked {
            billing_mode: throughput::billing_mode(request),
            actions: actions(request, &definitions)?,
            vector_actions: vector_actions(request, &definitions)?,
            definitions,
            throughput,
            stream,
            encryption: encryption.transpose()?,
            table_class: string(request, "TableClass").and_then(|word| TableClass::from_word(&word)),
            deletion_protection: boolean(request, "DeletionProtectionEnabled"),
            settings_replication: string(request, "GlobalTableSettingsReplicationMode")
                .and_then(|word| SettingsReplication::from_word(&word)),
            disassociation_protection: boolean(request, "DisassociationProtectionEnabled"),
        })
    }

    /// Whether an index shall be added.
    pub(super) fn creates_index(&self) -> bool {
        self.actions.iter().any(|action| matches!(action.action, Action::Create { .. }))
            || self.vector_actions.iter().any(|action| matches!(action, VectorAction::Create(_)))
    }
}

/// What shall become of a table's stream.
#[derive(Debug, Clone, Copy)]
pub(super) enum StreamChange {
    /// One begins, with this view.
    Enable(StreamView),
    /// It ends.
    Disable,
}

/// Members that say what shall change, in the order in which the service lists them, and whether a request
/// has them.
struct Concerns {
    sent: Vec<&'static str>,
    /// Those listed that the request doesn't have at all.
    absent: Vec<&'static str>,
    /// Whether a global secondary index is made.
    creates_index: bool,
    /// Whether an index of any kind is made or taken away.
    makes_or_takes_index: bool,
}

const UNITS: &str = "ProvisionedThroughput";
const BILLING: &str = "BillingMode";
const STREAM: &str = "UpdateStreamEnabled";
const INDEXES: &str = "GlobalSecondaryIndexUpdates";
const VECTOR_INDEXES: &str = "VectorIndexUpdates";
const ENCRYPTION: &str = "SSESpecification";
const CLASS: &str = "TableClass";
const PROTECTION: &str = "DeletionProtectionEnabled";
const MAXIMA: &str = "OnDemandThroughput";
const WARM: &str = "WarmThroughput";
const CONSISTENCY: &str = "MultiRegionConsistency";
const WITNESSES: &str = "GlobalTableWitnessUpdates";

/// As the service's text lists them; two that no request has are among them.
const LISTED: [&str; 13] = [
    UNITS,
    BILLING,
    STREAM,
    INDEXES,
    ENCRYPTION,
    "ReplicaUpdates",
    "MultiAccountReplicaReady",
    "ReplicaTransitRoleArn",
    CONSISTENCY,
    PROTECTION,
    MAXIMA,
    WARM,
    CLASS,
];

/// Further members that are changes by themselves.
const UNLISTED: [&str; 4] =
    [VECTOR_INDEXES, WITNESSES, "GlobalTableSettingsReplicationMode", "DisassociationProtectionEnabled"];

impl Concerns {
    fn read(request: Node<'_, '_>, throughput: &AskedThroughput) -> Concerns {
        let member = |concern| if concern == STREAM { "StreamSpecification" } else { concern };
        let is_there = |concern: &&'static str| present(request, member(concern)).is_some();
        let is_sent = |concern: &&'static str| match *concern {
            // Without members these are as good as absent.
            MAXIMA => throughput.maxima.first().is_some(),
            WARM => throughput.warm.is_some_and(|warm| warm.first().is_some()),
            _ => is_there(concern),
        };
        let has_action = |list: &str, name: &str| {
            let list = present(request, list).into_iter().flat_map(|list| list.elements());
            list.into_iter().any(|update| present(update, name).is_some())
        };
        let lists = [INDEXES, VECTOR_INDEXES];
        Concerns {
            sent: LISTED.into_iter().chain(UNLISTED).filter(is_sent).collect(),
            absent: LISTED.into_iter().filter(|concern| !is_there(concern)).collect(),
            creates_index: has_action(INDEXES, "Create"),
            makes_or_takes_index: lists
                .iter()
                .any(|list| has_action(list, "Create") || has_action(list, "Delete")),
        }
    }

    fn has(&self, concern: &str) -> bool {
        self.sent.contains(&concern)
    }

    fn check(&self) -> Result<(), UpdateError> {
        // These two say nothing by themselves.
        if self.sent.iter().all(|concern| [CONSISTENCY, WITNESSES].contains(concern)) {
            return Err(UpdateError::Nothing(self.absent.clone()));
        }
        let several = self.sent.len() > 1;
        for (concern, called) in [
            (ENCRYPTION, "Server-Side Encryption modification"),
            (CLASS, "TableClass modification"),
            (PROTECTION, "DeletionProtection modification"),
        ] {
            if several && self.has(concern) {
                return Err(UpdateError::Alone(called));
            }
        }
        if several && self.has(WARM) {
            return Err(match self.creates_index {
                true => UpdateError::IndexWithWarm,
                false => UpdateError::Alone("WarmThroughput"),
            });
        }
        if self.has(MAXIMA) && self.sent.iter().any(|concern| ![MAXIMA, BILLING].contains(concern)) {
            return Err(UpdateError::MaximaWithOthers);
        }
        if self.has(STREAM) && self.has(UNITS) {
            return Err(UpdateError::StreamWithUnits);
        }
        if self.makes_or_takes_index {
            if self.has(UNITS) {
                return Err(UpdateError::IndexWithUnits);
            }
            if self.has(STREAM) {
                return Err(UpdateError::IndexWithStream);
            }
        }
        Ok(())
    }
}

/// Reads StreamSpecification.
fn stream_change(request: Node<'_, '_>) -> Result<Option<StreamChange>, UpdateError> {
    let Some(stream) = present(request, "StreamSpecification") else { return Ok(None) };
    match (boolean(stream, "StreamEnabled"), settings::view(stream)) {
        (Some(true), Some(view)) => Ok(Some(StreamChange::Enable(view))),
        (Some(true), None) => Err(UpdateError::StreamViewMissing),
        (_, Some(_)) => Err(UpdateError::StreamViewUnused),
        (_, None) => Ok(Some(StreamChange::Disable)),
    }
}
