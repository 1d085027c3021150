//! From a page's address to the receipt of its first request, in a browser that has nothing of the site.

use crate::binary;
use crate::failure::Outcome;
use crate::place::Place;
use crate::process::Program;
use crate::web;

const SCRIPT: &str = "web/browser/first-answer.mjs";

pub fn measure(place: &Place) -> Outcome {
    web::packages(place)?;
    println!("\nA page's address to its first answered request, with an empty cache; the bar is 1500 ms");
    Program::new("node").arg(place.file(SCRIPT)).arg(binary::file(place)).dir(place.root()).run()
}
