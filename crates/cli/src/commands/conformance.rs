//! `keyplan conformance`: the cases of the service's behaviour, against this build or any endpoint.

use std::path::{Path, PathBuf};

use keyplan_conformance::{
    Against, CaseFile, HttpTarget, Report, all_targets, built_in, load, not_built, run, run_in_process,
};

use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
pub(crate) struct Conformance {
    /// An endpoint, such as http://127.0.0.1:8000, on which cases make tables of their own;
    /// without it, the engine of this very command is held against them, in process
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Another endpoint that gets the same cases; what is reported is where the two differ
    #[arg(long, value_name = "URL", requires = "endpoint")]
    against: Option<String>,
    /// The folder that the endpoint's own --buckets names; without it, cases that need buckets are left out
    #[arg(long, value_name = "DIR", requires = "endpoint")]
    buckets: Option<PathBuf>,
    /// A folder with case files, instead of those that are built in
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    /// How the report is written
    #[arg(long, value_name = "FORM", default_value = "text", conflicts_with = "against")]
    format: Format,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs: all cases by topic, as one JSON object
    Json,
}

impl Conformance {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let files = match &self.cases {
            Some(folder) => load(folder).map_err(|error| {
                Failure::new(format!("{error}; name the folder of the case files with --cases"))
            })?,
            None => built_in().map_err(|error| Failure::new(error.to_string()))?,
        };
        let report = match &self.endpoint {
            Some(endpoint) => report_of(endpoint, &files, self.buckets.as_deref())?,
            None => run_in_process(&files),
        };
        if let Some(other) = &self.against {
            return compared(&report, &report_of(other, &files, self.buckets.as_deref())?);
        }
        output::print(&match self.format {
            Format::Text => format!("{report}\n"),
            Format::Json => report.to_json() + "\n",
        });
        match report.failed() {
            0 => Ok(()),
            failed => {
                Err(Failure::new(format!("{failed} cases were answered otherwise; they are listed above")))
            }
        }
    }
}

/// What an endpoint makes of the cases.
fn report_of(endpoint: &str, files: &[CaseFile], buckets: Option<&Path>) -> Result<Report, Failure> {
    let mut target = HttpTarget::new(endpoint);
    if let Some(folder) = buckets {
        target = target.with_buckets(folder).map_err(|error| Failure::new(error.to_string()))?;
    }
    let report = run(files, &mut target);
    let targets = all_targets();
    let not_built = not_built(&mut target, targets.iter().map(String::as_str)).map_err(|error| {
        Failure::new(format!("{endpoint} does not answer ({error}); is an endpoint running there?"))
    })?;
    Ok(Report { not_built, ..report })
}

fn compared(report: &Report, other: &Report) -> Result<(), Failure> {
    let against = Against::new(report, other);
    output::print(&format!("{against}\n"));
    match against.apart() {
        0 => Ok(()),
        apart => Err(Failure::new(format!("{apart} cases were answered differently; they are listed above"))),
    }
}
