//! Updates: what is refused, and what they make of an item.

use crate::request::{everything, item, placeholders};
use keyplan_expression::{ParsedUpdate, Placeholders, Update};

fn bind(text: &str, request: &Placeholders) -> Result<Update, String> {
    let parsed = ParsedUpdate::parse(text).map_err(|error| error.to_string())?;
    parsed.bind(request).map_err(|error| error.to_string())
}

fn error(text: &str) -> String {
    bind(text, &everything()).err().unwrap_or_else(|| "accepted".into())
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(error(text), *expected, "{text}");
    }
}

fn values() -> Placeholders {
    placeholders(
        &[("#id", "id")],
        &[
            (":one", r#"{"N":"1"}"#),
            (":ten", r#"{"N":"10"}"#),
            (":big", r#"{"N":"9E+125"}"#),
            (":long", r#"{"N":"99999999999999999999999999999999999999"}"#),
            (":tiny", r#"{"N":"0.1"}"#),
            (":x", r#"{"S":"x"}"#),
            (":y", r#"{"S":"y"}"#),
            (":z", r#"{"S":"z"}"#),
            (":list", r#"{"L":[{"S":"head"}]}"#),
            (":map", r#"{"M":{}}"#),
            (":ab", r#"{"SS":["b","a"]}"#),
            (":bc", r#"{"SS":["c","b"]}"#),
            (":ns", r#"{"NS":["1","2.0"]}"#),
            (":bs", r#"{"BS":["YQ=="]}"#),
        ],
    )
}

const OLD: &str = r#"{
    "id":{"S":"1"}, "a":{"S":"x"}, "n":{"N":"1"}, "ss":{"SS":["a","b"]}, "ns":{"NS":["2","3"]}, "bs":{"BS":["YQ=="]},
    "m":{"M":{"x":{"N":"1"},"y":{"N":"2"},"s":{"SS":["a"]},"l":{"L":[{"S":"in"}]}}},
    "l":{"L":[{"S":"p"},{"S":"q"},{"M":{"k":{"N":"5"}}},{"SS":["a"]}]}
}"#;

/// The attributes that an update leaves different from before, or the error.
fn changed(text: &str) -> String {
    let update = bind(text, &values()).expect(text);
    let old = item(OLD);
    match update.apply(old.as_ref()) {
        Err(error) => error.to_string(),
        Ok(new) => {
            let (before, after) = (old.as_ref().to_attributes(), new.as_ref().to_attributes());
            let gone = before.keys().filter(|name| !after.contains_key(*name)).map(|name| format!("-{name}"));
            let put = after
                .iter()
                .filter(|(name, value)| before.get(*name) != Some(value))
                .map(|(name, value)| format!("{name}={}", value.to_json().expect("storable")));
            gone.chain(put).collect::<Vec<_>>().join(" ")
        }
    }
}

#[test]
fn clauses_stand_in_any_order_and_each_once() {
    check(&[
        ("SET b = :s", "accepted"),
        ("set b = :s remove c add d :n delete e :ss", "accepted"),
        ("DELETE e :ss ADD d :n REMOVE c, c2 SET b = :s, b2 = b", "accepted"),
        ("SET b = (:n)", "accepted"),
        ("SET b = b + :n", "accepted"),
        ("SET b = (b - :n)", "accepted"),
        ("SET b = b + (:n - c)", "accepted"),
        ("SET b = if_not_exists(b, :n) + :n", "accepted"),
        ("SET b = list_append(if_not_exists(b, :l), :l)", "accepted"),
        ("SET b = if_not_exists(b, if_not_exists(c, :l))", "accepted"),
        (
            "SET b = list_append(list_append(:l, b), :l)",
            "The function is not allowed to be used this way in an expression; function: list_append",
        ),
        (
            "SET b = :s REMOVE c SET d = :s",
            "The \"SET\" section can only be used once in an update expression;",
        ),
        ("ADD b :n ADD c :n", "The \"ADD\" section can only be used once in an update expression;"),
        ("", "The expression can not be empty;"),
    ]);
}

#[test]
fn syntax_errors_name_the_token_and_the_text_around_it() {
    for (text, token, near) in [
        ("  ", "<EOF>", "  "),
        ("SET", "<EOF>", "SET"),
        ("SET b", "<EOF>", "b"),
        ("SET b = ", "<EOF>", "="),
        ("b = :s", "b", "b ="),
        ("SET b = :s,", "<EOF>", ","),
        ("SET b = :s c = :s", "c", ":s c ="),
        ("SET b = :n + :n + :n", "+", ":n + :n"),
        ("SET :s = b", ":s", "SET :s ="),
        ("REMOVE :s", ":s", "REMOVE :s"),
        ("ADD b c", "c", "b c"),
        ("ADD b = :n", "=", "b = :n"),
        ("DELETE b size(c)", "size", "b size("),
        ("SET b = :n > :n", ">", ":n > :n"),
        ("SET b = NOT :n", "NOT", "= NOT :n"),
        ("SET b = (:n + :n", "<EOF>", ":n"),
        ("SET and = :n", "and", "SET and ="),
    ] {
        assert_eq!(error(text), format!("Syntax error; token: \"{token}\", near: \"{near}\""), "{text}");
    }
}

#[test]
fn what_the_text_shows_is_refused_in_order() {
    check(&[
        ("SET Name = :s", "Attribute name is a reserved keyword; reserved keyword: Name"),
        ("SET b = foo(status)", "Attribute name is a reserved keyword; reserved keyword: status"),
        ("SET b = foo(c)", "Invalid function name; function: foo"),
        ("SET b = IF_NOT_EXISTS(b, :s)", "Invalid function name; function: IF_NOT_EXISTS"),
        ("SET b = size(c)", "The function is not allowed in an update expression; function: size"),
        (
            "SET b = attribute_exists(c) SET d = :s",
            "The function is not allowed in an update expression; function: attribute_exists",
        ),
        ("SET b = ((:n))", "The expression has redundant parentheses;"),
        ("SET b = ((c + :n))", "The expression has redundant parentheses;"),
    ]);
    let actions = vec!["b=c+d"; 301].join(",");
    assert_eq!(
        error(&format!("SET {actions}")),
        "The expression contains too many operators; operator count: 301"
    );
    let deep = format!("SET b = {}c", "(".repeat(4_000));
    assert!(error(&deep).starts_with("Syntax error"));
}

#[test]
fn what_binding_shows_is_refused_in_order() {
    let name = "An expression attribute name used in the document path is not defined; attribute name: #x";
    let value = "An expression attribute value used in expression is not defined; attribute value: :x";
    let overlap = "Two document paths overlap with each other; must remove or rewrite one of these paths; ";
    let conflict = "Two document paths conflict with each other; must remove or rewrite one of these paths; ";
    let count = "Incorrect number of operands for operator or function; operator or function: ";
    let kind = "Incorrect operand type for operator or function; operator or function: ";
    check(&[
        ("SET b = :x, c = if_not_exists(#x, :s)", name),
        ("SET b = :x, b = :s", value),
        ("SET b = :s + :n, b = :s", &format!("{overlap}path one: [b], path two: [b]")),
        ("SET m = :s, m.x = :s", &format!("{overlap}path one: [m], path two: [m, x]")),
        ("SET m.x = :s REMOVE m", &format!("{overlap}path one: [m, x], path two: [m]")),
        ("SET b.c = :s ADD b[0] :n", &format!("{conflict}path one: [b, c], path two: [b, [0]]")),
        ("SET #a = :s REMOVE a", &format!("{overlap}path one: [a], path two: [a]")),
        ("SET b = if_not_exists(b)", &format!("{count}if_not_exists, number of operands: 1")),
        ("SET b = list_append(b, :l, :l)", &format!("{count}list_append, number of operands: 3")),
        (
            "SET b = if_not_exists(:s, :s)",
            "Operator or function requires a document path; operator or function: if_not_exists",
        ),
        ("SET b = list_append(b, :s)", &format!("{kind}list_append, operand type: S")),
        ("SET b = list_append(b + :n, :l)", "Syntax error; token: \"+\", near: \"b + :n\""),
        ("SET b = c + :s", &format!("{kind}+, operand type: S")),
        ("SET b = :bool - c", &format!("{kind}-, operand type: BOOL")),
        ("SET b = list_append(c, :l) + :n", &format!("{kind}+, operand type: L")),
        ("SET b = b + (:n - :m)", &format!("{kind}-, operand type: M")),
    ]);
}

#[test]
fn add_and_delete_refuse_types_in_words_of_their_own() {
    let words = [
        (":s", "STRING"),
        (":b", "Binary"),
        (":bool", "BOOL"),
        (":null", "NULL"),
        (":l", "LIST"),
        (":m", "MAP"),
        (":n", "NUMBER"),
    ];
    for (value, word) in words {
        let refused = |clause| {
            format!(
                "Incorrect operand type for operator or function; operator: {clause}, operand type: {word}, \
                 typeSet: ALLOWED_FOR_{clause}_OPERAND"
            )
        };
        assert_eq!(error(&format!("DELETE c {value}")), refused("DELETE"));
        let add = if value == ":n" { "accepted".into() } else { refused("ADD") };
        assert_eq!(error(&format!("ADD c {value}")), add);
    }
    check(&[("ADD c :ss, d :ns, e :bs DELETE f :ss, g :ns, h :bs", "accepted")]);
}

#[test]
fn set_assigns_what_the_old_item_says() {
    for (text, expected) in [
        ("SET a = :y", r#"a={"S":"y"}"#),
        ("SET b = :x", r#"b={"S":"x"}"#),
        (
            "SET n = :ten, b = n, c = if_not_exists(zz, :z) REMOVE a",
            r#"-a b={"N":"1"} c={"S":"z"} n={"N":"10"}"#,
        ),
        ("SET a = n, n = a", r#"a={"N":"1"} n={"S":"x"}"#),
        ("SET n = n + :ten", r#"n={"N":"11"}"#),
        ("SET n = n - :ten", r#"n={"N":"-9"}"#),
        ("SET b = n + (n - :ten)", r#"b={"N":"-8"}"#),
        ("SET b = if_not_exists(a, :z)", r#"b={"S":"x"}"#),
        ("SET b = if_not_exists(nope, n) + :one", r#"b={"N":"2"}"#),
        ("SET b = m.l[0]", r#"b={"S":"in"}"#),
        ("SET b = list_append(m.l, :list)", r#"b={"L":[{"S":"in"},{"S":"head"}]}"#),
        ("SET b = list_append(:list, m.l)", r#"b={"L":[{"S":"head"},{"S":"in"}]}"#),
        ("SET b = list_append(if_not_exists(nope, :list), :list)", r#"b={"L":[{"S":"head"},{"S":"head"}]}"#),
        ("SET a = a", ""),
        ("SET b = nope", "The provided expression refers to an attribute that does not exist in the item"),
        (
            "SET b = nope + :one",
            "The provided expression refers to an attribute that does not exist in the item",
        ),
        ("SET b = l[9]", "The provided expression refers to an attribute that does not exist in the item"),
        ("SET b = a + :one", "An operand in the update expression has an incorrect data type"),
        ("SET b = :one - ss", "An operand in the update expression has an incorrect data type"),
        ("SET b = list_append(a, :list)", "An operand in the update expression has an incorrect data type"),
        (
            "SET b = :big + :big",
            "Number overflow. Attempting to store a number with magnitude larger than supported range",
        ),
        ("SET b = :long + :tiny", "Attempting to store more than 38 significant digits in a Number"),
    ] {
        assert_eq!(changed(text), expected, "{text}");
    }
}

#[test]
fn places_inside_attributes_are_set_and_removed() {
    let invalid = "The document path provided in the update expression is invalid for update";
    for (text, expected) in [
        ("SET l[1] = :z", r#"l={"L":[{"S":"p"},{"S":"z"},{"M":{"k":{"N":"5"}}},{"SS":["a"]}]}"#),
        ("SET l[9] = :z", r#"l={"L":[{"S":"p"},{"S":"q"},{"M":{"k":{"N":"5"}}},{"SS":["a"]},{"S":"z"}]}"#),
        (
            "SET m.l[7] = :z, m.l[4] = :y",
            r#"m={"M":{"l":{"L":[{"S":"in"},{"S":"y"},{"S":"z"}]},"s":{"SS":["a"]},"x":{"N":"1"},"y":{"N":"2"}}}"#,
        ),
        ("REMOVE l[0], l[2]", r#"l={"L":[{"S":"q"},{"SS":["a"]}]}"#),
        ("REMOVE l[1] SET l[2].k = :z", r#"l={"L":[{"S":"p"},{"M":{"k":{"S":"z"}}},{"SS":["a"]}]}"#),
        ("REMOVE l[9]", ""),
        ("REMOVE l[0], l[1], l[2], l[3]", r#"l={"L":[]}"#),
        ("SET m.x = m.y, m.z = m.x REMOVE m.y, m.s, m.l", r#"m={"M":{"x":{"N":"2"},"z":{"N":"1"}}}"#),
        ("REMOVE m.x, m.y, m.s, m.l", r#"m={"M":{}}"#),
        ("REMOVE m.nope, nope, a", "-a"),
        ("SET m.x.deeper = :z", invalid),
        ("SET nope.x = :z", invalid),
        ("SET m[0] = :z", invalid),
        ("SET l.x = :z", invalid),
        ("SET ss[0] = :z", invalid),
        ("SET l[9].x = :z", invalid),
        ("REMOVE nope.x", invalid),
        ("REMOVE a[0]", invalid),
        ("ADD nope.x :one", invalid),
        ("DELETE nope.x :ab", invalid),
        (
            "SET b = nope, nope.x = :z",
            "The provided expression refers to an attribute that does not exist in the item",
        ),
    ] {
        assert_eq!(changed(text), expected, "{text}");
    }
}

#[test]
fn add_and_delete_accumulate() {
    let wrong = "An operand in the update expression has an incorrect data type";
    for (text, expected) in [
        ("ADD n :ten", r#"n={"N":"11"}"#),
        ("ADD b :ten", r#"b={"N":"10"}"#),
        ("ADD m.x :one, m.z :one REMOVE m.l, m.s", r#"m={"M":{"x":{"N":"2"},"y":{"N":"2"},"z":{"N":"1"}}}"#),
        ("ADD l[2].k :one", r#"l={"L":[{"S":"p"},{"S":"q"},{"M":{"k":{"N":"6"}}},{"SS":["a"]}]}"#),
        ("ADD ss :bc", r#"ss={"SS":["a","b","c"]}"#),
        ("ADD ns :ns", r#"ns={"NS":["1","2","3"]}"#),
        ("ADD bs :bs", ""),
        ("ADD b :ab", r#"b={"SS":["a","b"]}"#),
        ("DELETE ss :bc", r#"ss={"SS":["a"]}"#),
        ("DELETE ss :ab", "-ss"),
        ("DELETE nope :ab", ""),
        ("DELETE ns :ns", r#"ns={"NS":["3"]}"#),
        ("DELETE l[3] :ab", r#"l={"L":[{"S":"p"},{"S":"q"},{"M":{"k":{"N":"5"}}}]}"#),
        ("ADD a :one", wrong),
        ("ADD n :ab", wrong),
        ("ADD ss :one", wrong),
        ("ADD ss :ns", wrong),
        ("DELETE ss :ns", wrong),
        ("DELETE a :ab", wrong),
        ("SET b = nope ADD a :one", wrong),
        ("ADD n :big", "Attempting to store more than 38 significant digits in a Number"),
    ] {
        assert_eq!(changed(text), expected, "{text}");
    }
}

#[test]
fn a_result_is_nested_no_deeper_than_an_item_may_be() {
    let nested = |levels: usize| {
        format!("{}{{\"S\":\"x\"}}{}", "{\"L\":[".repeat(levels - 1), "]}".repeat(levels - 1))
    };
    let old = item(r#"{"id":{"S":"1"},"m":{"M":{}}}"#);
    let apply = |levels| {
        let request = placeholders(&[], &[(":v", &nested(levels))]);
        let update = bind("SET m.x = :v", &request).expect("an update");
        update.apply(old.as_ref()).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(apply(31), Ok(()));
    assert_eq!(apply(32), Err("Nesting Levels have exceeded supported limits".into()));
}

#[test]
fn the_targets_are_told_as_before_and_as_after() {
    let updated = |text: &str| {
        let update = bind(text, &values()).expect(text);
        let old = item(OLD);
        let new = update.apply(old.as_ref()).expect(text);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        assert_eq!(update.write_updated_old(old.as_ref(), &mut before), before != b"{}");
        assert_eq!(update.write_updated_new(new.as_ref(), &mut after), after != b"{}");
        let text = |json| String::from_utf8(json).expect("text");
        (text(before), text(after))
    };
    for (text, old, new) in [
        ("SET m.x = :z", r#"{"m":{"M":{"x":{"N":"1"}}}}"#, r#"{"m":{"M":{"x":{"S":"z"}}}}"#),
        (
            "SET m.x = :z, m.z = :z",
            r#"{"m":{"M":{"x":{"N":"1"}}}}"#,
            r#"{"m":{"M":{"x":{"S":"z"},"z":{"S":"z"}}}}"#,
        ),
        ("REMOVE m.y", r#"{"m":{"M":{"y":{"N":"2"}}}}"#, "{}"),
        ("SET l[1] = :z", r#"{"l":{"L":[{"S":"q"}]}}"#, r#"{"l":{"L":[{"S":"z"}]}}"#),
        ("SET l[9] = :z", "{}", "{}"),
        // Two elements move to where the two were.
        (
            "REMOVE l[0], l[1]",
            r#"{"l":{"L":[{"S":"p"},{"S":"q"}]}}"#,
            r#"{"l":{"L":[{"M":{"k":{"N":"5"}}},{"SS":["a"]}]}}"#,
        ),
        ("SET a = a, b = :z", r#"{"a":{"S":"x"}}"#, r#"{"a":{"S":"x"},"b":{"S":"z"}}"#),
        ("DELETE ss :ab ADD n :one", r#"{"n":{"N":"1"},"ss":{"SS":["a","b"]}}"#, r#"{"n":{"N":"2"}}"#),
        ("REMOVE nope", "{}", "{}"),
    ] {
        assert_eq!(updated(text), (old.into(), new.into()), "{text}");
    }
}

#[test]
fn an_update_says_whether_it_can_create_an_item() {
    for (text, expected) in [
        ("REMOVE a", true),
        ("DELETE ss :ab REMOVE a", true),
        ("REMOVE a SET b = :x", false),
        ("ADD n :one", false),
    ] {
        assert_eq!(bind(text, &values()).expect(text).is_deletions_only(), expected, "{text}");
    }
    let update = bind("SET b = :x ADD n :one", &values()).expect("an update");
    let new = update.apply(item(r#"{"id":{"S":"2"}}"#).as_ref()).expect("applies");
    assert_eq!(new, item(r#"{"id":{"S":"2"},"b":{"S":"x"},"n":{"N":"1"}}"#));
    assert_eq!(new.as_ref().size(), 3 + 2 + 3, "the new item knows its size");
}

#[test]
fn the_charge_is_counted_from_the_text_and_the_values() {
    for (text, expected) in [
        ("SET ab = :x", 3 + 19 + 2 + 1),
        ("SET m.abc[12] = :ten", 3 + 19 + (1 + 4 + 3 + 4 + 2) + 2),
        ("SET #id = :x", 3 + 19 + 2 + 1),
        ("SET b = cd.e", 3 + 19 + 1 + (1 + 14 + 2 + 14 + 1)),
        ("SET b = (n + :one)", 3 + 19 + 1 + (34 + (1 + 14 + 1) + 2)),
        ("SET b = n - :one", 3 + 19 + 1 + (37 + (1 + 14 + 1) + 2)),
        ("SET b = if_not_exists(n, :one)", 3 + 19 + 1 + (39 + (1 + 14 + 1) + 2)),
        ("SET b = list_append(l, :list)", 3 + 19 + 1 + (37 + (1 + 14 + 1) + (3 + 1 + 4))),
        ("ADD n :one REMOVE a, l[0] DELETE ss :ab", 3 + (19 + 1 + 2) + (1 + 1) + (1 + 1 + 4 + 1) + (1 + 2)),
    ] {
        assert_eq!(bind(text, &values()).expect(text).charge(), expected, "{text}");
    }
}

#[test]
fn an_update_as_deep_as_can_be_needs_a_small_stack() {
    let depth = 235;
    let text = format!("SET b = {}n{}", "if_not_exists(c,".repeat(depth), ")".repeat(depth));
    assert!((4_000..=4_096).contains(&text.len()), "about as deep as a text can be");
    let small = std::thread::Builder::new().stack_size(256 * 1024);
    let applied = small.spawn(move || (changed(&text), bind(&text, &values()).expect("an update").charge()));
    let (changed, charge) = applied.expect("a thread").join().expect("no overflow");
    assert_eq!(changed, r#"b={"N":"1"}"#);
    assert_eq!(charge, 3 + 19 + 1 + 235 * (39 + 16) + 16);
}

#[test]
fn copies_of_a_large_attribute_are_counted_before_they_are_made() {
    let old = item(&format!(r#"{{"id":{{"S":"1"}},"a":{{"S":"{}"}},"l":{{"L":[]}}}}"#, "x".repeat(200_000)));
    let apply = |text: &str| {
        let update = bind(text, &Placeholders::default()).expect(text);
        update.apply(old.as_ref()).map(|new| new.as_ref().size()).map_err(|error| error.to_string())
    };
    let too_large = Err("Item size to update has exceeded the maximum allowed size".into());
    let copies = (0..500).map(|copy| format!("b{copy}=a")).collect::<Vec<_>>();
    assert_eq!(apply(&format!("SET {}", copies.join(","))), too_large);
    assert_eq!(apply("SET b = a, c = a, d = a"), too_large);
    assert_eq!(
        apply("SET b = a, c = nope, d = a, e = a"),
        Err("The provided expression refers to an attribute that does not exist in the item".into())
    );
    assert_eq!(apply("SET b = a, c = id"), Ok(3 + 200_001 + 4 + 200_001 + 2));
}
