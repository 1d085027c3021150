//! What is wrong with a change of a global table.

use std::fmt;

use crate::regions::KNOWN_REGIONS;

/// No global table of the version of 2017 has this name, whatever tables there are: nobody can make one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobalTableNotFound {
    /// The name.
    pub name: String,
    /// DescribeGlobalTable says it with a lead.
    pub has_lead: bool,
}

impl fmt::Display for GlobalTableNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_lead {
            f.write_str("Global table not found: ")?;
        }
        write!(f, "Global table with name: '{}' does not exist.", self.name)
    }
}

/// Why replicas stay as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplicaError {
    /// An update that says nothing.
    NoAction,
    /// An update that says two things, or updates that say different things.
    SeveralTypes,
    /// Two replicas made or taken away at once.
    Several,
    /// Other changes beside those of replicas.
    NotAlone,
    /// Other changes beside those of replicas and witnesses, or of their consistency.
    NotAloneWithWitnesses,
    /// The region is the request's own.
    OwnRegion,
    /// There is no such region.
    UnknownRegion(String),
    /// The region has a replica, or did a moment ago.
    Exists {
        /// The table.
        table: String,
    },
    /// The region has no replica.
    NotMember(String),
    /// The region has no witness.
    NoWitness(String),
    /// The table is not one on demand, and nothing scales it.
    Provisioned,
    /// A replica was made at the endpoint of the region, not long ago, and is still there.
    IsSource,
    /// The replica is protected.
    Protected {
        /// The table.
        table: String,
        /// Where.
        region: String,
    },
    /// A replica's items are still being copied.
    Filling {
        /// The table.
        table: String,
        /// Where.
        region: String,
    },
    /// A key where the table has none, or none where it has one.
    Key,
    /// Read units of a replica of a table on demand.
    UnitsOnDemand,
    /// A strongly consistent table without three regions.
    StrongCount,
    /// A witness of a table that is not to be strongly consistent.
    WitnessWithoutStrong,
    /// A witness in a replica's region.
    WitnessAtReplica,
    /// A witness in the table's region.
    WitnessAtHome,
    /// Regions that strongly consistent tables can't be in.
    StrongRegions(Vec<String>),
    /// A replica is to be added to a strongly consistent table.
    StrongAdd,
    /// The consistency of a global table is to change.
    StrongChange,
    /// A replica is to go while the consistency is stated.
    StrongOnlyCreate,
    /// All replicas are to go, and not the witness.
    StrongWitnessStays,
    /// Not all replicas of a strongly consistent table are to go.
    StrongDelete,
    /// A table with items is to become a strongly consistent one.
    StrongNotEmpty,
    /// What strongly consistent tables don't have.
    StrongWithout(&'static str),
    /// Overrides of settings where there are no replicas.
    OverridesOfRegionalTable,
    /// The stream of a replica is to end.
    StreamNeeded,
    /// Scaling of a table on demand.
    ScalingOnDemand {
        /// The table.
        table: String,
        /// Its regions.
        regions: Vec<String>,
        /// What can't be set.
        parameter: &'static str,
    },
    /// Scaling, and nothing said of it.
    ScalingOfNothing {
        /// The table.
        table: String,
        /// The replica of which nothing is said.
        region: Option<String>,
    },
    /// Scaling of a replica twice.
    ScalingTwice {
        /// The table.
        table: String,
        /// The replica.
        region: String,
    },
}

/// The service's marks before and behind a name; it has confused them in one place.
const OPEN: char = '\u{2018}';
const CLOSE: char = '\u{2019}';

