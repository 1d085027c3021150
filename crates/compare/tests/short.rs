//! A short run of the comparison, from several places. `cargo xtask compare` makes a long one.

use std::path::PathBuf;

use keyplan_compare::{Plan, Tally, compare};

#[test]
fn engine_and_model_agree() {
    let program = Some(PathBuf::from(env!("CARGO_BIN_EXE_keyplan-compare")));
    let mut all = Tally::default();
    // Worlds in memory, on a file (11), in a process that is killed (5), and with large items (7 and 32).
    for (seed, requests) in [(1, 5_000), (5, 1_500), (7, 3_000), (11, 3_000), (32, 2_000), (400, 6_000)] {
        let plan = Plan { requests, seed, program: program.clone() };
        let compared = compare(&plan, &mut |_| {});
        let compared = compared.unwrap_or_else(|replay| panic!("{replay}"));
        assert!(compared.requests() >= requests, "only {compared} were compared from seed {seed}");
        all.add(&compared);
    }
    // What never happens, or never succeeds, is not compared.
    let operations = [
        "BatchGetItem",
        "BatchWriteItem",
        "CreateTable",
        "DeleteItem",
        "DeleteTable",
        "DescribeTable",
        "GetItem",
        "GetRecords",
        "PutItem",
        "Query",
        "Scan",
        "TransactGetItems",
        "TransactWriteItems",
        "UpdateItem",
        "UpdateTable",
        "UpdateTimeToLive",
        "older parameters",
    ];
    for operation in operations {
        let (done, _) = all.operations.get(operation).copied().unwrap_or_default();
        assert!(done > 0, "no {operation} was answered with success:\n{all}");
    }
    for operation in
        ["DeleteItem", "PutItem", "Query", "Scan", "TransactWriteItems", "UpdateItem", "older parameters"]
    {
        let (_, refused) = all.operations.get(operation).copied().unwrap_or_default();
        assert!(refused > 0, "no {operation} was refused:\n{all}");
    }
}
