//! Mistakes of one exercise: when they are made, and the words for them.

use keyplan_value::json::{Limits, Node, Tape, Writer};

use crate::exercise::{FormError, Request, string, text, texts, write_text, write_texts};
use crate::verdict::CheckKind;
use crate::world::Outcome;

/// A mistake of one exercise. It is made when everything that the rule asks for holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rule {
    /// Its id within the exercise.
    pub id: String,
    /// The mistake in a sentence.
    pub title: String,
    /// What to look at.
    pub text: String,
    /// A request of this operation is among the answer's.
    pub operation: Option<String>,
    /// Members that one of those requests has.
    pub has: Vec<String>,
    /// Members that one of those requests lacks.
    pub lacks: Vec<String>,
    /// Texts that stand in its body.
    pub contains: Vec<String>,
    /// Texts that don't stand in its body.
    pub omits: Vec<String>,
    /// The error with which one of those requests is refused.
    pub error: Option<String>,
    /// A check that failed, by the word for its kind.
    pub fails: Option<String>,
}

impl Rule {
    pub(crate) fn from_json(node: Node<'_, '_>) -> Result<Rule, FormError> {
        Ok(Rule {
            id: string(node, "id")?,
            title: string(node, "title")?,
            text: string(node, "text")?,
            operation: text(node, "operation"),
            has: texts(node.get("has")),
            lacks: texts(node.get("lacks")),
            contains: texts(node.get("contains")),
            omits: texts(node.get("omits")),
            error: text(node, "error"),
            fails: text(node, "fails"),
        })
    }

    pub(crate) fn write_json(&self, json: &mut Writer<'_>) {
        json.begin_object();
        json.name("id").string(&self.id).name("title").string(&self.title).name("text").string(&self.text);
        write_text("operation", self.operation.as_deref(), json);
        write_texts("has", &self.has, json);
        write_texts("lacks", &self.lacks, json);
        write_texts("contains", &self.contains, json);
        write_texts("omits", &self.omits, json);
        write_text("error", self.error.as_deref(), json);
        write_text("fails", self.fails.as_deref(), json);
        json.end_object();
    }

    /// Whether the mistake was made: `failed` are the checks that did not pass.
    pub(crate) fn matches(&self, answer: &[Request], outcome: &Outcome, failed: &[CheckKind]) -> bool {
        let fails = self.fails.as_deref().is_none_or(|word| failed.iter().any(|kind| kind.word() == word));
        fails
            && answer.iter().zip(&outcome.replies).any(|(request, reply)| {
                self.operation.as_deref().is_none_or(|operation| operation == request.operation())
                    && self.error.as_deref().is_none_or(|error| reply.error.as_deref() == Some(error))
                    && self.fits_body(&request.body)
            })
    }

    fn fits_body(&self, body: &str) -> bool {
        let Ok(tape) = Tape::parse(body.as_bytes(), &Limits::default()) else { return false };
        let has = |member: &String| tape.root().get(member).is_some_and(|value| !value.is_null());
        self.has.iter().all(has)
            && !self.lacks.iter().any(has)
            && self.contains.iter().all(|text| body.contains(text.as_str()))
            && !self.omits.iter().any(|text| body.contains(text.as_str()))
    }
}
