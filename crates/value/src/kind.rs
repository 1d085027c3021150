//! The ten types of attribute values.

use std::fmt;

/// The type of an attribute value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueKind {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
    /// String set.
    Ss,
    /// Number set.
    Ns,
    /// Binary set.
    Bs,
    /// Boolean.
    Bool,
    /// Null.
    Null,
    /// List.
    L,
    /// Map.
    M,
}

impl ValueKind {
    /// All types.
    pub const ALL: [ValueKind; 10] = [
        ValueKind::S,
        ValueKind::N,
        ValueKind::B,
        ValueKind::Ss,
        ValueKind::Ns,
        ValueKind::Bs,
        ValueKind::Bool,
        ValueKind::Null,
        ValueKind::L,
        ValueKind::M,
    ];

    /// The name of the type's member in DynamoDB JSON, which `attribute_type` takes as well.
    pub fn code(self) -> &'static str {
        match self {
            ValueKind::S => "S",
            ValueKind::N => "N",
            ValueKind::B => "B",
            ValueKind::Ss => "SS",
            ValueKind::Ns => "NS",
            ValueKind::Bs => "BS",
            ValueKind::Bool => "BOOL",
            ValueKind::Null => "NULL",
            ValueKind::L => "L",
            ValueKind::M => "M",
        }
    }

    /// The type with that [`code`](Self::code).
    pub fn from_code(code: &str) -> Option<ValueKind> {
        Some(match code {
            "S" => ValueKind::S,
            "N" => ValueKind::N,
            "B" => ValueKind::B,
            "SS" => ValueKind::Ss,
            "NS" => ValueKind::Ns,
            "BS" => ValueKind::Bs,
            "BOOL" => ValueKind::Bool,
            "NULL" => ValueKind::Null,
            "L" => ValueKind::L,
            "M" => ValueKind::M,
            _ => return None,
        })
    }

    /// True for the types that a key attribute may have: S, N and B. They are also the types that have
    /// an order.
    pub fn is_key_type(self) -> bool {
        matches!(self, ValueKind::S | ValueKind::N | ValueKind::B)
    }

    /// True for SS, NS and BS.
    pub fn is_set(self) -> bool {
        self.element_kind().is_some()
    }

    /// The type of a set's members. None for a type that is no set.
    pub fn element_kind(self) -> Option<ValueKind> {
        match self {
            ValueKind::Ss => Some(ValueKind::S),
            ValueKind::Ns => Some(ValueKind::N),
            ValueKind::Bs => Some(ValueKind::B),
            _ => None,
        }
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
