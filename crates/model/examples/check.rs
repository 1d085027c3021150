//! Checks model files: reads each, asks every pattern, and tells what is not as the file says.
//! `cargo run -p keyplan-model --example check -- content/models/*.yaml`

use std::process::ExitCode;

use keyplan_engine::Timestamp;
use keyplan_model::Model;

/// 2026-11-30T12:00:00Z.
const NOW: Timestamp = Timestamp(1_796_040_000_000);

fn main() -> ExitCode {
    let mut good = true;
    for file in std::env::args().skip(1) {
        let checked = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"));
        if let Err(told) = checked.and_then(|yaml| check(&yaml, &file)) {
            good = false;
            println!("{told}");
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn check(yaml: &str, file: &str) -> Result<(), String> {
    let model = Model::parse(yaml, file).map_err(|error| error.to_string())?;
    let runs = model.run(NOW).map_err(|error| format!("{file}: {error}"))?;
    let mut wrong = String::new();
    for run in &runs {
        println!(
            "{file}: {}: {} returned, {} read units, {} write units",
            run.id,
            run.count,
            run.read_units(),
            run.write_units()
        );
        for difference in &run.differences {
            wrong.push_str(&format!("{file}: {}: {difference}\n", run.id));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}
