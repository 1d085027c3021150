//! `cargo xtask test`: every check and test of the project, in the order in which they find
//! mistakes soonest. It stops at the first stage that fails.

mod count;
mod stages;

use std::time::{Duration, Instant};

use count::Count;
use stages::{STAGES, Stage};

use crate::failure::{Failure, Outcome};
use crate::place::Place;
use crate::setup;

/// What a call asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    list: bool,
    long: bool,
    stages: Vec<String>,
}

/// What each stage is handed.
struct Run<'a> {
    place: &'a Place,
    /// The suites that take long as well.
    long: bool,
}

pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    let present = STAGES.iter().filter(|stage| (stage.present)(place));
    let chosen = choose(present.collect(), &request.stages)?;
    if request.list {
        chosen.iter().for_each(|stage| println!("{:<12} {}", stage.name, stage.summary));
        return Ok(());
    }
    setup::machine()?;
    let run = Run { place, long: request.long };
    let mut total = Count::default();
    let mut times = Vec::new();
    let mut failure = None;
    for stage in &chosen {
        println!("\n== {}: {}", stage.name, stage.summary);
        let start = Instant::now();
        let mut count = Count::default();
        let outcome = (stage.run)(&run, &mut count);
        times.push((stage.name, start.elapsed(), count));
        total += count;
        if let Err(reason) = outcome {
            // A stage that counts no tests is itself what failed.
            total.failed += u64::from(count.failed == 0);
            failure = Some((stage.name, reason));
            break;
        }
    }
    print!("\n{}", report(&times));
    let outcome = match failure {
        None => Ok(()),
        Some((name, reason)) => {
            println!("\nFAILED in stage `{name}`: {reason}\nalone: cargo xtask test {name}");
            Err(Failure::new(format!("stage `{name}` failed")))
        }
    };
    println!("{} passed, {} failed", total.passed, total.failed);
    outcome
}

fn parse(arguments: &[String]) -> Outcome<Request> {
    let mut request = Request::default();
    for argument in arguments {
        match argument.as_str() {
            "--list" => request.list = true,
            "--long" => request.long = true,
            flag if flag.starts_with('-') => {
                return Err(Failure::new(format!("no such flag: {flag} (there are --list and --long)")));
            }
            stage => request.stages.push(stage.to_owned()),
        }
    }
    Ok(request)
}

/// The named stages in their usual order, or all.
fn choose<'a>(present: Vec<&'a Stage>, named: &[String]) -> Outcome<Vec<&'a Stage>> {
    if let Some(unknown) = named.iter().find(|name| present.iter().all(|stage| stage.name != **name)) {
        let names: Vec<&str> = present.iter().map(|stage| stage.name).collect();
        return Err(Failure::new(format!("no stage `{unknown}`; there are: {}", names.join(", "))));
    }
    let wanted = |stage: &&Stage| named.is_empty() || named.iter().any(|name| name == stage.name);
    Ok(present.into_iter().filter(wanted).collect())
}

fn report(times: &[(&str, Duration, Count)]) -> String {
    let mut text = String::new();
    for (name, time, count) in times {
        let counted = match count {
            Count { passed: 0, failed: 0 } => String::new(),
            Count { passed, failed: 0 } => format!("  {passed} passed"),
            Count { passed, failed } => format!("  {passed} passed and {failed} failed"),
        };
        let seconds = time.as_secs();
        text.push_str(&format!("{name:<12} {:>3} min {:02} s{counted}\n", seconds / 60, seconds % 60));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn arguments_are_read_and_a_wrong_flag_is_named() {
        let request = parse(&words(&["--long", "rust"])).expect("fine");
        assert_eq!(request, Request { list: false, long: true, stages: words(&["rust"]) });
        let refused = parse(&words(&["--fast"])).expect_err("no such flag").to_string();
        assert!(refused.contains("--fast") && refused.contains("--long"), "{refused}");
    }

    #[test]
    fn named_stages_keep_their_order_and_a_wrong_name_lists_the_right_ones() {
        let all: Vec<&Stage> = STAGES.iter().collect();
        let chosen = choose(all.clone(), &words(&["tidy", "format"])).expect("both are there");
        let names: Vec<&str> = chosen.iter().map(|stage| stage.name).collect();
        assert_eq!(names, ["format", "tidy"]);
        assert_eq!(choose(all.clone(), &[]).expect("all").len(), STAGES.len());
        let refused = choose(all, &words(&["nonsense"])).err().expect("no such stage").to_string();
        assert!(refused.contains("nonsense") && refused.contains("tidy"), "{refused}");
    }

    #[test]
    fn the_report_has_a_line_for_each_stage() {
        let count = Count { passed: 3, failed: 0 };
        let text = report(&[("rust", Duration::from_secs(75), count)]);
        assert_eq!(text, "rust           1 min 15 s  3 passed\n");
    }
}
