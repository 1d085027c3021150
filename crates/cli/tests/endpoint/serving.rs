//! The command while it serves, and a client for it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio};

use serde_json::Value;

pub fn keyplan(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_keyplan"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// What the command says when it fails before it serves.
pub fn fails(arguments: &[&str]) -> String {
    let arguments = [&["serve", "--port", "0"], arguments].concat();
    let Output { status, stdout, stderr } = keyplan(&arguments).output().expect("the command runs");
    assert_eq!(status.code(), Some(1), "{arguments:?}");
    assert!(stdout.is_empty(), "it announced itself: {}", String::from_utf8_lossy(&stdout));
    let text = String::from_utf8(stderr).expect("text");
    assert_eq!(text.trim_end().lines().count(), 1, "one clear line, not:\n{text}");
    text
}

pub struct Serving {
    process: Child,
    stdout: BufReader<ChildStdout>,
    stderr: Option<ChildStderr>,
    pub address: String,
    /// There with `--control`.
    pub control: Option<String>,
}

/// How it ended.
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Serving {
    pub fn start(arguments: &[&str]) -> Serving {
        Serving::of(keyplan(&[&["serve", "--port", "0"], arguments].concat()), arguments)
    }

    /// Starts it in a shell, behind what the shell does first.
    #[cfg(target_os = "linux")]
    pub fn start_under(first: &str, arguments: &[&str]) -> Serving {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{first}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_keyplan")]);
        shell.args(["serve", "--port", "0"]).args(arguments).stdin(Stdio::null());
        Serving::of(shell, arguments)
    }

    fn of(mut command: Command, arguments: &[&str]) -> Serving {
        let mut process =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
        let mut stdout = BufReader::new(process.stdout.take().expect("a pipe"));
        let stderr = process.stderr.take();
        let mut line = |what: &str| {
            let mut line = String::new();
            stdout.read_line(&mut line).expect("a line");
            let address = line.strip_prefix(what).unwrap_or_else(|| panic!("{what:?} is not in {line:?}"));
            address.trim_end().to_owned()
        };
        let address = line("Keyplan endpoint: http://");
        let controlled = arguments.iter().any(|argument| argument.starts_with("--control"));
        let control = controlled.then(|| line("Keyplan control: http://"));
        Serving { process, stdout, stderr, address, control }
    }

    /// A call signed with a region and an access key; panics unless it is answered 200.
    pub fn call_as(&self, region: &str, key: &str, operation: &str, body: &str) -> Value {
        let (status, answer) = self.try_call_as(region, key, operation, body);
        assert_eq!(status, 200, "{operation} {body}: {answer}");
        answer
    }

    pub fn call(&self, operation: &str, body: &str) -> Value {
        self.call_as("us-east-1", "key", operation, body)
    }

    pub fn try_call(&self, operation: &str, body: &str) -> (u16, Value) {
        self.try_call_as("us-east-1", "key", operation, body)
    }

    pub fn try_call_as(&self, region: &str, key: &str, operation: &str, body: &str) -> (u16, Value) {
        Client::to(&self.address).call(region, key, operation, body).expect("an answer")
    }

    pub fn table_names(&self, region: &str, key: &str) -> Vec<String> {
        let answer = self.call_as(region, key, "ListTables", "{}");
        let names = answer["TableNames"].as_array().expect("names");
        names.iter().map(|name| name.as_str().expect("a name").to_owned()).collect()
    }

    /// A request to the control address.
    pub fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, Value) {
        let control = self.control.as_deref().expect("it was started with --control");
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {control}\r\n{headers}");
        let (status, body) = Client::to(control).exchange(&head, body).expect("an answer");
        (status, serde_json::from_slice(&body).unwrap_or_else(|_| panic!("JSON, not {body:?}")))
    }

    #[cfg(target_os = "linux")]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    pub fn kill(&mut self) {
        self.process.kill().expect("it can be killed");
        self.process.wait().expect("it ends");
    }

    pub fn signal(&self, signal: &str) {
        let told = Command::new("kill").args([signal, &self.process.id().to_string()]).status();
        assert!(told.expect("kill runs").success());
    }

    pub fn stop(self) -> Ended {
        self.signal("-TERM");
        self.wait()
    }

    /// Waits for its end.
    pub fn wait(mut self) -> Ended {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdout.read_to_string(&mut stdout).expect("text");
        self.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
        Ended { code: self.process.wait().expect("it ends").code(), stdout, stderr }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A connection that is kept.
pub struct Client(BufReader<TcpStream>);

impl Client {
    pub fn to(address: &str) -> Client {
        let stream = TcpStream::connect(address).expect("a connection is accepted");
        stream.set_nodelay(true).expect("an option");
        Client(BufReader::new(stream))
    }

    /// A signed call; nothing when the connection breaks.
    pub fn call(&mut self, region: &str, key: &str, operation: &str, body: &str) -> Option<(u16, Value)> {
        let head = format!(
            "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: AWS4-HMAC-SHA256 \
             Credential={key}/20261130/{region}/dynamodb/aws4_request, SignedHeaders=host, Signature=0\r\n\
             X-Amz-Date: 20261130T000000Z\r\nContent-Type: application/x-amz-json-1.0\r\n\
             User-Agent: tester/1.0 md/more app/suite\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n"
        );
        let (status, body) = self.exchange(&head, body)?;
        Some((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
    }

    /// Sends a request whose head lacks its length, and reads the answer.
    pub fn exchange(&mut self, head: &str, body: &str) -> Option<(u16, Vec<u8>)> {
        let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
        self.0.get_mut().write_all(request.as_bytes()).ok()?;
        let mut line = String::new();
        self.0.read_line(&mut line).ok().filter(|bytes| *bytes > 0)?;
        let status = line.split(' ').nth(1)?.parse().ok()?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).ok().filter(|bytes| *bytes > 0)?;
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(told) = line.strip_prefix("content-length: ") {
                length = told.parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).ok()?;
        Some((status, body))
    }
}

pub fn table(name: &str) -> String {
    format!(
        r#"{{"TableName":"{name}","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{{"AttributeName":"id","AttributeType":"S"}}],"KeySchema":[{{"AttributeName":"id","KeyType":"HASH"}}]}}"#
    )
}

pub fn put(table: &str, id: &str) -> String {
    format!(r#"{{"TableName":"{table}","Item":{{"id":{{"S":"{id}"}}}}}}"#)
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}
