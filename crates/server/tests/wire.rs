//! The wire protocol, byte by byte, over real sockets.

use std::io::{Read, Write};
use std::net::{Shutdown as Half, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;

use keyplan_engine::{Engine, EngineOptions};
use keyplan_server::{AccessRules, Endpoint, EndpointOptions, EngineHandler, Shutdown, run};
use keyplan_store::MemoryStore;

const SIGNED: &str = "Authorization: AWS4-HMAC-SHA256 Credential=key/20261130/eu-west-2/dynamodb/aws4_request, \
                      SignedHeaders=host, Signature=0\r\nX-Amz-Date: 20261130T000000Z\r\n";

/// An endpoint over an empty store, stopped at the end of the test.
struct Running {
    address: SocketAddr,
    shutdown: Shutdown,
    thread: Option<JoinHandle<std::io::Result<()>>>,
}

impl Running {
    fn start(access: AccessRules) -> Running {
        let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default()).expect("an engine");
        let engine = Arc::new(engine);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let options = EndpointOptions { access, ..EndpointOptions::default() };
        let endpoint =
            Endpoint::new(listener, Arc::new(EngineHandler::new(engine)), options).expect("an endpoint");
        let shutdown = Shutdown::new();
        let stop = shutdown.clone();
        let thread = std::thread::spawn(move || run(vec![endpoint.into()], &stop));
        Running { address, shutdown, thread: Some(thread) }
    }

    /// Sends bytes as they are; gives everything that comes back until the connection ends.
    fn send(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("connected");
        stream.write_all(request).expect("sent");
        let _ = stream.shutdown(Half::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Answer::parse(&answer)
    }

    fn request(&self, line: &str, headers: &str, body: &[u8]) -> Answer {
        let head = format!(
            "{line} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n",
            self.address,
            body.len()
        );
        self.send(&[head.as_bytes(), body].concat())
    }

    fn call(&self, target: &str, body: &str) -> Answer {
        let headers =
            format!("{SIGNED}Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: {target}\r\n");
        self.request("POST /", &headers, body.as_bytes())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shutdown.begin();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server does not panic").expect("the server ran");
        }
    }
}

#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn parse(bytes: &[u8]) -> Answer {
        let end = bytes.windows(4).position(|at| at == b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Answer { status, head, body: bytes.get(end + 4..).unwrap_or_default().to_vec() }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("text")
    }
}

