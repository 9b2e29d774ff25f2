//! Child processes as they are met in practice, played by `sh`.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use tokio::time::{sleep, timeout};

use super::*;
use crate::outcome::Ledger;
use crate::secret::Secret;
use crate::trace::{Record, Tracer};
use crate::transport::{Event, StreamEnd};

const LIMIT: usize = 64 * 1024 * 1024;

fn endpoint(program: &str, args: &[&str]) -> StdioEndpoint {
    StdioEndpoint {
        program: program.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: Vec::new(),
        cwd: None,
    }
}

fn sh(script: &str) -> StdioEndpoint {
    endpoint("sh", &["-c", script])
}

fn context() -> Context {
    Context { tracer: Arc::new(Tracer::new()), ledger: Ledger::default(), timeout: None }
}

async fn start(script: &str) -> Opened {
    open(sh(script), LIMIT, context()).await.unwrap()
}

fn message(text: &str, key: Option<u64>) -> Outgoing {
    let (text, method) = (text.to_owned(), String::new());
    Outgoing { text, method, key, headers: Vec::new(), opens_session: false, resumable: true }
}

/// The next event that is no log line.
async fn next(opened: &Opened) -> Result<Event, Arc<TransportError>> {
    let waiting = async {
        loop {
            match opened.inbox.recv().await {
                Ok(Event::Stderr(_)) => {}
                other => return other,
            }
        }
    };
    timeout(Duration::from_secs(20), waiting).await.expect("nothing came for 20 s")
}

async fn text(opened: &Opened) -> String {
    match next(opened).await {
        Ok(Event::Message { bytes, .. }) => String::from_utf8(bytes).unwrap(),
        other => panic!("{other:?} is no message"),
    }
}

async fn end(opened: &Opened) -> (StreamEnd, Arc<TransportError>) {
    let error = next(opened).await.expect_err("still open");
    match &*error {
        TransportError::Stream { end, .. } => (end.clone(), error),
        other => panic!("{other:?} is no end of a stream"),
    }
}

fn exited(status: i32) -> StreamEnd {
    StreamEnd::Exited { status: Some(status), signal: None }
}

/// Waits until no process of the group is left; whoever kills them does not wait for that.
async fn is_gone(group: &str) -> bool {
    let group = Group::led_by(group.trim().parse().unwrap()).unwrap();
    for _ in 0..200 {
        if !group.is_alive() {
            return true;
        }
        sleep(Duration::from_millis(5)).await;
    }
    false
}

