//! That the support itself does what it says, seen by a raw client.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::*;

const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":1e0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;

fn connect(server: &FakeServer) -> BufReader<TcpStream> {
    let socket = TcpStream::connect(server.address()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    BufReader::new(socket)
}

fn post(client: &mut BufReader<TcpStream>, path: &str, body: &str) {
    let length = body.len();
    write!(client.get_mut(), "POST {path} HTTP/1.1\r\nHost: x\r\nX-A: b: c\r\nContent-Length: {length}\r\n\r\n{body}")
        .unwrap();
}

/// Head and body of an answer with a `Content-Length`.
fn answer(client: &mut BufReader<TcpStream>) -> (String, String) {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(client.read_line(&mut head).unwrap(), 0, "the connection ended inside of {head:?}");
    }
    let length = head.split("Content-Length: ").nth(1).and_then(|rest| rest.lines().next()).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    client.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

#[test]
fn raw_bytes_arrive_as_scripted_and_the_request_is_kept() {
    let server =
        FakeServer::start(Over::Http, script(|_, conn| conn.chunks("HTTP/9 \0\r", 2, Duration::from_millis(1))));
    let mut client = connect(&server);
    post(&mut client, "/mcp?x=1", "{\"id\":7}");
    let mut got = Vec::new();
    client.read_to_end(&mut got).unwrap();
    assert_eq!(got, b"HTTP/9 \0\r");
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!((requests[0].method.as_str(), requests[0].path.as_str()), ("POST", "/mcp?x=1"));
    assert_eq!((requests[0].header("x-a"), requests[0].text().as_str()), (Some("b: c"), "{\"id\":7}"));
}

#[test]
fn chunked_bodies_are_read_and_connections_are_kept() {
    let server = FakeServer::start(Over::Http, script(|request, conn| conn.respond(200, &[], &request.body)));
    let mut client = connect(&server);
    for _ in 0..2 {
        let chunks = "3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n";
        write!(client.get_mut(), "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}").unwrap();
        assert_eq!(answer(&mut client).1, "abcde");
    }
    assert_eq!((server.connections(), server.requests().len()), (1, 2));
}

#[test]
fn a_reset_is_no_end_and_an_end_is_no_reset() {
    let cut = |reset: bool| {
        let server = FakeServer::start(
            Over::Http,
            script(move |_, conn| {
                conn.raw("half");
                conn.pause(Duration::from_millis(50));
                if reset { conn.reset() } else { conn.close() }
            }),
        );
        let mut client = connect(&server);
        post(&mut client, "/", "");
        let mut got = Vec::new();
        (client.read_to_end(&mut got).map_err(|error| error.kind()), got)
    };
    assert_eq!(cut(false), (Ok(4), b"half".to_vec()));
    assert_eq!(cut(true), (Err(ErrorKind::ConnectionReset), b"half".to_vec()));
}

#[test]
fn a_held_connection_knows_who_ended_it() {
    let (tell, told) = mpsc::channel();
    let tell = Mutex::new(tell);
    let server = FakeServer::start(Over::Http, script(move |_, conn| tell.lock().unwrap().send(conn.hold()).unwrap()));
    let mut client = connect(&server);
    post(&mut client, "/", "");
    server.wait_for(|_| true, Duration::from_secs(5)).unwrap();
    drop(client);
    assert_eq!(told.recv_timeout(Duration::from_secs(5)), Ok(Gone::Client));
    let mut client = connect(&server);
    post(&mut client, "/", "");
    server.wait_for(|request| request.connection == 2, Duration::from_secs(5)).unwrap();
    let started = Instant::now();
    drop(server);
    assert!(started.elapsed() < Duration::from_secs(2));
    assert_eq!(told.recv_timeout(Duration::from_secs(5)), Ok(Gone::Server));
}

#[test]
fn the_handshake_works_over_streamable_http() {
    let well_behaved = InitOk { session: Some("s1".to_owned()), ..InitOk::default() };
    let server = FakeServer::start(
        Over::Http,
        well_behaved.then(|request, conn| {
            conn.push(r#"{"method":"x"}"#);
            conn.error(request, -32601, "no");
        }),
    );
    let mut client = connect(&server);
    post(&mut client, "/mcp", INITIALIZE);
    let (head, body) = answer(&mut client);
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains("Mcp-Session-Id: s1\r\n"), "{head}");
    assert!(body.starts_with(r#"{"jsonrpc":"2.0","id":1e0,"result":{"protocolVersion":"2025-06-18","#), "{body}");
    post(&mut client, "/mcp", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert!(answer(&mut client).0.starts_with("HTTP/1.1 202 "));
    write!(client.get_mut(), "GET /mcp HTTP/1.1\r\n\r\n").unwrap();
    assert!(answer(&mut client).0.starts_with("HTTP/1.1 405 "));
    post(&mut client, "/mcp", r#"{"jsonrpc":"2.0","id":"a","method":"no/such"}"#);
    let mut rest = String::new();
    client.read_to_string(&mut rest).unwrap();
    let events: Vec<&str> = rest.split("\r\n\r\n").nth(1).unwrap().split_terminator("\n\n").collect();
    assert_eq!(events[0], r#"data: {"method":"x"}"#);
    assert_eq!(events[1], r#"data: {"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no"}}"#);
    assert_eq!(server.rpc_methods(), ["initialize", "notifications/initialized", "no/such"]);
}

#[test]
fn answers_over_http_and_sse_come_on_the_stream() {
    let server = FakeServer::start(
        Over::Sse,
        init_ok(|_, conn| {
            conn.accepted();
            conn.feed("data: half");
            conn.reset_stream();
        }),
    );
    let mut stream = connect(&server);
    write!(stream.get_mut(), "GET /sse HTTP/1.1\r\n\r\n").unwrap();
    let mut client = connect(&server);
    post(&mut client, "/messages?session=1", INITIALIZE);
    assert!(answer(&mut client).0.starts_with("HTTP/1.1 202 "));
    post(&mut client, "/messages?session=1", r#"{"id":2,"method":"cut"}"#);
    assert!(answer(&mut client).0.starts_with("HTTP/1.1 202 "));
    let mut got = Vec::new();
    assert_eq!(stream.read_to_end(&mut got).unwrap_err().kind(), ErrorKind::ConnectionReset);
    let got = String::from_utf8(got).unwrap();
    let (_, events) = got.split_once("\r\n\r\n").unwrap();
    assert!(events.starts_with("event: endpoint\ndata: /messages?session=1\n\nevent: message\ndata: {\"jsonrpc\""));
    assert!(events.ends_with("data: half"), "{events}");
}

#[cfg(unix)]
#[test]
fn the_relay_is_a_stdio_server_byte_for_byte() {
    let server = FakeServer::start(
        Over::Stdio,
        init_ok(|_, conn| {
            conn.stderr("oh\n");
            conn.raw("\0half");
            conn.exit(7);
        }),
    );
    let command = server.command();
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{INITIALIZE}").unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert!(line.starts_with(r#"{"jsonrpc":"2.0","id":1e0,"result":"#), "{line}");
    writeln!(stdin, r#"{{"id":2,"method":"die"}}"#).unwrap();
    let mut rest = Vec::new();
    stdout.read_to_end(&mut rest).unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((rest.as_slice(), stderr.as_str()), (b"\0half".as_slice(), "oh\n"));
    assert_eq!(child.wait().unwrap().code(), Some(7));
    assert_eq!(server.requests()[1].rpc_method(), "die");
}

#[cfg(unix)]
#[test]
fn the_relay_dies_by_a_signal_and_ends_with_its_stdin() {
    let server = FakeServer::start(Over::Stdio, script(|_, conn| conn.reset()));
    let command = server.command();
    let start = || {
        let mut command = {
            let mut relay = Command::new(&command[0]);
            relay.args(&command[1..]);
            relay
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
    };
    let mut child = start();
    // Held, since waiting closes the stdin of a child, and that ends a relay too.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"x\n").unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap()), Some(9));
    let mut child = start();
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(server.wait_for(|request| request.method == "EOF", Duration::from_secs(5)).is_some());
}

#[test]
fn a_script_that_panics_is_told() {
    let server = FakeServer::start(Over::Http, script(|request, _| assert_eq!(request.path, "/other", "the path")));
    let mut client = connect(&server);
    post(&mut client, "/mcp", "");
    assert_eq!(client.read_to_end(&mut Vec::new()).unwrap(), 0);
    assert!(server.problems()[0].contains("the path"), "{:?}", server.problems());
    server.forgive();
}

#[cfg(unix)]
#[test]
fn a_run_has_a_home_of_its_own_and_is_killed_at_its_limit() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("dir/file", "x");
    assert!(path.starts_with(sandbox.work()) && path.is_file());
    assert!(sandbox.home().join(".config").is_dir());
    let other = |program: &str, args: &[&str]| sandbox.mcpcli::<&str>(&[]).env("A", "b c").program(program, args);
    let run = other("sleep", &["20"]).limit(Duration::from_millis(200)).run();
    assert!(run.killed && run.took < Duration::from_secs(5), "{}", run.describe());
    let run = other("sh", &["-c", "cat; echo \"$A|$HOME|$USER\"; pwd; echo e >&2; exit 4"]).stdin("in\n").run();
    let (home, work) = (sandbox.home(), sandbox.work().canonicalize().unwrap());
    assert_eq!(run.stdout_text(), format!("in\nb c|{}|\n{}\n", home.display(), work.display()));
    assert_eq!((run.status, run.stderr.as_str()), (Some(4), "e\n"));
}

#[test]
fn a_run_is_judged_by_its_document_and_its_exit_code() {
    let run = |stdout: &str, status| Run {
        args: Vec::new(),
        status: Some(status),
        signal: None,
        killed: false,
        took: Duration::ZERO,
        stdout: stdout.as_bytes().to_vec(),
        stderr: String::new(),
    };
    let document = r#"{"ok":false,"category":"transport","reason":"connect","exit_code":5}"#;
    run(&format!("{document}\n"), 5).assert_category("transport", "connect", 5);
    let problems = |stdout: &str, status| run(stdout, status).category_problems("transport", Some("connect"), 5);
    assert_eq!(problems(document, 1), ["exit code Some(1) instead of 5"]);
    assert!(problems(&format!("{document}{document}"), 5)[0].starts_with("stdout is not one JSON document"));
    assert!(problems("", 5)[0].starts_with("stdout is not one JSON document"));
    assert_eq!(problems(&document.replace("connect", "dns"), 5), [r#"reason is "dns" instead of "connect""#]);
}

#[test]
fn a_row_that_fails_says_so_with_everything_it_saw() {
    // No command of this name will ever be.
    let row = Row {
        name: "nonsense",
        over: &[Over::Http],
        args: &["no-such-command"],
        expect: Expect { exit: 99, stderr: &["something that is not there"], ..Expect::default() },
        ..Row::default()
    };
    let failures = rows::failures(&[(&row, Over::Http), (&row, Over::Http)]);
    assert_eq!(failures.len(), 2);
    let report = &failures[0];
    assert!(report.starts_with("### nonsense over http\n"), "{report}");
    assert!(report.contains("instead of 99") && report.contains("no-such-command"), "{report}");
    assert!(report.contains("stderr does not hold \"something that is not there\""), "{report}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_stubborn_relay_with_a_grandchild_takes_the_whole_ladder() {
    use mcpcli::transport::{Context, Event, Outgoing, StdioEndpoint, stdio};

    let server = FakeServer::start(
        Over::Stdio,
        script(|_, conn| {
            conn.be_stubborn();
            conn.spawn_grandchild();
            conn.raw("{}\r\n");
        }),
    );
    let mut command = server.command().into_iter();
    let program = command.next().unwrap();
    let endpoint = StdioEndpoint { program, args: command.collect(), env: Vec::new(), cwd: None };
    let context = Context { tracer: Default::default(), ledger: Default::default(), timeout: None };
    let opened = stdio::open(endpoint, 1024, context).await.unwrap();
    let text = r#"{"method":"x"}"#.to_owned();
    let (method, headers) = ("x".to_owned(), Vec::new());
    opened
        .transport
        .send(Outgoing { text, method, key: None, headers, opens_session: false, resumable: false })
        .await
        .unwrap();
    let event = opened.inbox.recv().await.unwrap();
    assert!(matches!(&event, Event::Message { bytes, .. } if bytes == b"{}"), "{event:?}");
    let started = Instant::now();
    opened.transport.close().await;
    let took = started.elapsed();
    assert!(took > Duration::from_millis(1900) && took < Duration::from_secs(3), "{took:?}");
    assert!(server.wait_for(|request| request.method == "EOF", Duration::from_secs(1)).is_some());
}
