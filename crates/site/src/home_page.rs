//! The home page: what this is in one screen, with a request that runs right there.

use askama::Template;
use keyplan_course::Course;
use keyplan_engine::operations::built_names;
use keyplan_model::{Model, Pattern};
use keyplan_prices::Prices;

use crate::error::SiteError;
use crate::key_plan::key_plan;
use crate::layout::{Frame, Layout};
use crate::model_page::{ModelPage, PriceList};
use crate::plan::{Content, Plan, plan};
use crate::questions::condition;
use crate::receipt::{Receipt, receipt};
use crate::stage::{PAGE_TIME, Stage};

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    layout: Layout<'a>,
    key_plan: Vec<u64>,
    designs: usize,
    lessons: usize,
    questions: usize,
    first: Option<&'a ModelPage>,
    trial: Option<&'a Trial>,
}

/// The request that runs on the home page, asked in each of its ways.
pub(crate) struct Trial {
    model: Model,
    key_plan: Vec<u64>,
    plan: Plan,
    ways: Vec<Way>,
    /// The request of the first way as it stands in the editor.
    request: String,
    receipt: Receipt,
    data: String,
    operations: String,
}

/// One way to ask.
struct Way {
    name: String,
    examined: u64,
    returned: u64,
    units: String,
}

impl Trial {
    /// Sets the model up and asks each of its patterns; nothing for a model that asks nothing.
    pub fn new(model: Model, prices: PriceList<'_>, course: &Course) -> Result<Option<Trial>, SiteError> {
        let stage = Stage::new(&model)?;
        let Some(table) = stage.tables.first() else { return Ok(None) };
        let mut ways = Vec::new();
        let mut first = None;
        for pattern in &model.patterns {
            let (way, shown) = asked(&model, &stage, pattern, prices.read)?;
            ways.push(way);
            first = first.or(shown);
        }
        let Some((request, receipt)) = first else { return Ok(None) };
        Ok(Some(Trial {
            key_plan: key_plan(&stage.tables),
            plan: plan(table),
            ways,
            request,
            receipt,
            data: stage.data(&model, prices.text, &course.addresses("course/"))?,
            operations: built_names().collect::<Vec<_>>().join(" "),
            model,
        }))
    }
}

fn asked(
    model: &Model,
    stage: &Stage,
    pattern: &Pattern,
    prices: Option<&Prices>,
) -> Result<(Way, Option<(String, Receipt)>), SiteError> {
    let run = model.design.ask(pattern, &stage.engine, PAGE_TIME);
    let run = run.map_err(|error| SiteError::Run { id: model.id.clone(), error: Box::new(error) })?;
    let sum = |figure: fn(&keyplan_engine::trace::Access) -> u64| {
        run.trace.iter().flat_map(|trace| &trace.accesses).map(figure).sum()
    };
    let way = Way {
        name: pattern.question.clone(),
        examined: sum(|access| access.examined.items),
        returned: sum(|access| access.returned.items),
        units: format!("{} read units", run.read_units()),
    };
    let request = serde_json::to_string_pretty(&run.request.body)
        .map_err(|error| SiteError::Data { id: model.id.clone(), error })?;
    let condition = condition(&run.request.body);
    let shown = run.trace.as_ref().map(|trace| (request, receipt("As it will be", trace, condition, prices)));
    Ok((way, shown))
}

/// Renders the home page.
pub(crate) fn render(
    pages: &[ModelPage],
    trial: Option<&Trial>,
    lessons: usize,
    frame: Frame<'_>,
) -> Result<String, SiteError> {
    let home = Home {
        layout: Layout::new(
            "See what a DynamoDB request reads, and what it costs · Keyplan".to_owned(),
            "Run DynamoDB requests on an engine in the browser, and see what they read and cost.".to_owned(),
            "",
            frame,
        ),
        key_plan: trial.map(|trial| trial.key_plan.clone()).unwrap_or_default(),
        designs: pages.len(),
        lessons,
        questions: pages.iter().map(|page| page.model().patterns.len()).sum(),
        first: pages.first(),
        trial,
    };
    Ok(home.render()?)
}
