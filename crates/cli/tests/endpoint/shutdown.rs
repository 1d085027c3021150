//! How it ends: what was accepted is answered and kept, and who doesn't want to wait signals again.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use crate::serving::{Serving, put, table, text};

/// A PutItem of which the endpoint has the head and waits for the rest: it said so.
fn begun(serving: &Serving, body: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(&serving.address).expect("a connection is accepted");
    write!(
        stream,
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\n\
         Authorization: AWS4-HMAC-SHA256 Credential=key/20261130/us-east-1/dynamodb/aws4_request, \
         SignedHeaders=host, Signature=0\r\nX-Amz-Date: 20261130T000000Z\r\n\
         X-Amz-Target: DynamoDB_20120810.PutItem\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )
    .expect("sent");
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).expect("a line");
    assert!(line.starts_with("HTTP/1.1 100"), "{line}");
    stream.read_line(&mut line).expect("the empty line behind it");
    stream
}

/// Signals, and returns when nothing new is accepted any more.
fn begin_shutdown(serving: &Serving) {
    serving.signal("-TERM");
    while TcpStream::connect(&serving.address).is_ok() {
        std::thread::yield_now();
    }
}

#[test]
fn what_was_accepted_is_answered_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("shop.db");
    let serving = Serving::start(&["--db", text(&db)]);
    serving.call("CreateTable", &table("Tab"));
    let body = put("Tab", "late");
    let mut stream = begun(&serving, &body);
    begin_shutdown(&serving);
    stream.get_mut().write_all(body.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(serving.wait().code, Some(0));

    let again = Serving::start(&["--db", text(&db)]);
    let found = again.call("GetItem", r#"{"TableName":"Tab","Key":{"id":{"S":"late"}}}"#);
    assert_eq!(found["Item"]["id"]["S"], "late");
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let serving = Serving::start(&[]);
    let _waiting = begun(&serving, "{}");
    begin_shutdown(&serving);
    serving.signal("-INT");
    let ended = serving.wait();
    assert_eq!(ended.code, Some(1), "it did not wait until it could end cleanly");
    assert!(ended.stderr.contains("a second signal"), "{}", ended.stderr);
}
