//! What is shown on stderr while a command runs: progress, logs, the server's stderr, and with `-v` what crosses the border.

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::terminal::{Stream, duration, fit, line, safe};
use crate::trace::{Direction, Entry, Record};
use crate::wire::json;

/// Frames longer than this are cut with `-vv`; `--trace` keeps them whole.
const FRAME: usize = 4096;
/// So many lines wait while somebody else uses the terminal; later ones are dropped.
const HELD: usize = 1000;

/// The live view of one run.
pub struct Live {
    stream: Stream,
    quiet: bool,
    verbose: u8,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    bar: Option<ProgressBar>,
    phase: String,
    progress: Option<Progress>,
    /// Long enough has passed that a spinner is in place.
    due: bool,
    /// How many others use the terminal; lines wait until they are done.
    suspended: usize,
    /// The lines that wait.
    held: Vec<String>,
    over: bool,
    /// The request headers that were shown last, by scheme and authority.
    headers: Vec<(String, Vec<(String, String)>)>,
}

struct Progress {
    done: f64,
    total: Option<f64>,
    text: String,
}

impl Live {
    /// How long a command may take before a spinner appears.
    pub const PATIENCE: Duration = Duration::from_millis(300);

    /// A live view on stderr.
    pub fn new(stream: Stream, quiet: bool, verbose: u8) -> Live {
        Live { stream, quiet, verbose, state: Mutex::default() }
    }

