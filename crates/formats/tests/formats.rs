//! What is read, what is refused, and that what is written is read back.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};

use keyplan_formats::csv::{self, CsvError};
use keyplan_formats::ion::{self, IonError};
use keyplan_formats::limits::{ION_LEVELS_MAX, RECORD_BYTES_MAX};
use keyplan_formats::{Frame, Framing, Packing, Position, RecordReader, md5, pack, unpacked};
use keyplan_value::{AttributeValue, Item, Number};
use proptest::prelude::*;

/// What was found in a file, read to its end.
fn records_from(bytes: &[u8], packing: Packing, framing: Framing, from: Position) -> (Vec<Vec<u8>>, usize) {
    let source = unpacked(packing, Box::new(Cursor::new(bytes.to_vec())));
    let mut reader = RecordReader::new(source, framing, from);
    let (mut records, mut long) = (Vec::new(), 0);
    while let Some(frame) = reader.next_frame().expect("it can be read") {
        match frame {
            Frame::Record(record) => records.push(record.to_vec()),
            Frame::TooLong => long += 1,
            Frame::PassedOver(_) => {}
        }
    }
    (records, long)
}

fn texts(bytes: &[u8], framing: Framing) -> Vec<String> {
    let (records, _) = records_from(bytes, Packing::None, framing, Position::default());
    records.into_iter().map(|record| String::from_utf8(record).expect("text")).collect()
}

fn json(ion: &str) -> Result<String, IonError> {
    ion::read(ion.as_bytes()).map(|value| value.to_json().expect("it can be stored"))
}

/// Gives bytes in pieces of sizes that go up and down, as what unpacks them does.
struct Uneven(Cursor<Vec<u8>>, usize);

impl Read for Uneven {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        const PIECES: [usize; 4] = [40_000, 7, 65_000, 12_345];
        self.1 += 1;
        let most = PIECES[self.1 % PIECES.len()].min(into.len());
        self.0.read(&mut into[..most])
    }
}

#[test]
fn reading_goes_on_far_into_a_file_that_comes_in_pieces() {
    let lines: Vec<String> = (0..40_000).map(|number| format!("line {number}")).collect();
    let file = lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes();
    let source = |uneven: usize| Box::new(Uneven(Cursor::new(file.clone()), uneven));
    for (at, uneven) in [(39_000, 0), (20_000, 1), (30_001, 2), (12_345, 3)] {
        let offset = lines[..at].iter().map(|line| line.len() as u64 + 1).sum();
        let position = Position { offset, is_within_long_record: false };
        let mut reader = RecordReader::new(source(uneven), Framing::Lines, position);
        let (mut records, mut passed) = (Vec::new(), 0);
        while let Some(frame) = reader.next_frame().expect("it can be read") {
            match frame {
                Frame::Record(record) => records.push(String::from_utf8_lossy(record).into_owned()),
                Frame::PassedOver(bytes) => passed += bytes as u64,
                Frame::TooLong => panic!("no line is long"),
            }
        }
        assert_eq!((passed, records.len()), (offset, lines.len() - at));
        assert_eq!(records, lines[at..]);
    }
}

