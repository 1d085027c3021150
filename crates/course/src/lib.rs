//! The course: lesson files, read, checked and proved.
//!
//! # What it is
//!
//! A lesson file (YAML) holds one lesson whole: its text, the tables it creates and seeds, the requests
//! that the reader runs with what their answers are, and an exercise. [`Lesson::parse`] reads one and
//! either gives a [`Lesson`] or a [`LessonError`] whose findings say where, what is wrong and what to
//! do. A [`Course`] is lessons in their order. A lesson can then
//!
//! - be shown: [`Course::page_data`] is what the lesson's page carries for its scripts;
//! - be graded: `exercise.grading` is what [`keyplan_grading`] is handed, here or in the browser;
//! - be proved: [`prove`] runs every step and every recorded answer, and says what isn't as stated.
//!
//! [`json_schema`] is the form as a JSON Schema, made from the same types that read the file.
//!
//! # What it is not
//!
//! It renders nothing and does no I/O; it knows no DynamoDB behaviour of its own. How YAML is read and
//! how findings know their place is [`keyplan_model::form`]'s.
#![forbid(unsafe_code)]

mod course;
mod lesson;
pub mod limits;
mod page;
mod parse;
mod problem;
mod proof;
mod schema;
mod shape;
mod value;

pub use course::{Course, CourseError};
pub use lesson::{Chapter, Exercise, Lesson, Source, StatedAnswer, Step, Wrong};
pub use problem::{LessonError, LessonFinding, LessonProblem};
pub use proof::{Fault, Proof, prove};
pub use schema::json_schema;
