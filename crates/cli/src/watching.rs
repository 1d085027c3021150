//! What the command does about each answered request: adds up its cost, and says on stderr why it was
//! a fault.

use std::sync::Arc;

use keyplan_server::{Answered, Watch};

use crate::output;
use crate::report::Costs;

pub(crate) struct Watching {
    pub(crate) costs: Option<Arc<Costs>>,
}

impl Watch for Watching {
    fn wants_traces(&self) -> bool {
        self.costs.is_some()
    }

    fn answered(&self, answered: &Answered<'_>) {
        if let Some(cause) = answered.fault {
            let operation = answered.target.and_then(|target| target.rsplit('.').next()).unwrap_or("?");
            let status = answered.status;
            // One line, whatever is in the cause or was sent.
            output::complain(&format!("fault: status={status} operation={operation:?} cause={cause:?}"));
        }
        if let Some(costs) = &self.costs {
            costs.add(answered);
        }
    }
}
