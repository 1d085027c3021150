//! Query and Scan, a page at a time or through all pages.

use std::vec;

use super::{placeholders, request};
use crate::parameters::Parameters;
use crate::reply::{self, Output, Reply};
use crate::{Database, Error, IntoItem, Item};

request! {
    /// Reads items of one partition in the order of their sort keys; made by [`Database::query`].
    Query, "Query" => Page
}

request! {
    /// Reads all items of a table or an index; made by [`Database::scan`].
    Scan, "Scan" => Page
}

placeholders!(Query, Scan);

impl Database {
    /// Reads the items of one partition of a table or an index, in the order of their sort keys.
    ///
    /// ```
    /// use keyplan::{AttributeType, Database};
    ///
    /// let database = Database::in_memory();
    /// let table = database.create_table("Orders");
    /// table.partition_key("customer", AttributeType::S).sort_key("order", AttributeType::N).send()?;
    /// for order in 0..50 {
    ///     let item = [("customer", "c1".into()), ("order", keyplan::AttributeValue::from(order))];
    ///     database.put_item("Orders", item).send()?;
    /// }
    ///
    /// let latest = database
    ///     .query("Orders")
    ///     .key_condition("customer = :customer")
    ///     .value(":customer", "c1")
    ///     .scan_index_forward(false)
    ///     .limit(20);
    /// assert_eq!(latest.clone().send()?.count, 20);
    /// // Through all pages, one request of 20 items after the other.
    /// let all = latest.items().collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(all.len(), 50);
    /// assert_eq!(all[0].get("order").and_then(|order| order.number()), Some(49.into()));
    /// # Ok::<(), keyplan::Error>(())
    /// ```
    pub fn query(&self, table: &str) -> Query {
        Query { database: self.clone(), parameters: Parameters::of_table(table) }
    }

    /// Reads all items of a table or an index, in no order that a program may rely on.
    pub fn scan(&self, table: &str) -> Scan {
        Scan { database: self.clone(), parameters: Parameters::of_table(table) }
    }
}

macro_rules! paged {
    ($($name:ident $operation:literal),+) => {$(
        impl $name {
            /// Reads an index in the place of the table.
            pub fn index(mut self, index: &str) -> Self {
                self.parameters.string("IndexName", index);
                self
            }

            /// Gives only the items of which this filter expression holds; those that it leaves out were
            /// read and are paid for.
            pub fn filter(mut self, expression: &str) -> Self {
                self.parameters.string("FilterExpression", expression);
                self
            }

            /// Gives only the attributes of this projection expression.
            pub fn projection(mut self, expression: &str) -> Self {
                self.parameters.string("ProjectionExpression", expression);
                self
            }

            /// Reads what the last write left, at twice the cost.
            pub fn consistent_read(mut self, consistent: bool) -> Self {
                self.parameters.boolean("ConsistentRead", consistent);
                self
            }

            /// Reads at most so many items a page, before the filter.
            pub fn limit(mut self, items: u64) -> Self {
                self.parameters.integer("Limit", items);
                self
            }

            /// Goes on after the `last_evaluated_key` of a page before.
            pub fn exclusive_start_key(mut self, key: impl IntoItem) -> Self {
                self.parameters.item("ExclusiveStartKey", key.into_item());
                self
            }

            /// All pages, each read when it is asked for.
            pub fn pages(self) -> Pages {
                let target = concat!("DynamoDB_20120810.", $operation);
                Pages { database: self.database, target, parameters: Some(self.parameters) }
            }

            /// The items of all pages, each page read when it is asked for.
            pub fn items(self) -> Items {
                Items { pages: self.pages(), page: Vec::new().into_iter() }
            }
        }
    )+};
}

paged!(Query "Query", Scan "Scan");

impl Query {
    /// The key condition expression, such as `customer = :c AND begins_with(sort, :prefix)`.
    pub fn key_condition(mut self, expression: &str) -> Self {
        self.parameters.string("KeyConditionExpression", expression);
        self
    }

    /// Whether the items come in ascending order of their sort keys, as they do without this.
    pub fn scan_index_forward(mut self, forward: bool) -> Self {
        self.parameters.boolean("ScanIndexForward", forward);
        self
    }
}

impl Scan {
    /// Reads one of several segments, which together hold every item once.
    pub fn segment(mut self, segment: u64, total_segments: u64) -> Self {
        self.parameters.integer("Segment", segment);
        self.parameters.integer("TotalSegments", total_segments);
        self
    }
}

/// The answer of a Query or a Scan.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Page {
    /// The items.
    pub items: Vec<Item>,
    /// How many items there are.
    pub count: usize,
    /// How many items were read, before the filter.
    pub scanned_count: usize,
    /// The key to go on after; nothing on the last page.
    pub last_evaluated_key: Option<Item>,
}

impl Output for Page {
    fn read(mut reply: Reply<'_, '_>) -> Result<Self, Error> {
        Ok(Page {
            items: reply.page_items()?,
            count: reply.count("Count"),
            scanned_count: reply.count("ScannedCount"),
            last_evaluated_key: reply.item("LastEvaluatedKey")?,
        })
    }
}

/// The pages of a Query or a Scan. After an error there are no more.
#[derive(Debug, Clone)]
#[must_use = "pages are read when they are asked for"]
pub struct Pages {
    database: Database,
    target: &'static str,
    /// Of the next page, if there is one.
    parameters: Option<Parameters>,
}

impl Iterator for Pages {
    type Item = Result<Page, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut parameters = self.parameters.take()?;
        let page: Result<Page, Error> = reply::send(&self.database, self.target, parameters.clone().finish());
        if let Ok(Page { last_evaluated_key: Some(key), .. }) = &page {
            parameters.item("ExclusiveStartKey", Ok(key.clone()));
            self.parameters = Some(parameters);
        }
        Some(page)
    }
}

/// The items of all pages of a Query or a Scan. After an error there are no more.
#[derive(Debug, Clone)]
#[must_use = "items are read when they are asked for"]
pub struct Items {
    pages: Pages,
    page: vec::IntoIter<Item>,
}

impl Iterator for Items {
    type Item = Result<Item, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.page.next() {
                return Some(Ok(item));
            }
            // A page may be empty, and yet not the last.
            match self.pages.next()? {
                Ok(page) => self.page = page.items.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
