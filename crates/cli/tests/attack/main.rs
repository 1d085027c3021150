//! What hostile, careless and unlucky clients send to `keyplan serve`. After each the endpoint answers
//! the next request as if nothing had been, and its memory, threads and files are back.

mod guarded;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown as Half, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SIGNED: &str = "Authorization: AWS4-HMAC-SHA256 Credential=key/20261130/eu-west-2/dynamodb/aws4_request, \
                      SignedHeaders=host, Signature=0\r\nX-Amz-Date: 20261130T000000Z\r\nContent-Type: \
                      application/x-amz-json-1.0\r\n";

/// A client that got no answer for so long has found a request that hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the endpoint may keep of all that it was sent, together: hundreds of megabytes go through it, and the
/// system's allocator holds on to what lies between the pieces that are still needed.
#[cfg(target_os = "linux")]
const KEPT_KILOBYTES: u64 = 96 * 1024;

struct Serving {
    process: Child,
    address: String,
    /// What it weighed before anything was sent.
    #[cfg(target_os = "linux")]
    weight: [u64; 3],
}

impl Serving {
    fn start(arguments: &[&str]) -> Serving {
        let mut process = Command::new(env!("CARGO_BIN_EXE_keyplan"))
            .args(["serve", "--port", "0", "--log", "off"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command runs");
        let mut line = String::new();
        let stdout = process.stdout.as_mut().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let (_, address) = line.trim_end().split_once("://").expect("the address");
        Serving {
            address: address.to_owned(),
            process,
            #[cfg(target_os = "linux")]
            weight: [0; 3],
        }
    }

    /// What it weighs from now on is what it is to come back to.
    fn weigh(&mut self) {
        #[cfg(target_os = "linux")]
        {
            self.weight = self.weight();
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("a connection is accepted");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// Sends bytes, says no more, and gives the status of the first answer; 0 for none.
    fn send(&self, bytes: &[u8]) -> u16 {
        let mut stream = self.connect();
        // The endpoint may have seen enough before all is sent.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Half::Write);
        status(stream)
    }

    /// Sends a request, `{host}` in whose head stands for the host's header.
    fn request(&self, head: &str, body: &[u8]) -> u16 {
        let head = head.replace("{host}", &format!("Host: {}\r\n", self.address));
        self.send(&[head.as_bytes(), b"\r\n", body].concat())
    }

    /// Sends a call of an operation as it should be sent, but for its body.
    fn call(&self, operation: &str, headers: &str, body: &[u8]) -> u16 {
        let length = body.len();
        self.request(&format!("{}{headers}Content-Length: {length}\r\n", call(operation)), body)
    }

    fn still_answers(&self, after: &str) {
        assert_eq!(self.call("ListTables", "", b"{}"), 200, "the request after: {after}");
    }

    /// The next request is answered, and nothing is left behind.
    fn recovers(&self, after: &str) {
        self.still_answers(after);
        self.is_back(after);
    }

    /// Its memory, threads and files are what they were. What clients left open it has yet to notice, and threads
    /// that have nothing to do end by themselves, so it is looked at until it is so.
    #[cfg(target_os = "linux")]
    fn is_back(&self, after: &str) {
        let begun = Instant::now();
        loop {
            let now = self.weight();
            let [memory, threads, files] = [0, 1, 2].map(|at| now[at].saturating_sub(self.weight[at]));
            if memory < KEPT_KILOBYTES && threads < 32 && files < 16 {
                return;
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "after {after}: {memory} kB, {threads} threads, {files} files more than at the start"
            );
            #[expect(clippy::disallowed_methods, reason = "no event tells what a process weighs")]
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn is_back(&self, _: &str) {}

    /// Resident kilobytes, threads and open files.
    #[cfg(target_os = "linux")]
    fn weight(&self) -> [u64; 3] {
        let process = format!("/proc/{}", self.process.id());
        let text = std::fs::read_to_string(format!("{process}/status")).expect("its status");
        let figure = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
            line.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number")
        };
        let files = std::fs::read_dir(format!("{process}/fd")).expect("its files").count();
        [figure("VmRSS:"), figure("Threads:"), files as u64]
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn call(operation: &str) -> String {
    format!("POST / HTTP/1.1\r\n{{host}}{SIGNED}X-Amz-Target: DynamoDB_20120810.{operation}\r\n")
}

fn status(mut stream: TcpStream) -> u16 {
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        assert_ne!(error.kind(), std::io::ErrorKind::WouldBlock, "no answer within {PATIENCE:?}");
    }
    let line = answer.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
}

const TABLE: &[u8] = br#"{"TableName":"Things","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}"#;

/// A PutItem whose item has an attribute with this value.
fn put(value: &str) -> Vec<u8> {
    format!(r#"{{"TableName":"Things","Item":{{"id":{{"S":"a"}},"v":{value}}}}}"#).into_bytes()
}

fn filter(expression: &str) -> Vec<u8> {
    format!(
        r#"{{"TableName":"Things","FilterExpression":"{expression}","ExpressionAttributeValues":{{":v":{{"S":"x"}}}}}}"#
    )
    .into_bytes()
}

/// Heads and framings, and the status each is answered with; 0 is a connection that is just closed.
fn heads() -> Vec<(&'static str, String, u16)> {
    let list = call("ListTables");
    let with = |headers: &str| format!("{list}{headers}");
    let line = |line: &str| list.replace("POST / HTTP/1.1", line);
    let many = |count: usize| (0..count).map(|at| format!("X-{at}: a\r\n")).collect::<String>();
    vec![
        ("TLS instead of HTTP", "\x16\x03\x01\x02\0\x01\0\x01".to_owned(), 400),
        ("zeros", "\0".repeat(1000), 400),
        ("no end of the line", "A".repeat(100_000), 431),
        ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), 0),
        ("HTTP/9.9", line("POST / HTTP/9.9"), 400),
        ("HTTP/1.0", line("POST / HTTP/1.0") + "Content-Length: 2\r\n", 200),
        ("an unknown method", line("BREW / HTTP/1.1"), 404),
        ("a long method", line(&format!("{} / HTTP/1.1", "A".repeat(5000))), 404),
        ("CONNECT", line("CONNECT localhost:1 HTTP/1.1"), 404),
        ("OPTIONS *", line("OPTIONS * HTTP/1.1"), 404),
        ("HEAD", line("HEAD / HTTP/1.1"), 200),
        ("an absolute address", line("POST http://localhost/ HTTP/1.1") + "Content-Length: 2\r\n", 200),
        ("another host's address", line("POST http://evil.example/ HTTP/1.1"), 403),
        ("a long address", line(&format!("GET /{} HTTP/1.1", "a".repeat(70_000))), 414),
        ("a long header", with(&format!("X: {}\r\n", "a".repeat(2_000_000))), 431),
        ("many headers", with(&many(5_000)), 431),
        ("a folded header", with("X: a\r\n b\r\n"), 400),
        ("a space before the colon", with("X : a\r\n"), 400),
        ("a zero in a header", with("X: \0\r\n"), 400),
        ("a negative length", with("Content-Length: -1\r\n"), 400),
        ("a length beyond counting", with("Content-Length: 99999999999999999999\r\n"), 400),
        ("two lengths", with("Content-Length: 2\r\nContent-Length: 3\r\n"), 400),
        ("a length and no body", with("Content-Length: 20\r\n"), 400),
        ("a length above the limit", with("Content-Length: 99999999\r\nExpect: 100-continue\r\n"), 413),
        ("no length", with(""), 400),
        ("an expectation", with("Expect: 100-continue\r\nContent-Length: 2\r\n"), 100),
        ("an odd expectation", with("Expect: tea\r\nContent-Length: 2\r\n"), 200),
        ("an encoding that is none", with("Content-Encoding: tea\r\nContent-Length: 2\r\n"), 500),
        ("gzip that is none", with("Content-Encoding: gzip\r\nContent-Length: 2\r\n"), 500),
        ("an unknown transfer encoding", with("Transfer-Encoding: tea\r\n"), 400),
        ("a target that is none", call("\u{1F600}") + "Content-Length: 2\r\n", 400),
    ]
}

/// Chunked bodies as they are sent, and the status each is answered with.
fn chunked() -> Vec<(&'static str, Vec<u8>, u16)> {
    vec![
        ("two chunks", b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n".to_vec(), 200),
        ("a size that is no number", b"ZZ\r\n{}\r\n0\r\n\r\n".to_vec(), 400),
        ("a size beyond counting", b"FFFFFFFFFFFFFFFFF\r\n{}".to_vec(), 400),
        ("half a chunk", b"5\r\n{".to_vec(), 400),
        ("a long extension", [b"1;", "a".repeat(200_000).as_bytes(), b"\r\n{\r\n"].concat(), 400),
        (
            "trailers without end",
            [b"2\r\n{}\r\n0\r\n", "A: b\r\n".repeat(20_000).as_bytes(), b"\r\n"].concat(),
            400,
        ),
        (
            "more than the limit",
            format!("100000\r\n{}\r\n", " ".repeat(1 << 20)).repeat(17).into_bytes(),
            413,
        ),
    ]
}

/// What it is, the operation and the body, and the status of the answer.
type Case = (&'static str, (&'static str, Vec<u8>), u16);

/// Bodies, and the status each is answered with.
fn bodies() -> Vec<(&'static str, &'static str, Vec<u8>, u16)> {
    let scan = |body: &[u8]| ("Scan", body.to_vec());
    let lists = |depth: usize| format!("{}{{\"S\":\"x\"}}{}", "{\"L\":[".repeat(depth), "]}".repeat(depth));
    let nested =
        |depth: usize| [b"{\"x\":".as_slice(), &b"[".repeat(depth), &b"]".repeat(depth), b"}"].concat();
    let members: String = (0..50_000).map(|at| format!(",\"a{at}\":1")).collect();
    let names: String = (0..20_000).map(|at| format!(",\"#n{at}\":\"v\"")).collect();
    let set: Vec<_> = (0..100_000).map(|at| format!("\"{at}\"")).collect();
    let cases: Vec<Case> = vec![
        ("nothing", scan(b""), 400),
        ("a zero", scan(b"\0"), 400),
        ("a byte order mark", scan(b"\xEF\xBB\xBF{}"), 400),
        ("UTF-16", scan(b"\xFF\xFE{\0}\0"), 400),
        ("no UTF-8", scan(b"{\"TableName\":\"\xFF\"}"), 400),
        ("half a surrogate pair", scan(br#"{"TableName":"\ud800"}"#), 400),
        ("half a surrogate pair in UTF-8", scan(b"{\"TableName\":\"\xED\xA0\x80\"}"), 400),
        ("an escaped zero", scan(br#"{"TableName":"a\u0000b"}"#), 400),
        ("two documents", scan(b"{}{}"), 400),
        ("a member twice", scan(br#"{"TableName":"X","TableName":"Things"}"#), 200),
        ("a body of brackets", scan(&b"[".repeat(16 << 20)), 400),
        ("a body of braces", scan(&b"{\"a\":".repeat(3 << 20)), 400),
        ("a body of backslashes", scan(&b"\\".repeat(1 << 20)), 400),
        ("depth 1,000", scan(&nested(1_000)), 400),
        ("depth 100,000", scan(&nested(100_000)), 400),
        ("many members", scan(format!("{{\"TableName\":\"Things\"{members}}}").as_bytes()), 200),
        (
            "a number of a million digits as Limit",
            scan(format!("{{\"TableName\":\"Things\",\"Limit\":{}}}", "9".repeat(1_000_000)).as_bytes()),
            200,
        ),
        (
            "many names",
            scan(
                format!("{{\"TableName\":\"Things\",\"ExpressionAttributeNames\":{{\"#n\":\"v\"{names}}}}}")
                    .as_bytes(),
            ),
            400,
        ),
        (
            "a number of a million digits",
            ("PutItem", put(&format!("{{\"N\":\"{}\"}}", "1".repeat(1_000_000)))),
            400,
        ),
        (
            "a million leading zeros",
            ("PutItem", put(&format!("{{\"N\":\"{}1\"}}", "0".repeat(1_000_000)))),
            200,
        ),
        ("an exponent beyond counting", ("PutItem", put(r#"{"N":"1e99999999999999999999"}"#)), 400),
        ("lists 1,000 deep", ("PutItem", put(&lists(1_000))), 400),
        ("lists 50,000 deep", ("PutItem", put(&lists(50_000))), 400),
        (
            "many small elements",
            ("PutItem", put(&format!("{{\"L\":[{{\"N\":\"1\"}}{}]}}", ",{\"N\":\"1\"}".repeat(200_000)))),
            400,
        ),
        ("a set of many members", ("PutItem", put(&format!("{{\"NS\":[{}]}}", set.join(",")))), 200),
        ("an item of 8 MB", ("PutItem", put(&format!("{{\"S\":\"{}\"}}", "x".repeat(8 << 20)))), 400),
        (
            "an item just below the limit",
            ("PutItem", put(&format!("{{\"S\":\"{}\"}}", "x".repeat(409_590)))),
            200,
        ),
        ("base64 that is none", ("PutItem", put(r#"{"B":"===="}"#)), 400),
        ("an expression of parentheses", ("Scan", filter(&"(".repeat(4_096))), 400),
        ("an expression of NOT", ("Scan", filter(&format!("{}v = :v", "NOT ".repeat(1_000)))), 400),
        ("an expression of dots", ("Scan", filter(&".".repeat(4_000))), 400),
        ("a path without end", ("Scan", filter(&format!("v{} = :v", ".a".repeat(1_000)))), 400),
        ("a list index beyond counting", ("Scan", filter("v[99999999999999999999] = :v")), 400),
        ("a null table", scan(br#"{"TableName":null}"#), 400),
        ("a table that is a list", scan(br#"{"TableName":[[[]]]}"#), 400),
    ];
    cases.into_iter().map(|(name, (operation, body), status)| (name, operation, body, status)).collect()
}

/// What it is, and what does it.
type Behaviour<'a> = (&'static str, Box<dyn Fn() + 'a>);

/// What clients do to their connections.
fn behaviours(serving: &Serving) -> Vec<Behaviour<'_>> {
    let head = |operation: &str, length: usize| {
        let host = format!("Host: {}\r\n", serving.address);
        format!("{}Content-Length: {length}\r\n\r\n", call(operation).replace("{host}", &host))
    };
    let scan = move || head("Scan", 22) + r#"{"TableName":"Things"}"#;
    vec![
        (
            "hundreds that connect and say nothing",
            Box::new(|| {
                let silent: Vec<_> = (0..700).map(|_| serving.connect()).collect();
                serving.still_answers("while they are connected");
                drop(silent);
            }),
        ),
        (
            "many that leave in the middle of a head",
            Box::new(|| (0..100).for_each(|_| _ = serving.connect().write_all(b"POST / HTTP/1.1\r\nHo"))),
        ),
        (
            "many that promise a body and send a byte of it",
            Box::new(move || {
                let begun: Vec<_> = (0..100)
                    .map(|_| {
                        let mut stream = serving.connect();
                        let _ = stream.write_all((head("PutItem", 16 << 20) + "{").as_bytes());
                        stream
                    })
                    .collect();
                serving.still_answers("while they are waited for");
                drop(begun);
            }),
        ),
        (
            "many requests at once, and nobody who reads the answers",
            Box::new(move || {
                let deaf: Vec<_> = (0..50)
                    .map(|_| {
                        let mut stream = serving.connect();
                        let _ = stream.write_all(scan().repeat(20).as_bytes());
                        stream
                    })
                    .collect();
                serving.still_answers("while nobody reads");
                drop(deaf);
            }),
        ),
        (
            "many that ask and are gone",
            Box::new(move || (0..100).for_each(|_| _ = serving.connect().write_all(scan().as_bytes()))),
        ),
        (
            "large bodies from many at once",
            Box::new(move || {
                let body = " ".repeat(16 << 20);
                std::thread::scope(|scope| {
                    for _ in 0..24 {
                        scope.spawn(|| serving.send((head("ListTables", body.len()) + &body).as_bytes()));
                    }
                });
            }),
        ),
        (
            "a body that inflates to a hundred times the limit",
            Box::new(|| {
                let bomb = gzip(&b"\0".repeat(64 << 20));
                assert_eq!(serving.call("ListTables", "Content-Encoding: gzip\r\n", &bomb), 413);
            }),
        ),
        (
            "a body of thousands of empty gzip members",
            Box::new(|| {
                let body = gzip(b"").repeat(20_000);
                assert_eq!(serving.call("ListTables", "Content-Encoding: gzip\r\n", &body), 400);
            }),
        ),
    ]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}

#[test]
fn whatever_is_sent_the_next_request_is_answered_and_nothing_is_left_behind() {
    let mut serving = Serving::start(&[]);
    assert_eq!(serving.call("CreateTable", "", TABLE), 200);
    serving.weigh();
    let serving = serving;

    for (name, head, status) in heads() {
        assert_eq!(serving.request(&head, b"{}"), status, "{name}");
        serving.recovers(name);
    }
    for (name, body, status) in chunked() {
        let head = call("ListTables") + "Transfer-Encoding: chunked\r\n";
        assert_eq!(serving.request(&head, &body), status, "{name}");
        serving.recovers(name);
    }
    for (name, operation, body, status) in bodies() {
        assert_eq!(serving.call(operation, "", &body), status, "{name}");
        serving.recovers(name);
    }
    for (name, act) in behaviours(&serving) {
        act();
        serving.recovers(name);
    }
}
