//! The studio's listener: pages and assets that were handed in, from memory, read only.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue,
    IF_NONE_MATCH, LOCATION, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Method, Request, Response, StatusCode};

use crate::AccessRules;
use crate::connections::{Respond, Responding};

/// Where a site keeps what it shows for a page that is not there, as static hosts have it.
const NOT_FOUND_PATH: &str = "/404.html";

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
    /// Serves what `pages` finds to whom `access` lets in. `policy` is the Content-Security-Policy that
    /// the pages live under; none of them may be shown inside another page.
    ///
    /// # Errors
    /// When the listener can't be made non-blocking.
    pub fn new(
        listener: TcpListener,
        pages: PageHandler,
        policy: &str,
        access: AccessRules,
    ) -> io::Result<Pages> {
        listener.set_nonblocking(true)?;
        Ok(Pages {
            listener,
            responder: Arc::new(PagesResponder {
                pages,
                policy: HeaderValue::from_str(&format!("{policy}; frame-ancestors 'none'"))
                    .map_err(io::Error::other)?,
                access,
            }),
        })
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
    policy: HeaderValue,
    access: AccessRules,
}

impl Respond for PagesResponder {
    fn respond(self: Arc<Self>, request: Request<Incoming>) -> Responding {
        let mut response = self.answer(&request);
        protect(response.headers_mut(), &self.policy);
        Box::pin(std::future::ready(response))
    }
}

impl PagesResponder {
    fn answer<B>(&self, request: &Request<B>) -> Response<Full<Bytes>> {
        if let Err(refusal) = self.access.check_hosts(request.uri(), request.headers()) {
            return plain(StatusCode::FORBIDDEN, &refusal.message());
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "Pages are read with GET.");
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return response;
        }
        let path = request.uri().path();
        match (self.pages)(path) {
            Some(page) => found(page, request.headers().get(IF_NONE_MATCH)),
            // A page's own addresses are relative to its folder, so it is only read there.
            None if (self.pages)(&format!("{path}/")).is_some() => moved(&format!("{path}/")),
            None => self.not_found(path),
        }
    }

    /// The site's own page for it where its relative addresses hold, which is at the root; else a line.
    fn not_found(&self, path: &str) -> Response<Full<Bytes>> {
        let at_root = path.bytes().filter(|letter| *letter == b'/').count() == 1;
        match (self.pages)(NOT_FOUND_PATH).filter(|_| at_root) {
            Some(page) => {
                let mut response = found(page, None);
                *response.status_mut() = StatusCode::NOT_FOUND;
                response
            }
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
    response
}

fn moved(path: &str) -> Response<Full<Bytes>> {
    let mut response =
        plain(StatusCode::PERMANENT_REDIRECT, "This page stands at the same address with a slash.");
    if let Ok(path) = HeaderValue::from_str(path) {
        response.headers_mut().insert(LOCATION, path);
    }
    response
}

fn plain(status: StatusCode, message: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(format!("{message}\n"))));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// What keeps a page to itself, whatever it is.
fn protect(headers: &mut HeaderMap, policy: &HeaderValue) {
    headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    );
}

#[cfg(test)]
mod tests {
    use hyper::header::HOST;

    use super::*;

    fn responder() -> PagesResponder {
        PagesResponder {
            pages: Arc::new(|path| {
                ["/", "/design/"].contains(&path).then(|| Page {
                    content_type: "text/html; charset=utf-8",
                    bytes: Bytes::from_static(b"<!doctype html>"),
                })
            }),
            policy: HeaderValue::from_static("default-src 'none'"),
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
    fn a_page_comes_with_a_tag_that_saves_the_next_transfer() {
        let response = responder().answer(&request(Method::GET, "/"));
        assert_eq!(response.status(), StatusCode::OK);
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
    fn a_site_has_its_own_page_for_what_is_not_there() {
        let pages: PageHandler = Arc::new(|path| {
            (path == NOT_FOUND_PATH).then(|| Page {
                content_type: "text/html; charset=utf-8",
                bytes: Bytes::from_static(b"<!doctype html>"),
            })
        });
        let responder = PagesResponder { pages, ..responder() };
        for (path, kind) in [("/nope", "text/html; charset=utf-8"), ("/a/nope", "text/plain; charset=utf-8")]
        {
            let response = responder.answer(&request(Method::GET, path));
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
            assert_eq!(response.headers().get(CONTENT_TYPE).expect("a type"), kind, "{path}");
        }
    }

    #[test]
    fn a_page_without_its_slash_is_moved_there() {
        let response = responder().answer(&request(Method::GET, "/design"));
        assert_eq!(response.status(), StatusCode::PERMANENT_REDIRECT);
        assert_eq!(response.headers().get(LOCATION).expect("an address"), "/design/");
    }

    #[test]
    fn writing_and_foreign_hosts_are_refused() {
        assert_eq!(responder().answer(&request(Method::POST, "/")).status(), StatusCode::METHOD_NOT_ALLOWED);
        let mut foreign = request(Method::GET, "/");
        foreign.headers_mut().insert(HOST, HeaderValue::from_static("rebound.example"));
        assert_eq!(responder().answer(&foreign).status(), StatusCode::FORBIDDEN);
    }
}
