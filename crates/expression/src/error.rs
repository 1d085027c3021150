//! What can be wrong with an expression before any table is looked at, and the service's words for it.

use std::fmt;

use keyplan_value::ValueKind;

use crate::limits::OPERATORS_MAX;
use crate::syntax::Clause;

/// The expressions of a request, named as their parameters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExpressionKind {
    /// `ConditionExpression` of a write.
    Condition,
    /// `FilterExpression` of a read.
    Filter,
    /// `KeyConditionExpression` of Query.
    KeyCondition,
    /// `ProjectionExpression` of a read.
    Projection,
    /// `UpdateExpression` of UpdateItem.
    Update,
    /// `SearchConditionExpression` of SearchVectors.
    SearchCondition,
}

impl ExpressionKind {
    /// The name of the parameter.
    pub fn parameter(self) -> &'static str {
        match self {
            ExpressionKind::Condition => "ConditionExpression",
            ExpressionKind::Filter => "FilterExpression",
            ExpressionKind::KeyCondition => "KeyConditionExpression",
            ExpressionKind::Projection => "ProjectionExpression",
            ExpressionKind::Update => "UpdateExpression",
            ExpressionKind::SearchCondition => "SearchConditionExpression",
        }
    }
}

/// One of the two maps of placeholders that a request's expressions share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceholderMap {
    /// `ExpressionAttributeNames`
    Names,
    /// `ExpressionAttributeValues`
    Values,
}

impl PlaceholderMap {
    /// The name of the parameter.
    pub fn parameter(self) -> &'static str {
        match self {
            PlaceholderMap::Names => "ExpressionAttributeNames",
            PlaceholderMap::Values => "ExpressionAttributeValues",
        }
    }

    pub(crate) fn sign(self) -> char {
        match self {
            PlaceholderMap::Names => '#',
            PlaceholderMap::Values => ':',
        }
    }
}

/// What a static check knows of an operand's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandType {
    /// A value's type, or N for what a function computes.
    Known(ValueKind),
    /// A document path's: any of the ten.
    Any,
}

impl fmt::Display for OperandType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OperandType::Known(kind) => f.write_str(kind.code()),
            // The order is the service's; it differs between its hosts.
            OperandType::Any => f.write_str("{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"),
        }
    }
}

/// A value as the service prints it inside a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedValue {
    /// The value's type.
    pub kind: ValueKind,
    /// A string as it is, a number in normal form, a binary as the service's runtime prints a buffer.
    pub text: String,
}

impl fmt::Display for PrintedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AttributeValue: {{{}:{}}}", self.kind.code(), self.text)
    }
}

/// A document path with its names resolved, printed by its parts: `[m, a]`, `[l, [0]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedPath(pub String);

impl fmt::Display for PrintedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.0)
    }
}

