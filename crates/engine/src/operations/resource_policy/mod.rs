//! PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy.
//!
//! The resource's ARN is looked at first, then the document, then whether there is such a resource, and last
//! what revision the request expects.

use keyplan_store::{Batch, Snapshot, StoreExt};
use keyplan_value::json::{Node, Writer};

use super::{Answer, Failure};
use crate::arn::{ACCOUNT, ResourceReference};
use crate::catalog::{self, name_of_key};
use crate::context::Context;
use crate::error::{NotFound, PolicyError, PolicyNotFound, ResourceArnError, ServiceError, ValidationError};
use crate::policies::{self, Attached, Document, Kept, shown};
use crate::streams;
use crate::undo::WriteLabel;
use crate::validate::{boolean, string};

/// Runs one GetResourcePolicy.
pub(super) fn get_resource_policy(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let resource = Resource::read(ctx, request)?;
    let kept = ctx.store().view(|snapshot| -> Result<_, ServiceError> {
        Ok(policies::kept(snapshot, &resource.find(ctx, snapshot)?)?)
    })??;
    let Some((policy, kept)) = kept.as_ref().and_then(|kept| Some((kept.policy()?, kept))) else {
        let arn = resource.reference.sent().to_owned();
        return Err(ServiceError::PolicyNotFound(PolicyNotFound::None { arn }).into());
    };
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("Policy").string(&shown(policy));
    json.name("RevisionId").string(&kept.revision.to_string()).end_object();
    Ok(body.into())
}

/// Runs one PutResourcePolicy. A document that is the same as the one that is kept changes nothing, not even
/// the revision.
pub(super) fn put_resource_policy(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let resource = Resource::read(ctx, request)?;
    let sent = string(request, "Policy").unwrap_or_default();
    let document = Document::parse(&sent, resource.attached()).map_err(ValidationError::Policy)?;
    if document.locks_out && boolean(request, "ConfirmRemoveSelfResourceAccess") != Some(true) {
        return Err(ServiceError::PolicyLocksOut.into());
    }
    let expected = string(request, "ExpectedRevisionId").map(|id| id.into_owned());
    let now = ctx.now();
    let revision = change(ctx, resource, move |name, kept| {
        check_expected(expected.as_deref(), kept, name)?;
        match kept {
            Some(kept) if kept.policy() == Some(&document.text) => Ok((kept.revision.to_string(), None)),
            kept => {
                let revision = Kept::next_revision(kept, now);
                let text = Some(document.text.clone());
                Ok((revision.to_string(), Some(Kept { revision, text })))
            }
        }
    })?;
    Ok(revised(Some(&revision)))
}

/// Runs one DeleteResourcePolicy. Where there is no policy the answer is the revision of its removal, or
/// nothing if there never was one.
pub(super) fn delete_resource_policy(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let resource = Resource::read(ctx, request)?;
    let expected = string(request, "ExpectedRevisionId").map(|id| id.into_owned());
    let now = ctx.now();
    let revision = change(ctx, resource, move |name, kept| {
        check_expected(expected.as_deref(), kept, name)?;
        let Some(kept) = kept else { return Ok((None, None)) };
        let taken_away =
            kept.policy().map(|_| Kept { revision: Kept::next_revision(Some(kept), now), text: None });
        Ok((Some(kept.revision.to_string()), taken_away))
    })?;
    Ok(revised(revision.as_deref()))
}

fn revised(revision: Option<&str>) -> Answer {
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object();
    if let Some(revision) = revision {
        json.name("RevisionId").string(revision);
    }
    json.end_object();
    body.into()
}

/// What a request expects of the revision that there is.
const NO_POLICY: &str = "NO_POLICY";

