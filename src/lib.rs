//! mcpcli: a command-line client for the Model Context Protocol that says who failed, at which step, with which evidence.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr))]

pub mod demo;
pub mod outcome;
