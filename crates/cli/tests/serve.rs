//! `keyplan serve`, through the real command.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};

fn keyplan(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_keyplan"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn fails(arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = keyplan(arguments).output().expect("the command runs");
    assert!(!status.success(), "{arguments:?} should fail");
    assert!(stdout.is_empty(), "{arguments:?} printed {}", String::from_utf8_lossy(&stdout));
    let text = String::from_utf8(stderr).expect("text");
    assert_eq!(text.trim_end().lines().count(), 1, "one clear line, not:\n{text}");
    text
}

struct Serving {
    process: Child,
    address: String,
}

impl Serving {
    fn start(arguments: &[&str]) -> Serving {
        let mut process = keyplan(&[&["serve", "--port", "0"], arguments].concat())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command runs");
        let mut line = String::new();
        let stdout = process.stdout.as_mut().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line
            .strip_prefix("Keyplan endpoint: http://")
            .unwrap_or_else(|| panic!("the first line was {line:?}"))
            .trim_end()
            .to_owned();
        Serving { process, address }
    }

    fn get(&self) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("connected");
        write!(stream, "GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address)
            .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    fn stop(mut self, signal: &str) -> Option<i32> {
        let told =
            Command::new("kill").args([signal, &self.process.id().to_string()]).status().expect("kill runs");
        assert!(told.success());
        self.process.wait().expect("it ends").code()
    }
}

#[test]
fn the_first_line_says_where_it_listens_and_signals_stop_it_cleanly() {
    for signal in ["-TERM", "-INT"] {
        let serving = Serving::start(&[]);
        assert!(serving.get().contains("healthy: dynamodb."));
        assert_eq!(serving.stop(signal), Some(0), "{signal}");
    }
}

#[test]
fn a_taken_port_is_one_clear_line() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let text = fails(&["serve", "--port", &port]);
    assert!(text.contains(&format!("port {port} on 127.0.0.1 is taken")), "{text}");
    assert!(text.contains("--port 0"), "{text}");
}

#[test]
fn files_that_can_not_be_used_are_one_clear_line_and_stay_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let foreign = folder.path().join("notes.txt");
    std::fs::write(&foreign, "these are notes, not tables\n".repeat(100)).expect("written");
    let before = std::fs::read(&foreign).expect("read");
    let text = fails(&["serve", "--port", "0", "--db", foreign.to_str().expect("a path")]);
    assert!(text.contains("is not a Keyplan database"), "{text}");
    assert_eq!(std::fs::read(&foreign).expect("read"), before);

    let nowhere = folder.path().join("no/such/folder/shop.db");
    let text = fails(&["serve", "--port", "0", "--db", nowhere.to_str().expect("a path")]);
    assert!(text.contains("name a file in a folder that exists"), "{text}");
}

#[test]
fn a_file_that_is_open_elsewhere_is_refused_and_free_again_afterwards() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("shop.db");
    let file = file.to_str().expect("a path");
    let first = Serving::start(&["--db", file]);
    let text = fails(&["serve", "--port", "0", "--db", file]);
    assert!(text.contains("is open elsewhere"), "{text}");
    assert_eq!(first.stop("-TERM"), Some(0));
    let again = Serving::start(&["--db", file]);
    assert_eq!(again.stop("-TERM"), Some(0));
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left, ["shop.db"], "a clean stop leaves exactly one file");
}

#[test]
fn a_bad_flag_says_in_one_line_what_is_wrong_and_where_help_is() {
    for (arguments, said) in [
        (&["serve", "--prot", "1"][..], &["--prot", "--port", "--help"][..]),
        (&["serve", "--port", "many"], &["'many'", "--port", "--help"]),
        (&["serve", "--port", "70000"], &["70000", "--port", "65535", "--help"]),
        (&["sevre"], &["sevre", "serve", "--help"]),
        (&["serve", "--allow-origin", "app.example"], &["app.example", "https://app.example", "--help"]),
        (&["serve", "--isolate", "colour"], &["colour", "region", "access-key", "--help"]),
        (&["site"], &["--out", "--help"]),
    ] {
        let Output { status, .. } = keyplan(arguments).output().expect("the command runs");
        assert_eq!(status.code(), Some(2), "{arguments:?}");
        let text = fails(arguments);
        for part in said {
            assert!(text.contains(part), "{arguments:?}: {text}");
        }
    }
}

#[test]
fn a_reader_that_went_away_is_no_failure() {
    let mut process =
        keyplan(&["completions", "bash"]).stdout(Stdio::piped()).spawn().expect("the command runs");
    drop(process.stdout.take());
    assert!(process.wait().expect("it ends").success());
}

#[test]
fn licences_names_whose_work_it_is() {
    let Output { status, stdout, .. } = keyplan(&["licences"]).output().expect("the command runs");
    let text = String::from_utf8(stdout).expect("text");
    assert!(status.success() && text.contains("* hyper ") && text.contains("Permission is hereby granted"));
}
