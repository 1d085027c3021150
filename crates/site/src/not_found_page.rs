//! What stands where no page is.

use askama::Template;

use crate::error::SiteError;
use crate::layout::{Frame, Layout};

#[derive(Template)]
#[template(path = "not_found.html")]
struct NotFound<'a> {
    layout: Layout<'a>,
}

/// Renders the page. Hosts show it at any address, so it leads nowhere but to the root, by the way from
/// the folder in which it stands.
pub(crate) fn render(frame: Frame<'_>) -> Result<String, SiteError> {
    let layout = Layout::new(
        "No such page · Keyplan".to_owned(),
        "There is no page at this address.".to_owned(),
        "",
        frame,
    );
    Ok(NotFound { layout }.render()?)
}
