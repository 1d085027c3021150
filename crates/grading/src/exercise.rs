//! What an exercise asks: the data that its checker is handed, as a type and as JSON.

use keyplan_value::json::{JsonError, Kind, Limits, Node, Tape, Writer};

use crate::limits;
use crate::rule::Rule;

/// A request of the service, its body a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The `X-Amz-Target` header, such as `DynamoDB_20120810.Query`.
    pub target: String,
    /// The body as it is sent; what a reader typed may be no JSON at all.
    pub body: String,
}

impl Request {
    /// The operation's name: what follows the last dot of the target.
    pub fn operation(&self) -> &str {
        self.target.rsplit('.').next().unwrap_or_default()
    }
}

/// All that is needed to grade an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exercise {
    /// The requests that make the tables and put the items which the reader sees.
    pub setup: Vec<Request>,
    /// Other data, on which the right answer is another one.
    pub hidden: Option<Variant>,
    /// A right answer.
    pub solution: Vec<Request>,
    /// What is checked.
    pub checks: Checks,
    /// Mistakes of this exercise alone, with their words.
    pub rules: Vec<Rule>,
}

/// Other data for the same exercise: requests that follow the setup.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Variant {
    /// How the data differ, as the end of "it is wrong when ...".
    pub when: String,
    /// The requests that make them differ.
    pub requests: Vec<Request>,
}

/// What is checked. The tables afterwards and whether requests are refused always are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checks {
    /// The items that come back, if they count.
    pub returned: Option<ReturnedCheck>,
    /// Half read units that the answer may cost.
    pub read_halves: Option<u64>,
    /// Half write units that the answer may cost.
    pub write_halves: Option<u64>,
    /// Items that may be read.
    pub examined: Option<u64>,
    /// Requests that may be sent.
    pub requests: Option<u64>,
    /// Operations that may be used; empty where any may.
    pub operations: Vec<String>,
    /// The name of the check on the tables, where it is shown.
    pub table: Option<String>,
    /// Attributes whose values are the reader's to choose.
    pub ignore: Vec<String>,
}

/// How the items that come back are compared with those of the solution.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReturnedCheck {
    /// The order they must have, in words; in any order without it.
    pub order: Option<String>,
    /// The attributes that count; all of them where none is named.
    pub attributes: Vec<String>,
}

/// Why a text is no exercise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormError {
    /// It is no JSON.
    Json(JsonError),
    /// A member is missing or of another kind.
    Member(&'static str),
    /// There is more of it than is taken.
    TooMany(&'static str),
}

impl std::fmt::Display for FormError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FormError::Json(error) => write!(f, "the exercise is no JSON: {error}"),
            FormError::Member(name) => write!(f, "the exercise's `{name}` is missing or of another kind"),
            FormError::TooMany(name) => write!(f, "the exercise has too many `{name}`"),
        }
    }
}

impl std::error::Error for FormError {}

impl Exercise {
    /// Reads what [`Exercise::to_json`] wrote.
    ///
    /// # Errors
    /// When the text is something else.
    pub fn from_json(text: &[u8]) -> Result<Exercise, FormError> {
        let tape = Tape::parse(text, &Limits::default()).map_err(FormError::Json)?;
        let root = tape.root();
        let hidden = match root.get("hidden") {
            None => None,
            Some(node) => Some(Variant {
                when: string(node, "when")?,
                requests: requests_of(node.get("requests"), "hidden")?,
            }),
        };
        let rules = root.get("rules").map(|node| node.elements().map(Rule::from_json).collect());
        Ok(Exercise {
            setup: requests_of(root.get("setup"), "setup")?,
            hidden,
            solution: requests_of(root.get("solution"), "solution")?,
            checks: Checks::from_json(root.get("checks").ok_or(FormError::Member("checks"))?)?,
            rules: rules.transpose()?.unwrap_or_default(),
        })
    }

    /// The exercise as JSON, for a page to carry and hand back.
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        let mut json = Writer::new(&mut out);
        json.begin_object();
        write_requests("setup", &self.setup, &mut json);
        if let Some(hidden) = &self.hidden {
            json.name("hidden").begin_object().name("when").string(&hidden.when);
            write_requests("requests", &hidden.requests, &mut json);
            json.end_object();
        }
        write_requests("solution", &self.solution, &mut json);
        json.name("checks");
        self.checks.write_json(&mut json);
        if !self.rules.is_empty() {
            json.name("rules").begin_array();
            self.rules.iter().for_each(|rule| rule.write_json(&mut json));
            json.end_array();
        }
        json.end_object();
        String::from_utf8_lossy(&out).into_owned()
    }
}

