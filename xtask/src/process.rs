//! Running other programs: shown before they run, with an error that names them.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::{env, io};

use crate::failure::{Failure, Outcome, While};

/// What a program said, whether it ended well or not.
pub struct Answer {
    pub is_success: bool,
    pub printed: String,
    pub complained: String,
}

/// A program with its arguments, not yet run.
pub struct Program {
    command: Command,
    shown: String,
}

impl Program {
    pub fn new(name: impl AsRef<OsStr>) -> Self {
        let name = name.as_ref();
        let mut command = Command::new(name);
        // `cargo run` describes the xtask package to its child; a nested cargo must not see that.
        for (variable, _) in env::vars_os() {
            if describes_a_package(&variable) {
                command.env_remove(&variable);
            }
        }
        let shown = Path::new(name).file_name().unwrap_or(name).to_string_lossy().into_owned();
        Self { command, shown }
    }

    /// The cargo that runs this program.
    pub fn cargo() -> Self {
        Self::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
    }

    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.shown.push(' ');
        self.shown.push_str(&argument.as_ref().to_string_lossy());
        self.command.arg(argument);
        self
    }

    pub fn args<A: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = A>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Gives it no variable at all but the search path.
    pub fn without_environment(mut self) -> Self {
        self.command.env_clear();
        if let Some(path) = env::var_os("PATH") {
            self.command.env("PATH", path);
        }
        self
    }

    pub fn dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Shows the command, runs it with its output going to the terminal, and fails if it does.
    pub fn run(mut self) -> Outcome {
        self.show();
        let status = self.command.stdin(Stdio::null()).status();
        self.judge(status)
    }

    /// As [`Program::run`], and hands each line that it prints to `see` on its way.
    pub fn run_reading(mut self, mut see: impl FnMut(&str)) -> Outcome {
        self.show();
        // One pipe for both, so that lines keep their order.
        let (reader, writer) = io::pipe().when(|| self.cannot_start())?;
        let second = writer.try_clone().when(|| self.cannot_start())?;
        self.command.stdin(Stdio::null()).stdout(writer).stderr(second);
        if !io::stdout().is_terminal() {
            self.command.env("NO_COLOR", "1");
        }
        let mut child = self.command.spawn().when(|| self.cannot_start())?;
        // The command holds the pipe's writing end, whose closing ends the reading.
        self.command = Command::new("");
        let mut lines = BufReader::new(reader);
        let mut line = Vec::new();
        let mut out = io::stdout().lock();
        while lines.read_until(b'\n', &mut line).when(|| self.shown.clone())? > 0 {
            // A closed terminal is no reason to end the program half-way.
            let _ = out.write_all(&line);
            if !line.ends_with(b"\n") {
                let _ = out.write_all(b"\n");
            }
            see(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
        drop(out);
        let status = child.wait();
        self.judge(status)
    }

    /// Starts it with its standard output for the caller to read; returns how it was called, too.
    pub fn start(mut self) -> Outcome<(Child, String)> {
        self.show();
        let child = self.command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        Ok((child.when(|| self.cannot_start())?, self.shown))
    }

    /// Runs it unseen and returns its standard output; what it wrote to standard error becomes
    /// part of the failure.
    pub fn output(mut self) -> Outcome<String> {
        let output = self.command.stdin(Stdio::null()).output();
        let output = output.when(|| self.cannot_start())?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(Failure::new(format!("`{}` failed: {}", self.shown, said.trim())))
    }

    /// Runs it unseen and returns all that it said, for programs whose failure is an answer.
    pub fn answer(mut self) -> Outcome<Answer> {
        let output = self.command.stdin(Stdio::null()).output();
        let output = output.when(|| self.cannot_start())?;
        Ok(Answer {
            is_success: output.status.success(),
            printed: String::from_utf8_lossy(&output.stdout).into_owned(),
            complained: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Hands the terminal over to the program for good, so that a signal sent to this process
    /// reaches the program itself.
    pub fn become_it(mut self) -> Outcome {
        #[cfg(unix)]
        {
            let error = std::os::unix::process::CommandExt::exec(&mut self.command);
            Err(error).when(|| self.cannot_start())
        }
        #[cfg(not(unix))]
        {
            let status = self.command.status();
            self.judge(status)
        }
    }

    fn show(&self) {
        println!("  $ {}", self.shown);
        let _ = io::stdout().flush();
    }

    fn cannot_start(&self) -> String {
        format!("cannot start `{}`", self.shown)
    }

    fn judge(&self, status: io::Result<ExitStatus>) -> Outcome {
        let status = status.when(|| self.cannot_start())?;
        if status.success() {
            return Ok(());
        }
        Err(Failure::new(format!("`{}` ended with {status}", self.shown)))
    }
}

fn describes_a_package(variable: &OsStr) -> bool {
    variable.to_str().is_some_and(|name| {
        name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name == "OUT_DIR"
    })
}

/// Where a program stands, looked up on the PATH.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .flat_map(|folder| [folder.join(name), folder.join(format!("{name}.exe"))])
        .find(|file| file.is_file())
}
