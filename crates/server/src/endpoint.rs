//! The DynamoDB endpoint: which requests are calls, and how their answers are framed.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, EXPECT, HeaderMap, HeaderName,
    HeaderValue, ORIGIN, SERVER, USER_AGENT, VARY,
};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use keyplan_engine::arn::DEFAULT_REGION;

use crate::body::{self, Bodies, BodyError};
use crate::coding::Coding;
use crate::connections::{Respond, Responding};
use crate::limits::{HEADERS_BYTES_MAX, PLAIN_BYTES_MAX, SLOW_TIME_MIN, TARGET_BYTES_MAX};
use crate::metrics::{self, Metrics, OperationPlace, Refused};
use crate::origin::Refusal;
use crate::time::machine_time;
use crate::traces::{KeptTraces, TRACE_HEADER, TRACE_PATH};
use crate::verifying::verify;
use crate::{AccessRules, Credentials, Handled, Handler, Notice, Notices, Signature, WireReply, WireRequest};

const AMZ_JSON: &str = "application/x-amz-json-1.0";
const JSON: &str = "application/json";
const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");
const EXPOSED: &str = "x-amzn-RequestId,x-amzn-ErrorType,x-amz-request-id,x-amz-id-2,x-amzn-ErrorMessage,x-amz-crc32,\
                       Date,x-keyplan-trace";

/// Headers of most answers: the four that every one has, the length and the date that hyper adds, and some.
const HEADERS: usize = 8;
const HEAD_TOO_LARGE: &[u8] = b"The request's headers or its address are larger than 16 KB.\n";

/// Where the endpoint says as JSON that it answers.
const HEALTH_PATH: &str = "/health";

/// Where its figures are, as Prometheus reads them.
const METRICS_PATH: &str = "/metrics";

/// How an endpoint is served.
#[derive(Clone, Default)]
pub struct EndpointOptions {
    /// The hosts and origins that are answered beside the loopback ones.
    pub access: AccessRules,
    /// The key pairs that requests must be signed with; without them no signature is verified.
    pub credentials: Option<Arc<Credentials>>,
    /// Is told what happens besides answers.
    pub notices: Option<Notices>,
}

/// A DynamoDB endpoint on a listener.
pub struct Endpoint {
    pub(crate) listener: TcpListener,
    pub(crate) responder: Arc<EndpointResponder>,
}

impl Endpoint {
    /// An endpoint that answers with `handler` what arrives at `listener`.
    ///
    /// # Errors
    /// When the listener can't be made non-blocking.
    pub fn new(
        listener: TcpListener,
        handler: Arc<dyn Handler>,
        options: EndpointOptions,
    ) -> io::Result<Endpoint> {
        listener.set_nonblocking(true)?;
        let responder = EndpointResponder {
            handler,
            access: options.access,
            credentials: options.credentials,
            bodies: Bodies::new(),
            traces: KeptTraces::default(),
            metrics: Metrics::new(),
            notices: options.notices,
        };
        Ok(Endpoint { listener, responder: Arc::new(responder) })
    }

    /// The address it listens on.
    ///
    /// # Errors
    /// When the operating system does not tell.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

pub(crate) struct EndpointResponder {
    handler: Arc<dyn Handler>,
    access: AccessRules,
    credentials: Option<Arc<Credentials>>,
    bodies: Bodies,
    traces: KeptTraces,
    metrics: Metrics,
    notices: Option<Notices>,
}

impl Respond for EndpointResponder {
    fn respond(self: Arc<Self>, request: Request<Incoming>) -> Responding {
        Box::pin(async move { self.answer(request).await })
    }

    fn connected(&self) {
        self.metrics.connected();
    }

    fn disconnected(&self) {
        self.metrics.disconnected();
    }
}

impl EndpointResponder {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (head, mut incoming) = request.into_parts();
        let response = self.answer_with(&head, &mut incoming).await;
        // Who waits to be told to send the body is not told to; who was too slow has had its time.
        let sends_on = !head.headers.contains_key(EXPECT) && response.status() != StatusCode::REQUEST_TIMEOUT;
        if sends_on && !incoming.is_end_stream() {
            body::discard(&mut incoming).await;
        }
        response
    }

    async fn answer_with(&self, head: &Parts, incoming: &mut Incoming) -> Response<Full<Bytes>> {
        if is_head_too_large(head) {
            self.refused(Refused::Head, "");
            return Framed::new(StatusCode::BAD_REQUEST, Bytes::from_static(HEAD_TOO_LARGE)).response();
        }
        if let Err(refusal) = self.access.check(&head.uri, &head.headers) {
            let (why, who) = match &refusal {
                Refusal::Host(host) => (Refused::Host, host),
                Refusal::Origin(origin) => (Refused::Origin, origin),
            };
            self.refused(why, who);
            let body = error_body("com.amazon.coral.service#AccessDeniedException", &refusal.message());
            return Framed::new(StatusCode::FORBIDDEN, body).content_type(AMZ_JSON).response();
        }
        let origin = head.headers.get(ORIGIN);
        let response = match head.method {
            Method::GET | Method::HEAD if head.uri.path() == METRICS_PATH => self.answer_metrics().await,
            Method::GET | Method::HEAD => self.answer_get(head.uri.path()),
            Method::OPTIONS if origin.is_some() => preflight(&head.headers),
            Method::POST if head.uri.path() == "/" => match content_type(head, incoming) {
                Some(content_type) => self.answer_call(head, incoming, content_type).await,
                None => self.not_a_call(),
            },
            _ => self.not_a_call(),
        };
        with_origin(response, origin)
    }

