//! A policy document: read, checked and written in the one form in which the service keeps it.
//!
//! That form has no white space, members in a fixed order, a list of one as its element, an account as the
//! ARN of its root, and a principal once. What two requests send is the same policy if it comes out alike.

use std::collections::BTreeSet;

use keyplan_value::json::{Kind, Limits, Node, Tape, Writer};

use crate::arn::ACCOUNT;
use crate::error::PolicyError;
use crate::limits::RESOURCE_POLICY_BYTES_MAX;
use crate::shapes::{Service, operations};

/// What a policy is attached to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attached {
    /// A table, with its indexes.
    Table,
    /// A stream of a table.
    Stream,
}

/// A policy document that is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    /// The document in its one form; without a Version where it was sent without.
    pub(crate) text: String,
    /// Whether it denies everybody of the account to put another.
    pub(crate) locks_out: bool,
}

/// What a document without a Version is of.
const OLDEST_VERSION: &str = "2008-10-17";
const VERSIONS: [&str; 2] = [OLDEST_VERSION, "2012-10-17"];

const PUT_POLICY: &str = "dynamodb:PutResourcePolicy";

/// Actions that policies name and that are no operation.
const FURTHER_ACTIONS: [&str; 7] = [
    "ConditionCheckItem",
    "PartiQLDelete",
    "PartiQLInsert",
    "PartiQLSelect",
    "PartiQLUpdate",
    "CreateTableReplica",
    "DeleteTableReplica",
];

/// What can be done with a policy itself, whatever it is attached to.
const POLICY_ACTIONS: [&str; 3] = ["DeleteResourcePolicy", "GetResourcePolicy", "PutResourcePolicy"];

impl Document {
    /// Reads a document.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub(crate) fn parse(sent: &str, attached: Attached) -> Result<Document, PolicyError> {
        if sent.len() > RESOURCE_POLICY_BYTES_MAX {
            return Err(PolicyError::TooLong);
        }
        let tape = Tape::parse(sent.as_bytes(), &Limits::default()).map_err(|_| PolicyError::Json)?;
        let root = tape.root();
        if root.kind() != Kind::Object {
            return Err(PolicyError::Json);
        }
        let mut reading = Reading { sent, attached, sids: BTreeSet::new(), locks_out: false };
        let mut text = Vec::with_capacity(sent.len());
        reading.document(root, &mut Writer::new(&mut text))?;
        let text = String::from_utf8(text).map_err(|_| PolicyError::Json)?;
        Ok(Document { text, locks_out: reading.locks_out })
    }
}

/// The document as it is shown: one that was sent without a Version has the oldest.
pub(crate) fn shown(text: &str) -> String {
    const VERSION: &str = "{\"Version\":";
    match text.strip_prefix('{') {
        Some(rest) if !text.starts_with(VERSION) => [VERSION, "\"", OLDEST_VERSION, "\",", rest].concat(),
        _ => text.to_owned(),
    }
}

/// A document that is being read.
struct Reading<'s> {
    sent: &'s str,
    attached: Attached,
    sids: BTreeSet<String>,
    locks_out: bool,
}

