//! Requests answered by engines in this process.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use keyplan_engine::{Call, Engine, Figures, Reply, Timestamp};

use crate::endpoint::error_body;
use crate::limits::{JOBS_STACK_BYTES, LONG_REQUEST_BYTES_MIN};
use crate::{
    Answered, Handled, Handler, Namespace, NamespaceError, Namespaces, Watch, WireReply, WireRequest,
};

/// The entries that one step of an engine's jobs may touch, so that no request waits long for it.
pub(crate) const STEP_BUDGET_ENTRIES: u32 = 500;

/// How long the jobs' thread sleeps when nothing is due.
const JOBS_IDLE: Duration = Duration::from_secs(1);

/// How long it lets others have the store between two steps of a job that has more to do.
const JOBS_PAUSE: Duration = Duration::from_millis(1);

/// How long it rests at least when nothing is due yet, however fast the clock runs.
const JOBS_REST: Duration = Duration::from_millis(5);

/// Runs requests on the engine of their namespace: where they arrive if they are short, as most are on a store
/// that never blocks, else on the blocking pool. Jobs of the engines (such as freeing deleted tables) advance on a
/// thread of their own for as long as the handler lives.
pub struct EngineHandler {
    worker: Arc<Worker>,
    may_block: bool,
    jobs: Option<JobsThread>,
}

/// What runs a request, on whichever thread.
struct Worker {
    namespaces: Arc<Namespaces>,
    watch: Option<Arc<dyn Watch>>,
}

struct JobsThread {
    /// Its end tells the thread to stop.
    running: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl EngineHandler {
    /// A handler over one engine for everybody.
    pub fn new(engine: Arc<Engine>) -> EngineHandler {
        let may_block = engine.may_block();
        EngineHandler::start(Arc::new(Namespaces::only(engine)), None, may_block)
    }

    /// A handler over namespaces; `watch` is told of each request.
    pub fn over(namespaces: Arc<Namespaces>, watch: Option<Arc<dyn Watch>>) -> EngineHandler {
        let may_block = namespaces.may_block();
        EngineHandler::start(namespaces, watch, may_block)
    }

    fn start(namespaces: Arc<Namespaces>, watch: Option<Arc<dyn Watch>>, may_block: bool) -> EngineHandler {
        let (running, stopped) = mpsc::channel();
        let worked_on = Arc::clone(&namespaces);
        let thread = std::thread::Builder::new()
            .name("keyplan-jobs".to_owned())
            .stack_size(JOBS_STACK_BYTES)
            .spawn(move || advance_jobs(&worked_on, &stopped));
        EngineHandler {
            worker: Arc::new(Worker { namespaces, watch }),
            may_block,
            // Without a thread, requests advance the jobs.
            jobs: thread.ok().map(|thread| JobsThread { running, thread }),
        }
    }
}

impl Drop for EngineHandler {
    /// Waits for the jobs' thread, so that the engine's file is closed when its last holder is gone.
    fn drop(&mut self) {
        if let Some(JobsThread { running, thread }) = self.jobs.take() {
            drop(running);
            // A step that broke off has changed nothing that a later one would miss.
            let _ = thread.join();
        }
    }
}

impl Handler for EngineHandler {
    fn figures(&self) -> Option<Figures> {
        // A store that fails answers its requests with that failure; here it is only left out.
        let all = self.worker.namespaces.engines().into_iter().filter_map(|engine| engine.figures().ok());
        Some(all.fold(Figures::default(), Figures::and))
    }

