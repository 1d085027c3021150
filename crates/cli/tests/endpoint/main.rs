//! What tests and pipelines ask of `keyplan serve`, through the real command: data to begin with,
//! namespaces, the control address, the cost report, and that a kill loses nothing.

mod control;
mod faults;
mod isolate;
mod kill;
mod report;
mod seed;
mod serving;
