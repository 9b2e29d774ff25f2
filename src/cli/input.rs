//! Texts that an option names instead of holding: `@FILE`, and `-` for stdin, which is read only when asked for.

use std::io::{self, Read};
use std::time::Duration;

use crate::outcome::{Category, Failure, Phase, Reason};

/// The text of an option that takes `TEXT|@FILE|-`, without a byte order mark.
///
/// Stdin is given up when `limit` is over: a pipe that nobody closes must not outlast the clocks.
pub(super) fn text(option: &str, given: &str, limit: Option<Duration>) -> Result<String, Failure> {
    let (bytes, from) = match given.strip_prefix('@') {
        Some("") => return Err(usage(option, "`@` needs the name of a file behind it")),
        Some(path) => (file(option, path)?, format!("the file {path}")),
        None if given == "-" => (stdin(option, limit)?, "stdin".to_owned()),
        None => return Ok(given.to_owned()),
    };
    let text = String::from_utf8(bytes).map_err(|_| usage(option, &format!("{from} is not UTF-8")))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.trim().is_empty() {
        return Err(usage(option, &format!("{from} is empty")));
    }
    Ok(text.to_owned())
}

/// The JSON text of an option that takes `JSON|@FILE|-`.
pub(super) fn json(option: &str, given: &str, limit: Option<Duration>) -> Result<String, Failure> {
    let text = text(option, given, limit)?;
    match serde_json::from_str::<&serde_json::value::RawValue>(&text) {
        Ok(raw) => Ok(raw.get().to_owned()),
        Err(error) => {
            let shown: String = text.chars().take(200).collect();
            Err(usage(option, &format!("it is not JSON ({error})"))
                .with_evidence("received", shown)
                .with_hint("if the shell ate the quotes, put the JSON into a file (@FILE) or on stdin (-)"))
        }
    }
}

/// As [`json`], of an object.
pub(super) fn object(option: &str, given: &str, limit: Option<Duration>) -> Result<String, Failure> {
    let text = json(option, given, limit)?;
    if text.starts_with('{') { Ok(text) } else { Err(usage(option, "it is JSON, but not an object")) }
}

fn usage(option: &str, what: &str) -> Failure {
    Failure::usage(Reason::CommandLine, format!("{option}: {what}"))
}

fn file(option: &str, path: &str) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| {
        Failure::usage(Reason::File, format!("{option}: cannot read {path}: {error}"))
            .with_hint("what stands behind `@` is the name of a file that exists and may be read")
    })
}

fn stdin(option: &str, limit: Option<Duration>) -> Result<Vec<u8>, Failure> {
    let Some(limit) = limit else {
        return read_all().map_err(|error| usage(option, &format!("cannot read stdin: {error}")));
    };
    let (sender, receiver) = std::sync::mpsc::channel();
    // The thread may outlive the wait; the end of the process takes it along.
    std::thread::spawn(move || sender.send(read_all()));
    match receiver.recv_timeout(limit) {
        Ok(read) => read.map_err(|error| usage(option, &format!("cannot read stdin: {error}"))),
        Err(_) => {
            let limit = humantime::format_duration(limit);
            let message =
                format!("{option}: stdin did not end within {limit} (the shorter of --timeout and --max-time)");
            Err(Failure::new(Category::Timeout, Phase::Resolve, message)
                .with_reason(Reason::Idle)
                .with_hint("is the other end of the pipe still open?"))
        }
    }
}

fn read_all() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_from_where_they_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("args.json");
        std::fs::write(&path, "\u{feff}{\"a\": 1.10}\n").unwrap();
        let named = format!("@{}", path.display());
        assert_eq!(object("--args", &named, None).unwrap(), "{\"a\": 1.10}");
        assert_eq!(object("--args", "{\"b\":2}", None).unwrap(), "{\"b\":2}");
        std::fs::write(&path, " \n").unwrap();
        assert!(text("--args", &named, None).unwrap_err().message.contains("empty"));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let missing = json("--args", "@/no/such.json", None).unwrap_err();
        assert_eq!((missing.category, missing.reason), (Category::Usage, Some(Reason::File)));
        assert!(missing.message.contains("/no/such.json"));
        let eaten = json("--args", "{path:x}", None).unwrap_err();
        assert_eq!(eaten.evidence[0].text, "{path:x}");
        assert!(eaten.hint.unwrap().contains("quotes"));
        assert!(object("--args", "[1]", None).unwrap_err().message.contains("not an object"));
        assert!(text("--args", "@", None).is_err());
    }
}