#[tokio::test]
async fn messages_go_both_ways_one_a_line() {
    let notes = Arc::new(std::sync::Mutex::new(Vec::new()));
    let store = Arc::clone(&notes);
    let mut tracer = Tracer::new();
    tracer.subscribe(move |entry| {
        if let Record::Note { text } = &entry.record {
            store.lock().unwrap().push(text.clone());
        }
    });
    let echo = sh(r#"while IFS= read -r line; do printf '%s\r\n\n' "$line"; done"#);
    let opened = open(echo, LIMIT, Context { tracer: Arc::new(tracer), ..context() }).await.unwrap();
    opened.transport.send(message("{\"a\":\n1}", Some(1))).await.unwrap();
    opened.transport.send(message("{\"b\":2}", None)).await.unwrap();
    assert_eq!(text(&opened).await, "{\"a\": 1}");
    assert_eq!(text(&opened).await, "{\"b\":2}");
    opened.transport.close().await;
    let notes = notes.lock().unwrap().clone();
    assert!(notes[0].starts_with("started sh with 2 arguments as process "), "{notes:?}");
    assert_eq!(notes[1..], ["closing the stdin of the server process", "the server process exited with status 0"]);
    assert!(matches!(opened.transport.send(message("{}", None)).await, Err(TransportError::Closed)));
    assert!(matches!(&*opened.inbox.recv().await.unwrap_err(), TransportError::Closed));
}

#[tokio::test]
async fn an_early_exit_shows_status_and_stderr() {
    let mut server = sh("echo \"KeyError: $API_KEY\" >&2; exit 3");
    server.env.push(("API_KEY".to_owned(), Secret::new("hunter2222")));
    let started = Instant::now();
    let opened = open(server, LIMIT, context()).await.unwrap();
    let (how, error) = end(&opened).await;
    assert_eq!(how, exited(3));
    assert!(started.elapsed() < Duration::from_secs(2));
    assert_eq!(error.to_string(), "the server process exited with status 3");
    let failure = error.to_failure(crate::outcome::Phase::Initialize);
    assert_eq!(failure.evidence[0].text, "KeyError: ***");
    // The broken pipe does not win over the exit, and says the same each time.
    for _ in 0..2 {
        match opened.transport.send(message("{}", None)).await {
            Err(TransportError::Stream { end, stderr, .. }) => {
                assert_eq!((end, stderr.len()), (exited(3), 1));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_signal_in_the_middle_of_a_line_is_told_after_everything_that_came() {
    let opened = start(r#"printf '{"a":1}\n{"b":'; kill -KILL $$"#).await;
    assert_eq!(text(&opened).await, r#"{"a":1}"#);
    let (how, error) = end(&opened).await;
    assert_eq!(how, StreamEnd::Exited { status: None, signal: Some(9) });
    assert_eq!(error.to_string(), "the server process was ended by SIGKILL, after 1 line");
    let TransportError::Stream { messages, bytes, unfinished, .. } = &*error else { unreachable!() };
    assert_eq!((*messages, *bytes, unfinished.as_deref()), (1, 13, Some(r#"{"b":"#)));
}

#[tokio::test]
async fn more_messages_than_the_queue_holds_come_before_the_exit() {
    let opened = start("i=0; while [ $i -lt 500 ]; do echo $i; i=$((i+1)); done; exit 1").await;
    sleep(Duration::from_millis(300)).await;
    for n in 0..500 {
        assert_eq!(text(&opened).await, n.to_string());
    }
    assert_eq!(end(&opened).await.0, exited(1));
}

#[tokio::test]
async fn a_flood_on_stderr_blocks_nothing() {
    let script = r"head -c 1048576 /dev/zero | tr '\0' x >&2; yes log | head -n 20000 >&2
                   head -c 3000 /dev/urandom >&2; echo '{}'; cat >/dev/null";
    let lines = Arc::new(std::sync::Mutex::new((0, 0)));
    let counter = Arc::clone(&lines);
    let mut tracer = Tracer::new();
    tracer.subscribe(move |entry| {
        if let Record::Stderr { line } = &entry.record {
            let mut seen = counter.lock().unwrap();
            *seen = (seen.0 + 1, seen.1.max(line.len()));
        }
    });
    let opened = open(sh(script), LIMIT, Context { tracer: Arc::new(tracer), ..context() }).await.unwrap();
    assert_eq!(text(&opened).await, "{}");
    opened.transport.close().await;
    let (count, longest) = *lines.lock().unwrap();
    assert!(count >= 20_000, "{count} lines");
    assert!(longest < 3 * lines::LONGEST_LOG_LINE, "{longest} bytes");
}

#[tokio::test]
async fn a_prompt_without_a_line_end_is_seen() {
    let opened = start("printf 'Password: ' >&2; cat").await;
    let event = timeout(Duration::from_secs(5), opened.inbox.recv()).await.unwrap().unwrap();
    assert!(matches!(&event, Event::Stderr(line) if line == "Password: "), "{event:?}");
}

#[tokio::test]
async fn twenty_mebibytes_are_one_message() {
    const SIZE: usize = 20 * 1024 * 1024;
    let opened = start(&format!(r"head -c {SIZE} /dev/zero | tr '\0' a; echo; cat")).await;
    assert_eq!(text(&opened).await.len(), SIZE);
    opened.transport.close().await;
}

#[tokio::test]
async fn an_endless_line_stops_the_server() {
    let opened = open(sh(r"echo $$; tr '\0' a </dev/zero"), 1024 * 1024, context()).await.unwrap();
    let group = text(&opened).await;
    let error = next(&opened).await.expect_err("still open");
    let TransportError::TooLarge { limit, seen } = &*error else { panic!("{error:?}") };
    assert_eq!(*limit, 1024 * 1024);
    assert!((*limit..2 * *limit).contains(seen), "{seen}");
    assert!(is_gone(&group).await);
    assert!(matches!(opened.transport.send(message("{}", Some(1))).await, Err(TransportError::TooLarge { .. })));
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipes_does_not_hide_the_exit() {
    for script in ["echo $$; sleep 60 & exit 5", "echo $$; yes & exit 5", "echo $$; (trap '' TERM; sleep 60) & exit 5"]
    {
        let opened = start(script).await;
        let group = text(&opened).await;
        let started = Instant::now();
        let how = loop {
            match next(&opened).await {
                Ok(_) => {}
                Err(error) => break error.to_string(),
            }
        };
        assert!(how.starts_with("the server process exited with status 5"), "{how}");
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
        opened.transport.close().await;
        assert!(is_gone(&group).await, "{script}");
    }
}

#[tokio::test]
async fn the_ladder_ends_what_ignores_it() {
    let opened = start("trap '' TERM; echo $$; sleep 60 & while :; do sleep 1; done").await;
    let group = text(&opened).await;
    let started = Instant::now();
    opened.transport.close().await;
    let took = started.elapsed();
    assert!(took > Duration::from_secs(2) && took < Duration::from_secs(3), "{took:?}");
    assert!(is_gone(&group).await);
}

#[tokio::test]
async fn a_child_that_does_not_read_blocks_neither_sending_nor_closing() {
    let opened = start("echo $$; exec sleep 60").await;
    let group = text(&opened).await;
    let large = "x".repeat(1024 * 1024);
    let sent = timeout(Duration::from_secs(2), opened.transport.send(message(&large, Some(1)))).await;
    sent.expect("sending blocks").unwrap();
    let sent = timeout(Duration::from_millis(50), opened.transport.send(message("{}", None))).await;
    assert!(sent.is_err(), "nobody took it");
    let started = Instant::now();
    opened.transport.close().await;
    assert!(started.elapsed() < Duration::from_millis(2500), "{:?}", started.elapsed());
    assert!(is_gone(&group).await);
}

#[tokio::test]
async fn a_closed_stdin_fails_each_exchange_and_a_closed_stdout_all() {
    let opened = start("exec 0<&-; echo $$; exec sleep 60").await;
    let group = text(&opened).await;
    let sent = opened.transport.send(message("{}", None)).await;
    assert!(
        matches!(&sent, Err(TransportError::Stream { end: StreamEnd::InputClosed(words), .. }) if words.contains("os error")),
        "{sent:?}"
    );
    opened.transport.send(message("{}", Some(7))).await.unwrap();
    match next(&opened).await {
        Ok(Event::ExchangeOver { key: 7, error: Some(error) }) => {
            assert_eq!(error.to_string(), "the server process closed its stdin, after 1 line");
        }
        other => panic!("{other:?}"),
    }
    drop(opened);
    assert!(is_gone(&group).await, "dropping without closing must kill the group");

    let opened = start("exec 1>&-; exec sleep 60").await;
    let (how, error) = end(&opened).await;
    assert_eq!(how, StreamEnd::Exited { status: None, signal: None });
    assert_eq!(error.to_string(), "the server process closed its stdout");
}

#[tokio::test]
async fn arguments_and_variables_arrive_as_they_are() {
    let args = ["-c", r#"printf '<%s>' "$@"; echo; echo "$A|$HOME"; pwd"#, "sh", "-v", "--", "a b", "", "ü*$HOME"];
    let dir = tempfile::tempdir().unwrap();
    let mut server = endpoint("sh", &args);
    server.env.push(("A".to_owned(), Secret::new("b=c d")));
    server.cwd = Some(dir.path().to_owned());
    let opened = open(server, LIMIT, context()).await.unwrap();
    assert_eq!(text(&opened).await, "<-v><--><a b><><ü*$HOME>");
    assert_eq!(text(&opened).await, format!("b=c d|{}", std::env::var("HOME").unwrap_or_default()));
    assert_eq!(Path::new(&text(&opened).await), dir.path().canonicalize().unwrap());
}

#[tokio::test]
async fn a_relative_program_is_meant_from_the_working_directory() {
    let dir = tempfile::tempdir().unwrap();
    write_program(&dir.path().join("server"), "#!/bin/sh\necho here\n");
    let mut server = endpoint("./server", &[]);
    server.cwd = Some(dir.path().to_owned());
    let opened = open(server, LIMIT, context()).await.unwrap();
    assert_eq!(text(&opened).await, "here");
}

/// Written by another process, so that no fork of a test beside this one holds it open for writing (`ETXTBSY`).
fn write_program(path: &Path, content: &str) {
    let status = Command::new("sh")
        .args(["-c", r#"printf '%s' "$2" >"$1" && chmod 755 "$1""#, "sh"])
        .arg(path)
        .arg(content)
        .status()
        .unwrap();
    assert!(status.success());
}

#[tokio::test]
async fn the_causes_of_a_failed_start_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    write_program(&path.join("shebang"), "#!/no/such/interpreter\n");
    write_program(&path.join("crlf"), "#!/bin/sh\r\nexit 0\r\n");
    write_program(&path.join("text"), "hello\n");
    write_program(&path.join("plain"), "#!/bin/sh\n");
    std::fs::set_permissions(path.join("plain"), PermissionsExt::from_mode(0o644)).unwrap();
    let cases: &[(&str, bool, SpawnCause, &str)] = &[
        ("no-such-program-of-mcpcli", true, SpawnCause::NotFound, "os error 2"),
        ("./missing", false, SpawnCause::NotFound, "os error 2"),
        ("./plain/inside", false, SpawnCause::NotFound, "os error 20"),
        ("plain", true, SpawnCause::NotFound, "which would be ./plain"),
        ("", true, SpawnCause::NotFound, "os error 2"),
        ("./plain", false, SpawnCause::NotExecutable, "os error 13"),
        ("./shebang", false, SpawnCause::BadInterpreter, "\"/no/such/interpreter\""),
        ("./crlf", false, SpawnCause::BadInterpreter, "\"/bin/sh\\r\""),
        ("./text", false, SpawnCause::BadInterpreter, "os error 8"),
        (".", true, SpawnCause::NotFound, ""),
        ("./", false, SpawnCause::IsDirectory, "os error 13"),
        ("nul\0", true, SpawnCause::Other, "nul byte"),
    ];
    for (program, searched, expected, words) in cases {
        let mut server = endpoint(program, &[]);
        server.cwd = Some(path.to_owned());
        match open(server, LIMIT, context()).await.map(|_| "started") {
            Err(TransportError::Spawn { cause, detail, searched_path, .. }) => {
                assert_eq!((cause, searched_path), (*expected, *searched), "{program:?}: {detail}");
                assert!(detail.contains(words), "{program:?}: {detail}");
            }
            other => panic!("{program:?}: {other:?}"),
        }
    }
    for (cwd, words) in [("nowhere", "os error 2"), ("plain", "is not a directory")] {
        let mut server = endpoint("sh", &[]);
        server.cwd = Some(path.join(cwd));
        match open(server, LIMIT, context()).await.map(|_| "started") {
            Err(TransportError::Spawn { cause: SpawnCause::NoDirectory, detail, .. }) => {
                assert!(detail.contains(words), "{detail}");
            }
            other => panic!("{cwd}: {other:?}"),
        }
    }
}