impl fmt::Display for ReplicaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ReplicaError as E;
        const INVALID: &str = "One or more parameter values were invalid: ";
        const STRONG: &str = "with MultiRegionConsistency set to STRONG";
        const NOT_PART: &str = "Update global table operation failed because one or more";
        match self {
            E::NoAction => {
                f.write_str("There are no actions specified in the Replica Update Action of the request.")
            }
            E::SeveralTypes => f.write_str(
                "Update table operation with more than one type of replica actions not allowed.",
            ),
            E::Several => f.write_str(
                "Update table operation with more than one create or delete replica actions not allowed",
            ),
            E::NotAlone => {
                write!(f, "{INVALID}Replica modification must be the only operation in the request")
            }
            E::NotAloneWithWitnesses => write!(
                f,
                "{INVALID}Requests that modify replicas or witnesses must not also modify other fields"
            ),
            E::OwnRegion => f.write_str(
                "Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, \
                 or UpdateTable as required.",
            ),
            E::UnknownRegion(region) => write!(
                f,
                "Region {region} is not supported. The latest version of global tables are only supported \
                 in the following regions: [{}]",
                KNOWN_REGIONS.join(", ")
            ),
            E::Exists { table } => write!(
                f,
                "Failed to create a the new replica of table with name: {OPEN}{table}{CLOSE} because one or \
                 more replicas already existed as tables."
            ),
            E::NotMember(region) => write!(
                f,
                "{NOT_PART} replicas were not part of the global table. Please retry the request without \
                 these replicas: [{region}]."
            ),
            E::NoWitness(region) => write!(
                f,
                "{NOT_PART} witnesses were not part of the global table. Please retry the request without \
                 these witnesses: [{region}]."
            ),
            E::Provisioned => {
                f.write_str("Table write capacity should either be Pay-Per-Request or AutoScaled.")
            }
            E::IsSource => f.write_str(
                "Replica cannot be deleted because it has acted as a source region for new replica(s) being \
                 added to the table in the last 24 hours.",
            ),
            E::Protected { table, region } => write!(
                f,
                "Cannot delete table {table} in region {region} because it has deletion protection enabled. \
                 Disable deletion protection first."
            ),
            E::Filling { table, region } => write!(
                f,
                "Create/Update/Delete of replica is not allowed while the replica is being added to table \
                 with name: {table} in region {region}"
            ),
            E::Key => write!(f, "{INVALID}KMSMasterKeyId must be specified for each replica."),
            E::UnitsOnDemand => f.write_str(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is \
                 PAY_PER_REQUEST",
            ),
            E::StrongCount => write!(f, "Unsupported replica count for global tables {STRONG}."),
            E::WitnessWithoutStrong => f.write_str(
                "MultiRegionConsistency must be set as STRONG when GlobalTableWitnessUpdates parameter is \
                 present.",
            ),
            E::WitnessAtReplica => f.write_str("Cannot target multiple regions with the same action"),
            E::WitnessAtHome => write!(
                f,
                "Cannot add a witness in the same region as an existing replica when creating a global table \
                 {STRONG}."
            ),
            E::StrongRegions(regions) => write!(
                f,
                "Unsupported Region(s) specified for global tables {STRONG}: [{}].",
                regions.join(", ")
            ),
            E::StrongAdd => {
                f.write_str("Cannot add replicas to a global table with strong MultiRegionConsistency")
            }
            E::StrongChange => {
                f.write_str("MultiRegionConsistency parameter is unsupported on existing global table")
            }
            E::StrongOnlyCreate => f.write_str(
                "Only Replica Create actions are supported when MultiRegionConsistency parameter is provided.",
            ),
            E::StrongWitnessStays => {
                f.write_str("Update table delete operation does not include all witnesses.")
            }
            E::StrongDelete => {
                write!(f, "Deletion of only one table replica is not supported for global tables {STRONG}.")
            }
            E::StrongNotEmpty => write!(f, "{INVALID}The table must be empty to become a global table {STRONG}"),
            E::StrongWithout(what) => write!(f, "{INVALID}{what} not supported for global tables {STRONG}"),
            E::OverridesOfRegionalTable => f.write_str(
                "Value 'ENABLED_WITH_OVERRIDES' at 'GlobalTableSettingsReplicationMode' failed to satisfy \
                 constraint: Only ENABLED and DISABLED settings replication are supported for a Regional \
                 Table.",
            ),
            E::StreamNeeded => {
                write!(f, "{INVALID}Disabling Stream is not allowed for a Global Table replica.")
            }
            E::ScalingOnDemand { table, regions, parameter } => {
                let regions: Vec<String> =
                    regions.iter().map(|region| ["'", &region.to_ascii_uppercase(), "'"].concat()).collect();
                write!(
                    f,
                    "Failed to update global table with name {OPEN}{table}{OPEN}. Replicas {} BillingMode is \
                     PayPerRequest. You must convert table's BillingMode to PROVISIONED to set parameters: \
                     '{parameter}'.",
                    regions.join(", ")
                )
            }
            E::ScalingOfNothing { table, region } => {
                write!(
                    f,
                    "Failed to update settings for global table with name: {OPEN}{table}{CLOSE} because at \
                     least one update parameter must be specified"
                )?;
                match region {
                    Some(region) => write!(f, " for region: {OPEN}{region}{CLOSE}."),
                    None => f.write_str("."),
                }
            }
            E::ScalingTwice { table, region } => write!(
                f,
                "Failed to update settings for global table with name: {OPEN}{table}{CLOSE} because the \
                 regions: {OPEN}[{region}]{CLOSE} were specified more than once."
            ),
        }
    }
}
