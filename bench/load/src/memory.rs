//! What 100,000 items take: of memory, or of a file where the server keeps one.

use crate::arguments::Arguments;
use crate::data;
use crate::server::Server;
use crate::table::{Table, megabytes};

const ITEMS: u64 = 100_000;

pub fn measure(arguments: &Arguments) -> Result<(), String> {
    let mut table = Table::new(&["server", "idle", "with 100,000 items", "files"]);
    for command in &arguments.servers {
        let server = Server::start(command)?;
        let idle = server.resident_bytes();
        data::create(server.address, data::ORDERS)?;
        data::fill(server.address, data::ORDERS, 0..ITEMS)?;
        std::thread::sleep(std::time::Duration::from_millis(500));
        table.add(&[
            server.name.clone(),
            megabytes(idle),
            megabytes(server.resident_bytes()),
            megabytes(server.file_bytes()),
        ]);
    }
    table.print();
    Ok(())
}