/// Why an expression is refused before any table is looked at.
///
/// Its text is the service's without the lead `Invalid <X>Expression: `; [`ExpressionError::has_lead`]
/// says whether the lead belongs in front. Around both the service puts an envelope on some
/// operations, which is the engine's to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionError {
    /// The text is the empty string.
    Empty,
    /// The text is longer than the limit.
    TooLong {
        /// Its bytes.
        bytes: usize,
    },
    /// A token stands where none of its kind may.
    Syntax {
        /// The token as written, or `<EOF>`.
        token: String,
        /// The text around it as written.
        near: String,
    },
    /// The whole content of a group is another group.
    RedundantParentheses,
    /// There are more operators and functions than the limit.
    TooManyOperators,
    /// A list index is larger than the limit.
    ListIndexOutOfRange {
        /// The index as written.
        index: String,
    },
    /// No function has this name; names are case-sensitive.
    UnknownFunction {
        /// The name as written.
        function: String,
    },
    /// A condition is used as an operand, or an operand as a condition.
    MisusedFunction {
        /// The function.
        function: &'static str,
    },
    /// A function of updates stands in a condition, or the other way round.
    FunctionNotAllowed {
        /// The function.
        function: &'static str,
        /// Whether the expression is an update.
        in_update: bool,
    },
    /// A name without alias is a reserved word.
    ReservedWord {
        /// The word as written.
        word: String,
    },
    /// An update has a clause twice.
    RepeatedClause {
        /// The clause.
        clause: Clause,
    },
    /// A `#name` is not in ExpressionAttributeNames.
    UndefinedName {
        /// The placeholder.
        placeholder: String,
    },
    /// A `:value` is not in ExpressionAttributeValues.
    UndefinedValue {
        /// The placeholder.
        placeholder: String,
    },
    /// A document path has more elements than the limit.
    PathTooDeep {
        /// Its elements.
        levels: usize,
    },
    /// A function has too few or too many operands.
    OperandCount {
        /// The function.
        function: &'static str,
        /// The operands it was given.
        count: usize,
    },
    /// The list of an IN is longer than the limit.
    TooManyInOperands {
        /// Its operands.
        count: usize,
    },
    /// A function's first operand is not a document path.
    PathRequired {
        /// The function.
        function: &'static str,
    },
    /// The first operand is among the others.
    SameOperand {
        /// The operator or function.
        operator: &'static str,
        /// The operand.
        operand: PrintedPath,
    },
    /// An operator or function has no meaning for a type.
    OperandType {
        /// The operator or function.
        operator: &'static str,
        /// The type.
        operand: OperandType,
    },
    /// ADD or DELETE has no meaning for a type.
    ClauseOperandType {
        /// The clause.
        clause: Clause,
        /// The type.
        kind: ValueKind,
    },
    /// The second operand of attribute_type names no type.
    AttributeTypeName {
        /// The name given.
        name: String,
    },
    /// The bounds of a BETWEEN are of two types.
    BetweenTypes {
        /// The first bound.
        lower: PrintedValue,
        /// The second bound.
        upper: PrintedValue,
    },
    /// The bounds of a BETWEEN are in the wrong order.
    BetweenOrder {
        /// The first bound.
        lower: PrintedValue,
        /// The second bound.
        upper: PrintedValue,
    },
    /// One path is another, or lies inside it.
    PathsOverlap {
        /// The path written first.
        one: PrintedPath,
        /// The path written second.
        two: PrintedPath,
    },
    /// Two paths treat one place as a map and as a list.
    PathsConflict {
        /// The path written first.
        one: PrintedPath,
        /// The path written second.
        two: PrintedPath,
    },
    /// A key condition uses an operator or function that keys do not have.
    KeyOperator {
        /// The operator or function.
        operator: &'static str,
    },
    /// A key condition names a place inside an attribute.
    KeyNestedPath,
    /// A key condition has two conditions on one attribute.
    KeyRepeated,
    /// A search condition is more than attributes that equal values.
    SearchComparator,
    /// A search condition names a place inside an attribute.
    SearchNestedPath,
    /// A search condition has two conditions on one attribute.
    SearchRepeated,
    /// One condition of a key condition names two attributes.
    KeySeveralAttributes,
    /// One condition of a key condition names no attribute.
    KeyWithoutAttribute,
    /// BETWEEN or begins_with of a key condition does not begin with the attribute.
    KeyNotFirstOperand {
        /// The operator or function.
        operator: &'static str,
    },
    /// Entries of a placeholder map are used by no expression of the request.
    Unused {
        /// The map.
        map: PlaceholderMap,
        /// The entries' keys.
        placeholders: Vec<String>,
    },
}

impl ExpressionError {
    /// Whether the lead `Invalid <X>Expression: ` stands in front of the text.
    pub fn has_lead(&self) -> bool {
        !matches!(self, ExpressionError::Unused { .. })
    }

    /// Whether what is missing or left over is a placeholder's definition. PutItem and DeleteItem
    /// look for these only after everything else about the expression and the item is right.
    pub fn is_about_placeholders(&self) -> bool {
        use ExpressionError::*;
        matches!(self, UndefinedName { .. } | UndefinedValue { .. } | Unused { .. })
    }
}

