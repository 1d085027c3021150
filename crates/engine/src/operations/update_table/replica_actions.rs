//! What a request asks of the replicas of a table, checked as far as the request alone goes.

use keyplan_value::json::Node;

use crate::catalog::TableClass;
use crate::error::ReplicaError;
use crate::regions::{STRONG_REGIONS, is_known};
use crate::validate::{integer, long, present, string};

/// What is asked of replicas and witnesses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskedOfReplicas {
    pub(super) actions: Vec<ReplicaAction>,
    /// Whether the table is to be, or is taken for, a strongly consistent one.
    pub(super) consistency: Option<Consistency>,
    pub(super) witness: Option<WitnessAction>,
}

/// How members of a global table see each other's changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consistency {
    Eventual,
    Strong,
}

/// What becomes of the replica of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReplicaAction {
    Create { region: String, settings: ReplicaSettings },
    Update { region: String, settings: ReplicaSettings },
    Delete { region: String },
}

/// What becomes of the witness of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WitnessAction {
    Create(String),
    Delete(String),
}

/// What a replica has otherwise than the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ReplicaSettings {
    pub(super) key: Option<String>,
    pub(super) class: Option<TableClass>,
    /// A bound on reads; nothing less than one is none.
    pub(super) maximum_reads: Option<u64>,
    /// The same of indexes, by their names.
    pub(super) of_indexes: Vec<(String, u64)>,
    /// Whether there are provisioned units, which a table on demand has none of.
    pub(super) has_units: bool,
}

impl ReplicaAction {
    pub(super) fn region(&self) -> &str {
        match self {
            ReplicaAction::Create { region, .. }
            | ReplicaAction::Update { region, .. }
            | ReplicaAction::Delete { region } => region,
        }
    }

    pub(super) fn is_create(&self) -> bool {
        matches!(self, ReplicaAction::Create { .. })
    }

    fn is_delete(&self) -> bool {
        matches!(self, ReplicaAction::Delete { .. })
    }
}

/// Members beside which no replica is changed.
const OTHERS: [&str; 12] = [
    "ProvisionedThroughput",
    "BillingMode",
    "StreamSpecification",
    "GlobalSecondaryIndexUpdates",
    "SSESpecification",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
    "WarmThroughput",
    "TableClass",
    "VectorIndexUpdates",
    "GlobalTableSettingsReplicationMode",
    "DisassociationProtectionEnabled",
];

impl AskedOfReplicas {
    /// Reads a request to a region.
    pub(super) fn read(request: Node<'_, '_>, own: &str) -> Result<AskedOfReplicas, ReplicaError> {
        let consistency = string(request, "MultiRegionConsistency").map(|word| match &*word {
            "STRONG" => Consistency::Strong,
            _ => Consistency::Eventual,
        });
        let witnesses = present(request, "GlobalTableWitnessUpdates");
        if OTHERS.iter().any(|member| present(request, member).is_some()) {
            return Err(match consistency.is_some() || witnesses.is_some() {
                true => ReplicaError::NotAloneWithWitnesses,
                false => ReplicaError::NotAlone,
            });
        }
        let mut actions: Vec<ReplicaAction> = Vec::new();
        let updates = present(request, "ReplicaUpdates");
        for update in updates.into_iter().flat_map(|list| list.elements()) {
            let action = action(update)?;
            // What is said twice is said once.
            if !actions.contains(&action) {
                actions.push(action);
            }
        }
        for action in &actions {
            let is_update = matches!(action, ReplicaAction::Update { .. });
            if !is_update && action.region() == own {
                return Err(ReplicaError::OwnRegion);
            }
            if !is_known(action.region()) {
                return Err(ReplicaError::UnknownRegion(action.region().to_owned()));
            }
        }
        let witness = witnesses.and_then(|list| list.elements().next());
        let witness = witness.and_then(|update| {
            let region = |action| string(present(update, action)?, "RegionName");
            let create = region("Create").map(|region| WitnessAction::Create(region.into_owned()));
            create.or_else(|| region("Delete").map(|region| WitnessAction::Delete(region.into_owned())))
        });
        let asked = AskedOfReplicas { actions, consistency, witness };
        match asked.consistency {
            Some(Consistency::Strong) => asked.check_strong(own)?,
            _ => asked.check_eventual()?,
        }
        Ok(asked)
    }

