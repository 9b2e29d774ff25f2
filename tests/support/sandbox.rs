//! Runs the built binary in a home of its own, with a cleared environment and a hard limit of time.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// A temporary home and working directory, removed on drop.
pub struct Sandbox {
    root: tempfile::TempDir,
}

impl Sandbox {
    pub fn new() -> Sandbox {
        let root = tempfile::tempdir().expect("a temporary directory");
        for dir in ["home", "work", "home/.config", "home/.local/share", "home/.local/state", "home/.cache"] {
            std::fs::create_dir_all(root.path().join(dir)).expect("a directory in the sandbox");
        }
        Sandbox { root }
    }

    /// `$HOME`; the XDG directories are inside of it at their usual places.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The working directory of the runs.
    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// Writes a file, relative to the working directory, and gives its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(name);
        std::fs::create_dir_all(path.parent().expect("inside the sandbox")).expect("a directory in the sandbox");
        std::fs::write(&path, content).expect("a file in the sandbox");
        path
    }

    /// The binary with these arguments; `run` or `start` runs it.
    pub fn mcpcli<S: AsRef<OsStr>>(&self, args: &[S]) -> Invocation {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcpcli"));
        let home = self.home();
        command.args(args).env_clear().current_dir(self.work());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", &home);
        for (name, dir) in [
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
            ("XDG_CACHE_HOME", ".cache"),
        ] {
            command.env(name, home.join(dir));
        }
        Invocation { command, stdin: Input::Nothing, limit: Duration::from_secs(30) }
    }
}

enum Input {
    Nothing,
    Bytes(Vec<u8>),
    Open,
}

/// A run that is being prepared.
pub struct Invocation {
    command: Command,
    stdin: Input,
    limit: Duration,
}

impl Invocation {
    /// What stands on stdin; without it stdin is empty.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Invocation {
        self.stdin = Input::Bytes(bytes.into());
        self
    }

    /// Stdin is a pipe that nobody writes to and nobody closes.
    pub fn stdin_open(mut self) -> Invocation {
        self.stdin = Input::Open;
        self
    }

    /// One more variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Invocation {
        self.command.env(name, value);
        self
    }

    /// Another working directory.
    pub fn cwd(mut self, dir: impl AsRef<Path>) -> Invocation {
        self.command.current_dir(dir);
        self
    }

    /// Another limit than 30 seconds, after which the process is killed.
    pub fn limit(mut self, limit: Duration) -> Invocation {
        self.limit = limit;
        self
    }

    /// Runs another program instead, in the same surroundings.
    pub fn program<S: AsRef<OsStr>>(mut self, program: &str, args: &[S]) -> Invocation {
        let mut other = Command::new(program);
        other.args(args).env_clear();
        for (name, value) in self.command.get_envs() {
            other.env(name, value.unwrap_or_default());
        }
        if let Some(dir) = self.command.get_current_dir() {
            other.current_dir(dir);
        }
        self.command = other;
        self
    }

    /// Runs it to its end.
    pub fn run(self) -> Run {
        self.start().wait()
    }

    /// Starts it.
    pub fn start(mut self) -> Running {
        let input = if matches!(self.stdin, Input::Nothing) { Stdio::null() } else { Stdio::piped() };
        self.command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let args = self.command.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let started = Instant::now();
        let mut child = self.command.spawn().expect("the binary starts");
        let mut pipe = child.stdin.take();
        if let Input::Bytes(bytes) = self.stdin {
            let mut pipe = pipe.take().expect("stdin is a pipe");
            thread::spawn(move || {
                // A process that does not read its stdin is a case, not a fault of the test.
                let _unread = pipe.write_all(&bytes).is_err();
            });
        }
        let stdout = Collected::of(child.stdout.take().expect("stdout is a pipe"));
        let stderr = Collected::of(child.stderr.take().expect("stderr is a pipe"));
        Running { child, args, started, limit: self.limit, stdout, stderr, _stdin: pipe }
    }
}

/// What a pipe gave so far, gathered by a thread.
struct Collected {
    bytes: Arc<Mutex<Vec<u8>>>,
    over: mpsc::Receiver<()>,
}

impl Collected {
    fn of(mut pipe: impl Read + Send + 'static) -> Collected {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (done, over) = mpsc::channel::<()>();
        let store = Arc::clone(&bytes);
        thread::spawn(move || {
            let _done = done;
            let mut chunk = vec![0; 64 * 1024];
            while let Ok(count @ 1..) = pipe.read(&mut chunk) {
                store.lock().unwrap().extend_from_slice(&chunk[..count]);
            }
        });
        Collected { bytes, over }
    }

    fn so_far(&self) -> Vec<u8> {
        self.bytes.lock().unwrap().clone()
    }

