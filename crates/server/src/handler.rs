//! What answers requests: the seam between the wire and an engine, near or far.

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use hyper::header::HeaderValue;
use keyplan_engine::Figures;

use crate::Signature;

/// A request as the wire brought it: framed, inflated, its headers read, its meaning untouched.
#[derive(Debug, Clone)]
pub struct WireRequest {
    /// The header `X-Amz-Target` as sent, such as `DynamoDB_20120810.PutItem`.
    pub target: Option<HeaderValue>,
    /// The header `User-Agent` as sent.
    pub user_agent: Option<HeaderValue>,
    /// What the request is signed with.
    pub signature: Signature,
    /// The body, inflated.
    pub body: Bytes,
    /// Whether the client asked for a trace with `X-Keyplan-Trace: 1`.
    pub trace: bool,
}

impl WireRequest {
    /// [`WireRequest::target`] as text; nothing where it is no text.
    pub fn target(&self) -> Option<&str> {
        self.target.as_ref()?.to_str().ok()
    }

    /// [`WireRequest::user_agent`] as text.
    pub fn user_agent(&self) -> Option<&str> {
        self.user_agent.as_ref()?.to_str().ok()
    }
}

/// The answer to a request, before it is framed.
#[derive(Debug, Clone)]
pub struct WireReply {
    /// The HTTP status.
    pub status: u16,
    /// The body: DynamoDB JSON.
    pub body: Bytes,
    /// The trace as JSON, if it was asked for and there is one.
    pub trace: Option<String>,
}

/// An answer that is there, or one that is still worked on.
pub enum Handled {
    /// Answered where the request arrived.
    Ready(WireReply),
    /// Answered elsewhere; the connection waits, the thread does not.
    Later(Pin<Box<dyn Future<Output = WireReply> + Send>>),
}

/// Answers requests.
pub trait Handler: Send + Sync + 'static {
    /// Answers one request. Called on the thread that serves connections, so what takes long is
    /// answered [`Handled::Later`].
    fn handle(&self, request: WireRequest) -> Handled;

    /// How much there is of everything, where that can be told; it may read a disk.
    fn figures(&self) -> Option<Figures> {
        None
    }
}
