//! What every page has around its content.

use crate::assets::Assets;

/// The policy every page lives under: nothing inline, nothing from elsewhere. Endpoints on this
/// machine may be asked, so that a console can be pointed at one.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
     style-src 'self'; font-src 'self'; img-src 'self'; worker-src 'self'; \
     connect-src 'self' http://localhost:* http://127.0.0.1:*; base-uri 'none'; form-action 'none'";

/// What all pages of a site share.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub assets: &'a Assets,
    /// Whether there is a page that says how far the engine was checked.
    pub stated: bool,
}

/// A part of the site that its head leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SitePart {
    Course,
    Gallery,
    Console,
    None,
}

/// What stands around a page.
pub(crate) struct Layout<'a> {
    pub title: String,
    pub description: String,
    /// The way from the page to the site's root: `` or `../../`.
    pub root: &'static str,
    pub policy: &'static str,
    pub scripts: &'a [String],
    pub styles: &'a [String],
    /// The part of the site that the page belongs to.
    pub part: SitePart,
    pub version: &'static str,
    /// Whether there is a page that says how far the engine was checked.
    pub stated: bool,
    /// The script that sets the theme before the first paint, if the browser code is there.
    pub theme: bool,
}

impl<'a> Layout<'a> {
    pub fn new(title: String, description: String, root: &'static str, frame: Frame<'a>) -> Layout<'a> {
        let Frame { assets, stated } = frame;
        Layout {
            title,
            description,
            root,
            policy: CONTENT_SECURITY_POLICY,
            scripts: assets.scripts(),
            styles: assets.styles(),
            part: SitePart::None,
            version: env!("CARGO_PKG_VERSION"),
            stated,
            theme: assets.has("theme.js"),
        }
    }

    pub fn is_of_course(&self) -> bool {
        self.part == SitePart::Course
    }

    pub fn is_of_gallery(&self) -> bool {
        self.part == SitePart::Gallery
    }

    pub fn is_console(&self) -> bool {
        self.part == SitePart::Console
    }

    /// The same for a page of a part of the site.
    pub fn of(self, part: SitePart) -> Layout<'a> {
        Layout { part, ..self }
    }
}
