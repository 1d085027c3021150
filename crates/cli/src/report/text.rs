//! The report as text, for whoever ran the tests.

use super::rules::place;
use super::{Request, Sums};

/// Uses in the table; the JSON has all.
const USES_SHOWN: usize = 30;

/// Requests in each list; the JSON has more.
const REQUESTS_SHOWN: usize = 10;

pub(super) fn write(sums: &Sums) -> String {
    let mut text = format!(
        "\nCost of this run: {} ({} failed), {} read units, {} write units, {}\n",
        counted(sums.requests, "request"),
        sums.failed,
        sums.read,
        sums.write,
        counted(sums.scans, "Scan"),
    );
    let mut uses: Vec<_> = sums.uses.iter().collect();
    uses.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.units()));
    let heads =
        ["operation", "table", "requests", "failed", "read", "write", "examined", "returned", "caller"];
    let mut lines = vec![heads.map(str::to_owned)];
    for (used, sum) in uses.iter().take(USES_SHOWN) {
        let table =
            used.table.as_deref().map_or_else(|| "-".to_owned(), |table| place(table, used.index.as_deref()));
        lines.push([
            used.operation.to_owned(),
            table,
            sum.requests.to_string(),
            sum.failed.to_string(),
            sum.read.to_string(),
            sum.write.to_string(),
            sum.examined.items.to_string(),
            sum.returned.items.to_string(),
            used.caller.clone(),
        ]);
    }
    text.push('\n');
    text.push_str(&columns(&lines));
    if uses.len() > USES_SHOWN {
        text.push_str(&format!("and {} more\n", uses.len() - USES_SHOWN));
    }
    list("Dearest requests", sums.dearest.len() as u64, &sums.dearest, &mut text);
    list("Scans", sums.scans, &sums.scans_listed, &mut text);
    text
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn list(title: &str, count: u64, requests: &[Request], text: &mut String) {
    if requests.is_empty() {
        return;
    }
    text.push_str(&format!("\n{title}\n"));
    for request in requests.iter().take(REQUESTS_SHOWN) {
        text.push_str(&format!("  No. {} {}", request.number, request.operation));
        for access in &request.accesses {
            text.push_str(&format!(
                " {} ({} units, {} examined, {} returned)",
                place(&access.table, access.index.as_deref()),
                access.units,
                access.examined.items,
                access.returned.items
            ));
        }
        text.push_str(&format!(" by {}\n", request.caller));
    }
    let left = count.saturating_sub(REQUESTS_SHOWN as u64);
    if left > 0 {
        text.push_str(&format!("  and {left} more\n"));
    }
}

/// Lines of cells, each column as wide as its widest cell; figures stand to the right.
fn columns<const COLUMNS: usize>(lines: &[[String; COLUMNS]]) -> String {
    let mut widths = [0; COLUMNS];
    for line in lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for line in lines {
        let mut shown = String::new();
        for (column, (cell, width)) in line.iter().zip(widths).enumerate() {
            let is_figure = (2..COLUMNS - 1).contains(&column);
            let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
            let cell = if is_figure { padding + cell } else { format!("{cell}{padding}") };
            shown.push_str(&cell);
            shown.push_str("  ");
        }
        text.push_str(shown.trim_end());
        text.push('\n');
    }
    text
}
