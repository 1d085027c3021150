//! `keyplan-wasm-bindgen INPUT.wasm OUT_DIR NAME`: turns rustc's module into one that a page
//! can load (`NAME_bg.wasm`), with its JavaScript (`NAME.js`) and types (`NAME.d.ts`).
//!
//! It is the part of the `wasm-bindgen` command that the build needs and nothing else; the
//! command itself brings an HTTP client and TLS for its test runner.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [input, out_dir, name] = args.as_slice() else {
        eprintln!("usage: keyplan-wasm-bindgen INPUT.wasm OUT_DIR NAME");
        return ExitCode::from(2);
    };
    let result =
        wasm_bindgen_cli_support::Bindgen::new().input_path(input).out_name(name).web(true).and_then(
            |bindgen| {
                bindgen
                    .typescript(true)
                    // The JavaScript finds the module beside itself, as a bundler expects.
                    .omit_default_module_path(false)
                    .remove_name_section(true)
                    .remove_producers_section(true)
                    .generate(out_dir)
            },
        );
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wasm-bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}
