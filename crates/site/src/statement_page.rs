//! What the tab's engine is, and how far it was checked: from the conformance cases on this very build.

use askama::Template;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::content::{Statement, StatementTopic};
use crate::error::SiteError;
use crate::layout::{Frame, Layout};

#[derive(Template)]
#[template(path = "statement.html")]
struct StatementTemplate<'a> {
    layout: Layout<'a>,
    statement: &'a Statement,
    passed: usize,
    failed: usize,
    differences: String,
}

/// Renders the statement.
pub(crate) fn render(statement: &Statement, frame: Frame<'_>) -> Result<String, SiteError> {
    let layout = Layout::new(
        "What this is · Keyplan".to_owned(),
        "What the engine in this tab is, how far it was checked, and where it differs from DynamoDB."
            .to_owned(),
        "../",
        frame,
    );
    let sum = |count: fn(&StatementTopic) -> usize| statement.topics.iter().map(count).sum();
    let page = StatementTemplate {
        layout,
        statement,
        passed: sum(|topic| topic.passed),
        failed: sum(|topic| topic.failed.len()),
        differences: differences(&statement.differences),
    };
    Ok(page.render()?)
}

/// The text as HTML. Its title is the page's section already; its own sections come one level lower.
fn differences(markdown: &str) -> String {
    let mut in_title = false;
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => {
            in_title = true;
            None
        }
        Event::End(TagEnd::Heading(HeadingLevel::H1)) => {
            in_title = false;
            None
        }
        _ if in_title => None,
        Event::Start(Tag::Heading { level: HeadingLevel::H2, id, classes, attrs }) => {
            Some(Event::Start(Tag::Heading { level: HeadingLevel::H3, id, classes, attrs }))
        }
        Event::End(TagEnd::Heading(HeadingLevel::H2)) => Some(Event::End(TagEnd::Heading(HeadingLevel::H3))),
        // Markup of its own would get past the policy's meaning, if not past the policy.
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        other => Some(other),
    });
    let mut text = String::new();
    html::push_html(&mut text, events);
    text
}

#[cfg(test)]
mod tests {
    use super::differences;

    #[test]
    fn the_title_is_left_out_and_sections_come_lower() {
        let html =
            differences("# Title\n\n## Part\n\nA `word` <b>x</b>.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
        assert!(!html.contains("Title"), "{html}");
        assert!(html.contains("<h3>Part</h3>") && html.contains("<td>2</td>"), "{html}");
        assert!(html.contains("<code>word</code> &lt;b&gt;x"), "{html}");
    }
}
