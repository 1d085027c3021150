//! What the command says on stderr while it serves: a line for each event worth a look, never one a request.

use std::collections::HashMap;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::ValueEnum;
use keyplan_engine::Timestamp;
use keyplan_server::Notice;
use keyplan_value::json::Writer;

/// Lines of one kind in a stretch of time; what comes beyond is counted, and told with the next line.
const LINES_MAX: u32 = 10;
const STRETCH: Duration = Duration::from_secs(1);

/// How events are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogForm {
    /// One line of text each
    Text,
    /// One JSON object each, with its time
    Json,
    /// Not at all, faults included
    Off,
}

/// Writes events on stderr.
pub(crate) struct Log {
    /// As they are asked for; without it, faults alone are told, as text.
    form: Option<LogForm>,
    kinds: Mutex<HashMap<&'static str, Stretch>>,
}

/// The lines of one kind of late.
struct Stretch {
    since: Instant,
    lines: u32,
    untold: u64,
}

/// What an event tells.
pub(crate) enum Field<'a> {
    Text(&'a str),
    Number(u64),
}

impl Log {
    pub(crate) fn new(form: Option<LogForm>) -> Log {
        Log { form, kinds: Mutex::default() }
    }

    /// The endpoint is ready.
    pub(crate) fn started(&self, endpoint: &str, data: &str) {
        let version = env!("CARGO_PKG_VERSION");
        self.event(
            "started",
            &[
                ("version", Field::Text(version)),
                ("endpoint", Field::Text(endpoint)),
                ("data", Field::Text(data)),
            ],
        );
    }

    /// Everything that was accepted has been answered.
    pub(crate) fn stopped(&self, after: Duration) {
        self.event("stopped", &[("seconds", Field::Number(after.as_secs()))]);
    }

    /// An answer was a fault of our own.
    pub(crate) fn fault(&self, status: u16, operation: &str, cause: &str) {
        self.event(
            "fault",
            &[
                ("status", Field::Number(status.into())),
                ("operation", Field::Text(operation)),
                ("cause", Field::Text(cause)),
            ],
        );
    }

    /// What the listener tells.
    pub(crate) fn notice(&self, notice: &Notice<'_>) {
        match notice {
            Notice::Refused { reason, who: "" } => self.event("refused", &[("reason", Field::Text(reason))]),
            Notice::Refused { reason, who } => {
                self.event("refused", &[("reason", Field::Text(reason)), (reason, Field::Text(who))]);
            }
            Notice::Slow { operation, status, took } => {
                let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
                self.event(
                    "slow",
                    &[
                        ("operation", Field::Text(operation)),
                        ("status", Field::Number((*status).into())),
                        ("milliseconds", Field::Number(milliseconds)),
                    ],
                );
            }
        }
    }

    fn event(&self, kind: &'static str, fields: &[(&str, Field<'_>)]) {
        let form = match self.form {
            None if kind == "fault" => LogForm::Text,
            None | Some(LogForm::Off) => return,
            Some(form) => form,
        };
        let Some(untold) = self.turn(kind, Instant::now()) else { return };
        let mut line = match form {
            LogForm::Json => json(kind, fields, untold),
            LogForm::Text | LogForm::Off => text(kind, fields, untold),
        };
        line.push(b'\n');
        // Nobody may be there to read it; that stops nothing. One write, so that lines stay whole.
        let _ = std::io::stderr().lock().write_all(&line);
    }

    /// Whether a line of this kind may be written now, and how many were left out before it.
    fn turn(&self, kind: &'static str, now: Instant) -> Option<u64> {
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let stretch = kinds.entry(kind).or_insert(Stretch { since: now, lines: 0, untold: 0 });
        if now.duration_since(stretch.since) >= STRETCH {
            (stretch.since, stretch.lines) = (now, 0);
        }
        if stretch.lines == LINES_MAX {
            stretch.untold += 1;
            return None;
        }
        stretch.lines += 1;
        Some(std::mem::take(&mut stretch.untold))
    }
}

/// `keyplan: fault: status=500 operation="PutItem"`: one line, whatever is in it.
fn text(kind: &str, fields: &[(&str, Field<'_>)], untold: u64) -> Vec<u8> {
    let mut line = format!("keyplan: {kind}:");
    for (name, field) in fields {
        match field {
            Field::Text(text) => line.push_str(&format!(" {name}={text:?}")),
            Field::Number(number) => line.push_str(&format!(" {name}={number}")),
        }
    }
    if untold > 0 {
        line.push_str(&format!(" untold={untold}"));
    }
    line.into_bytes()
}

fn json(kind: &str, fields: &[(&str, Field<'_>)], untold: u64) -> Vec<u8> {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = Timestamp(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX));
    let mut line = Vec::new();
    let mut json = Writer::new(&mut line);
    json.begin_object().name("time").string(&format!("{}Z", now.iso_text())).name("event").string(kind);
    for (name, field) in fields {
        json.name(name);
        match field {
            Field::Text(text) => json.string(text),
            Field::Number(number) => json.integer(*number),
        };
    }
    if untold > 0 {
        json.name("untold").integer(untold);
    }
    json.end_object();
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[(&str, Field<'_>)] =
        &[("status", Field::Number(500)), ("cause", Field::Text("a \"b\"\nkeyplan: forged"))];

    #[test]
    fn an_event_is_one_line_whatever_is_in_it() {
        let line = String::from_utf8(text("fault", FIELDS, 0)).expect("text");
        assert_eq!(line, r#"keyplan: fault: status=500 cause="a \"b\"\nkeyplan: forged""#);
        let line = json("fault", FIELDS, 7);
        assert!(!line.contains(&b'\n'));
        let value: serde_json::Value = serde_json::from_slice(&line).expect("JSON");
        assert_eq!((&value["event"], &value["status"]), (&"fault".into(), &500.into()));
        assert_eq!((&value["cause"], &value["untold"]), (&"a \"b\"\nkeyplan: forged".into(), &7.into()));
    }

    #[test]
    fn a_flood_is_a_few_lines_and_a_number() {
        let log = Log::new(Some(LogForm::Text));
        let start = Instant::now();
        let told = (0..1_000).filter(|_| log.turn("refused", start).is_some()).count();
        assert_eq!(told, 10);
        assert_eq!(log.turn("slow", start), Some(0), "each kind has lines of its own");
        assert_eq!(log.turn("refused", start + STRETCH), Some(990));
        assert_eq!(log.turn("refused", start + STRETCH), Some(0));
    }
}
