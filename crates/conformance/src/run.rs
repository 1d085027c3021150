//! Sends cases to a target, each on fresh tables.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::case::{Case, CaseFile, Expected, Request};
use crate::compare::{at_path, compare};
use crate::report::{Failure, Outcome, Report, Topic};
use crate::target::{Answer, Head, Target, TargetError};

/// How often a table's state is asked for before it counts as stuck.
const POLLS_MAX: usize = 10_000;

/// Characters of a request id of the service.
const REQUEST_ID_LENGTH: usize = 52;

/// Runs all cases of all files, each on tables of its own, and reports by topic.
pub fn run(files: &[CaseFile], target: &mut dyn Target) -> Report {
    let mut topics: Vec<Topic> = Vec::new();
    let (mut outcomes, mut left_out) = (Vec::new(), 0);
    for file in files {
        // Files may share a topic.
        if !topics.iter().any(|known| known.topic == file.topic) {
            topics.push(Topic { topic: file.topic.clone(), about: file.about.clone() });
        }
        for case in &file.cases {
            let mut kept = Kept::default();
            kept.0.insert("case".to_owned(), format!("{}-{}", file.topic.replace(' ', "-"), outcomes.len()));
            match objects(case, &kept, target) {
                Ok(true) => {}
                Ok(false) => {
                    left_out += 1;
                    continue;
                }
                Err(failure) => {
                    outcomes.push(outcome(file, case, Err(failure)));
                    continue;
                }
            }
            let result = run_case(file, case, kept, target);
            outcomes.push(outcome(file, case, result));
        }
        // What the last case left behind; a failure here shows in the next run's first case.
        let _ = delete_tables(file, target);
    }
    Report { topics, outcomes, not_built: Vec::new(), left_out }
}

fn outcome(file: &CaseFile, case: &Case, result: Result<Fit, Failure>) -> Outcome {
    Outcome {
        topic: file.topic.clone(),
        name: case.name.clone(),
        source: case.source.clone(),
        as_elsewhere: result == Ok(Fit::Elsewhere),
        failure: result.err(),
    }
}

/// Puts the objects that a case begins with. Says whether the target has what the case needs.
fn objects(case: &Case, kept: &Kept, target: &mut dyn Target) -> Result<bool, Failure> {
    let Some(objects) = &case.objects else { return Ok(true) };
    let no_answer = |TargetError(what)| Failure::NoAnswer { what };
    let key = |key: &str| kept.filled(&Value::String(key.to_owned())).as_str().unwrap_or_default().to_owned();
    for object in objects {
        let put = target.put_object(&object.bucket, &key(&object.key), &object.bytes());
        if !put.map_err(no_answer)? {
            return Ok(false);
        }
    }
    // Whether there are buckets shows from any object.
    target.put_object("case-out", &key("<case>/began"), b"").map_err(no_answer)
}

/// Which of a case's answers came.
#[derive(PartialEq)]
enum Fit {
    First,
    Elsewhere,
}

fn run_case(file: &CaseFile, case: &Case, mut kept: Kept, target: &mut dyn Target) -> Result<Fit, Failure> {
    delete_tables(file, target)?;
    for request in file.setup.iter().chain(&case.setup) {
        let answer = kept.send(request, target)?;
        if answer.status != 200 {
            let operation = request.operation.clone();
            return Err(Failure::Setup { operation, status: answer.status, body: text(&answer) });
        }
        if let Some(table) = request.changes_table() {
            wait(table, "ACTIVE", target)?;
        }
    }
    let answer = kept.send(&case.request, target)?;
    head_fits(&answer)?;
    let fits = |expected: &Expected| {
        fits(&Expected { body: kept.filled(&expected.body), ..expected.clone() }, &answer)
    };
    match fits(&case.answer) {
        Ok(()) => Ok(Fit::First),
        Err(_) if case.also.iter().any(|other| fits(other).is_ok()) => Ok(Fit::Elsewhere),
        Err(failure) => Err(failure),
    }
}

/// What a case has kept of answers, by name.
#[derive(Default)]
struct Kept(BTreeMap<String, String>);

impl Kept {
    /// Sends a request with what was kept in its places, until its answer is what it waits for, and keeps of
    /// that what is asked for.
    fn send(&mut self, request: &Request, target: &mut dyn Target) -> Result<Answer, Failure> {
        let request = Request { body: self.filled(&request.body), ..request.clone() };
        let mut answer = send(&request, target)?;
        for _ in 0..POLLS_MAX {
            if request.until.is_empty() || is_reached(&request, &answer) {
                break;
            }
            target.pause();
            answer = send(&request, target)?;
        }
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        for (name, path) in &request.keep {
            let Some(found) = at_path(&body, path).and_then(Value::as_str) else {
                let (name, path) = (name.clone(), path.clone());
                return Err(Failure::NothingToKeep { name, path, body: text(&answer) });
            };
            self.0.insert(name.clone(), found.to_owned());
        }
        Ok(answer)
    }

    /// A body with what was kept in the places of its names: `<stream>` for what was kept as `stream`.
    fn filled(&self, body: &Value) -> Value {
        match body {
            Value::String(text) => {
                let fill = |text: String, (name, found): (&String, &String)| {
                    text.replace(&format!("<{name}>"), found)
                };
                Value::String(self.0.iter().fold(text.clone(), fill))
            }
            Value::Array(elements) => elements.iter().map(|element| self.filled(element)).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, member)| (name.clone(), self.filled(member))).collect()
            }
            other => other.clone(),
        }
    }
}

