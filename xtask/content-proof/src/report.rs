//! What was proved and what was not.

/// Counts, and faults as they are found.
#[derive(Debug, Default)]
pub(crate) struct Report {
    run: usize,
    failed: usize,
}

impl Report {
    /// So many things were run.
    pub fn passed(&mut self, count: usize) {
        self.run += count;
    }

    /// Tells a fault.
    pub fn failed_at(&mut self, file: &str, text: impl AsRef<str>) {
        self.failed += 1;
        // A finding of a file's form begins with the file's name itself.
        let text = text.as_ref();
        if text.starts_with(file) { println!("{text}") } else { println!("{file}: {text}") }
    }

    /// How many faults there are.
    pub fn failed(&self) -> usize {
        self.failed
    }

    /// The last line: what a stage of the tests counts.
    pub fn summary(&self) -> String {
        format!("{} passed, {} failed", self.run.saturating_sub(self.failed), self.failed)
    }
}