#[test]
fn records_are_parted_by_their_formats() {
    assert_eq!(texts(b"a\r\n\nb", Framing::Lines), ["a", "", "b"]);
    assert_eq!(texts(b"", Framing::Lines), Vec::<String>::new());
    let objects = br#"{"a":"}{\""}{"b":{}} {"c":1}
{"broken":
{"d":[{}]}"#;
    let parted = texts(objects, Framing::Objects);
    assert_eq!(
        parted,
        [r#"{"a":"}{\""}"#, r#"{"b":{}}"#, r#" {"c":1}"#, "", r#"{"broken":"#, r#"{"d":[{}]}"#]
    );
    let csv = b"a,b\r\n\"x\ny\",5\" pipe\n\"\"\"\n\"\"\",z\nlast";
    let parted = texts(csv, Framing::Csv { delimiter: b',' });
    assert_eq!(parted, ["a,b", "\"x\ny\",5\" pipe", "\"\"\"\n\"\"\",z", "last"]);
}

#[test]
fn a_record_that_is_too_long_is_told_once_and_the_next_is_read() {
    let mut file = vec![b'x'; 2 * RECORD_BYTES_MAX];
    file.extend(b"\nnext\n");
    let (records, long) = records_from(&file, Packing::None, Framing::Lines, Position::default());
    assert_eq!((records, long), (vec![b"next".to_vec()], 1));
    let within = Position { offset: 10, is_within_long_record: true };
    let (records, long) = records_from(&file, Packing::None, Framing::Lines, within);
    assert_eq!((records, long), (vec![b"next".to_vec()], 0), "its rest is not told again");
}

#[test]
fn one_call_unpacks_no_more_than_a_record_may_have() {
    let bomb = pack(&vec![b' '; 40 * RECORD_BYTES_MAX]).expect("it is packed");
    assert!(bomb.len() < RECORD_BYTES_MAX / 4);
    let source = unpacked(Packing::Gzip, Box::new(Cursor::new(bomb)));
    let mut reader = RecordReader::new(source, Framing::Lines, Position::default());
    let mut last = 0;
    while let Some(frame) = reader.next_frame().expect("it can be read") {
        assert!(!matches!(frame, Frame::Record(_)));
        let offset = reader.position().offset;
        assert!(offset - last <= RECORD_BYTES_MAX as u64 + 128 * 1024, "{last} to {offset}");
        last = offset;
    }
    assert_eq!(last, 40 * RECORD_BYTES_MAX as u64);
}

#[test]
fn packed_files_are_read_and_damaged_ones_are_refused() {
    let lines = b"one\ntwo\n";
    let gzip = pack(lines).expect("it is packed");
    let twice = [gzip.clone(), gzip.clone()].concat();
    let read =
        |bytes: &[u8], packing| records_from(bytes, packing, Framing::Lines, Position::default()).0.len();
    assert_eq!(read(&gzip, Packing::Gzip), 2);
    assert_eq!(read(&twice, Packing::Gzip), 4);
    // What `printf 'one\ntwo\n' | zstd` writes.
    let zstd = [
        0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x41, 0x00, 0x00, b'o', b'n', b'e', b'\n', b't', b'w', b'o',
        b'\n', 0xd8, 0x33, 0x2c, 0x75,
    ];
    assert_eq!(read(&zstd, Packing::Zstd), 2);
    assert_eq!(read(&[zstd, zstd].concat(), Packing::Zstd), 4);
    assert_eq!(read(b"", Packing::Zstd), 0);
    for (bytes, packing) in [
        (&lines[..], Packing::Gzip),
        (&lines[..], Packing::Zstd),
        (&gzip[..12], Packing::Gzip),
        (&zstd[..12], Packing::Zstd),
    ] {
        let source = unpacked(packing, Box::new(Cursor::new(bytes.to_vec())));
        let mut reader = RecordReader::new(source, Framing::Lines, Position::default());
        let failed = loop {
            match reader.next_frame() {
                Ok(Some(_)) => {}
                Ok(None) => break false,
                Err(_) => break true,
            }
        };
        assert!(failed, "{packing:?} {bytes:?}");
    }
    assert_eq!(md5(b"abc")[..4], [0x90, 0x01, 0x50, 0x98]);
}

#[test]
fn ion_of_the_documentation_is_read() {
    let item = r#"$ion_1_0 {Item:{Authors:$dynamodb_SS::["Author1","Author2"],Id:103.,InPublication:false,
        PageCount:6d2,Price:2d3, // a comment
        'odd name': /* another */ null.string, "b": {{ aGk= }}, deep: [1, -0.5, [ ], {},], hex: 0x1F, long: '''a
''' '''it\'s''' } }"#;
    assert_eq!(
        json(item).as_deref(),
        Ok(concat!(
            r#"{"M":{"Item":{"M":{"Authors":{"SS":["Author1","Author2"]},"Id":{"N":"103"},"InPublication":{"BOOL":false},"#,
            r#""PageCount":{"N":"600"},"Price":{"N":"2000"},"b":{"B":"aGk="},"#,
            r#""deep":{"L":[{"N":"1"},{"N":"-0.5"},{"L":[]},{"M":{}}]},"hex":{"N":"31"},"long":{"S":"a\nit's"},"odd name":{"NULL":true}}}}}"#
        ))
    );
}

