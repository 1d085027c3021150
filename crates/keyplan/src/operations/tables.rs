//! CreateTable, DescribeTable, ListTables, DeleteTable.

use keyplan_value::json::{Node, Writer};

use super::request;
use crate::parameters::{Body, Parameters};
use crate::reply::{self, Output, Reply, count, text};
use crate::{Database, Error, Explained};

/// The type of a key attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeType {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
}

impl AttributeType {
    fn code(self) -> &'static str {
        match self {
            AttributeType::S => "S",
            AttributeType::N => "N",
            AttributeType::B => "B",
        }
    }
}

/// What an index holds of an item, besides the keys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Projection {
    /// Everything.
    #[default]
    All,
    /// Nothing.
    KeysOnly,
    /// These attributes.
    Include(Vec<String>),
}

#[derive(Debug, Clone, Default)]
struct Key {
    partition: Vec<(String, AttributeType)>,
    sort: Vec<(String, AttributeType)>,
}

impl Key {
    fn attributes(&self) -> impl Iterator<Item = &(String, AttributeType)> {
        self.partition.iter().chain(&self.sort)
    }

    fn write(&self, json: &mut Writer<'_>) {
        json.name("KeySchema").begin_array();
        let of = |attributes: &[(String, AttributeType)], kind: &str, json: &mut Writer<'_>| {
            for (name, _) in attributes {
                json.begin_object().name("AttributeName").string(name);
                json.name("KeyType").string(kind).end_object();
            }
        };
        of(&self.partition, "HASH", json);
        of(&self.sort, "RANGE", json);
        json.end_array();
    }
}

/// A secondary index, global or local.
#[derive(Debug, Clone)]
pub struct SecondaryIndex {
    name: String,
    key: Key,
    projection: Projection,
}

impl SecondaryIndex {
    /// An index of this name that holds everything of an item.
    pub fn new(name: impl Into<String>) -> SecondaryIndex {
        SecondaryIndex { name: name.into(), key: Key::default(), projection: Projection::All }
    }

    /// Its partition key, or one more attribute of it; a local index has the table's.
    pub fn partition_key(mut self, name: impl Into<String>, attribute_type: AttributeType) -> Self {
        self.key.partition.push((name.into(), attribute_type));
        self
    }

    /// Its sort key, or one more attribute of it.
    pub fn sort_key(mut self, name: impl Into<String>, attribute_type: AttributeType) -> Self {
        self.key.sort.push((name.into(), attribute_type));
        self
    }

    /// What it holds of an item.
    pub fn projection(mut self, projection: Projection) -> Self {
        self.projection = projection;
        self
    }

    fn write(&self, json: &mut Writer<'_>) {
        json.begin_object().name("IndexName").string(&self.name);
        self.key.write(json);
        json.name("Projection").begin_object().name("ProjectionType");
        match &self.projection {
            Projection::All => json.string("ALL"),
            Projection::KeysOnly => json.string("KEYS_ONLY"),
            Projection::Include(attributes) => {
                json.string("INCLUDE").name("NonKeyAttributes").begin_array();
                for attribute in attributes {
                    json.string(attribute);
                }
                json.end_array()
            }
        };
        json.end_object().end_object();
    }
}

/// Creates a table; made by [`Database::create_table`].
#[derive(Debug, Clone)]
#[must_use = "a request does nothing until it is sent"]
pub struct CreateTable {
    database: Database,
    table: String,
    key: Key,
    global: Vec<SecondaryIndex>,
    local: Vec<SecondaryIndex>,
    /// Read and write units; nothing on demand.
    provisioned: Option<(u64, u64)>,
}

request! {
    /// Describes a table; made by [`Database::describe_table`].
    DescribeTable, "DescribeTable" => TableDescription
}

request! {
    /// Deletes a table with all its items; made by [`Database::delete_table`].
    DeleteTable, "DeleteTable" => TableDescription
}

request! {
    /// Lists tables by name, 100 a page; made by [`Database::list_tables`].
    ListTables, "ListTables" => ListTablesOutput
}

