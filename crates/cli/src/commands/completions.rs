//! `keyplan completions`: what a shell needs to complete this command's words.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::CommandLine;
use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
pub(crate) struct Completions {
    /// The shell; for bash, add the output to ~/.bash_completion
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut CommandLine::command(), "keyplan", &mut script);
        output::print(&String::from_utf8_lossy(&script));
        Ok(())
    }
}
