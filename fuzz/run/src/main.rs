//! One program for every target: `KEYPLAN_FUZZ_TARGET` says which.
#![no_main]

use std::sync::LazyLock;

use keyplan_fuzz::Target;
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("KEYPLAN_FUZZ_TARGET").unwrap_or_default();
    keyplan_fuzz::target(&name).unwrap_or_else(|| {
        eprintln!("KEYPLAN_FUZZ_TARGET is {name:?}, which is no target");
        std::process::exit(2);
    })
});

fuzz_target!(|data: &[u8]| (TARGET.run)(data));
