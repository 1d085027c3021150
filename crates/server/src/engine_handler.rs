//! Requests answered by an engine in this process.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use keyplan_engine::{Call, Engine, Reply, Timestamp};

use crate::limits::LONG_REQUEST_BYTES_MIN;
use crate::{Handled, Handler, WireReply, WireRequest};

/// The entries that one step of the engine's jobs may touch, so that no request waits long for it.
const STEP_BUDGET_ENTRIES: u32 = 500;

/// How long the jobs' thread sleeps when nothing is due.
const JOBS_IDLE: Duration = Duration::from_secs(1);

/// How long it lets others have the store between two steps of a job that has more to do.
const JOBS_PAUSE: Duration = Duration::from_millis(1);

/// Runs requests on an engine: where they arrive if its store never blocks and they are short, else
/// on the blocking pool. Jobs of the engine (such as freeing deleted tables) advance on a thread of their own for
/// as long as the handler lives.
pub struct EngineHandler {
    engine: Arc<Engine>,
    jobs: Option<JobsThread>,
}

struct JobsThread {
    /// Its end tells the thread to stop.
    running: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl EngineHandler {
    /// A handler over an engine.
    pub fn new(engine: Arc<Engine>) -> EngineHandler {
        let (running, stopped) = mpsc::channel();
        let worked_on = Arc::clone(&engine);
        let thread = std::thread::spawn(move || advance_jobs(&worked_on, &stopped));
        EngineHandler { engine, jobs: Some(JobsThread { running, thread }) }
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
        if !self.engine.may_block() && request.body.len() < LONG_REQUEST_BYTES_MIN {
            return Handled::Ready(run(&self.engine, &request));
        }
        let engine = Arc::clone(&self.engine);
        Handled::Later(Box::pin(async move {
            match tokio::task::spawn_blocking(move || run(&engine, &request)).await {
                Ok(reply) => reply,
                // The pool is going down with the server.
                Err(_) => WireReply {
                    status: 500,
                    body: Bytes::from_static(
                        br#"{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"The endpoint is stopping."}"#,
                    ),
                    trace: None,
                },
            }
        }))
    }
}

fn run(engine: &Engine, request: &WireRequest) -> WireReply {
    let call = Call {
        target: request.target.as_deref(),
        authentication: request.signature.authentication(),
        body: &request.body,
        now: now(),
        random: fastrand::u128(..),
        trace: request.trace,
    };
    let Reply { status, body, trace, .. } = engine.dispatch(&call);
    WireReply { status, body: body.into(), trace: trace.map(|trace| trace.to_json()) }
}

fn advance_jobs(engine: &Engine, stopped: &mpsc::Receiver<()>) {
    let mut wait = JOBS_IDLE;
    while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        let now = now();
        wait = match engine.step(now, STEP_BUDGET_ENTRIES) {
            Ok(Some(due)) => Duration::from_millis(due.0.saturating_sub(now.0)).clamp(JOBS_PAUSE, JOBS_IDLE),
            // A store that fails answers its requests with that failure; the jobs try again later.
            Ok(None) | Err(_) => JOBS_IDLE,
        };
    }
}

fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
}
