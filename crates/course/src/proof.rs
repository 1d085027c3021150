//! The proof of a lesson: everything that its file states is run and compared.

use std::fmt;

use keyplan_engine::Timestamp;
use keyplan_grading::{Outcome, Replied, Request, World, WorldError, grade};
use serde_json::{Map, Value};

use crate::lesson::{Lesson, StatedAnswer, Step};

/// What isn't as stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The part of the lesson.
    pub place: String,
    /// What is wrong with it.
    pub text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

/// What was run, and what isn't as stated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proof {
    /// Steps that were run.
    pub steps: usize,
    /// Answers that were graded: starts, solutions and wrong ones.
    pub answers: usize,
    /// What isn't as stated; a lesson without faults is proved.
    pub faults: Vec<Fault>,
}

impl Proof {
    fn add(&mut self, place: impl Into<String>, text: impl Into<String>) {
        self.faults.push(Fault { place: place.into(), text: text.into() });
    }

    fn expect<T: PartialEq + fmt::Display>(&mut self, place: &str, what: &str, stated: Option<T>, found: T) {
        if let Some(stated) = stated
            && stated != found
        {
            self.add(place, format!("{what} is {found}, not {stated}"));
        }
    }
}

/// Runs a lesson's steps in order and grades its recorded answers.
pub fn prove(lesson: &Lesson, now: Timestamp) -> Proof {
    let mut proof = Proof::default();
    match World::new(&lesson.setup, now) {
        Ok(world) => {
            for (place, step) in (1..).zip(&lesson.steps) {
                prove_step(&format!("step {place}"), step, &world.ask(&step.request), &mut proof);
            }
        }
        Err(error) => proof.add("tables and items", error.to_string()),
    }
    if proof.faults.iter().all(|fault| fault.place != "tables and items")
        && let Err(error) = prove_exercise(lesson, now, &mut proof)
    {
        proof.add("hidden", error.to_string());
    }
    proof
}

fn prove_step(place: &str, step: &Step, reply: &Replied, proof: &mut Proof) {
    let StatedAnswer { examined, returned, read, write, items, last_evaluated_key, error, message } =
        &step.answer;
    proof.steps += 1;
    let stated = error.as_deref().unwrap_or("no error");
    let found = reply.error.as_deref().unwrap_or("no error");
    if stated != found {
        let said = reply.message.as_deref().unwrap_or_default();
        proof.add(place, format!("it gets {found}, not {stated}. {said}"));
    }
    if message.is_some() {
        let said = reply.message.clone().unwrap_or_default();
        proof.expect(place, "the message", message.clone(), said);
    }
    proof.expect(place, "examined", *examined, reply.examined());
    proof.expect(place, "returned", *returned, reply.items.len() as u64);
    proof.expect(place, "read units", *read, reply.read_units());
    proof.expect(place, "write units", *write, reply.write_units());
    proof.expect(place, "whether there is a LastEvaluatedKey", *last_evaluated_key, reply.has_bookmark);
    if let Some(stated) = items {
        let found = returned_items(reply);
        if stated.len() != found.len() {
            proof.add(place, format!("{} items are stated, and {} came back", stated.len(), found.len()));
        }
        for (number, (stated, found)) in (1..).zip(stated.iter().zip(&found)) {
            for (name, value) in stated {
                let other = found.get(name);
                if other != Some(value) {
                    let other = other.map_or_else(|| "not there".to_owned(), Value::to_string);
                    proof.add(place, format!("{name} of item {number} is {other}, not {value}"));
                }
            }
        }
    }
}

fn returned_items(reply: &Replied) -> Vec<Map<String, Value>> {
    let parsed = reply.items.iter().map(|item| {
        let mut json = Vec::new();
        item.as_ref().write_json(&mut json);
        serde_json::from_slice(&json).unwrap_or_default()
    });
    parsed.collect()
}

fn prove_exercise(lesson: &Lesson, now: Timestamp, proof: &mut Proof) -> Result<(), WorldError> {
    let exercise = &lesson.exercise;
    let start = grade(&exercise.grading, &exercise.start, now)?;
    proof.answers += 1;
    if start.passed() {
        proof.add("start", "it passes already");
    }
    for (place, solution) in (1..).zip(&exercise.solutions) {
        let verdict = grade(&exercise.grading, solution, now)?;
        proof.answers += 1;
        let failed = verdict.checks.iter().filter(|check| !check.passed);
        let failed: Vec<String> = failed.map(|check| format!("{} ({})", check.name, check.text)).collect();
        if !failed.is_empty() {
            let mistake = verdict
                .diagnosis
                .map(|diagnosis| format!(" {}: {} {}", diagnosis.id, diagnosis.title, diagnosis.text));
            proof.add(
                format!("solution {place}"),
                format!("it fails: {}.{}", failed.join("; "), mistake.unwrap_or_default()),
            );
        }
    }
    for wrong in &exercise.wrong {
        let verdict = grade(&exercise.grading, &wrong.answer, now)?;
        proof.answers += 1;
        let place = format!("wrong answer of line {}", wrong.line);
        match verdict.diagnosis {
            None => proof.add(place, "it passes"),
            Some(found) if found.id != wrong.diagnosis => proof.add(
                place,
                format!("its diagnosis is `{}` ({}), not `{}`", found.id, found.title, wrong.diagnosis),
            ),
            Some(_) => {}
        }
    }
    prove_right_answers(lesson, now, proof)
}

/// The stated count, and that the hidden data change the right answer.
fn prove_right_answers(lesson: &Lesson, now: Timestamp, proof: &mut Proof) -> Result<(), WorldError> {
    let grading = &lesson.exercise.grading;
    let seen = right_answer(&grading.setup, &[], &grading.solution, now)?;
    if let Some(count) = lesson.exercise.returned
        && seen.items.len() as u64 != count
    {
        let found = seen.items.len();
        proof.add("checks", format!("the solution returns {found} items, not {count}"));
    }
    if let Some(hidden) = &grading.hidden
        && right_answer(&grading.setup, &hidden.requests, &grading.solution, now)? == seen
    {
        proof.add("hidden", "these data don't change the right answer");
    }
    Ok(())
}

/// What makes an answer right on some data: the items, the error, and what it changed.
#[derive(PartialEq, Eq)]
struct RightAnswer {
    items: Vec<String>,
    error: Option<String>,
    changes: Vec<String>,
}

fn right_answer(
    setup: &[Request],
    more: &[Request],
    solution: &[Request],
    now: Timestamp,
) -> Result<RightAnswer, WorldError> {
    let world = World::new(setup.iter().chain(more), now)?;
    let before = table_items(&Outcome { replies: Vec::new(), tables: world.tables() });
    let outcome = world.run(solution);
    let mut changes = table_items(&outcome);
    changes.retain(|item| !before.contains(item));
    Ok(RightAnswer {
        items: outcome.items().map(shown).collect(),
        error: outcome.error().map(str::to_owned),
        changes,
    })
}

fn table_items(outcome: &Outcome) -> Vec<String> {
    let tables = outcome.tables.iter();
    tables
        .flat_map(|table| table.items.iter().map(|item| format!("{} {}", table.name, shown(item))))
        .collect()
}

fn shown(item: &keyplan_grading::Item) -> String {
    let mut json = Vec::new();
    item.as_ref().write_json(&mut json);
    String::from_utf8(json).unwrap_or_default()
}
