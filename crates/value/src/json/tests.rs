//! The scan, the tape and the writer.

use proptest::prelude::*;

use super::scan::plain_length;
use super::*;

fn parse(text: &str) -> Result<Tape<'_>, JsonError> {
    Tape::parse(text.as_bytes(), &Limits::default())
}

fn error(text: &str) -> JsonErrorKind {
    parse(text).map(|_| ()).expect_err(text).kind
}

#[test]
fn kinds_are_told_apart_by_the_text() {
    let cases = [
        ("null", Kind::Null),
        ("true", Kind::True),
        ("false", Kind::False),
        ("0", Kind::Integer),
        ("-0", Kind::Integer),
        ("1.0", Kind::Decimal),
        ("1e2", Kind::Decimal),
        ("-1E+2", Kind::Decimal),
        ("\"\"", Kind::String),
        ("[]", Kind::Array),
        (" {} ", Kind::Object),
    ];
    for (text, kind) in cases {
        assert_eq!(parse(text).unwrap().root().kind(), kind, "of {text}");
    }
}

#[test]
fn what_is_not_json_is_refused() {
    use JsonErrorKind::*;
    let cases = [
        ("", UnexpectedEnd),
        ("  ", UnexpectedEnd),
        ("{", UnexpectedEnd),
        ("[1", UnexpectedEnd),
        ("\"a", UnexpectedEnd),
        ("\"a\\", UnexpectedEnd),
        ("\"\\u12", UnexpectedEnd),
        ("-", UnexpectedEnd),
        ("1.", UnexpectedEnd),
        ("tru", UnexpectedEnd),
        ("nul!", UnexpectedByte),
        ("+1", UnexpectedByte),
        (".5", UnexpectedByte),
        ("1e+", UnexpectedEnd),
        ("[1,]", UnexpectedByte),
        ("[,1]", UnexpectedByte),
        ("{,}", UnexpectedByte),
        ("{\"a\":1,}", UnexpectedByte),
        ("{\"a\" 1}", UnexpectedByte),
        ("{a:1}", UnexpectedByte),
        ("{1:1}", UnexpectedByte),
        ("[1}", UnexpectedByte),
        ("{\"a\":1]", UnexpectedByte),
        ("'a'", UnexpectedByte),
        ("\u{feff}{}", UnexpectedByte),
        ("01", TrailingText),
        ("{} {}", TrailingText),
        ("1 x", TrailingText),
        ("\"a\nb\"", ControlCharacter),
        ("\"12345678\u{1f}\"", ControlCharacter),
        ("\"\\x\"", InvalidEscape),
        ("\"\\u12g4\"", InvalidEscape),
        ("\"\\ud800\"", LoneSurrogate),
        ("\"\\ud800\\n\"", LoneSurrogate),
        ("\"\\ud800\\ud800\"", LoneSurrogate),
        ("\"\\udc00\"", LoneSurrogate),
    ];
    for (text, kind) in cases {
        assert_eq!(error(text), kind, "of {text:?}");
    }
    let bytes = Tape::parse(b"\"\xff\"", &Limits::default()).map(|_| ()).unwrap_err();
    assert_eq!(bytes, JsonError { kind: InvalidUtf8, offset: 1 });
}

