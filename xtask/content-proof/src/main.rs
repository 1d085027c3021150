//! The proof of what stands under `content/`: each step of a lesson gives what its text says, each
//! exercise fails at its start and passes with its solutions, recorded wrong answers get their diagnosis,
//! each pattern of a model returns and costs what the model states, and links lead somewhere.
//!
//! `content-proof [--content DIR] [WORD...]`: all of it, or the files whose names hold one of the words.
//! With `--record FILE`, what the engine answers natively is written there instead, for the browser's tests.

mod files;
mod links;
mod record;
mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use keyplan_course::{Course, Lesson, prove};
use keyplan_engine::Timestamp;
use keyplan_model::Model;
use keyplan_site::{Assets, Content, Site};

use crate::files::{TextFile, yaml_files};
use crate::report::Report;

/// The proof's time: fixed, so that two runs say the same.
const NOW: Timestamp = Timestamp(1_780_000_000_000);

/// What a call asks for.
struct Request {
    content: PathBuf,
    record: Option<PathBuf>,
    words: Vec<String>,
}

fn main() -> ExitCode {
    let outcome = arguments().and_then(|request| match &request.record {
        Some(file) => record(&request.content, file).map(|()| true),
        None => Ok(prove_files(&request)),
    });
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("content-proof: {message}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<Request, String> {
    let mut request = Request { content: PathBuf::from("content"), record: None, words: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--content" => request.content = arguments.next().ok_or("--content needs a folder")?.into(),
            "--record" => request.record = Some(arguments.next().ok_or("--record needs a file")?.into()),
            flag if flag.starts_with('-') => {
                return Err(format!("no such flag: {flag} (there are --content DIR and --record FILE)"));
            }
            word => request.words.push(word.to_owned()),
        }
    }
    Ok(request)
}

fn record(content: &Path, file: &Path) -> Result<(), String> {
    let files = yaml_files(&content.join("course"));
    let lessons = files.iter().map(|file| Lesson::parse(&file.text, &file.name));
    let lessons = lessons.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    record::write(file, &lessons, NOW)
}

/// Whether all of it is as stated.
fn prove_files(request: &Request) -> bool {
    let Request { content, words, .. } = request;
    let wanted =
        |file: &&TextFile| words.is_empty() || words.iter().any(|word| file.name.contains(word.as_str()));
    let mut report = Report::default();
    let (lesson_files, model_files) =
        (yaml_files(&content.join("course")), yaml_files(&content.join("models")));
    for file in lesson_files.iter().filter(wanted) {
        prove_lesson(file, &mut report);
    }
    for file in model_files.iter().filter(wanted) {
        prove_model(file, &mut report);
    }
    if words.is_empty() && report.failed() == 0 {
        prove_whole(&lesson_files, &model_files, &mut report);
    }
    println!("{}", report.summary());
    report.failed() == 0
}

fn prove_lesson(file: &TextFile, report: &mut Report) {
    match Lesson::parse(&file.text, &file.name) {
        Err(error) => report.failed_at(&file.name, error.to_string()),
        Ok(lesson) => {
            let proof = prove(&lesson, NOW);
            report.passed(proof.steps + proof.answers);
            let words = lesson.text.split_whitespace().count();
            println!("{}: {} steps, {} answers, {words} words", file.name, proof.steps, proof.answers);
            for fault in proof.faults {
                report.failed_at(&file.name, fault.to_string());
            }
        }
    }
}

fn prove_model(file: &TextFile, report: &mut Report) {
    let model = match Model::parse(&file.text, &file.name) {
        Ok(model) => model,
        Err(error) => return report.failed_at(&file.name, error.to_string()),
    };
    match model.run(NOW) {
        Err(error) => report.failed_at(&file.name, error.to_string()),
        Ok(runs) => {
            println!("{}: {} patterns", file.name, runs.len());
            report.passed(runs.len());
            for run in runs {
                for difference in run.differences {
                    report.failed_at(&file.name, format!("{}: {difference}", run.id));
                }
            }
        }
    }
}

/// What can only be said of everything together: the lessons' order, and the links.
fn prove_whole(lessons: &[TextFile], models: &[TextFile], report: &mut Report) {
    let (lessons, models) = (borrowed(lessons), borrowed(models));
    let parsed = models.iter().filter_map(|(file, yaml)| Model::parse(yaml, file).ok());
    let parsed: Vec<Model> = parsed.collect();
    let course = match Course::parse(&lessons) {
        Ok(course) => course,
        Err(error) => return report.failed_at("course", error.to_string()),
    };
    match Site::build(&Content { models: &models, lessons: &lessons, ..Content::default() }, Assets::none()) {
        Ok(site) => links::prove(&course, &parsed, &site, report),
        Err(error) => report.failed_at("site", error.to_string()),
    }
}

fn borrowed(files: &[TextFile]) -> Vec<(&str, &str)> {
    files.iter().map(|file| (file.name.as_str(), file.text.as_str())).collect()
}
