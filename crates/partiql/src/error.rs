//! What can be wrong with a statement before any table is looked at, and the service's words for it.

use std::fmt::{self, Display};

use keyplan_expression::ExpressionError;
use keyplan_value::NumberError;

use crate::position::Position;
use crate::syntax::Returning;

/// Why a statement is refused before any table is looked at. Its text is the service's, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementError {
    /// The text is no statement.
    Malformed {
        /// What was expected or found; nothing where the text can't be read as tokens.
        detail: &'static str,
    },
    /// An insert names something other than a table.
    NotATable(Position),
    /// A rule about the statement as a whole is broken.
    Rule(Rule),
    /// Something stands where it may not.
    At(Misplaced, Position),
    /// A name is none that a document path can have in this place.
    PathComponent(Position),
    /// A list index is none.
    ListIndex {
        /// The index as written.
        index: String,
        /// Where.
        at: Position,
    },
    /// A type that IS doesn't know here.
    IsType {
        /// The type.
        name: String,
        /// Where.
        at: Position,
    },
    /// A function that there is not, or not in this place.
    UnknownFunction {
        /// Its name in lower case.
        name: String,
        /// Where.
        at: Position,
    },
    /// An operator that a condition doesn't have.
    ConditionOperator {
        /// The operator.
        operator: &'static str,
    },
    /// An operator that an assignment doesn't have.
    UpdateOperator {
        /// The operator.
        operator: &'static str,
    },
    /// The text is an expression and no statement.
    NoOperation {
        /// The kind of expression.
        kind: &'static str,
    },
    /// A clause of SELECT that is not supported.
    Clause {
        /// The clause.
        clause: &'static str,
        /// Where.
        at: Position,
    },
    /// DELETE gives back the item before and nothing else.
    DeleteReturning(Returning),
    /// ORDER BY orders by attributes alone.
    OrderTerm {
        /// The kind of expression that is there instead.
        kind: &'static str,
        /// Where.
        at: Position,
    },
    /// Two columns have one name.
    DuplicateColumn {
        /// The name.
        name: String,
    },
    /// A value inside the statement is none.
    Literal {
        /// What is wrong with it.
        fault: LiteralFault,
        /// The way to it from the value that it is in, such as `.a[0]`.
        path: String,
    },
    /// Operands don't go together with their operators.
    Operands(ExpressionError),
}

/// Rules about a statement as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Tables have no other names.
    Alias,
    /// One source.
    SingleSource,
    /// A source is a table or an index of one.
    SourceParts,
    /// A source is a name.
    SourceKind,
    /// No list index in a source.
    SourceList,
    /// Indexes are not written to.
    WriteToIndex,
    /// No name is empty.
    EmptyName,
    /// `*` stands alone.
    StarAmongOthers,
    /// SELECT VALUE and PIVOT.
    SelectValue,
    /// Steps like `[*]`.
    Wildcard,
    /// Steps like `.*`.
    Unpivot,
    /// INSERT without VALUE.
    SeveralItems,
    /// An item is a map.
    ItemForm,
    /// INSERT gives nothing back.
    InsertReturning,
    /// WHERE is a condition.
    NoCondition,
    /// AND and OR go between conditions.
    NoConditionBesideAnd,
    /// NOT stands before a condition.
    NoConditionBehindNot,
    /// MISSING stands behind IS alone.
    Missing,
    /// IS stands behind a path or a literal.
    IsOperand,
    /// IS is for conditions.
    IsInUpdate,
    /// A set has members.
    EmptyBag,
    /// A set of numbers has numbers alone.
    BagMember,
    /// There is a parameter for each placeholder.
    ParameterCount,
}