impl Reading<'_> {
    fn document(&mut self, root: Node<'_, '_>, out: &mut Writer<'_>) -> Result<(), PolicyError> {
        self.only(root, &["Version", "Id", "Statement"])?;
        out.begin_object();
        if let Some(version) = root.get("Version") {
            match version.string() {
                Some(version) if VERSIONS.contains(&&*version) => out.name("Version").string(&version),
                _ => return Err(self.misplaced(version)),
            };
        }
        if let Some(id) = root.get("Id") {
            out.name("Id").string(&self.string(id)?);
        }
        out.name("Statement").begin_array();
        let statements = root.get("Statement").ok_or(PolicyError::Missing("Statement"))?;
        match statements.kind() {
            Kind::Object => self.statement(statements, out)?,
            Kind::Array if statements.is_empty() => return Err(PolicyError::NoStatement),
            Kind::Array => {
                for statement in statements.elements() {
                    if statement.kind() != Kind::Object {
                        return Err(self.misplaced(statement));
                    }
                    self.statement(statement, out)?;
                }
            }
            _ => return Err(self.misplaced(statements)),
        }
        out.end_array().end_object();
        Ok(())
    }

    fn statement(&mut self, node: Node<'_, '_>, out: &mut Writer<'_>) -> Result<(), PolicyError> {
        self.only(
            node,
            &[
                "Sid",
                "Effect",
                "Principal",
                "NotPrincipal",
                "Action",
                "NotAction",
                "Resource",
                "NotResource",
                "Condition",
            ],
        )?;
        out.begin_object();
        if let Some(sid) = node.get("Sid") {
            let sid = self.string(sid)?;
            out.name("Sid").string(&sid);
            if !self.sids.insert(sid) {
                return Err(PolicyError::SidTwice);
            }
        }
        let effect = node.get("Effect").ok_or(PolicyError::Missing("Effect"))?;
        let allows = match self.string(effect)? {
            word if word.eq_ignore_ascii_case("allow") => true,
            word if word.eq_ignore_ascii_case("deny") => false,
            _ => return Err(self.misplaced(effect)),
        };
        out.name("Effect").string(if allows { "Allow" } else { "Deny" });
        let condition = node.get("Condition");
        let everybody = match (node.get("Principal"), node.get("NotPrincipal")) {
            (Some(principal), _) => {
                out.name("Principal");
                self.principal(principal, out)?
            }
            (None, Some(others)) => {
                out.name("NotPrincipal");
                self.principal(others, out)?;
                Whom::Everybody
            }
            (None, None) => return Err(PolicyError::Missing("Principal")),
        };
        if allows && everybody == Whom::Everybody && condition.is_none() {
            return Err(PolicyError::Unbounded);
        }
        let (name, actions) = either(node, "Action", "NotAction")?;
        let named = self.strings(actions)?;
        self.check_actions(&named)?;
        write_strings(out.name(name), &named);
        let forbids_putting = name == "Action" && named.iter().any(|action| covers(action, PUT_POLICY));
        if !allows && everybody != Whom::Others && forbids_putting && condition.is_none() {
            self.locks_out = true;
        }
        let (name, resources) = either(node, "Resource", "NotResource")?;
        let named = self.strings(resources)?;
        named.iter().try_for_each(|resource| self.check_resource(resource))?;
        write_strings(out.name(name), &named);
        if let Some(condition) = condition {
            out.name("Condition");
            self.condition(condition, out)?;
        }
        out.end_object();
        Ok(())
    }

    /// Writes a principal, and says whom it means.
    fn principal(&self, node: Node<'_, '_>, out: &mut Writer<'_>) -> Result<Whom, PolicyError> {
        if node.string().is_some_and(|text| text == "*") {
            out.string("*");
            return Ok(Whom::Everybody);
        }
        if node.kind() != Kind::Object || node.is_empty() {
            return Err(self.misplaced(node));
        }
        let mut whom = Whom::Others;
        out.begin_object();
        for (kind, named) in node.members() {
            let kind = kind.to_str();
            let mut principals: Vec<String> = Vec::new();
            for principal in self.strings(named)? {
                let principal = match &*kind {
                    "AWS" => {
                        let known = account_principal(&principal).ok_or(PolicyError::Principal)?;
                        match known.as_str() {
                            "*" => whom = Whom::Everybody,
                            root if root == root_of(ACCOUNT) && whom == Whom::Others => whom = Whom::Account,
                            _ => {}
                        }
                        known
                    }
                    "Service" | "Federated" | "CanonicalUser" => principal,
                    _ => return Err(self.misplaced(named)),
                };
                if !principals.contains(&principal) {
                    principals.push(principal);
                }
            }
            write_strings(out.name(&kind), &principals);
        }
        out.end_object();
        Ok(whom)
    }

    fn check_actions(&self, actions: &[String]) -> Result<(), PolicyError> {
        let is_known = |action: &&String| {
            let Some(name) = action.strip_prefix("dynamodb:") else { return *action == "*" };
            name.contains(['*', '?']) || self.attached.knows(name)
        };
        let unknown: Vec<String> = actions.iter().filter(|action| !is_known(action)).cloned().collect();
        if unknown.is_empty() { Ok(()) } else { Err(PolicyError::Actions(unknown)) }
    }

    fn check_resource(&self, resource: &str) -> Result<(), PolicyError> {
        if resource == "*" {
            return Ok(());
        }
        let relative = resource.strip_prefix("arn:").and_then(|rest| rest.splitn(5, ':').nth(4));
        let Some(relative) = relative else { return Err(PolicyError::NoArn(resource.to_owned())) };
        let fits = relative.starts_with("table/")
            && relative.contains("/stream/") == (self.attached == Attached::Stream);
        if fits || relative.starts_with('*') {
            return Ok(());
        }
        Err(PolicyError::RelativeId { relative: relative.to_owned(), arn: resource.to_owned() })
    }

    /// Operators, what they are about, and the values: those are texts, and a list of one is its element.
    fn condition(&self, node: Node<'_, '_>, out: &mut Writer<'_>) -> Result<(), PolicyError> {
        if node.kind() != Kind::Object {
            return Err(self.misplaced(node));
        }
        out.begin_object();
        for (operator, keys) in node.members() {
            if keys.kind() != Kind::Object {
                return Err(self.misplaced(keys));
            }
            out.name(&operator.to_str()).begin_object();
            for (key, values) in keys.members() {
                let text = |value: Node<'_, '_>| match value.kind() {
                    Kind::String => value.string().map(|text| text.into_owned()),
                    Kind::True | Kind::False | Kind::Integer | Kind::Decimal => Some(value.raw().to_owned()),
                    Kind::Null | Kind::Array | Kind::Object => None,
                };
                let list = match values.kind() {
                    Kind::Array => values.elements().map(text).collect::<Option<Vec<_>>>(),
                    _ => text(values).map(|value| vec![value]),
                };
                write_strings(out.name(&key.to_str()), &list.ok_or_else(|| self.misplaced(values))?);
            }
            out.end_object();
        }
        out.end_object();
        Ok(())
    }

    fn string(&self, node: Node<'_, '_>) -> Result<String, PolicyError> {
        node.string().map(|text| text.into_owned()).ok_or_else(|| self.misplaced(node))
    }

    /// A string, or a list of some.
    fn strings(&self, node: Node<'_, '_>) -> Result<Vec<String>, PolicyError> {
        match node.kind() {
            Kind::Array if !node.is_empty() => node.elements().map(|element| self.string(element)).collect(),
            Kind::Array => Err(self.misplaced(node)),
            _ => Ok(vec![self.string(node)?]),
        }
    }

    /// Refuses members of other names.
    fn only(&self, node: Node<'_, '_>, names: &[&str]) -> Result<(), PolicyError> {
        let other = node.members().find(|(name, _)| !names.iter().any(|known| name.is(known)));
        other.map_or(Ok(()), |(_, value)| Err(self.misplaced(value)))
    }

    /// The error that points at a value.
    fn misplaced(&self, node: Node<'_, '_>) -> PolicyError {
        // A value's text is a part of what was sent.
        let at = (node.raw().as_ptr() as usize).saturating_sub(self.sent.as_ptr() as usize);
        let before = self.sent.get(..at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        PolicyError::Syntax { line, column }
    }
}

