//! Every fault is told with its place, what is wrong and what to do.

use keyplan_model::{Model, limits};

/// A small good model; each test spoils one place of it.
const GOOD: &str = r#"keyplan: 1
title: Ski passes
question: Which lifts has this pass used?
category: leisure
summary: Each pass is a partition.
tables:
  Lifts: { key: { partition: pk, sort: sk } }
  Counts: { key: { partition: { n: N } } }
entities:
  Pass: { table: Lifts, key: { pk: "PASS#<passId>", sk: "PASS" }, attributes: { owner: S, paid: BOOL } }
  Ride: { table: Lifts, key: { pk: "PASS#<passId>", sk: "RIDE#<at>" }, attributes: { lift: S, height: N, with: SS } }
  Count: { table: Counts, key: { n: "<n>" } }
patterns:
  rides:
    question: Which lifts has this pass used?
    operation: Query
    table: Lifts
    where: { pk: "PASS#<passId>", sk: { begins_with: "RIDE#" } }
    parameters: { passId: { example: p-1 } }
    returns: { entities: [Ride], count: 1 }
    costs: { read: 0.5 }
  one:
    question: Which ride was this?
    operation: GetItem
    entity: Ride
    parameters: { passId: { example: p-1 }, at: { example: "09:14" } }
items:
  - Pass: { passId: p-1, owner: Rosa, paid: true }
  - Ride: { passId: p-1, at: "09:14", lift: north, height: 2450.5, with: [p-2] }
  - Count: { n: 7 }
traffic:
  rides: { average: 3/s }
notes:
  - { kind: why, title: Time in the key, text: It sorts. }
"#;

