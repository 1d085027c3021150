//! Stream and encryption.

use std::fmt;

use super::INVALID;

/// What is wrong with a stream or with encryption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingError {
    /// A view type for a stream that isn't enabled.
    StreamViewUnused,
    /// A stream without a view type.
    StreamViewMissing,
    /// An encryption member beside `Enabled: false`.
    EncryptionDisabled(&'static str),
    /// A key without the type KMS.
    EncryptionKeyWithoutType,
    /// Encryption of the type AES256.
    EncryptionType,
    /// A global table of the version of 2017.
    GlobalTableVersion,
    /// A global table of several accounts.
    GlobalTableOfAccounts,
    /// Something that the service doesn't say more of.
    Unsaid,
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use SettingError as E;
        // The service leaves it at the lead, without what parts it from more.
        if *self == E::Unsaid {
            return f.write_str(INVALID.trim_end_matches([':', ' ']));
        }
        f.write_str(INVALID)?;
        match self {
            E::StreamViewUnused => f.write_str(
                "Table is being created with a stream disabled, UpdateViewType should not be specified",
            ),
            E::StreamViewMissing => {
                f.write_str("Table is being created with a stream enabled, UpdateViewType is required")
            }
            E::EncryptionDisabled(member) => write!(f, "{member} can not be specified if Enabled is false"),
            E::EncryptionKeyWithoutType => {
                f.write_str("SSEType KMS is required if KMSMasterKeyId is specified")
            }
            E::GlobalTableVersion => f.write_str(
                "DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB \
                 global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).",
            ),
            // Here there is one account, so these are the engine's own words.
            E::GlobalTableOfAccounts => f.write_str(
                "GlobalTableSourceArn names a table of another account, and there is one account. Create the \
                 table, and add replicas with UpdateTable.",
            ),
            E::Unsaid => Ok(()),
            E::EncryptionType => f.write_str("SSEType AES256 is not supported"),
        }
    }
}
