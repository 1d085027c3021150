//! The syntax trees: what an expression says, before its placeholders are known.
//!
//! Trees are flat: operands and conditions lie in vectors and name each other by position, a child
//! always before its parent. So a tree of any shape is dropped without recursion, and checks walk
//! it in the order in which it was written by walking the vector.

use std::sync::Arc;

use keyplan_value::Value;

/// A document path as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) elements: Vec<Element>,
}

/// One element of a path as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// A name without a sign.
    Name(Arc<str>),
    /// `#name`, the sign included. It stands for one element, whatever the name behind it holds.
    Placeholder(Arc<str>),
    /// `[index]`
    Index(u32),
}

/// The position of an operand in its tree.
pub(crate) type OperandId = usize;

/// What conditions compare and SET assigns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Path(Path),
    /// `:value`, the sign included.
    Value(Arc<str>),
    /// A value that another language wrote into its text.
    Literal(Arc<Value>),
    /// Whether a condition holds, which another language may compare.
    Truth(ConditionId),
    Call {
        function: Function,
        arguments: Vec<OperandId>,
    },
    Arithmetic {
        operator: ArithmeticOperator,
        left: OperandId,
        right: OperandId,
    },
}

/// The functions of all expression languages. Their names are read in lower case alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Whether something is at a path.
    AttributeExists,
    /// Whether nothing is at a path.
    AttributeNotExists,
    /// Whether what is at a path has a type.
    AttributeType,
    /// Whether a string or a binary begins with another.
    BeginsWith,
    /// Whether a string, a binary, a set or a list has a part.
    Contains,
    /// How large a value is.
    Size,
    /// What is at a path, or else another value.
    IfNotExists,
    /// Two lists, one behind the other.
    ListAppend,
}

/// Where a function may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FunctionPlace {
    /// It is a condition by itself.
    Condition,
    /// It is an operand of a condition.
    Operand,
    /// It is an operand of SET.
    Update,
}

impl Function {
    const ALL: [Function; 8] = [
        Function::AttributeExists,
        Function::AttributeNotExists,
        Function::AttributeType,
        Function::BeginsWith,
        Function::Contains,
        Function::Size,
        Function::IfNotExists,
        Function::ListAppend,
    ];

    pub(crate) fn named(name: &str) -> Option<Function> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Function::AttributeExists => "attribute_exists",
            Function::AttributeNotExists => "attribute_not_exists",
            Function::AttributeType => "attribute_type",
            Function::BeginsWith => "begins_with",
            Function::Contains => "contains",
            Function::Size => "size",
            Function::IfNotExists => "if_not_exists",
            Function::ListAppend => "list_append",
        }
    }

    pub(crate) fn place(self) -> FunctionPlace {
        match self {
            Function::IfNotExists | Function::ListAppend => FunctionPlace::Update,
            Function::Size => FunctionPlace::Operand,
            _ => FunctionPlace::Condition,
        }
    }

    pub(crate) fn operand_count(self) -> usize {
        match self {
            Function::AttributeExists | Function::AttributeNotExists | Function::Size => 1,
            _ => 2,
        }
    }

    /// Whether the first operand must be a document path.
    pub(crate) fn requires_path(self) -> bool {
        use Function::*;
        matches!(self, AttributeExists | AttributeNotExists | IfNotExists)
    }
}

/// The comparators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparator {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparator::Equal => "=",
            Comparator::NotEqual => "<>",
            Comparator::Less => "<",
            Comparator::LessOrEqual => "<=",
            Comparator::Greater => ">",
            Comparator::GreaterOrEqual => ">=",
        }
    }

    /// The comparator that says the same with its operands exchanged.
    pub fn exchanged(self) -> Comparator {
        match self {
            Comparator::Less => Comparator::Greater,
            Comparator::LessOrEqual => Comparator::GreaterOrEqual,
            Comparator::Greater => Comparator::Less,
            Comparator::GreaterOrEqual => Comparator::LessOrEqual,
            Comparator::Equal | Comparator::NotEqual => self,
        }
    }

    /// Whether it asks for an order, which S, N and B alone have.
    pub(crate) fn is_ordering(self) -> bool {
        !matches!(self, Comparator::Equal | Comparator::NotEqual)
    }
}

/// `+` or `-` of SET.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithmeticOperator {
    /// `+`
    Plus,
    /// `-`
    Minus,
}

impl ArithmeticOperator {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            ArithmeticOperator::Plus => "+",
            ArithmeticOperator::Minus => "-",
        }
    }
}

/// The position of a condition in its tree.
pub(crate) type ConditionId = usize;

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConditionNode {
    And(ConditionId, ConditionId),
    Or(ConditionId, ConditionId),
    Not(ConditionId),
    Compare {
        comparator: Comparator,
        left: OperandId,
        right: OperandId,
    },
    Between {
        operand: OperandId,
        lower: OperandId,
        upper: OperandId,
    },
    In {
        operand: OperandId,
        list: Vec<OperandId>,
    },
    /// A function that is a condition by itself.
    Call {
        function: Function,
        arguments: Vec<OperandId>,
    },
}

/// The tree of a condition, a filter or a key condition. The last node is the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConditionTree {
    pub(crate) operands: Vec<Operand>,
    pub(crate) nodes: Vec<ConditionNode>,
}

/// One action of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Set { path: Path, value: OperandId },
    Remove { path: Path },
    Add { path: Path, value: OperandId },
    Delete { path: Path, value: OperandId },
}

impl Action {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Action::Set { path, .. }
            | Action::Remove { path }
            | Action::Add { path, .. }
            | Action::Delete { path, .. } => path,
        }
    }

    pub(crate) fn clause(&self) -> Clause {
        match self {
            Action::Set { .. } => Clause::Set,
            Action::Remove { .. } => Clause::Remove,
            Action::Add { .. } => Clause::Add,
            Action::Delete { .. } => Clause::Delete,
        }
    }
}

/// The clauses of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clause {
    /// `SET path = value`
    Set,
    /// `REMOVE path`
    Remove,
    /// `ADD path :value`
    Add,
    /// `DELETE path :value`
    Delete,
}

impl Clause {
    /// The clause's keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            Clause::Set => "SET",
            Clause::Remove => "REMOVE",
            Clause::Add => "ADD",
            Clause::Delete => "DELETE",
        }
    }
}

/// The tree of an update, its actions in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UpdateTree {
    pub(crate) operands: Vec<Operand>,
    pub(crate) actions: Vec<Action>,
}
