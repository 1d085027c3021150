//! The map of the course.

use askama::Template;
use keyplan_course::{Chapter, Course};

use crate::error::SiteError;
use crate::layout::{Frame, Layout, SitePart};
use crate::lesson_page::LessonPage;

#[derive(Template)]
#[template(path = "course.html")]
struct CourseTemplate<'a> {
    layout: Layout<'a>,
    count: usize,
    minutes: u64,
    chapters: Vec<(Chapter, Vec<&'a LessonPage<'a>>)>,
}

/// Renders the map.
pub(crate) fn render(
    course: &Course,
    pages: &[LessonPage<'_>],
    frame: Frame<'_>,
) -> Result<String, SiteError> {
    let of = |chapter: Chapter| pages.iter().filter(move |page| page.lesson().chapter == chapter).collect();
    let map = CourseTemplate {
        layout: Layout::new(
            "Course · Keyplan".to_owned(),
            "DynamoDB's access patterns in short lessons, each with requests that run and an exercise that is \
             checked."
                .to_owned(),
            "../",
            frame,
        )
        .of(SitePart::Course),
        count: pages.len(),
        minutes: course.lessons().iter().map(|lesson| lesson.minutes).sum(),
        chapters: course.chapters().into_iter().map(|(chapter, _)| (chapter, of(chapter))).collect(),
    };
    Ok(map.render()?)
}
