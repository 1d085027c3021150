//! The form of a case file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

/// Cases make only tables whose names begin so, and the runner deletes no other.
pub(crate) const TABLE_PREFIX: &str = "Case.";

/// The longest text that a repetition in a case may make, in bytes: more than the largest item.
const REPEATED_BYTES_MAX: usize = 512 * 1024;

/// Cases of one topic.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    /// What the cases are about, in a word; the report groups by it.
    pub topic: String,
    /// What the cases are about, in a sentence.
    pub about: String,
    /// Requests before each case, on top of no tables at all.
    #[serde(default)]
    pub setup: Vec<Request>,
    /// The cases.
    pub cases: Vec<Case>,
}

/// One rule of the service, as a request and its answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The rule.
    pub name: String,
    /// Who says so.
    pub source: String,
    /// Requests before this case, after the file's; each must succeed.
    #[serde(default)]
    pub setup: Vec<Request>,
    /// Objects that are put into buckets before everything else; with none, the case still needs buckets.
    #[serde(default)]
    pub objects: Option<Vec<ObjectFile>>,
    /// The request.
    pub request: Request,
    /// The answer.
    pub answer: Expected,
    /// Other answers that the service gives elsewhere (another region, an older layer).
    #[serde(default)]
    pub also: Vec<Expected>,
}

/// An object of a bucket, in one of two forms.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectFile {
    /// The bucket: `case-in` or `case-out`.
    pub bucket: String,
    /// The key; `<case>` in it stands for what no other case's keys begin with.
    pub key: String,
    /// The bytes as text.
    #[serde(default)]
    pub text: Option<String>,
    /// The bytes in hexadecimal digits.
    #[serde(default)]
    pub hex: Option<String>,
}

impl ObjectFile {
    /// The bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let digits = self.hex.as_deref().unwrap_or_default().as_bytes();
        let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let of_hex = digits.chunks(2).filter_map(pair);
        self.text.as_deref().map_or_else(|| of_hex.collect(), |text| text.as_bytes().to_vec())
    }
}

/// A request: the operation over its body. A body that is a text is sent as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The operation, such as `PutItem`.
    pub operation: String,
    /// The body.
    pub body: Value,
    /// What of the answer is kept for what follows: a name of its own, and the path to a text.
    pub keep: BTreeMap<String, String>,
    /// What the answer must have at some paths before it counts; until then the request is sent again.
    pub until: BTreeMap<String, Value>,
}

impl Request {
    /// A request whose answer is taken as it comes.
    pub(crate) fn plain(operation: &str, body: Value) -> Request {
        let operation = operation.to_owned();
        Request { operation, body, keep: BTreeMap::new(), until: BTreeMap::new() }
    }

    /// The `X-Amz-Target` header.
    pub(crate) fn target(&self) -> String {
        let of_streams = ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"];
        let prefix =
            if of_streams.contains(&self.operation.as_str()) { "DynamoDBStreams" } else { "DynamoDB" };
        format!("{prefix}_20120810.{}", self.operation)
    }

    /// The bytes of the body.
    pub fn body_bytes(&self) -> Vec<u8> {
        match &self.body {
            Value::String(text) => text.clone().into_bytes(),
            body => body.to_string().into_bytes(),
        }
    }

    /// The table that is in its new state only a while after the request.
    pub(crate) fn changes_table(&self) -> Option<&str> {
        match self.operation.as_str() {
            "UpdateTable" => self.body.get("TableName")?.as_str(),
            // An import makes its table only when its source is found; cases wait for the import.
            "ImportTable" => None,
            _ => self.makes_table(),
        }
    }

    /// The table that the request makes.
    pub(crate) fn makes_table(&self) -> Option<&str> {
        let (made, member) = match self.operation.as_str() {
            "CreateTable" => (&self.body, "TableName"),
            "ImportTable" => (self.body.get("TableCreationParameters")?, "TableName"),
            "RestoreTableFromBackup" | "RestoreTableToPointInTime" => (&self.body, "TargetTableName"),
            _ => return None,
        };
        made.get(member)?.as_str()
    }
}

impl<'de> Deserialize<'de> for Request {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RequestVisitor;
        impl<'de> serde::de::Visitor<'de> for RequestVisitor {
            type Value = Request;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "one operation over its body, such as {GetItem: {...}}, perhaps with keep and until",
                )
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Request, A::Error> {
                let mut request: Option<Request> = None;
                let (mut keep, mut until) = (BTreeMap::new(), BTreeMap::new());
                while let Some(name) = map.next_key::<String>()? {
                    match name.as_str() {
                        "keep" => keep = map.next_value()?,
                        "until" => until = map.next_value()?,
                        _ if request.is_some() => return Err(serde::de::Error::invalid_length(2, &self)),
                        operation => request = Some(Request::plain(operation, map.next_value()?)),
                    }
                }
                let request = request.ok_or_else(|| serde::de::Error::invalid_length(0, &self))?;
                Ok(Request { keep, until, ..request })
            }
        }
        deserializer.deserialize_map(RequestVisitor)
    }
}

/// An answer, with placeholders where it differs from run to run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// HTTP status.
    pub status: u16,
    /// The body; see `conformance/README.md` for the placeholders.
    pub body: Value,
    /// Members, anywhere in the body, whose lists have no order.
    #[serde(default)]
    pub unordered: BTreeSet<String>,
}

/// Why a text is no case file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseError {
    /// The file.
    pub file: String,
    /// What is wrong, and where.
    pub what: String,
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.what)
    }
}

impl std::error::Error for CaseError {}

