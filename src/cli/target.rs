//! Which server: `-- PROGRAM`, then `-s` or MCPCLI_SERVER, then the only server of the nearest configuration file.
//!
//! An option that does not fit the kind of server is an error, never ignored.

use std::time::Duration;

use super::credentials;
use super::demo::{self, Wanted};
use super::named;
use super::options::{Connect, Transport};
use super::plan::Order;
use crate::client::Target;
use crate::demo::{Fault, Transport as DemoTransport};
use crate::outcome::{Failure, Reason};
use crate::secret::Secret;
use crate::trace::{Redactor, Tracer};
use crate::transport::{HttpEndpoint, Kind, StdioEndpoint};

/// Where the command goes.
#[derive(Debug)]
pub(super) enum Aim {
    /// To a server that is there, or a program to start.
    Server(Target),
    /// To the demo server, which has to be started in this process first.
    Demo(Wanted),
}

/// What a configured server says about the idle clock: nothing, no limit, or a limit.
pub(super) type ConfiguredTimeout = Option<Option<Duration>>;

/// Finds the server. Every secret that is met on the way is told to the redactor.
pub(super) fn aim(order: &Order, tracer: &Tracer) -> Result<(Aim, ConfiguredTimeout), Failure> {
    let connect = &order.connect;
    let given = match (&connect.server, order.program.as_slice()) {
        (Some(_), [_, ..]) => {
            return Err(usage("both --server and a program behind `--` are given; there can be one server"));
        }
        // The variable is a default: what is typed wins.
        (None, [program, args @ ..]) => {
            return program_target(order, program, args, tracer.redactor()).map(|aim| (aim, None));
        }
        (Some(server), []) => Some(server.clone()),
        (None, []) => variable("MCPCLI_SERVER"),
    };
    match given {
        Some(server) => at(order, &server, tracer),
        None => named::only(order, tracer),
    }
}

/// The server of that URL or name.
fn at(order: &Order, server: &str, tracer: &Tracer) -> Result<(Aim, ConfiguredTimeout), Failure> {
    let redactor = tracer.redactor();
    if server == "demo" {
        return demo_target(order, "", redactor).map(|aim| (aim, None));
    }
    if let Some(faults) = server.strip_prefix("demo:") {
        return demo_target(order, faults, redactor).map(|aim| (aim, None));
    }
    if server.contains("://") {
        refuse(&[("--config", order.connect.config.is_some())], "the server is given by its URL")?;
        let url = http_url("--server", server)?;
        redactor.url(&url);
        return http(order, url, Vec::new(), None, redactor).map(|target| (Aim::Server(target), None));
    }
    named::server(order, server, tracer)
}

/// An HTTP endpoint, with the headers of the command line over those of the configuration.
pub(super) fn http(
    order: &Order,
    url: url::Url,
    configured: Vec<(String, Secret)>,
    transport: Option<Kind>,
    redactor: &Redactor,
) -> Result<Target, Failure> {
    let connect = &order.connect;
    refuse(
        &[
            ("--env", !connect.env.is_empty()),
            ("--cwd", connect.cwd.is_some()),
            ("--transport stdio", connect.transport == Some(Transport::Stdio)),
        ],
        "the server is reached over HTTP, it is no program",
    )?;
    let kind = match connect.transport {
        Some(Transport::Http) => Some(Kind::Http),
        Some(Transport::Sse) => Some(Kind::Sse),
        _ => transport,
    };
    let message_url = match &connect.message_url {
        Some(_) if kind == Some(Kind::Http) => {
            return Err(usage("--message-url is for HTTP+SSE, and Streamable HTTP is asked for"));
        }
        Some(given) => Some(http_url("--message-url", given)?),
        None => None,
    };
    if let Some(url) = &message_url {
        redactor.url(url);
    }
    let headers = credentials::headers(connect, configured, redactor)?;
    Ok(Target::Http(kind, HttpEndpoint { url, headers, message_url }))
}

/// A program behind `--`.
fn program_target(order: &Order, program: &str, args: &[String], redactor: &Redactor) -> Result<Aim, Failure> {
    refuse(&[("--config", order.connect.config.is_some())], "the server is given as a program")?;
    let endpoint = StdioEndpoint { program: program.to_owned(), args: args.to_vec(), env: Vec::new(), cwd: None };
    stdio(order, endpoint, redactor).map(Aim::Server)
}