fn check_expected(expected: Option<&str>, kept: Option<&Kept>, table: &str) -> Result<(), ServiceError> {
    let found = kept.filter(|kept| kept.policy().is_some()).map(|kept| kept.revision.to_string());
    let table = table.to_owned();
    let missing = match (expected, found) {
        (None, _) | (Some(NO_POLICY), None) => return Ok(()),
        (Some(NO_POLICY), Some(found)) => PolicyNotFound::NoneExpected { table, found },
        (Some(expected), Some(found)) if expected == found => return Ok(()),
        (Some(expected), Some(found)) => {
            PolicyNotFound::OtherRevision { expected: expected.to_owned(), table, found }
        }
        (Some(expected), None) => PolicyNotFound::Expected { revision: expected.to_owned(), table },
    };
    Err(ServiceError::PolicyNotFound(missing))
}

/// What a change comes to: the answer, and what is kept from now on if that is something else.
type Changed<A> = Result<(A, Option<Kept>), ServiceError>;

fn change<A: Send + 'static>(
    ctx: &Context<'_>,
    resource: Resource<'_>,
    change: impl Fn(&str, Option<&Kept>) -> Changed<A> + Send + 'static,
) -> Result<A, ServiceError> {
    let place = ctx.store().view(|snapshot| resource.find(ctx, snapshot))??;
    let (key, name) = (resource.key, resource.name);
    let label = WriteLabel { operation: ctx.operation().name, table: &key, now: ctx.now() };
    ctx.undo().transact(ctx.store(), label, move |snapshot| {
        let mut batch = Batch::new();
        let kept = policies::kept(snapshot, &place)?;
        let (answer, changed) = change(&name, kept.as_ref())?;
        if let Some(kept) = changed {
            policies::put(&mut batch, &place, &kept)?;
        }
        Ok((batch, answer))
    })?
}

/// What a request's ResourceArn names.
struct Resource<'a> {
    reference: ResourceReference<'a>,
    /// The table's place in the catalog, or that of the table of the stream.
    key: String,
    /// Its name.
    name: String,
}

impl<'a> Resource<'a> {
    /// Reads the ARN.
    ///
    /// # Errors
    /// When it is none of a table or stream of this account and region.
    fn read(ctx: &Context<'_>, request: Node<'_, 'a>) -> Result<Resource<'a>, ServiceError> {
        let sent = string(request, "ResourceArn").unwrap_or_default();
        // What is told of a backup is what is told of another service.
        let of_backup = sent.contains("/backup/").then(|| sent.clone().into_owned());
        let reference = ResourceReference::parse(sent).map_err(|error| match of_backup {
            Some(sent) => ValidationError::ResourceArn(ResourceArnError::OtherService(sent)),
            None => ValidationError::ResourceArn(error),
        })?;
        if reference.account() != Some(ACCOUNT) {
            return Err(ValidationError::Policy(PolicyError::OtherAccount).into());
        }
        if reference.region() != ctx.region() || reference.partition() != "aws" {
            let arn = reference.sent().to_owned();
            return Err(ValidationError::Policy(PolicyError::OtherRegion(arn)).into());
        }
        let name = reference.table().or_else(|| reference.stream().map(|(table, _)| table));
        let name = name.unwrap_or_default().to_owned();
        let key = ctx.table_key(&name)?;
        Ok(Resource { reference, key, name })
    }

    fn attached(&self) -> Attached {
        if self.reference.stream().is_some() { Attached::Stream } else { Attached::Table }
    }

    /// The place of its policy, if there is such a table or stream.
    ///
    /// # Errors
    /// ResourceNotFoundException, or the store's failure.
    fn find(&self, ctx: &Context<'_>, snapshot: &dyn Snapshot) -> Result<Vec<u8>, ServiceError> {
        let Some((table, label)) = self.reference.stream() else {
            let found = catalog::table_in(snapshot, &self.key)?;
            let missing = || ServiceError::ResourceNotFound(NotFound::Table(self.name.clone()));
            return found.map(|table| table.key().as_bytes().to_vec()).ok_or_else(missing);
        };
        match streams::stream_of(snapshot, &self.reference, ctx.now())? {
            Some(stream) => Ok(streams::key(&stream.table, &stream.label)),
            None => Err(ServiceError::ResourceNotFound(NotFound::StreamOfTable {
                table: name_of_key(table).to_owned(),
                label: label.to_owned(),
            })),
        }
    }
}
