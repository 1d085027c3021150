//! What clients do: a request, and what its answer must hold.

use std::fmt::Write as _;
use std::net::SocketAddr;

use crate::client::write_request;
use crate::data::{self, Table};

/// One kind of load.
pub trait Workload {
    fn name(&self) -> &'static str;

    /// Writes the next request of a connection, after `answer`. Gives whether that answer ended an operation.
    fn next(
        &mut self,
        connection: usize,
        answer: Option<&[u8]>,
        address: SocketAddr,
        out: &mut Vec<u8>,
    ) -> bool;

    /// Whether the body of a success is what the request asked for.
    fn is_right(&self, body: &[u8]) -> bool;
}

/// One request is one operation.
pub struct Single {
    name: &'static str,
    /// The operation and its body, for a random number.
    request: fn(&mut fastrand::Rng, &mut String) -> &'static str,
    /// What must stand in an answer; of several one is enough.
    expected: &'static [&'static str],
    random: fastrand::Rng,
    body: String,
}

impl Workload for Single {
    fn name(&self) -> &'static str {
        self.name
    }

    fn next(&mut self, _: usize, _: Option<&[u8]>, address: SocketAddr, out: &mut Vec<u8>) -> bool {
        self.body.clear();
        let operation = (self.request)(&mut self.random, &mut self.body);
        write_request(out, address, operation, self.body.as_bytes());
        true
    }

    fn is_right(&self, body: &[u8]) -> bool {
        self.expected.iter().any(|expected| holds(body, expected))
    }
}

/// Whether a short text stands near the start or the end of a body: looking through a megabyte would cost the
/// client more than the server's answer.
fn holds(body: &[u8], expected: &str) -> bool {
    const NEAR: usize = 16 * 1024;
    let found = |part: &[u8]| part.windows(expected.len()).any(|window| window == expected.as_bytes());
    match body.len() {
        0..=NEAR => expected.is_empty() || found(body),
        length => {
            let (start, end) = (body.get(..NEAR / 8), body.get(length - NEAR / 8..));
            start.is_some_and(found) || end.is_some_and(found)
        }
    }
}

/// One operation is a Scan of a whole table, page by page.
pub struct WholeScan {
    pages: u64,
}

const SCAN: &str = r#""TableName":"Scanned","FilterExpression":"amount < :limit","ExpressionAttributeValues":{":limit":{"N":"10"}}"#;

impl Workload for WholeScan {
    fn name(&self) -> &'static str {
        "scan of 10,000 with a filter"
    }

    fn next(&mut self, _: usize, answer: Option<&[u8]>, address: SocketAddr, out: &mut Vec<u8>) -> bool {
        self.pages += 1;
        let start = answer.and_then(last_key);
        let body = match start {
            None => format!("{{{SCAN}}}"),
            Some(key) => format!("{{{SCAN},\"ExclusiveStartKey\":{key}}}"),
        };
        write_request(out, address, "Scan", body.as_bytes());
        answer.is_some() && start.is_none()
    }

    fn is_right(&self, body: &[u8]) -> bool {
        holds(body, "\"ScannedCount\":")
    }
}

/// The LastEvaluatedKey of an answer, as it stands there.
fn last_key(body: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(body).ok()?;
    let (_, rest) = text.split_once("\"LastEvaluatedKey\":")?;
    // A key's values are objects without others in them.
    let end = rest.find("}}")? + 2;
    rest.get(..end)
}

fn single(
    name: &'static str,
    expected: &'static [&'static str],
    request: fn(&mut fastrand::Rng, &mut String) -> &'static str,
) -> Box<dyn Workload> {
    Box::new(Single { name, request, expected, random: fastrand::Rng::with_seed(7), body: String::new() })
}