/// What may not stand at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misplaced {
    /// A statement inside an expression, by its keyword.
    Statement(&'static str),
    /// A function of sets with other than two arguments.
    SetArguments(SetFunction),
    /// A function of sets whose first argument isn't what is assigned.
    SetTarget(SetFunction),
    /// A function of sets whose second argument is no set.
    SetValue(SetFunction),
    /// A member that a set can't have.
    BagMember,
    /// An expression inside a value, by its kind or the function's name, and the way to it.
    Value(String, String),
    /// A literal of Ion by its kind, and the way to it.
    Ion(&'static str, String),
}

/// The functions that change sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetFunction {
    /// `set_add`
    Add,
    /// `set_delete`
    Delete,
}

impl SetFunction {
    fn name(self) -> &'static str {
        match self {
            SetFunction::Add => "SET_ADD",
            SetFunction::Delete => "SET_DELETE",
        }
    }
}

/// What is wrong with a value that is written in a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiteralFault {
    /// A number that can't be stored.
    Number(NumberError),
    /// Too many levels.
    NestedTooDeep,
    /// A set of numbers with a number twice: the members as written.
    DuplicateNumbers(Vec<String>),
    /// A set of strings with a string twice: the members.
    DuplicateStrings(Vec<String>),
    /// NULL in a set of numbers.
    NullInNumbers,
    /// A member's name that is no string.
    MemberName,
    /// A member's name that is there twice.
    DuplicateMember(String),
}

const INVALID: &str = "One or more parameter values were invalid: ";
const BAG_MEMBER: &str =
    "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags";
const MALFORMED: &str = "Statement wasn't well formed, can't be processed: ";

impl std::error::Error for StatementError {}

impl fmt::Display for StatementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use StatementError::*;
        match self {
            Malformed { detail } => write!(f, "{MALFORMED}{detail}"),
            NotATable(at) => write!(
                f,
                "{MALFORMED}FROM clause may only contain a single table name in data manipulation statements at \
                 {at}"
            ),
            Rule(rule) => f.write_str(rule.text()),
            At(misplaced, at) => write!(f, "{misplaced} at {at}"),
            PathComponent(at) => write!(f, "Unexpected path component at {at}"),
            ListIndex { index, at } => {
                write!(f, "List index is not within the allowable range; index: [{index}] at {at}")
            }
            IsType { name, at } => write!(
                f,
                "Unsupported data type for IS operator: {name}. Supported data types are [MISSING, NULL, BOOLEAN, \
                 BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST] at {at}"
            ),
            UnknownFunction { name, at } => write!(f, "Unrecognized function: {name} at {at}"),
            ConditionOperator { operator } => {
                write!(f, "Unsupported operator in Condition Expression. Operator: {operator}")
            }
            UpdateOperator { operator } => {
                write!(f, "Unsupported operator in Update Expression. Operator: {operator}")
            }
            NoOperation { kind } => write!(f, "Unsupported operation: {kind}"),
            Clause { clause, at } => write!(f, "Unsupported clause: {clause} at {at}"),
            DeleteReturning(returning) => write!(
                f,
                "Invalid returning clause: RETURNING {} *. Only RETURNING ALL OLD * is allowed in DELETE \
                 statements.",
                returning.words()
            ),
            OrderTerm { kind, at } => {
                write!(f, "Argument to ORDER BY must be of type VariableReference. Type: {kind} at {at}")
            }
            DuplicateColumn { name } => write!(f, "Duplicate identifiers in select clause: {name}"),
            Literal { fault, path } => fault.write(path, f),
            Operands(error) => operands(error, f),
        }
    }
}

/// The texts of expressions, where PartiQL has two of them otherwise.
fn operands(error: &ExpressionError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match error {
        // The later clause comes first.
        ExpressionError::PathsOverlap { one, two } => {
            ExpressionError::PathsOverlap { one: two.clone(), two: one.clone() }.fmt(f)
        }
        ExpressionError::PathsConflict { one, two } => {
            ExpressionError::PathsConflict { one: two.clone(), two: one.clone() }.fmt(f)
        }
        ExpressionError::AttributeTypeName { name } => write!(
            f,
            "Invalid attribute type name found; type: {name}, valid types: {{N,BS,L,B,NULL,M,S,SS,NS,BOOL}}"
        ),
        error => error.fmt(f),
    }
}

