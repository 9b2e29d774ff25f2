//! mcpcli: a command-line client for the Model Context Protocol that says who failed, at which step, with which evidence.
//!
//! The house, room by room. `a -> b, c` means that `a` may use `b` and `c`, and nothing else; a test holds the code to it.
//!
//! ```text
//! rooms
//! main      -> cli
//! cli       -> commands, config, demo, render, report, client, transport, arguments, schema, nearest, duration, secret, trace, outcome, wire
//! commands  -> client, report, arguments, schema, nearest, trace, outcome, wire
//! client    -> transport, schema, wire, trace, outcome
//! transport -> wire, trace, secret, outcome
//! render    -> report, wire, trace, outcome
//! config    -> duration, nearest, secret, outcome, wire
//! demo      -> outcome
//! arguments -> schema, nearest, outcome, wire
//! schema    -> nearest, wire, outcome
//! report    -> outcome
//! wire      -> outcome
//! trace     -> secret
//! outcome   ->
//! secret    ->
//! nearest   ->
//! duration  ->
//! ```
//!
//! Flags become resolved settings, settings and a command become a [`report::Report`], and a renderer prints it. Nothing
//! below `cli` knows clap, the environment or stdout. What a server answers with `isError`, and a failed expectation, are
//! outcomes in the report; `Err` is for what stopped the work.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr))]

pub mod arguments;
pub mod cli;
pub mod client;
pub mod commands;
pub mod config;
pub mod demo;
pub mod duration;
pub mod nearest;
pub mod outcome;
pub mod render;
pub mod report;
pub mod schema;
pub mod secret;
pub mod trace;
pub mod transport;
pub mod wire;
