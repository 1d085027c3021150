//! Who is let in: key pairs, certificates, and addresses that others can reach.

use std::path::{Path, PathBuf};

use crate::serving::{Serving, fails, text};

const PAIR: &str = "[default]\naws_access_key_id = AKID\naws_secret_access_key = a-secret-of-mine\n";

fn written(folder: &Path, name: &str, content: &str) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, content).expect("it can be written");
    file
}

#[test]
fn where_keys_are_named_nobody_else_is_let_in_and_no_namespace_is_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "credentials", PAIR);
    let serving = Serving::start(&["--credentials", text(&file), "--isolate", "access-key", "--control=0"]);
    let (status, answer) = serving.try_call_as("us-east-1", "AKID", "ListTables", "{}");
    assert_eq!(
        (status, &answer["__type"]),
        (400, &"com.amazon.coral.service#InvalidSignatureException".into())
    );
    assert!(!answer.to_string().contains("a-secret-of-mine"));
    // What can't be read, and what is unknown, is told before, as by the service.
    let (_, answer) = serving.try_call_as("us-east-1", "AKID", "BrewTea", "{}");
    assert_eq!(answer["__type"], "com.amazon.coral.service#UnknownOperationException");
    let state = serving.ask("GET", "/", "", "").1;
    assert_eq!(state["namespaces"], serde_json::json!([]), "{state}");
}

#[test]
fn a_file_without_pairs_is_told_with_its_line_and_never_its_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let half = PAIR.replace("aws_access_key_id", "aws_key");
    for (content, part) in [
        ("", "there is no pair in it"),
        ("[default\n", "line 1 is no section"),
        (half.as_str(), "the section of line 1 has no aws_access_key_id"),
        ("[default]\naws_secret_access_key a-secret-of-mine", "line 2 is no section"),
    ] {
        let file = written(folder.path(), "credentials", content);
        let told = fails(&["--credentials", text(&file)]);
        assert!(told.contains(part) && told.contains("credentials"), "{told}");
        assert!(!told.contains("a-secret-of-mine"), "{told}");
    }
    for (file, part) in [("missing", "can't be read"), (".", "can't be read"), ("/dev/zero", "more than")] {
        let told = fails(&["--credentials", text(&folder.path().join(file))]);
        assert!(told.contains(part) && told.contains("--credentials"), "{told}");
    }
}

#[test]
fn an_address_that_others_can_reach_needs_keys_or_a_word_that_it_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "credentials", PAIR);
    let told = fails(&["--host", "0.0.0.0", "--db", text(&folder.path().join("shop.db"))]);
    for part in ["0.0.0.0", "--credentials", "--allow-any-signature"] {
        assert!(told.contains(part), "{told}");
    }
    assert!(!folder.path().join("shop.db").exists(), "no file is made");
    let open = Serving::start(&["--host", "0.0.0.0", "--allow-any-signature"]);
    let port = open.address.rsplit(':').next().expect("a port");
    let answer =
        crate::serving::Client::to(&format!("127.0.0.1:{port}")).call("us-east-1", "any", "ListTables", "{}");
    assert_eq!(answer.expect("an answer").0, 200);
    drop(Serving::start(&["--host", "0.0.0.0", "--credentials", text(&file)]));
    drop(Serving::start(&["--host", "localhost"]));
}

#[test]
fn a_certificate_and_a_key_that_make_no_https_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = || rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let (mine, other) = (made(), made());
    let write = |name: &str, content: &str| written(folder.path(), name, content);
    let certificate = write("certificate.pem", &mine.cert.pem());
    let key = write("key.pem", &mine.signing_key.serialize_pem());
    let others_key = write("other.pem", &other.signing_key.serialize_pem());
    let empty = write("empty.pem", "");
    for (certificate, key, part) in [
        (&empty, &key, "there is no certificate"),
        (&key, &key, "there is no certificate"),
        (&certificate, &empty, "there is no private key"),
        (&certificate, &certificate, "there is no private key"),
        (&certificate, &others_key, "can't be used"),
        (&folder.path().join("missing.pem"), &key, "--tls-certificate"),
        (&certificate, &folder.path().join("missing.pem"), "--tls-key"),
    ] {
        let told = fails(&["--tls-certificate", text(certificate), "--tls-key", text(key)]);
        assert!(told.contains(part), "{told}");
    }
}
