//! Amazon resource names, and table names given as one.

use std::borrow::Cow;
use std::fmt;

use crate::error::ResourceArnError;

/// The account that owns everything here: the one of the documentation's examples. Twelve zeros are what
/// programs write for an account that isn't theirs.
pub const ACCOUNT: &str = "123456789012";

/// The region of a request that names none.
pub const DEFAULT_REGION: &str = "us-east-1";

/// The ARN of a table.
pub fn table_arn(region: &str, name: &str) -> String {
    format!("arn:aws:dynamodb:{region}:{ACCOUNT}:table/{name}")
}

/// The ARN of a stream of a table.
pub fn stream_arn(region: &str, table: &str, label: &str) -> String {
    format!("{}/stream/{label}", table_arn(region, table))
}

/// The ARN of a backup of a table.
pub fn backup_arn(region: &str, table: &str, id: &str) -> String {
    format!("{}/backup/{id}", table_arn(region, table))
}

/// The ARN of an index of a table.
pub fn index_arn(region: &str, table: &str, index: &str) -> String {
    format!("{}/index/{index}", table_arn(region, table))
}

/// The ARN of an export of a table, an import of one, or a bulk operation on one.
pub fn transfer_arn(region: &str, table: &str, kind: &str, id: &str) -> String {
    [&table_arn(region, table), "/", kind, "/", id].concat()
}

/// The ARN of an encryption key given by its id or alias.
pub fn key_arn(region: &str, key: &str) -> String {
    let kind = if key.starts_with("alias/") { "" } else { "key/" };
    format!("arn:aws:kms:{region}:{ACCOUNT}:{kind}{key}")
}

/// A table as a request names it: by its name or its ARN. Answers echo what was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableReference<'a> {
    sent: Cow<'a, str>,
    name_start: usize,
}

impl<'a> TableReference<'a> {
    /// Reads a `TableName` member.
    ///
    /// # Errors
    /// When it starts as an ARN and isn't one of a table.
    pub fn parse(sent: Cow<'a, str>) -> Result<TableReference<'a>, ArnError> {
        let name_start = match sent.strip_prefix("arn:") {
            Some(rest) => match table_name_start(rest) {
                Ok(start) => sent.len() - rest.len() + start,
                Err(fault) => return Err(ArnError { fault, sent: sent.into_owned() }),
            },
            None => 0,
        };
        Ok(TableReference { sent, name_start })
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        self.sent.get(self.name_start..).unwrap_or_default()
    }

    /// What the request said: answers that echo the table echo this.
    pub fn sent(&self) -> &str {
        &self.sent
    }

    /// The account, when an ARN was sent.
    pub fn account(&self) -> Option<&str> {
        if self.name_start == 0 { None } else { self.sent.split(':').nth(4) }
    }

    /// The region, when an ARN was sent.
    pub fn region(&self) -> Option<&str> {
        if self.name_start == 0 { None } else { self.sent.split(':').nth(3) }
    }
}

/// A resource that can have tags: a table or a stream of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceReference<'a> {
    sent: Cow<'a, str>,
}

