//! The counts as Prometheus reads them: text, a line a figure.

use std::fmt::Write;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use keyplan_engine::Figures;
use keyplan_engine::capacity::Units;

use super::{LATENCY_CLASSES, Metrics, OperationPlace, Refused};

/// The media type of the text.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

impl Metrics {
    /// All figures that there are; those of the store where its holder tells them.
    pub(crate) fn text(&self, figures: Option<&Figures>) -> String {
        let mut text = String::new();
        self.write_requests(&mut text);
        head(&mut text, "refused_requests_total", "counter", "Requests that were no call, or not looked at.");
        for (reason, count) in Refused::ALL.iter().zip(&self.refused) {
            line(
                &mut text,
                "refused_requests_total",
                &format!("{{reason=\"{}\"}}", reason.word()),
                read(count),
            );
        }
        for (name, kind, help, count) in [
            ("connections_total", "counter", "Connections that were accepted.", &self.connections),
            ("connections", "gauge", "Connections that are open.", &self.connections_open),
        ] {
            head(&mut text, name, kind, help);
            line(&mut text, name, "", read(count));
        }
        if let Some(figures) = figures {
            write_figures(&mut text, figures);
        }
        if let Some(bytes) = resident_bytes() {
            text.push_str("# HELP process_resident_memory_bytes Memory of the process.\n");
            text.push_str("# TYPE process_resident_memory_bytes gauge\n");
            let _ = writeln!(text, "process_resident_memory_bytes {bytes}");
        }
        text
    }

    fn write_requests(&self, text: &mut String) {
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut latencies = String::new();
        head(text, "requests_total", "counter", "Calls that were answered, by operation and result.");
        head(
            &mut latencies,
            "request_duration_seconds",
            "histogram",
            "From a call's last byte to its answer, by operation.",
        );
        for (place, answered) in self.operations.iter().enumerate() {
            let classes: Vec<u64> = answered.classes.iter().map(read).collect();
            let count: u64 = classes.iter().sum();
            if count == 0 {
                continue;
            }
            let operation = OperationPlace(place).name();
            let of_operation = errors.range((place, String::new())..(place + 1, String::new()));
            let failed: u64 = of_operation.clone().map(|(_, count)| count).sum();
            let results = [("success", count.saturating_sub(failed))].into_iter();
            for (result, count) in
                results.chain(of_operation.map(|((_, name), count)| (name.as_str(), *count)))
            {
                let labels = format!("{{operation=\"{operation}\",result=\"{result}\"}}");
                line(text, "requests_total", &labels, count);
            }
            let mut below = 0;
            let bounds = LATENCY_CLASSES.iter().map(|microseconds| seconds(microseconds * 1_000));
            for (bound, class) in bounds.chain(["+Inf".to_owned()]).zip(classes) {
                below += class;
                let labels = format!("{{operation=\"{operation}\",le=\"{bound}\"}}");
                line(&mut latencies, "request_duration_seconds_bucket", &labels, below);
            }
            let labels = format!("{{operation=\"{operation}\"}}");
            let sum = seconds(read(&answered.nanoseconds));
            line(&mut latencies, "request_duration_seconds_sum", &labels, sum);
            line(&mut latencies, "request_duration_seconds_count", &labels, count);
        }
        text.push_str(&latencies);
    }
}

fn write_figures(text: &mut String, figures: &Figures) {
    head(text, "consumed_units_total", "counter", "Capacity units that were consumed.");
    for (kind, units) in [("read", figures.read), ("write", figures.write)] {
        line(text, "consumed_units_total", &format!("{{kind=\"{kind}\"}}"), Units::as_f64(units));
    }
    for (name, help, figure) in [
        ("tables", "Tables, each replica as one.", figures.tables),
        ("items", "Items of all tables.", figures.items),
        ("item_bytes", "Bytes of these items, as the service counts them.", figures.bytes),
    ] {
        head(text, name, "gauge", help);
        line(text, name, "", figure);
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to text does not fail.
    let _ = write!(text, "# HELP keyplan_{name} {help}\n# TYPE keyplan_{name} {kind}\n");
}

fn line(text: &mut String, name: &str, labels: &str, figure: impl std::fmt::Display) {
    let _ = writeln!(text, "keyplan_{name}{labels} {figure}");
}

fn read(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}

/// Nanoseconds as seconds, exactly.
fn seconds(nanoseconds: u64) -> String {
    let (whole, rest) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
    let text = format!("{whole}.{rest:09}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The memory of this process, where the system tells.
fn resident_bytes() -> Option<u64> {
    // In kilobytes, as the status has them; the size of a page is not told as easily.
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
