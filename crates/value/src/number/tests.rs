//! Numbers against the service's rules, and against `bigdecimal` where there are too many cases to list.

use std::str::FromStr;

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use proptest::prelude::*;

use super::*;

fn number(text: &str) -> Number {
    Number::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

#[test]
fn normal_form() {
    let cases = [
        ("0", "0"),
        ("-0", "0"),
        ("+5", "5"),
        ("5.", "5"),
        (".5", "0.5"),
        ("-.5e1", "-5"),
        ("007", "7"),
        ("1.50", "1.5"),
        ("1E+3", "1000"),
        ("1e-3", "0.001"),
        ("123.456e1", "1234.56"),
        ("123.456e-5", "0.00123456"),
        ("100", "100"),
        ("0.00", "0"),
        ("0e125", "0"),
        ("1e0000000000000000000000001", "10"),
    ];
    for (text, normal) in cases {
        assert_eq!(number(text).to_string(), normal, "of {text}");
    }
    assert_eq!(number("1E-130").to_string(), format!("0.{}1", "0".repeat(129)));
    assert_eq!(number("-9.9e125").to_string(), format!("-99{}", "0".repeat(124)));
}

#[test]
fn texts_that_are_no_numbers() {
    for text in [
        "",
        " ",
        " 1",
        "1 ",
        "+",
        "-",
        ".",
        "e1",
        ".e1",
        "1e",
        "1e+",
        "1e1.5",
        "--1",
        "1.2.3",
        "0x10",
        "NaN",
        "Infinity",
        "1_000",
        "1,5",
        "१",
        "1e9223372036854775808",
        "1e-9223372036854775809",
    ] {
        assert_eq!(Number::parse(text), Err(NumberError::NotANumber), "of {text:?}");
    }
}

#[test]
fn range() {
    let nines = "9".repeat(38);
    assert!(Number::parse(&format!("{nines}e88")).is_ok());
    assert!(Number::parse("1e-130").is_ok());
    assert!(Number::parse(&format!("1{}", "0".repeat(125))).is_ok());
    for text in
        ["1e126", "-1e126", "10e125", "0e126", "1e99999999999", "0e99999999999", "1e9223372036854775807"]
    {
        assert_eq!(Number::parse(text), Err(NumberError::Overflow), "of {text}");
    }
    for text in ["1e-131", "0.1e-130", "0e-131", "0.0e-130", "1e-99999999999", "1e-9223372036854775808"] {
        assert_eq!(Number::parse(text), Err(NumberError::Underflow), "of {text}");
    }
    assert_eq!(Number::parse(&format!("1{}", "0".repeat(126))), Err(NumberError::Overflow));
    // Out of range and too long at once: the range is judged first.
    assert_eq!(Number::parse(&format!("1{nines}e126")), Err(NumberError::Overflow));
}

#[test]
fn digits() {
    let most = "1".repeat(38);
    assert!(Number::parse(&most).is_ok());
    assert!(Number::parse(&format!("000{most}000")).is_ok());
    assert!(Number::parse(&format!("0.000{most}000")).is_ok());
    assert_eq!(Number::parse(&format!("{most}1")), Err(NumberError::TooManyDigits));
    assert_eq!(Number::parse(&format!("1{}1", "0".repeat(37))), Err(NumberError::TooManyDigits));
    assert_eq!(Number::parse(&format!("{most}.1")), Err(NumberError::TooManyDigits));
}

#[test]
fn sizes() {
    let cases = [
        ("0", 1),
        ("-0", 1),
        ("42", 2),
        ("-42", 3),
        ("1000", 2),
        ("123", 3),
        ("1.5", 3),
        ("0.0000001", 2),
        ("1", 2),
        ("100.5", 4),
        ("10.01", 3),
        ("1000.001", 5),
        ("0.012", 2),
        ("0.123", 3),
        ("12345", 4),
        ("-12.345", 5),
    ];
    for (text, size) in cases {
        assert_eq!(number(text).size(), size, "of {text}");
    }
    assert_eq!(number(&"1".repeat(38)).size(), 20);
}

#[test]
fn sums_at_the_edges() {
    let top = number(&format!("{}e88", "9".repeat(38)));
    assert_eq!(top.checked_add(&top), Err(NumberError::Overflow));
    assert_eq!(top.checked_add(&number("1e88")), Err(NumberError::Overflow));
    assert_eq!(top.checked_sub(&top), Ok(Number::ZERO));
    assert_eq!(top.checked_add(&Number::from(1)), Err(NumberError::TooManyDigits));
    assert_eq!(number("1e38").checked_sub(&number("5")), Ok(number(&format!("{}5", "9".repeat(37)))));
    assert_eq!(number("1e38").checked_add(&number("5")), Err(NumberError::TooManyDigits));
    assert_eq!(number("1e125").checked_add(&number("1e-130")), Err(NumberError::TooManyDigits));
    let a = number("1.1e-130");
    assert_eq!(a.checked_sub(&number("1e-130")), Err(NumberError::Underflow));
    assert_eq!(number("0.1").checked_add(&number("0.2")), Ok(number("0.3")));
    assert_eq!(number("9").checked_add(&number("1")), Ok(number("10")));
    assert_eq!(number("1").checked_sub(&number("3")), Ok(number("-2")));
    assert_eq!(Number::ZERO.checked_sub(&number("3")), Ok(number("-3")));
}

#[test]
fn integers() {
    for value in [0, 1, -1, 10, i64::MAX, i64::MIN, 1_000_000] {
        assert_eq!(Number::from(value).to_string(), value.to_string());
        assert_eq!(Number::from(value).to_i64(), Some(value));
        assert_eq!(Number::from(value).to_u64(), u64::try_from(value).ok());
    }
    assert_eq!(Number::from(u64::MAX).to_string(), u64::MAX.to_string());
    assert_eq!(Number::from(u64::MAX).to_i64(), None);
    assert_eq!(Number::from(u64::MAX).to_u64(), Some(u64::MAX));
    assert_eq!(number("18446744073709551616").to_u64(), None);
    assert_eq!(number("1e125").to_i64(), None);
    assert_eq!(number("0.5").to_i64(), None);
}

/// Numbers of all magnitudes, as text.
fn texts() -> impl Strategy<Value = String> {
    ("[+-]?", "[0-9]{1,20}", "(\\.[0-9]{0,20})?", -150..150_i32, any::<bool>()).prop_map(
        |(sign, integer, fraction, power, exponent)| match exponent {
            true => format!("{sign}{integer}{fraction}e{power}"),
            false => format!("{sign}{integer}{fraction}"),
        },
    )
}

fn stored() -> impl Strategy<Value = Number> {
    prop_oneof![
        texts().prop_filter_map("in range", |text| Number::parse(&text).ok()),
        any::<i64>().prop_map(Number::from),
        (-200..200_i32).prop_map(Number::from),
    ]
}

fn oracle(number: &Number) -> BigDecimal {
    BigDecimal::from_str(&number.to_string()).expect("the normal form is a number")
}

/// What the service's rules make of an exact value.
fn judged(value: &BigDecimal) -> Result<Number, NumberError> {
    let (digits, scale): (BigInt, i64) = value.normalized().into_bigint_and_exponent();
    let digits = digits.to_string();
    let count = digits.trim_start_matches('-').len() as i64;
    let exponent = count - 1 - scale;
    match () {
        () if digits == "0" => Ok(Number::ZERO),
        () if exponent > 125 => Err(NumberError::Overflow),
        () if exponent < -130 => Err(NumberError::Underflow),
        () if count > 38 => Err(NumberError::TooManyDigits),
        () => Ok(number(&format!("{digits}e{}", -scale))),
    }
}

proptest! {
    #[test]
    fn parsing_agrees_with_the_oracle(text in texts()) {
        let exact = BigDecimal::from_str(&text).expect("bigdecimal reads it");
        let parsed = Number::parse(&text);
        if exact.normalized().into_bigint_and_exponent().0 != BigInt::from(0) {
            prop_assert_eq!(parsed, judged(&exact));
        }
        if let Ok(parsed) = parsed {
            prop_assert_eq!(oracle(&parsed), exact);
            prop_assert_eq!(Number::parse(&parsed.to_string()), Ok(parsed));
        }
    }

    #[test]
    fn sums_agree_with_the_oracle(a in stored(), b in stored()) {
        prop_assert_eq!(a.checked_add(&b), judged(&(oracle(&a) + oracle(&b))));
        prop_assert_eq!(a.checked_sub(&b), judged(&(oracle(&a) - oracle(&b))));
    }

    #[test]
    fn order_agrees_with_the_oracle(a in stored(), b in stored()) {
        let order = oracle(&a).cmp(&oracle(&b));
        prop_assert_eq!(a.cmp(&b), order);
        let (mut x, mut y) = (Vec::new(), Vec::new());
        a.write_ordered(&mut x);
        b.write_ordered(&mut y);
        prop_assert_eq!(x.cmp(&y), order, "encoded as {:x?} and {:x?}", x, y);
    }

    #[test]
    fn the_ordered_encoding_is_undone(a in stored(), rest in any::<[u8; 3]>()) {
        let mut bytes = Vec::new();
        a.write_ordered(&mut bytes);
        let length = bytes.len();
        prop_assert!(length <= 21);
        prop_assert_eq!(ordered_size(&bytes), Some(a.size()));
        bytes.extend_from_slice(&rest);
        prop_assert_eq!(Number::read_ordered(&bytes), Some((a, length)));
        prop_assert_eq!(ordered_length(&bytes), Some(length));
    }

    #[test]
    fn only_canonical_encodings_are_read(sign in prop_oneof![Just(0x40_u8), Just(0x80), Just(0xC0), any::<u8>()],
                                         rest in proptest::collection::vec(any::<u8>(), 0..24)) {
        let mut bytes = vec![sign];
        bytes.extend_from_slice(&rest);
        if let Some((number, length)) = Number::read_ordered(&bytes) {
            let mut again = Vec::new();
            number.write_ordered(&mut again);
            prop_assert_eq!(&bytes[..length], &again[..]);
        }
    }

    #[test]
    fn any_text_is_judged_without_panic(text in "[0-9eE.+-]{0,30}|\\PC{0,10}") {
        let _ = Number::parse(&text);
    }

    #[test]
    fn integers_are_read_as_they_are_written(value in any::<i64>()) {
        prop_assert_eq!(Number::from(value), number(&value.to_string()));
        prop_assert_eq!(number(&value.to_string()).to_i64(), Some(value));
    }
}

/// Numbers as embeddings have them, of up to 20 digits and around the powers of ten at which their ways part.
fn near_32_bits() -> impl Strategy<Value = String> {
    let digits = prop_oneof!["[0-9]{1,9}", "[0-9]{10,20}"];
    ("-?", digits, -60..45_i32).prop_map(|(sign, digits, power)| format!("{sign}{digits}e{power}"))
}

fn as_f32(text: &str) -> Option<f32> {
    let mut bytes = Vec::new();
    number(text).write_ordered(&mut bytes);
    let found = ordered_to_f32(&bytes);
    assert_eq!(number(text).to_f32(), found, "both ways give one number for {text}");
    found
}

proptest! {
    #[test]
    fn the_nearest_32_bit_number_is_that_of_the_text(text in near_32_bits()) {
        let expected: f32 = text.parse().expect("a number");
        // There is but one zero.
        let expected = Some(expected + 0.0).filter(|expected| expected.is_finite());
        prop_assert_eq!(as_f32(&text).map(|found| found + 0.0), expected);
    }

    #[test]
    fn numbers_next_to_the_middle_of_two_are_rounded_once(bits in 0x0080_0000_u32..0x7f00_0000, off in -2..3_i64) {
        let (low, high) = (f32::from_bits(bits), f32::from_bits(bits + 1));
        let middle = f64::midpoint(f64::from(low), f64::from(high));
        // Seventeen digits tell one f64 from the next.
        let text = format!("{:.16e}", f64::from_bits(middle.to_bits().wrapping_add_signed(off)));
        let expected: f32 = text.parse().expect("a number");
        prop_assert_eq!(as_f32(&text), Some(expected));
    }
}

#[test]
fn the_largest_32_bit_number_is_the_last() {
    assert_eq!(as_f32("3.4028235e38"), Some(f32::MAX));
    assert_eq!(as_f32("-3.4028235e38"), Some(f32::MIN));
    assert_eq!(as_f32("3.403e38"), None);
    assert_eq!(as_f32("1e-60"), Some(0.0));
}
