//! What can be wrong with a lesson file, and the one place where it is put into words.

use std::fmt;

use keyplan_model::{Position, Problem};

use crate::limits::{HINTS, STEPS, WORDS};

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonFinding {
    /// Where it stands.
    pub at: Position,
    /// What it is.
    pub problem: LessonProblem,
}

/// One kind of fault. Its [`Display`](fmt::Display) says what is wrong; [`LessonProblem::remedy`] says what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // The fields are what their names say, and the texts below tell the rest.
pub enum LessonProblem {
    /// A fault that any of the files may have.
    Form(Problem),
    FileName {
        file: String,
    },
    Words {
        found: usize,
    },
    Steps {
        found: usize,
    },
    Hints {
        found: usize,
    },
    NoSolution,
    NoWrongAnswer,
    NoSource,
    Source {
        text: String,
    },
    OneOperation {
        found: usize,
    },
    Operation {
        name: String,
    },
    UnknownTable {
        name: String,
    },
    SameDiagnosis {
        id: String,
    },
    Nothing {
        what: &'static str,
    },
}

impl fmt::Display for LessonProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LessonProblem::Form(problem) => problem.fmt(f),
            LessonProblem::FileName { file } => write!(f, "`{file}` is no name of a lesson file"),
            LessonProblem::Words { found } => write!(f, "the text has {found} words"),
            LessonProblem::Steps { found } => write!(f, "there are {found} steps"),
            LessonProblem::Hints { found } => write!(f, "there are {found} hints"),
            LessonProblem::NoSolution => f.write_str("the exercise has no solution"),
            LessonProblem::NoWrongAnswer => f.write_str("the exercise records no wrong answer"),
            LessonProblem::NoSource => f.write_str("no source is named"),
            LessonProblem::Source { text } => write!(f, "`{text}` is no source"),
            LessonProblem::OneOperation { found } => write!(f, "this request names {found} operations"),
            LessonProblem::Operation { name } => write!(f, "`{name}` is no operation"),
            LessonProblem::UnknownTable { name } => write!(f, "there is no table `{name}`"),
            LessonProblem::SameDiagnosis { id } => write!(f, "`{id}` is the id of a general diagnosis"),
            LessonProblem::Nothing { what } => write!(f, "{what} is empty"),
        }
    }
}

impl LessonProblem {
    /// What to do about it, as one sentence.
    pub fn remedy(&self) -> String {
        match self {
            LessonProblem::Form(Problem::EmptyFile) => {
                "Begin with `keyplan-lesson: 1`, a `chapter`, a `title` and a `summary`.".to_owned()
            }
            LessonProblem::Form(Problem::Version { .. }) => {
                "Write `keyplan-lesson: 1`, the version this program reads.".to_owned()
            }
            LessonProblem::Form(problem) => problem.remedy(),
            LessonProblem::FileName { .. } => {
                "Call it by number and slug, such as `06-a-filter-is-no-index.yaml`.".to_owned()
            }
            LessonProblem::Words { .. } => format!("Write {} to {} words.", WORDS.start(), WORDS.end()),
            LessonProblem::Steps { .. } => format!("Give {} to {} steps.", STEPS.start(), STEPS.end()),
            LessonProblem::Hints { .. } => format!("Give {HINTS} hints, each going further."),
            LessonProblem::NoSolution => "Add the right answer under `solutions:`.".to_owned(),
            LessonProblem::NoWrongAnswer => {
                "Add the mistake that readers will make, with its diagnosis, under `wrong:`.".to_owned()
            }
            LessonProblem::NoSource => {
                "Add a `claim:` and its `source:`: an address, or `engine` where a step shows it.".to_owned()
            }
            LessonProblem::Source { .. } => {
                "Write an address that begins with https://, or `engine` where a step shows it.".to_owned()
            }
            LessonProblem::OneOperation { .. } => {
                "Write one operation over its body: `Query: { TableName: Loans }`.".to_owned()
            }
            LessonProblem::Operation { .. } => {
                "Use an operation that this build answers, such as Query or PutItem.".to_owned()
            }
            LessonProblem::UnknownTable { .. } => "Name a table of this lesson.".to_owned(),
            LessonProblem::SameDiagnosis { .. } => "Call it by another id.".to_owned(),
            LessonProblem::Nothing { .. } => "Fill it.".to_owned(),
        }
    }
}

/// Why a text is no lesson: at least one finding, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonError {
    /// The file's name as it was handed in.
    pub file: String,
    /// What is wrong, in the order of the file.
    pub findings: Vec<LessonFinding>,
    /// How many further findings there were.
    pub left_out: usize,
}

impl fmt::Display for LessonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, LessonFinding { at, problem }) in self.findings.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            writeln!(f, "{}:{at}: {problem}", self.file)?;
            write!(f, "  {}", problem.remedy())?;
        }
        if self.left_out > 0 {
            write!(f, "\n... and {} more", self.left_out)?;
        }
        Ok(())
    }
}

impl std::error::Error for LessonError {}
