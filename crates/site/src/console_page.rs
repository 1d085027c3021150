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
    /// The data for the page's scripts, fit to stand in a `script` element.
    data: String,
}

/// Renders the console's page, which begins without tables.
pub(crate) fn render(prices: Option<&str>, frame: Frame<'_>) -> Result<String, SiteError> {
    let console = Console {
        layout: Layout::new(
            "Console · Keyplan".to_owned(),
            "Write any DynamoDB request, and see what it reads and costs.".to_owned(),
            "../",
            frame,
        )
        .of(SitePart::Console),
        operations: built_names().collect::<Vec<_>>().join(" "),
        data: data(prices),
    };
    Ok(console.render()?)
}

/// A page's data without tables; the price file is part of it as it is.
fn data(prices: Option<&str>) -> String {
    let mut data = r#"{"tables":[],"setup":[],"patterns":[],"inspections":[]"#.to_owned();
    if let Some(prices) = prices {
        data.push_str(r#","prices":"#);
        data.push_str(&prices.replace('<', r"\u003c"));
    }
    data.push('}');
    data
}
