//! The form of a lesson file: what may stand where, before anything is checked against anything else.
//!
//! The doc comments of this module are the descriptions of the JSON Schema, so editors show them.

use std::borrow::Cow;
use std::fmt;

use keyplan_model::form::{At, Each, Entries, Flag, Plain, TableShape, UnitsText};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::lesson::Chapter;

/// Items, or keys, in plain values.
pub(crate) type PlainItems = Each<At<Entries<At<Plain>>>>;

/// A lesson of the course: text, tables, steps and an exercise.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "Keyplan lesson")]
pub(crate) struct LessonShape {
    /// The version of this form: 1.
    pub keyplan_lesson: At<u64>,
    /// The chapter in which the lesson stands.
    pub chapter: At<Chapter>,
    /// The lesson's point, as a heading.
    pub title: At<String>,
    /// The point in a sentence.
    pub summary: At<String>,
    /// About how many minutes it takes.
    pub minutes: At<u64>,
    /// Tables by name, as in a model file.
    pub tables: Entries<TableShape>,
    /// Items by table, in plain values: quotes make a text, a plain number is a number, a list an L,
    /// a mapping an M. `{ SS: [a, b] }` and the like give the type, `{ filler: 884 }` is a text of so
    /// many bytes.
    #[serde(default)]
    pub items: Entries<PlainItems>,
    /// The lesson's text, 120 to 350 words of Markdown: paragraphs, lists, `code`, **strong**, links.
    pub text: At<String>,
    /// Two to six requests that the reader runs, in order.
    pub steps: Each<At<StepShape>>,
    /// The exercise.
    pub exercise: ExerciseShape,
    /// What to keep of it, in one or two sentences.
    pub takeaway: At<String>,
    /// Lessons and models in which this is met again.
    #[serde(default)]
    pub links: LinksShape,
    /// Where the claims about the service's behaviour come from.
    pub sources: Each<SourceShape>,
}

/// A request that the reader runs, and what to notice.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepShape {
    /// What the request does.
    pub title: At<String>,
    /// The request: `Query: { TableName: Loans, ... }`.
    pub request: At<RequestShape>,
    /// What to notice in its answer and its cost.
    pub notice: At<String>,
    /// What its answer is; the content's proof compares it.
    pub answer: AnswerShape,
}

/// What a request's answer is stated to be. What is not stated is not compared.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct AnswerShape {
    /// How many items are read.
    pub examined: Option<At<u64>>,
    /// How many items come back.
    pub returned: Option<At<u64>>,
    /// Read units.
    pub read: Option<At<UnitsText>>,
    /// Write units.
    pub write: Option<At<UnitsText>>,
    /// The items that come back, in their order, each with the attributes that are compared.
    pub items: Option<At<PlainItems>>,
    /// Whether there is a LastEvaluatedKey.
    pub last_evaluated_key: Option<At<Flag>>,
    /// The error with which it is refused: `ConditionalCheckFailedException`.
    pub error: Option<At<String>>,
    /// The error's message.
    pub message: Option<At<String>>,
}

/// The exercise: the reader writes requests; what they do and cost is checked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExerciseShape {
    /// The question.
    pub title: At<String>,
    /// What is asked for, in a paragraph.
    pub brief: At<String>,
    /// Requirements in words that the checks don't say by themselves.
    #[serde(default)]
    pub goals: Each<At<String>>,
    /// The request that the reader starts from, or several in order. It fails.
    pub start: At<Requests>,
    /// Three hints, each going further.
    pub hints: Each<At<String>>,
    /// Right answers; the first is shown after success and says what the right result is.
    pub solutions: Each<At<Requests>>,
    /// What is checked.
    pub checks: ChecksShape,
    /// Other data, on which the right answer is another one.
    pub hidden: At<HiddenShape>,
    /// Mistakes of this exercise alone, by id, with their words.
    #[serde(default)]
    pub diagnoses: Entries<DiagnosisShape>,
    /// Wrong answers, each with the diagnosis that it must get.
    pub wrong: Each<WrongShape>,
}

/// What is checked of an answer. That the tables are as they are after the solution, and that requests
/// are refused or not as the solution's are, is always checked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChecksShape {
    /// The items that come back: those of the first solution.
    pub returned: Option<ReturnedShape>,
    /// The most read units.
    pub read: Option<At<UnitsText>>,
    /// The most write units.
    pub write: Option<At<UnitsText>>,
    /// The most items that are read.
    pub examined: Option<At<u64>>,
    /// The most requests.
    pub requests: Option<At<u64>>,
    /// The operations that may be used.
    #[serde(default)]
    pub operations: Each<At<String>>,
    /// How the check on the tables afterwards is called: `Seat 14C afterwards`. For exercises that write.
    pub table: Option<At<String>>,
    /// Attributes whose values are the reader's to choose.
    #[serde(default)]
    pub ignore: Each<At<String>>,
}