impl CaseFile {
    /// Reads a case file; `file` is its name, for errors.
    ///
    /// # Errors
    /// When the text is no case file, a name stands twice, or a table's name doesn't begin with
    /// `Case.`.
    pub fn parse(yaml: &str, file: &str) -> Result<CaseFile, CaseError> {
        let error = |what: String| CaseError { file: file.to_owned(), what };
        // YAML 1.2: `N` and `y` are texts.
        let options = serde_saphyr::options! { strict_booleans: true };
        let mut parsed: CaseFile =
            serde_saphyr::from_str_with_options(yaml, options).map_err(|fault| error(fault.to_string()))?;
        let mut names = BTreeSet::new();
        if let Some(twice) = parsed.cases.iter().find(|case| !names.insert(&case.name)) {
            return Err(error(format!("two cases are named `{}`", twice.name)));
        }
        for body in parsed.bodies_mut() {
            expand(body).map_err(error)?;
        }
        for object in parsed.cases.iter_mut().flat_map(|case| case.objects.iter_mut().flatten()) {
            if let Some(text) = &mut object.text {
                *text = expanded(text).map_err(error)?;
            }
        }
        for table in parsed.requests().filter_map(Request::makes_table) {
            // A name that is no name of a table is a case of its own: nothing is made.
            if !table.starts_with(TABLE_PREFIX) && table.len() > 2 {
                return Err(error(format!("the table `{table}` must be named `{TABLE_PREFIX}{table}`")));
            }
        }
        Ok(parsed)
    }

    fn requests(&self) -> impl Iterator<Item = &Request> {
        let of_cases =
            self.cases.iter().flat_map(|case| case.setup.iter().chain(std::iter::once(&case.request)));
        self.setup.iter().chain(of_cases)
    }

    fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let of_cases = self.cases.iter_mut().flat_map(|case| {
            let requests = case.setup.iter_mut().chain(std::iter::once(&mut case.request));
            let answers = std::iter::once(&mut case.answer).chain(&mut case.also);
            requests.map(|request| &mut request.body).chain(answers.map(|answer| &mut answer.body))
        });
        self.setup.iter_mut().map(|request| &mut request.body).chain(of_cases)
    }

    /// Names of the tables that a case of this file may have made, each once.
    pub(crate) fn tables(&self) -> BTreeSet<&str> {
        self.requests()
            .filter_map(Request::makes_table)
            .filter(|table| table.starts_with(TABLE_PREFIX))
            .collect()
    }
}

impl CaseFile {
    /// Whether a request of the file makes backups.
    pub(crate) fn makes_backups(&self) -> bool {
        self.requests().any(|request| request.operation == "CreateBackup")
    }
}

/// Writes repetitions out: `<ab*3>` in a text stands for `ababab`.
fn expand(value: &mut Value) -> Result<(), String> {
    match value {
        Value::String(text) => *text = expanded(text)?,
        Value::Array(elements) => elements.iter_mut().try_for_each(expand)?,
        Value::Object(members) => members.values_mut().try_for_each(expand)?,
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    Ok(())
}

fn expanded(text: &str) -> Result<String, String> {
    let mut written = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        let (before, from) = rest.split_at(open);
        written.push_str(before);
        let repetition = from.find('>').and_then(|close| {
            let (unit, count) = from.get(1..close)?.rsplit_once('*')?;
            Some((unit, count.parse::<usize>().ok()?, from.get(close + 1..)?))
        });
        match repetition {
            Some((unit, count, after)) => {
                if unit.len().saturating_mul(count) > REPEATED_BYTES_MAX {
                    return Err(format!("`{unit}` {count} times is too long"));
                }
                written.push_str(&unit.repeat(count));
                rest = after;
            }
            None => {
                written.push('<');
                rest = from.get(1..).unwrap_or("");
            }
        }
    }
    written.push_str(rest);
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(cases: &str) -> Result<CaseFile, CaseError> {
        CaseFile::parse(&format!("topic: t\nabout: a\ncases:\n{cases}"), "t.yaml")
    }

    const CASE: &str =
        "  - name: n\n    source: s\n    request: {ListTables: {}}\n    answer: {status: 200, body: {}}\n";

    #[test]
    fn repetitions_are_written_out() {
        for (text, written) in [
            ("<x*3>", "xxx"),
            ("a <ab*2> b", "a abab b"),
            ("a < :b", "a < :b"),
            ("<any>", "<any>"),
            ("a < b*2 > c", "a < b*2 > c"),
            ("<x*0>", ""),
        ] {
            assert_eq!(expanded(text).as_deref(), Ok(written), "{text}");
        }
        assert!(expanded("<x*99999999999>").is_err());
    }

    #[test]
    fn faulty_files_are_refused() {
        assert!(file(CASE).is_ok());
        assert!(file(&format!("{CASE}{CASE}")).unwrap_err().what.contains("two cases"));
        assert!(file(&CASE.replace("source: s", "sauce: s")).is_err());
        assert!(file(&CASE.replace("{ListTables: {}}", "{ListTables: {}, GetItem: {}}")).is_err());
        let foreign = CASE.replace("{ListTables: {}}", "{CreateTable: {TableName: Orders}}");
        assert!(file(&foreign).unwrap_err().what.contains("Case.Orders"));
    }

    #[test]
    fn a_text_is_sent_as_it_is() {
        let raw = file(&CASE.replace("{ListTables: {}}", "{ListTables: '{\"a\":1,}'}")).unwrap();
        assert_eq!(raw.cases[0].request.body_bytes(), br#"{"a":1,}"#);
    }
}
