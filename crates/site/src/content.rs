//! What the site is made from.

/// The files and facts that the site is made from. A file is its name and its text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Content<'a> {
    /// Model files: the gallery.
    pub models: &'a [(&'a str, &'a str)],
    /// Lesson files: the course.
    pub lessons: &'a [(&'a str, &'a str)],
    /// The model file that the home page runs; without it the home page has no request to try.
    pub home: Option<(&'a str, &'a str)>,
    /// The price file; without it no price is known.
    pub prices: Option<&'a str>,
    /// How far this build's engine was checked; without it there is no page that says so.
    pub statement: Option<&'a Statement>,
}

/// What a page says of the engine that the site carries: the outcome of the conformance cases on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The topics of the cases.
    pub topics: Vec<StatementTopic>,
    /// Operations that the engine doesn't have.
    pub not_built: Vec<String>,
    /// What differs from the service, in Markdown.
    pub differences: String,
}

/// The outcome of one topic's cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementTopic {
    /// The topic.
    pub topic: String,
    /// What it is about, in a sentence.
    pub about: String,
    /// How many cases were answered as the service does.
    pub passed: usize,
    /// The names of those that were not.
    pub failed: Vec<String>,
}
