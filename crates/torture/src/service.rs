//! Who answers: an endpoint, over a connection that is kept, or an engine in this process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use keyplan_engine::{Authentication, Call, Engine, Timestamp, shapes};
use serde_json::Value;

/// Whatever answers requests.
pub trait Service: Send {
    /// Sends a request; gives the status and the body, or nothing where no answer came.
    fn call(&mut self, operation: &str, body: &str) -> Option<(u16, Value)>;
}

/// What stands in front of an operation's name.
fn prefix(operation: &str) -> &'static str {
    let known = shapes::operations().iter().find(|known| known.name == operation);
    known.map_or(shapes::Service::DynamoDb, |known| known.service).prefix()
}

/// A connection to an endpoint.
pub struct Connection(BufReader<TcpStream>);

impl Connection {
    /// Connects to a host and port.
    ///
    /// # Errors
    /// When nobody accepts.
    pub fn to(address: &str) -> std::io::Result<Connection> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Connection(BufReader::new(stream)))
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.0.read_line(&mut line).ok().filter(|bytes| *bytes > 0)?;
        Some(line)
    }
}

impl Service for Connection {
    fn call(&mut self, operation: &str, body: &str) -> Option<(u16, Value)> {
        let request = format!(
            "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: AWS4-HMAC-SHA256 \
             Credential=key/20261130/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0\r\n\
             X-Amz-Date: 20261130T000000Z\r\nContent-Type: application/x-amz-json-1.0\r\n\
             X-Amz-Target: {}{operation}\r\nContent-Length: {}\r\n\r\n{body}",
            prefix(operation),
            body.len()
        );
        self.0.get_mut().write_all(request.as_bytes()).ok()?;
        let status = self.line()?.split(' ').nth(1)?.parse().ok()?;
        let mut length = 0;
        loop {
            let line = self.line()?.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(told) = line.strip_prefix("content-length: ") {
                length = told.parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).ok()?;
        Some((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
    }
}

/// An engine in this process.
#[derive(Clone)]
pub struct Embedded {
    engine: Arc<Engine>,
    calls: Arc<AtomicU64>,
}

impl Embedded {
    /// One that callers may share.
    pub fn new(engine: Arc<Engine>) -> Embedded {
        Embedded { engine, calls: Arc::default() }
    }

    /// Does a part of what is due.
    ///
    /// # Errors
    /// When the store fails.
    pub fn step(&self) -> Result<(), String> {
        /// How many entries one step may touch.
        const BUDGET: u32 = 64;
        self.engine.step(now(), BUDGET).map(drop).map_err(|error| error.to_string())
    }
}

/// The moment.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or_default())
}

impl Service for Embedded {
    fn call(&mut self, operation: &str, body: &str) -> Option<(u16, Value)> {
        let reply = self.engine.dispatch(&Call {
            target: Some(&format!("{}{operation}", prefix(operation))),
            authentication: Authentication::NotRequired { region: "us-east-1" },
            body: body.as_bytes(),
            now: now(),
            random: u128::from(self.calls.fetch_add(1, Ordering::Relaxed)),
            trace: false,
        });
        Some((reply.status, serde_json::from_slice(&reply.body).unwrap_or(Value::Null)))
    }
}
