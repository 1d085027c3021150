//! UpdateContributorInsights, DescribeContributorInsights and ListContributorInsights.

use keyplan_store::{Batch, StoreExt};
use keyplan_value::json::{Node, Writer};

use super::parameters::table_reference;
use super::{Answer, Failure};
use crate::arn::TableReference;
use crate::catalog::{IndexScope, TableDefinition, name_of_key, region_of_key};
use crate::context::Context;
use crate::error::{InternalError, NotFound, ServiceError, ValidationError};
use crate::insights::{self, InsightsMode, Listed, Settings};
use crate::limits::LIST_INSIGHTS_MAX;
use crate::undo::WriteLabel;
use crate::validate::{integer, string};

/// Runs one DescribeContributorInsights.
pub(super) fn describe_contributor_insights(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    let (table, index) = subject(ctx, &reference, request)?;
    let key = table.key();
    let settings = ctx.store().view(|snapshot| insights::settings(snapshot, &key, index.as_deref()))??;
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("TableName").string(&table.name);
    if let Some(index) = &index {
        json.name("IndexName").string(index);
    }
    let is_enabled = settings.as_ref().is_some_and(|settings| settings.is_enabled);
    json.name("ContributorInsightsStatus").string(if is_enabled { "ENABLED" } else { "DISABLED" });
    if let Some(settings) = &settings {
        if is_enabled {
            write_rules(&table, index.as_deref(), settings, &mut json);
        }
        json.name("LastUpdateDateTime").float(settings.updated_at.seconds());
        json.name("ContributorInsightsMode").string(settings.mode.word());
    }
    json.end_object();
    Ok(body.into())
}

/// The rules that the service makes: for partition keys, and where there are sort keys for items; of each one
/// for accesses and one for throttled requests.
fn write_rules(table: &TableDefinition, index: Option<&str>, settings: &Settings, json: &mut Writer<'_>) {
    let schema =
        index.and_then(|name| table.index(name)).map_or(&table.key_schema, |index| &index.key_schema);
    let subject = index.map_or_else(|| table.name.clone(), |index| [&table.name, "-", index].concat());
    json.name("ContributorInsightsRuleList").begin_array();
    for (kind, of_accesses, of_items) in
        [("PKC", true, false), ("SKC", true, true), ("PKT", false, false), ("SKT", false, true)]
    {
        let counts = !of_accesses || settings.mode == InsightsMode::AccessedAndThrottled;
        if counts && (!of_items || !schema.sort.is_empty()) {
            let since = settings.since.0.to_string();
            json.string(&["DynamoDBContributorInsights-", kind, "-", &subject, "-", &since].concat());
        }
    }
    json.end_array();
}

/// Runs one UpdateContributorInsights. What is as it is asked to be stays, and the answer says so.
pub(super) fn update_contributor_insights(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let reference = table_reference(request)?;
    let (table, index) = subject(ctx, &reference, request)?;
    let enable = string(request, "ContributorInsightsAction").is_some_and(|action| action == "ENABLE");
    // A mode that isn't sent is the first, whatever it was.
    let mode = string(request, "ContributorInsightsMode").and_then(|word| InsightsMode::from_word(&word));
    let mode = mode.unwrap_or(InsightsMode::AccessedAndThrottled);
    let key = table.key().into_owned();
    let label = WriteLabel { operation: ctx.operation().name, table: &key, now: ctx.now() };
    let (place, of, now) = (key.clone(), index.clone(), ctx.now());
    let written = ctx.undo().transact(ctx.store(), label, move |snapshot| -> Result<_, InternalError> {
        let mut batch = Batch::new();
        let before = insights::settings(snapshot, &place, of.as_deref())?;
        let was_enabled = before.as_ref().is_some_and(|before| before.is_enabled);
        let (status, settings) = match (before, enable) {
            (Some(before), true) if was_enabled && before.mode == mode => ("ENABLED", Some(before)),
            (before, true) => {
                let since = before.filter(|_| was_enabled).map_or(now, |before| before.since);
                let settings = Settings { is_enabled: true, mode, since, updated_at: now };
                insights::put(&mut batch, &place, of.as_deref(), &settings)?;
                ("ENABLING", Some(settings))
            }
            (Some(before), false) if was_enabled => {
                let settings = Settings { is_enabled: false, updated_at: now, ..before };
                insights::put(&mut batch, &place, of.as_deref(), &settings)?;
                ("DISABLING", Some(settings))
            }
            (before, false) => ("DISABLED", before),
        };
        Ok((batch, (status, settings.map(|settings| settings.mode))))
    })?;
    let (status, mode) = written?;
    ctx.insights_changed()?;
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("TableName").string(&table.name);
    if let Some(index) = &index {
        json.name("IndexName").string(index);
    }
    json.name("ContributorInsightsStatus").string(status);
    if let Some(mode) = mode {
        json.name("ContributorInsightsMode").string(mode.word());
    }
    json.end_object();
    Ok(body.into())
}