impl std::error::Error for ExpressionError {}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ExpressionError::*;
        const OVERLAY: &str = "must remove or rewrite one of these paths";
        match self {
            Empty => f.write_str("The expression can not be empty;"),
            TooLong { .. } => f.write_str("Expression size has exceeded the maximum allowed size;"),
            Syntax { token, near } => write!(f, "Syntax error; token: \"{token}\", near: \"{near}\""),
            RedundantParentheses => f.write_str("The expression has redundant parentheses;"),
            TooManyOperators => {
                // The service stops counting at the first operator too many.
                write!(f, "The expression contains too many operators; operator count: {}", OPERATORS_MAX + 1)
            }
            ListIndexOutOfRange { index } => {
                write!(f, "List index is not within the allowable range; index: [{index}]")
            }
            UnknownFunction { function } => write!(f, "Invalid function name; function: {function}"),
            MisusedFunction { function } => {
                write!(
                    f,
                    "The function is not allowed to be used this way in an expression; function: {function}"
                )
            }
            FunctionNotAllowed { function, in_update } => {
                let place = if *in_update { "an update" } else { "a condition" };
                write!(f, "The function is not allowed in {place} expression; function: {function}")
            }
            ReservedWord { word } => {
                write!(f, "Attribute name is a reserved keyword; reserved keyword: {word}")
            }
            RepeatedClause { clause } => {
                let keyword = clause.keyword();
                write!(f, "The \"{keyword}\" section can only be used once in an update expression;")
            }
            UndefinedName { placeholder } => write!(
                f,
                "An expression attribute name used in the document path is not defined; \
                 attribute name: {placeholder}"
            ),
            UndefinedValue { placeholder } => write!(
                f,
                "An expression attribute value used in expression is not defined; \
                 attribute value: {placeholder}"
            ),
            PathTooDeep { levels } => {
                write!(f, "The document path has too many nesting levels; nesting levels: {levels}")
            }
            OperandCount { function, count } => write!(
                f,
                "Incorrect number of operands for operator or function; \
                 operator or function: {function}, number of operands: {count}"
            ),
            TooManyInOperands { count } => {
                write!(f, "The IN operator is provided with too many operands; number of operands: {count}")
            }
            PathRequired { function } => {
                write!(f, "Operator or function requires a document path; operator or function: {function}")
            }
            SameOperand { operator, operand } => write!(
                f,
                "The first operand must be distinct from the remaining operands for this operator \
                 or function; operator: {operator}, first operand: {operand}"
            ),
            OperandType { operator, operand } => write!(
                f,
                "Incorrect operand type for operator or function; \
                 operator or function: {operator}, operand type: {operand}"
            ),
            ClauseOperandType { clause, kind } => write!(
                f,
                "Incorrect operand type for operator or function; \
                 operator: {keyword}, operand type: {}, typeSet: ALLOWED_FOR_{keyword}_OPERAND",
                type_word(*kind),
                keyword = clause.keyword(),
            ),
            AttributeTypeName { name } => write!(
                f,
                "Invalid attribute type name found; type: {name}, \
                 valid types: {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}"
            ),
            BetweenTypes { lower, upper } => write!(
                f,
                "The BETWEEN operator requires same data type for lower and upper bounds; \
                 lower bound operand: {lower}, upper bound operand: {upper}"
            ),
            BetweenOrder { lower, upper } => write!(
                f,
                "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; \
                 lower bound operand: {lower}, upper bound operand: {upper}"
            ),
            PathsOverlap { one, two } => write!(
                f,
                "Two document paths overlap with each other; {OVERLAY}; path one: {one}, path two: {two}"
            ),
            PathsConflict { one, two } => write!(
                f,
                "Two document paths conflict with each other; {OVERLAY}; path one: {one}, path two: {two}"
            ),
            KeyOperator { operator } => {
                write!(f, "Invalid operator used in KeyConditionExpression: {operator}")
            }
            KeyNestedPath => {
                f.write_str("KeyConditionExpressions cannot have conditions on nested attributes")
            }
            SearchComparator => f.write_str("Invalid comparator used in SearchConditionExpression"),
            SearchNestedPath => {
                f.write_str("SearchConditionExpression cannot have conditions on nested attributes")
            }
            SearchRepeated => {
                f.write_str("SearchConditionExpression must only contain one condition per attribute")
            }
            KeyRepeated => f.write_str("KeyConditionExpressions must only contain one condition per key"),
            KeySeveralAttributes => f.write_str(
                "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
            ),
            KeyWithoutAttribute => {
                f.write_str("Invalid condition in KeyConditionExpression: No key attribute specified")
            }
            KeyNotFirstOperand { operator } => write!(
                f,
                "Invalid condition in KeyConditionExpression: \
                 {operator} operator must have the key attribute as its first operand"
            ),
            Unused { map, placeholders } => write!(
                f,
                "Value provided in {} unused in expressions: keys: {{{}}}",
                map.parameter(),
                placeholders.join(", ")
            ),
        }
    }
}

/// The word for a type in the message of ADD and DELETE, which is not the type's code.
fn type_word(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::S => "STRING",
        ValueKind::N => "NUMBER",
        ValueKind::B => "Binary",
        ValueKind::Bool => "BOOL",
        ValueKind::Null => "NULL",
        ValueKind::Ss => "SS",
        ValueKind::Ns => "NS",
        ValueKind::Bs => "BS",
        ValueKind::L => "LIST",
        ValueKind::M => "MAP",
    }
}
