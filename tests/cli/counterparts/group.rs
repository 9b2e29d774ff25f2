//! A program in a process group of its own, which ends with the test, however the test ends.

use std::io::{PipeReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Becomes the program; a second process in the group waits for the end of this test's pipe and then kills the group.
/// So a test that is itself killed leaves nothing behind.
const GUARD: &str = r#"exec 3<&0
{ read -r _ <&3; kill -KILL 0; } >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-"#;

/// How long a program may take to end once it was asked to.
const GRACE: Duration = Duration::from_secs(3);

/// A running program and everything that it started.
pub(crate) struct Group {
    leader: Child,
}

impl Group {
    /// The command that [`Group::start`] takes: the program with its arguments, and without standard input.
    pub(crate) fn command(program: &[String]) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", GUARD, "sh"]).args(program);
        command
    }

    /// Starts what [`Group::command`] made, with whatever environment and output it was given since.
    pub(crate) fn start(command: &mut Command) -> Group {
        let leader = command.stdin(Stdio::piped()).process_group(0).spawn();
        Group { leader: leader.unwrap_or_else(|error| panic!("sh cannot be started: {error}")) }
    }

    /// How the program ended, if it did.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.leader.try_wait().expect("a child can be waited for")
    }

    fn signal(&self, signal: Signal) {
        let group = i32::try_from(self.leader.id()).expect("a process id fits");
        // A group without members is what is wanted, so that error says nothing.
        let _ = killpg(Pid::from_raw(group), signal);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::SIGTERM);
        let asked = Instant::now();
        while asked.elapsed() < GRACE && matches!(self.leader.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(10));
        }
        // Also where the program ended by itself: what it started may live on, and the guard does.
        self.signal(Signal::SIGKILL);
        let _ = self.leader.wait();
    }
}

fn shell(script: &str, out: Stdio) -> Group {
    Group::start(Group::command(&["sh", "-c", script].map(str::to_owned)).stdout(out).stderr(Stdio::null()))
}

fn ready(reader: &mut PipeReader) {
    let mut line = [0; 6];
    reader.read_exact(&mut line).unwrap();
    assert_eq!(&line, b"ready\n");
}

#[test]
fn a_dropped_group_takes_the_programs_children_along() {
    let (mut reader, writer) = std::io::pipe().unwrap();
    let group = shell("sleep 20 & sleep 20 & echo ready; wait", writer.into());
    ready(&mut reader);
    let dropped = Instant::now();
    drop(group);
    // The pipe ends when nobody holds its other end any more: neither the program nor its children.
    std::io::copy(&mut reader, &mut std::io::sink()).unwrap();
    assert!(dropped.elapsed() < Duration::from_secs(10), "a child survived for {:?}", dropped.elapsed());
}

#[test]
fn a_program_that_ignores_sigterm_is_killed() {
    let (mut reader, writer) = std::io::pipe().unwrap();
    let group = shell("trap '' TERM; echo ready; sleep 20 & wait; sleep 20", writer.into());
    ready(&mut reader);
    let dropped = Instant::now();
    drop(group);
    std::io::copy(&mut reader, &mut std::io::sink()).unwrap();
    assert!(dropped.elapsed() < Duration::from_secs(15), "it survived for {:?}", dropped.elapsed());
}

#[test]
fn a_group_ends_when_the_test_that_started_it_is_gone() {
    let mut group = shell("sleep 20", Stdio::null());
    // What the death of this process would do: the guard's pipe is closed.
    drop(group.leader.stdin.take());
    let status = group.leader.wait().unwrap();
    assert_eq!(status.signal(), Some(Signal::SIGKILL as i32), "it ended by {status}");
}

#[test]
fn a_group_tells_how_its_program_ended() {
    let mut group = shell("exit 7", Stdio::null());
    let started = Instant::now();
    let status = loop {
        match group.ended() {
            Some(status) => break status,
            None if started.elapsed() > Duration::from_secs(20) => panic!("no end was seen"),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    assert_eq!(status.code(), Some(7));
}
