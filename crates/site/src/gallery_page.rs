//! The gallery: all designs by category.

use askama::Template;

use crate::error::SiteError;
use crate::layout::{Frame, Layout, SitePart};
use crate::model_page::ModelPage;

#[derive(Template)]
#[template(path = "gallery.html")]
struct GalleryTemplate<'a> {
    layout: Layout<'a>,
    count: usize,
    questions: usize,
    categories: Vec<Category<'a>>,
}

struct Category<'a> {
    id: &'a str,
    name: String,
    designs: Vec<&'a ModelPage>,
}

/// Renders the gallery.
pub(crate) fn render(pages: &[ModelPage], frame: Frame<'_>) -> Result<String, SiteError> {
    let layout = Layout::new(
        "Gallery · Keyplan".to_owned(),
        "Table designs for DynamoDB, each with its questions, its table, what it costs and the design it was \
         chosen over."
            .to_owned(),
        "../",
        frame,
    );
    let mut categories: Vec<Category<'_>> = Vec::new();
    for page in pages {
        let id = page.model().category.as_str();
        match categories.iter_mut().find(|category| category.id == id) {
            Some(category) => category.designs.push(page),
            None => categories.push(Category { id, name: in_words(id), designs: vec![page] }),
        }
    }
    categories.sort_by_key(|category| category.id);
    let gallery = GalleryTemplate {
        layout: layout.of(SitePart::Gallery),
        count: pages.len(),
        questions: pages.iter().map(|page| page.model().patterns.len()).sum(),
        categories,
    };
    Ok(gallery.render()?)
}

/// A category's id in words.
fn in_words(id: &str) -> String {
    let mut letters = id.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    first + &letters.as_str().replace('-', " ")
}
