//! A value of a request as the service prints it inside a message: strings as they are, structures as
//! Java prints them.

use keyplan_value::json::{Kind as Json, Node};

use crate::limits::ECHO_BYTES_MAX;
use crate::shapes::{Kind, Shape, Structure};

/// The members an attribute value prints, in order; most are of no type that a request can have.
const VALUE_MEMBERS: [(&str, &str); 16] = [
    ("s", "S"),
    ("n", "N"),
    ("b", "B"),
    ("iNT", ""),
    ("dECIMAL", ""),
    ("dOUBLE", ""),
    ("sS", "SS"),
    ("nS", "NS"),
    ("bS", "BS"),
    ("iNTSET", ""),
    ("dECIMALSET", ""),
    ("dOUBLESET", ""),
    ("m", "M"),
    ("l", "L"),
    ("nULL", "NULL"),
    ("bOOL", "BOOL"),
];

/// The value as text, cut at [`ECHO_BYTES_MAX`].
pub(super) fn echo(node: Node<'_, '_>, shape: &'static Shape) -> String {
    let mut out = String::new();
    print(node, shape, 0, &mut out);
    if out.len() > ECHO_BYTES_MAX {
        let end = (0..=ECHO_BYTES_MAX).rev().find(|&at| out.is_char_boundary(at)).unwrap_or_default();
        out.truncate(end);
    }
    out
}

fn print(node: Node<'_, '_>, shape: &'static Shape, depth: usize, out: &mut String) {
    // Values nest as deep as a request can be; nobody reads an echo that far.
    if out.len() > ECHO_BYTES_MAX || depth > crate::limits::ECHO_LEVELS_MAX {
        return;
    }
    let depth = depth + 1;
    match &shape.kind {
        Kind::Structure(structure) => {
            out.push_str(shape.name);
            out.push('(');
            if structure.union {
                print_value(node, structure, depth, out);
            } else {
                for (at, member) in structure.members.iter().enumerate() {
                    print_member(at, member.path, node.get(member.name), member.shape.shape(), depth, out);
                }
            }
            out.push(')');
        }
        Kind::List { element } => {
            out.push('[');
            for (at, value) in node.elements().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                print(value, element.shape(), depth, out);
            }
            out.push(']');
        }
        Kind::Map { value: shape, .. } => {
            out.push('{');
            for (at, (name, value)) in node.members().enumerate() {
                print_member(at, &name.to_str(), Some(value), shape.shape(), depth, out);
            }
            out.push('}');
        }
        Kind::Blob => {
            let length = node.raw().len() / 4 * 3;
            out.push_str(&format!("java.nio.HeapByteBuffer[pos=0 lim={length} cap={length}]"));
        }
        Kind::Integer => out.push_str(&whole(node, i32::MIN.into(), i32::MAX.into())),
        Kind::Long => out.push_str(&whole(node, i64::MIN, i64::MAX)),
        _ => match node.string() {
            Some(text) => out.push_str(&text),
            None => out.push_str(node.raw()),
        },
    }
}

fn whole(node: Node<'_, '_>, least: i64, most: i64) -> String {
    super::member::number(node).map_or_else(String::new, |number| number.within(least, most).to_string())
}

fn print_member(
    at: usize,
    name: &str,
    value: Option<Node<'_, '_>>,
    shape: &'static Shape,
    depth: usize,
    out: &mut String,
) {
    if at > 0 {
        out.push_str(", ");
    }
    out.push_str(name);
    out.push('=');
    match value.filter(|value| value.kind() != Json::Null) {
        Some(value) => print(value, shape, depth, out),
        None => out.push_str("null"),
    }
}

fn print_value(node: Node<'_, '_>, structure: &'static Structure, depth: usize, out: &mut String) {
    for (at, (printed, name)) in VALUE_MEMBERS.into_iter().enumerate() {
        match structure.members.iter().find(|member| member.name == name) {
            Some(member) => print_member(at, printed, node.get(name), member.shape.shape(), depth, out),
            None => {
                if at > 0 {
                    out.push_str(", ");
                }
                out.push_str(printed);
                out.push_str("=null");
            }
        }
    }
}
