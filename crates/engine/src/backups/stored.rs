//! A backup as a stored item.

use keyplan_store::{SharedBytes, Space};
use keyplan_value::{AttributeValue, Item, ItemRef};

use super::{Backup, BackupId, BackupKind};
use crate::call::Timestamp;
use crate::catalog::{self, Totals};
use crate::error::InternalError;

const MALFORMED: InternalError = InternalError::Malformed("a backup's description");

/// The id that a record's key tells.
pub(super) fn id_of(key: &[u8]) -> Result<BackupId, InternalError> {
    let (made, told_apart) = key.split_first_chunk::<8>().ok_or(MALFORMED)?;
    let told_apart = told_apart.try_into().map_err(|_| MALFORMED)?;
    Ok(BackupId { made: Timestamp(u64::from_be_bytes(*made)), told_apart: u32::from_be_bytes(told_apart) })
}

/// The stored form of a backup.
pub(super) fn encode(backup: &Backup) -> Result<SharedBytes, InternalError> {
    let count = |count: i64| u64::try_from(count).unwrap_or_default();
    let mut members: Vec<(&str, AttributeValue)> = vec![
        ("BackupName", backup.name.as_str().into()),
        ("BackupType", backup.kind.word().into()),
        ("TableName", backup.table.name.as_str().into()),
        ("Table", AttributeValue::B(catalog::encode(&backup.table)?.to_vec())),
        ("Items", count(backup.totals.items).into()),
        ("Bytes", count(backup.totals.bytes).into()),
        ("Space", backup.space.0.into()),
    ];
    members.extend(backup.expires_at.map(|at| ("ExpiresAt", at.0.into())));
    Ok(Item::from_attributes(members).map_err(|_| MALFORMED)?.into_stored())
}

/// The backup in a stored item.
pub(super) fn decode(id: BackupId, bytes: &[u8]) -> Result<Backup, InternalError> {
    let item = ItemRef::from_stored(bytes)?;
    let table = item.get("Table").and_then(|table| table.as_bytes()).ok_or(MALFORMED)?;
    read(id, item, catalog::decode(table)?).ok_or(MALFORMED)
}

fn read(id: BackupId, item: ItemRef<'_>, table: catalog::TableDefinition) -> Option<Backup> {
    let number = |name: &str| item.get(name)?.number()?.to_u64();
    let count = |name: &str| i64::try_from(number(name)?).ok();
    let kind = match item.get("BackupType")?.as_str()? {
        "USER" => BackupKind::User,
        "SYSTEM" => BackupKind::System,
        _ => return None,
    };
    Some(Backup {
        id,
        name: item.get("BackupName")?.as_str()?.to_owned(),
        kind,
        table,
        totals: Totals { items: count("Items")?, bytes: count("Bytes")? },
        space: Space(number("Space")?),
        expires_at: number("ExpiresAt").map(Timestamp),
    })
}
