//! stdio: one message a line on stdin and stdout, for use as a child process.

use std::collections::HashMap;
use std::io::{self, BufRead, Read as _, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::Transport;
use super::context::{Out, Outlet};
use super::eras::Eras;
use super::faults::Fault;
use super::message::{self, Id, Message, Request, RpcError};
use super::modern;
use super::session::Session;
use super::world::World;

/// Bytes that a line may have.
const MOST: u64 = 64 << 20;
/// Time for calls that still run when stdin ends.
const GRACE: Duration = Duration::from_millis(200);

/// What `stdout-noise` writes first.
const BANNER: &str = "mcpcli demo server, ready to serve\n\n{\"level\":\"info\",\"msg\":\"listening on stdin\"}\n";

/// Serves one client over stdin and stdout until stdin ends, and gives the exit status of the process.
pub async fn serve_stdio(faults: &[Fault], protocol: Eras) -> io::Result<u8> {
    serve(faults, protocol, || io::stdin().lock(), io::stdout(), io::stderr()).await
}

async fn serve<R: BufRead>(
    faults: &[Fault],
    protocol: Eras,
    input: impl FnOnce() -> R + Send + 'static,
    output: impl Write,
    mut errors: impl Write,
) -> io::Result<u8> {
    let world = World::new(faults, protocol, Transport::Stdio)?;
    // Tasks run by themselves; they end with the process, and with this call.
    let _stop = world.stop.clone().drop_guard();
    if faults.contains(&Fault::ExitEarly) {
        errors.write_all(
            b"Traceback (most recent call last):\n  File \"server.py\", line 7, in <module>\nKeyError: API_KEY\n",
        )?;
        return Ok(3);
    }
    let (sender, lines) = mpsc::channel(16);
    // A thread of its own, because a read from stdin cannot be taken back; the end of the process ends it.
    std::thread::Builder::new().name("demo-stdin".to_owned()).spawn(move || read_lines(input(), &sender))?;
    let (outlet, messages) = Outlet::channel();
    let noisy = faults.contains(&Fault::StdoutNoise);
    let session = Session::new(world.clone());
    session.add_stream(outlet.clone());
    let mut server = Stdio {
        world,
        session,
        output,
        noisy,
        outlet: Some(outlet),
        calls: JoinSet::new(),
        open: Arc::default(),
        ending: CancellationToken::new(),
    };
    match server.run(lines, messages).await {
        // The client does not read any more: the same as the end of stdin.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Ok(Ended::Cut) => {
            errors.write_all(b"demo: the process ends in the middle of tools/call, as it was asked to\n")?;
            Ok(1)
        }
        Ok(Ended::Input) => Ok(0),
        Err(error) => Err(error),
    }
}

fn read_lines(mut input: impl BufRead, lines: &mpsc::Sender<io::Result<Vec<u8>>>) {
    loop {
        let mut line = Vec::new();
        let read = match input.by_ref().take(MOST).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(length) if length as u64 == MOST && !line.ends_with(b"\n") => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "a line on stdin has more than 64 MiB"))
            }
            Ok(_) => Ok(line),
            Err(error) => Err(error),
        };
        let last = read.is_err();
        if lines.blocking_send(read).is_err() || last {
            return;
        }
    }
}

/// Why serving ended.
enum Ended {
    /// stdin is at its end.
    Input,
    /// A fault ended it.
    Cut,
}

struct Stdio<W> {
    world: Arc<World>,
    /// The session of the era of `initialize`.
    session: Arc<Session>,
    output: W,
    noisy: bool,
    /// Given to each call; gone when stdin is at its end.
    outlet: Option<Outlet>,
    calls: JoinSet<()>,
    /// Requests of 2026-07-28 that run.
    open: Arc<Mutex<HashMap<Id, CancellationToken>>>,
    /// Ends the subscriptions when stdin is at its end.
    ending: CancellationToken,
}

