//! Everything that can be wrong with a model file, and the one place where it is put into words.

use std::fmt;

use crate::finding::Position;
use crate::limits::{MODEL_FILE_BYTES_MAX, MODEL_NESTING_MAX, MODEL_NODES_MAX, TEMPLATE_PARTS_MAX};
use crate::types::AttributeType;

/// What a name in a model file can stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A member of the file's own form.
    Member,
    /// A table under `tables`.
    Table,
    /// An index under a table's `indexes`.
    Index,
    /// An entity under `entities`.
    Entity,
    /// A pattern under `patterns`.
    Pattern,
    /// A parameter under a pattern's `parameters`.
    Parameter,
    /// A value under a pattern's `values`.
    Value,
    /// An attribute of an entity, or a name in its key templates.
    Attribute,
    /// An attribute of a table's primary key.
    KeyAttribute,
    /// A diagnosis of a lesson's exercise.
    Diagnosis,
    /// One word of a fixed list, such as an operation.
    Word,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Named::Member => "member",
            Named::Table => "table",
            Named::Index => "index",
            Named::Value => "value",
            Named::Entity => "entity",
            Named::Pattern => "pattern",
            Named::Parameter => "parameter",
            Named::Attribute => "attribute",
            Named::KeyAttribute => "key attribute",
            Named::Diagnosis => "diagnosis",
            Named::Word => "word",
        })
    }
}

/// Why a text is no template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateProblem {
    /// It holds nothing.
    Empty,
    /// A `<` without its `>`.
    NotClosed,
    /// A `>` without its `<`.
    NotOpened,
    /// What stands between `<` and `>` is no name.
    NotAName,
    /// It has more parts than a template may have.
    TooManyParts,
    /// Two names follow each other with no text between them, so a key can't be read back.
    NamesTouch,
}

/// One kind of fault. Its [`Display`](fmt::Display) says what is wrong; [`Problem::remedy`] says
/// what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // The fields are what their names say, and the texts below tell the rest.
pub enum Problem {
    // The text is not the YAML that a model file is written in.
    FileTooLarge { bytes: usize },
    TooManyNodes,
    NestedTooDeep,
    Syntax { text: String },
    AnchorOrAlias,
    Tag,
    SeveralDocuments,
    EmptyFile,
    KeyNotText,
    DuplicateMember { name: String, first: Position },

