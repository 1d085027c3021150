//! Who looks on while requests are answered: a cost report, a log.

use keyplan_engine::trace::Trace;

use crate::Namespace;

/// Told of each request when it has been answered, on the thread that answered it.
pub trait Watch: Send + Sync + 'static {
    /// Whether [`Answered::trace`] is wanted, which costs every request some time.
    fn wants_traces(&self) -> bool;

    /// A request was answered.
    fn answered(&self, answered: &Answered<'_>);
}

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
