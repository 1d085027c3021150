//! What the control address does: reset, snapshot, restore, report, clock and weather, and what regions and keys it
//! looks at.

use std::sync::Arc;
use std::time::Instant;

use keyplan_engine::weather::{ClockMove, Weather};
use keyplan_server::{ControlReply, ControlRequest, Namespace, Namespaces, SnapshotError};
use keyplan_value::json::{Kind, Limits, Tape, Writer};

use crate::report::Costs;

/// The snapshot that is meant where none is named.
const DEFAULT_SNAPSHOT: &str = "default";

/// Answers the requests to a control address.
pub(crate) struct Controlling {
    pub(crate) namespaces: Arc<Namespaces>,
    pub(crate) costs: Arc<Costs>,
}

/// What a request's body can say.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked {
    name: Option<String>,
    namespace: Option<Namespace>,
    table: Option<String>,
    index: Option<String>,
    region: Option<String>,
}

impl Controlling {
    pub(crate) fn answer(&self, request: &ControlRequest<'_>) -> ControlReply {
        match (request.acts, request.path) {
            (false, "/") => reply(200, |json| self.write_state(json)),
            (false, "/report") => ControlReply { status: 200, body: self.costs.to_json() },
            (true, "/report/clear") => {
                self.costs.clear();
                reply(200, |json| {
                    json.begin_object().end_object();
                })
            }
            (true, "/reset" | "/snapshot" | "/restore") => self.act(request),
            (acts, "/clock") => self.clock(if acts { request.body } else { b"" }),
            (false, "/weather") => self.weather(),
            (true, "/weather") => match Weather::parse(request.body) {
                Ok(weather) => {
                    self.namespaces.set_weather(&weather);
                    self.weather()
                }
                Err(why) => refusal(400, &why.to_string()),
            },
            (true, "/replication/pause" | "/replication/resume" | "/insights") => self.of_table(request),
            (
                _,
                path @ ("/"
                | "/report"
                | "/report/clear"
                | "/reset"
                | "/snapshot"
                | "/restore"
                | "/replication/pause"
                | "/replication/resume"
                | "/insights"),
            ) => {
                let method = if request.acts { "GET" } else { "POST" };
                refusal(405, &format!("{path} is for {method}."))
            }
            _ => refusal(
                404,
                "There are GET /, GET /report, POST /report/clear, POST /reset, POST /snapshot, POST /restore, POST \
                 /replication/pause, POST /replication/resume, POST /insights, and GET and POST /clock and /weather.",
            ),
        }
    }

    /// Moves the clock, if that is asked, and tells what it shows.
    fn clock(&self, asked: &[u8]) -> ControlReply {
        let asked = match ClockMove::parse(asked) {
            Ok(asked) => asked,
            Err(why) => return refusal(400, &why.to_string()),
        };
        match self.namespaces.move_clock(&asked) {
            Ok(()) => reply(200, |json| {
                let (clock, machine) = self.namespaces.time().state();
                clock.write_json(machine, json);
            }),
            Err(error) => refusal(500, &error.to_string()),
        }
    }

    fn weather(&self) -> ControlReply {
        reply(200, |json| self.namespaces.weather().write_json(json))
    }

    fn act(&self, request: &ControlRequest<'_>) -> ControlReply {
        let asked = match Asked::read(request.body) {
            Ok(asked) => asked,
            Err(why) => return refusal(400, &why),
        };
        let start = Instant::now();
        let name = asked.name.as_deref().unwrap_or(DEFAULT_SNAPSHOT);
        let only = asked.namespace.as_ref();
        let done = match request.path {
            "/reset" => self.namespaces.reset_to_start(only),
            "/snapshot" => self.namespaces.take_snapshot(name, only),
            _ => self.namespaces.restore_snapshot(name, only),
        };
        match done {
            Ok(()) => reply(200, |json| {
                json.begin_object().name("milliseconds").float(start.elapsed().as_secs_f64() * 1_000.0);
                json.end_object();
            }),
            Err(error @ SnapshotError::Missing { .. }) => refusal(404, &error.to_string()),
            Err(error @ SnapshotError::Name) => refusal(400, &error.to_string()),
            Err(error @ (SnapshotError::OnFile | SnapshotError::TooMany)) => refusal(409, &error.to_string()),
            Err(error @ SnapshotError::Namespace(_)) => refusal(500, &error.to_string()),
        }
    }