/// Whom a statement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whom {
    Everybody,
    /// Everybody of this account.
    Account,
    Others,
}

impl Attached {
    /// Whether there is an action of this name here; case doesn't matter.
    fn knows(self, name: &str) -> bool {
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        let service = match self {
            Attached::Table => Service::DynamoDb,
            Attached::Stream => Service::Streams,
        };
        POLICY_ACTIONS.iter().any(|known| is(known))
            || (self == Attached::Table && FURTHER_ACTIONS.iter().any(|known| is(known)))
            || operations().iter().any(|operation| operation.service == service && is(operation.name))
    }
}

fn either<'t, 'a>(
    node: Node<'t, 'a>,
    name: &'static str,
    negated: &'static str,
) -> Result<(&'static str, Node<'t, 'a>), PolicyError> {
    let named = |name: &'static str| node.get(name).map(|value| (name, value));
    named(name).or_else(|| named(negated)).ok_or(PolicyError::Missing(name))
}

fn root_of(account: &str) -> String {
    ["arn:aws:iam::", account, ":root"].concat()
}

fn is_account(text: &str) -> bool {
    text.len() == ACCOUNT.len() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A principal of an account as it is kept, if it is of a form that there can be.
fn account_principal(sent: &str) -> Option<String> {
    if is_account(sent) {
        return Some(root_of(sent));
    }
    let mut parts = sent.splitn(6, ':');
    let mut part = || parts.next().unwrap_or_default();
    let (lead, partition, service, _, account, who) = (part(), part(), part(), part(), part(), part());
    let is_arn = lead == "arn"
        && partition.starts_with("aws")
        && matches!(service, "iam" | "sts")
        && is_account(account)
        && !who.is_empty();
    (sent == "*" || is_arn).then(|| sent.to_owned())
}

/// Whether an action of a policy, which may have `*` at its end, covers another.
fn covers(action: &str, other: &str) -> bool {
    match action.strip_suffix('*') {
        Some(lead) => other.get(..lead.len()).is_some_and(|start| start.eq_ignore_ascii_case(lead)),
        None => action.eq_ignore_ascii_case(other),
    }
}

fn write_strings(out: &mut Writer<'_>, strings: &[String]) {
    if let [one] = strings {
        out.string(one);
        return;
    }
    out.begin_array();
    for string in strings {
        out.string(string);
    }
    out.end_array();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ROOT: &str = r#"{"AWS":"arn:aws:iam::123456789012:root"}"#;

    fn canonical(sent: &str) -> Result<String, PolicyError> {
        Document::parse(sent, Attached::Table).map(|document| document.text)
    }

    fn with(statement: &str) -> String {
        format!(r#"{{"Version":"2012-10-17","Statement":[{statement}]}}"#)
    }

    #[test]
    fn a_document_has_one_form() {
        let one = with(&format!(
            r#"{{"Sid":"a","Effect":"Allow","Principal":{ROOT},"Action":"dynamodb:GetItem","Resource":"*"}}"#
        ));
        for sent in [
            one.clone(),
            r#" { "Statement": {"Resource": ["*"], "Action": ["dynamodb:GetItem"], "Sid": "\u0061",
                 "Principal": {"AWS": ["123456789012", "arn:aws:iam::123456789012:root"]}, "Effect": "allow"},
                 "Version": "2012-10-17" } "#
                .to_owned(),
        ] {
            assert_eq!(canonical(&sent), Ok(one.clone()), "{sent}");
        }
    }

    #[test]
    fn a_version_that_is_not_sent_is_shown_and_not_kept() {
        let sent = r#"{"Statement":[{"Effect":"Deny","Principal":"*","Action":["dynamodb:Query","dynamodb:GetItem"],"Resource":"*","Condition":{"Bool":{"aws:SecureTransport":[false]}}}]}"#;
        let kept = canonical(sent).expect("it is right");
        assert!(kept.starts_with(r#"{"Statement":[{"Effect":"Deny","Principal":"*","#), "{kept}");
        assert!(kept.ends_with(r#""Condition":{"Bool":{"aws:SecureTransport":"false"}}}]}"#), "{kept}");
        assert!(shown(&kept).starts_with(r#"{"Version":"2008-10-17","Statement":["#));
        let versioned = with(r#"{"Effect":"Deny","Principal":"*","Action":"*","Resource":"*"}"#);
        assert_eq!(shown(&canonical(&versioned).expect("it is right")), versioned);
    }

    #[test]
    fn each_fault_has_its_error() {
        let statement = |members: &str| with(&format!("{{{members}}}"));
        let whole = format!(r#""Effect":"Allow","Principal":{ROOT},"Action":"dynamodb:GetItem""#);
        let twice = format!(r#"{{"Sid":"a",{whole},"Resource":"*"}}"#);
        for (sent, error) in [
            (String::new(), PolicyError::Json),
            ("[]".to_owned(), PolicyError::Json),
            ("{not json".to_owned(), PolicyError::Json),
            (" ".repeat(RESOURCE_POLICY_BYTES_MAX + 1), PolicyError::TooLong),
            (with(""), PolicyError::NoStatement),
            (statement(&whole), PolicyError::Missing("Resource")),
            (statement(r#""Principal":"*""#), PolicyError::Missing("Effect")),
            (statement(r#""Effect":"Deny""#), PolicyError::Missing("Principal")),
            (statement(r#""Effect":"Deny","Principal":"*""#), PolicyError::Missing("Action")),
            (with(&format!("{twice},{twice}")), PolicyError::SidTwice),
            (
                statement(r#""Effect":"Allow","Principal":{"AWS":"*"},"Action":"*","Resource":"*""#),
                PolicyError::Unbounded,
            ),
            (
                statement(r#""Effect":"Deny","Principal":{"AWS":"me"},"Action":"*","Resource":"*""#),
                PolicyError::Principal,
            ),
            (
                statement(
                    r#""Effect":"Deny","Principal":"*","Action":["dynamodb:GetRecords","dynamodb:GetItem"],"Resource":"*""#,
                ),
                PolicyError::Actions(vec!["dynamodb:GetRecords".to_owned()]),
            ),
            (
                statement(r#""Effect":"Deny","Principal":"*","Action":"*","Resource":"T""#),
                PolicyError::NoArn("T".to_owned()),
            ),
            (
                with(r#"{"Effect":"Deny","Principal":"123456789012"}"#),
                PolicyError::Syntax { line: 1, column: 68 },
            ),
        ] {
            assert_eq!(canonical(&sent), Err(error), "{sent}");
        }
    }

    #[test]
    fn a_stream_has_actions_and_resources_of_its_own() {
        let policy = |action: &str, resource: &str| {
            with(&format!(
                r#"{{"Effect":"Deny","Principal":"*","Action":"{action}","Resource":"{resource}"}}"#
            ))
        };
        let table = "arn:aws:dynamodb:us-east-1:123456789012:table/T";
        let stream = "arn:aws:dynamodb:us-east-1:123456789012:table/T/stream/2026-01-01T00:00:00.000";
        for (attached, action, resource, is_right) in [
            (Attached::Table, "dynamodb:GetItem", table, true),
            (Attached::Table, "dynamodb:GetItem", stream, false),
            (Attached::Stream, "dynamodb:GetRecords", stream, true),
            (Attached::Stream, "dynamodb:GetRecords", table, false),
            (Attached::Stream, "dynamodb:GetItem", stream, false),
            (Attached::Stream, "dynamodb:getresourcepolicy", stream, true),
        ] {
            let parsed = Document::parse(&policy(action, resource), attached);
            assert_eq!(parsed.is_ok(), is_right, "{attached:?} {action} {resource}: {parsed:?}");
        }
    }

    #[test]
    fn a_policy_that_forbids_its_own_change_is_known() {
        for (action, principal, locks_out) in [
            ("dynamodb:PutResourcePolicy", "\"*\"", true),
            ("dynamodb:*", ROOT, true),
            ("dynamodb:DeleteResourcePolicy", "\"*\"", false),
            ("*", r#"{"AWS":"210987654321"}"#, false),
        ] {
            let sent = with(&format!(
                r#"{{"Effect":"Deny","Principal":{principal},"Action":"{action}","Resource":"*"}}"#
            ));
            let document = Document::parse(&sent, Attached::Table).expect("it is right");
            assert_eq!(document.locks_out, locks_out, "{sent}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_document_or_an_error(sent in "[{}\\[\\]\":,a-zA-Z* \n]{0,60}") {
            let _ = Document::parse(&sent, Attached::Table);
        }

        #[test]
        fn the_one_form_is_its_own(sid in "[a-zA-Z\u{e9}\"\\\\]{1,8}", many in 1usize..4) {
            let actions = vec!["dynamodb:GetItem"; many];
            let mut sent = Vec::new();
            let mut json = Writer::new(&mut sent);
            json.begin_object().name("Statement").begin_object().name("Resource").string("*");
            json.name("Action").begin_array();
            for action in &actions {
                json.string(action);
            }
            json.end_array().name("Effect").string("DENY").name("Sid").string(&sid);
            json.name("Principal").string("*").end_object().end_object();
            let sent = String::from_utf8(sent).expect("text");
            let once = canonical(&sent).expect("it is right");
            prop_assert_eq!(canonical(&once), Ok(once.clone()));
        }
    }
}
