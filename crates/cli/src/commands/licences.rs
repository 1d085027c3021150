//! `keyplan licences`: whose work is in the command.

use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
pub(crate) struct Licences {}

impl Licences {
    pub(crate) fn run(self) -> Result<(), Failure> {
        output::print(keyplan_site::THIRD_PARTY);
        Ok(())
    }
}