#[test]
fn an_answer_has_the_services_headers_and_a_checksum_that_holds() {
    let endpoint = Running::start(AccessRules::default());
    let answer = endpoint.call("DynamoDB_20120810.ListTables", "{}");
    assert_eq!((answer.status, answer.text()), (200, r#"{"TableNames":[]}"#));
    assert_eq!(answer.header("content-type"), Some("application/x-amz-json-1.0"));
    assert_eq!(answer.header("server"), Some("Server"));
    let id = answer.header("x-amzn-requestid").expect("a request id");
    assert_eq!(id.len(), 52);
    assert!(id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()));
    let crc = crc32(&answer.body).to_string();
    assert_eq!(answer.header("x-amz-crc32"), Some(crc.as_str()));
}

#[test]
fn the_content_type_of_the_request_is_answered_without_its_parameters() {
    let endpoint = Running::start(AccessRules::default());
    let headers = format!(
        "{SIGNED}Content-Type: application/json; charset=utf-8\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n"
    );
    let answer = endpoint.request("POST /", &headers, b"{}");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
}

#[test]
fn a_get_is_a_health_check() {
    let endpoint = Running::start(AccessRules::default());
    let answer = endpoint.request("GET /", "", b"");
    assert_eq!((answer.status, answer.text()), (200, "healthy: dynamodb.us-east-1.amazonaws.com "));
    assert_eq!(answer.header("x-amz-crc32"), Some("3128867991"));
}

#[test]
fn a_get_elsewhere_is_none() {
    let endpoint = Running::start(AccessRules::default());
    let answer = endpoint.request("GET /tables", "", b"");
    assert_eq!((answer.status, answer.text()), (404, "<UnknownOperationException/>\n"));
}

#[test]
fn headers_and_addresses_above_16_kb_are_refused() {
    let endpoint = Running::start(AccessRules::default());
    let call =
        format!("{SIGNED}Content-Type: application/json\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n");
    for (length, status) in [(7_000, 200), (9_000, 400)] {
        let filler = "x".repeat(length);
        let answer = endpoint.request("POST /", &format!("{call}A: {filler}\r\nB: {filler}\r\n"), b"{}");
        assert_eq!(answer.status, status, "twice {length} bytes of headers");
    }
    let address = format!("POST /?{}", "x".repeat(17_000));
    assert_eq!(endpoint.request(&address, &call, b"{}").status, 400);
}

#[test]
fn long_answers_are_compressed_as_the_client_accepts() {
    let endpoint = Running::start(AccessRules::default());
    let name = "t".repeat(255);
    for number in 0..20 {
        let table = format!("{}{number:02}", name.split_at(253).0);
        let body = format!(
            r#"{{"TableName":"{table}","BillingMode":"PAY_PER_REQUEST",
                "AttributeDefinitions":[{{"AttributeName":"id","AttributeType":"S"}}],
                "KeySchema":[{{"AttributeName":"id","KeyType":"HASH"}}]}}"#
        );
        assert_eq!(endpoint.call("DynamoDB_20120810.CreateTable", &body).status, 200);
    }
    let listed = |accepts: &str, limit: u32| {
        let headers = format!(
            "{SIGNED}Content-Type: application/json\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n\
             Accept-Encoding: {accepts}\r\n"
        );
        endpoint.request("POST /", &headers, format!(r#"{{"Limit":{limit}}}"#).as_bytes())
    };
    let plain = listed("identity", 20);
    assert_eq!(plain.header("content-encoding"), None);
    assert!(plain.body.len() > 4 * 1024, "the answer is long");
    for accepts in ["gzip", "deflate"] {
        assert_eq!(listed(accepts, 2).header("content-encoding"), None, "a short answer");
        let answer = listed(accepts, 20);
        assert_eq!(answer.header("content-encoding"), Some(accepts));
        assert!(answer.body.len() < plain.body.len() / 4, "{accepts} makes it shorter");
        // The checksum is of the bytes on the wire.
        assert_eq!(answer.header("x-amz-crc32"), Some(crc32(&answer.body).to_string().as_str()));
    }
}

#[test]
fn what_is_no_call_is_an_unknown_operation_in_xml() {
    let endpoint = Running::start(AccessRules::default());
    for (line, headers) in [
        ("PUT /", "Content-Type: application/x-amz-json-1.0\r\n"),
        ("POST /", "Content-Type: text/plain\r\n"),
        ("POST /", ""),
        ("POST /elsewhere", "Content-Type: application/x-amz-json-1.0\r\n"),
        ("OPTIONS /", ""),
    ] {
        let answer = endpoint.request(line, headers, b"{}");
        assert_eq!(
            (answer.status, answer.text()),
            (404, "<UnknownOperationException/>\n"),
            "{line} {headers}"
        );
        assert_eq!(answer.header("x-amz-crc32"), Some("3552371480"));
    }
}

#[test]
fn without_a_body_any_content_type_will_do() {
    let endpoint = Running::start(AccessRules::default());
    for headers in ["", "Content-Type: text/plain\r\n"] {
        let answer = endpoint.request("POST /", headers, b"");
        let unknown = r#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#;
        assert_eq!((answer.status, answer.text()), (400, unknown), "{headers}");
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }
}

#[test]
fn body_target_and_signature_are_looked_at_in_the_services_order() {
    let endpoint = Running::start(AccessRules::default());
    let json = "Content-Type: application/x-amz-json-1.0\r\n";
    let target = "X-Amz-Target: DynamoDB_20120810.ListTables\r\n";
    let serialization = r#"{"__type":"com.amazon.coral.service#SerializationException"}"#;
    let unknown = r#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#;
    let unsigned = r#"{"__type":"com.amazon.coral.service#MissingAuthenticationTokenException","message":"Request is missing Authentication Token"}"#;
    for (headers, body, wanted) in [
        (json.to_owned(), "not json", serialization),
        (json.to_owned(), "{}", unknown),
        (format!("{json}X-Amz-Target: DynamoDB_20120810.Nope\r\n"), "{}", unknown),
        (format!("{json}{target}"), "{}", unsigned),
        (format!("{json}{target}{SIGNED}"), "", serialization),
    ] {
        let answer = endpoint.request("POST /", &headers, body.as_bytes());
        assert_eq!((answer.status, answer.text()), (400, wanted), "{headers} {body}");
    }
}

#[test]
fn the_region_of_the_signature_stands_in_the_arn() {
    let endpoint = Running::start(AccessRules::default());
    let answer = endpoint.call(
        "DynamoDB_20120810.CreateTable",
        r#"{"TableName":"Things","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}"#,
    );
    assert!(
        answer.text().contains("arn:aws:dynamodb:eu-west-2:123456789012:table/Things"),
        "{}",
        answer.text()
    );
}

#[test]
fn a_body_above_the_limit_is_refused_before_it_is_read() {
    let endpoint = Running::start(AccessRules::default());
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: 99999999\r\n\r\n",
        endpoint.address
    );
    assert_eq!(endpoint.send(head.as_bytes()).status, 413);
}