    fn not_a_call(&self) -> Response<Full<Bytes>> {
        self.refused(Refused::Form, "");
        Framed::new(StatusCode::NOT_FOUND, Bytes::from_static(b"<UnknownOperationException/>\n")).response()
    }

    /// Counts a request that was not looked at; `who` sent it or was meant, where that is why.
    fn refused(&self, why: Refused, who: &str) {
        self.metrics.refused(why);
        if let Some(notices) = &self.notices {
            notices(&Notice::Refused { reason: why.word(), who });
        }
    }

    async fn answer_metrics(&self) -> Response<Full<Bytes>> {
        let handler = Arc::clone(&self.handler);
        // Every table is looked at, and where they lie in a file that may wait for a disk.
        let figures = tokio::task::spawn_blocking(move || handler.figures()).await;
        let text = self.metrics.text(figures.ok().flatten().as_ref());
        Framed::new(StatusCode::OK, text.into()).content_type(metrics::CONTENT_TYPE).response()
    }

    fn answer_get(&self, path: &str) -> Response<Full<Bytes>> {
        if let Some(token) = path.strip_prefix(TRACE_PATH) {
            return match self.traces.get(token) {
                Some(trace) => Framed::new(StatusCode::OK, trace).content_type(JSON),
                None => Framed::new(
                    StatusCode::NOT_FOUND,
                    Bytes::from_static(b"This trace is not kept any more. Run the request again.\n"),
                )
                .content_type("text/plain; charset=utf-8"),
            }
            .response();
        }
        if path == HEALTH_PATH {
            return Framed::new(StatusCode::OK, Bytes::from_static(b"{\"status\":\"ok\"}\n"))
                .content_type(JSON)
                .response();
        }
        if path != "/" {
            return self.not_a_call();
        }
        // SDK-less health checks rely on this text, its trailing space included.
        let health = format!("healthy: dynamodb.{DEFAULT_REGION}.amazonaws.com ");
        Framed::new(StatusCode::OK, health.into()).response()
    }

    async fn answer_call(
        &self,
        head: &Parts,
        incoming: &mut Incoming,
        content_type: &'static str,
    ) -> Response<Full<Bytes>> {
        let encoding = text(&head.headers, &CONTENT_ENCODING);
        let verified = self.credentials.as_deref();
        let (body, digest, place) = match self.bodies.receive(incoming, encoding, verified.is_some()).await {
            Ok(body) => body.into_parts(),
            Err(error) => {
                self.refused(Refused::Body, "");
                return refused_body(&error);
            }
        };
        let wants_trace = text(&head.headers, &HeaderName::from_static(TRACE_HEADER)) == Some("1");
        let mut signature = Signature::of(head);
        if let (Some(credentials), Some(digest)) = (verified, digest)
            && let Err(fault) = verify(head, &digest, credentials, machine_time())
        {
            signature.refuse(fault);
        }
        let request = WireRequest {
            target: head.headers.get(HeaderName::from_static("x-amz-target")).cloned(),
            user_agent: head.headers.get(USER_AGENT).cloned(),
            signature,
            body,
            trace: wants_trace,
        };
        let operation = OperationPlace::of(request.target());
        let began = Instant::now();
        let reply = match self.handler.handle(request) {
            Handled::Ready(reply) => reply,
            Handled::Later(reply) => reply.await,
        };
        let took = began.elapsed();
        self.metrics.answered(operation, &reply, took);
        if took >= SLOW_TIME_MIN
            && let Some(notices) = &self.notices
        {
            notices(&Notice::Slow { operation: operation.name(), status: reply.status, took });
        }
        drop(place);
        self.frame(reply, content_type, Coding::accepted(&head.headers))
    }

    fn frame(
        &self,
        reply: WireReply,
        content_type: &'static str,
        accepted: Option<Coding>,
    ) -> Response<Full<Bytes>> {
        let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let trace = reply.trace.map(|trace| self.traces.header_value(trace));
        let coding = accepted.filter(|_| reply.body.len() > PLAIN_BYTES_MAX);
        let compressed = coding.and_then(|coding| Some((coding.compress(&reply.body).ok()?, coding.name())));
        let (body, encoding) =
            compressed.map_or((reply.body, None), |(body, encoding)| (body, Some(encoding)));
        let mut response = Framed::new(status, body).content_type(content_type).response();
        let headers = response.headers_mut();
        if let Some(encoding) = encoding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        if let Some(value) = trace.and_then(|trace| HeaderValue::from_str(&trace).ok()) {
            headers.insert(TRACE_HEADER, value);
        }
        response
    }
}

