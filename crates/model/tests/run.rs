//! The models of the gallery do on the engine what their files say.

use std::sync::Arc;

use keyplan_engine::{Engine, EngineOptions, Timestamp};
use keyplan_model::{Cost, Difference, Model, RunError, Units};
use keyplan_store::MemoryStore;

const CUSTOMER_ORDERS: &str = include_str!("../../../content/models/customer-orders.yaml");

/// 2026-11-30T12:00:00Z.
const NOW: Timestamp = Timestamp(1_796_040_000_000);

fn engine() -> Engine {
    Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default()).expect("an empty store opens")
}

fn parsed(text: &str) -> Model {
    match Model::parse(text, "customer-orders.yaml") {
        Ok(model) => model,
        Err(error) => panic!("{error}"),
    }
}

/// The models of the gallery, by file name.
fn gallery() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../content/models");
    let mut files: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the gallery's folder")
        .map(|entry| entry.expect("a file").path())
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a model's text"))
        })
        .collect();
    files.sort();
    files
}

#[test]
fn every_model_returns_and_costs_what_it_says() {
    let files = gallery();
    assert!(!files.is_empty(), "there are models");
    for (file, yaml) in &files {
        let model = Model::parse(yaml, file).unwrap_or_else(|error| panic!("{error}"));
        let runs = model.run(NOW).unwrap_or_else(|error| panic!("{file}: {error}"));
        for run in &runs {
            assert_eq!(run.differences, [], "{file}: {}: {}", run.id, run.answer);
        }
        for pattern in model.patterns.iter().chain(model.counter_design.as_ref().map(|other| &other.pattern))
        {
            let stated = pattern.costs.read.or(pattern.costs.write);
            assert!(stated.is_some(), "{file}: {} says what it costs", pattern.id);
        }
    }
}

#[test]
fn a_stage_has_the_model_on_it_and_nothing_to_undo() {
    let model = parsed(CUSTOMER_ORDERS);
    let engine = model.design.stage(NOW).expect("the model is set up");
    assert!(model.design.set_up(&engine, NOW).is_err(), "its tables are there");
    assert!(engine.undo(NOW).expect("the store answers").is_none());
}

#[test]
fn what_a_file_gets_wrong_is_told() {
    let spoilt = CUSTOMER_ORDERS
        .replace("returns: { entities: [Order], count: 2 }", "returns: { entities: [Customer], count: 9 }")
        .replace("costs: { read: 0.5 }", "costs: { read: 2 }");
    let runs = parsed(&spoilt).run(NOW).expect("the model is set up");
    assert_eq!(
        runs[0].differences,
        [
            Difference::Count { expected: 9, found: 2 },
            Difference::Entities { expected: vec!["Customer".into()], found: vec!["Order".into()] },
            Difference::Units { of: Cost::Read, expected: Units::halves(4), found: Units::halves(1) },
        ]
    );
    assert_eq!(runs[0].differences[0].to_string(), "returned 2 items, not 9");
}

#[test]
fn a_model_is_set_up_once_on_an_engine() {
    let model = parsed(CUSTOMER_ORDERS);
    let engine = engine();
    model.design.set_up(&engine, NOW).expect("the model is set up");
    match model.design.set_up(&engine, NOW) {
        Err(RunError::Setup { request, status: 400, body }) => {
            assert_eq!(request.operation, "CreateTable");
            assert!(body.contains("ResourceInUseException"), "{body}");
        }
        other => panic!("a second set-up went through: {other:?}"),
    }
}

#[test]
fn a_refused_pattern_is_a_difference() {
    let spoilt = CUSTOMER_ORDERS.replace(
        "example: c-ines }\n      from: { example: \"2026-11-01\" }",
        "example: c-ines }\n      from: { example: \"2027\" }",
    );
    let runs = parsed(&spoilt).run(NOW).expect("the model is set up");
    assert!(
        matches!(&runs[0].differences[..], [Difference::Refused { status: 400, .. }]),
        "the lower bound is above the upper one: {:?}",
        runs[0].differences
    );
}