#[test]
fn members_are_found_by_name() {
    let tape = parse(r#"{"a":1,"b":{"a":2},"a":3,"\u0063\n":[4,{"d":5}],"é":6}"#).unwrap();
    let root = tape.root();
    assert_eq!(root.len(), 5);
    assert_eq!(root.get("a").unwrap().integer(), Some(3), "the last of two counts");
    assert_eq!(root.get("b").unwrap().get("a").unwrap().integer(), Some(2));
    assert_eq!(root.get("c\n").unwrap().len(), 2, "an escaped name is the same name");
    assert_eq!(root.get("é").unwrap().raw(), "6");
    assert!(root.get("d").is_none(), "members of members are not members");
    assert!(root.get("b").unwrap().get("a").unwrap().get("a").is_none());
    let elements: Vec<_> = root.get("c\n").unwrap().elements().map(|node| node.kind()).collect();
    assert_eq!(elements, [Kind::Integer, Kind::Object]);
    let names: Vec<_> = root.members().map(|(name, _)| name.to_str().into_owned()).collect();
    assert_eq!(names, ["a", "b", "a", "c\n", "é"]);
}

#[test]
fn strings_are_borrowed_unless_escaped() {
    let tape = parse(r#"["plain é 😀", "\"\\\/\b\f\n\r\t\u0000\u00e9\ud83d\ude00"]"#).unwrap();
    let strings: Vec<_> = tape.root().elements().filter_map(|node| node.string()).collect();
    assert!(matches!(strings[0], std::borrow::Cow::Borrowed("plain é 😀")));
    assert_eq!(strings[1], "\"\\/\u{8}\u{c}\n\r\t\0é😀");
}

#[test]
fn integers_stay_at_the_ends_of_their_range() {
    let integer = |text: &str| parse(text).unwrap().root().integer();
    assert_eq!(integer("-0"), Some(0));
    assert_eq!(integer("4294967296"), Some(4_294_967_296));
    assert_eq!(integer(&"9".repeat(60)), Some(i128::MAX));
    assert_eq!(integer(&format!("-{}", "9".repeat(60))), Some(i128::MIN));
    assert_eq!(integer("1.0"), None);
    assert_eq!(integer("\"1\""), None);
}

#[test]
fn depth_and_length_are_bounded() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let depth = Limits::default().depth_levels;
    assert!(parse(&nested(depth)).is_ok());
    assert_eq!(error(&nested(depth + 1)), JsonErrorKind::TooDeep);
    // With the limit lifted, depth costs no stack.
    let deep = nested(1_000_000);
    let lifted = Limits { depth_levels: usize::MAX, ..Limits::default() };
    let tape = Tape::parse(deep.as_bytes(), &lifted).unwrap();
    assert_eq!(tape.root().len(), 1);
    let short = Limits { length_bytes: 4, ..Limits::default() };
    assert!(Tape::parse(b"1234", &short).is_ok());
    assert_eq!(Tape::parse(b"12345", &short).map(|_| ()).unwrap_err().kind, JsonErrorKind::TooLong);
}

#[test]
fn the_writer_puts_commas_where_they_belong() {
    let mut out = b"before,".to_vec();
    let mut json = Writer::new(&mut out);
    json.begin_array();
    json.begin_object().end_object().begin_array().end_array();
    json.string("{").string(",").integer(-5_i64).integer(u64::MAX).boolean(true).null();
    json.float(0.5).float(1.0).float(f64::NAN);
    json.begin_object().name("a").begin_array().end_array().name("b").string("[");
    json.name("c").value_with(|out| out.extend_from_slice(b"{}")).end_object();
    json.end_array();
    let expected =
        r#"before,[{},[],"{",",",-5,18446744073709551615,true,null,0.5,1.0,null,{"a":[],"b":"[","c":{}}]"#;
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

/// The tape's value as `serde_json` has it.
fn to_serde(node: Node<'_, '_>) -> serde_json::Value {
    match node.kind() {
        Kind::Null => serde_json::Value::Null,
        Kind::True => true.into(),
        Kind::False => false.into(),
        Kind::Integer | Kind::Decimal => serde_json::from_str(node.raw()).expect("a number"),
        Kind::String => node.string().expect("a string").into_owned().into(),
        Kind::Array => node.elements().map(to_serde).collect(),
        Kind::Object => {
            node.members().map(|(name, node)| (name.to_str().into_owned(), to_serde(node))).collect()
        }
    }
}

fn json_values() -> impl Strategy<Value = serde_json::Value> {
    let text = "[a\"\\\\\u{0}\u{1f}\n\u{7f}é😀/]{0,20}";
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u64>().prop_map(Into::into),
        text.prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            proptest::collection::vec((text, inner), 0..6)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

fn write(value: &serde_json::Value, json: &mut Writer<'_>) {
    match value {
        serde_json::Value::Null => json.null(),
        serde_json::Value::Bool(value) => json.boolean(*value),
        serde_json::Value::Number(number) => json.integer(number.as_i128().expect("only integers are made")),
        serde_json::Value::String(value) => json.string(value),
        serde_json::Value::Array(elements) => {
            json.begin_array();
            for element in elements {
                write(element, json);
            }
            json.end_array()
        }
        serde_json::Value::Object(members) => {
            json.begin_object();
            for (name, value) in members {
                json.name(name);
                write(value, json);
            }
            json.end_object()
        }
    };
}

proptest! {
    #[test]
    fn the_tape_reads_what_others_write(value in json_values(), pretty in any::<bool>()) {
        let text = match pretty {
            true => serde_json::to_string_pretty(&value).unwrap(),
            false => value.to_string(),
        };
        prop_assert_eq!(to_serde(parse(&text).unwrap().root()), value);
    }

    #[test]
    fn others_read_what_the_writer_writes(value in json_values()) {
        let mut out = Vec::new();
        write(&value, &mut Writer::new(&mut out));
        prop_assert_eq!(serde_json::from_slice::<serde_json::Value>(&out).unwrap(), value);
    }

    #[test]
    fn the_tape_accepts_what_others_accept(text in "[\\[\\]{}:,\"a\\\\u0-9eE.+ -]{0,24}") {
        let other = serde_json::from_str::<serde_json::Value>(&text);
        match parse(&text) {
            Ok(tape) if tape.root().raw().contains(['e', 'E']) => {} // others refuse 1e999
            Ok(tape) => {
                prop_assert!(other.is_ok(), "only we accept {}", text);
                prop_assert_eq!(tape.root().raw().is_empty(), text.trim() == "\"\"");
            }
            Err(error) => prop_assert!(other.is_err(), "only we refuse {}: {}", text, error),
        }
    }

    #[test]
    fn any_bytes_are_judged_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let _ = Tape::parse(&bytes, &Limits::default());
    }

    #[test]
    fn plain_runs_end_at_the_first_special_byte(bytes in proptest::collection::vec(
        prop_oneof![8 => any::<u8>(), 1 => Just(b'"'), 1 => Just(b'\\'), 1 => 0x1e..0x22_u8, 20 => Just(b'a')], 0..40)) {
        let special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
        prop_assert_eq!(plain_length(&bytes), bytes.iter().position(special).unwrap_or(bytes.len()));
    }
}
