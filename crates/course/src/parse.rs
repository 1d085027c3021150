//! From text to lesson, or to findings.

use keyplan_grading::{
    Checks, Exercise as Grading, Request, ReturnedCheck, Rule, Variant, is_general_diagnosis,
};
use keyplan_model::form::{self, At, Each, Entries, Findings, Flag, UnitsText, filled, is_id};
use keyplan_model::{Position, Problem, Table, Units};
use serde_json::{Map, Value, json};

use crate::lesson::{Exercise, Lesson, Source, StatedAnswer, Step, Wrong};
use crate::limits::{HINTS, STEPS, WORDS};
use crate::problem::{LessonError, LessonFinding, LessonProblem};
use crate::shape::{
    AnswerShape, CheckWord, ChecksShape, DiagnosisShape, ExerciseShape, HiddenShape, LessonShape, PlainItems,
    RequestShape, Requests, StepShape,
};
use crate::value::{body, item};

/// The version of the form that this program reads.
const FORM_VERSION: u64 = 1;

impl Lesson {
    /// Reads and checks a lesson file. `file` is the name that findings tell; its last part gives the
    /// lesson's place and slug: `06-a-filter-is-no-index.yaml`.
    ///
    /// # Errors
    /// With at least one finding, when the text is no lesson.
    pub fn parse(yaml: &str, file: &str) -> Result<Lesson, LessonError> {
        let mut faults = Faults::default();
        let named = order_and_slug(file);
        if named.is_none() {
            faults.add(Position::START, LessonProblem::FileName { file: file.to_owned() });
        }
        let (order, slug) = named.unwrap_or_default();
        let shape = form::read::<LessonShape>(yaml, &mut faults.form);
        let lesson = shape.map(|shape| lesson(order, slug, shape, &mut faults));
        match lesson {
            Some(lesson) if faults.is_empty() => Ok(lesson),
            _ => Err(faults.into_error(file)),
        }
    }
}

/// The number and the slug of a file's name.
fn order_and_slug(file: &str) -> Option<(u32, String)> {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let (number, slug) = name.strip_suffix(".yaml")?.split_once('-')?;
    let slug_is_good =
        slug.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'-');
    (slug_is_good && !slug.is_empty()).then(|| Some((number.parse().ok()?, slug.to_owned())))?
}

/// Findings on their way: those of the form, and a lesson's own.
#[derive(Default)]
struct Faults {
    form: Findings,
    own: Vec<LessonFinding>,
}

impl Faults {
    fn add(&mut self, at: Position, problem: LessonProblem) {
        self.own.push(LessonFinding { at, problem });
    }

    fn is_empty(&self) -> bool {
        self.form.is_empty() && self.own.is_empty()
    }

    fn into_error(self, file: &str) -> LessonError {
        let (form, left_out) = self.form.into_parts();
        let mut findings = self.own;
        findings.extend(
            form.into_iter().map(|finding| LessonFinding {
                at: finding.at,
                problem: LessonProblem::Form(finding.problem),
            }),
        );
        findings.sort_by_key(|finding| finding.at);
        LessonError { file: file.to_owned(), findings, left_out }
    }
}

fn lesson(order: u32, slug: String, shape: LessonShape, faults: &mut Faults) -> Lesson {
    if shape.keyplan_lesson.value != FORM_VERSION {
        let found = shape.keyplan_lesson.value;
        faults.form.add(shape.keyplan_lesson.at, || Problem::Version { found });
    }
    for (what, text) in [
        ("the title", &shape.title),
        ("the summary", &shape.summary),
        ("the takeaway", &shape.takeaway),
        ("the exercise's title", &shape.exercise.title),
        ("the exercise's brief", &shape.exercise.brief),
    ] {
        filled(what, text, &mut faults.form);
    }
    let words = shape.text.value.split_whitespace().count();
    if !WORDS.contains(&words) {
        faults.add(shape.text.at, LessonProblem::Words { found: words });
    }
    let designed = form::tables(&shape.tables, &mut faults.form);
    let tables: Vec<String> = designed.iter().map(|table| table.name.clone()).collect();
    let mut setup: Vec<Request> =
        designed.iter().map(form::create_table).map(|made| request(made.operation, &made.body)).collect();
    setup.extend(puts(&shape.items, &tables, faults));
    if !STEPS.contains(&shape.steps.0.len()) {
        let at = shape.steps.0.last().map_or(shape.title.at, |step| step.at);
        faults.add(at, LessonProblem::Steps { found: shape.steps.0.len() });
    }
    for link in shape.links.lessons.0.iter().chain(&shape.links.models.0) {
        is_id(link, &mut faults.form);
    }
    if shape.sources.0.is_empty() {
        faults.add(shape.title.at, LessonProblem::NoSource);
    }
    let sources = shape.sources.0.iter().map(|source| {
        let text = &source.source.value;
        if !(text.starts_with("https://") || text == "engine") {
            faults.add(source.source.at, LessonProblem::Source { text: text.clone() });
        }
        Source { claim: source.claim.value.clone(), source: text.clone() }
    });
    let sources = sources.collect();
    Lesson {
        slug,
        order,
        chapter: shape.chapter.value,
        minutes: shape.minutes.value,
        indexes: indexes(&designed),
        text: shape.text.value,
        steps: shape.steps.0.into_iter().map(|step| self::step(step.value, faults)).collect(),
        exercise: exercise(shape.exercise, &tables, &setup, faults),
        title: line(&shape.title),
        summary: line(&shape.summary),
        takeaway: line(&shape.takeaway),
        lessons: values(shape.links.lessons),
        models: values(shape.links.models),
        sources,
        tables,
        setup,
    }
}

