//! The demo server: in this process for `-s demo`, as a child over stdio, and served to others by `mcpcli demo`.

use std::io::{self, Write};

use serde_json::value::RawValue;

use super::grammar;
use super::options::Show;
use super::{after_writing, print};
use crate::client::Target;
use crate::demo::{Eras, FAULTS, Fault, Options, Server, Transport, serve_stdio};
use crate::outcome::{Category, Failure, Phase, Reason};
use crate::render::terminal::wrap;
use crate::render::{Format, Stream, View};
use crate::report::{Body, Report};
use crate::secret::Secret;
use crate::trace::Redactor;
use crate::transport::{HttpEndpoint, Kind, StdioEndpoint};

/// The demo server as `-s` asked for it.
#[derive(Debug)]
pub(super) struct Wanted {
    /// How it misbehaves.
    pub(super) faults: Vec<Fault>,
    /// Over which transport; never stdio.
    pub(super) transport: Transport,
    /// Headers for it.
    pub(super) headers: Vec<(String, Secret)>,
    /// `--message-url`.
    pub(super) message_url: Option<url::Url>,
}

/// Starts the server on a free loopback port; it runs until it is dropped.
pub(super) async fn start(wanted: Wanted) -> Result<(Target, Server), Failure> {
    let Wanted { faults, transport, headers, message_url } = wanted;
    let options = Options { faults, transport, ..Options::default() };
    let failure = |what: String| Failure::new(Category::Internal, Phase::Connect, what);
    let server =
        Server::start(options).await.map_err(|error| failure(format!("the demo server cannot listen: {error}")))?;
    let url =
        url::Url::parse(&server.url()).map_err(|error| failure(format!("the demo server has no URL: {error}")))?;
    let kind = if transport == Transport::Sse { Kind::Sse } else { Kind::Http };
    Ok((Target::Http(Some(kind), HttpEndpoint { url, headers, message_url }), server))
}

/// The demo server as a child process of this same program.
pub(super) fn child(faults: &[Fault]) -> Result<StdioEndpoint, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        Failure::new(Category::Internal, Phase::Resolve, format!("mcpcli does not know where it is: {error}"))
    })?;
    let mut args: Vec<String> = ["demo", "--transport", "stdio"].map(str::to_owned).to_vec();
    for fault in faults {
        args.extend(["--fault".to_owned(), fault.row().name.to_owned()]);
    }
    Ok(StdioEndpoint { program: program.to_string_lossy().into_owned(), args, env: Vec::new(), cwd: None })
}

/// Reads the names of faults.
pub(super) fn read_faults<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Vec<Fault>, Failure> {
    let read = |name: &str| {
        Fault::from_name(name).ok_or_else(|| {
            let near = crate::nearest::nearest(name, FAULTS.iter().map(|row| row.name));
            let hint = match near.as_slice() {
                [] => "`mcpcli demo --list-faults` shows them".to_owned(),
                near => format!("did you mean {}? `mcpcli demo --list-faults` shows all", near.join(" or ")),
            };
            Failure::usage(Reason::UnknownName, format!("the demo server has no fault {name:?}")).with_hint(hint)
        })
    };
    names.into_iter().map(read).collect()
}

/// Refuses faults that cannot be shown over a transport, or not together.
pub(super) fn check_faults(faults: &[Fault], transport: Transport) -> Result<(), Failure> {
    let Some(row) = faults.iter().map(|fault| fault.row()).find(|row| !row.applies(transport)) else {
        return check_eras(Eras::default(), faults, transport);
    };
    let names: Vec<_> = row.transports.iter().map(|transport| transport.name()).collect();
    let message = format!("the fault {} cannot be shown over {}", row.name, transport.name());
    Err(Failure::usage(Reason::CommandLine, message).with_hint(format!("use --transport {}", names.join(" or "))))
}

/// Refuses an era in which a fault or a transport cannot be shown.
fn check_eras(protocol: Eras, faults: &[Fault], transport: Transport) -> Result<(), Failure> {
    protocol.with(faults, transport).map(|_| ()).map_err(|error| {
        Failure::usage(Reason::CommandLine, error.to_string())
            .with_hint("leave one of them out; without --protocol the server takes the era that is left")
    })
}