    fn check_eventual(&self) -> Result<(), ReplicaError> {
        if let Some(WitnessAction::Create(_)) = self.witness {
            return Err(ReplicaError::WitnessWithoutStrong);
        }
        let creates = self.actions.iter().filter(|action| action.is_create()).count();
        let deletes = self.actions.iter().filter(|action| action.is_delete()).count();
        if creates > 0 && creates < self.actions.len() || deletes > 0 && deletes < self.actions.len() {
            return Err(ReplicaError::SeveralTypes);
        }
        // All replicas of a strongly consistent table go at once, which the table itself tells.
        if creates > 1 { Err(ReplicaError::Several) } else { Ok(()) }
    }

    fn check_strong(&self, own: &str) -> Result<(), ReplicaError> {
        if !self.actions.iter().all(ReplicaAction::is_create) {
            return Err(ReplicaError::StrongOnlyCreate);
        }
        let witness = match &self.witness {
            Some(WitnessAction::Create(region)) => Some(region.as_str()),
            Some(WitnessAction::Delete(_)) => return Err(ReplicaError::StrongOnlyCreate),
            None => None,
        };
        let regions: Vec<&str> = self.actions.iter().map(ReplicaAction::region).chain(witness).collect();
        let unfit: Vec<String> = regions
            .iter()
            .chain([&own])
            .filter(|region| !STRONG_REGIONS.contains(region))
            .map(|region| (*region).to_owned())
            .collect();
        if !unfit.is_empty() {
            return Err(ReplicaError::StrongRegions(unfit));
        }
        if witness == Some(own) {
            return Err(ReplicaError::WitnessAtHome);
        }
        if witness.is_some_and(|witness| self.actions.iter().any(|action| action.region() == witness)) {
            return Err(ReplicaError::WitnessAtReplica);
        }
        if regions.len() == 2 { Ok(()) } else { Err(ReplicaError::StrongCount) }
    }
}

fn action(update: Node<'_, '_>) -> Result<ReplicaAction, ReplicaError> {
    let region = |action: Node<'_, '_>| string(action, "RegionName").unwrap_or_default().into_owned();
    match ["Create", "Update", "Delete"].map(|name| present(update, name)) {
        [None, None, None] => Err(ReplicaError::NoAction),
        [Some(create), None, None] => {
            Ok(ReplicaAction::Create { region: region(create), settings: settings(create) })
        }
        [None, Some(change), None] => {
            let settings = settings(change);
            if settings == ReplicaSettings::default() {
                return Err(ReplicaError::NoAction);
            }
            Ok(ReplicaAction::Update { region: region(change), settings })
        }
        [None, None, Some(delete)] => Ok(ReplicaAction::Delete { region: region(delete) }),
        _ => Err(ReplicaError::SeveralTypes),
    }
}

fn settings(action: Node<'_, '_>) -> ReplicaSettings {
    let maximum_reads = |of: Node<'_, '_>| {
        let bound = long(present(of, "OnDemandThroughputOverride")?, "MaxReadRequestUnits")?;
        Some(u64::try_from(bound).unwrap_or_default())
    };
    let has_units = |of: Node<'_, '_>| {
        present(of, "ProvisionedThroughputOverride")
            .is_some_and(|units| integer(units, "ReadCapacityUnits").is_some())
    };
    let indexes: Vec<_> =
        present(action, "GlobalSecondaryIndexes").into_iter().flat_map(|list| list.elements()).collect();
    ReplicaSettings {
        key: string(action, "KMSMasterKeyId").map(|key| key.into_owned()),
        class: string(action, "TableClassOverride").and_then(|word| TableClass::from_word(&word)),
        maximum_reads: maximum_reads(action),
        of_indexes: indexes
            .iter()
            .filter_map(|index| Some((string(*index, "IndexName")?.into_owned(), maximum_reads(*index)?)))
            .collect(),
        has_units: has_units(action) || indexes.iter().any(|index| has_units(*index)),
    }
}
