//! The contract, table by table, against the built binary.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod arrows;
mod catalogue;
#[cfg(unix)]
mod conformance;
mod conversation;
#[cfg(unix)]
mod counterparts;
mod envelope;
mod faults;
mod help;
mod interruption;
mod memory;
mod modern;
mod negotiation;
mod network;
mod outcomes;
mod questions;
mod readme;
mod secrets;
#[path = "../support/mod.rs"]
mod support;
mod tasks;
mod tls;
mod watch;
