//! A lesson as it is once it has been read and checked.

use keyplan_grading::{Exercise as Grading, Request};
use keyplan_model::Units;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// One lesson.
///
/// Made by [`Lesson::parse`]; what stands in it has been checked against the rest of it.
#[derive(Debug, Clone)]
pub struct Lesson {
    /// The file's name without number and ending; the last part of the page's address.
    pub slug: String,
    /// The number at the head of the file's name, which gives the order of lessons.
    pub order: u32,
    /// The chapter.
    pub chapter: Chapter,
    /// The lesson's point.
    pub title: String,
    /// The point in a sentence.
    pub summary: String,
    /// About how many minutes it takes.
    pub minutes: u64,
    /// The tables' names in the file's order.
    pub tables: Vec<String>,
    /// Each index as its table and its name.
    pub indexes: Vec<(String, String)>,
    /// The requests that make the tables and put the items.
    pub setup: Vec<Request>,
    /// The text in Markdown.
    pub text: String,
    /// The requests that the reader runs.
    pub steps: Vec<Step>,
    /// The exercise.
    pub exercise: Exercise,
    /// What to keep of it.
    pub takeaway: String,
    /// Slugs of lessons in which this is met again.
    pub lessons: Vec<String>,
    /// Ids of models in which this is met again.
    pub models: Vec<String>,
    /// Where the claims about the service come from.
    pub sources: Vec<Source>,
}

/// A chapter of the course, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Chapter {
    /// What an item and its key are.
    Foundations,
    /// GetItem, Query, Scan.
    Reading,
    /// PutItem, UpdateItem, conditions.
    Writing,
    /// Items that belong together, indexes.
    Relationships,
    /// Several kinds of item in one table.
    OneTable,
    /// What comes with time, scale and change.
    TimeScaleAndChange,
}

impl Chapter {
    /// All chapters in their order.
    pub const ALL: [Chapter; 6] = [
        Chapter::Foundations,
        Chapter::Reading,
        Chapter::Writing,
        Chapter::Relationships,
        Chapter::OneTable,
        Chapter::TimeScaleAndChange,
    ];

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Chapter::Foundations => "Foundations",
            Chapter::Reading => "Reading",
            Chapter::Writing => "Writing",
            Chapter::Relationships => "Relationships",
            Chapter::OneTable => "One table",
            Chapter::TimeScaleAndChange => "Time, scale and change",
        }
    }

    /// Its name in files and addresses.
    pub fn id(self) -> &'static str {
        match self {
            Chapter::Foundations => "foundations",
            Chapter::Reading => "reading",
            Chapter::Writing => "writing",
            Chapter::Relationships => "relationships",
            Chapter::OneTable => "one-table",
            Chapter::TimeScaleAndChange => "time-scale-and-change",
        }
    }
}

/// A request that the reader runs.
#[derive(Debug, Clone)]
pub struct Step {
    /// What it does.
    pub title: String,
    /// The request.
    pub request: Request,
    /// What to notice.
    pub notice: String,
    /// What its answer is stated to be.
    pub answer: StatedAnswer,
}

/// What a step's answer is stated to be.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StatedAnswer {
    /// Items read.
    pub examined: Option<u64>,
    /// Items that come back.
    pub returned: Option<u64>,
    /// Read units.
    pub read: Option<Units>,
    /// Write units.
    pub write: Option<Units>,
    /// The items that come back, in DynamoDB JSON, each with the attributes that are compared.
    pub items: Option<Vec<Map<String, Value>>>,
    /// Whether there is a LastEvaluatedKey.
    pub last_evaluated_key: Option<bool>,
    /// The error.
    pub error: Option<String>,
    /// Its message.
    pub message: Option<String>,
}

/// The exercise.
#[derive(Debug, Clone)]
pub struct Exercise {
    /// The question.
    pub title: String,
    /// What is asked for.
    pub brief: String,
    /// Requirements in words.
    pub goals: Vec<String>,
    /// What the reader starts from.
    pub start: Vec<Request>,
    /// Three hints.
    pub hints: Vec<String>,
    /// Right answers.
    pub solutions: Vec<Vec<Request>>,
    /// How many items the right answer returns, where that is checked.
    pub returned: Option<u64>,
    /// What its checker is handed.
    pub grading: Grading,
    /// Wrong answers.
    pub wrong: Vec<Wrong>,
}

/// A wrong answer and the diagnosis that it must get.
#[derive(Debug, Clone)]
pub struct Wrong {
    /// The line of the file, to find it by.
    pub line: u32,
    /// The answer.
    pub answer: Vec<Request>,
    /// The diagnosis's id.
    pub diagnosis: String,
}

/// Where a claim comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What is claimed.
    pub claim: String,
    /// An address, or `engine`.
    pub source: String,
}