impl<W: Write> Stdio<W> {
    async fn run(
        &mut self,
        mut lines: mpsc::Receiver<io::Result<Vec<u8>>>,
        mut messages: mpsc::Receiver<Out>,
    ) -> io::Result<Ended> {
        if self.noisy {
            self.output.write_all(BANNER.as_bytes())?;
            self.output.flush()?;
        }
        let mut end = None;
        loop {
            let deadline = end.unwrap_or_else(|| Instant::now() + Duration::from_secs(3600));
            tokio::select! {
                line = lines.recv(), if end.is_none() => match line {
                    Some(line) => self.take(&line?)?,
                    None => {
                        end = Some(Instant::now() + GRACE);
                        self.outlet = None;
                        self.session.close_streams();
                        self.ending.cancel();
                    }
                },
                out = timeout_at(deadline, messages.recv()) => match out {
                    Ok(Some(Out::Message(text) | Out::Answer(text, _))) => self.write(text)?,
                    Ok(Some(Out::Fragment(_))) => {}
                    Ok(Some(Out::Cut | Out::Reset)) => return Ok(Ended::Cut),
                    // Every call has ended.
                    Ok(None) => return Ok(Ended::Input),
                    Err(_) if end.is_some() => return Ok(Ended::Input),
                    Err(_) => {}
                },
                Some(_) = self.calls.join_next(), if !self.calls.is_empty() => {}
            }
        }
    }

    fn take(&mut self, line: &[u8]) -> io::Result<()> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let incoming = match message::parse(line) {
            Ok(incoming) if incoming.batch && self.session.version() != Some("2025-03-26") => {
                let what = "Invalid Request: arrays of messages exist in protocol version 2025-03-26 only";
                return self.write(message::answer(None, &Err(RpcError::invalid_request(what))));
            }
            Ok(incoming) => incoming,
            Err(error) => return self.write(message::answer(None, &Err(error))),
        };
        for message in incoming.messages {
            let Some(outlet) = self.outlet.clone() else { continue };
            match message {
                Message::Request(request) if self.is_modern(&request) => self.request(request, outlet),
                other => {
                    if let Message::Notification { method, params } = &other
                        && let Some(id) = message::cancelled(method, params)
                        && let Some(token) = open(&self.open).get(&id)
                    {
                        token.cancel();
                    }
                    if let Some(work) = self.session.receive(other, outlet) {
                        self.calls.spawn(work);
                    }
                }
            }
        }
        Ok(())
    }

    fn is_modern(&self, request: &Request) -> bool {
        match self.world.eras {
            Eras::Both => modern::claims(request),
            Eras::Legacy => false,
            Eras::Modern => true,
        }
    }

    /// Takes a request of 2026-07-28: the same rules as over HTTP, without headers.
    fn request(&mut self, request: Request, outlet: Outlet) {
        let id = request.id.clone();
        let admitted = modern::admit(&self.world, &request, None).and_then(|caller| {
            // An id is free again when its request has ended (2026-07-28 basic §Requests).
            match open(&self.open).contains_key(&id) {
                true => {
                    Err(RpcError::invalid_request(format!("Invalid Request: a request with id {id} is still open")))
                }
                false => Ok(caller),
            }
        });
        let caller = match admitted {
            Ok(caller) => caller,
            Err(error) => {
                self.calls.spawn(async move {
                    outlet.answer(&id, &Err(error)).await;
                });
                return;
            }
        };
        let cancel = match request.method.as_str() {
            "subscriptions/listen" => self.ending.child_token(),
            _ => CancellationToken::new(),
        };
        open(&self.open).insert(id.clone(), cancel.clone());
        let (work, requests) = (modern::serve(&self.world, request, caller, outlet, cancel), self.open.clone());
        self.calls.spawn(async move {
            work.await;
            open(&requests).remove(&id);
        });
    }

    /// "Messages are delimited by newlines, and MUST NOT contain embedded newlines" (2025-11-25 basic/transports §stdio).
    fn write(&mut self, mut text: String) -> io::Result<()> {
        if self.noisy {
            text.insert_str(0, "{\"level\":\"debug\",\"msg\":\"sending a message\"}\n");
        }
        text.push('\n');
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }
}

fn open(requests: &Mutex<HashMap<Id, CancellationToken>>) -> MutexGuard<'_, HashMap<Id, CancellationToken>> {
    requests.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "stdio_tests.rs"]
mod tests;