    /// Everything, unless somebody else holds the pipe open after the process is gone.
    fn all(&self) -> Vec<u8> {
        let _still_held = self.over.recv_timeout(Duration::from_secs(2)) == Err(mpsc::RecvTimeoutError::Timeout);
        self.so_far()
    }
}

/// A run that has started. Dropped before its end, it is killed.
pub struct Running {
    child: Child,
    args: Vec<String>,
    started: Instant,
    limit: Duration,
    stdout: Collected,
    stderr: Collected,
    _stdin: Option<std::process::ChildStdin>,
}

impl Running {
    /// Sends a signal to the process alone.
    #[cfg(unix)]
    pub fn signal(&self, signal: nix::sys::signal::Signal) {
        let pid = nix::unistd::Pid::from_raw(self.child.id().try_into().expect("a pid"));
        nix::sys::signal::kill(pid, signal).expect("the process is there");
    }

    /// Waits until stderr holds a text; fails the test when it does not come.
    pub fn wait_for_stderr(&self, text: &str) {
        let deadline = Instant::now() + self.limit;
        while !String::from_utf8_lossy(&self.stderr.so_far()).contains(text) {
            assert!(Instant::now() < deadline, "stderr never held {text:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for its end, or kills it at the limit.
    pub fn wait(mut self) -> Run {
        let deadline = self.started + self.limit;
        let (status, killed) = loop {
            if let Some(status) = self.child.try_wait().expect("the process can be waited for") {
                break (status, false);
            }
            if Instant::now() > deadline {
                self.child.kill().expect("the process can be killed");
                break (self.child.wait().expect("the process can be waited for"), true);
            }
            thread::sleep(Duration::from_millis(2));
        };
        let took = self.started.elapsed();
        Run {
            args: std::mem::take(&mut self.args),
            status: status.code(),
            signal: signal_of(status),
            killed,
            took,
            stdout: self.stdout.all(),
            stderr: String::from_utf8_lossy(&self.stderr.all()).into_owned(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _gone_meanwhile = self.child.kill().is_err();
            let _reaped = self.child.wait().is_ok();
        }
    }
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}

/// What came of a run.
#[derive(Debug)]
pub struct Run {
    pub args: Vec<String>,
    /// The exit code, or `None` when a signal ended it.
    pub status: Option<i32>,
    pub signal: Option<i32>,
    /// Whether it was killed at the limit of time.
    pub killed: bool,
    pub took: Duration,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Run {
    /// stdout as text, bytes that are not UTF-8 replaced.
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// The one JSON document that stdout must be.
    pub fn try_json(&self) -> Result<Value, String> {
        serde_json::from_slice(&self.stdout).map_err(|error| format!("stdout is not one JSON document: {error}"))
    }

    /// The one JSON document that stdout must be.
    #[track_caller]
    pub fn json(&self) -> Value {
        self.try_json().unwrap_or_else(|error| panic!("{error}\n{}", self.describe()))
    }

    /// Checks the exit code.
    #[track_caller]
    pub fn assert_exit(&self, code: i32) -> &Run {
        assert_eq!(self.status, Some(code), "exit code\n{}", self.describe());
        self
    }

    /// Checks category, reason and exit code in the JSON document, and the exit code of the process.
    #[track_caller]
    pub fn assert_category<'a>(&self, category: &str, reason: impl Into<Option<&'a str>>, exit: i32) -> &Run {
        let problems = self.category_problems(category, reason.into(), exit);
        assert!(problems.is_empty(), "{}\n{}", problems.join("\n"), self.describe());
        self
    }

    /// What [`Run::assert_category`] would complain about.
    pub fn category_problems(&self, category: &str, reason: Option<&str>, exit: i32) -> Vec<String> {
        let mut problems = Vec::new();
        if self.status != Some(exit) {
            problems.push(format!("exit code {:?} instead of {exit}", self.status));
        }
        let document = match self.try_json() {
            Ok(document) => document,
            Err(error) => {
                problems.push(error);
                return problems;
            }
        };
        let expected = [
            ("category", Value::from(category)),
            ("reason", reason.map_or(Value::Null, Value::from)),
            ("exit_code", Value::from(exit)),
            ("ok", Value::from(category == "ok")),
        ];
        for (member, expected) in expected {
            let got = document.get(member).unwrap_or(&Value::Null);
            if *got != expected {
                problems.push(format!("{member} is {got} instead of {expected}"));
            }
        }
        problems
    }

    /// Everything about the run, for the message of a failed test.
    pub fn describe(&self) -> String {
        let end = match (self.killed, self.status, self.signal) {
            (true, ..) => "killed at the limit of time".to_owned(),
            (_, Some(status), _) => format!("exit {status}"),
            (_, _, signal) => format!("signal {signal:?}"),
        };
        format!(
            "$ mcpcli {}\n[{end} after {:?}]\n--- stdout\n{}\n--- stderr\n{}\n---",
            self.args.join(" "),
            self.took,
            self.stdout_text(),
            self.stderr
        )
    }
}
