//! The way to the server, case by case: what stands on it, and what must come of a run. TLS has a table of its own.

use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::envelope;
use crate::support::{FakeServer, InitOk, Over, Run, Sandbox, Script};

mod addresses;
mod handshakes;
mod proxies;
mod redirects;

/// A way to speak to a server: what it plays, and the arguments for it.
pub type Way = (Over, &'static [&'static str]);

pub const HTTP: Way = (Over::Http, &[]);
pub const LEGACY: Way = (Over::Http, &["--transport", "http", "--protocol", "legacy"]);
pub const SSE: Way = (Over::Sse, &["--transport", "sse"]);

/// Looks at a run, and says what is wrong with it.
pub type Look = Box<dyn Fn(&Run) -> Vec<String>>;

/// What stands on the way in one run.
pub struct Stage {
    pub url: String,
    /// Arguments that are known only now.
    pub args: Vec<String>,
    pub env: Vec<(&'static str, String)>,
    /// What is wrong with what came to the servers.
    pub look: Look,
    /// What lives as long as the run.
    _keep: Box<dyn Any>,
}

impl Stage {
    /// A stage with nothing to look at.
    pub fn new(url: impl Into<String>, keep: impl Any) -> Stage {
        Stage {
            url: url.into(),
            args: Vec::new(),
            env: Vec::new(),
            look: Box::new(|_| Vec::new()),
            _keep: Box::new(keep),
        }
    }

    /// The same with another look at it.
    pub fn look(mut self, look: impl Fn(&Run) -> Vec<String> + 'static) -> Stage {
        self.look = Box::new(look);
        self
    }

    /// The same with one more argument.
    pub fn arg(mut self, arg: impl Into<String>) -> Stage {
        self.args.push(arg.into());
        self
    }

    /// The same with one more variable.
    pub fn env(mut self, name: &'static str, value: impl Into<String>) -> Stage {
        self.env.push((name, value.into()));
        self
    }
}

/// One case: run in each of its ways, with `--json` and without.
pub struct Row {
    /// What it is, after the ids of the faults that it covers.
    pub name: &'static str,
    pub ways: &'static [Way],
    pub stage: fn(Over) -> Stage,
    pub args: &'static [&'static str],
    pub category: &'static str,
    pub reason: Option<&'static str>,
    /// Empty: not looked at.
    pub phase: &'static str,
    pub exit: i32,
    /// What the human view says on stderr; `{host}` is the server's host and port.
    pub says: &'static [&'static str],
    /// What neither view shows anywhere.
    pub hides: &'static [&'static str],
    /// The ids of all warnings.
    pub warnings: &'static [&'static str],
}

/// A call that succeeds.
pub const OK: Row = Row {
    name: "",
    ways: &[HTTP, LEGACY, SSE],
    stage: |over| {
        let server = FakeServer::start(over, well_behaved());
        Stage::new(server.url(), server)
    },
    args: &[],
    category: "ok",
    reason: None,
    phase: "",
    exit: 0,
    says: &[],
    hides: &[],
    warnings: &[],
};

/// A connection that never stands.
pub const UNREACHED: Row = Row { category: "transport", reason: Some("connect"), phase: "connect", exit: 5, ..OK };

/// An HTTP answer that is of no use.
pub const REFUSED: Row = Row { reason: Some("http"), phase: "", ..UNREACHED };

/// A setting that cannot be used.
pub const USAGE: Row = Row { category: "usage", reason: Some("command-line"), phase: "resolve", exit: 2, ..OK };

/// A server in order, with one tool.
pub fn well_behaved() -> Script {
    InitOk::default().then(|request, conn| conn.error(request, -32601, "no such method"))
}

