//! What the control address does: reset, snapshot, restore, report.

use std::sync::Arc;
use std::time::Instant;

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
            (_, path @ ("/" | "/report" | "/report/clear" | "/reset" | "/snapshot" | "/restore")) => {
                let method = if request.acts { "GET" } else { "POST" };
                refusal(405, &format!("{path} is for {method}."))
            }
            _ => refusal(
                404,
                "There are GET /, GET /report, POST /report/clear, POST /reset, POST /snapshot and POST /restore.",
            ),
        }
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
                ("name" | "namespace", None) => return Err(format!("{} is a string.", member.to_str())),
                (other, _) => {
                    return Err(format!("There is no member {other:?}; there are name and namespace."));
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
