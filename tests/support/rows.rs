//! Tables of failures: one row says what the peer does and what must come of it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::init_ok::init_ok;
use super::sandbox::{Run, Sandbox};
use super::server::{FakeServer, Over, Script};

/// Who answers.
#[derive(Clone)]
pub enum Peer {
    /// A server with this script.
    Server(Script),
    /// A port that refuses connections; over stdio a program that does not exist.
    Nobody,
}

/// A look at what a server was sent.
pub type Seen = fn(&FakeServer) -> Result<(), String>;

/// One case: run over each of its transports, once with `--json` and once without.
#[derive(Clone)]
pub struct Row {
    /// What the case is, in a few words.
    pub name: &'static str,
    pub over: &'static [Over],
    pub peer: Peer,
    /// Arguments of the binary without the server; `{url}` in them is the server's URL.
    pub args: &'static [&'static str],
    pub expect: Expect,
    /// Looks at what the server was sent, after each run.
    pub seen: Option<Seen>,
    /// A run that takes longer has failed.
    pub within: Duration,
}

impl Default for Row {
    fn default() -> Row {
        Row {
            name: "",
            over: Over::ALL,
            peer: Peer::Server(init_ok(|request, conn| conn.error(request, -32601, "not in the script"))),
            args: &[],
            expect: Expect::default(),
            seen: None,
            within: Duration::from_secs(10),
        }
    }
}

/// What must come of it. The default is a success.
#[derive(Clone)]
pub struct Expect {
    pub category: &'static str,
    /// Empty: not looked at.
    pub phase: &'static str,
    pub reason: Option<&'static str>,
    pub exit: i32,
    /// Texts that stdout of the run without `--json` must hold.
    pub stdout: &'static [&'static str],
    /// Texts that it must not hold.
    pub stdout_not: &'static [&'static str],
    /// Texts that stderr of the run without `--json` must hold.
    pub stderr: &'static [&'static str],
    /// Texts that it must not hold.
    pub stderr_not: &'static [&'static str],
    /// The ids of all warnings in the document, in order.
    pub warnings: &'static [&'static str],
    /// Texts that neither run may show anywhere.
    pub hidden: &'static [&'static str],
}

impl Default for Expect {
    fn default() -> Expect {
        Expect {
            category: "ok",
            phase: "",
            reason: None,
            exit: 0,
            stdout: &[],
            stdout_not: &[],
            stderr: &[],
            stderr_not: &[],
            warnings: &[],
            hidden: &[],
        }
    }
}

/// Runs all rows over all their transports, some at a time, and fails with every row that failed.
///
/// `MCPCLI_ROW=TEXT` in the environment runs only the rows whose name holds the text.
#[track_caller]
pub fn check_rows(rows: &[Row]) {
    let only = std::env::var("MCPCLI_ROW").unwrap_or_default();
    let cases: Vec<(&Row, Over)> = rows
        .iter()
        .filter(|row| row.name.contains(&only))
        .flat_map(|row| row.over.iter().map(move |over| (row, *over)))
        .filter(|(_, over)| cfg!(unix) || *over != Over::Stdio)
        .collect();
    let failures = failures(&cases);
    assert!(failures.is_empty(), "{} of {} cases failed\n\n{}", failures.len(), cases.len(), failures.join("\n\n"));
}