#[test]
fn what_is_no_attribute_in_ion_is_refused() {
    use IonError::{Set, Syntax, TooDeep, Type};
    for (text, error) in [
        ("", Syntax { at: 0 }),
        ("{a:1", Syntax { at: 4 }),
        ("{a 1}", Syntax { at: 3 }),
        ("[1 2]", Syntax { at: 3 }),
        ("1 2", Syntax { at: 2 }),
        ("1__d", Syntax { at: 0 }),
        ("1e999999999", Syntax { at: 0 }),
        ("\"a", Syntax { at: 1 }),
        ("\"\\q\"", Syntax { at: 1 }),
        ("\"\\ud800\"", Syntax { at: 1 }),
        ("{{ a }}", Syntax { at: 2 }),
        ("/* never ends", Syntax { at: 0 }),
        ("2007-02-23T12:14Z", Type { found: "timestamp" }),
        ("(a b)", Type { found: "s-expression" }),
        ("symbol", Type { found: "symbol" }),
        ("{{ \"clob\" }}", Type { found: "clob" }),
        ("-inf", Type { found: "infinity" }),
        ("other::1", Type { found: "annotation of another name" }),
        ("$dynamodb_SS::[\"a\",\"a\"]", Set),
        ("$dynamodb_NS::[\"a\"]", Set),
        ("$dynamodb_NS::7", Set),
    ] {
        assert_eq!(json(text), Err(error), "{text}");
    }
    assert!(matches!(json("1d200"), Err(IonError::Number(_))));
    assert_eq!(json(&"[".repeat(1_000_000)), Err(TooDeep));
    assert_eq!(
        json(&format!("{}{}", "[".repeat(ION_LEVELS_MAX + 1), "]".repeat(ION_LEVELS_MAX + 1))),
        Err(TooDeep)
    );
    assert_eq!(ion::read(b"\"\xff\""), Err(IonError::NotText));
}

#[test]
fn numbers_are_written_as_decimals_of_ion() {
    for (number, text) in [
        ("103", "103."),
        ("600", "6d2"),
        ("0", "0."),
        ("-0.25", "-0.25"),
        ("12.5", "12.5"),
        ("0.000001", "0.000001"),
        ("1e-30", "1d-30"),
        ("-12e100", "-12d100"),
    ] {
        let item =
            Item::from_attributes([("n", AttributeValue::N(Number::parse(number).expect("a number")))]);
        let mut out = Vec::new();
        ion::write_item(item.expect("an item").as_ref(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), format!("{{n:{text}}}"));
    }
}

#[test]
fn csv_records_are_taken_apart() {
    let read = |record: &str, delimiter| {
        csv::read(record.as_bytes(), delimiter)
            .map(|fields| fields.into_iter().map(|field| field.into_owned()).collect::<Vec<_>>())
    };
    assert_eq!(
        read("a,,\"b,\"\"c\"\"\n\",d\"e", b','),
        Ok(vec!["a".into(), "".into(), "b,\"c\"\n".into(), "d\"e".into()])
    );
    assert_eq!(read("", b','), Ok(vec![String::new()]));
    assert_eq!(read("a\tb;c", b'\t'), Ok(vec!["a".into(), "b;c".into()]));
    assert_eq!(read("\"a", b','), Err(CsvError::Unclosed));
    assert_eq!(read("\"a\"b,c", b','), Err(CsvError::AfterQuotation));
    assert_eq!(read(&",".repeat(70_000), b','), Err(CsvError::TooManyFields));
    assert_eq!(csv::read(b"\xff", b','), Err(CsvError::NotText));
}

