//! What every page has around its content.

use crate::assets::Assets;

/// The policy every page lives under: nothing inline, nothing from elsewhere. Endpoints on this
/// machine may be asked, so that a console can be pointed at one.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
     style-src 'self'; font-src 'self'; img-src 'self'; worker-src 'self'; \
     connect-src 'self' http://localhost:* http://127.0.0.1:*; base-uri 'none'; form-action 'none'";

/// The frame of a page.
pub(crate) struct Layout<'a> {
    pub title: String,
    pub description: String,
    /// The way from the page to the site's root: `` or `../../`.
    pub root: &'static str,
    pub policy: &'static str,
    pub scripts: &'a [String],
    pub styles: &'a [String],
    /// The script that sets the theme before the first paint, if the browser code is there.
    pub theme: bool,
}

impl<'a> Layout<'a> {
    pub fn new(title: String, description: String, root: &'static str, assets: &'a Assets) -> Layout<'a> {
        Layout {
            title,
            description,
            root,
            policy: CONTENT_SECURITY_POLICY,
            scripts: assets.scripts(),
            styles: assets.styles(),
            theme: assets.has("theme.js"),
        }
    }
}
