//! Listeners, connections and their end: one current-thread runtime serves them all.
//!
//! On few cores one reactor beats several, and an operation in memory is shorter than a hop to
//! another thread; what blocks is handed on by the handlers.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::TcpListener;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::idle::{Doing, Idle, Seat};
use crate::limits::{
    BLOCKING_THREADS_MAX, CONNECTIONS_MAX, FAREWELL_TIME_MAX, GIVING_WAY_MAX, HEAD_BYTES_MAX, HEAD_TIME_MAX,
    SHUTDOWN_TIME_MAX,
};
use crate::tls::{Stream, Tls};
use crate::{Control, Endpoint, Pages};

/// How long a listener without a free place waits for one before it makes room.
const PLACE_PAUSE: Duration = Duration::from_millis(20);

pub(crate) type Responding = Pin<Box<dyn Future<Output = Response<Full<Bytes>>> + Send>>;

/// What answers the requests of a listener.
pub(crate) trait Respond: Send + Sync + 'static {
    fn respond(self: Arc<Self>, request: Request<Incoming>) -> Responding;

    /// A connection was accepted.
    fn connected(&self) {}

    /// A connection has ended.
    fn disconnected(&self) {}
}

/// A listener with what answers there.
pub struct Listening {
    listener: TcpListener,
    responder: Arc<dyn Respond>,
    tls: Option<Tls>,
}

impl Listening {
    /// The same with connections that are encrypted, and with no others.
    #[must_use]
    pub fn over_tls(self, tls: Tls) -> Listening {
        Listening { tls: Some(tls), ..self }
    }
}

impl From<Endpoint> for Listening {
    fn from(endpoint: Endpoint) -> Listening {
        Listening { listener: endpoint.listener, responder: endpoint.responder, tls: None }
    }
}

impl From<Pages> for Listening {
    fn from(pages: Pages) -> Listening {
        Listening { listener: pages.listener, responder: pages.responder, tls: None }
    }
}

impl From<Control> for Listening {
    fn from(control: Control) -> Listening {
        Listening { listener: control.listener, responder: control.responder, tls: None }
    }
}

/// Tells [`run`] to stop. Clones tell the same one.
#[derive(Debug, Clone)]
pub struct Shutdown(Arc<watch::Sender<bool>>);

impl Shutdown {
    /// A shutdown that has not begun.
    pub fn new() -> Shutdown {
        Shutdown(Arc::new(watch::Sender::new(false)))
    }

    /// Begins it: nothing new is accepted, what was accepted is answered.
    pub fn begin(&self) {
        self.0.send_replace(true);
    }

    async fn begun(&self) {
        // The sender lives as long as `self`, so waiting can't fail.
        let _ = self.0.subscribe().wait_for(|begun| *begun).await;
    }
}

impl Default for Shutdown {
    fn default() -> Shutdown {
        Shutdown::new()
    }
}

/// Serves all listeners on this thread until the shutdown begins and the requests under way are
/// answered.
///
/// # Errors
/// When the runtime can't be set up or a listener can't be used.
pub fn run(listening: Vec<Listening>, shutdown: &Shutdown) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS_MAX)
        .build()?;
    let served = runtime.block_on(async {
        let mut serving = Vec::new();
        for Listening { listener, responder, tls } in listening {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            serving.push(tokio::spawn(accept(listener, responder, tls, shutdown.clone())));
        }
        for listener in serving {
            // A listener's task neither panics nor is cancelled.
            let _ = listener.await;
        }
        Ok(())
    });
    runtime.shutdown_timeout(SHUTDOWN_TIME_MAX);
    served
}

async fn accept(
    listener: tokio::net::TcpListener,
    responder: Arc<dyn Respond>,
    tls: Option<Tls>,
    shutdown: Shutdown,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let idle = Arc::<Idle>::default();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shutdown.begun() => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            // The client went away while it was accepted.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
            // Out of file descriptors.
            Err(_) => {
                idle.give_way(1);
                tokio::time::sleep(PLACE_PAUSE).await;
                continue;
            }
        };
        let place = tokio::select! {
            place = free_place(&places, &idle) => place,
            () = shutdown.begun() => break,
        };
        let seat = Arc::new(idle.arrive());
        let serving = serve(stream, tls.clone(), Arc::clone(&responder), seat, shutdown.clone());
        let answering = Arc::clone(&responder);
        tokio::spawn(async move {
            answering.connected();
            serving.await;
            answering.disconnected();
            drop(place);
        });
    }
    drop(listener);
    let all = u32::try_from(CONNECTIONS_MAX).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(SHUTDOWN_TIME_MAX, places.acquire_many(all)).await;
}

/// A place for a connection. When all are taken, connections without a request make room.
async fn free_place(places: &Arc<Semaphore>, idle: &Idle) -> Option<OwnedSemaphorePermit> {
    loop {
        let place = Arc::clone(places).acquire_owned();
        match tokio::time::timeout(PLACE_PAUSE, place).await {
            // The semaphore is never closed.
            Ok(place) => return place.ok(),
            Err(_) => idle.give_way(GIVING_WAY_MAX),
        }
    }
}

async fn serve(
    stream: TcpStream,
    tls: Option<Tls>,
    responder: Arc<dyn Respond>,
    seat: Arc<Seat>,
    shutdown: Shutdown,
) {
    // An answer goes out whole; waiting to fill a packet would only delay it.
    let _ = stream.set_nodelay(true);
    let stream = match tls {
        None => Stream::Plain(stream),
        Some(tls) => tokio::select! {
            agreed = tls.agree(stream) => match agreed {
                Some(stream) => stream,
                None => return,
            },
            () = shutdown.begun() => return,
            () = seat.asked_to_leave() => return,
        },
    };
    let answering = Arc::clone(&seat);
    let service = service_fn(move |request| {
        let turn = answering.begin();
        let responding = Arc::clone(&responder).respond(request);
        async move {
            let response = responding.await;
            drop(turn);
            Ok::<_, Infallible>(response)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        // A client that has said all it wants to say still gets its answer.
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    // Errors are the client's: a connection that broke, or bytes that are no HTTP.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = shutdown.begun() => {}
        () = seat.asked_to_leave() => {}
    }
    connection.as_mut().graceful_shutdown();
    let time_max = match seat.doing() {
        // Half a head is no request, and there may never be more of it.
        Doing::Nothing => return,
        Doing::Waiting => FAREWELL_TIME_MAX,
        Doing::Answering => SHUTDOWN_TIME_MAX,
    };
    let _ = tokio::time::timeout(time_max, connection).await;
}
