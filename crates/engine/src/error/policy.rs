//! What is wrong with a resource policy, or with the wish to change one.

use std::fmt;

use crate::limits::RESOURCE_POLICY_BYTES_MAX;

/// Why a policy document is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyError {
    /// It isn't JSON, or no object.
    Json,
    /// It is too long, white space counted.
    TooLong,
    /// It has no statement.
    NoStatement,
    /// A statement lacks a member.
    Missing(&'static str),
    /// Something stands where it can't.
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The character in it, from 1.
        column: usize,
    },
    /// Two statements have the same Sid.
    SidTwice,
    /// Actions that are none of the resource.
    Actions(Vec<String>),
    /// A resource that can't be in this policy.
    RelativeId {
        /// What the ARN says after the account.
        relative: String,
        /// The ARN.
        arn: String,
    },
    /// A resource that is neither an ARN nor `*`.
    NoArn(String),
    /// It allows everybody something.
    Unbounded,
    /// A principal that can't be one.
    Principal,
    /// The resource is another account's.
    OtherAccount,
    /// The resource's ARN is of another region or partition.
    OtherRegion(String),
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const INVALID: &str = "One or more parameter values were invalid: ";
        const DOCUMENT: &str = "One or more parameter values were invalid: Invalid policy document: ";
        match self {
            PolicyError::Json => write!(f, "{DOCUMENT}This policy contains invalid Json"),
            PolicyError::TooLong => {
                write!(f, "{INVALID}Maximum policy size of {RESOURCE_POLICY_BYTES_MAX} bytes exceeded")
            }
            PolicyError::NoStatement => {
                write!(f, "{DOCUMENT}Could not parse the policy: Statement is empty!")
            }
            PolicyError::Missing(member) => write!(f, "{DOCUMENT}Missing required field {member}"),
            PolicyError::Syntax { line, column } => {
                write!(f, "{DOCUMENT}Syntax error at position ({line},{column})")
            }
            PolicyError::SidTwice => write!(f, "{DOCUMENT}The Statement Ids in the policy are not unique"),
            PolicyError::Actions(names) => {
                write!(f, "{DOCUMENT}The following action names are invalid: \"{}\"", names.join("\", \""))
            }
            PolicyError::RelativeId { relative, arn } => {
                write!(f, "{DOCUMENT}The relative-id \"{relative}\" is invalid for ARN \"{arn}\"")
            }
            PolicyError::NoArn(sent) => {
                write!(f, "{DOCUMENT}Resource {sent} must be in ARN format or \"*\".")
            }
            PolicyError::Unbounded => f.write_str(
                "Resource-based policy grants unbounded access in one or more elements. Please revise the \
                 policy to ensure least-privilege form of access",
            ),
            PolicyError::Principal => write!(f, "{INVALID}Invalid principal in policy document."),
            PolicyError::OtherAccount => f.write_str(
                "This action is only supported by accounts that match the resource owner\u{2019}s account.",
            ),
            PolicyError::OtherRegion(arn) => write!(f, "{INVALID}Invalid resource Arn: {arn}"),
        }
    }
}

/// Why there is no policy, or not the one that a request expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyNotFound {
    /// The resource has none.
    None {
        /// Its ARN.
        arn: String,
    },
    /// One of a revision is expected, and there is none.
    Expected {
        /// The revision.
        revision: String,
        /// The table.
        table: String,
    },
    /// One of another revision is expected.
    OtherRevision {
        /// The revision.
        expected: String,
        /// The table.
        table: String,
        /// The revision there is.
        found: String,
    },
    /// None is expected, and there is one.
    NoneExpected {
        /// The table.
        table: String,
        /// The revision there is.
        found: String,
    },
}

impl fmt::Display for PolicyNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resource-based policy not found for the provided ResourceArn: ")?;
        match self {
            PolicyNotFound::None { arn } => f.write_str(arn),
            PolicyNotFound::Expected { revision, table } => write!(
                f,
                "Requested update for policy with revision id {revision}, but table {table} has no \
                 associated policy."
            ),
            PolicyNotFound::OtherRevision { expected, table, found } => write!(
                f,
                "Requested update for policy with revision id {expected}, but the policy associated to \
                 target table {table} has revision id {found}."
            ),
            PolicyNotFound::NoneExpected { table, found } => write!(
                f,
                "Requested policy update expecting none to be present for table {table}, but a policy \
                 exists with revision id {found}."
            ),
        }
    }
}
