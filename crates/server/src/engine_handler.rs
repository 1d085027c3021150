//! Requests answered by engines in this process.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use keyplan_engine::{Call, Engine, Reply, Timestamp};

use crate::endpoint::error_body;
use crate::limits::{LONG_REQUEST_BYTES_MIN, SMALL_STACK_BYTES};
use crate::{
    Answered, Handled, Handler, Namespace, NamespaceError, Namespaces, Watch, WireReply, WireRequest,
};

/// The entries that one step of an engine's jobs may touch, so that no request waits long for it.
const STEP_BUDGET_ENTRIES: u32 = 500;

/// How long the jobs' thread sleeps when nothing is due.
const JOBS_IDLE: Duration = Duration::from_secs(1);

/// How long it lets others have the store between two steps of a job that has more to do.
const JOBS_PAUSE: Duration = Duration::from_millis(1);

/// Runs requests on the engine of their namespace: where they arrive if its store never blocks and they
/// are short, else on the blocking pool. Jobs of the engines (such as freeing deleted tables) advance on a
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
            .stack_size(SMALL_STACK_BYTES)
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
    fn handle(&self, request: WireRequest) -> Handled {
        if !self.may_block && request.body.len() < LONG_REQUEST_BYTES_MIN {
            return Handled::Ready(self.worker.run(&request));
        }
        let worker = Arc::clone(&self.worker);
        Handled::Later(Box::pin(async move {
            match tokio::task::spawn_blocking(move || worker.run(&request)).await {
                Ok(reply) => reply,
                // The pool is going down with the server.
                Err(_) => refusal(500, "InternalServerError", "The endpoint is stopping."),
            }
        }))
    }
}

impl Worker {
    fn run(&self, request: &WireRequest) -> WireReply {
        let authentication = request.signature.authentication();
        let (namespace, engine) = match self.namespaces.of(&authentication) {
            Ok(found) => found,
            Err(error) => return self.refuse(request, &error),
        };
        let watched = self.watch.as_ref().is_some_and(|watch| watch.wants_traces());
        let call = Call {
            target: request.target.as_deref(),
            authentication,
            body: &request.body,
            now: now(),
            random: fastrand::u128(..),
            trace: request.trace || watched,
        };
        let Reply { status, body, trace, fault, .. } = engine.dispatch(&call);
        self.tell(request, &namespace, status, trace.as_ref(), fault.as_deref());
        let trace = trace.filter(|_| request.trace).map(|trace| trace.to_json());
        WireReply { status, body: body.into(), trace }
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
            target: request.target.as_deref(),
            user_agent: request.user_agent.as_deref(),
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
    let mut wait = JOBS_IDLE;
    while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        wait = JOBS_IDLE;
        for engine in namespaces.engines() {
            let now = now();
            // A store that fails answers its requests with that failure; the jobs try again later.
            if let Ok(Some(due)) = engine.step(now, STEP_BUDGET_ENTRIES) {
                let due = Duration::from_millis(due.0.saturating_sub(now.0));
                wait = wait.min(due.clamp(JOBS_PAUSE, JOBS_IDLE));
            }
        }
    }
}

fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
}
