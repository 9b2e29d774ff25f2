//! Handshakes that never come to an end, and ports that speak something else than the URL says.

use std::future::Future;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{OK, Row, Stage, UNREACHED, check_rows, well_behaved};
use crate::support::{Front, Over, Tls, TlsServer};
use crate::tls::all;

/// A port that does this with each connection once the client has begun to speak, under an https URL.
fn https<F>(handler: impl Fn(TcpStream) -> F + Send + Copy + 'static) -> Stage
where
    F: Future<Output = ()> + Send + 'static,
{
    let front = Front::start(move |mut socket| async move {
        let _hello = socket.read(&mut [0; 4096]).await.is_ok();
        handler(socket).await;
    });
    Stage::new(format!("https://{}/mcp", front.address()), front)
}

async fn stall(mut socket: TcpStream) {
    while socket.read(&mut [0; 4096]).await.is_ok_and(|count| count > 0) {}
}

async fn reset(socket: TcpStream) {
    let _without = socket2::SockRef::from(&socket).set_linger(Some(Duration::ZERO)).is_err();
}

async fn answer(mut socket: TcpStream, text: &str) {
    let _gone = socket.write_all(text.as_bytes()).await.is_err();
    let _gone = socket.shutdown().await.is_err();
    stall(socket).await;
}

/// A server in order, of which only the first bytes come through.
fn broken_off(over: Over) -> Stage {
    let server = TlsServer::start(over, well_behaved(), &Tls::new(&all().good));
    let address = server.address();
    let front = Front::start(move |mut client| async move {
        let mut upstream = TcpStream::connect(address).await.expect("the server behind");
        let (mut hello, mut reply) = ([0; 4096], [0; 100]);
        let count = client.read(&mut hello).await.unwrap_or_default();
        let _gone = upstream.write_all(&hello[..count]).await.is_err();
        let count = upstream.read(&mut reply).await.unwrap_or_default();
        let _gone = client.write_all(&reply[..count]).await.is_err();
        let _gone = client.shutdown().await.is_err();
        stall(client).await;
    });
    Stage::new(format!("https://localhost:{}/mcp", front.port()), (front, server))
}

const FAILED: Row = Row { reason: Some("tls"), args: &["--cacert", "ca.pem"], ..UNREACHED };

const SILENT: Row = Row { category: "timeout", exit: 6, ..UNREACHED };

const ROWS: &[Row] = &[
    Row {
        name: "NET-04 TCP stands and TLS gets no answer",
        stage: |_| https(stall),
        args: &["--cacert", "ca.pem", "--connect-timeout", "400ms"],
        reason: Some("connect-timeout"),
        says: &["{host}", "TCP", "TLS", "--connect-timeout"],
        hides: &["no connection"],
        ..SILENT
    },
    Row {
        name: "NET-04 the same by the idle clock",
        stage: |_| https(stall),
        args: &["--cacert", "ca.pem", "--timeout", "400ms"],
        reason: Some("idle"),
        says: &["400ms"],
        ..SILENT
    },
    Row { name: "NET-04 a handshake that is cut", stage: |_| https(async |_| ()), says: &["http://"], ..FAILED },
    Row { name: "NET-04 a handshake that is reset", stage: |_| https(reset), says: &["http://"], ..FAILED },
    Row { name: "NET-04 a handshake that breaks off", stage: broken_off, says: &["handshake"], ..FAILED },
    Row {
        name: "NET-04 plain HTTP under https",
        stage: |_| https(|socket| answer(socket, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")),
        says: &["does not speak TLS", "http://"],
        ..FAILED
    },
    Row {
        name: "NET-04 a banner under https",
        stage: |_| https(|socket| answer(socket, "SSH-2.0-OpenSSH_9.6\r\n")),
        says: &["does not speak TLS"],
        ..FAILED
    },
    Row {
        name: "NET-04 TLS under http",
        stage: |over| {
            let server = TlsServer::start(over, well_behaved(), &Tls::new(&all().good));
            Stage::new(server.url("localhost").replace("https:", "http:"), server)
        },
        category: "transport",
        reason: Some("stream"),
        exit: 5,
        says: &["not HTTP", "https://"],
        ..OK
    },
];

#[test]
fn net_04_each_broken_handshake_is_told() {
    check_rows(ROWS);
}