impl<'a> ResourceReference<'a> {
    /// Reads a `ResourceArn` member.
    ///
    /// # Errors
    /// When it is no ARN of a table or stream.
    pub fn parse(sent: Cow<'a, str>) -> Result<ResourceReference<'a>, ResourceArnError> {
        let whole = || sent.clone().into_owned();
        if sent.is_empty() {
            return Err(ResourceArnError::Empty);
        }
        let parts: Vec<&str> = sent.splitn(6, ':').collect();
        let [lead, _, service, _, _, resource] = parts.as_slice() else {
            let is_arn = sent.starts_with("arn:");
            return Err(if is_arn { ResourceArnError::Malformed } else { ResourceArnError::NoArn }(whole()));
        };
        if *lead != "arn" {
            return Err(ResourceArnError::NoArn(whole()));
        }
        if *service != "dynamodb" {
            return Err(ResourceArnError::OtherService(whole()));
        }
        let mut steps = resource.split('/');
        match (steps.next(), steps.next(), steps.next(), steps.next(), steps.next()) {
            (Some("table"), Some(name), None, ..)
            | (Some("table"), Some(name), Some("stream"), Some(_), None)
                if !name.is_empty() => {}
            _ => return Err(ResourceArnError::OtherResource(whole())),
        }
        Ok(ResourceReference { sent })
    }

    /// Refuses a resource of another region than the request's.
    ///
    /// # Errors
    /// When it is elsewhere.
    pub fn within(&self, region: &str) -> Result<(), ResourceArnError> {
        if self.sent.split(':').nth(3) == Some(region) {
            return Ok(());
        }
        Err(ResourceArnError::Malformed(self.sent.clone().into_owned()))
    }

    /// What the request said.
    pub fn sent(&self) -> &str {
        &self.sent
    }

    /// The account.
    pub fn account(&self) -> Option<&str> {
        self.sent.split(':').nth(4)
    }

    /// The region.
    pub fn region(&self) -> &str {
        self.sent.split(':').nth(3).unwrap_or_default()
    }

    /// The partition, such as `aws`.
    pub fn partition(&self) -> &str {
        self.sent.split(':').nth(1).unwrap_or_default()
    }

    /// The table; nothing for a stream.
    pub fn table(&self) -> Option<&str> {
        let name = self.name()?;
        (!name.contains('/')).then_some(name)
    }

    /// The table and the label of a stream; nothing for a table.
    pub fn stream(&self) -> Option<(&str, &str)> {
        self.name()?.split_once("/stream/")
    }

    fn name(&self) -> Option<&str> {
        self.sent.splitn(6, ':').nth(5)?.strip_prefix("table/")
    }
}

/// A backup, as a request names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupReference<'a> {
    sent: Cow<'a, str>,
}

