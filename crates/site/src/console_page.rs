//! The console on a page of its own: any request, on any endpoint that the reader chooses.

use askama::Template;
use keyplan_engine::operations::built_names;

use crate::error::SiteError;
use crate::layout::{Frame, Layout, SitePart};

#[derive(Template)]
#[template(path = "console.html")]
struct Console<'a> {
    layout: Layout<'a>,
    operations: String,
}

/// Renders the console's page, which begins without tables.
pub(crate) fn render(frame: Frame<'_>) -> Result<String, SiteError> {
    let console = Console {
        layout: Layout::new(
            "Console · Keyplan".to_owned(),
            "Write any DynamoDB request, and see what it reads and costs.".to_owned(),
            "../",
            frame,
        )
        .of(SitePart::Console),
        operations: built_names().collect::<Vec<_>>().join(" "),
    };
    Ok(console.render()?)
}
