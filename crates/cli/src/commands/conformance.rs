//! `keyplan conformance`: the cases of the service's behaviour, against any endpoint.

use std::path::PathBuf;

use keyplan_conformance::{HttpTarget, load, not_built, run};
use keyplan_engine::shapes::operations;

use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
pub(crate) struct Conformance {
    /// The endpoint, such as http://127.0.0.1:8000; cases make tables of their own there
    #[arg(long, value_name = "URL")]
    endpoint: String,
    /// The folder with the case files
    #[arg(long, value_name = "DIR", default_value = "conformance/cases")]
    cases: PathBuf,
}

impl Conformance {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let files = load(&self.cases).map_err(|error| {
            Failure::new(format!("{error}; name the folder of the case files with --cases"))
        })?;
        let mut endpoint = HttpTarget::new(&self.endpoint);
        let mut report = run(&files, &mut endpoint);
        let targets: Vec<String> = operations()
            .iter()
            .map(|operation| format!("{}{}", operation.service.prefix(), operation.name))
            .collect();
        report.not_built = not_built(&mut endpoint, targets.iter().map(String::as_str)).map_err(|error| {
            Failure::new(format!(
                "{} does not answer ({error}); is an endpoint running there?",
                self.endpoint
            ))
        })?;
        output::print(&report.to_string());
        match report.failed() {
            0 => Ok(()),
            failed => {
                Err(Failure::new(format!("{failed} cases were answered otherwise; they are listed above")))
            }
        }
    }
}