/// An answer with the headers that every answer of the service has.
struct Framed {
    status: StatusCode,
    body: Bytes,
    content_type: Option<&'static str>,
}

impl Framed {
    fn new(status: StatusCode, body: Bytes) -> Framed {
        Framed { status, body, content_type: None }
    }

    fn content_type(mut self, content_type: &'static str) -> Framed {
        self.content_type = Some(content_type);
        self
    }

    fn response(self) -> Response<Full<Bytes>> {
        // The checksum is of the bytes on the wire, after any compression.
        let crc32 = crc32fast::hash(&self.body);
        let mut response = Response::new(Full::new(self.body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.reserve(HEADERS);
        if let Ok(value) = HeaderValue::from_bytes(&request_id()) {
            headers.insert(REQUEST_ID, value);
        }
        headers.insert(CRC32, HeaderValue::from(crc32));
        headers.insert(SERVER, HeaderValue::from_static("Server"));
        if let Some(content_type) = self.content_type {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        }
        response
    }
}

/// A request id as the service forms it: 52 capital letters and digits.
fn request_id() -> [u8; 52] {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut id = [b'A'; 52];
    // A letter takes five bits: twelve are in a number.
    for letters in id.chunks_mut(12) {
        let mut bits = fastrand::u64(..);
        for letter in letters {
            *letter = ALPHABET.get((bits & 31) as usize).copied().unwrap_or(b'A');
            bits >>= 5;
        }
    }
    id
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The content type of a call, without its parameters; none for anything that is no call. Where there is no
/// body, any will do.
fn content_type(head: &Parts, incoming: &Incoming) -> Option<&'static str> {
    let sent = text(&head.headers, &CONTENT_TYPE).unwrap_or("");
    let base = sent.split(';').next().unwrap_or("").trim();
    let known = [AMZ_JSON, JSON].into_iter().find(|known| base.eq_ignore_ascii_case(known));
    known.or_else(|| incoming.is_end_stream().then_some(JSON))
}

fn is_head_too_large(head: &Parts) -> bool {
    let headers = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len());
    let target = head.uri.path_and_query().map_or(0, |target| target.as_str().len());
    target > TARGET_BYTES_MAX || headers.sum::<usize>() > HEADERS_BYTES_MAX
}

fn refused_body(error: &BodyError) -> Response<Full<Bytes>> {
    let mut response = match error {
        BodyError::TooLarge => Framed::new(StatusCode::PAYLOAD_TOO_LARGE, Bytes::new()).response(),
        BodyError::TooSlow => Framed::new(StatusCode::REQUEST_TIMEOUT, Bytes::new()).response(),
        BodyError::Broken => Framed::new(StatusCode::BAD_REQUEST, Bytes::new()).response(),
        // The service answers this client's mistake as a fault of its own.
        BodyError::Encoding => {
            let body = error_body(
                "com.amazonaws.dynamodb.v20120810#InternalServerError",
                "The request body could not be decoded by its Content-Encoding. Send it as it is, or as gzip or \
                 deflate.",
            );
            Framed::new(StatusCode::INTERNAL_SERVER_ERROR, body).content_type(AMZ_JSON).response()
        }
    };
    // What is left of the body is not read, so the connection can't carry another request.
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// The body of an error that the wire itself answers. `message` holds nothing that JSON escapes.
pub(crate) fn error_body(kind: &str, message: &str) -> Bytes {
    let message = message.replace(['"', '\\'], "'");
    format!(r#"{{"__type":"{kind}","message":"{message}"}}"#).into()
}

fn preflight(headers: &HeaderMap) -> Response<Full<Bytes>> {
    let mut response = Framed::new(StatusCode::OK, Bytes::new()).response();
    let answer = response.headers_mut();
    answer.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("172800"));
    for (asked, allowed) in [
        (ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_ALLOW_HEADERS),
        (ACCESS_CONTROL_REQUEST_METHOD, ACCESS_CONTROL_ALLOW_METHODS),
        (
            HeaderName::from_static("access-control-request-private-network"),
            HeaderName::from_static("access-control-allow-private-network"),
        ),
    ] {
        if let Some(value) = headers.get(asked) {
            answer.insert(allowed, value.clone());
        }
    }
    response
}

/// Lets the page that asked read the answer; it was checked against the rules before.
fn with_origin(mut response: Response<Full<Bytes>>, origin: Option<&HeaderValue>) -> Response<Full<Bytes>> {
    if let Some(origin) = origin {
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
        headers.insert(VARY, HeaderValue::from_static("Origin"));
    }
    response
}
