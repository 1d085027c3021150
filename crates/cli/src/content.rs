//! What is built into the command: the models, and the pages' scripts, styles and engine.

use bytes::Bytes;
use keyplan_site::{Assets, Site};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::failure::Failure;

#[derive(RustEmbed)]
#[folder = "../../content/models"]
struct Models;

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
    let models: Vec<(String, String)> = files::<Models>()
        .map(|(path, file)| (path, String::from_utf8_lossy(&file.data).into_owned()))
        .collect();
    let models: Vec<(&str, &str)> =
        models.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Site::build(&models, assets).map_err(|error| Failure::new(error.to_string()))
}

fn files<Folder: RustEmbed>() -> impl Iterator<Item = (String, EmbeddedFile)> {
    Folder::iter().filter_map(|path| Some((path.to_string(), Folder::get(&path)?)))
}
