//! What can be wrong with the ARN of a resource that has tags.

use std::fmt;

/// A ResourceArn that names nothing which can have tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceArnError {
    /// It is empty.
    Empty,
    /// It doesn't start as an ARN.
    NoArn(String),
    /// It is of another service.
    OtherService(String),
    /// It is of something without tags.
    OtherResource(String),
    /// It is of another region, or has parts missing.
    Malformed(String),
}

impl fmt::Display for ResourceArnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const INVALID: &str = "One or more parameter values were invalid: ";
        match self {
            ResourceArnError::Empty => f.write_str("Invalid TableArn"),
            ResourceArnError::NoArn(sent) => write!(f, "{INVALID}ARNs must start with 'arn:': {sent}"),
            ResourceArnError::OtherService(sent) => {
                write!(f, "{INVALID}Provided Arn is not a DynamoDB resource arn: {sent}")
            }
            ResourceArnError::OtherResource(sent) => write!(
                f,
                "{INVALID}Invalid resource arn provided, only table or stream is accepted. Provided resource \
                 arn: {sent}"
            ),
            ResourceArnError::Malformed(sent) => {
                write!(f, "Invalid TableArn: Invalid ResourceArn provided as input {sent}")
            }
        }
    }
}