    fn handle(&self, request: WireRequest) -> Handled {
        let time = self.worker.namespaces.time().clone();
        if self.is_short(&request) {
            let (reply, not_before) = self.worker.run(&request);
            let Some(moment) = not_before else { return Handled::Ready(reply) };
            return Handled::Later(Box::pin(async move {
                time.wait_for(moment).await;
                reply
            }));
        }
        let worker = Arc::clone(&self.worker);
        Handled::Later(Box::pin(async move {
            match tokio::task::spawn_blocking(move || worker.run(&request)).await {
                Ok((reply, not_before)) => {
                    if let Some(moment) = not_before {
                        time.wait_for(moment).await;
                    }
                    reply
                }
                // The pool is going down with the server.
                Err(_) => refusal(500, "InternalServerError", "The endpoint is stopping."),
            }
        }))
    }
}

impl EngineHandler {
    /// Whether a request is over before another would miss the thread that it arrives on.
    fn is_short(&self, request: &WireRequest) -> bool {
        let asks_for = |operation: &str| {
            let named = request.target().and_then(|target| target.rsplit_once('.'));
            named.is_some_and(|(_, name)| name == operation)
        };
        if self.may_block {
            // Readers of a file don't wait for its writer, and one item is found in less time than another thread.
            return asks_for("GetItem");
        }
        // A search is the one read that isn't paged: it looks at all vectors of an index.
        !asks_for("SearchVectors") && request.body.len() < LONG_REQUEST_BYTES_MIN
    }
}

impl Worker {
    /// Answers a request; the answer may not be given before a moment.
    fn run(&self, request: &WireRequest) -> (WireReply, Option<Timestamp>) {
        let authentication = request.signature.authentication();
        let (namespace, engine) = match self.namespaces.of(&authentication) {
            Ok(found) => found,
            Err(error) => return (self.refuse(request, &error), None),
        };
        let watched = self.watch.as_ref().is_some_and(|watch| watch.wants_traces());
        let call = Call {
            target: request.target(),
            authentication,
            body: &request.body,
            now: self.namespaces.time().now(),
            random: fastrand::u128(..),
            trace: request.trace || watched,
        };
        let Reply { status, body, trace, fault, not_before } = engine.dispatch(&call);
        self.tell(request, &namespace, status, trace.as_ref(), fault.as_deref());
        let trace = trace.filter(|_| request.trace).map(|trace| trace.to_json());
        (WireReply { status, body: body.into(), trace }, not_before)
    }

    fn refuse(&self, request: &WireRequest, error: &NamespaceError) -> WireReply {
        let text = error.to_string();
        let (status, name, fault) = match error {
            NamespaceError::TooMany { .. } => (400, "LimitExceededException", None),
            NamespaceError::LongAccessKey => (400, "InvalidSignatureException", None),
            NamespaceError::Unopened { cause } => (500, "InternalServerError", Some(cause.as_str())),
        };
        self.tell(request, &Namespace::default(), status, None, fault);
        let message = if fault.is_some() { "Internal server error" } else { &text };
        refusal(status, name, message)
    }

    fn tell(
        &self,
        request: &WireRequest,
        namespace: &Namespace,
        status: u16,
        trace: Option<&keyplan_engine::trace::Trace>,
        fault: Option<&str>,
    ) {
        let Some(watch) = &self.watch else { return };
        watch.answered(&Answered {
            target: request.target(),
            user_agent: request.user_agent(),
            namespace,
            request: &request.body,
            status,
            trace,
            fault,
        });
    }
}

/// An error that no engine answers. `message` holds nothing that JSON escapes.
fn refusal(status: u16, name: &str, message: &str) -> WireReply {
    let body: Bytes = error_body(&format!("com.amazonaws.dynamodb.v20120810#{name}"), message);
    WireReply { status, body, trace: None }
}

fn advance_jobs(namespaces: &Namespaces, stopped: &mpsc::Receiver<()>) {
    let time = namespaces.time();
    let mut wait = JOBS_IDLE;
    while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        wait = JOBS_IDLE;
        for engine in namespaces.engines() {
            // A store that fails answers its requests with that failure; the jobs try again later.
            if let Ok(Some(due)) = engine.step(time.now(), STEP_BUDGET_ENTRIES) {
                let due = match time.until(due) {
                    Some(Duration::ZERO) => JOBS_PAUSE,
                    Some(due) => due.max(JOBS_REST),
                    None => JOBS_IDLE,
                };
                wait = wait.min(due);
            }
        }
    }
}