    /// Whether records of the border are shown, so that somebody should subscribe to them.
    pub fn is_verbose(&self) -> bool {
        self.verbose > 0
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the spinner visible, if there is a terminal and nothing else is shown all the time.
    pub fn appear(&self) {
        let mut state = self.state();
        state.due = true;
        self.spin(&mut state);
    }

    fn spin(&self, state: &mut State) {
        let unwanted = !self.stream.is_terminal || self.quiet || self.verbose > 0;
        if unwanted || !state.due || state.suspended > 0 || state.over || state.bar.is_some() {
            return;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.enable_steady_tick(Duration::from_millis(120));
        state.bar = Some(bar);
        draw(state);
    }

    /// Takes the spinner away for good.
    pub fn finish(&self) {
        let mut state = self.state();
        state.over = true;
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
        let held = std::mem::take(&mut state.held);
        drop(state);
        held.iter().for_each(|text| write_line(text));
    }

    /// Runs something that uses the terminal: the spinner is gone meanwhile, and lines are shown afterwards.
    pub fn suspended<T>(&self, work: impl FnOnce() -> T) -> T {
        let bar = {
            let mut state = self.state();
            state.suspended += 1;
            state.bar.take()
        };
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        let done = work();
        let mut state = self.state();
        state.suspended -= 1;
        let held = if state.suspended == 0 { std::mem::take(&mut state.held) } else { Vec::new() };
        held.iter().for_each(|text| write_line(text));
        self.spin(&mut state);
        done
    }

    /// A phase begins.
    pub fn begin(&self, phase: &str) {
        if self.verbose > 0 {
            self.put(&self.stream.dim(&format!("* {}", line(phase))));
        }
        let mut state = self.state();
        // Asking for a task again and again is less worth seeing than where it stands.
        if phase == "tasks/get" && state.phase.starts_with("task ") {
            return;
        }
        state.phase = line(phase);
        state.progress = None;
        draw(&state);
    }

    /// Takes the spinner away for good: from here on something else shows that the command lives.
    pub fn settle(&self) {
        let mut state = self.state();
        state.over = true;
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Progress of a request; the texts are the JSON texts of the notification's members.
    pub fn progress(&self, progress: &str, total: Option<&str>, message: Option<&str>) {
        let of = total.map(|total| format!("/{total}")).unwrap_or_default();
        let words = message.map(|message| format!(" {}", line(message))).unwrap_or_default();
        if self.verbose > 0 {
            self.put(&self.stream.dim(&format!("progress {}{}{words}", line(progress), line(&of))));
        }
        let mut state = self.state();
        let done = progress.parse().unwrap_or(0.0);
        let total = total.and_then(|total| total.parse::<f64>().ok()).filter(|total| *total > 0.0);
        let text = if total.is_some() { words } else { format!(" {}{words}", line(progress)) };
        state.progress = Some(Progress { done, total, text });
        draw(&state);
    }

    /// A log message of the server.
    pub fn log(&self, level: &str, logger: Option<&str>, text: &str) {
        if self.quiet {
            return;
        }
        let label = match logger {
            Some(logger) => format!("log[{}] {}:", line(level), line(logger)),
            None => format!("log[{}]", line(level)),
        };
        let label = match level {
            "warning" => self.stream.warn(&label),
            "error" | "critical" | "alert" | "emergency" => self.stream.bad(&label),
            _ => self.stream.dim(&label),
        };
        self.put(&format!("{label} {}", safe(text)));
    }

    /// Another notification of the server.
    pub fn notification(&self, method: &str, params: Option<&str>) {
        if self.verbose > 0 {
            let params = params.map(|params| format!(" {}", cut(&safe(params)))).unwrap_or_default();
            self.put(&self.stream.dim(&format!("notification {}{params}", line(method))));
        }
    }

    /// Where a task stands.
    pub fn task(&self, id: &str, status: &str, message: Option<&str>) {
        let words = message.map(|message| format!(" {}", line(message))).unwrap_or_default();
        let text = format!("task {} {}{words}", line(id), line(status));
        if self.verbose > 0 {
            self.put(&self.stream.dim(&text));
        }
        let mut state = self.state();
        state.phase = text;
        state.progress = None;
        draw(&state);
    }

    /// A question of the server, and what it was told.
    pub fn asked(&self, method: &str, answer: &str) {
        // A ping is answered without ado.
        if !self.quiet && (self.verbose > 0 || method != "ping") {
            self.put(&self.stream.dim(&format!("the server asked {}: {}", line(method), line(answer))));
        }
    }

    /// A line of a stdio server's stderr.
    pub fn server_stderr(&self, text: &str) {
        if !self.quiet {
            self.put(&format!("{} {}", self.stream.dim("server│"), safe(text)));
        }
    }

    /// Something that needs saying at once.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.put(&self.stream.dim(&safe(text)));
        }
    }

    /// A record of the border, masked already: exchanges and notes with `-v`, frames with `-vv`.
    pub fn traced(&self, entry: &Entry) {
        match &entry.record {
            Record::Exchange { .. } if self.verbose > 0 => self.exchange(entry),
            Record::Frame { direction, channel, text } if self.verbose > 1 => {
                let arrow = if *direction == Direction::Out { "→" } else { "←" };
                let text = cut(&safe(&json::compact(text)));
                let head = format!("{:>9} {arrow} {channel}", duration(entry.at));
                self.put(&format!("{} {text}", self.stream.dim(&head)));
            }
            Record::Note { text } if self.verbose > 0 => self.put(&self.stream.dim(&format!("* {}", safe(text)))),
            // A server's stderr comes as such, also without -v.
            Record::Exchange { .. } | Record::Frame { .. } | Record::Note { .. } | Record::Stderr { .. } => {}
        }
    }

    fn exchange(&self, entry: &Entry) {
        let Record::Exchange { method, url, request_headers, status, version, response_headers, took } = &entry.record
        else {
            return;
        };
        let mut lines = vec![format!("> {method} {}", line(url))];
        lines.extend(self.news(url, request_headers).iter().map(|(name, value)| format!("> {name}: {}", line(value))));
        lines.push(match status {
            Some(status) => format!("< {} {status} ({})", line(version), duration(*took)),
            None => format!("< no answer ({})", duration(*took)),
        });
        let telling = response_headers.iter().filter(|(name, _)| self.verbose > 1 || !is_harmless(name));
        lines.extend(telling.map(|(name, value)| format!("< {}: {}", line(name), line(value))));
        let shown: Vec<String> =
            lines.iter().map(|line| if line.contains(": ") { self.stream.dim(line) } else { line.clone() }).collect();
        self.put(&shown.join("\n"));
    }

    /// The request headers that differ from those of the last request to the same server; all of them with `-vv`.
    fn news(&self, url: &str, headers: &[(String, String)]) -> Vec<(String, String)> {
        let server = url.split('/').take(3).collect::<Vec<_>>().join("/");
        let mut state = self.state();
        let known = state.headers.iter().position(|(other, _)| *other == server);
        let before = known.map(|index| state.headers.swap_remove(index).1).unwrap_or_default();
        state.headers.push((server, headers.to_vec()));
        headers.iter().filter(|header| self.verbose > 1 || !before.contains(header)).cloned().collect()
    }

    /// Writes one or more lines above the spinner. A stderr that cannot be written to is nothing to fail for.
    fn put(&self, text: &str) {
        let mut state = self.state();
        if state.suspended > 0 && !state.over {
            // A person cannot read much more than this, and a server may be talkative.
            if state.held.len() < HELD {
                state.held.push(text.to_owned());
            }
            return;
        }
        let bar = state.bar.clone();
        drop(state);
        match bar {
            Some(bar) => bar.suspend(|| write_line(text)),
            None => write_line(text),
        }
    }
}

/// Response headers that say nothing about the conversation.
fn is_harmless(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let known = ["x-powered-by", "date", "keep-alive", "vary", "etag", "alt-svc", "strict-transport-security"];
    known.contains(&name.as_str()) || name.starts_with("access-control-")
}

fn write_line(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(format!("{text}\n").as_bytes());
}

fn cut(text: &str) -> String {
    if text.len() <= FRAME {
        return text.to_owned();
    }
    format!("{} … ({} bytes in all, --trace keeps them)", &text[..text.floor_char_boundary(FRAME)], text.len())
}

fn draw(state: &State) {
    let Some(bar) = &state.bar else { return };
    let style = |template: &str| {
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
        style.tick_strings(&["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏", " "]).progress_chars("━╸─")
    };
    match &state.progress {
        Some(Progress { done, total: Some(total), text }) => {
            const STEPS: f64 = 1000.0;
            // A server may count in any unit; the bar has a thousand steps.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let position = (done / total * STEPS).clamp(0.0, STEPS) as u64;
            bar.set_style(style("{spinner} {prefix} {bar:24} {percent}%{msg} {elapsed}"));
            bar.set_length(1000);
            bar.set_position(position);
            bar.set_message(fit(text, 40));
        }
        Some(Progress { text, .. }) => {
            bar.set_style(style("{spinner} {prefix}{msg} {elapsed}"));
            bar.set_message(fit(text, 60));
        }
        None => {
            bar.set_style(style("{spinner} {prefix}{msg} {elapsed}"));
            bar.set_message("");
        }
    }
    bar.set_prefix(state.phase.clone());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_shown_when_they_are_new() {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let live = Live::new(Stream::PLAIN, false, 1);
        let (first, second) = ([header("accept", "a")], [header("accept", "a"), header("session", "***")]);
        assert_eq!(live.news("http://h:1/mcp", &first), first);
        assert_eq!(live.news("http://h:1/mcp", &second), [header("session", "***")]);
        assert_eq!(live.news("http://h:1/mcp", &second), []);
        assert_eq!(live.news("http://h:2/mcp", &first), first);
        assert_eq!(Live::new(Stream::PLAIN, false, 2).news("http://h:1/mcp", &first), first);
    }

    #[test]
    fn lines_wait_while_somebody_uses_the_terminal() {
        let live = Live::new(Stream::PLAIN, false, 0);
        live.suspended(|| {
            live.server_stderr("one");
            live.suspended(|| live.note("two"));
            assert_eq!(live.state().held, ["server│ one", "two"]);
        });
        assert!(live.state().held.is_empty() && live.state().suspended == 0);
    }
}
