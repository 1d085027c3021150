//! A lesson's words: a subset of Markdown as HTML.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// Paragraphs, lists, links, code. HTML in the text is shown as the text that it is, and headings stand
/// below those of the page.
pub(crate) fn blocks(markdown: &str) -> String {
    let mut out = String::new();
    html::push_html(&mut out, events(markdown));
    out
}

/// The same for words that stand in a line: without the paragraph around them.
pub(crate) fn inline(markdown: &str) -> String {
    let mut out = String::new();
    let within = events(markdown)
        .filter(|event| !matches!(event, Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph)));
    html::push_html(&mut out, within);
    out.trim_end().to_owned()
}

fn events(markdown: &str) -> impl Iterator<Item = Event<'_>> {
    Parser::new_ext(markdown, Options::empty()).map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        Event::Start(Tag::Heading { id, classes, attrs, .. }) => {
            Event::Start(Tag::Heading { level: HeadingLevel::H3, id, classes, attrs })
        }
        Event::End(TagEnd::Heading(_)) => Event::End(TagEnd::Heading(HeadingLevel::H3)),
        // Nothing comes from elsewhere: a picture is its words.
        Event::Start(Tag::Image { title, .. }) => Event::Text(title),
        Event::End(TagEnd::Image) => Event::Text(CowStr::Borrowed("")),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_has_code_and_links() {
        assert_eq!(
            blocks("Ask `pk`, see [Pages](../pages/).\n\nThen stop."),
            "<p>Ask <code>pk</code>, see <a href=\"../pages/\">Pages</a>.</p>\n<p>Then stop.</p>\n"
        );
        assert_eq!(inline("Look at `sk`."), "Look at <code>sk</code>.");
    }

    #[test]
    fn html_is_shown_and_not_obeyed() {
        let text =
            blocks("<script>alert(1)</script>\n\nA <b>word</b> and ![a picture](https://else.example/x.png)");
        assert!(!text.contains("<script") && !text.contains("<b>") && !text.contains("<img"), "{text}");
        assert!(text.contains("&lt;script&gt;"), "{text}");
    }
}