/// Workloads in memory, in the order of the table.
pub fn all() -> Vec<Box<dyn Workload>> {
    vec![
        get(),
        single("mixed 80/20", &["{}", "{\"Item\":"], |random, body| {
            // A fifth of the keys gets most of the requests.
            let number = match random.u8(..5) {
                0 => random.u64(..data::ITEMS),
                _ => random.u64(..data::ITEMS / 5),
            };
            match random.u8(..5) {
                0 => put_into(data::ORDERS, number, random, body),
                _ => get_of(number, body),
            }
        }),
        put(),
        update(),
        query(),
        single("query page of 1 MB", &["\"LastEvaluatedKey\":"], |_, body| {
            body.push_str(
                r#"{"TableName":"Pages","KeyConditionExpression":"pk = :pk","ExpressionAttributeValues":{":pk":{"S":"LARGE"}}}"#,
            );
            "Query"
        }),
        Box::new(WholeScan { pages: 0 }),
        batch(),
        single("transact write of 4", &["{}"], |random, body| {
            body.push_str(r#"{"TransactItems":["#);
            let start = random.u64(..data::ITEMS / 8) * 8;
            for offset in 0..4 {
                let comma = if offset == 0 { "" } else { "," };
                let item = data::item(start + offset * 2, random.u64(..));
                write!(body, r#"{comma}{{"Put":{{"TableName":"Orders","Item":{{{item}}}}}}}"#)
                    .unwrap_or_default();
            }
            body.push_str("]}");
            "TransactWriteItems"
        }),
        single("put, 1 index", &["{}"], |random, body| {
            put_into(data::ONE_INDEX, random.u64(..data::ITEMS), random, body)
        }),
        single("put, 5 indexes", &["{}"], |random, body| {
            put_into(data::FIVE_INDEXES, random.u64(..data::ITEMS), random, body)
        }),
    ]
}

pub fn get() -> Box<dyn Workload> {
    single("get", &["{\"Item\":"], |random, body| get_of(random.u64(..data::ITEMS), body))
}

pub fn put() -> Box<dyn Workload> {
    single("put (400 B)", &["{}"], |random, body| {
        put_into(data::ORDERS, random.u64(..data::ITEMS), random, body)
    })
}

pub fn update() -> Box<dyn Workload> {
    single("update: condition, counter", &["{}"], |random, body| {
        let key = data::key(random.u64(..data::ITEMS));
        write!(
            body,
            r#"{{"TableName":"Orders","Key":{{{key}}},"UpdateExpression":"ADD amount :one","ConditionExpression":"attribute_exists(pk)","ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}}"#
        )
        .unwrap_or_default();
        "UpdateItem"
    })
}

pub fn query() -> Box<dyn Workload> {
    single("query of 20", &["\"Count\":20"], |random, body| query_of(random.u64(..data::ITEMS), body))
}

pub fn batch() -> Box<dyn Workload> {
    single("batch write of 25", &["\"UnprocessedItems\":{}"], |random, body| {
        body.push_str(r#"{"RequestItems":{"Orders":["#);
        let start = random.u64(..data::ITEMS / 32) * 32;
        for offset in 0..25 {
            let comma = if offset == 0 { "" } else { "," };
            let item = data::item(start + offset, random.u64(..));
            write!(body, r#"{comma}{{"PutRequest":{{"Item":{{{item}}}}}}}"#).unwrap_or_default();
        }
        body.push_str("]}}");
        "BatchWriteItem"
    })
}

/// Gets and queries over more items than [`data::ITEMS`].
pub struct Spread {
    pub name: &'static str,
    pub items: u64,
    pub query: bool,
    pub random: fastrand::Rng,
}

impl Workload for Spread {
    fn name(&self) -> &'static str {
        self.name
    }

    fn next(&mut self, _: usize, _: Option<&[u8]>, address: SocketAddr, out: &mut Vec<u8>) -> bool {
        let (number, mut body) = (self.random.u64(..self.items), String::new());
        let operation = if self.query { query_of(number, &mut body) } else { get_of(number, &mut body) };
        write_request(out, address, operation, body.as_bytes());
        true
    }

    fn is_right(&self, body: &[u8]) -> bool {
        holds(body, if self.query { "\"Count\":20" } else { "{\"Item\":" })
    }
}

/// Puts of new items, one number after the other.
pub struct Grow {
    pub next: u64,
}

impl Workload for Grow {
    fn name(&self) -> &'static str {
        "put of a new item"
    }

    fn next(&mut self, _: usize, _: Option<&[u8]>, address: SocketAddr, out: &mut Vec<u8>) -> bool {
        // Neighbours in time are none in the table.
        let number = self.next.wrapping_mul(2_654_435_761) % (1 << 32);
        self.next += 1;
        let body = format!(r#"{{"TableName":"Orders","Item":{{{}}}}}"#, data::item(number, number));
        write_request(out, address, "PutItem", body.as_bytes());
        true
    }

    fn is_right(&self, body: &[u8]) -> bool {
        body == b"{}"
    }
}

fn get_of(number: u64, body: &mut String) -> &'static str {
    write!(body, r#"{{"TableName":"Orders","Key":{{{}}}}}"#, data::key(number)).unwrap_or_default();
    "GetItem"
}

fn query_of(number: u64, body: &mut String) -> &'static str {
    write!(
        body,
        r#"{{"TableName":"Orders","KeyConditionExpression":"pk = :pk","ExpressionAttributeValues":{{":pk":{{"S":"CUSTOMER#{:08}"}}}}}}"#,
        number / data::PARTITION
    )
    .unwrap_or_default();
    "Query"
}

fn put_into(table: Table, number: u64, random: &mut fastrand::Rng, body: &mut String) -> &'static str {
    let item = data::item(number, random.u64(..));
    write!(body, r#"{{"TableName":"{}","Item":{{{item}}}}}"#, table.name).unwrap_or_default();
    "PutItem"
}