/// Runs all rows. `MCPCLI_ROW=TEXT` in the environment runs only those whose name holds the text.
#[track_caller]
pub fn check_rows(rows: &[Row]) {
    let only = std::env::var("MCPCLI_ROW").unwrap_or_default();
    let rows = rows.iter().filter(|row| row.name.contains(&only));
    let cases: Vec<_> = rows.flat_map(|row| row.ways.iter().map(move |way| (row, *way))).collect();
    let (next, problems) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    // Most of the time is waiting, so more threads than processors are of use.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((row, way)) = cases.get(next.fetch_add(1, Ordering::SeqCst)) {
                    problems.lock().unwrap().extend(check(row, *way));
                }
            });
        }
    });
    let problems = problems.into_inner().unwrap();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

fn check(row: &Row, (over, way): Way) -> Option<String> {
    let mut report = String::new();
    for json in [true, false] {
        let stage = (row.stage)(over);
        let run = run(row, way, &stage, json);
        let mut problems = if json { document_problems(row, &run) } else { text_problems(row, &run, &stage.url) };
        for hidden in row.hides.iter().filter(|text| format!("{}{}", run.stdout_text(), run.stderr).contains(**text)) {
            problems.push(format!("{hidden:?} is shown"));
        }
        problems.extend((stage.look)(&run));
        if !problems.is_empty() {
            report.push_str(&format!("  {}\n{}\n", problems.join("\n  "), run.describe()));
        }
    }
    (!report.is_empty()).then(|| format!("### {} {way:?}\n{report}", row.name))
}

fn run(row: &Row, way: &[&str], stage: &Stage, json: bool) -> Run {
    let sandbox = Sandbox::new();
    crate::tls::write_files(&sandbox);
    let mut args = vec!["-s", &stage.url];
    args.extend(json.then_some("--json"));
    args.extend(way);
    args.extend(stage.args.iter().map(String::as_str));
    args.extend(row.args);
    args.extend(["list", "tools"]);
    // The system's roots are the stranger's alone, whatever the machine trusts.
    let mut invocation = sandbox.mcpcli(&args).env("SSL_CERT_FILE", sandbox.work().join("stranger.pem"));
    for (name, value) in &stage.env {
        invocation = invocation.env(name, value);
    }
    invocation.run()
}

/// The human view of a run with nothing but the stage.
fn run_alone(stage: &Stage) -> Run {
    run(&OK, &[], stage, false)
}

fn document_problems(row: &Row, run: &Run) -> Vec<String> {
    let mut problems = run.category_problems(row.category, row.reason, row.exit);
    let Ok(document) = run.try_json() else { return problems };
    problems.extend(envelope::problems(&document));
    if !row.phase.is_empty() && document["phase"] != row.phase {
        problems.push(format!("phase is {}", document["phase"]));
    }
    let warnings: Vec<&str> =
        document["warnings"].as_array().into_iter().flatten().filter_map(|warning| warning["id"].as_str()).collect();
    if warnings != row.warnings {
        problems.push(format!("warnings are {warnings:?}"));
    }
    problems
}

fn text_problems(row: &Row, run: &Run, url: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if run.status != Some(row.exit) {
        problems.push(format!("exit code {:?} instead of {}", run.status, row.exit));
    }
    if (row.exit == 0) != run.stdout_text().contains("echo") {
        problems.push("stdout is not the list of a success, or not the nothing of a failure".to_owned());
    }
    let url = url::Url::parse(url).expect("the URL of a stage");
    let host = format!("{}:{}", url.host().expect("a host"), url.port_or_known_default().expect("a port"));
    let says = row.says.iter().map(|text| text.replace("{host}", &host));
    problems.extend(says.filter(|text| !run.stderr.contains(text)).map(|text| format!("stderr lacks {text:?}")));
    problems
}

/// A look that finds a server asked exactly in the runs that succeed.
pub fn reached_if_ok(server: &Arc<FakeServer>) -> impl Fn(&Run) -> Vec<String> + 'static {
    let server = Arc::clone(server);
    move |run| {
        let as_it_should_be = (run.status == Some(0)) != server.requests().is_empty();
        if as_it_should_be { Vec::new() } else { vec![format!("the server saw\n{}", server.describe())] }
    }
}
