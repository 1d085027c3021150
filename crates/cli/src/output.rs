//! What a command prints.

use std::io::Write;

/// Prints text at once, also where stdout is a pipe that someone waits on. Who closed the pipe wants
/// no more of it, which is no failure of the command.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Says something on stderr, in one line.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "keyplan: {text}");
}
