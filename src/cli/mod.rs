//! The command line: parse, resolve settings, run, show, exit code.

// A command line is parsed once and fails at most once: boxes would save nothing here.
#![allow(clippy::result_large_err, clippy::large_enum_variant)]

mod ask;
mod credentials;
mod demo;
mod grammar;
mod host;
mod input;
mod memory;
mod named;
mod options;
mod panic;
mod plan;
mod run;
mod shell;
mod target;
#[cfg(test)]
mod tests;
mod usage;
mod values;
mod watch;
mod words;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::outcome::{Category, Failure, Reason};
use crate::render::{self, Stream, View};
use crate::report::{Body, Report};
use crate::trace::Redactor;

use grammar::{Alone, Command};
use options::{Connect, Show};

/// Runs the command line that this process was started with.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    // The one answer that needs no grammar: scripts ask it often, and it must not cost anything.
    if let [_, only] = args.as_slice()
        && (only == "--version" || only == "-V")
    {
        let written = writeln!(io::stdout(), "mcpcli {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::from(if broken(written) { 2 } else { 0 });
    }
    let json = usage::wants_json(&args);
    ExitCode::from(panic::guarded(json, || dispatch(args)))
}

/// Parses and runs; gives the exit code.
fn dispatch(args: Vec<OsString>) -> u8 {
    // With -s the words behind `--` can only be the command's own; if they cannot, they are told to be one server too many.
    let own = values::as_words(&args).and_then(|words| grammar::parse(words).ok());
    let parsed = own.map_or_else(|| grammar::parse(&args), Ok);
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return usage::refuse(&error, &args),
    };
    let Some(command) = cli.command else { return usage::no_command(&cli.show) };
    match command {
        Command::Remote(command) => run::run(plan::Order::of(command, cli.show, cli.connect)),
        Command::Alone(command) => alone(command, cli.show, &cli.connect),
    }
}

/// Runs a command that needs no server.
fn alone(command: Alone, before: Show, connect: &Connect) -> u8 {
    let name = command.name();
    let show = before.with(match &command {
        Alone::Explain(it) => it.show.clone(),
        Alone::Demo(it) => it.show.clone(),
        Alone::Completions(it) => it.show.clone(),
        Alone::Man(it) => it.show.clone(),
    });
    let told =
        |report: Result<Report, Failure>| print(&report.unwrap_or_else(|failure| Report::failed(name, failure)), &show);
    if let Err(failure) = nothing_for_a_server(name, connect) {
        return told(Err(failure));
    }
    match &command {
        Alone::Explain(it) => {
            let entries = crate::commands::explain::explain(&it.own.what);
            let is_index = it.own.what.is_empty() && !it.own.all;
            let body = if is_index { Body::ExplainIndex } else { Body::Explain };
            told(entries.map(|entries| Report::local(name, body(entries))).map_err(|failure| *failure))
        }
        Alone::Demo(it) if it.own.list_faults => told(Ok(demo::faults(Stream::stdout(show.colour())))),
        Alone::Demo(it) => demo::serve(&it.own, &show),
        Alone::Completions(it) => told(Ok(shell::completions(it.own.shell))),
        Alone::Man(it) => told(shell::man(it.own.dir.as_deref())),
    }
}

/// An option for the connection to a server is an error where there is none: nothing is ignored.
fn nothing_for_a_server(name: &str, connect: &Connect) -> Result<(), Failure> {
    if *connect == Connect::default() {
        return Ok(());
    }
    let message = format!("`{name}` speaks to no server, so options for one do not apply");
    Err(Failure::usage(Reason::CommandLine, message).with_hint(format!("leave out what stands before `{name}`")))
}

/// Shows a report of a command that needed no server.
fn print(report: &Report, show: &Show) -> u8 {
    let redactor = Redactor::default();
    print_with(report, show, &redactor)
}

/// Shows a report; gives the exit code.
/// Whether an outcome was shown, so that there is no second one.
static SHOWN: AtomicBool = AtomicBool::new(false);

fn was_shown() -> bool {
    SHOWN.load(Ordering::Relaxed)
}

fn print_with(report: &Report, show: &Show, redactor: &Redactor) -> u8 {
    SHOWN.store(true, Ordering::Relaxed);
    let view = View {
        format: show.format(),
        quiet: show.quiet,
        out: Stream::stdout(show.colour()),
        err: Stream::stderr(show.colour()),
        redactor,
    };
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let written = render::show(report, &view, &mut out, &mut io::stderr());
    // What could not be written must not be tried again when the buffer is dropped.
    let (_, _) = out.into_parts();
    after_writing(report.exit_code(), written, &view)
}

/// The exit code after the output was written, or was not: a reader that went away is no failure, everything else is.
fn after_writing(code: u8, written: io::Result<()>, view: &View<'_>) -> u8 {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let failure = Failure::usage(Reason::File, format!("stdout cannot be written to: {error}"))
                .with_hint("is the disk full, or stdout closed?");
            render::complain(&failure, view, &mut io::stderr());
            if code == 0 { Category::Usage.exit_code() } else { code }
        }
        _ => code,
    }
}

fn broken(written: io::Result<()>) -> bool {
    written.is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe)
}
