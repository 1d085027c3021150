//! The control listener: requests to the endpoint itself, in a small JSON of its own.
//!
//! It is a listener apart from the endpoint's, on a loopback address whatever the endpoint listens on,
//! so that nothing sent to a table's address can be taken for it. What a request does is the business of
//! the [`ControlHandler`]; this file says who may ask, and how.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, ORIGIN, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Method, Request, Response, StatusCode};

use crate::AccessRules;
use crate::connections::{Respond, Responding};
use crate::limits::{BODY_TIME_MAX, CONTROL_BODY_BYTES_MAX};

/// What is asked of a control listener.
#[derive(Debug)]
pub struct ControlRequest<'a> {
    /// Whether something is to be done (POST), and not only told (GET).
    pub acts: bool,
    /// The path, such as `/reset`.
    pub path: &'a str,
    /// The body: JSON, or nothing.
    pub body: &'a [u8],
}

/// An answer of a control listener.
#[derive(Debug)]
pub struct ControlReply {
    /// The HTTP status.
    pub status: u16,
    /// The body: JSON.
    pub body: Vec<u8>,
}

/// Answers what is asked of a control listener.
pub type ControlHandler = Arc<dyn Fn(&ControlRequest<'_>) -> ControlReply + Send + Sync>;

/// A control listener.
pub struct Control {
    pub(crate) listener: TcpListener,
    pub(crate) responder: Arc<ControlResponder>,
}

impl Control {
    /// Listens on a port of the loopback address; 0 takes a free one.
    ///
    /// # Errors
    /// When the port can't be listened on.
    pub fn bind(port: u16) -> io::Result<TcpListener> {
        TcpListener::bind((Ipv4Addr::LOCALHOST, port))
    }

    /// A control listener that answers with `handler`. Pages are refused, whatever their origin: what it
    /// does is for programs.
    ///
    /// # Errors
    /// When the listener can't be made non-blocking, or is on no loopback address.
    pub fn new(listener: TcpListener, handler: ControlHandler) -> io::Result<Control> {
        if !listener.local_addr()?.ip().is_loopback() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "control is for loopback addresses"));
        }
        listener.set_nonblocking(true)?;
        Ok(Control { listener, responder: Arc::new(ControlResponder { handler }) })
    }

    /// The address it listens on.
    ///
    /// # Errors
    /// When the operating system does not tell.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

pub(crate) struct ControlResponder {
    handler: ControlHandler,
}

impl Respond for ControlResponder {
    fn respond(self: Arc<Self>, request: Request<Incoming>) -> Responding {
        Box::pin(async move {
            let mut response = self.answer(request).await;
            let headers = response.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            headers.insert(
                HeaderName::from_static("cross-origin-resource-policy"),
                HeaderValue::from_static("same-origin"),
            );
            response
        })
    }
}

impl ControlResponder {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (head, incoming) = request.into_parts();
        if AccessRules::default().check_hosts(&head.uri, &head.headers).is_err() {
            return refused(StatusCode::FORBIDDEN, "The control address is for localhost and 127.0.0.1.");
        }
        // A browser names the page that sends a POST, and says of each request whether a page sent it.
        let site = head.headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        if head.headers.contains_key(ORIGIN) || site.is_some_and(|site| site != b"none") {
            return refused(StatusCode::FORBIDDEN, "Pages may not use the control address; programs may.");
        }
        let acts = match head.method {
            Method::GET | Method::HEAD => false,
            Method::POST => true,
            _ => {
                let mut response = refused(StatusCode::METHOD_NOT_ALLOWED, "Ask with GET, act with POST.");
                response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
                return response;
            }
        };
        let body = Limited::new(incoming, CONTROL_BODY_BYTES_MAX).collect();
        let body = match tokio::time::timeout(BODY_TIME_MAX, body).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(_)) => {
                return refused(StatusCode::PAYLOAD_TOO_LARGE, "The body is broken or above 64 KB.");
            }
            Err(_) => return refused(StatusCode::REQUEST_TIMEOUT, "The body took too long."),
        };
        let (handler, path) = (Arc::clone(&self.handler), head.uri.path().to_owned());
        // Moving the clock settles all that is due by then, while requests go on.
        let acting = move || handler(&ControlRequest { acts, path: &path, body: &body });
        let Ok(reply) = tokio::task::spawn_blocking(acting).await else {
            return refused(
                StatusCode::SERVICE_UNAVAILABLE,
                "The endpoint is stopping, or the request failed.",
            );
        };
        let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = Response::new(Full::new(reply.body.into()));
        *response.status_mut() = status;
        response
    }
}

/// `message` holds nothing that JSON escapes but quotes.
fn refused(status: StatusCode, message: &str) -> Response<Full<Bytes>> {
    let message = message.replace(['"', '\\'], "'");
    let mut response = Response::new(Full::new(Bytes::from(format!("{{\"error\":\"{message}\"}}\n"))));
    *response.status_mut() = status;
    response
}
