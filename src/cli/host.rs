//! `--roots`, `--answer` and `--client-capabilities` as what the client may tell a server.

use std::path::Path;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::input;
use super::options::Connect;
use super::values::{self, Answer};
use crate::client::host::{self, Host, Root, Sampling};
use crate::outcome::{Failure, Reason};

/// Everything that can be answered without a terminal.
pub(super) fn host(connect: &Connect) -> Result<Host, Failure> {
    let mut host = Host::default();
    for root in &connect.roots {
        host.roots.push(self::root(root)?);
    }
    for answer in &connect.answer {
        match answer {
            Answer::Defaults => host.elicitation.push(host::Answer::Accept(None)),
            Answer::Decline => host.elicitation.push(host::Answer::Decline),
            Answer::Cancel => host.elicitation.push(host::Answer::Cancel),
            Answer::Members(text) => host.elicitation.push(host::Answer::Accept(Some(raw(text)?))),
            Answer::File(path) => {
                let text = input::object("--answer", &format!("@{path}"), None)?;
                host.elicitation.push(host::Answer::Accept(Some(raw(&text)?)));
            }
            Answer::SamplingText(text) => host.sampling.push(Sampling::Text(text.clone())),
            Answer::SamplingResult(text) => host.sampling.push(Sampling::Result(raw(text)?)),
        }
    }
    Ok(host)
}

/// `--client-capabilities`.
pub(super) fn capabilities(connect: &Connect) -> Result<Option<Arc<RawValue>>, Failure> {
    let Some(given) = &connect.client_capabilities else { return Ok(None) };
    let text = input::object("--client-capabilities", given, None)?;
    raw(&text).map(Some)
}

fn raw(text: &str) -> Result<Arc<RawValue>, Failure> {
    let text = values::object(text).map_err(|why| Failure::usage(Reason::CommandLine, why))?;
    RawValue::from_string(text)
        .map(Arc::from)
        .map_err(|error| Failure::usage(Reason::CommandLine, format!("it is not JSON: {error}")))
}

/// A root: "uri … MUST be a file:// URI in the current specification" (2024-11-05 to 2025-11-25 client/roots §Root).
fn root(given: &str) -> Result<Root, Failure> {
    let usage = |message: String| Failure::usage(Reason::CommandLine, message);
    if given.contains("://") {
        return match url::Url::parse(given) {
            Ok(url) if url.scheme() == "file" => Ok(Root { uri: given.to_owned(), name: None }),
            Ok(url) => Err(usage(format!("--roots: a root is a file:// URI or a path, not {}://", url.scheme()))),
            Err(error) => Err(usage(format!("--roots: {given} is not a URI: {error}"))),
        };
    }
    let path = Path::new(given).canonicalize().map_err(|error| {
        Failure::usage(Reason::File, format!("--roots: {given}: {error}")).with_hint("give a path that exists")
    })?;
    let url = url::Url::from_file_path(&path)
        .map_err(|()| usage(format!("--roots: {} cannot be written as a URI", path.display())))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(Root { uri: url.into(), name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_file_uris() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().canonicalize().unwrap().join("a b");
        std::fs::create_dir(&place).unwrap();
        let found = root(&place.display().to_string()).unwrap();
        assert!(found.uri.starts_with("file:///") && found.uri.ends_with("/a%20b"), "{}", found.uri);
        assert_eq!(found.name.as_deref(), Some("a b"));
        assert_eq!(root("file:///x").unwrap().uri, "file:///x");
        assert!(root("http://x/").is_err() && root("/no/such/place").is_err());
    }

    #[test]
    fn answers_keep_their_order() {
        let answer =
            vec![Answer::Decline, Answer::Members("{\"a\":1}".to_owned()), Answer::SamplingText("x".to_owned())];
        let host = host(&Connect { answer, ..Connect::default() }).unwrap();
        assert!(matches!(host.elicitation.as_slice(), [host::Answer::Decline, host::Answer::Accept(Some(_))]));
        assert_eq!(host.sampling.len(), 1);
    }
}