/// `demo --list-faults`.
pub(super) fn faults(stream: Stream) -> Report {
    let width_of_text = if stream.is_terminal { stream.width.saturating_sub(2) } else { usize::MAX };
    let width = |of: &dyn Fn(usize) -> usize| (0..FAULTS.len()).map(of).max().unwrap_or(0);
    let transports =
        |index: usize| FAULTS[index].transports.iter().map(|transport| transport.name()).collect::<Vec<_>>().join(",");
    let outcome = |index: usize| match FAULTS[index].reason {
        Some(reason) => format!("{}/{}", FAULTS[index].category, reason.name()),
        None => FAULTS[index].category.to_string(),
    };
    let (names, carried, outcomes) = (
        width(&|index| FAULTS[index].name.len()),
        width(&|index| transports(index).len()),
        width(&|index| outcome(index).len()),
    );
    let mut text = String::new();
    let mut rows = Vec::new();
    for (index, row) in FAULTS.iter().enumerate() {
        let (carriers, expected) = (transports(index), outcome(index));
        let head = format!(
            "{:names$}  {carriers:carried$}  {expected:outcomes$}  exit {}",
            row.name,
            row.category.exit_code()
        );
        text.push_str(&format!("{}\n", head.trim_end()));
        for line in [row.summary, row.clause].into_iter().flat_map(|text| wrap(text, width_of_text)) {
            text.push_str(&format!("  {line}\n"));
        }
        rows.push(serde_json::json!({
            "name": row.name,
            "summary": row.summary,
            "transports": row.transports.iter().map(|transport| transport.name()).collect::<Vec<_>>(),
            "category": row.category.name(),
            "reason": row.reason.map(Reason::name),
            "phase": row.phase,
            "exit_code": row.category.exit_code(),
            "clause": row.clause,
            "client_should": row.client_should,
        }));
    }
    let json = serde_json::value::to_raw_value(&rows).unwrap_or_else(|_| RawValue::NULL.to_owned());
    Report::local("demo", Body::Text { text, json })
}

/// `demo`: serves until Ctrl-C; gives the exit code.
pub(super) fn serve(demo: &grammar::Demo, show: &Show) -> u8 {
    let refused = |failure| print(&Report::failed("demo", failure), show);
    let transport = match demo.transport {
        grammar::Serving::Http => Transport::Http,
        grammar::Serving::Sse => Transport::Sse,
        grammar::Serving::Stdio => Transport::Stdio,
    };
    let protocol = match demo.protocol {
        grammar::Speaking::Auto => Eras::Both,
        grammar::Speaking::Legacy => Eras::Legacy,
        grammar::Speaking::Modern => Eras::Modern,
    };
    let names = demo.fault.iter().map(|name| name.trim());
    let checked = read_faults(names).and_then(|faults| {
        check_faults(&faults, transport)?;
        check_eras(protocol, &faults, transport)?;
        Ok(faults)
    });
    let faults = match checked {
        Ok(faults) => faults,
        Err(failure) => return refused(failure),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let message = format!("the runtime cannot be started: {error}");
            return refused(Failure::new(Category::Internal, Phase::Resolve, message));
        }
    };
    let served = if transport == Transport::Stdio {
        runtime
            .block_on(serve_stdio(&faults, protocol))
            .map_err(|error| Failure::usage(Reason::File, format!("the standard streams cannot be used: {error}")))
    } else {
        let options = Options { transport, faults, protocol, port: demo.port, host: demo.host };
        runtime.block_on(until_interrupted(options, show))
    };
    // Reading stdin keeps a thread busy; it is not waited for.
    runtime.shutdown_background();
    served.unwrap_or_else(refused)
}

async fn until_interrupted(options: Options, show: &Show) -> Result<u8, Failure> {
    let place = format!("{}:{}", options.host, options.port);
    let server = Server::start(options).await.map_err(|error| {
        Failure::usage(Reason::CommandLine, format!("cannot listen on {place}: {error}"))
            .with_hint("is the port in use? --port 0 takes a free one")
    })?;
    let code = announce(&server.url(), show);
    if code != 0 {
        return Ok(code);
    }
    tokio::select! {
        served = server.wait() => served.map(|()| 0).map_err(|error| {
            Failure::new(Category::Internal, Phase::Resolve, format!("the demo server stopped: {error}"))
        }),
        // Ctrl-C is how it is meant to end.
        _ = tokio::signal::ctrl_c() => Ok(0),
    }
}

/// The URL on stdout, so that a script can read it; with `--json` as the one document.
fn announce(url: &str, show: &Show) -> u8 {
    if show.format() == Format::Json {
        let json = serde_json::value::to_raw_value(&serde_json::json!({ "url": url }));
        let json = json.unwrap_or_else(|_| RawValue::NULL.to_owned());
        return print(&Report::local("demo", Body::Text { text: url.to_owned(), json }), show);
    }
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{url}").and_then(|()| out.flush());
    let redactor = Redactor::default();
    let err = Stream::stderr(show.colour());
    let view = View { format: Format::Human, quiet: show.quiet, out: Stream::PLAIN, err, redactor: &redactor };
    if written.is_ok() && !show.quiet && err.is_terminal {
        let _ = writeln!(io::stderr(), "{}", err.dim("serving until Ctrl-C"));
    }
    after_writing(0, written, &view)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_go_together_is_refused() {
        for (protocol, faults, transport, fits) in [
            (Eras::Both, &[][..], Transport::Sse, true),
            (Eras::Modern, &[], Transport::Http, true),
            (Eras::Modern, &[], Transport::Sse, false),
            (Eras::Modern, &[Fault::SessionLost], Transport::Http, false),
            (Eras::Both, &[Fault::ModernOnly, Fault::LegacyOnly], Transport::Stdio, false),
        ] {
            let checked = check_eras(protocol, faults, transport);
            assert_eq!(checked.is_ok(), fits, "{protocol:?} {faults:?} {transport:?}");
        }
        assert!(check_faults(&[Fault::ModernOnly, Fault::LegacyOnly], Transport::Http).is_err());
        assert!(check_faults(&[Fault::SilentProbe], Transport::Http).is_err());
    }
}
