//! What is built into the command: models, lessons, and the pages' scripts, styles and engine.

use bytes::Bytes;
use keyplan_site::{Assets, Content, Site};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::failure::Failure;

#[derive(RustEmbed)]
#[folder = "../../content/models"]
struct Models;

#[derive(RustEmbed)]
#[folder = "../../content/course"]
struct Lessons;

/// Empty in a build that was made before the pages were.
#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct WebFiles;

/// The studio's pages.
pub(crate) fn site() -> Result<Site, Failure> {
    if WebFiles::iter().next().is_none() {
        return Err(Failure::new(
            "this build has no pages in it; build it with `cargo xtask studio`, which makes them first",
        ));
    }
    let assets =
        Assets::new(files::<WebFiles>().map(|(path, file)| (path, Bytes::from(file.data.into_owned()))))
            .map_err(|error| Failure::new(format!("the built pages can't be used: {error}")))?;
    let (models, lessons) = (texts::<Models>(), texts::<Lessons>());
    let content = Content { models: &borrowed(&models), lessons: &borrowed(&lessons) };
    Site::build(&content, assets).map_err(|error| Failure::new(error.to_string()))
}

fn texts<Folder: RustEmbed>() -> Vec<(String, String)> {
    let text = |file: EmbeddedFile| String::from_utf8_lossy(&file.data).into_owned();
    files::<Folder>().map(|(path, file)| (path, text(file))).collect()
}

fn borrowed(texts: &[(String, String)]) -> Vec<(&str, &str)> {
    texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

fn files<Folder: RustEmbed>() -> impl Iterator<Item = (String, EmbeddedFile)> {
    Folder::iter().filter_map(|path| Some((path.to_string(), Folder::get(&path)?)))
}