/// Each index as its table and its name.
fn indexes(tables: &[Table]) -> Vec<(String, String)> {
    let of = |table: &Table| {
        let indexes = table.indexes.iter();
        indexes.map(|index| (table.name.clone(), index.name.clone())).collect::<Vec<_>>()
    };
    tables.iter().flat_map(of).collect()
}

/// A text of one line, whatever the lines of the file.
fn line(text: &At<String>) -> String {
    text.value.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn values(list: Each<At<String>>) -> Vec<String> {
    list.0.into_iter().map(|text| text.value).collect()
}

type Items = Entries<PlainItems>;

fn puts(items: &Items, tables: &[String], faults: &mut Faults) -> Vec<Request> {
    each_item(items, tables, "PutItem", "Item", faults)
}

/// A request for each item of each table.
fn each_item(
    items: &Items,
    tables: &[String],
    operation: &str,
    member: &str,
    faults: &mut Faults,
) -> Vec<Request> {
    let mut requests = Vec::new();
    for (table, items) in &items.list {
        if !tables.contains(&table.value) {
            faults.add(table.at, LessonProblem::UnknownTable { name: table.value.clone() });
        }
        for entries in &items.0 {
            let item = item(&entries.value, &mut faults.form);
            requests.push(request(operation, &json!({ "TableName": table.value, member: item })));
        }
    }
    requests
}

fn request(operation: &str, body: &Value) -> Request {
    Request { target: format!("DynamoDB_20120810.{operation}"), body: body.to_string() }
}

fn asked(shape: &At<RequestShape>, faults: &mut Faults) -> Option<Request> {
    let [(operation, members)] = shape.value.0.list.as_slice() else {
        faults.add(shape.at, LessonProblem::OneOperation { found: shape.value.0.list.len() });
        return None;
    };
    if !keyplan_engine::operations::built_names().any(|name| name == operation.value) {
        faults.add(operation.at, LessonProblem::Operation { name: operation.value.clone() });
    }
    Some(request(&operation.value, &body(members, &mut faults.form)))
}

fn all_asked(requests: &At<Requests>, faults: &mut Faults) -> Vec<Request> {
    if requests.value.0.is_empty() {
        faults.add(requests.at, LessonProblem::Nothing { what: "the list of requests" });
    }
    requests.value.0.iter().filter_map(|request| asked(request, faults)).collect()
}

fn step(shape: StepShape, faults: &mut Faults) -> Step {
    filled("the step's title", &shape.title, &mut faults.form);
    filled("what to notice", &shape.notice, &mut faults.form);
    let request = asked(&shape.request, faults);
    Step {
        title: line(&shape.title),
        request: request.unwrap_or(Request { target: String::new(), body: String::new() }),
        notice: shape.notice.value,
        answer: answer(shape.answer, faults),
    }
}

fn answer(shape: AnswerShape, faults: &mut Faults) -> StatedAnswer {
    let items = shape.items.map(|items| {
        let items = items.value.0.into_iter();
        items.map(|entries| item(&entries.value, &mut faults.form)).collect::<Vec<Map<String, Value>>>()
    });
    StatedAnswer {
        examined: shape.examined.map(|count| count.value),
        returned: shape.returned.map(|count| count.value),
        read: units(shape.read.as_ref(), faults),
        write: units(shape.write.as_ref(), faults),
        items,
        last_evaluated_key: shape.last_evaluated_key.map(|flag| flag.value == Flag::True),
        error: shape.error.map(|error| error.value),
        message: shape.message.map(|message| line(&message)),
    }
}

fn units(text: Option<&At<UnitsText>>, faults: &mut Faults) -> Option<Units> {
    let text = text?;
    let units = form::parse_units(&text.value.0);
    if units.is_none() {
        faults.form.add(text.at, || Problem::NotUnits { text: text.value.0.clone() });
    }
    units
}

/// Units come in halves, so they are handed on as whole halves.
fn halves(text: Option<&At<UnitsText>>, faults: &mut Faults) -> Option<u64> {
    units(text, faults).map(|units| (units.as_f64() * 2.0) as u64)
}

fn exercise(shape: ExerciseShape, tables: &[String], setup: &[Request], faults: &mut Faults) -> Exercise {
    let place = shape.title.at;
    if shape.hints.0.len() != HINTS {
        faults.add(place, LessonProblem::Hints { found: shape.hints.0.len() });
    }
    if shape.solutions.0.is_empty() {
        faults.add(place, LessonProblem::NoSolution);
    }
    if shape.wrong.0.is_empty() {
        faults.add(place, LessonProblem::NoWrongAnswer);
    }
    let start = all_asked(&shape.start, faults);
    let solutions: Vec<Vec<Request>> =
        shape.solutions.0.iter().map(|requests| all_asked(requests, faults)).collect();
    let rules = rules(&shape.diagnoses, faults);
    let wrong: Vec<Wrong> = shape
        .wrong
        .0
        .iter()
        .map(|wrong| {
            let id = &wrong.diagnosis.value;
            if !is_general_diagnosis(id) && !rules.iter().any(|rule| rule.id == *id) {
                unknown_diagnosis(&wrong.diagnosis, &rules, faults);
            }
            Wrong {
                line: wrong.answer.at.line,
                answer: all_asked(&wrong.answer, faults),
                diagnosis: id.clone(),
            }
        })
        .collect();
    let returned = shape.checks.returned.as_ref().map(|returned| returned.count.value);
    let grading = Grading {
        setup: setup.to_vec(),
        hidden: Some(hidden(&shape.hidden.value, tables, faults)),
        solution: solutions.first().cloned().unwrap_or_default(),
        checks: checks(shape.checks, faults),
        rules,
    };
    Exercise {
        title: line(&shape.title),
        brief: shape.brief.value,
        goals: values(shape.goals),
        start,
        hints: values(shape.hints),
        solutions,
        returned,
        grading,
        wrong,
    }
}

fn unknown_diagnosis(id: &At<String>, rules: &[Rule], faults: &mut Faults) {
    let own = rules.iter().map(|rule| rule.id.clone());
    let known: Vec<String> = own.chain(keyplan_grading::general_diagnoses().map(str::to_owned)).collect();
    let nearest = form::nearest(&id.value, known.iter().map(String::as_str)).map(str::to_owned);
    faults.form.add(id.at, || Problem::Unknown {
        what: keyplan_model::Named::Diagnosis,
        name: id.value.clone(),
        nearest,
        known,
    });
}

fn hidden(shape: &HiddenShape, tables: &[String], faults: &mut Faults) -> Variant {
    filled("how the hidden data differ", &shape.when, &mut faults.form);
    let mut requests = each_item(&shape.delete, tables, "DeleteItem", "Key", faults);
    requests.extend(puts(&shape.put, tables, faults));
    Variant { when: line(&shape.when), requests }
}

fn checks(shape: ChecksShape, faults: &mut Faults) -> Checks {
    Checks {
        returned: shape.returned.map(|returned| ReturnedCheck {
            order: returned.order.as_ref().map(line),
            attributes: values(returned.attributes),
        }),
        read_halves: halves(shape.read.as_ref(), faults),
        write_halves: halves(shape.write.as_ref(), faults),
        examined: shape.examined.map(|count| count.value),
        requests: shape.requests.map(|count| count.value),
        operations: values(shape.operations),
        table: shape.table.as_ref().map(line),
        ignore: values(shape.ignore),
    }
}

fn rules(shapes: &Entries<DiagnosisShape>, faults: &mut Faults) -> Vec<Rule> {
    let mut rules = Vec::new();
    for (id, shape) in &shapes.list {
        is_id(id, &mut faults.form);
        if is_general_diagnosis(&id.value) {
            faults.add(id.at, LessonProblem::SameDiagnosis { id: id.value.clone() });
        }
        let texts = |list: &Each<At<String>>| list.0.iter().map(|text| text.value.clone()).collect();
        let text = |text: &Option<At<String>>| text.as_ref().map(|text| text.value.clone());
        rules.push(Rule {
            id: id.value.clone(),
            title: line(&shape.title),
            text: line(&shape.text),
            operation: text(&shape.when.operation),
            has: texts(&shape.when.has),
            lacks: texts(&shape.when.lacks),
            contains: texts(&shape.when.contains),
            omits: texts(&shape.when.omits),
            error: text(&shape.when.error),
            fails: shape.when.fails.as_ref().map(|check| word(check.value).to_owned()),
        });
    }
    rules
}

fn word(check: CheckWord) -> &'static str {
    use keyplan_grading::CheckKind;
    match check {
        CheckWord::Accepted => CheckKind::Accepted,
        CheckWord::Returned => CheckKind::Returned,
        CheckWord::Order => CheckKind::Order,
        CheckWord::Table => CheckKind::Table,
        CheckWord::Read => CheckKind::Read,
        CheckWord::Write => CheckKind::Write,
        CheckWord::Examined => CheckKind::Examined,
        CheckWord::Requests => CheckKind::Requests,
        CheckWord::Operations => CheckKind::Operations,
        CheckWord::Hidden => CheckKind::Hidden,
    }
    .word()
}