#[test]
fn an_unknown_encoding_of_the_body_is_a_fault_as_the_service_has_it() {
    let endpoint = Running::start(AccessRules::default());
    let headers = format!(
        "{SIGNED}Content-Type: application/x-amz-json-1.0\r\nContent-Encoding: br\r\nX-Amz-Target: \
         DynamoDB_20120810.ListTables\r\n"
    );
    let answer = endpoint.request("POST /", &headers, b"{}");
    assert_eq!(answer.status, 500);
    assert!(answer.text().contains("InternalServerError"));
}

#[test]
fn pages_elsewhere_and_foreign_hosts_are_refused() {
    let endpoint = Running::start(AccessRules::default());
    let headers = format!(
        "{SIGNED}Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\nOrigin: \
         https://elsewhere.example\r\n"
    );
    let answer = endpoint.request("POST /", &headers, b"{}");
    assert_eq!(answer.status, 403);
    assert!(answer.text().contains("--allow-origin https://elsewhere.example"));
    assert_eq!(answer.header("access-control-allow-origin"), None);
    let rebound = endpoint.send(b"GET / HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n");
    assert_eq!(rebound.status, 403);
}

#[test]
fn an_allowed_page_may_ask_first_and_read_the_answer() {
    let endpoint = Running::start(AccessRules {
        allow_origins: vec!["https://app.example".to_owned()],
        ..AccessRules::default()
    });
    let origin = "Origin: https://app.example\r\n";
    let asked = endpoint.request(
        "OPTIONS /",
        &format!(
            "{origin}Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x-amz-target\r\n"
        ),
        b"",
    );
    assert_eq!((asked.status, asked.body.len()), (200, 0));
    assert_eq!(asked.header("access-control-allow-headers"), Some("x-amz-target"));
    assert_eq!(asked.header("access-control-allow-methods"), Some("POST"));
    assert_eq!(asked.header("access-control-max-age"), Some("172800"));
    let headers = format!(
        "{SIGNED}{origin}Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n"
    );
    let answer = endpoint.request("POST /", &headers, b"{}");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example"));
}

#[test]
fn bytes_that_are_no_http_end_their_connection_and_nothing_else() {
    let endpoint = Running::start(AccessRules::default());
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"[..],
        b"hello\r\n\r\n",
        b"POST / HTTP/9.9\r\n\r\n",
        b"\0\0\0\0",
    ] {
        let answer = endpoint.send(bytes);
        assert!(answer.status == 400 || answer.head.is_empty(), "{answer:?}");
    }
    assert_eq!(endpoint.call("DynamoDB_20120810.ListTables", "{}").status, 200);
}

#[test]
fn two_requests_on_one_connection_are_answered_in_order() {
    let endpoint = Running::start(AccessRules::default());
    let one = |target: &str, more: &str| {
        format!(
            "POST / HTTP/1.1\r\nHost: {}\r\n{SIGNED}Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: \
             DynamoDB_20120810.{target}\r\n{more}Content-Length: 2\r\n\r\n{{}}",
            endpoint.address
        )
    };
    let both = one("ListTables", "") + &one("Nope", "Connection: close\r\n");
    let answer = endpoint.send(both.as_bytes());
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    let first = text.find("TableNames").expect("the first answer");
    let second = text.find("UnknownOperationException").expect("the second answer");
    assert!(first < second);
}