    // The YAML has not the form of a model file.
    Unknown { what: Named, name: String, nearest: Option<String>, known: Vec<String> },
    MissingMember { name: &'static str },
    WrongKind { expected: &'static str, found: &'static str },
    NotAWholeNumber { text: String },
    Form { expected: String },

    // The form is right, but it doesn't hang together.
    Version { found: u64 },
    Empty { what: &'static str },
    NotAnId { text: String },
    TableName { text: String },
    Template { problem: TemplateProblem },
    KeyAttributeMissing { attribute: String, table: String },
    NumberKeyTemplate { attribute: String },
    NameType { name: String, expected: AttributeType, declared: AttributeType },
    TypeOfName { name: String, declared: AttributeType },
    KeyAttributeDeclared { attribute: String },
    KeyPartCount { found: usize },
    LocalIndexPartition { attribute: String },
    IndexStaysEmpty { index: String, attribute: String },
    TtlAttribute { attribute: String },
    Expression { text: String },
    UnusedValue { name: String },
    SortConditionOrder { attribute: String },
    UnusedParameter { name: String },
    MemberNeeded { operation: &'static str, member: &'static str },
    MemberRefused { operation: &'static str, member: &'static str },
    PartitionKeyCondition { attribute: String },
    TypeRefusesBeginsWith { attribute: String },
    LimitOutOfRange { limit: u64 },
    NotUnits { text: String },
    NotARate { text: String },
    EntityOfAnotherTable { entity: String, table: String },
    OneEntityEach { found: usize },
    ValueMissing { name: String, entity: String },
    ValueType { name: String, expected: AttributeType, found: &'static str },
    NotANumber { name: String, text: String },
    NotBase64 { name: String },
    DuplicateInSet { name: String },
    DuplicateItem { first: Position },
    KeyReadsAs { entity: String, other: String },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::FileTooLarge { bytes } => write!(f, "the file has {bytes} bytes"),
            Problem::TooManyNodes => write!(f, "the file holds more than {MODEL_NODES_MAX} values"),
            Problem::NestedTooDeep => {
                write!(f, "lists and mappings stand more than {MODEL_NESTING_MAX} deep")
            }
            Problem::Syntax { text } => write!(f, "this is not YAML: {text}"),
            Problem::AnchorOrAlias => f.write_str("anchors and aliases are not used here"),
            Problem::Tag => f.write_str("tags are not used here"),
            Problem::SeveralDocuments => f.write_str("a second document begins here"),
            Problem::EmptyFile => f.write_str("the file holds nothing"),
            Problem::KeyNotText => f.write_str("a member's name must be a single text"),
            Problem::DuplicateMember { name, first } => {
                write!(f, "`{name}` stands here a second time; the first is at {first}")
            }
            Problem::Unknown { what, name, .. } => write!(f, "unknown {what} `{name}`"),
            Problem::MissingMember { name } => write!(f, "the member `{name}` is missing"),
            Problem::WrongKind { expected, found } => {
                write!(f, "{expected} is expected here, not {found}")
            }
            Problem::NotAWholeNumber { text } => write!(f, "`{text}` is no whole number"),
            Problem::Form { expected } => write!(f, "{expected} is expected here"),
            Problem::Version { found } => write!(f, "this file's form is version {found}"),
            Problem::Empty { what } => write!(f, "{what} is empty"),
            Problem::NotAnId { text } => write!(f, "`{text}` can't name anything here"),
            Problem::TableName { text } => write!(f, "`{text}` is no table name"),
            Problem::Template { problem } => fmt_template(*problem, f),
            Problem::KeyAttributeMissing { attribute, table } => {
                write!(f, "the key has no `{attribute}`, which table `{table}` needs")
            }
            Problem::NumberKeyTemplate { attribute } => {
                write!(f, "`{attribute}` is a number, so its template must be a single name or a number")
            }
            Problem::NameType { name, expected, declared } => {
                write!(f, "`{name}` is {declared}, but this key attribute is {expected}")
            }
            Problem::TypeOfName { name, declared } => {
                write!(f, "`{name}` is {declared}, which can't be part of a key's text")
            }
            Problem::KeyAttributeDeclared { attribute } => {
                write!(f, "`{attribute}` is part of the key already")
            }
            Problem::KeyPartCount { found } => {
                write!(f, "this half of the key has {found} attributes")
            }
            Problem::LocalIndexPartition { attribute } => {
                write!(f, "a local index has its table's partition key, `{attribute}`")
            }
            Problem::IndexStaysEmpty { index, attribute } => {
                write!(f, "no entity has `{attribute}`, so index `{index}` stays empty")
            }
            Problem::TtlAttribute { attribute } => {
                write!(f, "no entity has `{attribute}` as a number, so nothing would expire")
            }
            Problem::Expression { text } => write!(f, "the expression is refused: {text}"),
            Problem::UnusedValue { name } => write!(f, "no expression uses `:{name}`"),
            Problem::SortConditionOrder { attribute } => {
                write!(f, "`{attribute}` can't be asked for: what stands before it in the key is not fixed")
            }
            Problem::UnusedParameter { name } => write!(f, "no part of the pattern uses `{name}`"),
            Problem::MemberNeeded { operation, member } => write!(f, "a {operation} needs `{member}`"),
            Problem::MemberRefused { operation, member } => write!(f, "a {operation} has no `{member}`"),
            Problem::PartitionKeyCondition { attribute } => {
                write!(f, "the partition key `{attribute}` must be given one value")
            }
            Problem::TypeRefusesBeginsWith { attribute } => {
                write!(f, "`{attribute}` is a number, which begins with nothing")
            }
            Problem::LimitOutOfRange { limit } => write!(f, "a limit of {limit} is out of range"),
            Problem::NotUnits { text } => write!(f, "`{text}` is no number of capacity units"),
            Problem::NotARate { text } => write!(f, "`{text}` is no rate"),
            Problem::EntityOfAnotherTable { entity, table } => {
                write!(f, "entity `{entity}` does not stand in table `{table}`")
            }
            Problem::OneEntityEach { found } => write!(f, "this item names {found} entities"),
            Problem::ValueMissing { name, entity } => {
                write!(f, "the key of `{entity}` needs `{name}`, which this item doesn't give")
            }
            Problem::ValueType { name, expected, found } => {
                write!(f, "`{name}` is {expected}, but this is {found}")
            }
            Problem::NotANumber { name, text } => {
                write!(f, "`{name}` is a number, but `{text}` is none")
            }
            Problem::NotBase64 { name } => write!(f, "`{name}` is binary, but this is no base64"),
            Problem::DuplicateInSet { name } => write!(f, "the set `{name}` holds a value twice"),
            Problem::DuplicateItem { first } => {
                write!(f, "this item has the same key as the one at {first}")
            }
            Problem::KeyReadsAs { entity, other } => {
                write!(f, "this item's key reads as well as `{other}` as it does as `{entity}`")
            }
        }
    }
}

fn fmt_template(problem: TemplateProblem, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match problem {
        TemplateProblem::Empty => f.write_str("the template is empty"),
        TemplateProblem::NotClosed => f.write_str("a `<` of the template is not closed"),
        TemplateProblem::NotOpened => f.write_str("a `>` of the template closes nothing"),
        TemplateProblem::NotAName => f.write_str("between `<` and `>` stands no name"),
        TemplateProblem::TooManyParts => {
            write!(f, "the template has more than {TEMPLATE_PARTS_MAX} parts")
        }
        TemplateProblem::NamesTouch => f.write_str("two names of the template touch"),
    }
}

impl Problem {
    /// What to do about it, as one sentence.
    pub fn remedy(&self) -> String {
        match self {
            Problem::FileTooLarge { .. } => {
                format!("Keep a file under {MODEL_FILE_BYTES_MAX} bytes: fewer sample items.")
            }
            Problem::TooManyNodes => "Give fewer sample items.".to_owned(),
            Problem::NestedTooDeep => "Flatten this value.".to_owned(),
            Problem::Syntax { .. } => {
                "Check the indentation and the quotes here and in the line above.".to_owned()
            }
            Problem::AnchorOrAlias => {
                "Write the value out where it is used; quote a text that begins with & or *.".to_owned()
            }
            Problem::Tag => "Remove the tag; quote a text that begins with !.".to_owned(),
            Problem::SeveralDocuments => "Put one document in each file.".to_owned(),
            Problem::EmptyFile => {
                "Begin with `keyplan: 1`, a `title`, a `question`, `tables` and `entities`.".to_owned()
            }
            Problem::KeyNotText => "Write `name: value`.".to_owned(),
            Problem::DuplicateMember { .. } => "Rename or remove one of the two.".to_owned(),
            Problem::Unknown { what, nearest, known, .. } => unknown(*what, nearest.as_deref(), known),
            Problem::MissingMember { name } => format!("Add `{name}:`."),
            Problem::WrongKind { expected, .. } => format!("Write {expected}."),
            Problem::NotAWholeNumber { .. } => "Write digits alone, without quotes.".to_owned(),
            Problem::Form { .. } => "The schema of these files shows the form.".to_owned(),
            Problem::Version { .. } => "Write `keyplan: 1`, the version this program reads.".to_owned(),
            Problem::Empty { .. } => "Fill it, or remove the member if it may be left out.".to_owned(),
            Problem::NotAnId { .. } => {
                "Use a letter, then letters, digits, `-` and `_`, 64 at most.".to_owned()
            }
            Problem::TableName { .. } => {
                "Use 3 to 255 letters, digits, `_`, `-` and `.`, as DynamoDB asks.".to_owned()
            }
            Problem::Template { .. } => {
                "Write texts and names in turn, such as `CUSTOMER#<customerId>`.".to_owned()
            }
            Problem::KeyAttributeMissing { attribute, .. } => {
                format!("Add `{attribute}:` with its template.")
            }
            Problem::NumberKeyTemplate { attribute } => {
                format!("Write `{attribute}: <name>`, or give the key attribute the type S.")
            }
            Problem::NameType { name, expected, .. } => {
                format!("Declare `{name}` with type {}.", expected.code())
            }
            Problem::TypeOfName { .. } => "Use a text (S) or a number (N).".to_owned(),
            Problem::KeyAttributeDeclared { attribute } => {
                format!("Remove `{attribute}` from `attributes`; its template gives its value.")
            }
            Problem::KeyPartCount { .. } => "Give one to four attributes.".to_owned(),
            Problem::LocalIndexPartition { attribute } => {
                format!("Write `partition: {attribute}`, or leave `scope` out.")
            }
            Problem::IndexStaysEmpty { attribute, .. } => {
                format!("Add `{attribute}` to an entity's `attributes` or `index-keys`.")
            }
            Problem::TtlAttribute { attribute } => {
                format!("Add `{attribute}: N` to an entity's `attributes`: seconds since 1970.")
            }
            Problem::Expression { .. } => {
                "Write it as DynamoDB reads it; `<name>` is a parameter, `#name` a reserved name.".to_owned()
            }
            Problem::UnusedValue { name } => format!("Write `:{name}` where it belongs, or remove it."),
            Problem::SortConditionOrder { .. } => {
                "Give each attribute before it one value; only the last takes a comparison.".to_owned()
            }
            Problem::UnusedParameter { name } => {
                format!("Write `<{name}>` where it belongs, or remove the parameter.")
            }
            Problem::MemberNeeded { member, .. } => format!("Add `{member}:`."),
            Problem::MemberRefused { member, .. } => format!("Remove `{member}:`."),
            Problem::PartitionKeyCondition { attribute } => {
                format!("Write `{attribute}:` with a template; only a sort key takes a comparison.")
            }
            Problem::TypeRefusesBeginsWith { .. } => "Use `between`, `<`, `<=`, `>` or `>=`.".to_owned(),
            Problem::LimitOutOfRange { .. } => "Use 1 to 2147483647.".to_owned(),
            Problem::NotUnits { .. } => "Units come in halves: write 0.5, 1, 1.5 and so on.".to_owned(),
            Problem::NotARate { .. } => "Write a number of requests per s, min, h or day: `40/s`.".to_owned(),
            Problem::EntityOfAnotherTable { .. } => {
                "Name an entity of the table that the pattern reads.".to_owned()
            }
            Problem::OneEntityEach { .. } => "Write `- Entity: { name: value }` for each item.".to_owned(),
            Problem::ValueMissing { name, .. } => format!("Add `{name}:` with its value."),
            Problem::ValueType { expected, .. } => format!("Write {}.", expected.written()),
            Problem::NotANumber { .. } => {
                "Write at most 38 digits, with a point or an exponent if need be.".to_owned()
            }
            Problem::NotBase64 { .. } => "Write the bytes in base64, padded with `=`.".to_owned(),
            Problem::DuplicateInSet { .. } => "Name each value once.".to_owned(),
            Problem::DuplicateItem { .. } => {
                "Change one of the two: a second item would replace the first.".to_owned()
            }
            Problem::KeyReadsAs { .. } => {
                "Begin the two entities' sort keys (or partition keys) with different texts.".to_owned()
            }
        }
    }
}

fn unknown(what: Named, nearest: Option<&str>, known: &[String]) -> String {
    match (nearest, known) {
        (Some(nearest), _) => format!("Did you mean `{nearest}`?"),
        (None, []) => format!("There is no {what} to name yet."),
        (None, known) => format!("Known here: {}.", known.join(", ")),
    }
}
