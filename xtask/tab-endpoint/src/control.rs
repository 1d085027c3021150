//! The control address: the clock and the weather of the engine in the tab, as natively.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use keyplan_server::{Control, ControlReply, ControlRequest};
use serde_json::{Value, json};

use crate::relay::Relay;

/// Ids that no request of the endpoint has.
const FIRST_ID: u64 = 1 << 40;

pub(crate) fn listen(port: u16, relay: Relay) -> Result<Control, String> {
    let listener = Control::bind(port).map_err(|error| {
        format!("can't listen on port {port} ({error}); choose another with --control=PORT")
    })?;
    let next_id = AtomicU64::new(FIRST_ID);
    let answer = move |request: &ControlRequest<'_>| {
        let id = next_id.fetch_add(1, Ordering::Relaxed);
        match message(id, request).and_then(|message| relay.ask(id, message.to_string())) {
            Ok(said) => ControlReply { status: 200, body: said.into() },
            Err(error) => ControlReply { status: 400, body: json!({ "error": error }).to_string().into() },
        }
    };
    Control::new(listener, Arc::new(answer))
        .map_err(|error| format!("can't serve the control address: {error}"))
}

/// What the worker is asked.
fn message(id: u64, request: &ControlRequest<'_>) -> Result<Value, String> {
    let body = String::from_utf8_lossy(if request.acts { request.body } else { b"" }).into_owned();
    match request.path {
        "/weather" if request.acts => Ok(json!({"id": id, "control": "weather", "weather": body})),
        "/weather" => Ok(json!({"id": id, "control": "weather"})),
        "/clock" => {
            let body = if body.trim().is_empty() { "{}" } else { &body };
            let mut asked: Value = serde_json::from_str(body).map_err(|error| error.to_string())?;
            let members = asked.as_object_mut().ok_or("the clock is asked with an object")?;
            members.insert("id".to_owned(), json!(id));
            members.insert("control".to_owned(), json!("clock"));
            Ok(asked)
        }
        _ => Err("There are GET and POST /clock and /weather.".to_owned()),
    }
}