fn is_reached(request: &Request, answer: &Answer) -> bool {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
    request.until.iter().all(|(path, expected)| {
        at_path(&body, path).is_some_and(|found| compare(expected, found, &BTreeSet::new()).is_ok())
    })
}

fn fits(expected: &Expected, answer: &Answer) -> Result<(), Failure> {
    if expected.status != answer.status {
        return Err(Failure::Status { expected: expected.status, found: answer.status, body: text(answer) });
    }
    let Ok(found) = serde_json::from_slice::<Value>(&answer.body) else {
        return Err(Failure::NotJson { body: text(answer) });
    };
    compare(&expected.body, &found, &expected.unordered)
        .map_err(|mismatch| Failure::Body { mismatch, body: text(answer) })
}

/// Every answer of the service has a request id, the checksum of its body and the protocol's type.
fn head_fits(answer: &Answer) -> Result<(), Failure> {
    let Some(Head { request_id, crc32, content_type }) = &answer.head else { return Ok(()) };
    let checksum = crc32fast::hash(&answer.body).to_string();
    let is_id = |id: &String| {
        id.len() == REQUEST_ID_LENGTH
            && id.bytes().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit())
    };
    let wrong = |header: &'static str, found: &Option<String>, expected: &str| Failure::Header {
        header,
        expected: expected.to_owned(),
        found: found.clone(),
    };
    if !request_id.as_ref().is_some_and(is_id) {
        return Err(wrong("x-amzn-RequestId", request_id, "52 capital letters and digits"));
    }
    if crc32.as_ref() != Some(&checksum) {
        return Err(wrong("x-amz-crc32", crc32, &checksum));
    }
    if content_type.as_deref() != Some("application/x-amz-json-1.0") {
        return Err(wrong("Content-Type", content_type, "application/x-amz-json-1.0"));
    }
    Ok(())
}

/// Deletes the tables that cases of the file make, and their backups.
fn delete_tables(file: &CaseFile, target: &mut dyn Target) -> Result<(), Failure> {
    if file.makes_backups() {
        for table in file.tables() {
            delete_backups(table, target)?;
        }
    }
    for table in file.tables() {
        delete_replicas(table, target)?;
        let request = Request::plain("DeleteTable", json!({ "TableName": table }));
        if send(&request, target)?.status == 200 {
            wait(table, "", target)?;
        }
    }
    Ok(())
}

fn delete_backups(table: &str, target: &mut dyn Target) -> Result<(), Failure> {
    let answer = send(&Request::plain("ListBackups", json!({ "TableName": table })), target)?;
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
    for backup in body["BackupSummaries"].as_array().into_iter().flatten() {
        let request = Request::plain("DeleteBackup", json!({ "BackupArn": backup["BackupArn"] }));
        // A table may still be being restored from it.
        for _ in 0..POLLS_MAX {
            if send(&request, target)?.status == 200 {
                break;
            }
            target.pause();
        }
    }
    Ok(())
}

/// Takes a table's replicas and witness away: a table that has them can't be deleted. Regions of strong
/// consistency go all at once, the others one by one.
fn delete_replicas(table: &str, target: &mut dyn Target) -> Result<(), Failure> {
    let answer = send(&Request::plain("DescribeTable", json!({ "TableName": table })), target)?;
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
    let home = body.pointer("/Table/TableArn").and_then(Value::as_str).and_then(|arn| arn.split(':').nth(3));
    let deletions = |members: &str| -> Vec<Value> {
        let regions = body.pointer(members).and_then(Value::as_array).into_iter().flatten();
        regions
            .filter_map(|member| member["RegionName"].as_str())
            .filter(|region| Some(*region) != home)
            .map(|region| json!({ "Delete": { "RegionName": region } }))
            .collect()
    };
    let replicas = deletions("/Table/Replicas");
    if replicas.is_empty() {
        return Ok(());
    }
    let requests: Vec<Value> = if body.pointer("/Table/MultiRegionConsistency") == Some(&json!("STRONG")) {
        let mut request = json!({ "TableName": table, "ReplicaUpdates": replicas });
        let witnesses = deletions("/Table/GlobalTableWitnesses");
        if !witnesses.is_empty() {
            request["GlobalTableWitnessUpdates"] = Value::Array(witnesses);
        }
        vec![request]
    } else {
        let one = |replica| json!({ "TableName": table, "ReplicaUpdates": [replica] });
        replicas.into_iter().map(one).collect()
    };
    for request in requests {
        if send(&Request::plain("UpdateTable", request), target)?.status == 200 {
            wait(table, "ACTIVE", target)?;
        }
    }
    Ok(())
}

/// Asks for a table's state until it and its indexes are `status`, or the table is gone if that is empty.
fn wait(table: &str, status: &str, target: &mut dyn Target) -> Result<(), Failure> {
    let request = Request::plain("DescribeTable", json!({ "TableName": table }));
    for _ in 0..POLLS_MAX {
        let answer = send(&request, target)?;
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        let found = body.pointer("/Table/TableStatus").and_then(Value::as_str).unwrap_or("");
        let indexes = body.pointer("/Table/GlobalSecondaryIndexes").and_then(Value::as_array);
        let mut of_indexes = indexes.into_iter().flatten().map(|index| index["IndexStatus"].as_str());
        if found == status && of_indexes.all(|found| found == Some(status)) {
            return Ok(());
        }
    }
    let (table, status) = (table.to_owned(), if status.is_empty() { "gone" } else { status }.to_owned());
    Err(Failure::Stuck { table, status })
}

fn send(request: &Request, target: &mut dyn Target) -> Result<Answer, Failure> {
    target
        .send(&request.target(), &request.body_bytes())
        .map_err(|TargetError(what)| Failure::NoAnswer { what })
}

fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}
