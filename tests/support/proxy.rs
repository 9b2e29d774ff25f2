//! A proxy that forwards everything to one server, whatever was asked for, or refuses. It speaks HTTP and SOCKS5.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::TcpStream;

use super::front::{Front, pipe};

/// What a proxy does with a connection.
#[derive(Debug, Clone, Copy)]
pub enum Does {
    /// Carries it to this server.
    Forward(SocketAddr),
    /// Gives this answer and closes.
    Answer(&'static str),
    /// Nothing, for as long as the client waits.
    Stall,
}

/// The first request of a connection: `CONNECT host:port`, `POST http://host/path`, or `SOCKS5 host:port`.
#[derive(Debug, Clone)]
pub struct Asked {
    pub what: String,
    /// The value of `Proxy-Authorization`, or name and password of SOCKS5 as `name:password`.
    pub credential: Option<String>,
}

/// A running proxy.
pub struct FakeProxy {
    front: Front,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl FakeProxy {
    pub fn start(does: Does) -> FakeProxy {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&asked);
        let front = Front::start(move |socket| {
            let notes = Arc::clone(&notes);
            async move {
                // A client that goes away in between is a case, not a fault of the test.
                let _broken = serve(socket, does, &notes).await.is_err();
            }
        });
        FakeProxy { front, asked }
    }

    pub fn address(&self) -> SocketAddr {
        self.front.address()
    }

    /// What was asked for, a connection a row.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

async fn serve(mut client: TcpStream, does: Does, notes: &Mutex<Vec<Asked>>) -> io::Result<()> {
    if client.peek(&mut [0]).await? == 0 {
        return Ok(());
    }
    let mut first = [0];
    client.peek(&mut first).await?;
    if first == [5] {
        let asked = socks5(&mut client).await?;
        notes.lock().unwrap().push(asked);
        if let Does::Forward(server) = does {
            client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
            pipe(client, server).await;
        }
        return Ok(());
    }
    let head = read_head(&mut client).await?;
    let text = String::from_utf8_lossy(&head).into_owned();
    let mut lines = text.split("\r\n");
    let what = lines.next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    let credential = lines
        .filter_map(|line| line.split_once(": "))
        .find_map(|(name, value)| name.eq_ignore_ascii_case("proxy-authorization").then(|| value.to_owned()));
    let is_tunnel = what.starts_with("CONNECT ");
    notes.lock().unwrap().push(Asked { what, credential });
    match does {
        Does::Stall => drain(&mut client).await,
        Does::Answer(answer) => {
            client.write_all(answer.as_bytes()).await?;
            client.shutdown().await?;
            // What is left unread would turn the end into a reset.
            drain(&mut client).await
        }
        Does::Forward(server) if is_tunnel => {
            client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
            pipe(client, server).await;
            Ok(())
        }
        Does::Forward(server) => {
            let mut upstream = TcpStream::connect(server).await?;
            upstream.write_all(&head).await?;
            copy_bidirectional(&mut client, &mut upstream).await.map(|_| ())
        }
    }
}

async fn drain(client: &mut TcpStream) -> io::Result<()> {
    while client.read(&mut [0; 4096]).await? > 0 {}
    Ok(())
}

/// Everything up to the end of the head, and what came with it.
async fn read_head(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if client.read_buf(&mut head).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(head)
}

/// RFC 1928, and RFC 1929 if the client offers a name and password.
async fn socks5(client: &mut TcpStream) -> io::Result<Asked> {
    let _version = client.read_u8().await?;
    let methods = read_counted(client).await?;
    let credential = if methods.contains(&2) {
        client.write_all(&[5, 2]).await?;
        let _version = client.read_u8().await?;
        let (name, password) = (read_counted(client).await?, read_counted(client).await?);
        client.write_all(&[1, 0]).await?;
        Some(format!("{}:{}", String::from_utf8_lossy(&name), String::from_utf8_lossy(&password)))
    } else {
        client.write_all(&[5, 0]).await?;
        None
    };
    let mut request = [0; 4];
    client.read_exact(&mut request).await?;
    let host = match request[3] {
        1 => std::net::Ipv4Addr::from(client.read_u32().await?).to_string(),
        3 => String::from_utf8_lossy(&read_counted(client).await?).into_owned(),
        _ => std::net::Ipv6Addr::from(client.read_u128().await?).to_string(),
    };
    let port = client.read_u16().await?;
    Ok(Asked { what: format!("SOCKS5 {host}:{port}"), credential })
}

async fn read_counted(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let length = client.read_u8().await?;
    let mut bytes = vec![0; length.into()];
    client.read_exact(&mut bytes).await?;
    Ok(bytes)
}