#[test]
fn a_trace_is_answered_where_it_was_asked_for() {
    let endpoint = Running::start(AccessRules::default());
    endpoint.call(
        "DynamoDB_20120810.CreateTable",
        r#"{"TableName":"Things","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}"#,
    );
    let headers = format!(
        "{SIGNED}Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.GetItem\r\n"
    );
    let body = br#"{"TableName":"Things","Key":{"id":{"S":"a"}}}"#;
    let without = endpoint.request("POST /", &headers, body);
    assert_eq!((without.status, without.header("x-keyplan-trace")), (200, None));
    let with = endpoint.request("POST /", &format!("{headers}X-Keyplan-Trace: 1\r\n"), body);
    let trace = with.header("x-keyplan-trace").expect("a trace");
    assert!(trace.contains(r#""operation":"GetItem""#), "{trace}");
}

#[test]
fn hosts_and_origins_that_are_no_text_or_come_in_numbers_are_refused() {
    let endpoint = Running::start(AccessRules::default());
    let call = format!(
        "{SIGNED}Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: \
         DynamoDB_20120810.ListTables\r\nConnection: close\r\nContent-Length: 2\r\n"
    );
    let send = |address: &str, headers: &[u8]| {
        let line = format!("POST {address} HTTP/1.1\r\n");
        endpoint.send(&[line.as_bytes(), headers, call.as_bytes(), b"\r\n{}"].concat())
    };
    assert_eq!(send("http://localhost/", b"Host: localhost\r\n").status, 200);
    for (address, headers) in [
        ("/", &b"Host: \xff\xfe\r\n"[..]),
        ("/", b"Host: localhost\r\nHost: evil.example\r\n"),
        ("http://evil.example/", b"Host: localhost\r\n"),
        ("/", b"Host: localhost\r\nOrigin: https://evil\xff.example\r\n"),
        ("/", b"Host: localhost\r\nOrigin: http://localhost\r\nOrigin: https://evil.example\r\n"),
    ] {
        let answer = send(address, headers);
        let sent = String::from_utf8_lossy(headers);
        assert_eq!(answer.status, 403, "{address} {sent}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{address} {sent}");
    }
}

#[test]
fn a_client_that_sends_all_of_a_refused_body_gets_to_read_why() {
    let endpoint = Running::start(AccessRules::default());
    let body = vec![b' '; 40 * 1024 * 1024];
    for (line, headers, status) in [
        ("POST /", "Content-Type: application/json\r\n", 413),
        ("PUT /", "Content-Type: application/json\r\n", 404),
        ("POST /", "Content-Type: application/json\r\nOrigin: https://elsewhere.example\r\n", 403),
        ("GET /", "", 200),
    ] {
        let head = format!(
            "{line} HTTP/1.1\r\nHost: {}\r\n{headers}Connection: close\r\nContent-Length: {}\r\n\r\n",
            endpoint.address,
            body.len()
        );
        let mut stream = TcpStream::connect(endpoint.address).expect("connected");
        stream.write_all(head.as_bytes()).expect("the head is taken");
        stream.write_all(&body).unwrap_or_else(|error| panic!("{line}: the body is taken, not {error}"));
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer and an orderly end");
        assert_eq!(Answer::parse(&answer).status, status, "{line}");
    }
}

#[test]
fn who_waits_with_a_refused_body_is_told_at_once() {
    let endpoint = Running::start(AccessRules::default());
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nExpect: \
         100-continue\r\nContent-Length: 99999999\r\n\r\n",
        endpoint.address
    );
    let mut stream = TcpStream::connect(endpoint.address).expect("connected");
    stream.write_all(head.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    assert_eq!(Answer::parse(&answer).status, 413);
}

#[test]
fn connections_that_ask_nothing_give_way_to_those_that_do() {
    let endpoint = Running::start(AccessRules::default());
    // More than are served at once, each silent in its own way.
    let begun = [&b""[..], b"POST / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"];
    let silent: Vec<_> = (0..600)
        .map(|at| {
            let mut stream = TcpStream::connect(endpoint.address).expect("connected");
            stream.write_all(begun[at % begun.len()]).expect("sent");
            stream
        })
        .collect();
    assert_eq!(endpoint.call("DynamoDB_20120810.ListTables", "{}").status, 200);
    drop(silent);
    assert_eq!(endpoint.call("DynamoDB_20120810.ListTables", "{}").status, 200);
}

#[test]
fn a_shutdown_waits_for_answers_and_not_for_questions() {
    let endpoint = Running::start(AccessRules::default());
    let connect = |begun: &[u8]| {
        let mut stream = TcpStream::connect(endpoint.address).expect("connected");
        stream.write_all(begun).expect("sent");
        stream
    };
    let (mut silent, mut half) = (connect(b""), connect(b"POST / HTTP/1.1\r\nHost:"));
    let mut asking = connect(
        format!(
            "POST / HTTP/1.1\r\nHost: {}\r\n{SIGNED}Content-Type: application/json\r\nX-Amz-Target: \
             DynamoDB_20120810.ListTables\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
            endpoint.address
        )
        .as_bytes(),
    );
    let mut invited = [0; 25];
    asking.read_exact(&mut invited).expect("the body is asked for");
    assert_eq!(&invited, b"HTTP/1.1 100 Continue\r\n\r\n");
    endpoint.shutdown.begin();
    for stream in [&mut silent, &mut half] {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("an orderly end");
        assert_eq!(rest, b"", "nothing was asked");
    }
    asking.write_all(b"{}").expect("the request under way goes on");
    let mut answer = Vec::new();
    asking.read_to_end(&mut answer).expect("an answer");
    assert_eq!(Answer::parse(&answer).status, 200);
}

/// CRC-32 bit by bit, to check the other implementation.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}
