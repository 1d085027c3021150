//! ListTables.

use keyplan_store::StoreExt;
use keyplan_value::json::{Node, Writer};

use super::{Answer, Failure};
use crate::catalog;
use crate::context::Context;
use crate::limits::LIST_TABLES_NAMES_MAX;
use crate::validate::{integer, string};

/// ListTables: names in byte order, after a name that need not exist.
pub(super) fn list_tables(context: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let after = string(request, "ExclusiveStartTableName");
    // The constraints of the shape hold it between 1 and the maximum.
    let limit = integer(request, "Limit").and_then(|limit| usize::try_from(limit).ok());
    let limit = limit.unwrap_or(LIST_TABLES_NAMES_MAX);
    let (names, more) =
        context.store().view(|snapshot| catalog::names(snapshot, after.as_deref(), limit))??;
    let mut body = Vec::new();
    let mut out = Writer::new(&mut body);
    out.begin_object();
    out.name("TableNames").begin_array();
    for name in &names {
        out.string(name);
    }
    out.end_array();
    if more && let Some(last) = names.last() {
        out.name("LastEvaluatedTableName").string(last);
    }
    out.end_object();
    Ok(body.into())
}
