//! The syntax tree of a statement, before its parameters are known.
//!
//! Trees are flat: expressions lie in one vector and name each other by position, a part always before
//! what it is a part of, in the order in which they end in the text.

use crate::position::Position;

/// The position of an expression in its tree.
pub(crate) type ExprId = usize;

/// An expression and the place of the token that makes it one.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) expr: Expr,
    pub(crate) at: Position,
}

/// One expression.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// A name, quoted or not.
    Name(String),
    /// A name or another expression, and the way from there.
    Path {
        root: ExprId,
        steps: Vec<Step>,
    },
    String(String),
    /// A number as written, its signs included.
    Number(String),
    Bool(bool),
    Null,
    Missing,
    /// A literal of Ion, and the kind it is of.
    Ion(&'static str),
    /// `?`, and how many stand before it.
    Parameter(usize),
    /// `[…]`, or several expressions in parentheses.
    List(Vec<ExprId>),
    /// `<<…>>`
    Bag(Vec<ExprId>),
    /// `{…}`
    Struct(Vec<(ExprId, ExprId)>),
    /// A sign or NOT before an operand.
    Unary {
        operator: &'static str,
        operand: ExprId,
    },
    /// An operator between two operands.
    Binary {
        operator: &'static str,
        left: ExprId,
        right: ExprId,
    },
    /// `IN`, with what it looks in.
    In {
        operand: ExprId,
        list: ExprId,
        negated: bool,
    },
    Between {
        operand: ExprId,
        lower: ExprId,
        upper: ExprId,
        negated: bool,
    },
    Like {
        negated: bool,
    },
    /// `IS`, with the type's name as written.
    Is {
        operand: ExprId,
        type_name: String,
        type_at: Position,
        negated: bool,
    },
    /// A function, its name in lower case.
    Call {
        name: String,
        arguments: Vec<ExprId>,
    },
    /// `CASE`; whether it compares one operand.
    Case {
        simple: bool,
    },
    /// A statement inside of an expression, or as the expression that is all of the text.
    Statement(Box<Statement>),
}

/// A step of a path.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// `.name`
    Name(String),
    /// `[index]`
    Index(ExprId),
    /// `.*`
    Unpivot,
    /// `[*]`
    Wildcard,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Select(Select),
    Insert(Insert),
    Update(Update),
    Delete(Delete),
}

/// What a statement reads or writes.
#[derive(Clone, Debug)]
pub(crate) struct From {
    pub(crate) source: ExprId,
    pub(crate) aliased: bool,
    /// Whether there are others.
    pub(crate) several: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Select {
    pub(crate) columns: Columns,
    pub(crate) from: From,
    pub(crate) condition: Option<ExprId>,
    pub(crate) order: Vec<Order>,
    /// A clause that is read and not supported.
    pub(crate) unsupported: Option<(&'static str, Position)>,
}

#[derive(Clone, Debug)]
pub(crate) enum Columns {
    All,
    /// Expressions, and whether they have names of their own.
    Some(Vec<(ExprId, bool)>),
    /// `*` among others.
    AllAndOthers,
    /// `SELECT VALUE`
    Value,
}

#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) key: ExprId,
    pub(crate) descending: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Insert {
    pub(crate) target: ExprId,
    /// The item; of an insert without VALUE, what stands in its place.
    pub(crate) value: ExprId,
    pub(crate) several: bool,
    pub(crate) returning: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Update {
    pub(crate) from: From,
    pub(crate) changes: Vec<Change>,
    pub(crate) condition: Option<ExprId>,
    pub(crate) returning: Option<Returning>,
}

#[derive(Clone, Debug)]
pub(crate) enum Change {
    Set { target: ExprId, value: ExprId },
    Remove { target: ExprId },
}

#[derive(Clone, Debug)]
pub(crate) struct Delete {
    pub(crate) from: From,
    pub(crate) condition: Option<ExprId>,
    pub(crate) returning: Option<Returning>,
}

/// What a write gives back of its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returning {
    /// `ALL OLD *`: the item before.
    AllOld,
    /// `ALL NEW *`: the item after.
    AllNew,
    /// `MODIFIED OLD *`: what the write's targets held before.
    ModifiedOld,
    /// `MODIFIED NEW *`: what they hold after.
    ModifiedNew,
}

impl Returning {
    /// As it is written, without the star.
    pub fn words(self) -> &'static str {
        match self {
            Returning::AllOld => "ALL OLD",
            Returning::AllNew => "ALL NEW",
            Returning::ModifiedOld => "MODIFIED OLD",
            Returning::ModifiedNew => "MODIFIED NEW",
        }
    }
}
