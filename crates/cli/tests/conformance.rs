//! `keyplan conformance` without an endpoint, through the real command.

use std::process::{Command, Output};

fn conformance(arguments: &[&str]) -> (String, String) {
    // Elsewhere than in the work tree: the cases are built in.
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_keyplan"))
        .arg("conformance")
        .args(arguments)
        .current_dir(std::env::temp_dir())
        .output()
        .expect("the command runs");
    let (stdout, stderr) = (String::from_utf8(stdout), String::from_utf8(stderr));
    let (stdout, stderr) = (stdout.expect("text"), stderr.expect("text"));
    assert!(status.success(), "{stderr}{stdout}");
    (stdout, stderr)
}

#[test]
fn the_engine_of_the_command_is_held_against_the_built_in_cases() {
    let (report, said) = conformance(&[]);
    assert!(report.ends_with(" passed, 0 failed\n"), "{report}");
    assert_eq!(said, "");

    let (json, _) = conformance(&["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("one JSON object");
    let topics = json["topics"].as_array().expect("topics");
    assert!(topics.iter().all(|topic| topic["failed"] == 0));
    let passed: u64 = topics.iter().filter_map(|topic| topic["passed"].as_u64()).sum();
    assert_eq!(Some(passed), json["passed"].as_u64());
    assert!(report.ends_with(&format!("{passed} passed, 0 failed\n")));
}
