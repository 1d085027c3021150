//! Connections that always have one request under way, all on one thread.
//!
//! The client shares the processors with the server, so it does as little as it can: requests are written
//! from one buffer, answers are looked through for their length and what must stand in them.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token};

use crate::workload::Workload;

/// What a client without a real identity sends; no server here checks it.
const AUTHORIZATION: &str = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261130/us-east-1/dynamodb/aws4_request, \
    SignedHeaders=content-type;host;x-amz-date;x-amz-target, \
    Signature=2bfc0f9fabc0ef6a2b1d2ab3a7f9a3a4e8f9f5a7ddc2d6d9b5c33a5f8d6f0a11";

/// How long an answer may take.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(120);

/// A request, written.
pub fn write_request(out: &mut Vec<u8>, address: SocketAddr, operation: &str, body: &[u8]) {
    out.clear();
    let head = format!(
        "POST / HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/x-amz-json-1.0\r\n\
         x-amz-target: DynamoDB_20120810.{operation}\r\nx-amz-date: 20261130T120000Z\r\n\
         authorization: {AUTHORIZATION}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(body);
}

/// An answer's status and where its body lies, once it is whole.
fn whole(answer: &[u8]) -> Option<(u16, std::ops::Range<usize>)> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(answer.get(..end)?).ok()?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length: usize = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    })?;
    (answer.len() >= end + length).then_some((status, end..end + length))
}

/// One request, waited for. Gives the body of a success.
pub fn call(stream: &mut TcpStream, operation: &str, body: &[u8]) -> Result<Vec<u8>, String> {
    let address = stream.peer_addr().map_err(|error| error.to_string())?;
    let mut request = Vec::new();
    write_request(&mut request, address, operation, body);
    stream.write_all(&request).map_err(|error| format!("{operation}: {error}"))?;
    let (mut answer, mut buffer) = (Vec::new(), vec![0; 256 * 1024]);
    loop {
        if let Some((status, body)) = whole(&answer) {
            let body = answer.get(body).unwrap_or_default().to_vec();
            return match status {
                200 => Ok(body),
                _ => Err(format!("{operation}: {status} {}", String::from_utf8_lossy(&body))),
            };
        }
        match stream.read(&mut buffer) {
            Ok(0) => return Err(format!("{operation}: the connection was closed")),
            Ok(read) => answer.extend_from_slice(&buffer[..read]),
            Err(error) => return Err(format!("{operation}: {error}")),
        }
    }
}

pub fn connect(address: SocketAddr) -> Result<TcpStream, String> {
    let stream = TcpStream::connect(address).map_err(|error| format!("{address}: {error}"))?;
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    stream.set_read_timeout(Some(ANSWER_TIME_MAX)).map_err(|error| error.to_string())?;
    Ok(stream)
}

/// What a round of load came to.
#[derive(Debug, Default, Clone)]
pub struct Round {
    pub operations: u64,
    pub elapsed: Duration,
    /// Of each operation.
    pub latencies: Vec<Duration>,
}

struct Connection {
    stream: mio::net::TcpStream,
    answer: Vec<u8>,
    began: Instant,
}

/// Runs `workload` on `connections` connections for `time`.
pub fn load(
    address: SocketAddr,
    connections: usize,
    time: Duration,
    workload: &mut dyn Workload,
) -> Result<Round, String> {
    let mut poll = Poll::new().map_err(|error| error.to_string())?;
    let mut open = Vec::new();
    let mut request = Vec::new();
    for key in 0..connections {
        let stream = connect(address)?;
        stream.set_nonblocking(true).map_err(|error| error.to_string())?;
        let mut stream = mio::net::TcpStream::from_std(stream);
        let registered = poll.registry().register(&mut stream, Token(key), Interest::READABLE);
        registered.map_err(|error| error.to_string())?;
        open.push(Connection { stream, answer: Vec::new(), began: Instant::now() });
    }
    let mut round = Round::default();
    let start = Instant::now();
    for (key, connection) in open.iter_mut().enumerate() {
        workload.next(key, None, address, &mut request);
        send(connection, &request)?;
    }
    let (mut events, mut buffer) = (Events::with_capacity(256), vec![0; 1024 * 1024]);
    while start.elapsed() < time {
        poll.poll(&mut events, Some(ANSWER_TIME_MAX)).map_err(|error| error.to_string())?;
        if events.is_empty() {
            return Err(format!("{}: no answer", workload.name()));
        }
        for event in events.iter() {
            let Token(key) = event.token();
            let Some(connection) = open.get_mut(key) else { continue };
            receive(connection, &mut buffer)?;
            let Some((status, body)) = whole(&connection.answer) else { continue };
            let body = connection.answer.get(body).unwrap_or_default();
            if status != 200 || !workload.is_right(body) {
                let body: String = String::from_utf8_lossy(body).chars().take(400).collect();
                return Err(format!("{}: {status} {body}", workload.name()));
            }
            if workload.next(key, Some(body), address, &mut request) {
                round.operations += 1;
                round.latencies.push(connection.began.elapsed());
                connection.began = Instant::now();
            }
            connection.answer.clear();
            send(connection, &request)?;
        }
    }
    round.elapsed = start.elapsed();
    Ok(round)
}

fn receive(connection: &mut Connection, buffer: &mut [u8]) -> Result<(), String> {
    // It is told once that there is something, so all of it is taken.
    loop {
        match connection.stream.read(buffer) {
            Ok(0) => return Err("the connection was closed".to_owned()),
            Ok(read) => {
                connection.answer.extend_from_slice(buffer.get(..read).unwrap_or_default());
                if read < buffer.len() {
                    return Ok(());
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn send(connection: &mut Connection, request: &[u8]) -> Result<(), String> {
    let mut rest = request;
    while !rest.is_empty() {
        match connection.stream.write(rest) {
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            // Requests are smaller than the socket's buffer, which the server empties.
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::yield_now(),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}
