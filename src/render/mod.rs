//! Reports as text: for people, as one JSON document, or raw. It knows reports and raw JSON, not how anything was got.

mod failure;
mod human;
mod json;
mod live;
mod raw;
mod task;
pub mod terminal;
mod watched;

use std::io::{self, Write};

use crate::report::Report;
use crate::trace::Redactor;

pub use live::Live;
pub use terminal::{ColorChoice, Stream};
pub use watched::watched;

/// In which form a report is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// For people.
    #[default]
    Human,
    /// One JSON document.
    Json,
    /// The result as it came over the wire.
    Raw,
}

/// How to show a report.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// In which form.
    pub format: Format,
    /// No hints.
    pub quiet: bool,
    /// Standard output.
    pub out: Stream,
    /// Standard error.
    pub err: Stream,
    /// Masks secrets in everything that is not the result itself.
    pub redactor: &'a Redactor,
}

/// Shows a report: the result on `out`, everything else on `err`.
///
/// # Errors
/// The first error that writing to `out` met. What cannot be told on `err` cannot be told at all.
pub fn show(report: &Report, view: &View<'_>, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<()> {
    let written = match view.format {
        Format::Json => json::write(report, view, out),
        // A person's screen shows no secret that a server echoes (NET-08); a pipe gets what the server sent.
        Format::Human if view.out.is_terminal => masked(report, view, out),
        Format::Human => human::result(report, view, out),
        Format::Raw => raw::write(report, view, out),
    }
    .and_then(|()| out.flush());
    // In the JSON view the document says it all.
    if view.format != Format::Json {
        let _ = err.write_all(failure::remarks(report, view).as_bytes());
        let _ = err.flush();
    }
    written
}

fn masked(report: &Report, view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Vec::new();
    human::result(report, view, &mut text)?;
    out.write_all(view.redactor.mask(&String::from_utf8_lossy(&text)).as_bytes())
}

/// A failure on `err` alone, for what goes wrong when nothing can be written to `out` any more.
pub fn complain(failure: &crate::outcome::Failure, view: &View<'_>, err: &mut dyn Write) {
    let report = Report::failed("", failure.clone());
    let _ = err.write_all(failure::remarks(&report, view).as_bytes());
}

#[cfg(test)]
mod tests;
