//! Order, freedom of prefixes, ranges, and the hash that files depend on.

use proptest::prelude::*;

use super::*;
use crate::AttributeValue;

fn encode(value: ValueRef<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    encode_attribute(value, &mut out).expect("a key type");
    out
}

/// Values of one key type, with zero bytes, neighbours and shared beginnings likely.
fn key_values() -> impl Strategy<Value = (Value, Value, Value)> {
    let string = "[\u{0}\u{1}a\u{ff}\u{10000}]{0,4}".prop_map(|text| Value::from(ValueRef::string(&text)));
    let byte = prop_oneof![Just(0_u8), Just(1), Just(0x61), Just(0xFE), Just(0xFF)];
    let binary =
        proptest::collection::vec(byte, 0..5).prop_map(|bytes| Value::from(ValueRef::binary(&bytes)));
    let number = (any::<bool>(), 0..1200_u32, -132..128_i32).prop_map(|(minus, digits, power)| {
        let text = format!("{}{digits}e{power}", if minus { "-" } else { "" });
        Value::number(&Number::parse(&text).unwrap_or(Number::from(digits)))
    });
    prop_oneof![
        (string.clone(), string.clone(), string),
        (binary.clone(), binary.clone(), binary),
        (number.clone(), number.clone(), number),
    ]
}

fn in_order(a: &Value, b: &Value) -> std::cmp::Ordering {
    match (a.as_ref().number(), b.as_ref().number()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.as_ref().as_bytes().cmp(&b.as_ref().as_bytes()),
    }
}

proptest! {
    #[test]
    fn encodings_are_ordered_as_the_values((a, b, _) in key_values()) {
        prop_assert_eq!(encode(a.as_ref()).cmp(&encode(b.as_ref())), in_order(&a, &b));
        prop_assert_eq!(a.as_ref().compare(&b.as_ref()), Some(in_order(&a, &b)));
    }

    #[test]
    fn no_encoding_begins_another((a, b, _) in key_values()) {
        if a != b {
            prop_assert!(!encode(a.as_ref()).starts_with(&encode(b.as_ref())));
        }
    }

    #[test]
    fn decoding_gives_the_value_and_the_rest((a, b, _) in key_values()) {
        let mut bytes = encode(a.as_ref());
        encode_attribute(b.as_ref(), &mut bytes).unwrap();
        let (first, rest) = decode_attribute(&bytes).unwrap();
        prop_assert_eq!(&first, &a);
        let (second, rest) = decode_attribute(rest).unwrap();
        prop_assert_eq!(second, b);
        prop_assert!(rest.is_empty());
    }

    #[test]
    fn a_span_admits_what_its_condition_admits((sort, low, high) in key_values(), more in any::<bool>()) {
        let partition = partition_prefix([ValueRef::string("p")]).unwrap();
        let mut key = item_key([ValueRef::string("p")], [sort.as_ref()]).unwrap();
        if more {
            // An index entry's key goes on behind the sort key.
            key.extend_from_slice(&encode(ValueRef::string("base")));
        }
        let (v, low, high) = (sort.as_ref(), low.as_ref(), high.as_ref());
        let order = in_order(&sort, &Value::from(low));
        let mut cases = vec![
            (SortCondition::Equal(low), order.is_eq()),
            (SortCondition::Less(low), order.is_lt()),
            (SortCondition::LessOrEqual(low), order.is_le()),
            (SortCondition::Greater(low), order.is_gt()),
            (SortCondition::GreaterOrEqual(low), order.is_ge()),
            (SortCondition::Between(low, high), order.is_ge() && in_order(&sort, &Value::from(high)).is_le()),
        ];
        if let (Some(bytes), Some(beginning)) = (v.as_bytes(), low.as_bytes()) {
            cases.push((SortCondition::BeginsWith(low), bytes.starts_with(beginning)));
        }
        for (condition, expected) in cases {
            let span = Span::of(&partition, Some(&condition)).unwrap();
            prop_assert_eq!(span.contains(&key), expected, "{:?} of {:?}", condition, v);
        }
        prop_assert!(Span::of(&partition, None).unwrap().contains(&key));
    }

    #[test]
    fn damaged_keys_are_refused_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        let mut tagged = vec![0; HASH_BYTES];
        tagged.push([b'S', b'N', b'B'][bytes.len() % 3]);
        tagged.extend_from_slice(&bytes);
        if let Ok((_, values)) = decode_item_key(&tagged) {
            let again: Vec<u8> = values.iter().flat_map(|value| encode(value.as_ref())).collect();
            prop_assert_eq!(&tagged[HASH_BYTES..], &again[..]);
        }
    }
}

#[test]
fn the_hash_is_the_start_of_xxh3_64() {
    // The published value of XXH3-64 for no input with seed 0 is 2D06800538D394C2.
    assert_eq!(partition_hash(b""), 0x2D06_8005);
    let prefix = partition_prefix([ValueRef::string("CUSTOMER#c-ines")]).unwrap();
    assert_eq!(prefix[HASH_BYTES..], *b"SCUSTOMER#c-ines\x00\x01");
    assert_eq!(prefix[..HASH_BYTES], partition_hash(&prefix[HASH_BYTES..]).to_be_bytes());
    assert_eq!(prefix[..HASH_BYTES], PINNED_HASH.to_be_bytes(), "files would no longer open");
}

/// Computed once; a change of it would make all files unreadable.
const PINNED_HASH: u32 = 0xE2AD_319A;

#[test]
fn several_partition_attributes_are_hashed_as_one() {
    let number = Value::number(&Number::from(7));
    let prefix = partition_prefix([ValueRef::string("a"), number.as_ref()]).unwrap();
    let (hash, values) = decode_item_key(&prefix).unwrap();
    assert_eq!(hash, partition_hash(&prefix[HASH_BYTES..]));
    assert_eq!(values, [Value::from(ValueRef::string("a")), number]);
}

#[test]
fn only_scalars_are_keys() {
    let list = Value::try_from(&AttributeValue::L(vec![])).unwrap();
    assert_eq!(encode_attribute(list.as_ref(), &mut Vec::new()), Err(NotAKeyType(ValueKind::L)));
    let number = Value::number(&Number::from(1));
    let condition = SortCondition::BeginsWith(number.as_ref());
    assert_eq!(Span::of(b"p", Some(&condition)), Err(NotAKeyType(ValueKind::N)));
}

#[test]
fn a_prefix_of_the_highest_bytes_has_no_end() {
    assert_eq!(prefix_end(b""), None);
    assert_eq!(prefix_end(&[0xFF, 0xFF]), None);
    assert_eq!(prefix_end(&[0x01, 0xFF]), Some(vec![0x02]));
}

#[test]
fn a_range_from_high_to_low_is_empty() {
    let condition = SortCondition::Between(ValueRef::string("b"), ValueRef::string("a"));
    assert!(Span::of(b"p", Some(&condition)).unwrap().is_empty());
}