    /// Pauses or resumes the replication of a table, or tells its busiest keys.
    fn of_table(&self, request: &ControlRequest<'_>) -> ControlReply {
        let asked = match Asked::read(request.body) {
            Ok(asked) => asked,
            Err(why) => return refusal(400, &why),
        };
        let Some(table) = &asked.table else { return refusal(400, "The body names no table.") };
        let namespace = asked.namespace.clone().unwrap_or_else(|| Namespace::named(""));
        // One that is not open has no tables.
        if !self.namespaces.names().iter().any(|name| name == namespace.name()) {
            return refusal(404, "There is no such namespace.");
        }
        let engine = match self.namespaces.engine(&namespace) {
            Ok(engine) => engine,
            Err(error) => return refusal(500, &error.to_string()),
        };
        if request.path == "/insights" {
            let region = asked.region.as_deref().unwrap_or(keyplan_engine::arn::DEFAULT_REGION);
            return match engine.busiest_keys(region, table, asked.index.as_deref()) {
                Ok(Some(body)) => ControlReply { status: 200, body: (body + "\n").into_bytes() },
                Ok(None) => refusal(404, "No contributor insights are enabled there."),
                Err(error) => refusal(500, &error.to_string()),
            };
        }
        let paused = request.path == "/replication/pause";
        match engine.pause_replication(table, paused) {
            Ok(true) => reply(200, |json| {
                json.begin_object().name("paused").boolean(paused).end_object();
            }),
            Ok(false) => refusal(404, "There is no such table with replicas."),
            Err(error) => refusal(500, &error.to_string()),
        }
    }

    fn write_state(&self, json: &mut Writer<'_>) {
        json.begin_object().name("keyplan").string(env!("CARGO_PKG_VERSION"));
        json.name("data").string(if self.namespaces.are_in_memory() { "memory" } else { "file" });
        let isolation = self.namespaces.isolation();
        json.name("isolate").begin_array();
        for (parts, name) in [(isolation.region, "region"), (isolation.access_key, "access-key")] {
            if parts {
                json.string(name);
            }
        }
        json.end_array();
        for (member, names) in
            [("namespaces", self.namespaces.names()), ("snapshots", self.namespaces.snapshot_names())]
        {
            json.name(member).begin_array();
            names.iter().for_each(|name| {
                json.string(name);
            });
            json.end_array();
        }
        json.end_object();
    }
}

impl Asked {
    fn read(body: &[u8]) -> Result<Asked, String> {
        let mut asked = Asked::default();
        if body.iter().all(u8::is_ascii_whitespace) {
            return Ok(asked);
        }
        let tape = Tape::parse(body, &Limits::default())
            .map_err(|error| format!("The body is not JSON: {error}."))?;
        if tape.root().kind() != Kind::Object {
            return Err("The body is no JSON object.".to_owned());
        }
        for (member, value) in tape.root().members() {
            let text = value.string().map(|text| text.into_owned());
            match (&*member.to_str(), text) {
                ("name", Some(text)) => asked.name = Some(text),
                ("namespace", Some(text)) => asked.namespace = Some(Namespace::named(&text)),
                ("table", Some(text)) => asked.table = Some(text),
                ("index", Some(text)) => asked.index = Some(text),
                ("region", Some(text)) => asked.region = Some(text),
                ("name" | "namespace" | "table" | "index" | "region", None) => {
                    return Err(format!("{} is a string.", member.to_str()));
                }
                (other, _) => {
                    return Err(format!(
                        "There is no member {other:?}; there are name, namespace, table, index and region."
                    ));
                }
            }
        }
        Ok(asked)
    }
}

fn reply(status: u16, write: impl FnOnce(&mut Writer<'_>)) -> ControlReply {
    let mut body = Vec::new();
    write(&mut Writer::new(&mut body));
    body.push(b'\n');
    ControlReply { status, body }
}

fn refusal(status: u16, message: &str) -> ControlReply {
    reply(status, |json| {
        json.begin_object().name("error").string(message).end_object();
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_says_a_name_and_a_namespace_and_nothing_else() {
        assert_eq!(Asked::read(b" \n"), Ok(Asked::default()));
        let asked = Asked::read(br#"{"name": "seeded", "namespace": "eu-west-2/k"}"#).expect("fine");
        assert_eq!(asked.name.as_deref(), Some("seeded"));
        assert_eq!(asked.namespace, Some(Namespace::named("eu-west-2/k")));
        for (body, part) in [
            ("{", "not JSON"),
            ("[]", "no JSON object"),
            (r#"{"name": 1}"#, "name is a string"),
            (r#"{"nmae": "a"}"#, "nmae"),
        ] {
            let why = Asked::read(body.as_bytes()).expect_err(body);
            assert!(why.contains(part), "{body}: {why}");
        }
    }
}
