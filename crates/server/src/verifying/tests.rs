//! Requests that botocore 1.44.8 signed at 12:36 on 30 August 2015, as they are and spoilt.

use super::*;
use hyper::Request;

const NOW: Timestamp = Timestamp(1_440_938_160_000);
const MINUTE: u64 = 60_000;
const BODY: &[u8] = br#"{"TableName":"Things"}"#;

const PLAIN: &str = "AWS4-HMAC-SHA256 Credential=AKID/20150830/eu-west-2/dynamodb/aws4_request, \
    SignedHeaders=content-type;host;x-amz-date;x-amz-target;x-spaces, \
    Signature=e2b4fa0aeff85e6b7217271318edc98c98823acd1c76936706b107e04f030392";
const WITH_TOKEN: &str = "AWS4-HMAC-SHA256 Credential=AKID/20150830/eu-west-2/dynamodb/aws4_request, \
    SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target;x-spaces, \
    Signature=45be504b71fbd7c98354e4e76e3ab2ae82a97528a8b3b80f2646f27704132f90";
const QUERY: &str = "/?b=%20x&a=2&TableName=Things&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKID%2F20150830%2F\
    eu-west-2%2Fdynamodb%2Faws4_request&X-Amz-Date=20150830T123600Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=content-type\
    %3Bhost%3Bx-amz-target%3Bx-spaces&X-Amz-Security-Token=to%2Fken%3D%3D&X-Amz-Signature=\
    b8cbae10e7ddfc5c0306ba439fa9f8abcad6ff4b1fb251737320f9b0f052020a";

fn credentials(token: &str) -> Credentials {
    let file = format!(
        "[default]\naws_access_key_id = AKID\naws_secret_access_key = se/cr+et\naws_session_token = {token}\n\
         [other]\naws_access_key_id = OTHER\naws_secret_access_key = other\n"
    );
    Credentials::parse(&file).expect("a file")
}

/// A request as it is sent, with headers of these values; a header without a value is not sent.
fn head(address: &str, headers: &[(&str, &str)]) -> Parts {
    let usual = [
        ("host", "localhost:8000"),
        ("content-type", "application/x-amz-json-1.0"),
        ("x-amz-target", "DynamoDB_20120810.Scan"),
        ("x-spaces", "a  b"),
        ("user-agent", "signed by nobody"),
    ];
    let mut request = Request::post(address);
    for (name, value) in usual.iter().chain(headers) {
        let is_last = headers.iter().all(|(other, given)| other != name || given == value);
        if is_last && !value.is_empty() {
            request = request.header(*name, *value);
        }
    }
    request.body(()).expect("a request").into_parts().0
}

fn signed_with(authorization: &str, headers: &[(&str, &str)]) -> Parts {
    let mut all = vec![("authorization", authorization), ("x-amz-date", "20150830T123600Z")];
    all.retain(|(name, _)| headers.iter().all(|(other, _)| other != name));
    all.extend(headers);
    head("/", &all)
}

fn check(head: &Parts, body: &[u8], token: &str, now: Timestamp) -> Result<(), SignatureFault> {
    verify(head, &digest(body), &credentials(token), now)
}

#[test]
fn what_was_signed_with_the_key_stands() {
    assert_eq!(check(&signed_with(PLAIN, &[]), BODY, "", NOW), Ok(()));
    let token = ("x-amz-security-token", "to/ken==");
    assert_eq!(check(&signed_with(WITH_TOKEN, &[token]), BODY, "to/ken==", NOW), Ok(()));
    assert_eq!(check(&head(QUERY, &[]), b"", "to/ken==", NOW), Ok(()));
    let shuffled = PLAIN.replace("content-type;host;x-amz-date", "Host;x-amz-date;Content-Type");
    assert_eq!(
        check(&signed_with(&shuffled, &[]), BODY, "", NOW),
        Ok(()),
        "the order of headers says nothing"
    );
    let capitals = PLAIN.replace("e2b4fa0aeff8", "E2B4FA0AEFF8");
    assert_eq!(check(&signed_with(&capitals, &[]), BODY, "", NOW), Ok(()), "nor the case of digits");
}

