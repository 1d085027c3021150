//! The HTTP target sends what an SDK sends, and the run looks at the headers of each answer.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use keyplan_conformance::{CaseFile, HttpTarget, run};

const CASES: &str = r#"
topic: tables
about: Tables by name.
cases:
  - name: tables are listed
    source: API reference, ListTables
    request: {ListTables: {}}
    answer: {status: 200, body: {"TableNames": []}}
"#;

/// Answers one request with `answer`, and gives back what came.
fn serve_once(answer: &'static str) -> (String, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let endpoint = format!("http://{}", listener.local_addr().expect("it is bound"));
    let served = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client comes");
        let mut request = Vec::new();
        let mut buffer = [0; 1024];
        // The one request ends with its two-byte body.
        while !request.ends_with(b"\r\n\r\n{}") {
            let read = stream.read(&mut buffer).expect("the request comes");
            assert_ne!(read, 0, "the client went away");
            request.extend_from_slice(&buffer[..read]);
        }
        stream.write_all(answer.as_bytes()).expect("the answer goes");
        String::from_utf8(request).expect("a request without binary")
    });
    (endpoint, served)
}

fn report(answer: &'static str) -> (String, String) {
    let (endpoint, served) = serve_once(answer);
    let file = CaseFile::parse(CASES, "tables.yaml").expect("the case is one");
    let report = run(&[file], &mut HttpTarget::new(&endpoint));
    (report.to_string(), served.join().expect("the server ends"))
}

#[test]
fn a_good_answer_passes() {
    let (report, request) = report(
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: 17\r\n\
         x-amzn-RequestId: ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEFGHIJKLMNOP\r\n\
         x-amz-crc32: 1315925753\r\n\r\n{\"TableNames\":[]}",
    );
    assert!(report.ends_with("\n1 passed, 0 failed"), "{report}");
    let request = request.to_ascii_lowercase();
    assert!(request.starts_with("post / http/1.1\r\n"), "{request}");
    for header in [
        "x-amz-target: dynamodb_20120810.listtables\r\n",
        "content-type: application/x-amz-json-1.0\r\n",
        "authorization: aws4-hmac-sha256 credential=",
        "x-amz-date: ",
    ] {
        assert!(request.contains(header), "{header} is missing in {request}");
    }
}

#[test]
fn a_wrong_checksum_fails() {
    let (report, _) = report(
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: 17\r\n\
         x-amzn-RequestId: ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEFGHIJKLMNOP\r\n\
         x-amz-crc32: 1\r\n\r\n{\"TableNames\":[]}",
    );
    assert!(report.contains("x-amz-crc32 should be 1315925753, and is 1"), "{report}");
    assert!(report.ends_with("\n0 passed, 1 failed"), "{report}");
}

#[test]
fn an_endpoint_that_is_not_there_fails_each_case_with_its_address() {
    let unused = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let endpoint = format!("http://{}", unused.local_addr().expect("it is bound"));
    drop(unused);
    let file = CaseFile::parse(CASES, "tables.yaml").expect("the case is one");
    let report = run(&[file], &mut HttpTarget::new(&endpoint)).to_string();
    assert!(report.contains(&format!("{endpoint} does not answer")), "{report}");
}
