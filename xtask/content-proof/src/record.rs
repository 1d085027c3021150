//! What the engine answers natively to every step and every recorded answer, as JSON: a browser test
//! asks the same of the engine in a tab, and compares.

use std::path::Path;

use keyplan_course::{Lesson, Wrong};
use keyplan_engine::Timestamp;
use keyplan_grading::{Request, World, WorldError, grade};
use serde_json::{Value, json};

/// Writes the record of lessons.
pub(crate) fn write(file: &Path, lessons: &[Lesson], now: Timestamp) -> Result<(), String> {
    let lessons =
        lessons.iter().map(|lesson| record(lesson, now).map_err(|error| format!("{}: {error}", lesson.slug)));
    let record = json!({ "now": now.0, "lessons": lessons.collect::<Result<Vec<_>, _>>()? });
    std::fs::write(file, record.to_string()).map_err(|error| format!("{}: {error}", file.display()))
}

fn record(lesson: &Lesson, now: Timestamp) -> Result<Value, WorldError> {
    let world = World::new(&lesson.setup, now)?;
    let steps = lesson.steps.iter().map(|step| {
        let reply = world.ask(&step.request);
        let trace = reply.trace.as_ref().map(|trace| trace.to_json());
        json!({ "request": sent(&step.request), "status": reply.status, "body": reply.body, "trace": trace })
    });
    let steps: Vec<Value> = steps.collect();
    let exercise = &lesson.exercise;
    let mut answers = vec![answer("start", &exercise.start, lesson, now)?];
    for (place, solution) in (1..).zip(&exercise.solutions) {
        answers.push(answer(&format!("solution {place}"), solution, lesson, now)?);
    }
    for Wrong { line, answer: requests, .. } in &exercise.wrong {
        answers.push(answer(&format!("wrong answer of line {line}"), requests, lesson, now)?);
    }
    Ok(json!({
        "lesson": lesson.slug,
        "setup": lesson.setup.iter().map(sent).collect::<Vec<_>>(),
        "steps": steps,
        "grading": exercise.grading.to_json(),
        "answers": answers,
    }))
}

fn answer(name: &str, requests: &[Request], lesson: &Lesson, now: Timestamp) -> Result<Value, WorldError> {
    let verdict = grade(&lesson.exercise.grading, requests, now)?;
    let requests: Vec<Value> = requests.iter().map(sent).collect();
    Ok(
        json!({ "name": name, "requests": requests, "passed": verdict.passed(), "verdict": verdict.to_json() }),
    )
}

fn sent(request: &Request) -> Value {
    json!({ "target": request.target, "body": request.body })
}
