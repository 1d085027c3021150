//! The comparison operators, and what each takes.

use keyplan_value::ValueKind;

/// A ComparisonOperator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonOperator {
    /// Equal.
    Eq,
    /// Not equal; also where there is no attribute.
    Ne,
    /// Equal to one of some values.
    In,
    /// Less or equal.
    Le,
    /// Less.
    Lt,
    /// Greater or equal.
    Ge,
    /// Greater.
    Gt,
    /// Between two values, both included.
    Between,
    /// The attribute exists.
    NotNull,
    /// The attribute doesn't exist.
    Null,
    /// A text has a part, a set or list a member.
    Contains,
    /// The opposite; also where there is no attribute.
    NotContains,
    /// A text or binary begins with another.
    BeginsWith,
}

impl ComparisonOperator {
    const ALL: [ComparisonOperator; 13] = {
        use ComparisonOperator::*;
        [Eq, Ne, In, Le, Lt, Ge, Gt, Between, NotNull, Null, Contains, NotContains, BeginsWith]
    };

    /// The operator of a word, which has capital letters alone.
    pub fn from_word(word: &str) -> Option<ComparisonOperator> {
        ComparisonOperator::ALL.into_iter().find(|operator| operator.word() == word)
    }

    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            ComparisonOperator::Eq => "EQ",
            ComparisonOperator::Ne => "NE",
            ComparisonOperator::In => "IN",
            ComparisonOperator::Le => "LE",
            ComparisonOperator::Lt => "LT",
            ComparisonOperator::Ge => "GE",
            ComparisonOperator::Gt => "GT",
            ComparisonOperator::Between => "BETWEEN",
            ComparisonOperator::NotNull => "NOT_NULL",
            ComparisonOperator::Null => "NULL",
            ComparisonOperator::Contains => "CONTAINS",
            ComparisonOperator::NotContains => "NOT_CONTAINS",
            ComparisonOperator::BeginsWith => "BEGINS_WITH",
        }
    }

    /// Whether it is asked of the attribute alone.
    pub(super) fn takes_nothing(self) -> bool {
        matches!(self, ComparisonOperator::Null | ComparisonOperator::NotNull)
    }

    pub(super) fn takes(self, values: usize) -> bool {
        match self {
            ComparisonOperator::Null | ComparisonOperator::NotNull => values == 0,
            ComparisonOperator::Between => values == 2,
            ComparisonOperator::In => values >= 1,
            _ => values == 1,
        }
    }

    /// Whether it has a meaning for values of a type.
    pub(super) fn is_for(self, kind: ValueKind) -> bool {
        use ComparisonOperator::*;
        match self {
            Eq | Ne | Null | NotNull => true,
            Lt | Le | Gt | Ge | In | Between => kind.is_key_type(),
            BeginsWith => matches!(kind, ValueKind::S | ValueKind::B),
            Contains | NotContains => kind.is_key_type() || matches!(kind, ValueKind::Bool | ValueKind::Null),
        }
    }
}