/// The reports of the cases that failed, in the order of the rows.
pub(super) fn failures(cases: &[(&Row, Over)]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    // Most of the time is waiting, so more threads than processors are of use.
    thread::scope(|scope| {
        for _ in 0..4.min(cases.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::SeqCst);
                    let Some((row, over)) = cases.get(index) else { break };
                    if let Err(report) = check(row, *over) {
                        failed.lock().unwrap().push((index, report));
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap();
    failed.sort();
    failed.into_iter().map(|(_, report)| report).collect()
}

fn check(row: &Row, over: Over) -> Result<(), String> {
    let mut report = String::new();
    for json in [true, false] {
        let (run, server) = run(row, over, json);
        let mut problems = if json { document_problems(row, &run) } else { text_problems(row, &run) };
        problems.extend(common_problems(row, &run));
        let mut traffic = String::new();
        if let Some(server) = server {
            problems.extend(server.problems().into_iter().map(|problem| format!("fake server: {problem}")));
            problems.extend(row.seen.and_then(|seen| seen(&server).err()));
            traffic = server.describe();
        }
        if !problems.is_empty() {
            let problems = problems.join("\n  ");
            report.push_str(&format!("  {problems}\n{}\n--- the server saw\n{traffic}---\n", run.describe()));
        }
    }
    if report.is_empty() { Ok(()) } else { Err(format!("### {} over {}\n{report}", row.name, over.name())) }
}

fn run(row: &Row, over: Over, json: bool) -> (Run, Option<FakeServer>) {
    let server = match &row.peer {
        Peer::Server(script) => Some(FakeServer::start(over, script.clone())),
        Peer::Nobody => None,
    };
    let mut args = row.args.to_vec();
    if json {
        args.insert(0, "--json");
    }
    let args = match &server {
        Some(server) => server.args(&args),
        None => args_for_nobody(over, &args),
    };
    let run = Sandbox::new().mcpcli(&args).limit(row.within + Duration::from_secs(5)).run();
    (run, server)
}

fn args_for_nobody(over: Over, args: &[&str]) -> Vec<String> {
    let url = format!("http://{}/mcp", FakeServer::nobody());
    let args = args.iter().map(|arg| arg.replace("{url}", &url));
    match over {
        Over::Stdio => args.chain(["--", "/nonexistent/program"].map(str::to_owned)).collect(),
        _ => {
            let server = ["-s", &url, "--transport", over.name()].map(str::to_owned);
            server.into_iter().chain(args).collect()
        }
    }
}

fn document_problems(row: &Row, run: &Run) -> Vec<String> {
    let expect = &row.expect;
    let mut problems = run.category_problems(expect.category, expect.reason, expect.exit);
    let Ok(document) = run.try_json() else { return problems };
    if !expect.phase.is_empty() && document["phase"] != expect.phase {
        problems.push(format!("phase is {} instead of {:?}", document["phase"], expect.phase));
    }
    let warnings: Vec<&str> =
        document["warnings"].as_array().into_iter().flatten().filter_map(|warning| warning["id"].as_str()).collect();
    if warnings != expect.warnings {
        problems.push(format!("warnings are {warnings:?} instead of {:?}", expect.warnings));
    }
    if expect.category != "ok" && expect.category != "tool-error" && !document["error"]["message"].is_string() {
        problems.push(format!("error.message is {}", document["error"].get("message").unwrap_or(&Value::Null)));
    }
    problems
}

fn text_problems(row: &Row, run: &Run) -> Vec<String> {
    let expect = &row.expect;
    let mut problems = Vec::new();
    if run.status != Some(expect.exit) {
        problems.push(format!("exit code {:?} instead of {}", run.status, expect.exit));
    }
    let stdout = run.stdout_text();
    for (name, text, must, must_not) in [
        ("stdout", &stdout, expect.stdout, expect.stdout_not),
        ("stderr", &run.stderr, expect.stderr, expect.stderr_not),
    ] {
        for wanted in must.iter().filter(|wanted| !text.contains(**wanted)) {
            problems.push(format!("{name} does not hold {wanted:?}"));
        }
        for unwanted in must_not.iter().filter(|unwanted| text.contains(**unwanted)) {
            problems.push(format!("{name} holds {unwanted:?}"));
        }
    }
    problems
}

fn common_problems(row: &Row, run: &Run) -> Vec<String> {
    let mut problems = Vec::new();
    if run.took > row.within {
        problems.push(format!("took {:?}, longer than {:?}", run.took, row.within));
    }
    if run.stderr.contains("panicked at") {
        problems.push("it panicked".to_owned());
    }
    for hidden in row.expect.hidden {
        if run.stdout_text().contains(hidden) || run.stderr.contains(hidden) {
            problems.push(format!("{hidden:?} is shown"));
        }
    }
    problems
}