impl<'a> BackupReference<'a> {
    /// Reads a `BackupArn` member; nothing if it is no ARN of a backup.
    pub fn parse(sent: Cow<'a, str>) -> Option<BackupReference<'a>> {
        let reference = BackupReference { sent };
        let mut parts = reference.sent.splitn(6, ':');
        let is_ours = parts.next() == Some("arn") && parts.nth(1) == Some("dynamodb");
        let (table, id) = reference.parts()?;
        (is_ours && !table.is_empty() && !table.contains('/') && !id.contains('/')).then_some(reference)
    }

    /// What the request said.
    pub fn sent(&self) -> &str {
        &self.sent
    }

    /// The region.
    pub fn region(&self) -> Option<&str> {
        self.sent.split(':').nth(3)
    }

    /// The account.
    pub fn account(&self) -> Option<&str> {
        self.sent.split(':').nth(4)
    }

    /// The table's name and the last part, which names the backup.
    pub fn parts(&self) -> Option<(&str, &str)> {
        self.sent.splitn(6, ':').nth(5)?.strip_prefix("table/")?.split_once("/backup/")
    }
}

/// Where the table's name starts in the part of an ARN after `arn:`.
fn table_name_start(rest: &str) -> Result<usize, ArnFault> {
    let mut parts = rest.splitn(5, ':');
    let mut part = || parts.next().unwrap_or_default();
    let (partition, service, region, account, resource) = (part(), part(), part(), part(), part());
    if !matches!(partition, "aws" | "aws-cn" | "aws-us-gov" | "aws-iso" | "aws-iso-b") {
        return Err(ArnFault::Partition);
    }
    if service != "dynamodb" || account.len() != ACCOUNT.len() || !account.bytes().all(|b| b.is_ascii_digit())
    {
        return Err(ArnFault::Form);
    }
    if region.is_empty() || !region.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    {
        return Err(ArnFault::Region);
    }
    match resource.strip_prefix("table/") {
        Some(name) if !name.is_empty() && !name.contains('/') => Ok(rest.len() - name.len()),
        _ => Err(ArnFault::ResourceType),
    }
}

/// A table name that starts as an ARN and isn't one of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArnError {
    fault: ArnFault,
    sent: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArnFault {
    Partition,
    Region,
    ResourceType,
    Form,
}

impl fmt::Display for ArnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.fault {
            ArnFault::Partition => "Invalid AWS partition",
            ArnFault::Region => "Invalid AWS region",
            ArnFault::ResourceType => "Invalid resource type",
            ArnFault::Form => {
                return f.write_str(
                    "1 validation error detected: Valid ARN format is \
                     arn:<partition>:dynamodb:<region>:<account>:table/<table name>",
                );
            }
        };
        write!(f, "1 validation error detected: {what} in '{}'", self.sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_itself() {
        let reference = TableReference::parse("Counters".into()).expect("a name");
        assert_eq!((reference.name(), reference.sent(), reference.account()), ("Counters", "Counters", None));
    }

    #[test]
    fn an_arn_gives_its_table_and_is_echoed_whole() {
        let sent = table_arn("eu-west-2", "Counters");
        let reference = TableReference::parse(sent.as_str().into()).expect("an ARN");
        assert_eq!(reference.name(), "Counters");
        assert_eq!(reference.sent(), sent);
        assert_eq!(reference.account(), Some(ACCOUNT));
    }

    #[test]
    fn each_broken_part_has_its_text() {
        let lead = "1 validation error detected: ";
        for (sent, text) in [
            ("arn:gcp:dynamodb:us-east-1:123456789012:table/T", "Invalid AWS partition in "),
            ("arn:aws:dynamodb:US EAST:123456789012:table/T", "Invalid AWS region in "),
            ("arn:aws:dynamodb:us-east-1:123456789012:stream/T", "Invalid resource type in "),
            ("arn:aws:dynamodb:us-east-1:123456789012:table/T/index/i", "Invalid resource type in "),
            ("arn:aws:s3:us-east-1:123456789012:table/T", "Valid ARN format is "),
            ("arn:", "Invalid AWS partition in "),
        ] {
            let error = TableReference::parse(sent.into()).expect_err(sent).to_string();
            assert!(error.starts_with(&format!("{lead}{text}")), "{sent}: {error}");
        }
    }

    #[test]
    fn a_resource_is_a_table_or_a_stream_of_the_region() {
        let parse = |sent: &str| ResourceReference::parse(sent.to_owned().into());
        let table = parse(&table_arn("us-east-1", "Counters")).expect("a table");
        assert_eq!((table.table(), table.account()), (Some("Counters"), Some(ACCOUNT)));
        let stream = table_arn("us-east-1", "Counters") + "/stream/2026-01-01T00:00:00.000";
        let stream = parse(&stream).expect("a stream");
        assert_eq!(stream.table(), None);
        assert_eq!(stream.stream(), Some(("Counters", "2026-01-01T00:00:00.000")));
        assert_eq!(table.stream(), None);
        let refused = |sent: &str| parse(sent).expect_err(sent);
        assert_eq!(refused(""), ResourceArnError::Empty);
        assert_eq!(refused("Counters"), ResourceArnError::NoArn("Counters".to_owned()));
        assert!(matches!(refused("arn:aws:s3:::bucket"), ResourceArnError::OtherService(_)));
        let index = table_arn("us-east-1", "Counters") + "/index/i";
        assert!(matches!(refused(&index), ResourceArnError::OtherResource(_)));
        assert_eq!(table.within("us-east-1"), Ok(()));
        assert!(matches!(table.within("eu-west-2"), Err(ResourceArnError::Malformed(_))));
        assert!(matches!(refused("arn:aws:dynamodb"), ResourceArnError::Malformed(_)));
    }
}