fn value() -> impl Strategy<Value = AttributeValue> {
    let number = (any::<i64>(), -100i32..90)
        .prop_map(|(digits, power)| Number::parse(&format!("{digits}e{power}")).expect("a number"));
    let text = "[a-z\u{0}-\u{1f}\"'\\\\é😀 ]{0,8}";
    let leaf = prop_oneof![
        text.prop_map(AttributeValue::S),
        number.clone().prop_map(AttributeValue::N),
        proptest::collection::vec(any::<u8>(), 0..9).prop_map(AttributeValue::B),
        any::<bool>().prop_map(AttributeValue::Bool),
        Just(AttributeValue::Null),
        proptest::collection::btree_set(text, 1..4).prop_map(AttributeValue::Ss),
        proptest::collection::btree_set(number, 1..4).prop_map(AttributeValue::Ns),
        Just(AttributeValue::Bs(BTreeSet::from([vec![1, 2], vec![]]))),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(AttributeValue::L),
            proptest::collection::btree_map("[a-z$_ 'é0-9]{1,6}|null|true", inner, 0..4)
                .prop_map(AttributeValue::M),
        ]
    })
}

proptest! {
    #[test]
    fn an_item_written_as_ion_is_read_back(members in proptest::collection::btree_map("[a-zA-Z_$ 0-9'\"]{1,6}", value(), 0..5)) {
        let item = Item::from_attributes(members.clone()).expect("an item");
        let mut out = b"$ion_1_0 ".to_vec();
        ion::write_item(item.as_ref(), &mut out);
        prop_assert!(!out.contains(&b'\n'));
        prop_assert_eq!(ion::read(&out), Ok(AttributeValue::M(members.into_iter().collect::<BTreeMap<_, _>>())));
    }

    #[test]
    fn a_csv_record_is_read_back(fields in proptest::collection::vec("[a-z,;\"\n ]{0,5}", 1..5), others in proptest::collection::vec("[a-z]{0,3}", 1..3)) {
        let quoted = |field: &String| format!("\"{}\"", field.replace('"', "\"\""));
        let record = fields.iter().map(quoted).collect::<Vec<_>>().join(",");
        let file = format!("{record}\n{}", others.join(","));
        let (records, _) = records_from(file.as_bytes(), Packing::None, Framing::Csv { delimiter: b',' }, Position::default());
        let read: Vec<_> = records.iter().map(|record| csv::read(record, b',').expect("fields")).collect();
        let mut wanted = vec![fields];
        if others != [String::new()] {
            wanted.push(others);
        }
        prop_assert_eq!(read, wanted);
    }

    #[test]
    fn reading_goes_on_at_every_position(lines in proptest::collection::vec("[a-z]{0,9}", 0..9), gzip: bool) {
        let file = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let (bytes, packing) = if gzip { (pack(file.as_bytes()).expect("packed"), Packing::Gzip) } else { (file.into_bytes(), Packing::None) };
        let mut reader = RecordReader::new(unpacked(packing, Box::new(Cursor::new(bytes.clone()))), Framing::Lines, Position::default());
        for count in 0..=lines.len() {
            let (rest, _) = records_from(&bytes, packing, Framing::Lines, reader.position());
            let wanted: Vec<Vec<u8>> = lines[count..].iter().map(|line| line.clone().into_bytes()).collect();
            prop_assert_eq!(rest, wanted);
            reader.next_frame().expect("it can be read");
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64), text in "[\\[\\]{}\"':,a0.d$/* \\\\-]{0,40}") {
        let _ = (ion::read(&bytes), ion::read(text.as_bytes()), csv::read(&bytes, b','));
        for packing in [Packing::None, Packing::Gzip, Packing::Zstd] {
            let mut reader = RecordReader::new(unpacked(packing, Box::new(Cursor::new(bytes.clone()))), Framing::Objects, Position::default());
            while let Ok(Some(_)) = reader.next_frame() {}
        }
    }
}
