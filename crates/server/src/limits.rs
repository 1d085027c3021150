//! The limits of the HTTP front, each with its unit and where it comes from.

use std::time::Duration;

/// The largest request body, also after it was inflated. The service answers 413 above it.
pub(crate) use keyplan_engine::limits::REQUEST_LENGTH_BYTES_MAX as BODY_BYTES_MAX;

/// The longest that a client may take to send the head of a request, idle time between two requests
/// of one connection included.
pub(crate) const HEAD_TIME_MAX: Duration = Duration::from_secs(75);

/// The longest that a client may take to agree on keys, where connections are encrypted.
pub(crate) const TLS_AGREEMENT_TIME_MAX: Duration = Duration::from_secs(10);

/// The longest that a client may take to send a request's body.
pub(crate) const BODY_TIME_MAX: Duration = Duration::from_secs(60);

/// The time from which on a call counts as slow, and is told.
pub(crate) const SLOW_TIME_MIN: Duration = Duration::from_secs(1);

/// The longest that the rest of a refused body is taken in and dropped, so that its sender gets to
/// read why.
pub(crate) const DISCARD_TIME_MAX: Duration = Duration::from_secs(5);

/// The bytes above which a body counts as large.
pub(crate) const LARGE_BODY_BYTES_MIN: usize = 1024 * 1024;

/// Large bodies that are held at once, each until its request is answered; the senders of more wait.
/// With what is made of them they can take a hundred megabytes each.
pub(crate) const LARGE_BODIES_MAX: usize = 16;

/// The bytes of a body from which on its request is run beside the thread that serves connections,
/// even if its store never blocks.
pub(crate) const LONG_REQUEST_BYTES_MIN: usize = 256 * 1024;

/// Connections that one listener serves at once. With the files of a store they stay below the 1,024
/// descriptors that a process has by default; those that wait for a request give way to new ones.
pub(crate) const CONNECTIONS_MAX: usize = 512;

/// Connections that are asked to give way at once when all places are taken.
pub(crate) const GIVING_WAY_MAX: usize = 32;

/// Requests that run at once where they may block: two full commits of the writer's.
pub(crate) const BLOCKING_THREADS_MAX: usize = 128;

/// Namespaces that are kept where data are in memory; an empty one takes some kilobytes.
pub const NAMESPACES_IN_MEMORY_MAX: usize = 1_000;

/// Namespaces that are kept where data are in files; each has a thread and some open files.
pub const NAMESPACES_IN_FILES_MAX: usize = 32;

/// Characters of an access key that parts namespaces, as many as the service's have at most.
pub(crate) const ACCESS_KEY_CHARACTERS_MAX: usize = 128;

/// Snapshots that are kept. One costs what was changed since it was taken.
pub(crate) const SNAPSHOTS_MAX: usize = 64;

/// Characters of a snapshot's name.
pub(crate) const SNAPSHOT_NAME_CHARACTERS_MAX: usize = 100;

/// The bytes of a body that is sent to a control listener.
pub(crate) const CONTROL_BODY_BYTES_MAX: usize = 64 * 1024;

/// The stack of the thread that advances jobs. Its work is never deep, but what packs and unpacks files takes some
/// hundreds of kilobytes; what isn't used is never taken.
pub(crate) const JOBS_STACK_BYTES: usize = 2 * 1024 * 1024;

/// The longest that a shutdown waits for requests under way.
pub(crate) const SHUTDOWN_TIME_MAX: Duration = Duration::from_secs(5);

/// The longest that a connection without a request may take to send off its last answer before it is
/// closed.
pub(crate) const FAREWELL_TIME_MAX: Duration = Duration::from_secs(1);

/// The bytes of the answer above which it is compressed, where the client accepts that.
pub(crate) const PLAIN_BYTES_MAX: usize = 4 * 1024;

/// The bytes of a request's headers, names and values together. The service answers 400 above it.
pub(crate) const HEADERS_BYTES_MAX: usize = 16 * 1024;

/// The bytes of a request's target. The service answers 400 above it.
pub(crate) const TARGET_BYTES_MAX: usize = 16 * 1024;

/// The longest trace that is sent in a header; a longer one is kept to be fetched by its token.
pub(crate) const TRACE_HEADER_BYTES_MAX: usize = 4 * 1024;

/// Long traces that are kept to be fetched; the oldest goes first.
pub(crate) const TRACES_KEPT_MAX: usize = 64;

/// The bytes of all traces that are kept. That of a page of many small items has several megabytes.
pub(crate) const TRACES_KEPT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The bytes of a request's head that are taken in at all. hyper's own minimum for its buffer is 8 KiB.
pub(crate) const HEAD_BYTES_MAX: usize = 64 * 1024;
