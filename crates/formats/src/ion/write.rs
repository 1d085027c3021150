//! Items as Ion text.

use keyplan_value::{ItemRef, Number, ValueKind, ValueRef, base64};

use super::annotation;
use crate::limits::ION_LEVELS_MAX;

/// Appends an item as a struct.
pub fn write_item(item: ItemRef<'_>, out: &mut Vec<u8>) {
    write_struct(item.iter(), ION_LEVELS_MAX, out);
}

/// Appends a value.
pub fn write_value(value: ValueRef<'_>, out: &mut Vec<u8>) {
    write_within(value, ION_LEVELS_MAX, out);
}

/// Stored values are never nested as deep as `levels`; a damaged one ends there.
fn write_within(value: ValueRef<'_>, levels: usize, out: &mut Vec<u8>) {
    let Some(levels) = levels.checked_sub(1) else { return out.extend(b"null") };
    match value.kind() {
        ValueKind::S => write_text(value.as_str().unwrap_or_default(), b'"', out),
        ValueKind::N => {
            if let Some(number) = value.number() {
                write_number(&number, out);
            }
        }
        ValueKind::B => {
            out.extend(b"{{");
            base64::encode(value.as_bytes().unwrap_or_default(), out);
            out.extend(b"}}");
        }
        ValueKind::Bool => {
            out.extend(if value.as_bool() == Some(true) { "true" } else { "false" }.as_bytes())
        }
        ValueKind::Null => out.extend(b"null"),
        kind @ (ValueKind::Ss | ValueKind::Ns | ValueKind::Bs | ValueKind::L) => {
            if let Some(set) = annotation(kind) {
                out.extend(set.as_bytes());
                out.extend(b"::");
            }
            out.push(b'[');
            for (at, element) in value.elements().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write_within(element, levels, out);
            }
            out.push(b']');
        }
        ValueKind::M => write_struct(value.members(), levels, out),
    }
}

fn write_struct<'v>(
    members: impl Iterator<Item = (&'v str, ValueRef<'v>)>,
    levels: usize,
    out: &mut Vec<u8>,
) {
    out.push(b'{');
    for (at, (name, value)) in members.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        if is_identifier(name) {
            out.extend(name.as_bytes())
        } else {
            write_text(name, b'\'', out)
        }
        out.push(b':');
        write_within(value, levels, out);
    }
    out.push(b'}');
}

/// Whether a name may stand without quotation marks.
fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    let starts = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    starts
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$')
        && !matches!(name, "null" | "true" | "false" | "nan")
}

fn write_text(text: &str, mark: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.push(mark);
    for byte in text.bytes() {
        match byte {
            b'\\' => out.extend(b"\\\\"),
            b'\n' => out.extend(b"\\n"),
            b'\r' => out.extend(b"\\r"),
            b'\t' => out.extend(b"\\t"),
            byte if byte == mark => out.extend([b'\\', mark]),
            byte if byte.is_ascii_control() => {
                out.extend(b"\\x");
                out.extend([byte >> 4, byte & 15].iter().filter_map(|half| DIGITS.get(usize::from(*half))));
            }
            byte => out.push(byte),
        }
    }
    out.push(mark);
}

/// A number as an Ion decimal, without its trailing zeros: `103.`, `6d2`, `-0.25`, `1d-30`.
fn write_number(number: &Number, out: &mut Vec<u8>) {
    let mut text = Vec::new();
    number.write_text(&mut text);
    let text = String::from_utf8_lossy(&text);
    let (sign, text) = text.strip_prefix('-').map_or(("", &*text), |text| ("-", text));
    let (mantissa, power) = text.split_once(['E', 'e']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    let kept = digits.trim_end_matches('0');
    let zeros = digits.len() - kept.len();
    let exponent = power.parse::<i64>().unwrap_or(0) - fraction.len() as i64 + zeros as i64;
    out.extend(sign.as_bytes());
    match (kept, exponent) {
        ("", _) => out.extend(b"0."),
        (kept, 0) => {
            out.extend(kept.as_bytes());
            out.push(b'.');
        }
        (kept, exponent) if exponent < 0 && kept.len() as i64 + exponent > -6 => {
            let places = exponent.unsigned_abs() as usize;
            match kept.len().checked_sub(places).filter(|whole| *whole > 0) {
                Some(whole) => {
                    let (whole, fraction) = kept.split_at(whole);
                    out.extend([whole, ".", fraction].concat().as_bytes());
                }
                None => {
                    out.extend(b"0.");
                    out.extend(std::iter::repeat_n(b'0', places - kept.len()));
                    out.extend(kept.as_bytes());
                }
            }
        }
        (kept, exponent) => out.extend([kept, "d", &exponent.to_string()].concat().as_bytes()),
    }
}
