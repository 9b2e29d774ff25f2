//! A stdio server whose script runs in the test: the child process only relays.
//!
//! The child is this test binary again, running `relay_main` alone. It sends every line of its stdin over a socket to
//! the fake server, and does what frames from there tell it: write these bytes, exit, die. The test harness prints to
//! stdout, so a one-line shell script moves the real stdout to descriptor 3 first; both steps keep the process id.

use std::net::SocketAddr;

/// Orders to the relay. On the wire: this byte, four bytes of length (big endian), the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Frame {
    Stdout = b'o',
    Stderr = b'e',
    Exit = b'x',
    Signal = b's',
    CloseStdout = b'c',
    Stubborn = b'i',
    Grandchild = b'g',
}

impl Frame {
    const ALL: [Frame; 7] = [
        Frame::Stdout,
        Frame::Stderr,
        Frame::Exit,
        Frame::Signal,
        Frame::CloseStdout,
        Frame::Stubborn,
        Frame::Grandchild,
    ];
}

/// What a relay that lives on sends when its stdin has ended. No message holds a NUL.
pub(super) const END_OF_STDIN: &[u8] = b"\0\n";

const VARIABLE: &str = "MCPCLI_TEST_RELAY";

/// The program and arguments of a relay to this address.
pub(super) fn command(address: SocketAddr) -> Vec<String> {
    let script = format!(
        "exec 3>&1 1>/dev/null; {VARIABLE}=$1 exec \"$2\" --exact {}::child::relay_main --ignored --nocapture --quiet",
        // Without the crate's name, as the test harness names it.
        module_path!().split_once("::").map_or("", |(_, path)| path)
    );
    let binary = std::env::current_exe().expect("the test binary knows where it is");
    let binary = binary.to_str().expect("the build directory has a name in UTF-8");
    ["sh", "-c", &script, "relay", &address.to_string(), binary].map(str::to_owned).to_vec()
}

#[cfg(unix)]
// This is a whole process, though it looks like a test.
#[allow(clippy::exit)]
mod child {
    use std::fs::File;
    use std::io::{self, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::os::fd::FromRawFd;
    use std::process::{Command, Stdio, exit};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use nix::sys::signal::{SigHandler, Signal, kill, signal};
    use nix::unistd::getpid;

    use super::{END_OF_STDIN, Frame, VARIABLE};

    #[test]
    #[ignore = "the child process of other tests, not a test"]
    fn relay_main() {
        let Ok(address) = std::env::var(VARIABLE) else { return };
        // An error means that the test is over, or that mcpcli is.
        exit(run(&address).unwrap_or_default());
    }

    fn run(address: &str) -> io::Result<i32> {
        let socket = TcpStream::connect(address)?;
        socket.set_nodelay(true)?;
        let stubborn = Arc::new(AtomicBool::new(false));
        let (mut upward, patient) = (socket.try_clone()?, Arc::clone(&stubborn));
        thread::spawn(move || {
            let _gone = io::copy(&mut io::stdin(), &mut upward).is_err();
            if !patient.load(Ordering::SeqCst) {
                exit(0);
            }
            let _gone = upward.write_all(END_OF_STDIN).is_err();
        });
        // SAFETY: the shell script that started this process opened descriptor 3, and nothing else here uses it.
        #[allow(unsafe_code)]
        let mut stdout = Some(unsafe { File::from_raw_fd(3) });
        let mut orders = BufReader::new(socket);
        loop {
            let (frame, payload) = read_frame(&mut orders)?;
            match frame {
                Frame::Stdout => {
                    if let Some(stdout) = &mut stdout {
                        stdout.write_all(&payload)?;
                    }
                }
                Frame::Stderr => io::stderr().write_all(&payload)?,
                Frame::Exit => return Ok(payload.first().copied().unwrap_or_default().into()),
                Frame::Signal => {
                    let number = payload.first().copied().unwrap_or_default();
                    kill(getpid(), Signal::try_from(i32::from(number))?)?;
                }
                Frame::CloseStdout => drop(stdout.take()),
                Frame::Stubborn => {
                    stubborn.store(true, Ordering::SeqCst);
                    ignore_term()?;
                }
                Frame::Grandchild => {
                    let stdout = stdout.as_ref().map(File::try_clone).transpose()?;
                    let stdout = stdout.map_or_else(Stdio::null, Stdio::from);
                    Command::new("sleep").arg("60").stdin(Stdio::null()).stdout(stdout).spawn()?;
                }
            }
        }
    }

    fn ignore_term() -> io::Result<()> {
        // SAFETY: ignoring a signal installs no handler.
        #[allow(unsafe_code)]
        let ignored = unsafe { signal(Signal::SIGTERM, SigHandler::SigIgn) };
        ignored.map(drop).map_err(io::Error::from)
    }

    fn read_frame(orders: &mut impl Read) -> io::Result<(Frame, Vec<u8>)> {
        let mut head = [0; 5];
        orders.read_exact(&mut head)?;
        let kind = Frame::ALL.into_iter().find(|frame| *frame as u8 == head[0]);
        let kind = kind.ok_or_else(|| io::Error::other("an unknown order"))?;
        let mut payload = vec![0; u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize];
        orders.read_exact(&mut payload)?;
        Ok((kind, payload))
    }
}
