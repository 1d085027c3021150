//! Stream, encryption, and what a table of one account has no use for.

use keyplan_value::json::Node;

use crate::arn::{ACCOUNT, key_arn};
use crate::catalog::{StreamView, random_uuid, uuid_text};
use crate::context::Context;
use crate::error::{DefinitionError, SettingError};
use crate::validate::{boolean, present, string};

/// What is kept of a table's settings.
pub(in crate::operations) struct Settings {
    /// The ARN of the key that encrypts the table, where the request asks for one.
    pub(in crate::operations) encryption_key: Option<String>,
    /// What the table's stream shows, where the request asks for one.
    pub(in crate::operations) stream: Option<StreamView>,
}

/// Reads and checks the settings.
pub(in crate::operations) fn settings(
    context: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Settings, DefinitionError> {
    let stream = stream(request)?;
    let encryption_key = encryption(context, request)?;
    if present(request, "GlobalTableSourceArn").is_some() {
        return Err(SettingError::GlobalTableOfAccounts.into());
    }
    Ok(Settings { encryption_key, stream })
}

fn stream(request: Node<'_, '_>) -> Result<Option<StreamView>, SettingError> {
    let Some(stream) = present(request, "StreamSpecification") else { return Ok(None) };
    let enabled = boolean(stream, "StreamEnabled").unwrap_or_default();
    match (enabled, view(stream)) {
        (false, Some(_)) => Err(SettingError::StreamViewUnused),
        (true, None) => Err(SettingError::StreamViewMissing),
        (_, view) => Ok(view),
    }
}

/// The view type that a StreamSpecification names.
pub(in crate::operations) fn view(stream: Node<'_, '_>) -> Option<StreamView> {
    string(stream, "StreamViewType").and_then(|word| StreamView::from_word(&word))
}

/// Reads SSESpecification. Nothing is encrypted here, as a table's bytes lie on the user's own machine;
/// the answers are those of an encrypted table.
pub(in crate::operations) fn encryption(
    context: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Option<String>, SettingError> {
    present(request, "SSESpecification").map_or(Ok(None), |asked| encryption_key(context, asked))
}

/// The key that a specification of encryption asks for, if it asks for any.
pub(in crate::operations) fn encryption_key(
    context: &Context<'_>,
    asked: Node<'_, '_>,
) -> Result<Option<String>, SettingError> {
    let enabled = boolean(asked, "Enabled");
    let kind = string(asked, "SSEType");
    let key = string(asked, "KMSMasterKeyId");
    if enabled == Some(false) {
        return match (kind, key) {
            (Some(_), _) => Err(SettingError::EncryptionDisabled("SSEType")),
            (None, Some(_)) => Err(SettingError::EncryptionDisabled("KMSMasterKeyId")),
            (None, None) => Ok(None),
        };
    }
    match kind.as_deref() {
        Some("AES256") => return Err(SettingError::EncryptionType),
        Some(_) => {}
        None if key.is_some() => return Err(SettingError::EncryptionKeyWithoutType),
        None if enabled.is_none() => return Ok(None),
        None => {}
    }
    Ok(Some(match key {
        Some(key) if key.starts_with("arn:") => key.into_owned(),
        Some(key) => key_arn(context.region(), &key),
        // The account's own key for DynamoDB; one account has one, so its id is always the same.
        None => key_arn(context.region(), &uuid_text(random_uuid(ACCOUNT.len() as u128))),
    }))
}
