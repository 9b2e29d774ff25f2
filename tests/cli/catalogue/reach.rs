//! Ways to a server that a table cannot hold: other addresses, other ports, and the file that tells of the way.

use std::io::{Read, Write};
use std::net::{TcpListener, ToSocketAddrs};

use super::good;
use crate::support::{FakeServer, InitOk, Over, Sandbox, init_ok};

/// NET-08: the trace is a file that people send to others.
#[test]
fn no_secret_is_in_a_trace() {
    let secrets = ["S3CRETBEARER", "S3CRETKEY", "S3CRETSESSION", "S3CRETQUERY", "S3CRETPASS"];
    for status in [200, 401, 500] {
        let script =
            InitOk { session: Some("S3CRETSESSION".to_owned()), ..InitOk::default() }.then(move |request, conn| {
                let seen = format!("{:?}", request.headers).replace('"', "'");
                if status == 200 { conn.error(request, -32050, &seen) } else { conn.respond(status, &[], &seen) }
            });
        let server = FakeServer::start(Over::Http, script);
        let sandbox = Sandbox::new();
        let url = format!("{}?t=S3CRETQUERY", server.url().replace("http://", "http://u:S3CRETPASS@"));
        let args = [
            "--bearer",
            "S3CRETBEARER",
            "-H",
            "X-Api-Key: S3CRETKEY",
            "--trace",
            "t.ndjson",
            "-s",
            &url,
            "call",
            "--no-check",
            "t",
        ];
        let args: Vec<&str> = if status == 200 { args[2..].to_vec() } else { args.to_vec() };
        let run = sandbox.mcpcli(&server.args(&args)).run();
        assert_ne!(run.status, Some(0), "{}", run.describe());
        let trace = std::fs::read_to_string(sandbox.work().join("t.ndjson")).expect("the trace");
        assert!(trace.contains("tools/call") || trace.contains("initialize"), "{trace}");
        for secret in secrets {
            assert!(!trace.contains(secret), "{status}: {secret} in {trace}");
            assert!(!run.stderr.contains(secret) && !run.stdout_text().contains(secret), "{}", run.describe());
        }
    }
}

/// NET-04: a port that speaks HTTP, and no TLS.
#[test]
fn a_port_without_tls_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("https://{}/mcp", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let _greeted = socket.read(&mut [0; 512]).is_ok();
            let _gone = socket.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n").is_err();
        }
    });
    for over in ["http", "sse"] {
        let args = ["--json", "--transport", over, "-s", &url, "--timeout", "8s", "list"];
        let run = Sandbox::new().mcpcli(&args).run();
        run.assert_category("transport", "tls", 5);
        assert_eq!(run.json()["phase"], "connect");
        assert!(
            run.json()["error"]["hint"].as_str().is_some_and(|hint| hint.contains("http://")),
            "{}",
            run.describe()
        );
    }
}

/// NET-06: both families of a name, and an address in brackets.
#[test]
fn both_families_are_tried() {
    let server = FakeServer::start(Over::Http, init_ok(|request, conn| conn.message(&good(request))));
    let by_name = server.url().replace("127.0.0.1", "localhost");
    let run = Sandbox::new().mcpcli(&server.args(&["-s", &by_name, "call", "--no-check", "t"])).run();
    run.assert_exit(0);
    // A machine without IPv6 has nothing to try here.
    let Ok(listener) = TcpListener::bind("[::1]:0") else { return };
    let port = listener.local_addr().expect("an address").port();
    let target = server.address();
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let Ok(onward) = std::net::TcpStream::connect(target) else { return };
            for (mut from, mut to) in
                [(socket.try_clone(), onward.try_clone()), (onward.try_clone(), socket.try_clone())]
                    .into_iter()
                    .filter_map(|(from, to)| Some((from.ok()?, to.ok()?)))
            {
                std::thread::spawn(move || {
                    let _gone = std::io::copy(&mut from, &mut to).is_err();
                    let _gone = to.shutdown(std::net::Shutdown::Write).is_err();
                });
            }
        }
    });
    let named = ("localhost", port).to_socket_addrs().is_ok_and(|mut found| found.any(|one| one.is_ipv6()));
    // On some machines localhost is one family only.
    for host in if named { &["[::1]", "localhost"][..] } else { &["[::1]"] } {
        let url = format!("http://{host}:{port}/mcp");
        let run = Sandbox::new().mcpcli(&server.args(&["-s", &url, "call", "--no-check", "t"])).run();
        run.assert_exit(0);
        let wanted = format!("{host}:{port}");
        let last = server.requests().into_iter().rfind(|one| one.rpc_method() == "tools/call").expect("the call");
        assert_eq!(last.header("host"), Some(wanted.as_str()));
    }
}
