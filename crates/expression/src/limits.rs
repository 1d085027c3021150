//! The limits of the expression languages, each with its unit and its one home. What a key's values may
//! have is `keyplan_value::limits`'.

/// Bytes of one expression as sent, checked before it is read.
pub const EXPRESSION_SIZE_BYTES_MAX: usize = 4_096;

/// Operators and functions of one expression: AND, OR, NOT, comparators, BETWEEN, IN, functions, `+`, `-`.
///
/// It is also what bounds the depth of every tree, and so of every recursion over one.
pub const OPERATORS_MAX: u32 = 300;

/// Operands in the list of one IN.
pub const IN_OPERANDS_MAX: usize = 100;

/// Elements of one document path: its name and what follows it.
pub const PATH_ELEMENTS_MAX: usize = 32;

/// The largest index that a document path may name.
pub const LIST_INDEX_MAX: u32 = i32::MAX as u32;

/// Bytes of a placeholder (`#name`, `:value`), its sign included.
pub const PLACEHOLDER_BYTES_MAX: usize = 255;
