//! Both families of addresses: which are tried, and that each is told.

use std::net::{Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};

use super::{HTTP, OK, Row, Stage, UNREACHED, check_rows, run_alone, well_behaved};
use crate::support::{FakeServer, Front, Over, Tls, TlsServer, pipe};
use crate::tls::all;

/// A port on this address in front of a server, or `None` where the machine has no such address.
fn at(address: impl Into<std::net::IpAddr>, server: SocketAddr) -> Option<Front> {
    Front::bind((address.into(), 0).into(), move |socket| pipe(socket, server)).ok()
}

/// The addresses of `localhost` on this machine.
fn localhost() -> Vec<SocketAddr> {
    ("localhost", 0).to_socket_addrs().map(Iterator::collect).unwrap_or_default()
}

#[test]
fn net_06_a_bracketed_address_works_in_every_place() {
    if TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_err() {
        return;
    }
    check_rows(&[
        Row {
            name: "NET-06 [::1]",
            stage: |over| {
                let server = FakeServer::start(over, well_behaved());
                let front = at(Ipv6Addr::LOCALHOST, server.address()).expect("an IPv6 loopback");
                let path = if over == Over::Sse { "sse" } else { "mcp" };
                let host = format!("[::1]:{}", front.port());
                let url = format!("http://{host}/{path}");
                Stage::new(url, front).look(move |_| {
                    let wrong = server.requests().into_iter().filter(|request| request.header("host") != Some(&host));
                    wrong.map(|request| format!("host is {:?}", request.header("host"))).collect()
                })
            },
            ..OK
        },
        Row {
            name: "NET-06 [::1] behind TLS",
            stage: |over| {
                let server = TlsServer::start(over, well_behaved(), &Tls::new(&all().good));
                let front = at(Ipv6Addr::LOCALHOST, server.address()).expect("an IPv6 loopback");
                let path = if over == Over::Sse { "sse" } else { "mcp" };
                Stage::new(format!("https://[::1]:{}/{path}", front.port()), (front, server))
            },
            args: &["--cacert", "ca.pem"],
            ..OK
        },
        Row {
            name: "NET-06 [::1] goes past the proxy of the environment",
            ways: &[HTTP],
            stage: |over| {
                let server = FakeServer::start(over, well_behaved());
                let front = at(Ipv6Addr::LOCALHOST, server.address()).expect("an IPv6 loopback");
                let url = format!("http://[::1]:{}/mcp", front.port());
                Stage::new(url, (front, server)).env("http_proxy", FakeServer::nobody().to_string())
            },
            ..OK
        },
        Row {
            name: "NET-06 [::1] where nobody is",
            stage: |_| nobody("[::1]"),
            says: &["tried", "{host}", "refused"],
            ..UNREACHED
        },
    ]);
}

fn nobody(host: &str) -> Stage {
    Stage::new(format!("http://{host}:{}/mcp", FakeServer::nobody().port()), ())
}

#[test]
fn net_06_one_of_the_addresses_of_a_name_is_enough() {
    // Which of them the machine gives to the name is its own affair; each alone must do.
    for address in localhost() {
        let server = FakeServer::start(Over::Http, well_behaved());
        let Some(front) = at(address.ip(), server.address()) else { continue };
        let stage = Stage::new(format!("http://localhost:{}/mcp", front.port()), (front, server));
        run_alone(&stage).assert_exit(0);
    }
}

#[test]
fn net_06_each_address_is_told_when_nobody_is_there() {
    let stage = nobody("localhost");
    let run = run_alone(&stage);
    run.assert_exit(5);
    let port = url::Url::parse(&stage.url).expect("a URL").port().expect("a port");
    for mut address in localhost() {
        address.set_port(port);
        let told = run.stderr.lines().any(|line| line.contains(&address.to_string()) && line.contains("refused"));
        assert!(told, "{address}: {}", run.describe());
    }
}