impl Rule {
    fn text(self) -> &'static str {
        match self {
            Rule::Alias => "Aliasing is not supported",
            Rule::SingleSource => "Only select from a single table or index is supported.",
            Rule::SourceParts => "A path may contain at most 2 components in the FROM clause",
            Rule::SourceKind => "Unexpected from source",
            Rule::SourceList => "Invalid list expression in source.",
            Rule::WriteToIndex => "This operation is not supported on an index",
            Rule::EmptyName => "Path component cannot be an empty string",
            Rule::StarAmongOthers => {
                "Other attributes should not be present in the projection when '*' is used."
            }
            Rule::SelectValue => "Select projection doesn't support value or pivot keywords",
            Rule::Wildcard => "Wildcard path component like a[*].b are not supported",
            Rule::Unpivot => "Unpivot path component like a.*.b are not supported",
            Rule::SeveralItems => {
                "Unsupported operation: Inserting multiple items in a single statement is not supported, use \
                 \"INSERT INTO tableName VALUE item\" instead"
            }
            Rule::ItemForm => {
                "Unsupported format in item expression. Please use struct format {...} to express item values \
                 for insert statement."
            }
            Rule::InsertReturning => "RETURNING is not supported in INSERT",
            Rule::NoCondition => "WHERE clause must contain an expression that resolves to a boolean",
            Rule::NoConditionBesideAnd => "The arguments to AND/OR must be Expressions",
            Rule::NoConditionBehindNot => "The argument to NOT must be a Type or Expression",
            Rule::Missing => "MISSING must be compared using IS operator",
            Rule::IsOperand => {
                "The left hand side argument to IS must be a Variable Reference, Literal, or Path"
            }
            Rule::IsInUpdate => "IS operator is not supported in update expressions",
            Rule::BagMember => BAG_MEMBER,
            Rule::EmptyBag => "Empty bags are not supported",
            Rule::ParameterCount => "Number of parameters in request and statement don't match.",
        }
    }
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misplaced::Statement(keyword) => write!(f, "Unsupported token in expression: {keyword}"),
            Misplaced::SetArguments(function) => {
                write!(f, "{} must have exactly two arguments", function.name())
            }
            Misplaced::SetTarget(function) => {
                write!(f, "The first argument to {} must equal the assignment value", function.name())
            }
            Misplaced::SetValue(function) => {
                write!(f, "The second argument to {} must be a value with type SET", function.name())
            }
            Misplaced::BagMember => f.write_str(BAG_MEMBER),
            Misplaced::Value(kind, path) => write!(f, "Unsupported data type: {kind} under key root{path}"),
            Misplaced::Ion(kind, path) => {
                write!(f, "Ion Literals are not supported: {kind} under key root{path}")
            }
        }
    }
}

impl LiteralFault {
    fn write(&self, path: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiteralFault::Number(error) => write!(f, "{error} under root{path}"),
            LiteralFault::NestedTooDeep => {
                write!(f, "Nesting Levels have exceeded supported limits under root{path}")
            }
            LiteralFault::DuplicateNumbers(members) => write!(
                f,
                "{INVALID}Input collection [{}] contains duplicates! under root{path}",
                members.join(", ")
            ),
            LiteralFault::DuplicateStrings(members) => {
                write!(f, "{INVALID}Input collection [{}] contains duplicates.", members.join(", "))
            }
            LiteralFault::NullInNumbers => {
                write!(f, "{INVALID}Numeric sets may not contain null under root{path}")
            }
            LiteralFault::MemberName => write!(f, "Tuple keys must be of type String under root{path}"),
            LiteralFault::DuplicateMember(name) => {
                write!(f, "Duplicate keys in tuple. Key: {name} under root{path}")
            }
        }
    }
}

impl From<ExpressionError> for StatementError {
    fn from(error: ExpressionError) -> StatementError {
        StatementError::Operands(error)
    }
}

impl From<Rule> for StatementError {
    fn from(rule: Rule) -> StatementError {
        StatementError::Rule(rule)
    }
}