/// Runs one ListContributorInsights: those that are enabled, each table before its indexes.
pub(super) fn list_contributor_insights(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let table = match string(request, "TableName") {
        Some(sent) => {
            let reference = TableReference::parse(sent).map_err(ValidationError::Arn)?;
            Some(ctx.named_table(&reference)?.key().into_owned())
        }
        None => None,
    };
    let limit = integer(request, "MaxResults").and_then(|limit| usize::try_from(limit).ok());
    let limit = limit.filter(|limit| *limit > 0).unwrap_or(LIST_INSIGHTS_MAX);
    let after = string(request, "NextToken");
    let mut listed = ctx.store().view(|snapshot| insights::enabled(snapshot, table.as_deref()))??;
    // A table that has a replica where the request is, is that replica there.
    let mut here = Vec::new();
    for (key, ..) in &listed {
        here.push(match region_of_key(key) {
            Some(region) => region == ctx.region(),
            None => ctx.table_key(key)? == *key,
        });
    }
    let mut here = here.into_iter();
    listed.retain(|_| here.next().unwrap_or_default());
    // The token is the last that was listed; of one that isn't there the rest comes from the beginning.
    let start = after.and_then(|after| listed.iter().position(|listed| token(listed) == after));
    let left = listed.get(start.map_or(0, |at| at + 1)..).unwrap_or_default();
    let page = left.get(..limit).unwrap_or(left);
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("ContributorInsightsSummaries").begin_array();
    for (table, index, settings) in page {
        json.begin_object().name("TableName").string(name_of_key(table));
        if let Some(index) = index {
            json.name("IndexName").string(index);
        }
        json.name("ContributorInsightsStatus").string("ENABLED");
        json.name("ContributorInsightsMode").string(settings.mode.word()).end_object();
    }
    json.end_array();
    if let Some(last) = page.last().filter(|_| page.len() < left.len()) {
        json.name("NextToken").string(&token(last));
    }
    json.end_object();
    Ok(body.into())
}

fn token((table, index, _): &Listed) -> String {
    [table, "/", index.as_deref().unwrap_or_default()].concat()
}

/// The table that a request names, and a global secondary index of it if it names one.
///
/// # Errors
/// When there is no such table or index.
fn subject(
    ctx: &Context<'_>,
    reference: &TableReference<'_>,
    request: Node<'_, '_>,
) -> Result<(std::sync::Arc<TableDefinition>, Option<String>), ServiceError> {
    let table = ctx.named_table(reference)?;
    let Some(index) = string(request, "IndexName") else { return Ok((table, None)) };
    let is_global = |name: &str| table.indexes_of(IndexScope::Global).any(|index| index.name == name);
    if !is_global(&index) {
        let missing = NotFound::IndexOfTable { table: table.name.clone(), index: index.into_owned() };
        return Err(ServiceError::ResourceNotFound(missing));
    }
    Ok((table, Some(index.into_owned())))
}
