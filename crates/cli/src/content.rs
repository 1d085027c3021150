//! What is built into the command: models, lessons, prices, what differs from the service, and the pages'
//! scripts, styles and engine.

use std::fmt::Display;
use std::io::{self, Read};

use bytes::Bytes;
use flate2::read::GzDecoder;
use keyplan_conformance::{built_in, run_in_process};
use keyplan_site::{Assets, Content, Site, Statement, StatementTopic};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::failure::Failure;

#[derive(RustEmbed)]
#[folder = "../../content/models"]
struct Models;

#[derive(RustEmbed)]
#[folder = "../../content/course"]
struct Lessons;

const HOME: &str = include_str!("../../../content/home.yaml");
const PRICES: &str = include_str!("../../../content/prices.json");
const DIFFERENCES: &str = include_str!("../../../docs/differences.md");

/// Each file packed with gzip. Empty in a build that was made before the pages were.
#[derive(RustEmbed)]
#[folder = "../../web/packed"]
#[allow_missing = true]
struct WebFiles;

/// The studio's pages.
pub(crate) fn site() -> Result<Site, Failure> {
    if WebFiles::iter().next().is_none() {
        return Err(Failure::new(
            "this build has no pages in it; build it with `cargo xtask studio`, which makes them first",
        ));
    }
    let unusable = |error: &dyn Display| Failure::new(format!("the built pages can't be used: {error}"));
    let files: Vec<(String, Bytes)> = files::<WebFiles>()
        .map(|(path, file)| Ok((path, unpacked(&file.data)?)))
        .collect::<io::Result<_>>()
        .map_err(|error| unusable(&error))?;
    let assets = Assets::new(files).map_err(|error| unusable(&error))?;
    let (models, lessons) = (texts::<Models>(), texts::<Lessons>());
    let statement = statement()?;
    let content = Content {
        models: &borrowed(&models),
        lessons: &borrowed(&lessons),
        home: Some(("home.yaml", HOME)),
        prices: Some(PRICES),
        statement: Some(&statement),
    };
    Site::build(&content, assets).map_err(|error| Failure::new(error.to_string()))
}

fn unpacked(packed: &[u8]) -> io::Result<Bytes> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

fn texts<Folder: RustEmbed>() -> Vec<(String, String)> {
    let text = |file: EmbeddedFile| String::from_utf8_lossy(&file.data).into_owned();
    files::<Folder>().map(|(path, file)| (path, text(file))).collect()
}

fn borrowed(texts: &[(String, String)]) -> Vec<(&str, &str)> {
    texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

/// How far the engine of this very command was checked: its answers to the built-in cases.
fn statement() -> Result<Statement, Failure> {
    let cases = built_in().map_err(|error| Failure::new(error.to_string()))?;
    let report = run_in_process(&cases);
    let topics = report.topics.iter().map(|topic| {
        let (passed, failed): (Vec<_>, Vec<_>) =
            report.of_topic(topic).partition(|outcome| outcome.failure.is_none());
        StatementTopic {
            topic: topic.topic.clone(),
            about: topic.about.clone(),
            passed: passed.len(),
            failed: failed.into_iter().map(|outcome| outcome.name.clone()).collect(),
        }
    });
    let topics = topics.collect();
    Ok(Statement { topics, not_built: report.not_built, differences: DIFFERENCES.to_owned() })
}

fn files<Folder: RustEmbed>() -> impl Iterator<Item = (String, EmbeddedFile)> {
    Folder::iter().filter_map(|path| Some((path.to_string(), Folder::get(&path)?)))
}

#[cfg(test)]
mod tests {
    use keyplan_engine::arn::ACCOUNT;
    use keyplan_engine::limits::{SHARD_LIFE_MILLISECONDS, STREAM_LIFE_MILLISECONDS};
    use keyplan_server::{NAMESPACES_IN_FILES_MAX, NAMESPACES_IN_MEMORY_MAX};

    use super::DIFFERENCES;

    const HOUR_MILLISECONDS: u64 = 3_600_000;

    /// The document and the page are one text; its figures are the code's.
    #[test]
    fn what_differs_says_the_figures_of_the_code() {
        assert_eq!(SHARD_LIFE_MILLISECONDS, 4 * HOUR_MILLISECONDS, "the text says four hours");
        let in_memory = NAMESPACES_IN_MEMORY_MAX / 1_000;
        for said in [
            format!("{ACCOUNT} in every ARN"),
            format!("beyond the {in_memory},000th (the {NAMESPACES_IN_FILES_MAX}nd on files)"),
            "after four hours of the engine's clock".to_owned(),
            format!("readable for {} hours", STREAM_LIFE_MILLISECONDS / HOUR_MILLISECONDS),
        ] {
            assert!(DIFFERENCES.contains(&said), "docs/differences.md does not say: {said}");
        }
    }
}
