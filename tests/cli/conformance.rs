//! The binary put to the official conformance suite of the protocol: `tests/conformance/run` must be content, once for
//! each release of the suite and the versions that it is for.
//!
//! The suite is installed by `tests/conformance/install`, so a plain `cargo test` ignores these; `tests/run` does not, and
//! there a missing suite is a failure.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::counterparts::group::Group;

/// One scenario takes about a second; only one that hangs takes long, and the suite ends it.
const DEADLINE: Duration = Duration::from_secs(500);

macro_rules! conformance {
    ($($test:ident = $args:expr),+ $(,)?) => {
        $(
            #[test]
            #[ignore = "needs the conformance suite that tests/run installs"]
            fn $test() {
                conforms(&$args);
            }
        )+
    };
}

conformance! {
    stable = ["--release", "stable"],
    next_of_the_legacy_era =
        ["--release", "next", "--version", "2025-03-26", "--version", "2025-06-18", "--version", "2025-11-25"],
    next_of_the_modern_era = ["--release", "next", "--version", "2026-07-28"],
    next_drafts_and_extensions = ["--release", "next", "--version", "other"],
}

/// Runs a part of the suite; fails with the table that it printed.
fn conforms(args: &[&str]) {
    let dir = std::env::var_os("MCPCLI_COUNTERPARTS").expect("MCPCLI_COUNTERPARTS must be set; tests/run sets it");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/run");
    let mut words = vec![script.to_str().expect("paths of the tests are UTF-8").to_owned()];
    words.extend(args.iter().map(|arg| (*arg).to_owned()));
    words.push(dir.into_string().expect("paths of the tests are UTF-8"));

    let table = tempfile::NamedTempFile::new().expect("a temporary file");
    let into = || Stdio::from(table.reopen().expect("the table opens again"));
    let mut command = Group::command(&words);
    command.env("MCPCLI", env!("CARGO_BIN_EXE_mcpcli")).stdout(into()).stderr(into());
    let mut group = Group::start(&mut command);
    let started = Instant::now();
    let status = loop {
        match group.ended() {
            Some(status) => break Some(status),
            None if started.elapsed() > DEADLINE => break None,
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    drop(group);
    let table = std::fs::read_to_string(table.path()).expect("the table can be read");
    assert!(status.is_some_and(|status| status.success()), "{}\n{status:?}\n{table}", words.join(" "));
}
