//! What tests and pipelines ask of `keyplan serve`, through the real command: data to begin with,
//! who is let in, namespaces, the control address, the cost report, how it ends, and that a kill loses nothing.

mod access;
mod buckets;
mod control;
mod copies;
mod damage;
mod durability;
mod faults;
mod figures;
mod isolate;
mod report;
mod seed;
mod serving;
mod shutdown;
mod torture;
mod verify;
mod weather;
