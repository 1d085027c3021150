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
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use SettingError as E;
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
            E::EncryptionType => f.write_str("SSEType AES256 is not supported"),
        }
    }
}
