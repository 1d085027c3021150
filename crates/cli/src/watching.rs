//! What the command does about each answered request: adds up its cost, and says why it was a fault.

use std::sync::Arc;

use keyplan_server::{Answered, Watch};

use crate::log::Log;
use crate::report::Costs;

pub(crate) struct Watching {
    pub(crate) log: Arc<Log>,
    pub(crate) costs: Option<Arc<Costs>>,
}

impl Watch for Watching {
    fn wants_traces(&self) -> bool {
        self.costs.is_some()
    }

    fn answered(&self, answered: &Answered<'_>) {
        if let Some(cause) = answered.fault {
            let operation = answered.target.and_then(|target| target.rsplit('.').next()).unwrap_or("?");
            self.log.fault(answered.status, operation, cause);
        }
        if let Some(costs) = &self.costs {
            costs.add(answered);
        }
    }
}
