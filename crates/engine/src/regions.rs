//! The regions that the service has, as far as global tables ask.

/// The regions in which a table can have a replica, as the service lists them.
pub(crate) const KNOWN_REGIONS: [&str; 34] = [
    "ap-south-2",
    "ap-south-1",
    "eu-south-1",
    "eu-south-2",
    "me-central-1",
    "il-central-1",
    "ca-central-1",
    "ca-west-1",
    "eu-central-1",
    "eu-central-2",
    "us-west-1",
    "us-west-2",
    "mx-central-1",
    "af-south-1",
    "eu-north-1",
    "eu-west-3",
    "eu-west-2",
    "eu-west-1",
    "ap-northeast-3",
    "ap-northeast-2",
    "me-south-1",
    "ap-northeast-1",
    "sa-east-1",
    "ap-east-1",
    "ap-east-2",
    "ap-southeast-1",
    "ap-southeast-2",
    "ap-southeast-3",
    "ap-southeast-4",
    "ap-southeast-5",
    "ap-southeast-7",
    "ap-southeast-6",
    "us-east-1",
    "us-east-2",
];

/// Those in which a strongly consistent one can be.
pub(crate) const STRONG_REGIONS: [&str; 10] = [
    "us-east-1",
    "us-east-2",
    "us-west-2",
    "eu-west-1",
    "eu-west-2",
    "eu-west-3",
    "eu-central-1",
    "ap-northeast-1",
    "ap-northeast-2",
    "ap-northeast-3",
];

/// Whether there is such a region.
pub(crate) fn is_known(region: &str) -> bool {
    KNOWN_REGIONS.contains(&region)
}
