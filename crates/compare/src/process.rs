//! An engine in a process of its own, which can be killed.

use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::subject::{dispatch, engine_on_file, settle};

/// The word that makes a program of this crate serve a file.
pub const SERVE: &str = "serve-file";

/// What is asked with no operation: that what is due is done.
const SETTLE: &str = "-";

/// A process with an engine on a file.
pub struct Process {
    child: Child,
    requests: BufWriter<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Process {
    /// Starts one.
    ///
    /// # Errors
    /// When the program can't be run.
    pub fn start(program: &Path, file: &Path) -> io::Result<Process> {
        let mut child = Command::new(program)
            .arg(SERVE)
            .arg(file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let missing = || io::Error::from(io::ErrorKind::BrokenPipe);
        let requests = BufWriter::new(child.stdin.take().ok_or_else(missing)?);
        let answers = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        Ok(Process { child, requests, answers })
    }

    /// Sends a request, without waiting for its answer.
    ///
    /// # Errors
    /// When the process is gone.
    pub fn tell(&mut self, now: u64, number: u64, operation: &str, body: &[u8]) -> io::Result<()> {
        writeln!(self.requests, "{now} {number} {operation}")?;
        self.requests.write_all(body)?;
        self.requests.write_all(b"\n")?;
        self.requests.flush()
    }

    /// Sends a request; gives the status and the body.
    ///
    /// # Errors
    /// When the process is gone.
    pub fn ask(&mut self, now: u64, number: u64, operation: &str, body: &[u8]) -> io::Result<(u16, String)> {
        self.tell(now, number, operation, body)?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let gone = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let (status, body) = line.trim_end().split_once(' ').ok_or_else(gone)?;
        Ok((status.parse().map_err(|_| gone())?, body.to_owned()))
    }

    /// Has it do what is due.
    ///
    /// # Errors
    /// When the process is gone.
    pub fn settle(&mut self, now: u64) -> io::Result<()> {
        self.ask(now, 0, SETTLE, b"").map(|_| ())
    }
}

/// A process doesn't outlive whoever asks it, and is not asked to end: it is killed.
impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Answers the requests on the standard input until there are no more, with the tables of a file.
///
/// # Errors
/// When the pipes break.
pub fn serve(file: &Path) -> io::Result<()> {
    let engine = engine_on_file(file);
    let (mut requests, mut answers) = (io::stdin().lock(), io::stdout().lock());
    let (mut head, mut body) = (String::new(), Vec::new());
    loop {
        head.clear();
        body.clear();
        if requests.read_line(&mut head)? == 0 {
            return Ok(());
        }
        requests.read_until(b'\n', &mut body)?;
        let mut words = head.split_whitespace();
        let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or_default();
        let (now, number) = (number(), number());
        let (status, answer) = match words.next().unwrap_or(SETTLE) {
            SETTLE => {
                settle(&engine, now);
                (200, b"{}".to_vec())
            }
            operation => dispatch(&engine, operation, body.trim_ascii_end(), now, number),
        };
        write!(answers, "{status} ")?;
        answers.write_all(&answer)?;
        answers.write_all(b"\n")?;
        answers.flush()?;
    }
}
