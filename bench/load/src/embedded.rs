//! Libraries: programs that run one and print what each request took, by turns.

use std::process::Command;

use crate::arguments::{Arguments, ServerCommand};
use crate::measured::middle;
use crate::table::{Table, microseconds};

/// What was measured, and how long it took in each round.
type Figures = Vec<(String, Vec<f64>)>;

pub fn measure(arguments: &Arguments) -> Result<(), String> {
    let mut figures: Vec<Figures> = vec![Figures::new(); arguments.servers.len()];
    for _ in 0..arguments.rounds {
        for (program, figures) in arguments.servers.iter().zip(&mut figures) {
            run(program, figures)?;
        }
    }
    let mut headings = vec!["request".to_owned()];
    headings.extend(arguments.servers.iter().map(|program| format!("{}, µs", program.name)));
    headings.extend(arguments.servers.iter().skip(1).map(|program| format!("× {}", program.name)));
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let mut table = Table::new(&headings);
    let (first, others) = figures.split_first().ok_or("no program")?;
    for (what, times) in first {
        let own = middle(times);
        let theirs = |figures: &Figures| {
            figures.iter().find(|(other, _)| other == what).map(|(_, times)| middle(times))
        };
        let others: Vec<Option<f64>> = others.iter().map(theirs).collect();
        let mut cells = vec![what.clone(), microseconds(own)];
        cells.extend(others.iter().map(|other| other.map_or_else(String::new, microseconds)));
        let ratio =
            |other: &Option<f64>| other.map_or_else(String::new, |other| format!("{:.1}", other / own));
        cells.extend(others.iter().map(ratio));
        table.add(&cells);
    }
    table.print();
    Ok(())
}

fn run(program: &ServerCommand, figures: &mut Figures) -> Result<(), String> {
    let (path, words) = program.words.split_first().ok_or("an empty command")?;
    let output = Command::new(path).args(words).output().map_err(|error| format!("{path}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{path}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((what, time)) = line.split_once('\t') else { continue };
        let time = time.parse().map_err(|_| format!("{path} printed {line}"))?;
        match figures.iter_mut().find(|(known, _)| known == what) {
            Some((_, times)) => times.push(time),
            None => figures.push((what.to_owned(), vec![time])),
        }
    }
    Ok(())
}
