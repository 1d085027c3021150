//! Who looks on while requests are answered: a cost report, a log.

use std::sync::Arc;
use std::time::Duration;

use keyplan_engine::trace::Trace;

use crate::Namespace;

/// Told of each request when it has been answered, on the thread that answered it.
pub trait Watch: Send + Sync + 'static {
    /// Whether [`Answered::trace`] is wanted, which costs every request some time.
    fn wants_traces(&self) -> bool;

    /// A request was answered.
    fn answered(&self, answered: &Answered<'_>);
}

/// What happens at an endpoint besides answers, told on the thread that serves connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice<'a> {
    /// A request was not looked at.
    Refused {
        /// `host`, `origin`, `head`, `body` or `form`.
        reason: &'static str,
        /// The host or the origin, where that is why; it holds printable characters only.
        who: &'a str,
    },
    /// A call took long.
    Slow {
        /// The operation, or `unknown`.
        operation: &'static str,
        /// The status of the answer.
        status: u16,
        /// From its last byte to its answer.
        took: Duration,
    },
}

/// Is told of each [`Notice`].
pub type Notices = Arc<dyn Fn(&Notice<'_>) + Send + Sync>;

/// A request that was answered.
#[derive(Debug)]
pub struct Answered<'a> {
    /// The header `X-Amz-Target` as sent.
    pub target: Option<&'a str>,
    /// The header `User-Agent` as sent.
    pub user_agent: Option<&'a str>,
    /// Whose tables it spoke to.
    pub namespace: &'a Namespace,
    /// The body of the request.
    pub request: &'a [u8],
    /// The status of the answer.
    pub status: u16,
    /// What the request read, wrote and cost, if that was wanted.
    pub trace: Option<&'a Trace>,
    /// Why the answer is a fault of the endpoint's own.
    pub fault: Option<&'a str>,
}
