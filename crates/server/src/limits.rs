//! The limits of the HTTP front, each with its unit and where it comes from.

use std::time::Duration;

/// The largest request body, also after it was inflated. The service answers 413 above it.
pub(crate) use keyplan_engine::limits::REQUEST_LENGTH_BYTES_MAX as BODY_BYTES_MAX;

/// The longest that a client may take to send the head of a request, idle time between two requests
/// of one connection included.
pub(crate) const HEAD_TIME_MAX: Duration = Duration::from_secs(75);

/// The longest that a client may take to send a request's body.
pub(crate) const BODY_TIME_MAX: Duration = Duration::from_secs(60);

/// Connections that one listener serves at once; more wait to be accepted.
pub(crate) const CONNECTIONS_MAX: usize = 1024;

/// The longest that a shutdown waits for requests under way.
pub(crate) const SHUTDOWN_TIME_MAX: Duration = Duration::from_secs(10);

/// The bytes of the answer from which on it is compressed, where the client accepts that.
pub(crate) const COMPRESS_BYTES_MIN: usize = 16 * 1024;

/// The longest trace that is sent in a header; a longer one is kept to be fetched by its token.
pub(crate) const TRACE_HEADER_BYTES_MAX: usize = 4 * 1024;

/// Long traces that are kept to be fetched; the oldest goes first.
pub(crate) const TRACES_KEPT_MAX: usize = 64;

/// The bytes of all traces that are kept. That of a page of many small items has several megabytes.
pub(crate) const TRACES_KEPT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The bytes of a request's head. hyper's own minimum for its buffer is 8 KiB.
pub(crate) const HEAD_BYTES_MAX: usize = 64 * 1024;
