//! The HTTP front of Keyplan: DynamoDB JSON 1.0 over HTTP/1.1.
//!
//! This crate speaks the wire protocol and nothing else: which methods, paths and content types
//! are requests, what a request is signed with, which hosts and origins are served, how answers are
//! framed. What a request *means* is the business of a [`Handler`]: natively [`EngineHandler`] runs
//! it on an engine in this process; the test tool `tab-endpoint` passes it to an engine in a browser
//! tab. So both are reached through the same code.
//!
//! It is not a web framework, and it reads no files: pages are given to it as a [`PageHandler`].
//!
//! The types that matter:
//! - [`Endpoint`]: a listener, a handler and the [`EndpointOptions`] it is served with.
//! - [`Handler`]: one method, from a [`WireRequest`] to a [`Handled`] answer, now or later.
//! - [`Pages`]: a second listener that serves a studio's pages.
//! - [`Shutdown`]: tells all of them to finish what they accepted and stop.
//!
//! ```no_run
//! # fn example(handler: std::sync::Arc<dyn keyplan_server::Handler>) -> std::io::Result<()> {
//! use keyplan_server::{Endpoint, EndpointOptions, Shutdown, run};
//!
//! let listener = std::net::TcpListener::bind("127.0.0.1:8000")?;
//! let endpoint = Endpoint::new(listener, handler, EndpointOptions::default())?;
//! let shutdown = Shutdown::new();
//! run(vec![endpoint.into()], &shutdown)?; // until someone calls `shutdown.begin()`
//! # Ok(())
//! # }
//! ```

mod authentication;
mod body;
mod connections;
mod endpoint;
mod engine_handler;
mod handler;
mod idle;
mod limits;
mod origin;
mod pages;
mod traces;

pub use authentication::Signature;
pub use connections::{Listening, Shutdown, run};
pub use endpoint::{Endpoint, EndpointOptions};
pub use engine_handler::EngineHandler;
pub use handler::{Handled, Handler, WireReply, WireRequest};
pub use origin::AccessRules;
pub use pages::{Page, PageHandler, Pages};
