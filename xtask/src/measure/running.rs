//! A running endpoint, quiet, with a client that speaks just enough HTTP.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::failure::{Failure, Outcome, While};

pub struct Running {
    child: Child,
    pub endpoint: String,
    /// There when it was asked for.
    pub control: Option<String>,
}

impl Running {
    pub fn start(binary: &Path, arguments: &[&str]) -> Outcome<Running> {
        let shown = || format!("{} serve", binary.display());
        let mut command = Command::new(binary);
        command.args(["serve", "--port", "0"]).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().when(shown)?;
        let mut lines = child.stdout.take().map(BufReader::new);
        let mut running = Running { child, endpoint: String::new(), control: None };
        let mut address = |name: &str| -> Outcome<String> {
            let mut line = String::new();
            if let Some(lines) = &mut lines {
                lines.read_line(&mut line).when(shown)?;
            }
            let address = line.trim().strip_prefix(name).map(str::to_owned);
            address.ok_or_else(|| Failure::new(format!("`{}` printed `{}`", shown(), line.trim())))
        };
        running.endpoint = address("Keyplan endpoint: http://")?;
        if arguments.iter().any(|argument| argument.starts_with("--control")) {
            running.control = Some(address("Keyplan control: http://")?);
        }
        Ok(running)
    }

    /// Resident memory in kilobytes, and threads.
    pub fn weight(&self) -> Outcome<(u64, u64)> {
        let file = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(&file).when(|| file.clone())?;
        let figure = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.split_whitespace().next()).and_then(|word| word.parse().ok())
        };
        let missing = || Failure::new(format!("{file} does not tell VmRSS and Threads"));
        Ok((figure("VmRSS:").ok_or_else(missing)?, figure("Threads:").ok_or_else(missing)?))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is kept.
pub struct Client {
    stream: BufReader<TcpStream>,
    address: String,
}

impl Client {
    pub fn to(address: &str) -> Outcome<Client> {
        let stream = TcpStream::connect(address).when(|| address.to_owned())?;
        stream.set_nodelay(true).when(|| address.to_owned())?;
        Ok(Client { stream: BufReader::new(stream), address: address.to_owned() })
    }

    /// A signed call of an operation.
    pub fn call(&mut self, operation: &str, body: &str) -> Outcome<String> {
        let headers = format!(
            "Authorization: AWS4-HMAC-SHA256 Credential=key/20261130/us-east-1/dynamodb/aws4_request, \
             SignedHeaders=host, Signature=0\r\nX-Amz-Date: 20261130T000000Z\r\nContent-Type: \
             application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n"
        );
        self.send("/", &headers, body)
    }

    /// A POST; fails unless it is answered 200.
    pub fn send(&mut self, path: &str, headers: &str, body: &str) -> Outcome<String> {
        let address = self.address.clone();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let doing = || format!("POST {address}{path}");
        self.stream.get_mut().write_all(request.as_bytes()).when(doing)?;
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.stream.read_line(&mut head).when(doing)? == 0 {
                return Err(Failure::new(format!("{}: no answer", doing())));
            }
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut answer = vec![0; length.and_then(|length| length.parse().ok()).unwrap_or(0)];
        self.stream.read_exact(&mut answer).when(doing)?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        if head.starts_with("HTTP/1.1 200 ") {
            return Ok(answer);
        }
        Err(Failure::new(format!("{}: {answer}", doing())))
    }
}