impl Database {
    /// Creates a table, on demand unless [`CreateTable::provisioned`] says otherwise.
    ///
    /// ```
    /// use keyplan::{AttributeType, Database, Projection, SecondaryIndex};
    ///
    /// let database = Database::in_memory();
    /// let created = database
    ///     .create_table("Orders")
    ///     .partition_key("customer", AttributeType::S)
    ///     .sort_key("order", AttributeType::S)
    ///     .global_secondary_index(
    ///         SecondaryIndex::new("ByState")
    ///             .partition_key("state", AttributeType::S)
    ///             .projection(Projection::KeysOnly),
    ///     )
    ///     .local_secondary_index(SecondaryIndex::new("ByAmount").sort_key("amount", AttributeType::N))
    ///     .send()?;
    /// assert!(created.arn.ends_with(":table/Orders"));
    /// assert_eq!(created.global_secondary_indexes[0].name, "ByState");
    /// # Ok::<(), keyplan::Error>(())
    /// ```
    pub fn create_table(&self, table: impl Into<String>) -> CreateTable {
        CreateTable {
            database: self.clone(),
            table: table.into(),
            key: Key::default(),
            global: Vec::new(),
            local: Vec::new(),
            provisioned: None,
        }
    }

    /// Describes a table.
    pub fn describe_table(&self, table: &str) -> DescribeTable {
        DescribeTable { database: self.clone(), parameters: Parameters::of_table(table) }
    }

    /// Deletes a table with all its items.
    pub fn delete_table(&self, table: &str) -> DeleteTable {
        DeleteTable { database: self.clone(), parameters: Parameters::of_table(table) }
    }

    /// Lists tables by name.
    pub fn list_tables(&self) -> ListTables {
        ListTables { database: self.clone(), parameters: Parameters::new() }
    }
}

impl CreateTable {
    /// The partition key.
    pub fn partition_key(mut self, name: impl Into<String>, attribute_type: AttributeType) -> Self {
        self.key.partition.push((name.into(), attribute_type));
        self
    }

    /// The sort key.
    pub fn sort_key(mut self, name: impl Into<String>, attribute_type: AttributeType) -> Self {
        self.key.sort.push((name.into(), attribute_type));
        self
    }

    /// One more global secondary index.
    pub fn global_secondary_index(mut self, index: SecondaryIndex) -> Self {
        self.global.push(index);
        self
    }

    /// One more local secondary index.
    pub fn local_secondary_index(mut self, index: SecondaryIndex) -> Self {
        self.local.push(index);
        self
    }

    /// Provisions read and write units for the table and each global index, in the place of being paid by
    /// request.
    pub fn provisioned(mut self, read_units: u64, write_units: u64) -> Self {
        self.provisioned = Some((read_units, write_units));
        self
    }

    /// Sends the request.
    ///
    /// # Errors
    /// Those of the service.
    pub fn send(self) -> Result<TableDescription, Error> {
        self.explain_if(false).result
    }

    /// Sends the request, and says that it cost nothing.
    pub fn explain(self) -> Explained<TableDescription> {
        self.explain_if(true)
    }

    fn explain_if(mut self, traced: bool) -> Explained<TableDescription> {
        for index in &mut self.local {
            if index.key.partition.is_empty() {
                index.key.partition.clone_from(&self.key.partition);
            }
        }
        reply::run(
            &self.database,
            "DynamoDB_20120810.CreateTable",
            Ok(Body { text: self.body(), given: Vec::new() }),
            traced,
        )
    }

    fn body(&self) -> Vec<u8> {
        let mut body = Vec::new();
        let mut json = Writer::new(&mut body);
        json.begin_object().name("TableName").string(&self.table);
        json.name("AttributeDefinitions").begin_array();
        let indexes = || self.global.iter().chain(&self.local);
        let mut defined: Vec<&(String, AttributeType)> = Vec::new();
        for attribute in self.key.attributes().chain(indexes().flat_map(|index| index.key.attributes())) {
            // Types that contradict one another are for the service to refuse.
            if !defined.contains(&attribute) {
                defined.push(attribute);
                json.begin_object().name("AttributeName").string(&attribute.0);
                json.name("AttributeType").string(attribute.1.code()).end_object();
            }
        }
        json.end_array();
        self.key.write(&mut json);
        json.name("BillingMode");
        json.string(if self.provisioned.is_some() { "PROVISIONED" } else { "PAY_PER_REQUEST" });
        self.write_throughput(&mut json);
        if !self.global.is_empty() {
            json.name("GlobalSecondaryIndexes").begin_array();
            for index in &self.global {
                json.value_with(|out| {
                    index.write(&mut Writer::new(out));
                    // The throughput is a member of the index.
                    out.pop();
                    if self.provisioned.is_some() {
                        out.push(b',');
                        self.write_throughput(&mut Writer::new(out));
                    }
                    out.push(b'}');
                });
            }
            json.end_array();
        }
        if !self.local.is_empty() {
            json.name("LocalSecondaryIndexes").begin_array();
            for index in &self.local {
                index.write(&mut json);
            }
            json.end_array();
        }
        json.end_object();
        body
    }

