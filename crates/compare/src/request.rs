//! What a world's steps are: plain data, so that any of them can be left out and the rest run again.

use crate::expression::{Condition, Path};
use crate::update::Update;
use crate::value::{Item, Spelling, Value};

/// A key attribute: its name and its type.
pub type KeyAttribute = (String, &'static str);

/// The key of a table or an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySchema {
    /// The partition key.
    pub partition: KeyAttribute,
    /// The sort key, if there is one.
    pub sort: Option<KeyAttribute>,
}

impl KeySchema {
    /// The attributes, the partition key first.
    pub fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// Whether an attribute is one of them.
    pub fn has(&self, name: &str) -> bool {
        self.attributes().any(|(attribute, _)| attribute == name)
    }
}

/// What an index has of its items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Projection {
    /// All of them.
    All,
    /// The keys of the index and the table.
    KeysOnly,
    /// The keys, and these.
    Include(Vec<String>),
}

/// A secondary index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// Its key.
    pub key: KeySchema,
    /// Whether it is a global one.
    pub is_global: bool,
    /// What it has.
    pub projection: Projection,
}

/// What a stream's records show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The key.
    KeysOnly,
    /// And the item after the change.
    NewImage,
    /// Or the item before it.
    OldImage,
    /// Or both.
    NewAndOldImages,
}

/// A table as it is created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSpec {
    /// Its name.
    pub name: String,
    /// Its key.
    pub key: KeySchema,
    /// Its indexes.
    pub indexes: Vec<Index>,
    /// Its stream.
    pub stream: Option<View>,
}

/// How much of its cost an answer tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Nothing.
    None,
    /// The sum.
    Total,
    /// The sum, and the share of the table and of each index.
    Indexes,
}

/// What an update answers of the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// Nothing.
    None,
    /// The item before.
    AllOld,
    /// The item after.
    AllNew,
    /// What the targets held before.
    UpdatedOld,
    /// What they hold after.
    UpdatedNew,
}

/// What a write does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It puts an item.
    Put(Item),
    /// It updates the item of a key.
    Update(Item, Option<Update>),
    /// It deletes the item of a key.
    Delete(Item),
    /// It only looks at the item of a key.
    Check(Item),
}

/// One write of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The table.
    pub table: String,
    /// What it does.
    pub effect: Effect,
    /// What must hold for the item before.
    pub condition: Option<Condition>,
    /// Whether the item is told when that doesn't hold.
    pub tells_item: bool,
    /// Whether it is written in the parameters from before expressions.
    pub is_legacy: bool,
}

/// What of its items a read answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// What the source has.
    Default,
    /// All attributes, asked for by name.
    All,
    /// These paths.
    Paths(Vec<Path>),
    /// Only how many there are.
    Count,
}

/// The condition on a sort key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortTest {
    /// Compared to a value.
    Compare(crate::expression::Comparator, Value),
    /// Between two, both included.
    Between(Value, Value),
    /// Beginning so.
    BeginsWith(Value),
}

/// What Query and Scan have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The table.
    pub table: String,
    /// The index, if one is read.
    pub index: Option<String>,
    /// Which items are answered.
    pub filter: Option<Condition>,
    /// What is answered of them.
    pub shown: Shown,
    /// How many are looked at, at most.
    pub limit: Option<u64>,
    /// The key after which the read begins.
    pub start: Option<Item>,
    /// Whether the read is strongly consistent.
    pub is_consistent: bool,
    /// Whether it is written in the parameters from before expressions.
    pub is_legacy: bool,
    /// How many pages are read one after the other, at most.
    pub pages: usize,
    /// How much of its cost is told.
    pub detail: Detail,
}

impl Read {
    /// A read of all of a table or an index.
    pub fn everything(table: &str, index: Option<String>) -> Read {
        Read {
            table: table.to_owned(),
            index,
            filter: None,
            shown: Shown::Default,
            limit: None,
            start: None,
            is_consistent: false,
            is_legacy: false,
            pages: usize::MAX,
            detail: Detail::None,
        }
    }
}

/// What a BatchGetItem asks of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GetBlock {
    /// The table.
    pub table: String,
    /// The keys.
    pub keys: Vec<Item>,
    /// The paths answered; all without.
    pub paths: Option<Vec<Path>>,
    /// Whether the read is strongly consistent.
    pub is_consistent: bool,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// CreateTable.
    Create(TableSpec),
    /// PutItem, UpdateItem or DeleteItem.
    Write {
        /// The write.
        write: Write,
        /// What is answered of the item.
        returned: Returned,
        /// How much of its cost is told.
        detail: Detail,
        /// Whether the item collection is told of.
        metrics: bool,
        /// How its numbers are written.
        spelling: Spelling,
    },
    /// GetItem.
    Get {
        /// The table.
        table: String,
        /// The key.
        key: Item,
        /// The paths answered; all without.
        paths: Option<Vec<Path>>,
        /// Whether the read is strongly consistent.
        is_consistent: bool,
        /// How much of its cost is told.
        detail: Detail,
    },
    /// Query.
    Query {
        /// What it has in common with Scan.
        read: Read,
        /// The partition key's value.
        partition: Value,
        /// The condition on the sort key.
        sort: Option<SortTest>,
        /// The order of the sort key.
        is_forward: bool,
    },
    /// Scan.
    Scan {
        /// What it has in common with Query.
        read: Read,
        /// The share of a parallel scan: its number, and of how many.
        segment: Option<(u64, u64)>,
    },
    /// BatchGetItem.
    BatchGet(Vec<GetBlock>, Detail),
    /// BatchWriteItem: for each table its puts and deletes.
    BatchWrite(Vec<(String, Vec<Effect>)>, Detail),
    /// TransactGetItems: tables, keys and the paths answered.
    TransactGet(Vec<(String, Item, Option<Vec<Path>>)>, Detail),
    /// TransactWriteItems, perhaps with a token.
    TransactWrite(Vec<Write>, Option<String>, Detail),
    /// UpdateTable, adding a global secondary index.
    AddIndex(String, Index),
    /// UpdateTable, removing one.
    RemoveIndex(String, String),
    /// DeleteTable.
    Drop(String),
    /// UpdateTable, enabling a stream or disabling it.
    Stream(String, Option<View>),
    /// UpdateTimeToLive, on this attribute.
    Expire(String, String),
    /// DescribeTable, of which the counts and sizes are compared.
    Describe(String),
}

/// A step of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A request.
    Request(Box<Request>),
    /// The clock moves, by milliseconds, and what is due is done.
    Advance(u64),
    /// The store is closed, or its owner dies, and it is opened again.
    Reopen,
    /// The owner of the store dies so many turns of an idle loop after it was sent a write. Where it has no process of
    /// its own, that is a request like any other.
    KillDuring(Box<Request>, u64),
    /// The stream of a table is read from where it begins.
    ReadStream(String),
}
