//! The raw view: results as they came over the wire, their JSON text untouched; of lists one page a line.

use std::io::{self, Write};

use serde_json::value::RawValue;

use super::View;
use super::terminal::safe_json;
use crate::report::{Body, Report};

/// Writes the result. On a terminal unsafe characters are JSON escapes, elsewhere the bytes are the server's.
pub(super) fn write(report: &Report, view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut raw = |value: &RawValue| {
        let text = value.get();
        if view.out.is_terminal {
            out.write_all(safe_json(text).as_bytes())?;
        } else {
            out.write_all(text.as_bytes())?;
        }
        out.write_all(b"\n")
    };
    match &report.body {
        Body::None => Ok(()),
        Body::List(list) => list.sections.iter().flat_map(|section| &section.pages).try_for_each(|page| raw(page)),
        Body::Describe(describe) => raw(&describe.definition),
        Body::Call(call) => call.result.as_deref().map_or(Ok(()), raw),
        Body::Read(read) => raw(&read.result),
        Body::Get { result, .. }
        | Body::Complete { result }
        | Body::Ping { result, .. }
        | Body::Request { result, .. } => raw(result),
        Body::Info(info) => info.result.as_deref().map_or(Ok(()), raw),
        Body::DryRun { message, .. } => raw(message),
        Body::Task(report) => {
            let list = report.list.iter().flatten();
            report
                .result
                .iter()
                .chain(report.task.iter().filter(|_| report.result.is_none()))
                .chain(list)
                .try_for_each(|one| raw(one))
        }
        Body::Watch(_) => Ok(()),
        // Nothing of these came over a wire: the text is the result.
        Body::Explain(_) | Body::ExplainIndex(_) | Body::Text { .. } => super::human::result(report, view, out),
    }
}
