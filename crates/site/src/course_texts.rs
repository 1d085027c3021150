//! The course and the models as plain text for programs that read: `llms.txt` names what there is,
//! `llms-full.txt` holds all of it.

use std::fmt::Write as _;

use keyplan_course::{Course, Lesson};
use keyplan_grading::Request;
use keyplan_model::Model;
use serde_json::Value;

use crate::lesson_request::{figures, pretty, short};

/// Longer texts of items are told by their length.
const ITEM_TEXT_CHARACTERS_MAX: usize = 80;

const HEAD: &str = "# Keyplan\n\n> Learn and design Amazon DynamoDB tables: requests run on an engine in the browser, and \
                    each shows what it read and what it cost.\n";

/// What there is, with links.
pub(crate) fn index(course: &Course, models: &[&Model]) -> String {
    let mut text = format!("{HEAD}\nEverything below in one file: [llms-full.txt](llms-full.txt)\n");
    for (chapter, lessons) in course.chapters() {
        let _ = writeln!(text, "\n## {}\n", chapter.title());
        for (number, Lesson { title, slug, summary, .. }) in lessons {
            let _ = writeln!(text, "- [{number}. {title}](course/{slug}/): {summary}");
        }
    }
    if !models.is_empty() {
        text.push_str("\n## Designs\n\n");
    }
    for model in models {
        let _ =
            writeln!(text, "- [{}](models/{}/): {} {}", model.title, model.id, model.question, model.summary);
    }
    text
}

/// All of it.
pub(crate) fn full(course: &Course, models: &[&Model]) -> String {
    let mut text = HEAD.to_owned();
    for (number, lesson) in (1..).zip(course.lessons()) {
        write_lesson(number, lesson, &mut text);
    }
    for model in models {
        let _ = writeln!(text, "\n# Design: {}\n\n{}\n\n{}", model.title, model.question, model.summary);
        for pattern in &model.patterns {
            let template = pattern.template();
            let _ = writeln!(text, "\n## {}\n", pattern.question);
            write_json(template.operation, &template.body, &mut text);
        }
        for note in &model.notes {
            let _ = writeln!(text, "\n{} ({}): {}", note.title, note.kind.name(), note.text);
        }
    }
    text
}

fn write_lesson(number: usize, lesson: &Lesson, text: &mut String) {
    let Lesson { title, summary, exercise, .. } = lesson;
    let _ = writeln!(text, "\n# Lesson {number}: {title}\n\n{summary}\n\n{}", lesson.text.trim());
    let _ = writeln!(text, "\n## Tables\n\n```");
    for request in &lesson.setup {
        let _ = writeln!(text, "{} {}", request.operation(), shortened(request));
    }
    text.push_str("```\n");
    for (place, step) in (1..).zip(&lesson.steps) {
        let _ = writeln!(text, "\n## Step {place}: {}\n", step.title);
        write_request(&step.request, text);
        let stated: Vec<String> = figures(step)
            .iter()
            .map(|figure| format!("{} {}", figure.figure, figure.of).trim().to_owned())
            .collect();
        let _ = writeln!(text, "\nAnswer: {}.\n\n{}", stated.join(", "), step.notice.trim());
    }
    let _ = writeln!(text, "\n## Exercise: {}\n\n{}\n", exercise.title, exercise.brief.trim());
    for line in exercise.contract() {
        let _ = writeln!(text, "- {line}");
    }
    for (place, hint) in (1..).zip(&exercise.hints) {
        let _ = writeln!(text, "\nHint {place}: {}", hint.trim());
    }
    text.push_str("\nA solution:\n\n");
    for request in exercise.solutions.iter().take(1).flatten() {
        write_request(request, text);
    }
    let _ = writeln!(text, "\nTakeaway: {}", lesson.takeaway);
    for source in lesson.sources.iter().filter(|source| source.source != "engine") {
        let _ = writeln!(text, "\n{} ({})", source.claim, source.source);
    }
}

fn write_request(request: &Request, text: &mut String) {
    let _ = writeln!(text, "{}\n\n```json\n{}\n```", request.operation(), short(request).json);
}

fn write_json(operation: &str, body: &Value, text: &mut String) {
    let _ = writeln!(text, "{operation}\n\n```json\n{}\n```", pretty(body));
}

/// A request of the setup on one line, its longest texts told by their length.
fn shortened(request: &Request) -> String {
    let mut body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    for value in body["Item"].as_object_mut().into_iter().flat_map(|item| item.values_mut()) {
        if let Some(text) = value["S"].as_str()
            && text.chars().count() > ITEM_TEXT_CHARACTERS_MAX
        {
            let characters = text.chars().count();
            value["S"] = Value::String(format!("(text, {characters} characters)"));
        }
    }
    body.to_string()
}
