//! A receipt: what one request read and cost, line by line, from its trace. The browser code writes the same
//! lines (web/src/receipt/lines.ts).

use keyplan_engine::capacity::{Step, Units, Work};
use keyplan_engine::trace::{Access, Trace};
use keyplan_prices::{MillionPrice, Prices};

use crate::figures::{bytes, grouped};

/// More blocks than this are not told apart by lines.
const BLOCKS_RULED_MAX: u64 = 32;

/// One request's receipt.
pub(crate) struct Receipt {
    pub title: &'static str,
    pub operation: String,
    pub condition: String,
    pub accesses: Vec<Account>,
    /// Figure and unit.
    pub totals: Vec<(String, &'static str)>,
    pub price: Option<String>,
    pub foot: String,
}

/// What happened on one table or index.
pub(crate) struct Account {
    pub ruler: Option<Ruler>,
    pub groups: Vec<Vec<Line>>,
}

/// Bytes against the blocks in which they are charged, in hundredths of a block.
pub(crate) struct Ruler {
    pub blocks: Vec<u64>,
    pub width: u64,
    pub examined: u64,
    pub returned: u64,
    pub charged: String,
    pub label: String,
}

/// A label and a figure.
pub(crate) struct Line {
    pub label: String,
    pub figure: String,
    pub mark: Option<&'static str>,
}

/// The receipt of a trace.
pub(crate) fn receipt(
    title: &'static str,
    trace: &Trace,
    condition: String,
    prices: Option<&Prices>,
) -> Receipt {
    let (read, write) = (trace.read_units(), trace.write_units());
    let mut totals = Vec::new();
    for (units, unit) in [(read, "read units"), (write, "write units")] {
        if units != Units::ZERO {
            totals.push((units.to_string(), unit));
        }
    }
    let price = prices.map(|prices| prices.of_million(read, write));
    Receipt {
        title,
        operation: trace.operation.to_owned(),
        condition,
        accesses: trace.accesses.iter().map(account).collect(),
        totals,
        foot: foot(price.as_ref()),
        price: price.and_then(|price| price.usd).map(|usd| format!("${}", usd.shown())),
    }
}

fn foot(price: Option<&MillionPrice>) -> String {
    match price {
        None => "no prices are known here".to_owned(),
        Some(price) => match price.unknown() {
            Some(why) => why,
            None => format!("us-east-1, on demand, prices of {}", price.dated),
        },
    }
}

fn account(access: &Access) -> Account {
    let line = |label: &str, figure: String| Line { label: label.to_owned(), figure, mark: None };
    let mut groups = vec![vec![line("partitions touched", grouped(access.partitions.len() as u64))]];
    let reads = matches!(access.charge.work(), Work::Read(_) | Work::VectorSearch);
    if reads {
        let marked = |label: &str, mark, figure| Line { mark: Some(mark), ..line(label, grouped(figure)) };
        groups[0].push(marked("examined", "x", access.examined.items));
        groups[0].push(marked("returned", "r", access.returned.items));
    }
    let mut arithmetic = Vec::new();
    if let Some(change) = access.change {
        arithmetic.push(line("bytes before", grouped(change.before)));
        arithmetic.push(line("bytes after", grouped(change.after)));
    }
    arithmetic.extend(access.charge.steps().into_iter().map(|step| step_line(step, reads)));
    groups.push(arithmetic);
    let subject = match &access.index {
        Some(index) => format!("index {index}"),
        None => format!("table {}", access.table),
    };
    groups.push(vec![line(&subject, (access.read_units() + access.write_units()).to_string())]);
    Account { ruler: ruler(access, reads), groups }
}

fn step_line(step: Step, reads: bool) -> Line {
    let (label, figure) = match step {
        Step::Bytes(bytes) => (if reads { "bytes read" } else { "the larger" }.to_owned(), grouped(bytes)),
        Step::Divide { by, ten_thousandths } => {
            (format!("÷ {}", grouped(by)), hundredths(ten_thousandths.saturating_add(50) / 100))
        }
        Step::RoundUp { value, .. } => ("rounded up".to_owned(), grouped(value)),
        Step::Minimum(value) => ("at least".to_owned(), grouped(value)),
        Step::Factor { by, because, .. } => {
            let by = by.to_string();
            (because.to_owned(), format!("× {}", by.strip_suffix(".0").unwrap_or(&by)))
        }
    };
    Line { label, figure, mark: None }
}

fn hundredths(figure: u64) -> String {
    format!("{}.{:02}", figure / 100, figure % 100)
}

fn ruler(access: &Access, reads: bool) -> Option<Ruler> {
    let steps = access.charge.steps();
    let (by, examined) = steps.iter().find_map(|step| match step {
        Step::Divide { by, ten_thousandths } => Some((*by, ten_thousandths / 100)),
        _ => None,
    })?;
    let blocks = steps.iter().find_map(|step| match step {
        Step::RoundUp { value, .. } => Some(*value),
        _ => None,
    })?;
    let share = (access.returned.bytes.saturating_mul(examined)).checked_div(access.examined.bytes);
    let ruled = if blocks > BLOCKS_RULED_MAX { 1 } else { blocks };
    Some(Ruler {
        blocks: (1..ruled).map(|block| block * 100).collect(),
        width: blocks.saturating_mul(100),
        examined,
        returned: if reads { share.unwrap_or(0) } else { 0 },
        charged: bytes(access.charge.charged_bytes()),
        label: format!("{} blocks of {} used, {} charged", hundredths(examined), bytes(by), grouped(blocks)),
    })
}
