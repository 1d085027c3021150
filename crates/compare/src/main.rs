//! `keyplan-compare [--requests N] [--seed N]`: runs the comparison, and prints how many requests agreed.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use keyplan_compare::{Plan, SERVE, compare, serve};

const REQUESTS: u64 = 1_000_000;
const TOLD_EVERY: u64 = 100_000;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if std::env::args().nth(1).as_deref() == Some(SERVE) {
        let file = arguments.nth(1).unwrap_or_default();
        return if serve(Path::new(&file)).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let mut plan = Plan { requests: REQUESTS, seed: 1, program: std::env::current_exe().ok() };
    while let Some(argument) = arguments.next() {
        let number = arguments.next().and_then(|text| text.replace('_', "").parse().ok());
        match (argument.as_str(), number) {
            ("--requests", Some(number)) => plan.requests = number,
            ("--seed", Some(number)) => plan.seed = number,
            _ => {
                eprintln!("usage: keyplan-compare [--requests N] [--seed N]");
                return ExitCode::from(2);
            }
        }
    }
    let (began, mut told) = (Instant::now(), 0);
    let compared = compare(&plan, &mut |compared| {
        if compared >= told + TOLD_EVERY {
            told = compared;
            eprintln!("{compared} requests, no difference so far");
        }
    });
    match compared {
        Ok(compared) => {
            let seconds = began.elapsed().as_secs_f64();
            println!("{compared} compared from seed {}, no difference ({seconds:.0} s)", plan.seed);
            ExitCode::SUCCESS
        }
        Err(replay) => {
            println!("{replay}");
            ExitCode::FAILURE
        }
    }
}
