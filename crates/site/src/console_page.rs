//! The console on a page of its own: any request, on any endpoint that the reader chooses.

use askama::Template;
use keyplan_course::Course;
use keyplan_engine::operations::built_names;
use serde_json::Value;

use crate::error::SiteError;
use crate::layout::{Frame, Layout, SitePart};

#[derive(Template)]
#[template(path = "console.html")]
struct Console<'a> {
    layout: Layout<'a>,
    operations: String,
    /// The data for the page's scripts, fit to stand in a `script` element.
    data: String,
}

/// Renders the console's page, which begins without tables.
pub(crate) fn render(prices: Option<&str>, course: &Course, frame: Frame<'_>) -> Result<String, SiteError> {
    let console = Console {
        layout: Layout::new(
            "Console · Keyplan".to_owned(),
            "Write any DynamoDB request, and see what it reads and costs.".to_owned(),
            "../",
            frame,
        )
        .of(SitePart::Console),
        operations: built_names().collect::<Vec<_>>().join(" "),
        data: data(prices, &course.addresses("../course/")),
    };
    Ok(console.render()?)
}

/// A page's data without tables: the lessons that errors are linked to, and the price file as it is.
fn data(prices: Option<&str>, lessons: &Value) -> String {
    let mut data = r#"{"tables":[],"setup":[],"patterns":[],"inspections":[]"#.to_owned();
    let lessons = lessons.to_string();
    let members = [("prices", prices), ("lessons", Some(lessons.as_str()))];
    for (name, json) in members.into_iter().filter_map(|(name, json)| Some((name, json?))) {
        data.push_str(&format!(r#","{name}":"#));
        // In JSON a `<` can only stand in a text, where its escape means the same.
        data.push_str(&json.replace('<', r"\u003c"));
    }
    data.push('}');
    data
}
