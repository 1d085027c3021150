//! Why a site can't be built.

use std::fmt;

use keyplan_course::CourseError;
use keyplan_engine::inspect::InspectError;
use keyplan_grading::WorldError;
use keyplan_model::{ModelError, RunError};
use keyplan_prices::PriceError;

/// Why a site can't be built.
#[derive(Debug)]
pub enum SiteError {
    /// A model file is not right; it says where and why.
    Model(ModelError),
    /// A lesson file is not right, or the lessons don't fit together.
    Course(CourseError),
    /// A lesson can't be set up on an engine.
    Lesson {
        /// The lesson's slug.
        id: String,
        /// Why.
        error: Box<WorldError>,
    },
    /// The price file is not right.
    Prices(PriceError),
    /// Two model files make one id, so one page.
    SameId {
        /// The id.
        id: String,
    },
    /// A model can't be set up on an engine.
    Run {
        /// The model.
        id: String,
        /// Why.
        error: Box<RunError>,
    },
    /// A table can't be inspected.
    Inspect {
        /// The model or lesson.
        id: String,
        /// The table.
        table: String,
        /// Why.
        error: Box<InspectError>,
    },
    /// A model has no tables, so there is nothing to draw.
    NoTables {
        /// The model.
        id: String,
    },
    /// The data for a page's scripts can't be put together.
    Data {
        /// The model or lesson.
        id: String,
        /// Why.
        error: serde_json::Error,
    },
    /// The built browser code has no manifest, or one that names no entry.
    Manifest {
        /// What is wrong with it.
        reason: String,
    },
    /// A template could not be rendered.
    Template(askama::Error),
}

impl fmt::Display for SiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SiteError::Model(error) => error.fmt(f),
            SiteError::Course(error) => error.fmt(f),
            SiteError::Lesson { id, error } => write!(f, "lesson `{id}`: {error}"),
            SiteError::Prices(error) => error.fmt(f),
            SiteError::SameId { id } => {
                write!(f, "two model files are both called `{id}`; rename one of them")
            }
            SiteError::Run { id, error } => write!(f, "model `{id}`: {error}"),
            SiteError::Inspect { id, table, error } => {
                write!(f, "`{id}`: table {table} can't be drawn: {error}")
            }
            SiteError::NoTables { id } => write!(f, "model `{id}` has no tables, and a page draws one"),
            SiteError::Data { id, error } => {
                write!(f, "`{id}`: the data of its page can't be put together: {error}")
            }
            SiteError::Manifest { reason } => {
                write!(f, "the built browser code is not whole ({reason}); build web/ again")
            }
            SiteError::Template(error) => write!(f, "a page can't be rendered: {error}"),
        }
    }
}

impl std::error::Error for SiteError {}

impl From<askama::Error> for SiteError {
    fn from(error: askama::Error) -> SiteError {
        SiteError::Template(error)
    }
}
