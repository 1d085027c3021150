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
//! - [`Namespaces`]: whose tables a request speaks to, where signatures part them.
//! - [`Time`]: the clock that they go by, which can be stopped, moved and hurried.
//! - [`Credentials`]: the key pairs that requests must be signed with, where signatures are verified.
//! - [`Tls`]: the certificate that a listener encrypts with, where it does.
//! - [`Watch`]: is told of each request, for a cost report or a log.
//! - [`Pages`]: a second listener that serves a studio's pages.
//! - [`Control`]: a listener for requests to the endpoint itself, such as a reset between tests.
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
mod coding;
mod connections;
mod control;
mod credentials;
mod endpoint;
mod engine_handler;
mod handler;
mod idle;
mod limits;
mod metrics;
mod namespaces;
mod origin;
mod pages;
mod snapshots;
mod time;
mod tls;
mod traces;
mod verifying;
mod watch;

pub use authentication::Signature;
pub use connections::{Listening, Shutdown, run};
pub use control::{Control, ControlHandler, ControlReply, ControlRequest};
pub use credentials::{Credentials, CredentialsError};
pub use endpoint::{Endpoint, EndpointOptions};
pub use engine_handler::EngineHandler;
pub use handler::{Handled, Handler, WireReply, WireRequest};
pub use limits::{NAMESPACES_IN_FILES_MAX, NAMESPACES_IN_MEMORY_MAX};
pub use namespaces::{Isolation, Namespace, NamespaceError, Namespaces, OpenEngine};
pub use origin::AccessRules;
pub use pages::{Page, PageHandler, Pages};
pub use snapshots::SnapshotError;
pub use time::Time;
pub use tls::{Tls, TlsError};
pub use watch::{Answered, Notice, Notices, Watch};