/// A program to start, with the variables and the directory of the command line over those of the configuration.
pub(super) fn stdio(order: &Order, mut endpoint: StdioEndpoint, redactor: &Redactor) -> Result<Target, Failure> {
    let connect = &order.connect;
    refuse(&http_only(connect), "the server is a program, it is not reached over HTTP")?;
    endpoint.env = credentials::variables(connect, std::mem::take(&mut endpoint.env), redactor)?;
    endpoint.cwd = connect.cwd.clone().or(endpoint.cwd);
    Ok(Target::Stdio(endpoint))
}

/// The options that mean nothing to a program, and whether each is given.
fn http_only(connect: &Connect) -> [(&'static str, bool); 10] {
    [
        ("--header", !connect.header.is_empty()),
        ("--bearer", connect.bearer.is_some()),
        ("--message-url", connect.message_url.is_some()),
        ("--cacert", connect.cacert.is_some()),
        ("--cert", connect.cert.is_some()),
        ("--key", connect.key.is_some()),
        ("--insecure", connect.insecure),
        ("--proxy", connect.proxy.is_some()),
        ("--transport http", connect.transport == Some(Transport::Http)),
        ("--transport sse", connect.transport == Some(Transport::Sse)),
    ]
}

/// `demo`, `demo:FAULT[,FAULT]`.
fn demo_target(order: &Order, faults: &str, redactor: &Redactor) -> Result<Aim, Failure> {
    let connect = &order.connect;
    refuse(
        &[("--config", connect.config.is_some()), ("--env", !connect.env.is_empty()), ("--cwd", connect.cwd.is_some())],
        "the demo server is built in",
    )?;
    let faults = demo::read_faults(faults.split(',').map(str::trim).filter(|name| !name.is_empty()))?;
    let transport = demo_transport(connect, &faults);
    demo::check_faults(&faults, transport)?;
    if transport == DemoTransport::Stdio {
        // The options are those of a program, but the one that asked for it.
        let http: Vec<_> =
            http_only(connect).into_iter().filter(|(name, _)| !name.starts_with("--transport")).collect();
        refuse(&http, "the demo server is spoken to over stdio")?;
        return Ok(Aim::Server(Target::Stdio(demo::child(&faults)?)));
    }
    let message_url = connect.message_url.as_deref().map(|given| http_url("--message-url", given)).transpose()?;
    if message_url.is_some() && transport == DemoTransport::Http {
        return Err(usage("--message-url is for HTTP+SSE: give --transport sse"));
    }
    let headers = credentials::headers(connect, Vec::new(), redactor)?;
    Ok(Aim::Demo(Wanted { faults, transport, headers, message_url }))
}

/// The transport that is asked for, else the first one that all of the faults can be shown over.
fn demo_transport(connect: &Connect, faults: &[Fault]) -> DemoTransport {
    match connect.transport {
        Some(Transport::Http) => DemoTransport::Http,
        Some(Transport::Sse) => DemoTransport::Sse,
        Some(Transport::Stdio) => DemoTransport::Stdio,
        None | Some(Transport::Auto) => DemoTransport::ALL
            .into_iter()
            .find(|transport| faults.iter().all(|fault| fault.row().applies(*transport)))
            .unwrap_or(DemoTransport::Http),
    }
}

/// Refuses the first option that is given although it cannot apply.
pub(super) fn refuse(options: &[(&str, bool)], why: &str) -> Result<(), Failure> {
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(usage(format!("{option} does not apply: {why}"))),
        None => Ok(()),
    }
}

/// Reads a URL of HTTP.
pub(super) fn http_url(option: &str, text: &str) -> Result<url::Url, Failure> {
    // The text may hold a credential, so a complaint does not repeat it.
    let url = url::Url::parse(text).map_err(|error| usage(format!("{option}: not a URL: {error}")))?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(url),
        "http" | "https" => Err(usage(format!("{option}: the URL names no host"))),
        scheme => Err(usage(format!("{option}: MCP is spoken over http:// and https://, not {scheme}://"))),
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn usage(message: impl Into<String>) -> Failure {
    Failure::usage(Reason::CommandLine, message).with_hint("`mcpcli COMMAND --help` says what belongs together")
}
