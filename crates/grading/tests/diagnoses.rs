//! Each general mistake is made once, and named.

use keyplan_engine::Timestamp;
use keyplan_grading::{
    CheckKind, Checks, Exercise, Request, ReturnedCheck, Rule, Variant, Verdict, general_diagnoses, grade,
    read_requests,
};

const NOW: Timestamp = Timestamp(1_780_000_000_000);

fn request(operation: &str, body: &str) -> Request {
    Request { target: format!("DynamoDB_20120810.{operation}"), body: body.to_owned() }
}

fn put(shelf: &str, jar: &str, more: &str) -> Request {
    request(
        "PutItem",
        &format!(
            r#"{{"TableName":"Jars","Item":{{"shelf":{{"S":"{shelf}"}},"jar":{{"S":"{jar}"}}{more}}}}}"#
        ),
    )
}

/// Two shelves of jars, with an index by what is in them. One jar weighs more than a block.
fn setup() -> Vec<Request> {
    let table = r#"{"TableName":"Jars","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"shelf","AttributeType":"S"},
            {"AttributeName":"jar","AttributeType":"S"},{"AttributeName":"fruit","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"shelf","KeyType":"HASH"},{"AttributeName":"jar","KeyType":"RANGE"}],
        "GlobalSecondaryIndexes":[{"IndexName":"ByFruit","Projection":{"ProjectionType":"ALL"},
            "KeySchema":[{"AttributeName":"fruit","KeyType":"HASH"},{"AttributeName":"jar","KeyType":"RANGE"}]}]}"#;
    let label = format!(r#","fruit":{{"S":"plum"}},"label":{{"S":"{}"}}"#, "x".repeat(4_200));
    vec![
        request("CreateTable", table),
        put("top", "a1", r#","fruit":{"S":"quince"},"spoons":{"N":"3"}"#),
        put("top", "a2", r#","fruit":{"S":"fig"}"#),
        put("top", "a3", r#","fruit":{"S":"quince"}"#),
        put("low", "b1", &label),
    ]
}

fn query(rest: &str) -> Request {
    request("Query", &format!(r#"{{"TableName":"Jars",{rest}}}"#))
}

const OF_TOP: &str =
    r#""KeyConditionExpression":"shelf = :s","ExpressionAttributeValues":{":s":{"S":"top"}}"#;

/// Asks for all of the top shelf, in order.
fn reading() -> Exercise {
    Exercise {
        setup: setup(),
        hidden: Some(Variant {
            when: "a fourth jar stands there".to_owned(),
            requests: vec![put("top", "a0", r#","fruit":{"S":"pear"}"#)],
        }),
        solution: vec![query(OF_TOP)],
        checks: Checks {
            returned: Some(ReturnedCheck { order: Some("By jar".to_owned()), attributes: Vec::new() }),
            read_halves: Some(1),
            examined: Some(3),
            ..Checks::default()
        },
        rules: Vec::new(),
    }
}

/// Takes one out of jar a1, if there is one.
fn writing() -> Exercise {
    let update = r#"{"TableName":"Jars","Key":{"shelf":{"S":"top"},"jar":{"S":"a1"}},
        "UpdateExpression":"SET spoons = spoons - :one","ConditionExpression":"spoons >= :one",
        "ExpressionAttributeValues":{":one":{"N":"1"}}}"#;
    Exercise {
        setup: setup(),
        hidden: Some(Variant {
            when: "the jar is empty".to_owned(),
            requests: vec![put("top", "a1", r#","fruit":{"S":"quince"},"spoons":{"N":"0"}"#)],
        }),
        solution: vec![request("UpdateItem", update)],
        checks: Checks { table: Some("Jar a1 afterwards".to_owned()), ..Checks::default() },
        rules: Vec::new(),
    }
}

fn graded(exercise: &Exercise, answer: &[Request]) -> Verdict {
    grade(exercise, answer, NOW).unwrap_or_else(|error| panic!("{error}"))
}

fn mistake(exercise: &Exercise, answer: &[Request]) -> String {
    let verdict = graded(exercise, answer);
    verdict.diagnosis.map_or_else(|| "none".to_owned(), |diagnosis| diagnosis.id)
}

#[test]
fn solutions_pass_and_their_receipts_come_along() {
    for exercise in [reading(), writing()] {
        let verdict = graded(&exercise, &exercise.solution);
        assert!(verdict.passed(), "{:?} {:?}", verdict.checks, verdict.diagnosis);
        let (requests, outcome) = verdict.solution.expect("it passed");
        assert_eq!(requests, exercise.solution);
        assert_eq!(outcome.replies.len(), 1);
    }
}

#[test]
fn mistakes_of_a_read_are_named() {
    let get = |jar: &str| {
        let key = format!(r#"{{"TableName":"Jars","Key":{{"shelf":{{"S":"top"}},"jar":{{"S":"{jar}"}}}}}}"#);
        request("GetItem", &key)
    };
    let filtered = r#"{"TableName":"Jars","FilterExpression":"shelf = :s","ExpressionAttributeValues":{":s":{"S":"top"}}}"#;
    let nothing = r#""KeyConditionExpression":"shelf = :s","ExpressionAttributeValues":{":s":{"S":"tip"}}"#;
    let from = r#""KeyConditionExpression":"shelf = :s AND jar > :j","ExpressionAttributeValues":{":s":{"S":"top"},":j":{"S":"a1"}}"#;
    let low = r#""KeyConditionExpression":"shelf = :s","ExpressionAttributeValues":{":s":{"S":"low"}}"#;
    let with = |member: &str| query(&format!("{OF_TOP},{member}"));
    for (answer, id) in [
        (vec![request("Query", "{")], "refused"),
        (vec![], "no-request"),
        (vec![query(nothing)], "nothing-returned"),
        (vec![with(r#""ProjectionExpression":"shelf, jar""#)], "attributes-lacking"),
        (vec![with(r#""Limit":2"#)], "stopped-early"),
        (vec![query(from)], "items-missing"),
        (vec![query(OF_TOP), query(low)], "items-extra"),
        (vec![with(r#""ScanIndexForward":false"#)], "wrong-order"),
        (vec![request("Scan", filtered)], "filter-did-the-work"),
        (vec![with(r#""ConsistentRead":true"#)], "read-strongly"),
        (vec![get("a1"), get("a2"), get("a3")], "read-in-pieces"),
        (vec![with(r#""Limit":3"#)], "value-written-in"),
    ] {
        assert_eq!(mistake(&reading(), &answer), id, "{answer:?}");
    }
    let mut narrow = reading();
    narrow.checks.requests = Some(1);
    narrow.checks.read_halves = None;
    assert_eq!(mistake(&narrow, &[get("a1"), get("a2"), get("a3")]), "too-many-requests");
    narrow.checks.operations = vec!["Query".to_owned()];
    assert_eq!(mistake(&narrow, &[request("Scan", filtered)]), "other-operation");
}

#[test]
fn what_a_refused_request_did_not_spend_passes_no_check() {
    let verdict = graded(&reading(), &[request("Query", "{")]);
    for check in &verdict.checks {
        if matches!(check.kind, CheckKind::Read | CheckKind::Examined) {
            assert_eq!((check.passed, check.text.as_str()), (false, "refused"), "{}", check.name);
        }
    }
    let hidden = verdict.checks.iter().find(|check| check.kind == CheckKind::Hidden).expect("there is one");
    assert!(!hidden.text.contains("units"), "{}", hidden.text);
}

#[test]
fn an_index_that_would_do_is_pointed_at() {
    let of_fig = r#""KeyConditionExpression":"fruit = :f","ExpressionAttributeValues":{":f":{"S":"fig"}}"#;
    let mut exercise = reading();
    exercise.solution = vec![query(&format!(r#""IndexName":"ByFruit",{of_fig}"#))];
    exercise.checks.examined = Some(1);
    let scan = r#"{"TableName":"Jars","FilterExpression":"fruit = :f","ExpressionAttributeValues":{":f":{"S":"fig"}}}"#;
    let diagnosis = graded(&exercise, &[request("Scan", scan)]).diagnosis.expect("it failed");
    assert_eq!(diagnosis.title, "Right items, but 4 were read to return 1: a filter did the work.");
    assert!(diagnosis.text.contains("ByFruit"), "{}", diagnosis.text);
}

#[test]
fn mistakes_of_a_write_are_named() {
    let update = |more: &str| {
        let key = r#""Key":{"shelf":{"S":"top"},"jar":{"S":"a1"}}"#;
        request("UpdateItem", &format!(r#"{{"TableName":"Jars",{key},{more}}}"#))
    };
    let to_two = r#""UpdateExpression":"SET spoons = :two""#;
    for (answer, id) in [
        (update(to_two), "refused"),
        (put("top", "a1", r#","spoons":{"N":"2"}"#), "attribute-lost"),
        (put("top", "a1", r#","fruit":{"S":"quince"},"spoons":{"N":"1"}"#), "attribute-wrong"),
        (
            put("top", "a1", r#","fruit":{"S":"quince"},"spoons":{"N":"2"},"lid":{"S":"x"}"#),
            "attribute-extra",
        ),
        (put("top", "a1", r#","fruit":{"S":"quince"},"spoons":{"N":"2"}"#), "condition-missing"),
    ] {
        assert_eq!(mistake(&writing(), std::slice::from_ref(&answer)), id, "{answer:?}");
    }
    let anything = r#""ConditionExpression":"spoons <> :two","ExpressionAttributeValues":{":two":{"N":"2"}}"#;
    assert_eq!(mistake(&writing(), &[update(&format!("{to_two},{anything}"))]), "condition-lets-through");
    let mut counted = writing();
    counted.hidden = Some(Variant {
        when: "more is left".to_owned(),
        requests: vec![put("top", "a1", r#","fruit":{"S":"quince"},"spoons":{"N":"9"}"#)],
    });
    assert_eq!(mistake(&counted, &[update(&format!("{to_two},{anything}"))]), "value-written-in");
    let elsewhere = put("top", "a9", "");
    assert_eq!(mistake(&writing(), &[writing().solution.remove(0), elsewhere]), "item-not-asked-for");
}

#[test]
fn a_rule_of_the_exercise_goes_before_the_general_mistakes() {
    let mut exercise = reading();
    exercise.rules = vec![Rule {
        id: "a-scan".to_owned(),
        title: "A Scan.".to_owned(),
        text: "Look again.".to_owned(),
        operation: Some("Scan".to_owned()),
        has: vec!["FilterExpression".to_owned()],
        lacks: vec!["Limit".to_owned()],
        fails: Some(CheckKind::Examined.word().to_owned()),
        ..Rule::default()
    }];
    let scan = |more: &str| {
        let body = r#"{"TableName":"Jars","FilterExpression":"shelf = :s","ExpressionAttributeValues":{":s":{"S":"top"}}"#;
        request("Scan", &format!("{body}{more}}}"))
    };
    assert_eq!(mistake(&exercise, &[scan("")]), "a-scan");
    assert_ne!(mistake(&exercise, &[scan(r#","Limit":10"#)]), "a-scan");
}

#[test]
fn an_exercise_and_an_answer_travel_as_json() {
    let mut exercise = writing();
    exercise.checks = reading().checks;
    exercise.checks.operations = vec!["UpdateItem".to_owned()];
    exercise.checks.ignore = vec!["seen".to_owned()];
    exercise.rules = vec![Rule { id: "r".to_owned(), contains: vec!["<".to_owned()], ..Rule::default() }];
    let json = exercise.to_json();
    let back = Exercise::from_json(json.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(back, exercise);
    let answer = br#"[{"target":"DynamoDB_20120810.Scan","body":{"TableName":"Jars"}},
        {"target":"DynamoDB_20120810.Scan","body":"{\"TableName\":"}]"#;
    let answer = read_requests(answer).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(answer, [request("Scan", r#"{"TableName":"Jars"}"#), request("Scan", r#"{"TableName":"#)]);
    for bad in ["{", "[]]", "{}", r#"[{"target":"x"}]"#, r#"[{"body":{}}]"#] {
        assert!(read_requests(bad.as_bytes()).is_err(), "{bad}");
        assert!(Exercise::from_json(bad.as_bytes()).is_err(), "{bad}");
    }
}

#[test]
fn a_verdict_is_json_with_receipts() {
    let verdict = graded(&reading(), &[query(OF_TOP)]);
    let json: serde_json::Value = serde_json::from_str(&verdict.to_json()).expect("JSON");
    assert_eq!(json["passed"], true);
    assert_eq!(json["receipts"][0]["status"], 200);
    assert_eq!(json["receipts"][0]["trace"]["units"]["read"], 0.5);
    assert_eq!(json["solution"]["requests"][0]["target"], "DynamoDB_20120810.Query");
    let names: Vec<&str> =
        json["checks"].as_array().into_iter().flatten().filter_map(|check| check["name"].as_str()).collect();
    assert_eq!(
        names,
        ["The 3 items", "By jar", "At most 3 items read", "At most 0.5 read units", "Hidden data"]
    );
    let failed = graded(&reading(), &[]).to_json();
    let failed: serde_json::Value = serde_json::from_str(&failed).expect("JSON");
    assert_eq!((&failed["passed"], failed.get("solution")), (&serde_json::json!(false), None));
}

#[test]
fn ids_of_general_diagnoses_are_different() {
    let mut ids: Vec<&str> = general_diagnoses().collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}
