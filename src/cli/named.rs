//! Servers by name, and the only server of the nearest configuration file.

use crate::client::Target;
use crate::config::{self, ConfigFile, ServerEntry, TransportHint};
use crate::outcome::{Failure, Reason};
use crate::trace::Tracer;
use crate::transport::{Kind, StdioEndpoint};

use super::plan::Order;
use super::target::{self, Aim, ConfiguredTimeout, http_url};

/// Variables whose values are no secrets, so that paths stay readable.
const HARMLESS: [&str; 7] = ["HOME", "USER", "PWD", "PATH", "TMPDIR", "LANG", "SHELL"];

/// The server of that name.
pub(super) fn server(order: &Order, name: &str, tracer: &Tracer) -> Result<(Aim, ConfiguredTimeout), Failure> {
    if name.contains(['@', '?']) || name.contains("//") {
        // It is meant as a URL, and may hold a password: it is not shown.
        let message = "what -s gives is no URL, because it does not begin with http:// or https://";
        let hint = "write the scheme in front of it; a name of a server has no `@`, `?` or `//`";
        return Err(Failure::usage(Reason::CommandLine, message).with_hint(hint));
    }
    let Some(file) = file(order)? else {
        let message = format!("there is no server called {name:?}: no configuration file was found");
        return Err(Failure::usage(Reason::UnknownName, message).with_hint(elsewhere(name)));
    };
    let entry = file.get(name, &|variable| filled_in(variable, tracer));
    entry.map_err(|error| error.to_failure()).and_then(|entry| reach(order, entry, tracer))
}

/// The only server of the nearest file, if it is an HTTP one: a program is started only when its name was given.
pub(super) fn only(order: &Order, tracer: &Tracer) -> Result<(Aim, ConfiguredTimeout), Failure> {
    let nothing = |hint: String| {
        let message = "no server was given";
        Err(Failure::usage(Reason::CommandLine, message).with_hint(hint))
    };
    let Some(file) = file(order)? else {
        return nothing("give one by -s URL or NAME, by `-- PROGRAM ARG…` at the end, or try -s demo".to_owned());
    };
    let path = file.path().display();
    match (file.only_http(), file.names().as_slice()) {
        (Some(name), _) => server(order, name, tracer),
        (None, []) => nothing(format!("{path} has no servers; give one by -s URL, or by `-- PROGRAM ARG…` at the end")),
        (None, [name]) => nothing(format!("{path} has the program {name}, which is started only by name: -s {name}")),
        (None, names) => nothing(format!("{path} has {}; choose one by -s NAME", names.join(", "))),
    }
}

fn file(order: &Order) -> Result<Option<ConfigFile>, Failure> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::usage(Reason::File, format!("the working directory is gone: {error}")))?;
    let user = config::user_config_dir();
    config::find(order.connect.config.as_deref(), &here, user.as_deref()).map_err(|error| error.to_failure())
}

/// A variable that a configuration names. Its value is a secret from here on.
fn filled_in(variable: &str, tracer: &Tracer) -> Option<String> {
    let value = std::env::var(variable).ok()?;
    if !HARMLESS.contains(&variable) {
        tracer.redactor().add_text(&value);
    }
    Some(value)
}

/// A configured server with the options of the command line over it.
fn reach(order: &Order, entry: ServerEntry, tracer: &Tracer) -> Result<(Aim, ConfiguredTimeout), Failure> {
    tracer.note(format!("server {:?} of {}", entry.name, entry.origin.display()));
    if !entry.unused.is_empty() {
        tracer.note(format!("keys that mean nothing to mcpcli: {}", entry.unused.join(", ")));
    }
    match entry.target {
        config::Target::Http { url, transport, headers, timeout, sse_read_timeout } => {
            let url = http_url(&format!("the server {:?}", entry.name), &url)?;
            let hint = transport.map(|hint| match hint {
                TransportHint::Http => Kind::Http,
                TransportHint::Sse => Kind::Sse,
            });
            let target = target::http(order, url, headers, hint, tracer.redactor())?;
            // The time until the next event is what the idle clock measures; the other one is for a single HTTP exchange.
            Ok((Aim::Server(target), sse_read_timeout.or(timeout)))
        }
        config::Target::Stdio { command, args, env, cwd, timeout } => {
            let endpoint = StdioEndpoint { program: command, args, env, cwd };
            let target: Target = target::stdio(order, endpoint, tracer.redactor())?;
            Ok((Aim::Server(target), timeout))
        }
    }
}

/// What to do about a name that nobody knows.
fn elsewhere(name: &str) -> String {
    if name.contains([':', '/', '.']) {
        format!("a URL begins with its scheme: -s http://{name} or -s https://{name}")
    } else {
        "name it in .mcp.json, or give a URL; -s demo is built in".to_owned()
    }
}