/// The findings for the good model with `from` replaced by `to`.
fn findings(from: &str, to: &str) -> String {
    assert_eq!(GOOD.matches(from).count(), 1, "`{from}` must stand once in the good model");
    match Model::parse(&GOOD.replace(from, to), "passes.yaml") {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_good_model_is_good() {
    let model = Model::parse(GOOD, "passes.yaml").unwrap();
    assert_eq!(model.design.items.len(), 3);
    assert_eq!(
        serde_json::Value::Object(model.design.items[1].attributes.clone()).to_string(),
        r#"{"pk":{"S":"PASS#p-1"},"sk":{"S":"RIDE#09:14"},"lift":{"S":"north"},"height":{"N":"2450.5"},"with":{"SS":["p-2"]}}"#
    );
    assert_eq!(model.design.items[2].attributes["n"]["N"], "7");
}

#[test]
fn each_fault_has_its_place_its_words_and_a_remedy() {
    let mut wrong = String::new();
    for (from, to, told) in [
        (
            "patterns:\n",
            "pattens:\n",
            "passes.yaml:13:1: unknown member `pattens`\n  Did you mean `patterns`?",
        ),
        ("keyplan: 1", "keyplan: 2", "1:10: this file's form is version 2"),
        ("category: leisure", "category: a b", "4:11: `a b` can't name anything here"),
        ("title: Ski passes\n", "", "1:1: the member `title` is missing\n  Add `title:`."),
        ("title: Ski passes", "title: [Ski]", "2:8: a text is expected here, not a list"),
        ("title: Ski passes", "title:", "2:6: a text is expected here, not nothing"),
        ("  Lifts: {", "  L: {", "7:3: `L` is no table name"),
        (
            "Lifts: { key: { partition: pk, sort: sk } }",
            "Lifts: { kee: { partition: pk } }",
            "7:12: unknown member `kee`\n  Did you mean `key`?",
        ),
        (
            "{ partition: { n: N } }",
            "{ partition: { n: M } }",
            "8:36: S or N, the types of a model's keys, is expected",
        ),
        (
            "{ partition: { n: N } }",
            "{ partition: { n: N, m: N } }",
            "a name such as pk, or a name and its type",
        ),
        (
            "Pass: { table: Lifts",
            "Pass: { table: Lift",
            "10:18: unknown table `Lift`\n  Did you mean `Lifts`?",
        ),
        ("sk: \"PASS\"", "sort: \"PASS\"", "unknown key attribute `sort`\n  Known here: pk, sk."),
        ("sk: \"PASS\"", "sort: \"PASS\"", "10:3: the key has no `sk`, which table `Lifts` needs"),
        ("\"RIDE#<at>\"", "\"RIDE#<at\"", "11:57: a `<` of the template is not closed"),
        ("\"RIDE#<at>\"", "\"RIDE#at>\"", "a `>` of the template closes nothing"),
        (
            "n: \"<n>\"",
            "n: \"N#<n>\"",
            "12:37: `n` is a number, so its template must be a single name or a number",
        ),
        (
            "attributes: { owner: S,",
            "attributes: { owner: T,",
            "unknown word `T`\n  Known here: S, N, B, BOOL, NULL, SS, NS, BS, L, M.",
        ),
        ("attributes: { owner: S,", "attributes: { owner: S, pk: S,", "`pk` is part of the key already"),
        (
            "attributes: { owner: S,",
            "attributes: { owner: S, passId: L,",
            "`passId` is a list (L), which can't be part of a key's text",
        ),
        ("operation: Query", "operation: Querry", "16:16: unknown word `Querry`\n  Did you mean `Query`?"),
        (
            "    table: Lifts\n    where: { pk: \"PASS#<passId>\"",
            "    table: Lifts\n    where: { pk: \"PASS#<passID>\"",
            "18:18: unknown parameter `passID`\n  Did you mean `passId`?",
        ),
        (
            "parameters: { passId: { example: p-1 } }",
            "parameters: { passId: { example: p-1 }, day: { example: x } }",
            "19:45: no part of the pattern uses `day`",
        ),
        (
            "where: { pk: \"PASS#<passId>\", sk",
            "where: { sk",
            "18:12: the partition key `pk` must be given one value",
        ),
        ("begins_with:", "begin_with:", "unknown word `begin_with`\n  Did you mean `begins_with`?"),
        (
            "{ begins_with: \"RIDE#\" }",
            "{ between: [\"RIDE#\"] }",
            "a list of two templates, lower bound first",
        ),
        (
            "    entity: Ride\n",
            "    entity: Rides\n",
            "25:13: unknown entity `Rides`\n  Did you mean `Ride`?",
        ),
        ("    entity: Ride\n", "    entity: Ride\n    limit: 3\n", "26:12: a GetItem has no `limit`"),
        (
            "    operation: Query\n    table: Lifts\n",
            "    operation: Query\n    table: Lifts\n    limit: 0\n",
            "18:12: a limit of 0 is out of range",
        ),
        ("    entity: Ride\n", "", "22:3: a GetItem needs `entity`"),
        ("entities: [Ride]", "entities: [Count]", "20:27: entity `Count` does not stand in table `Lifts`"),
        ("count: 1 }", "count: one }", "20:41: `one` is no whole number"),
        ("read: 0.5", "read: 0.3", "21:20: `0.3` is no number of capacity units"),
        (
            "- Pass: { passId: p-1, owner: Rosa",
            "- Passs: { passId: p-1, owner: Rosa",
            "28:5: unknown entity `Passs`\n  Did you mean `Pass`?",
        ),
        (
            "- Pass: { passId: p-1, owner: Rosa",
            "- Pass: { owner: Rosa",
            "28:5: the key of `Pass` needs `passId`, which this item doesn't give",
        ),
        ("owner: Rosa", "owned: Rosa", "unknown attribute `owned`\n  Did you mean `owner`?"),
        ("owner: Rosa", "owner: [Rosa]", "`owner` is a text (S), but this is a list\n  Write a text."),
        (
            "paid: true",
            "paid: \"true\"",
            "`paid` is true or false (BOOL), but this is a text\n  Write true or false.",
        ),
        ("height: 2450.5", "height: high", "`height` is a number, but `high` is none"),
        ("with: [p-2]", "with: []", "`with` is a set of texts (SS), but this is an empty list"),
        ("with: [p-2]", "with: [p-2, p-2]", "the set `with` holds a value twice"),
        ("- Count: { n: 7 }", "- Count: { n: seven }", "30:17: `n` is a number, but `seven` is none"),
        (
            "- Count: { n: 7 }",
            "- Count: { n: 7 }\n  - Count: { n: 7.0 }",
            "31:5: this item has the same key as the one at 30:5",
        ),
        (
            "sk: \"PASS\"",
            "sk: \"RIDE#<passId>\"",
            "28:5: this item's key reads as well as `Ride` as it does as `Pass`",
        ),
        (
            "  rides: { average: 3/s }",
            "  rdes: { average: 3/s }",
            "32:3: unknown pattern `rdes`\n  Did you mean `rides`?",
        ),
        (
            "average: 3/s",
            "average: 3",
            "32:21: `3` is no rate\n  Write a number of requests per s, min, h or day",
        ),
        ("kind: why", "kind: reason", "unknown word `reason`"),
        ("  one:\n", "  rides:\n", "22:3: `rides` stands here a second time; the first is at 14:3"),
        ("title: Ski passes", "title: \"Ski", "this is not YAML:"),
        ("title: Ski passes", "title: &t Ski", "anchors and aliases are not used here"),
        ("title: Ski passes", "title: !x Ski", "tags are not used here"),
        ("keyplan: 1", "keyplan: \"1\"\n---", "a second document begins here"),
    ] {
        let findings = findings(from, to);
        if !findings.contains(told) {
            wrong += &format!("`{from}` -> `{to}`\nexpected: {told}\nfound:\n{findings}\n\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn one_run_tells_all_faults_in_the_order_of_the_file() {
    let spoilt = GOOD
        .replace("operation: Query", "operation: Querry")
        .replace("entity: Ride", "entity: Rides")
        .replace("owner: Rosa", "owned: Rosa")
        .replace("kind: why", "kind: reason");
    let error = Model::parse(&spoilt, "passes.yaml").unwrap_err();
    let lines: Vec<u32> = error.findings.iter().map(|finding| finding.at.line).collect();
    assert_eq!(lines, [16, 25, 28, 34], "{error}");
}

#[test]
fn hostile_texts_are_refused_in_bounds() {
    let nested = limits::MODEL_NESTING_MAX;
    let deep = format!("a: {}{}", "[".repeat(nested), "]".repeat(nested));
    let deeper = format!("a: {}", "[".repeat(100_000));
    let large = format!("a: {}", "x".repeat(limits::MODEL_FILE_BYTES_MAX));
    let many = format!("a: [{}]", "1,".repeat(limits::MODEL_NODES_MAX));
    let bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n";
    for (text, told) in [
        (deep.as_str(), "lists and mappings stand more than 24 deep"),
        (&deeper, "recursion limit"),
        (&large, "bytes"),
        (&many, "more than 200000 values"),
        (bomb, "anchors and aliases"),
        ("", "the file holds nothing"),
        ("? [a]\n: b\n", "a member's name must be a single text"),
        ("- a\n", "a mapping is expected here, not a list"),
    ] {
        let error = Model::parse(text, "m.yaml").unwrap_err().to_string();
        assert!(error.contains(told), "expected: {told}\nfound: {error}");
    }
}

#[test]
fn findings_are_counted_past_the_first_fifty() {
    let faults: String = (0..80).map(|n| format!("  - Nobody: {{ n: {n} }}\n")).collect();
    let spoilt = GOOD.replace("traffic:\n", &format!("{faults}traffic:\n"));
    let error = Model::parse(&spoilt, "m.yaml").unwrap_err();
    assert_eq!(error.findings.len(), limits::MODEL_FINDINGS_MAX);
    assert!(error.to_string().ends_with("... and 30 more"), "{error}");
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = Model::parse(&text, "m.yaml");
    }

    #[test]
    fn a_spoilt_model_is_read_or_refused_with_places_in_it(
        at in 0..GOOD.len(),
        cut in 0..40_usize,
        put in "[-a-zA-Z0-9:<>{}\\[\\]\"#\\n ]{0,6}",
    ) {
        let end = (at + cut).min(GOOD.len());
        let spoilt = format!("{}{put}{}", &GOOD[..at], &GOOD[end..]);
        if let Err(error) = Model::parse(&spoilt, "m.yaml") {
            let lines = spoilt.lines().count() as u32;
            for finding in &error.findings {
                proptest::prop_assert!(finding.at.line <= lines + 1, "{error}");
            }
        }
    }
}

#[test]
fn bytes_are_written_as_the_engine_reads_them() {
    let binary = GOOD.replace("owner: S,", "owner: B,");
    let told = |owner: &str| match Model::parse(&binary.replace("Rosa", owner), "passes.yaml") {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    for good in ["Um9zYQ==", "\"\""] {
        assert_eq!(told(good), "", "{good}");
    }
    // Unpadded, beside the alphabet, and with bits that belong to no byte.
    for bad in ["Um9zYQ", "Um9z-Q==", "Um9zYR=="] {
        assert!(told(bad).contains("this is no base64"), "{bad}: {}", told(bad));
    }
}

/// A good model with everything that reads alone don't use.
const WRITES: &str = r##"keyplan: 1
title: Ski passes
question: Which passes has this owner?
category: leisure
summary: Each pass is a partition.
tables:
  Lifts:
    key: { partition: pk, sort: sk }
    billing: { provisioned: { read: 5, write: 2 } }
    ttl: expires
    stream: new-and-old-images
    indexes:
      ByOwner: { key: { partition: gsi1pk, sort: { valid: N } }, projection: { include: [paid] } }
      ByDay: { key: { partition: [region, day], sort: [kind, pk] }, projection: keys-only }
      ByPaid: { scope: local, key: { partition: pk, sort: { paid: N } } }
entities:
  Pass:
    table: Lifts
    key: { pk: "PASS#<passId>", sk: PASS }
    attributes: { owner: S, valid: N, paid: N, expires: N, region: S, day: S, kind: S }
    index-keys: { gsi1pk: "OWNER#<owner>" }
patterns:
  of-owner:
    question: Which passes has this owner?
    operation: Query
    table: Lifts
    index: ByOwner
    where: { gsi1pk: "OWNER#<owner>", valid: { ">=": "<day>" } }
    filter: "paid > :none AND attribute_exists(#paid)"
    values: { none: 0 }
    select: count
    parameters: { owner: { example: Rosa }, day: { example: 20 } }
    returns: { count: 1 }
    costs: { read: 0.5, indexes: { ByOwner: 0.5 } }
  of-day:
    question: Which passes hold on this day?
    operation: Query
    table: Lifts
    index: ByDay
    where: { region: "<region>", day: "<day>", kind: adult, pk: { begins_with: "PASS#" } }
    parameters: { region: { example: north }, day: { example: "03" } }
    returns: { entities: [Pass], count: 1 }
    costs: { read: 0.5 }
  sell:
    question: Sell a pass
    operation: PutItem
    entity: Pass
    item: { owner: "<owner>", valid: 30, paid: "<paid>" }
    condition: attribute_not_exists(pk)
    parameters: { passId: { example: p-9 }, owner: { example: Rosa }, paid: { example: 40 } }
    costs: { write: 3, indexes: { ByOwner: 1, ByDay: 0, ByPaid: 1 } }
  pay:
    question: Pay for a pass
    operation: UpdateItem
    entity: Pass
    update: SET paid = paid + <more>
    return-values: all-new
    parameters: { passId: { example: p-1 }, more: { example: 2.5, type: N } }
    returns: { entities: [Pass], count: 1 }
    costs: { write: 4 }
  hand-over:
    question: Hand a pass over
    operation: TransactWriteItems
    actions:
      - { action: check, entity: Pass, condition: paid > :none, values: { none: 0 } }
      - { action: delete, entity: Pass, key: { passId: "<old>" } }
    parameters: { passId: { example: p-1 }, old: { example: p-2 } }
    costs: { write: 4 }
  two:
    question: Which are these two?
    operation: BatchGetItem
    keys: [ { Pass: { passId: "<one>" } }, { Pass: { passId: "<other>" } } ]
    parameters: { one: { example: p-1 }, other: { example: p-2 } }
    returns: { entities: [Pass], count: 1 }
    costs: { read: 1 }
items:
  - Pass: { passId: p-1, owner: Rosa, valid: 25, paid: 30, region: north, day: "03", kind: adult }
counter-design:
  text: Passes by owner.
  compares: of-owner
  tables: { Owners: { key: { partition: owner, sort: passId } } }
  entities: { Pass: { table: Owners, key: { owner: "<owner>", passId: "<passId>" }, attributes: { paid: N, valid: N } } }
  pattern:
    question: Which passes has this owner?
    operation: Query
    table: Owners
    where: { owner: "<owner>" }
    parameters: { owner: { example: Rosa } }
    returns: { entities: [Pass], count: 1 }
    costs: { read: 0.5 }
"##;

#[test]
fn a_model_with_writes_and_indexes_does_what_it_says() {
    let model = Model::parse(WRITES, "passes.yaml").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(model.design.items[0].attributes["gsi1pk"]["S"], "OWNER#Rosa");
    for run in
        model.run(keyplan_engine::Timestamp(1_796_040_000_000)).unwrap_or_else(|error| panic!("{error}"))
    {
        assert_eq!(run.differences, [], "{}: {} {}", run.id, run.request.body, run.answer);
    }
}

#[test]
fn faults_of_indexes_expressions_and_writes_are_told() {
    let mut wrong = String::new();
    for (from, to, told) in [
        ("ttl: expires", "ttl: expiry", "no entity has `expiry` as a number, so nothing would expire"),
        ("stream: new-and-old-images", "stream: all", "unknown word `all`"),
        ("billing: { provisioned: { read: 5, write: 2 } }", "billing: monthly", "unknown word `monthly`"),
        (
            "{ include: [paid] }",
            "{ includes: [paid] }",
            "unknown member `includes`\n  Did you mean `include`?",
        ),
        (
            "projection: keys-only",
            "projection: keysonly",
            "unknown word `keysonly`\n  Did you mean `keys-only`?",
        ),
        (
            "partition: [region, day]",
            "partition: [region, zone]",
            "no entity has `zone`, so index `ByDay` stays empty",
        ),
        ("partition: [region, day]", "partition: []", "this half of the key has 0 attributes"),
        (
            "scope: local, key: { partition: pk,",
            "scope: local, key: { partition: region,",
            "a local index has its table's partition key, `pk`",
        ),
        (
            "sort: { valid: N }",
            "sort: valid",
            "`valid` is a number (N), but this key attribute is a text (S)",
        ),
        (
            "index-keys: { gsi1pk: \"OWNER#<owner>\" }",
            "index-keys: { gsi1pk: \"OWNER#<boss>\" }",
            "unknown attribute `boss`",
        ),
        ("index: ByOwner", "index: ByOwners", "unknown index `ByOwners`\n  Did you mean `ByOwner`?"),
        ("filter: \"paid > :none", "filter: \"paid > > :none", "the expression is refused: Syntax error"),
        ("filter: \"paid > :none", "filter: \"paid > :nine", "unknown value `nine`\n  Did you mean `none`?"),
        ("filter: \"paid > :none", "filter: \"valid > paid", "no expression uses `:none`"),
        (
            "day: \"<day>\", kind: adult,",
            "day: \"<day>\",",
            "`pk` can't be asked for: what stands before it in the key is not fixed",
        ),
        ("select: count", "select: counted", "unknown word `counted`\n  Did you mean `count`?"),
        ("    item: { owner", "    items: { owner", "unknown member `items`"),
        (
            "item: { owner: \"<owner>\", valid: 30",
            "item: { owner: \"<owner>\", valid: soon",
            "`valid` is a number, but `soon` is none",
        ),
        ("update: SET paid = paid + <more>", "direction: backward", "a UpdateItem needs `update`"),
        ("update: SET paid = paid + <more>", "limit: 3", "a UpdateItem has no `limit`"),
        ("more: { example: 2.5, type: N }", "more: { example: 2.5, type: BOOL }", "unknown word `BOOL`"),
        (
            "action: check, entity: Pass, condition: paid > :none,",
            "action: check, entity: Pass,",
            "a ConditionCheck needs `condition`",
        ),
        (
            "costs: { read: 0.5, indexes: { ByOwner: 0.5 } }",
            "costs: { indexes: { Owner: 0.5 } }",
            "unknown index `Owner`",
        ),
        (
            "compares: of-owner",
            "compares: of-owners",
            "unknown pattern `of-owners`\n  Did you mean `of-owner`?",
        ),
    ] {
        assert_eq!(WRITES.matches(from).count(), 1, "`{from}` must stand once in the good model");
        let findings = match Model::parse(&WRITES.replace(from, to), "passes.yaml") {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        if !findings.contains(told) {
            wrong += &format!("`{from}` -> `{to}`\nexpected: {told}\nfound:\n{findings}\n\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
