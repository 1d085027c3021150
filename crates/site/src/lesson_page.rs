//! A lesson's page: its text, its tables before the first request, its steps and its exercise.

use askama::Template;
use keyplan_course::{Course, Lesson};
use keyplan_engine::inspect::{Inspection, Window};
use keyplan_grading::World;
use keyplan_model::Model;

use crate::error::SiteError;
use crate::figures::counted;
use crate::key_plan::key_plan;
use crate::layout::{Frame, Layout, SitePart};
use crate::lesson_request::{Figure, ShortRequest, figures, short};
use crate::lesson_text::{blocks, inline};
use crate::plan::{Content, Plan, plan};
use crate::stage::PAGE_TIME;

#[derive(Template)]
#[template(path = "lesson.html")]
struct LessonTemplate<'a> {
    layout: Layout<'a>,
    lesson: &'a Lesson,
    number: usize,
    of: usize,
    facts: Vec<(&'static str, String)>,
    text: String,
    plans: &'a [Plan],
    indexes: Vec<(&'a str, String, &'a Plan)>,
    steps: Vec<StepView<'a>>,
    brief: String,
    contract: Vec<String>,
    starts: Vec<ShortRequest>,
    hints: Vec<String>,
    takeaway: String,
    previous: Option<(usize, &'a Lesson)>,
    next: Option<(usize, &'a Lesson)>,
    lessons: Vec<(usize, &'a Lesson)>,
    models: Vec<&'a Model>,
    data: &'a str,
    operations: String,
}

struct StepView<'a> {
    title: &'a str,
    request: ShortRequest,
    figures: Vec<Figure>,
    notice: String,
}

/// A lesson, set up and looked at.
pub(crate) struct LessonPage<'c> {
    course: &'c Course,
    lesson: &'c Lesson,
    number: usize,
    /// The data for the page's scripts, fit to stand in a `script` element.
    data: String,
    tables: Vec<Inspection>,
    plans: Vec<Plan>,
    /// The plans of the indexes, in the lesson's order.
    index_plans: Vec<Plan>,
}

impl<'c> LessonPage<'c> {
    /// Sets the lesson up on an engine of its own and inspects its tables and indexes.
    pub fn new(
        course: &'c Course,
        number: usize,
        lesson: &'c Lesson,
        prices: Option<&str>,
    ) -> Result<LessonPage<'c>, SiteError> {
        let id = || lesson.slug.clone();
        let world = World::new(&lesson.setup, PAGE_TIME)
            .map_err(|error| SiteError::Lesson { id: id(), error: Box::new(error) })?;
        let inspect = |table: &str, index: Option<&str>| {
            world.engine().inspect(table, index, Window::default()).map_err(|error| SiteError::Inspect {
                id: id(),
                table: table.to_owned(),
                error: Box::new(error),
            })
        };
        let tables = lesson.tables.iter().map(|table| inspect(table, None)).collect::<Result<Vec<_>, _>>()?;
        let indexes = lesson.indexes.iter().map(|(table, index)| inspect(table, Some(index)));
        let indexes = indexes.collect::<Result<Vec<_>, _>>()?;
        let texts: Vec<String> = tables.iter().chain(&indexes).map(Inspection::to_json).collect();
        let data =
            course.page_data(number, &texts, prices).map_err(|error| SiteError::Data { id: id(), error })?;
        let (plans, index_plans) = (tables.iter().map(plan).collect(), indexes.iter().map(plan).collect());
        Ok(LessonPage { course, lesson, number, data, tables, plans, index_plans })
    }

    pub fn slug(&self) -> &str {
        &self.lesson.slug
    }

    pub fn number(&self) -> usize {
        self.number
    }

    pub fn lesson(&self) -> &Lesson {
        self.lesson
    }

    pub fn key_plan(&self) -> Vec<u64> {
        key_plan(&self.tables)
    }

    pub fn render(&self, models: &[&Model], frame: Frame<'_>) -> Result<String, SiteError> {
        let lesson = self.lesson;
        let neighbour = |number: usize| Some((number, self.course.numbered(number)?));
        let steps = lesson.steps.iter().map(|step| StepView {
            title: &step.title,
            request: short(&step.request),
            figures: figures(step),
            notice: inline(&step.notice),
        });
        let linked = lesson.models.iter();
        let page = LessonTemplate {
            layout: Layout::new(
                format!("{} · Keyplan", lesson.title),
                lesson.summary.clone(),
                "../../",
                frame,
            )
            .of(SitePart::Course),
            lesson,
            number: self.number,
            of: self.course.lessons().len(),
            facts: self.facts(),
            text: blocks(&lesson.text),
            plans: &self.plans,
            indexes: self.indexes(),
            steps: steps.collect(),
            brief: blocks(&lesson.exercise.brief),
            contract: lesson.exercise.contract(),
            starts: lesson.exercise.start.iter().map(short).collect(),
            hints: lesson.exercise.hints.iter().map(|hint| inline(hint)).collect(),
            takeaway: inline(&lesson.takeaway),
            previous: self.number.checked_sub(1).and_then(neighbour),
            next: self.number.checked_add(1).and_then(neighbour),
            lessons: lesson.lessons.iter().filter_map(|slug| self.course.lesson(slug)).collect(),
            models: linked.filter_map(|id| models.iter().find(|model| model.id == *id).copied()).collect(),
            data: &self.data,
            operations: keyplan_engine::operations::built_names().collect::<Vec<_>>().join(" "),
        };
        Ok(page.render()?)
    }

    /// Each index's name, what it is keyed by, and its plan.
    fn indexes(&self) -> Vec<(&str, String, &Plan)> {
        let names = self.lesson.indexes.iter().map(|(_, index)| index.as_str());
        names
            .zip(&self.index_plans)
            .map(|(name, plan)| (name, format!("in the order of {}", plan.key_name), plan))
            .collect()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let lesson = self.lesson;
        let mut facts = vec![
            ("Part", lesson.chapter.title().to_owned()),
            ("Time", format!("About {}", counted(lesson.minutes, "minute"))),
            (if lesson.tables.len() == 1 { "Table" } else { "Tables" }, lesson.tables.join(", ")),
        ];
        if !lesson.indexes.is_empty() {
            let names: Vec<&str> = lesson.indexes.iter().map(|(_, index)| index.as_str()).collect();
            facts.push((if names.len() == 1 { "Index" } else { "Indexes" }, names.join(", ")));
        }
        facts
    }
}
