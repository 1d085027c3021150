//! The longest that a request on one table waits while a large one is deleted, or gets an index.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::arguments::Arguments;
use crate::client::{call, connect};
use crate::data;
use crate::server::Server;
use crate::table::Table;

/// How long after the change the other requests are watched.
const WATCHED: Duration = Duration::from_secs(10);

const ADD_INDEX: &str = r#"{"TableName":"Scanned","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},{"AttributeName":"g0","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"by-g0","KeySchema":[{"AttributeName":"g0","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]}"#;

pub fn measure(arguments: &Arguments) -> Result<(), String> {
    let mut table = Table::new(&["server", "what", "requests meanwhile", "longest wait, ms"]);
    for command in &arguments.servers {
        let server = Server::start(command)?;
        for table in [data::ORDERS, data::SCAN] {
            data::create(server.address, table)?;
        }
        data::fill(server.address, data::ORDERS, 0..data::ITEMS)?;
        data::fill(server.address, data::SCAN, 0..arguments.items)?;
        let changes = [
            ("an index is added", "UpdateTable", ADD_INDEX),
            ("the table is deleted", "DeleteTable", r#"{"TableName":"Scanned"}"#),
        ];
        for (what, operation, body) in changes {
            let (requests, longest) = watched(&server, operation, body)?;
            table.add(&[
                server.name.clone(),
                format!("{what} ({} items)", arguments.items),
                requests.to_string(),
                format!("{:.1}", longest.as_secs_f64() * 1e3),
            ]);
        }
    }
    table.print();
    Ok(())
}

/// Requests on another table while an operation and what follows it run: how many, and the longest.
fn watched(server: &Server, operation: &str, body: &str) -> Result<(u64, Duration), String> {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| -> Result<(u64, Duration), String> {
            let mut stream = connect(server.address)?;
            let (mut requests, mut longest) = (0, Duration::ZERO);
            while !over.load(Ordering::Relaxed) {
                let get =
                    format!(r#"{{"TableName":"Orders","Key":{{{}}}}}"#, data::key(requests % data::ITEMS));
                let began = Instant::now();
                call(&mut stream, "GetItem", get.as_bytes())?;
                longest = longest.max(began.elapsed());
                requests += 1;
            }
            Ok((requests, longest))
        });
        std::thread::sleep(Duration::from_millis(200));
        let changed =
            connect(server.address).and_then(|mut stream| call(&mut stream, operation, body.as_bytes()));
        std::thread::sleep(WATCHED);
        over.store(true, Ordering::Relaxed);
        changed?;
        watching.join().map_err(|_| "the watching thread failed".to_owned())?
    })
}