#[test]
fn whatever_is_changed_afterwards_is_no_longer_signed() {
    let is_mismatch = |head: &Parts, body: &[u8], token: &str| {
        let found = check(head, body, token, NOW);
        matches!(found, Err(SignatureFault::Mismatch { .. }))
    };
    assert!(is_mismatch(&signed_with(PLAIN, &[]), b"{}", ""), "the body");
    for changed in [
        ("host", "127.0.0.1:8000"),
        ("x-amz-target", "DynamoDB_20120810.DeleteTable"),
        ("x-amz-date", "20150830T123601Z"),
        ("x-spaces", "ab"),
        ("x-spaces", ""),
    ] {
        assert!(is_mismatch(&signed_with(PLAIN, &[changed]), BODY, ""), "{changed:?}");
    }
    for (from, to) in
        [("eu-west-2", "eu-west-1"), ("30392", "30393"), ("e2b4", "zzzz"), ("e2b4", "e2b"), ("AKID", "OTHER")]
    {
        let changed = PLAIN.replace(from, to);
        assert!(is_mismatch(&signed_with(&changed, &[]), BODY, ""), "{to}");
    }
    for (from, to) in [("a=2", "a=3"), ("?b=%20x", "?b=x"), ("b=%20x&", ""), ("=3600", "=7200")] {
        let changed = QUERY.replace(from, to);
        assert_ne!(changed, QUERY);
        assert!(is_mismatch(&head(&changed, &[]), b"", "to/ken=="), "{to}");
    }
    let unsigned_payload = ("x-amz-content-sha256", "UNSIGNED-PAYLOAD");
    assert_eq!(
        check(&signed_with(PLAIN, &[unsigned_payload]), BODY, "", NOW),
        Ok(()),
        "no header of the signature"
    );
    assert!(is_mismatch(&signed_with(PLAIN, &[unsigned_payload]), b"{}", ""), "a body is never left out");
}

#[test]
fn clocks_may_be_a_quarter_of_an_hour_apart() {
    let at = |now: u64| check(&signed_with(PLAIN, &[]), BODY, "", Timestamp(now));
    assert_eq!(at(NOW.0 + 15 * MINUTE), Ok(()));
    assert_eq!(at(NOW.0 - 15 * MINUTE), Ok(()));
    let signed = "20150830T123600Z".to_owned();
    let now = Timestamp(NOW.0 + 15 * MINUTE + 1);
    assert_eq!(at(now.0), Err(SignatureFault::Expired { signed: signed.clone(), now }));
    let now = Timestamp(NOW.0 - 15 * MINUTE - 1);
    assert_eq!(at(now.0), Err(SignatureFault::NotYetCurrent { signed, now }));
    let sent = "Sun, 30 Aug 2015 12:36:00 GMT";
    let head = signed_with(PLAIN, &[("x-amz-date", ""), ("date", sent)]);
    assert_eq!(check(&head, BODY, "", NOW), Err(SignatureFault::Date { sent: sent.to_owned() }));
}

#[test]
fn what_is_signed_for_something_else_is_told_so() {
    let found = |from: &str, to: &str| {
        check(&signed_with(&PLAIN.replace(from, to), &[]), BODY, "", NOW).expect_err("refused")
    };
    assert_eq!(
        found("AWS4-HMAC-SHA256", "AWS4-HMAC-MD5"),
        SignatureFault::Algorithm { sent: "AWS4-HMAC-MD5".to_owned() }
    );
    assert_eq!(found("host;", ""), SignatureFault::HeaderNotSigned { header: "'Host' or ':authority'" });
    assert_eq!(found("x-amz-target;", ""), SignatureFault::HeaderNotSigned { header: "'X-Amz-Target'" });
    let credential = "AKID/20150830/eu-west-2/dynamodb".to_owned();
    assert_eq!(found("/aws4_request", ""), SignatureFault::CredentialParts { credential });
    let wrong = ScopeFault {
        region: Some("<b>".to_owned()),
        service: true,
        terminator: Some("aws3".to_owned()),
        date: Some(("20150829".to_owned(), "20150830T123600Z".to_owned())),
    };
    let scope = found("20150830/eu-west-2/dynamodb/aws4_request", "20150829/<b>/s3/aws3");
    assert_eq!(scope, SignatureFault::Scope(wrong));
}

#[test]
fn an_unknown_key_or_token_is_told_as_such() {
    let unknown = Err(SignatureFault::Unknown);
    assert_eq!(check(&signed_with(&PLAIN.replace("AKID", "NOBODY"), &[]), BODY, "", NOW), unknown);
    assert_eq!(check(&signed_with(PLAIN, &[]), BODY, "to/ken==", NOW), unknown, "its token is missing");
    let token = ("x-amz-security-token", "to/ken=");
    assert_eq!(check(&signed_with(WITH_TOKEN, &[token]), BODY, "to/ken==", NOW), unknown);
    assert_eq!(check(&signed_with(PLAIN, &[token]), BODY, "", NOW), unknown, "a token where none belongs");
}

/// The engine takes the region and the key from the first parameter of that very spelling.
#[test]
fn a_parameter_in_another_spelling_is_not_the_one_that_counts() {
    let other = "/?X%2DAmz-Credential=OTHER%2F20150830%2Feu-west-2%2Fdynamodb%2Faws4_request&";
    let found = check(&head(&QUERY.replace("/?", other), &[]), b"", "to/ken==", NOW);
    assert!(matches!(found, Err(SignatureFault::Mismatch { .. })), "{found:?}");
}