/// How the items that come back are compared.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReturnedShape {
    /// How many the right answer has on the data that the reader sees.
    pub count: At<u64>,
    /// The order they must have, in words: `Earliest due date first`. Any order without it.
    pub order: Option<At<String>>,
    /// The attributes that count; all without it.
    #[serde(default)]
    pub attributes: Each<At<String>>,
}

/// Other data: items put over those that the reader sees, and keys of items that are not there.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HiddenShape {
    /// How they differ, as the end of "it goes wrong when ...".
    pub when: At<String>,
    /// Items by table.
    #[serde(default)]
    pub put: Entries<PlainItems>,
    /// Keys by table.
    #[serde(default)]
    pub delete: Entries<PlainItems>,
}

/// A mistake: what must hold for it to be told, and its words. What is not stated may be anything.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiagnosisShape {
    /// What holds when it is made.
    pub when: RuleShape,
    /// The mistake in a sentence.
    pub title: At<String>,
    /// What to look at.
    pub text: At<String>,
}

/// What one of the answer's requests is like, and which check fails.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleShape {
    /// Its operation.
    pub operation: Option<At<String>>,
    /// Members that it has: `FilterExpression`.
    #[serde(default)]
    pub has: Each<At<String>>,
    /// Members that it lacks.
    #[serde(default)]
    pub lacks: Each<At<String>>,
    /// Texts that stand in its body.
    #[serde(default)]
    pub contains: Each<At<String>>,
    /// Texts that don't.
    #[serde(default)]
    pub omits: Each<At<String>>,
    /// The error with which it is refused.
    pub error: Option<At<String>>,
    /// The check that fails.
    pub fails: Option<At<CheckWord>>,
}

/// A kind of check.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CheckWord {
    /// Whether requests are refused or not.
    Accepted,
    /// The items that come back.
    Returned,
    /// Their order.
    Order,
    /// The tables afterwards.
    Table,
    /// Read units.
    Read,
    /// Write units.
    Write,
    /// Items read.
    Examined,
    /// The number of requests.
    Requests,
    /// The operations.
    Operations,
    /// The hidden data.
    Hidden,
}

/// A wrong answer and the diagnosis that it must get.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrongShape {
    /// The answer: a request, or several.
    pub answer: At<Requests>,
    /// The id of its diagnosis: one of this exercise, or a general one.
    pub diagnosis: At<String>,
}

/// Where this is met again.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinksShape {
    /// Slugs of lessons.
    #[serde(default)]
    pub lessons: Each<At<String>>,
    /// Ids of models.
    #[serde(default)]
    pub models: Each<At<String>>,
}

/// Where a claim comes from.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceShape {
    /// What is claimed.
    pub claim: At<String>,
    /// The address of a page of the service's documentation, or `engine` where the steps show it.
    pub source: At<String>,
}

/// A request: its operation over its body. Members that hold attribute values (Key, Keys, Item,
/// ExclusiveStartKey, ExpressionAttributeValues) are written plainly, as items are.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct RequestShape(pub Entries<At<Plain>>);

/// One request, or a list of requests in their order.
#[derive(Debug)]
pub(crate) struct Requests(pub Vec<At<RequestShape>>);

impl<'de> Deserialize<'de> for Requests {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RequestsVisitor;
        impl<'de> Visitor<'de> for RequestsVisitor {
            type Value = Requests;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a request such as `Query: { TableName: Loans }`, or a list of requests")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Requests, A::Error> {
                let mut requests = Vec::new();
                while let Some(request) = elements.next_element()? {
                    requests.push(request);
                }
                Ok(Requests(requests))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Requests, A::Error> {
                let Some((name, body)) = members.next_entry::<At<String>, At<Plain>>()? else {
                    return Err(de::Error::invalid_length(0, &self));
                };
                if members.next_key::<String>()?.is_some() {
                    return Err(de::Error::invalid_length(2, &self));
                }
                let at = name.at;
                let entries = Entries { list: vec![(name, body)], faulty: Vec::new() };
                Ok(Requests(vec![At { at, value: RequestShape(entries) }]))
            }
        }
        deserializer.deserialize_any(RequestsVisitor)
    }
}

impl JsonSchema for Requests {
    fn schema_name() -> Cow<'static, str> {
        "Requests".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let request = generator.subschema_for::<RequestShape>();
        json_schema!({ "anyOf": [request, { "type": "array", "items": request }] })
    }
}
