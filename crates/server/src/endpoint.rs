//! The DynamoDB endpoint: which requests are calls, and how their answers are framed.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::header::{
    ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, EXPECT, HeaderMap, HeaderName,
    HeaderValue, ORIGIN, SERVER, USER_AGENT, VARY,
};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use keyplan_engine::arn::DEFAULT_REGION;

use crate::body::{self, Bodies, BodyError};
use crate::connections::{Respond, Responding};
use crate::limits::COMPRESS_BYTES_MIN;
use crate::traces::{KeptTraces, TRACE_HEADER, TRACE_PATH};
use crate::{AccessRules, Handled, Handler, Signature, WireReply, WireRequest};

const AMZ_JSON: &str = "application/x-amz-json-1.0";
const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");
const EXPOSED: &str = "x-amzn-RequestId,x-amzn-ErrorType,x-amz-request-id,x-amz-id-2,x-amzn-ErrorMessage,x-amz-crc32,\
                       Date,x-keyplan-trace";

/// Where the endpoint says as JSON that it answers.
const HEALTH_PATH: &str = "/health";

/// How an endpoint is served.
#[derive(Debug, Clone, Default)]
pub struct EndpointOptions {
    /// The hosts and origins that are answered beside the loopback ones.
    pub access: AccessRules,
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
            bodies: Bodies::new(),
            traces: KeptTraces::default(),
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
    bodies: Bodies,
    traces: KeptTraces,
}

impl Respond for EndpointResponder {
    fn respond(self: Arc<Self>, request: Request<Incoming>) -> Responding {
        Box::pin(async move { self.answer(request).await })
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
        if let Err(refusal) = self.access.check(&head.uri, &head.headers) {
            let body = error_body("com.amazon.coral.service#AccessDeniedException", &refusal.message());
            return Framed::new(StatusCode::FORBIDDEN, body).content_type(AMZ_JSON).response();
        }
        let origin = head.headers.get(ORIGIN);
        let response = match head.method {
            Method::GET | Method::HEAD => self.answer_get(head.uri.path()),
            Method::OPTIONS if origin.is_some() => preflight(&head.headers),
            Method::POST if head.uri.path() == "/" => match content_type(&head.headers) {
                Some(content_type) => self.answer_call(head, incoming, content_type).await,
                None => not_a_call(),
            },
            _ => not_a_call(),
        };
        with_origin(response, origin)
    }

    fn answer_get(&self, path: &str) -> Response<Full<Bytes>> {
        if let Some(token) = path.strip_prefix(TRACE_PATH) {
            return match self.traces.get(token) {
                Some(trace) => Framed::new(StatusCode::OK, trace).content_type("application/json"),
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
                .content_type("application/json")
                .response();
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
        let (body, place) = match self.bodies.receive(incoming, encoding).await {
            Ok(body) => body.into_parts(),
            Err(error) => return refused_body(&error),
        };
        let wants_trace = text(&head.headers, &HeaderName::from_static(TRACE_HEADER)) == Some("1");
        let request = WireRequest {
            target: text(&head.headers, &HeaderName::from_static("x-amz-target")).map(str::to_owned),
            user_agent: text(&head.headers, &USER_AGENT).map(str::to_owned),
            signature: Signature::of(head),
            body,
            trace: wants_trace,
        };
        let reply = match self.handler.handle(request) {
            Handled::Ready(reply) => reply,
            Handled::Later(reply) => reply.await,
        };
        drop(place);
        self.frame(reply, content_type, accepts_gzip(&head.headers))
    }

    fn frame(&self, reply: WireReply, content_type: &'static str, gzip: bool) -> Response<Full<Bytes>> {
        let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let trace = reply.trace.map(|trace| self.traces.header_value(trace));
        let compressed =
            if gzip && reply.body.len() >= COMPRESS_BYTES_MIN { body::gzip(&reply.body).ok() } else { None };
        let is_compressed = compressed.is_some();
        let mut response =
            Framed::new(status, compressed.unwrap_or(reply.body)).content_type(content_type).response();
        let headers = response.headers_mut();
        if is_compressed {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
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
        if let Ok(value) = HeaderValue::from_str(&request_id()) {
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
fn request_id() -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut id = String::with_capacity(52);
    for _ in 0..4 {
        let mut bits = fastrand::u128(..);
        for _ in 0..13 {
            let letter = ALPHABET.get((bits & 31) as usize).copied().unwrap_or(b'A');
            id.push(char::from(letter));
            bits >>= 5;
        }
    }
    id
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The content type of a call, without its parameters; none for anything that is no call.
fn content_type(headers: &HeaderMap) -> Option<&'static str> {
    let sent = text(headers, &CONTENT_TYPE)?;
    let base = sent.split(';').next().unwrap_or("").trim();
    [AMZ_JSON, "application/json"].into_iter().find(|known| base.eq_ignore_ascii_case(known))
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    text(headers, &ACCEPT_ENCODING).is_some_and(|accepted| {
        accepted.split(',').any(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            parts.next() == Some("gzip") && !parts.any(|quality| matches!(quality, "q=0" | "q=0.0"))
        })
    })
}

fn not_a_call() -> Response<Full<Bytes>> {
    Framed::new(StatusCode::NOT_FOUND, Bytes::from_static(b"<UnknownOperationException/>\n")).response()
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
