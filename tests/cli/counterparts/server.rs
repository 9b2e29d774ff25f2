//! Starts a counterpart on a free port, waits until it accepts a connection, and keeps what it prints.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::Stdio;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use super::catalogue::{Place, Server};
use super::group::Group;

/// The Python servers need three to four seconds on an idle machine, and other tests run beside them.
const START: Duration = Duration::from_secs(90);

/// A counterpart that listens.
pub(super) struct Running {
    // Before the log: the fields are dropped in this order.
    group: Group,
    log: NamedTempFile,
    port: u16,
}

impl Running {
    /// Starts the server; `index` is its place in the catalogue.
    pub(super) fn start(server: &Server, index: usize, place: &Place) -> Running {
        let mut seen = String::new();
        // Between the choice of a port and its use somebody else may take it, so there is more than one try.
        for port in free_ports(index).take(3) {
            match Running::try_start(server, place, port) {
                Ok(running) => return running,
                Err(why) => seen.push_str(&why),
            }
        }
        panic!("{} did not start:\n{seen}", server.name);
    }

    fn try_start(server: &Server, place: &Place, port: u16) -> Result<Running, String> {
        let log = NamedTempFile::new().expect("a temporary file");
        let into = || Stdio::from(log.reopen().expect("the log opens again"));
        let env = server.env.iter().map(|(name, value)| (name, place.fill(value, port)));
        let mut command = Group::command(&place.command(server, port));
        let group = Group::start(command.envs(env).stdout(into()).stderr(into()));
        let mut running = Running { group, log, port };
        let started = Instant::now();
        while started.elapsed() < START {
            if let Some(status) = running.group.ended() {
                return Err(format!("port {port}: it ended with {status}\n{}\n", running.log()));
            }
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            if TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok() {
                return Ok(running);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(format!("port {port}: no connection within {START:?}\n{}\n", running.log()))
    }

    /// The URL of a path.
    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The last lines that the server printed.
    pub(super) fn log(&self) -> String {
        let bytes = std::fs::read(self.log.path()).expect("the log can be read");
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    }
}

/// Ports that are free now, below those that the system hands out for port 0 (other tests ask for these all the time).
/// Each server has a range of its own, so two that start together never choose the same one.
fn free_ports(index: usize) -> impl Iterator<Item = u16> {
    let range = 20_000 + u16::try_from(index % 100).expect("below 100") * 100;
    let first = u16::try_from(std::process::id() % 100).expect("below 100");
    (0..100)
        .map(move |step| range + (first + step) % 100)
        .filter(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
}
