//! ListTables.

use keyplan_store::StoreExt;
use keyplan_value::json::{Node, Writer};
use keyplan_value::order;

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
    let (mut names, mut more) =
        context.store().view(|snapshot| catalog::names(snapshot, after.as_deref(), limit))??;
    if let Some(weather) = context.weather() {
        let leaving = weather.leaving(context.now());
        let left = leaving.iter().map(|leaving| leaving.table.name.clone());
        let last = if more { names.last().cloned() } else { None };
        let on_page = |name: &String| {
            after.as_deref().is_none_or(|after| name.as_str() > after)
                && last.as_ref().is_none_or(|last| name < last)
        };
        names.extend(left.filter(on_page));
        order::sort_by(&mut names, String::cmp);
        names.dedup();
        more |= names.len() > limit;
        names.truncate(limit);
    }
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
