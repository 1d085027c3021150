//! The studio's listener: pages and assets that were handed in, from memory, read only.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HOST, HeaderName, HeaderValue,
    IF_NONE_MATCH, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Method, Request, Response, StatusCode};

use crate::AccessRules;
use crate::connections::{Respond, Responding};

/// Scripts and styles come from the site alone, and none stand in the pages; the engine is
/// WebAssembly; a console may be pointed at an endpoint on this machine.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' \
                           data:; font-src 'self'; worker-src 'self'; manifest-src 'self'; connect-src 'self' \
                           http://localhost:* http://127.0.0.1:*; base-uri 'none'; form-action 'none'; \
                           frame-ancestors 'none'";

/// One page or asset.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its media type.
    pub content_type: &'static str,
    /// Its content.
    pub bytes: Bytes,
}

/// Finds the page of a path such as `/models/customer-orders/`.
pub type PageHandler = Arc<dyn Fn(&str) -> Option<Page> + Send + Sync>;

/// Pages on a listener.
pub struct Pages {
    pub(crate) listener: TcpListener,
    pub(crate) responder: Arc<PagesResponder>,
}

impl Pages {
    /// Serves what `pages` finds to whom `access` lets in.
    ///
    /// # Errors
    /// When the listener can't be made non-blocking.
    pub fn new(listener: TcpListener, pages: PageHandler, access: AccessRules) -> io::Result<Pages> {
        listener.set_nonblocking(true)?;
        Ok(Pages { listener, responder: Arc::new(PagesResponder { pages, access }) })
    }

    /// The address it listens on.
    ///
    /// # Errors
    /// When the operating system does not tell.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

pub(crate) struct PagesResponder {
    pages: PageHandler,
    access: AccessRules,
}

impl Respond for PagesResponder {
    fn respond(self: Arc<Self>, request: Request<Incoming>) -> Responding {
        Box::pin(std::future::ready(self.answer(&request)))
    }
}

impl PagesResponder {
    fn answer<B>(&self, request: &Request<B>) -> Response<Full<Bytes>> {
        let host = request
            .headers()
            .get(HOST)
            .and_then(|value| value.to_str().ok())
            .or_else(|| request.uri().host());
        if let Err(refusal) = self.access.check(host, None) {
            return plain(StatusCode::FORBIDDEN, &refusal.message());
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "Pages are read with GET.");
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return response;
        }
        match (self.pages)(request.uri().path()) {
            Some(page) => found(page, request.headers().get(IF_NONE_MATCH)),
            None => plain(
                StatusCode::NOT_FOUND,
                "There is no page at this address. The list of designs is at the address without a path.",
            ),
        }
    }
}

fn found(page: Page, known: Option<&HeaderValue>) -> Response<Full<Bytes>> {
    let tag = format!("\"{:08x}-{:x}\"", crc32fast::hash(&page.bytes), page.bytes.len());
    let is_known = known.is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = if is_known {
        let mut response = Response::new(Full::default());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        Response::new(Full::new(page.bytes))
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(page.content_type));
    // Kept by the browser, asked after each time: a new build shows at once.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    protected(response)
}

fn plain(status: StatusCode, message: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(format!("{message}\n"))));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    protected(response)
}

fn protected(mut response: Response<Full<Bytes>>) -> Response<Full<Bytes>> {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    );
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn responder() -> PagesResponder {
        PagesResponder {
            pages: Arc::new(|path| {
                (path == "/").then(|| Page {
                    content_type: "text/html; charset=utf-8",
                    bytes: Bytes::from_static(b"<!doctype html>"),
                })
            }),
            access: AccessRules::default(),
        }
    }

    fn request(method: Method, path: &str) -> Request<()> {
        Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, "localhost:8080")
            .body(())
            .expect("a request")
    }

    #[test]
    fn pages_come_with_a_policy_and_a_tag_that_saves_the_next_transfer() {
        let response = responder().answer(&request(Method::GET, "/"));
        assert_eq!(response.status(), StatusCode::OK);
        let policy = response.headers().get(CONTENT_SECURITY_POLICY).expect("a policy");
        assert!(!policy.to_str().expect("text").contains("unsafe-inline"));
        let tag = response.headers().get(ETAG).expect("a tag").clone();
        let mut again = request(Method::GET, "/");
        again.headers_mut().insert(IF_NONE_MATCH, tag);
        assert_eq!(responder().answer(&again).status(), StatusCode::NOT_MODIFIED);
    }

    #[test]
    fn what_is_no_page_is_not_found_whatever_the_path() {
        for path in ["/nope", "/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//"] {
            let response = responder().answer(&request(Method::GET, path));
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        }
    }

    #[test]
    fn writing_and_foreign_hosts_are_refused() {
        assert_eq!(responder().answer(&request(Method::POST, "/")).status(), StatusCode::METHOD_NOT_ALLOWED);
        let mut foreign = request(Method::GET, "/");
        foreign.headers_mut().insert(HOST, HeaderValue::from_static("rebound.example"));
        assert_eq!(responder().answer(&foreign).status(), StatusCode::FORBIDDEN);
    }
}
