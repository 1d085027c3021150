//! What is sent to endpoints that ask who is there: signatures, certificates, the control address.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::{Half, Serving, TABLE};

const DATE: &str = "X-Amz-Date: 20261130T000000Z\r\n";

fn written(folder: &Path, name: &str, content: &str) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, content).expect("it can be written");
    file
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Headers in the place of a right signature.
fn signatures() -> Vec<(&'static str, String)> {
    let scope = "AKID/20261130/us-east-1/dynamodb/aws4_request";
    let parts = |credential: &str, signed: &str, signature: &str| {
        format!(
            "Authorization: AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={signed}, \
             Signature={signature}\r\n{DATE}"
        )
    };
    let zeros = "0".repeat(64);
    let right = || parts(scope, "host;x-amz-date", &zeros);
    vec![
        ("no signature", String::new()),
        ("an empty one", format!("Authorization:\r\n{DATE}")),
        ("another scheme", format!("Authorization: Basic QTpC\r\n{DATE}")),
        ("the scheme alone", format!("Authorization: AWS4-HMAC-SHA256\r\n{DATE}")),
        ("commas", format!("Authorization: AWS4-HMAC-SHA256 {}\r\n{DATE}", ",".repeat(8_000))),
        ("a signature of another's key", right()),
        ("an unknown key", parts("OTHER/20261130/us-east-1/dynamodb/aws4_request", "host", &zeros)),
        ("a credential of slashes", parts(&"/".repeat(8_000), "host", &zeros)),
        ("a credential without a scope", parts("AKID", "host", &zeros)),
        ("another service's scope", parts("AKID/20261130/us-east-1/s3/aws4_request", "host", &zeros)),
        ("a signature that is no number", parts(scope, "host", "tea")),
        ("a long signature", parts(scope, "host", &"f".repeat(12_000))),
        ("no signed headers", parts(scope, "", &zeros)),
        ("thousands of signed headers", parts(scope, &"host;".repeat(2_500), &zeros)),
        ("a signed header that is not there", parts(scope, "host;x-missing", &zeros)),
        ("two signatures", right() + &right()),
        ("no date", right().replace(DATE, "")),
        ("a date that is none", right().replace("20261130T000000Z", "tomorrow")),
        ("a date of no calendar", right().replace("20261130T000000Z", "99999999T999999Z")),
        ("a date long past", right().replace("20261130T000000Z", "19700101T000000Z")),
        ("two dates", right() + DATE),
        ("a token nobody gave", right() + "X-Amz-Security-Token: " + &"t".repeat(8_000) + "\r\n"),
        ("a hash of another body", right() + "X-Amz-Content-Sha256: " + &zeros + "\r\n"),
    ]
}

#[test]
fn no_signature_but_a_right_one_gets_in_or_does_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let pair = "[default]\naws_access_key_id = AKID\naws_secret_access_key = a-secret-of-mine\n";
    let file = written(folder.path(), "credentials", pair);
    let mut serving = Serving::start(&["--credentials", text(&file)]);
    let target =
        "X-Amz-Target: DynamoDB_20120810.CreateTable\r\nContent-Type: application/x-amz-json-1.0\r\n";
    let create = |headers: &str| {
        let length = TABLE.len();
        format!("POST / HTTP/1.1\r\n{{host}}{target}{headers}Content-Length: {length}\r\n")
    };
    let health = "GET /health HTTP/1.1\r\n{host}Connection: close\r\n";
    serving.weigh();
    for (name, headers) in signatures() {
        assert_eq!(serving.request(&create(&headers), TABLE), 400, "{name}");
        assert_eq!(serving.request(health, b""), 200, "the request after: {name}");
        serving.is_back(name);
    }
}

#[test]
fn who_speaks_no_tls_to_a_port_of_tls_is_let_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let certificate = written(folder.path(), "certificate.pem", &made.cert.pem());
    let key = written(folder.path(), "key.pem", &made.signing_key.serialize_pem());
    let mut serving = Serving::start(&["--tls-certificate", text(&certificate), "--tls-key", text(&key)]);
    // A hello of the length that its record says, of zeros.
    let hello = [b"\x16\x03\x01\x02\0\x01\0\x01\xFC\x03\x03".as_slice(), &[0; 505]].concat();
    let mut other_length = hello.clone();
    other_length[3..5].copy_from_slice(&[0xFF, 0xFF]);
    let sent: [(&str, Vec<u8>); 6] = [
        ("HTTP", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec()),
        ("nothing", Vec::new()),
        ("half a hello", hello[..100].to_vec()),
        ("a hello of zeros", hello.clone()),
        ("a record longer than a record can be", other_length),
        ("a megabyte of alerts", b"\x15\x03\x03\0\x02\x01\0".repeat(150_000)),
    ];
    serving.weigh();
    for (name, bytes) in sent {
        for _ in 0..20 {
            // An alert may be the answer, and is no HTTP.
            assert_eq!(serving.send(&bytes), 0, "{name}");
        }
        serving.is_back(name);
    }
    let waiting: Vec<_> = (0..200)
        .map(|_| {
            let mut stream = serving.connect();
            let _ = stream.write_all(&hello[..50]);
            stream
        })
        .collect();
    assert_eq!(serving.send(b"GET / HTTP/1.1\r\n\r\n"), 0, "others are looked at beside them");
    for stream in &waiting {
        let _ = stream.shutdown(Half::Both);
    }
    drop(waiting);
    serving.is_back("hundreds of half handshakes");
    assert!(serving.process.try_wait().expect("its state").is_none(), "it still runs");
}
