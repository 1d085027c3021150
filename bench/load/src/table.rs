//! Tables in Markdown, so that a run can be put into the documentation as it is.

pub struct Table {
    lines: Vec<String>,
}

impl Table {
    pub fn new(headings: &[&str]) -> Table {
        let rule = headings.iter().enumerate().map(|(at, _)| if at == 0 { "---" } else { "---:" });
        let rule: Vec<&str> = rule.collect();
        Table { lines: vec![line(headings), line(&rule)] }
    }

    pub fn add(&mut self, cells: &[String]) {
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        self.lines.push(line(&cells));
        eprintln!("{}", self.lines.last().map_or("", String::as_str));
    }

    pub fn print(&self) {
        println!("\n{}", self.lines.join("\n"));
    }
}

fn line(cells: &[&str]) -> String {
    format!("| {} |", cells.join(" | "))
}

pub fn rate(rate: f64) -> String {
    if rate < 100.0 { format!("{rate:.1}") } else { format!("{rate:.0}") }
}

pub fn microseconds(time: f64) -> String {
    if time < 100.0 { format!("{time:.1}") } else { format!("{time:.0}") }
}

pub fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
