//! Requests of the endpoint, answered by the worker in the tab.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyplan_engine::{Authentication, Engine, EngineOptions, OpenError};
use keyplan_server::{EngineHandler, Handled, Handler, WireReply, WireRequest};
use keyplan_store::MemoryStore;

use crate::relay::Relay;

pub(crate) struct TabHandler {
    relay: Relay,
    next_id: AtomicU64,
    /// The worker has no authentication: what must be refused for its signature is refused here, by
    /// the same engine over an empty store, in the order in which the service checks.
    gate: EngineHandler,
}

impl TabHandler {
    pub(crate) fn new(relay: Relay) -> Result<TabHandler, OpenError> {
        let engine = Engine::open(
            Arc::new(MemoryStore::new()),
            EngineOptions { undo_depth: 0, ..EngineOptions::default() },
        )?;
        Ok(TabHandler { relay, next_id: AtomicU64::new(1), gate: EngineHandler::new(Arc::new(engine)) })
    }
}

impl Handler for TabHandler {
    fn handle(&self, request: WireRequest) -> Handled {
        let Authentication::Signed { region, .. } = request.signature.authentication() else {
            return self.gate.handle(request);
        };
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let message = serde_json::json!({
            "id": id,
            "target": request.target(),
            "region": region,
            "body": STANDARD.encode(&request.body),
        });
        let answer = self.relay.send(id, message.to_string());
        Handled::Later(Box::pin(async move {
            match answer.await {
                // The worker traces every request.
                Ok(Ok(reply)) => WireReply { trace: reply.trace.filter(|_| request.trace), ..reply },
                Ok(Err(error)) => fault(&error),
                Err(_) => fault("the tab is gone"),
            }
        }))
    }
}

fn fault(message: &str) -> WireReply {
    let body = serde_json::json!({
        "__type": "com.amazonaws.dynamodb.v20120810#InternalServerError",
        "message": message,
    });
    WireReply { status: 500, body: body.to_string().into(), trace: None }
}