    fn write_throughput(&self, json: &mut Writer<'_>) {
        if let Some((read, write)) = self.provisioned {
            json.name("ProvisionedThroughput").begin_object().name("ReadCapacityUnits").integer(read);
            json.name("WriteCapacityUnits").integer(write).end_object();
        }
    }
}

impl ListTables {
    /// Lists those after this name.
    pub fn exclusive_start_table_name(mut self, table: &str) -> Self {
        self.parameters.string("ExclusiveStartTableName", table);
        self
    }

    /// Lists at most so many, up to 100.
    pub fn limit(mut self, tables: u64) -> Self {
        self.parameters.integer("Limit", tables);
        self
    }
}

/// The answer of a ListTables.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListTablesOutput {
    /// The names.
    pub table_names: Vec<String>,
    /// The name to go on after; nothing on the last page.
    pub last_evaluated_table_name: Option<String>,
}

impl Output for ListTablesOutput {
    fn read(reply: Reply<'_, '_>) -> Result<Self, Error> {
        let names = reply.root().get("TableNames").into_iter().flat_map(|names| names.elements());
        Ok(ListTablesOutput {
            table_names: names.filter_map(|name| name.string()).map(|name| name.into_owned()).collect(),
            last_evaluated_table_name: text(reply.root(), "LastEvaluatedTableName"),
        })
    }
}

/// What state a table or an index is in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableStatus {
    /// Ready.
    Active,
    /// Being made.
    Creating,
    /// Being deleted.
    Deleting,
    /// Being changed.
    Updating,
    /// Another state, by the service's word for it.
    Other(String),
}

impl TableStatus {
    fn of(word: Option<String>) -> TableStatus {
        let word = word.unwrap_or_default();
        match word.as_str() {
            "ACTIVE" => TableStatus::Active,
            "CREATING" => TableStatus::Creating,
            "DELETING" => TableStatus::Deleting,
            "UPDATING" => TableStatus::Updating,
            _ => TableStatus::Other(word),
        }
    }
}

/// A table as the service describes it. [`Database::call`] gives all of the description, as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableDescription {
    /// Its name.
    pub name: String,
    /// Its ARN.
    pub arn: String,
    /// Its state.
    pub status: TableStatus,
    /// How many items it has; always up to date here.
    pub item_count: usize,
    /// Their size.
    pub size_bytes: usize,
    /// Its global secondary indexes.
    pub global_secondary_indexes: Vec<IndexDescription>,
    /// Its local secondary indexes.
    pub local_secondary_indexes: Vec<IndexDescription>,
}

/// A secondary index as the service describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexDescription {
    /// Its name.
    pub name: String,
    /// Its state; a local index has none.
    pub status: Option<TableStatus>,
    /// How many entries it has.
    pub item_count: usize,
    /// Their size.
    pub size_bytes: usize,
}

impl IndexDescription {
    fn all(table: Node<'_, '_>, member: &str) -> Vec<IndexDescription> {
        let indexes = table.get(member).into_iter().flat_map(|indexes| indexes.elements());
        let index = |index: Node<'_, '_>| IndexDescription {
            name: text(index, "IndexName").unwrap_or_default(),
            status: index.get("IndexStatus").map(|_| TableStatus::of(text(index, "IndexStatus"))),
            item_count: count(index, "ItemCount"),
            size_bytes: count(index, "IndexSizeBytes"),
        };
        indexes.map(index).collect()
    }
}

impl Output for TableDescription {
    fn read(reply: Reply<'_, '_>) -> Result<Self, Error> {
        // DescribeTable names the member otherwise than the operations that change a table.
        let table = reply.root().get("Table").or_else(|| reply.root().get("TableDescription"));
        let table = table.ok_or_else(Error::unreadable)?;
        Ok(TableDescription {
            name: text(table, "TableName").unwrap_or_default(),
            arn: text(table, "TableArn").unwrap_or_default(),
            status: TableStatus::of(text(table, "TableStatus")),
            item_count: count(table, "ItemCount"),
            size_bytes: count(table, "TableSizeBytes"),
            global_secondary_indexes: IndexDescription::all(table, "GlobalSecondaryIndexes"),
            local_secondary_indexes: IndexDescription::all(table, "LocalSecondaryIndexes"),
        })
    }
}
