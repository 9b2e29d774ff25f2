//! One run of the binary against a counterpart, with nothing of the user's own, and within a deadline.

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::group::Group;

/// No run of the binary may take longer, whatever the server does.
const DEADLINE: Duration = Duration::from_secs(120);

/// How the binary is told which server is meant.
pub(super) enum Reach<'a> {
    Url(&'a str),
    Program(&'a [String]),
}

/// A server, and the value of `--protocol` to speak with it.
pub(super) struct Target<'a> {
    pub(super) reach: Reach<'a>,
    pub(super) protocol: &'a str,
}

impl<'a> Target<'a> {
    /// A server, left to find out what it speaks.
    pub(super) fn auto(reach: Reach<'a>) -> Target<'a> {
        Target { reach, protocol: "auto" }
    }
}

/// One run of the binary with `--json`.
pub(super) struct Run {
    pub(super) line: String,
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Run {
    /// The envelope. `watch` prints one line for each notification before it; anything else must not.
    pub(super) fn envelope(&self) -> Result<Value, serde_json::Error> {
        let lines = self.stdout.trim_end().rsplit_once('\n').filter(|_| self.line.contains(" watch "));
        serde_json::from_str(lines.map_or(self.stdout.as_str(), |(_, last)| last))
    }

    /// Runs it with these arguments.
    pub(super) fn of(target: &Target<'_>, args: &[&str]) -> Run {
        let home = tempfile::tempdir().expect("a temporary folder");
        let mut words = vec![env!("CARGO_BIN_EXE_mcpcli"), "--json", "--protocol", target.protocol];
        if let Reach::Url(url) = target.reach {
            words.extend(["-s", url]);
        }
        words.extend(args);
        if let Reach::Program(program) = target.reach {
            words.push("--");
            words.extend(program.iter().map(String::as_str));
        }
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let line = format!("mcpcli {}", words[1..].join(" "));
        let [out, err] = [(), ()].map(|()| tempfile::NamedTempFile::new().expect("a temporary file"));
        let into = |file: &tempfile::NamedTempFile| Stdio::from(file.reopen().expect("the file opens again"));
        let mut command = Group::command(&words);
        // Nothing of the user's own comes in: no configuration, no variable but the one that finds the interpreters.
        command.env_clear().env("HOME", home.path()).env("PATH", std::env::var_os("PATH").expect("PATH is set"));
        command.current_dir(home.path()).stdout(into(&out)).stderr(into(&err));
        let mut group = Group::start(&mut command);
        let started = Instant::now();
        let code = loop {
            match group.ended() {
                Some(status) => break status.code(),
                None if started.elapsed() > DEADLINE => break None,
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        drop(group);
        let text = |file: tempfile::NamedTempFile| {
            let mut bytes = Vec::new();
            file.reopen().and_then(|mut file| file.read_to_end(&mut bytes)).expect("the output can be read");
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Run { line, code, stdout: text(out), stderr: text(err) }
    }
}