impl Checks {
    fn from_json(node: Node<'_, '_>) -> Result<Checks, FormError> {
        let returned = node.get("returned").map(|node| ReturnedCheck {
            order: text(node, "order"),
            attributes: texts(node.get("attributes")),
        });
        Ok(Checks {
            returned,
            read_halves: whole(node, "readHalves")?,
            write_halves: whole(node, "writeHalves")?,
            examined: whole(node, "examined")?,
            requests: whole(node, "requests")?,
            operations: texts(node.get("operations")),
            table: text(node, "table"),
            ignore: texts(node.get("ignore")),
        })
    }

    fn write_json(&self, json: &mut Writer<'_>) {
        json.begin_object();
        if let Some(returned) = &self.returned {
            json.name("returned").begin_object();
            write_text("order", returned.order.as_deref(), json);
            write_texts("attributes", &returned.attributes, json);
            json.end_object();
        }
        for (name, value) in [
            ("readHalves", self.read_halves),
            ("writeHalves", self.write_halves),
            ("examined", self.examined),
            ("requests", self.requests),
        ] {
            if let Some(value) = value {
                json.name(name).integer(value);
            }
        }
        write_texts("operations", &self.operations, json);
        write_text("table", self.table.as_deref(), json);
        write_texts("ignore", &self.ignore, json);
        json.end_object();
    }
}

/// Reads a reader's requests: `[{target, body}]`, each body an object, or a text as it was typed.
///
/// # Errors
/// When the text is something else, or holds more requests than an answer may.
pub fn read_requests(text: &[u8]) -> Result<Vec<Request>, FormError> {
    let tape = Tape::parse(text, &Limits::default()).map_err(FormError::Json)?;
    let requests = requests_of(Some(tape.root()), "requests")?;
    if requests.len() > limits::ANSWER_REQUESTS_MAX {
        return Err(FormError::TooMany("requests"));
    }
    Ok(requests)
}

fn requests_of(node: Option<Node<'_, '_>>, name: &'static str) -> Result<Vec<Request>, FormError> {
    let node = node.filter(|node| node.kind() == Kind::Array).ok_or(FormError::Member(name))?;
    if node.len() > limits::EXERCISE_REQUESTS_MAX {
        return Err(FormError::TooMany(name));
    }
    node.elements()
        .map(|request| {
            let body = request.get("body").ok_or(FormError::Member("body"))?;
            let body = body.string().map_or_else(|| body.raw().to_owned(), |text| text.into_owned());
            Ok(Request { target: string(request, "target")?, body })
        })
        .collect()
}

/// Writes requests; a body that is no JSON goes as the text that it is.
pub(crate) fn write_requests(name: &str, requests: &[Request], json: &mut Writer<'_>) {
    json.name(name).begin_array();
    for Request { target, body } in requests {
        json.begin_object().name("target").string(target).name("body");
        match Tape::parse(body.as_bytes(), &Limits::default()) {
            Ok(_) => json.value_with(|out| out.extend_from_slice(body.as_bytes())),
            Err(_) => json.string(body),
        };
        json.end_object();
    }
    json.end_array();
}

pub(crate) fn string(node: Node<'_, '_>, name: &'static str) -> Result<String, FormError> {
    text(node, name).ok_or(FormError::Member(name))
}

pub(crate) fn text(node: Node<'_, '_>, name: &str) -> Option<String> {
    Some(node.get(name)?.string()?.into_owned())
}

pub(crate) fn texts(node: Option<Node<'_, '_>>) -> Vec<String> {
    let elements = node.into_iter().flat_map(|node| node.elements());
    elements.filter_map(|element| Some(element.string()?.into_owned())).collect()
}

fn whole(node: Node<'_, '_>, name: &'static str) -> Result<Option<u64>, FormError> {
    let Some(value) = node.get(name) else { return Ok(None) };
    let value = value.integer().and_then(|value| u64::try_from(value).ok());
    value.map(Some).ok_or(FormError::Member(name))
}

pub(crate) fn write_text(name: &str, text: Option<&str>, json: &mut Writer<'_>) {
    if let Some(text) = text {
        json.name(name).string(text);
    }
}

pub(crate) fn write_texts(name: &str, texts: &[String], json: &mut Writer<'_>) {
    if !texts.is_empty() {
        json.name(name).begin_array();
        texts.iter().for_each(|text| {
            json.string(text);
        });
        json.end_array();
    }
}
