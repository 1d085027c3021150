//! Lessons in their order.

use std::fmt;

use crate::lesson::{Chapter, Lesson};
use crate::problem::LessonError;

/// The course: lessons in their order, each with its number.
#[derive(Debug, Clone, Default)]
pub struct Course {
    lessons: Vec<Lesson>,
}

/// Why lesson files make no course.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CourseError {
    /// A file is no lesson.
    Lesson(LessonError),
    /// Two files have one slug or one place.
    Same {
        /// The slug of the second.
        slug: String,
    },
    /// A lesson stands before one of an earlier chapter.
    Chapter {
        /// The lesson's slug.
        slug: String,
    },
}

impl fmt::Display for CourseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CourseError::Lesson(error) => error.fmt(f),
            CourseError::Same { slug } => {
                write!(f, "another lesson has the slug or the number of `{slug}`; rename one of the files")
            }
            CourseError::Chapter { slug } => {
                write!(f, "`{slug}` stands behind a lesson of a later chapter; give its file another number")
            }
        }
    }
}

impl std::error::Error for CourseError {}

impl Course {
    /// Reads lesson files, each its name and its text, and puts them in order.
    ///
    /// # Errors
    /// When a file is no lesson, or they don't fit together.
    pub fn parse(files: &[(&str, &str)]) -> Result<Course, CourseError> {
        let lessons = files.iter().map(|(file, yaml)| Lesson::parse(yaml, file));
        Course::new(lessons.collect::<Result<_, _>>().map_err(CourseError::Lesson)?)
    }

    /// Puts lessons in order.
    ///
    /// # Errors
    /// When they don't fit together.
    pub fn new(mut lessons: Vec<Lesson>) -> Result<Course, CourseError> {
        lessons.sort_by_key(|lesson| lesson.order);
        for (place, lesson) in lessons.iter().enumerate() {
            let before = lessons.iter().take(place);
            if before.clone().any(|other| other.slug == lesson.slug || other.order == lesson.order) {
                return Err(CourseError::Same { slug: lesson.slug.clone() });
            }
            if before.clone().any(|other| other.chapter > lesson.chapter) {
                return Err(CourseError::Chapter { slug: lesson.slug.clone() });
            }
        }
        Ok(Course { lessons })
    }

    /// The lessons in their order. A lesson's number is its place, from 1.
    pub fn lessons(&self) -> &[Lesson] {
        &self.lessons
    }

    /// The lesson of this slug, with its number.
    pub fn lesson(&self, slug: &str) -> Option<(usize, &Lesson)> {
        let place = self.lessons.iter().position(|lesson| lesson.slug == slug)?;
        Some((place + 1, self.lessons.get(place)?))
    }

    /// The lessons of this number, if there is one.
    pub fn numbered(&self, number: usize) -> Option<&Lesson> {
        self.lessons.get(number.checked_sub(1)?)
    }

    /// Chapters that have lessons, each with its lessons and their numbers.
    pub fn chapters(&self) -> Vec<(Chapter, Vec<(usize, &Lesson)>)> {
        let of = |chapter: Chapter| {
            let numbered = (1..).zip(&self.lessons);
            numbered.filter(|(_, lesson)| lesson.chapter == chapter).collect::<Vec<_>>()
        };
        let chapters = Chapter::ALL.into_iter().map(|chapter| (chapter, of(chapter)));
        chapters.filter(|(_, lessons)| !lessons.is_empty()).collect()
    }
}
