//! What is told to who is turned away for lack of throughput.

use keyplan_value::json::Writer;

/// A request, or a part of one, that found no units left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Throttled {
    /// What kind of limit was met; it says which error is answered.
    pub limited: Limited,
    /// What was exhausted, where that is known.
    pub reasons: Vec<ThrottlingReason>,
}

/// An exhausted table or index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThrottlingReason {
    /// What of it: table or index, read or write, and which limit.
    pub reason: String,
    /// Its ARN.
    pub resource: String,
}

/// The kinds of limits, as the service's errors part them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limited {
    /// A table or index with provisioned units.
    Provisioned {
        /// Whether it is an index.
        index: bool,
    },
    /// A table or index on demand.
    OnDemand {
        /// Whether it is an index.
        index: bool,
    },
    /// The bound that a table or index on demand was given.
    OnDemandMaximum,
    /// The quota of the account.
    Account,
}

impl Limited {
    pub(super) fn text(self) -> &'static str {
        match self {
            Limited::Provisioned { index: false } => {
                "The level of configured provisioned throughput for the table was exceeded. Consider increasing \
                 your provisioning level with the UpdateTable API."
            }
            Limited::Provisioned { index: true } => {
                "The level of configured provisioned throughput for one or more global secondary indexes of the \
                 table was exceeded. Consider increasing your provisioning level for the under-provisioned global \
                 secondary indexes with the UpdateTable API"
            }
            Limited::OnDemand { index: false } => {
                "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling \
                 your table or index so please try again shortly. If exceptions persist, check if you have a hot \
                 key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
            }
            Limited::OnDemand { index: true } => {
                "Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is \
                 automatically scaling your index so please try again shortly."
            }
            // As the Developer Guide shows the exception, under "Diagnosing throttling".
            Limited::OnDemandMaximum => {
                "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
            }
            Limited::Account => {
                "Throughput exceeds the current throughput limit for your account. To request a limit increase, \
                 contact AWS Support at https://aws.amazon.com/support."
            }
        }
    }
}

impl Throttled {
    pub(super) fn name(&self) -> &'static str {
        match self.limited {
            Limited::Provisioned { .. } => "ProvisionedThroughputExceededException",
            Limited::OnDemand { .. } | Limited::OnDemandMaximum => "ThrottlingException",
            Limited::Account => "RequestLimitExceeded",
        }
    }

    /// The code of a cancellation reason.
    pub(super) fn code(&self) -> &'static str {
        match self.limited {
            Limited::Provisioned { .. } => "ProvisionedThroughputExceeded",
            Limited::OnDemand { .. } | Limited::OnDemandMaximum | Limited::Account => "ThrottlingError",
        }
    }

    /// Writes the member with the reasons, which the model writes small in ThrottlingException alone.
    pub(super) fn write_reasons(&self, out: &mut Writer<'_>) {
        if self.reasons.is_empty() {
            return;
        }
        let member = match self.limited {
            Limited::OnDemand { .. } | Limited::OnDemandMaximum => "throttlingReasons",
            Limited::Provisioned { .. } | Limited::Account => "ThrottlingReasons",
        };
        out.name(member).begin_array();
        for ThrottlingReason { reason, resource } in &self.reasons {
            out.begin_object().name("reason").string(reason);
            out.name("resource").string(resource).end_object();
        }
        out.end_array();
    }
}
