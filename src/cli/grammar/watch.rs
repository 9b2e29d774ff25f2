//! The grammar of `watch` and `task`: what goes on beside requests.

use clap::{Args, ValueEnum};

use super::super::values;

/// `watch [URI]...`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mcpcli -s demo watch demo://clock --count 3
  mcpcli -s demo watch --tools --for 1s
  mcpcli -s demo --json watch demo://clock --count 1

Without a word on what to watch, all changes that the server says it tells of. With --json each notification is a document on a line \
of its own, and the last line is the outcome.")]
pub struct Watch {
    /// Tell when these resources change
    #[arg(value_name = "URI", value_parser = values::word)]
    pub uris: Vec<String>,
    /// Tell when the list of tools changes
    #[arg(long)]
    pub tools: bool,
    /// Tell when the list of prompts changes
    #[arg(long)]
    pub prompts: bool,
    /// Tell when the list of resources changes
    #[arg(long)]
    pub resources: bool,
    /// Tell where this task stands; can be repeated
    #[arg(long, value_name = "ID")]
    pub task: Vec<String>,
    /// End after so many notifications
    #[arg(long, value_name = "N", value_parser = values::count)]
    pub count: Option<usize>,
    /// End after this time, counted from the server's agreement on
    #[arg(long = "for", value_name = "TIME", value_parser = values::limit)]
    pub time: Option<values::Limit>,
}

/// `task DEED [ID]`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mcpcli -s NAME call job steps=20 --detach
  mcpcli -s NAME task get ID
  mcpcli -s NAME task get ID --wait
  mcpcli -s NAME task cancel ID
  mcpcli -s NAME --protocol 2025-11-25 task list")]
pub struct Task {
    /// What to do
    #[arg(value_enum)]
    pub deed: Deed,
    /// The id of the task
    #[arg(value_name = "ID", value_parser = values::word, required_if_eq_any([("deed", "get"), ("deed", "cancel")]))]
    pub id: Option<String>,
    /// With get: wait for its end, and answer what it asks
    #[arg(long)]
    pub wait: bool,
}

/// What to do with tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Deed {
    /// Tell where it stands, with its result if it has one.
    Get,
    /// Cancel it.
    Cancel,
    /// List all (2025-11-25 only).
    List,
}
