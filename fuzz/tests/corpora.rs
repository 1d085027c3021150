//! Every target on its corpus.

use std::fs;
use std::path::Path;

use keyplan_fuzz::TARGETS;

#[test]
fn every_target_stands_its_corpus() {
    for target in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
        let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut tried = 0;
        for file in files {
            let file = file.expect("the corpus can be listed").path();
            // A fault's backtrace does not name the file.
            println!("{}", file.display());
            (target.run)(&fs::read(&file).expect("the corpus can be read"));
            tried += 1;
        }
        assert!(tried > 0, "{} has no seeds", target.name);
    }
}
