//! The home page: what this is, and the designs.

use askama::Template;

use crate::assets::Assets;
use crate::error::SiteError;
use crate::layout::Layout;
use crate::model_page::ModelPage;

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    layout: Layout<'a>,
    version: &'static str,
    key_plan: Vec<u64>,
    designs: Vec<Design<'a>>,
}

struct Design<'a> {
    id: &'a str,
    question: &'a str,
    title: &'a str,
    summary: &'a str,
    key_plan: Vec<u64>,
}

/// Renders the home page.
pub(crate) fn render(pages: &[ModelPage], assets: &Assets) -> Result<String, SiteError> {
    let designs = pages.iter().map(|page| Design {
        id: page.id(),
        question: &page.model().question,
        title: &page.model().title,
        summary: &page.model().summary,
        key_plan: page.key_plan(),
    });
    let home = Home {
        layout: Layout::new(
            "See what a DynamoDB request reads, and what it costs · Keyplan".to_owned(),
            "Run DynamoDB requests on an engine in the browser, and see what they read and cost.".to_owned(),
            "",
            assets,
        ),
        version: env!("CARGO_PKG_VERSION"),
        key_plan: pages.first().map(ModelPage::key_plan).unwrap_or_default(),
        designs: designs.collect(),
    };
    Ok(home.render()?)
}
