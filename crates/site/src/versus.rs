//! The counter-design: the same question asked of both designs, two receipts and one factor.

use keyplan_engine::capacity::Units;
use keyplan_engine::trace::Trace;
use keyplan_model::{CounterDesign, Design, Model, Pattern, PatternRun};
use keyplan_prices::Prices;

use crate::cells::{Cells, cells};
use crate::error::SiteError;
use crate::figures::times;
use crate::questions::condition;
use crate::receipt::{Receipt, receipt};
use crate::stage::{PAGE_TIME, engine, inspect};

/// Both designs, asked.
pub(crate) struct Versus {
    pub question: String,
    pub text: String,
    pub receipts: Vec<Receipt>,
    pub factor: Option<String>,
    pub plans: Vec<Cells>,
    /// The counter-design's table and key, in short.
    pub keys: Vec<(String, String)>,
}

/// Asks the model's counter-design and the model the same, each on an engine of its own.
pub(crate) fn versus(model: &Model, prices: Option<&Prices>) -> Result<Option<Versus>, SiteError> {
    let Some(counter) = &model.counter_design else { return Ok(None) };
    let Some(pattern) = model.pattern(&counter.compares) else { return Ok(None) };
    let pattern = &alike(pattern, counter);
    let mut receipts = Vec::new();
    let mut plans = Vec::new();
    let mut units = Vec::new();
    for (title, design, pattern) in
        [("This design", &model.design, pattern), ("Counter-design", &counter.design, &counter.pattern)]
    {
        let run = asked(&model.id, design, pattern)?;
        let Some(trace) = &run.trace else { return Ok(None) };
        receipts.push(receipt(title, trace, condition(&run.request.body), prices));
        plans.extend(plan(&model.id, title, design, trace)?);
        units.push((trace.read_units(), trace.write_units()));
    }
    let keys = counter.design.entities.iter().map(|entity| {
        let key = entity.key.iter().map(|key| key.template.to_string()).collect::<Vec<_>>().join(", ");
        (entity.name.clone(), key)
    });
    Ok(Some(Versus {
        question: pattern.question.clone(),
        text: counter.text.clone(),
        factor: factor(&units, prices),
        receipts,
        plans: if plans.len() == 2 { plans } else { Vec::new() },
        keys: keys.collect(),
    }))
}

/// The design's pattern with the counter-design's examples, so that both are asked the same.
fn alike(pattern: &Pattern, counter: &CounterDesign) -> Pattern {
    let mut alike = pattern.clone();
    for parameter in &mut alike.parameters {
        let same = counter.pattern.parameters.iter().find(|other| other.name == parameter.name);
        if let Some(same) = same {
            parameter.example.clone_from(&same.example);
        }
    }
    alike
}

fn asked(id: &str, design: &Design, pattern: &Pattern) -> Result<PatternRun, SiteError> {
    let run = design.ask(pattern, &engine(id, design)?, PAGE_TIME);
    run.map_err(|error| SiteError::Run { id: id.to_owned(), error: Box::new(error) })
}

/// The items of the table or index that was read first; nothing for a write.
fn plan(id: &str, title: &str, design: &Design, trace: &Trace) -> Result<Option<Cells>, SiteError> {
    let Some(access) = trace.accesses.iter().find(|access| access.read_units() != Units::ZERO) else {
        return Ok(None);
    };
    if trace.accesses.len() > 1 {
        return Ok(None);
    }
    let inspection = inspect(id, &engine(id, design)?, &access.table, access.index.as_deref())?;
    Ok(Some(cells(title, &inspection, access)))
}

/// How many times as much the second costs as the first: by units where both only read or only write,
/// else by price.
fn factor(units: &[(Units, Units)], prices: Option<&Prices>) -> Option<String> {
    let [(read, write), (other_read, other_write)] = units else { return None };
    let halves = |units: &Units| u128::from(units.in_halves());
    if [write, other_write] == [&Units::ZERO; 2] {
        return times(halves(other_read), halves(read));
    }
    if [read, other_read] == [&Units::ZERO; 2] {
        return times(halves(other_write), halves(write));
    }
    let price = |read, write| prices.and_then(|prices| prices.of_million(read, write).usd);
    let (this, other) = (price(*read, *write)?, price(*other_read, *other_write)?);
    times(other.parts(), this.parts())
}
