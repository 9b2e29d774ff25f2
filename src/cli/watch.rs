//! What happens while a command waits, handed to the live view; what is watched for goes to stdout as it comes.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;

use crate::client::{Activity, Interrupt, Watched};
use crate::outcome::Signal;
use crate::render::{self, Live, View};
use crate::trace::Tracer;

use super::options::Show;
use crate::render::Stream;

/// Who is told of what happens.
pub(super) struct Audience {
    /// What is shown on stderr.
    pub(super) live: Arc<Live>,
    /// Masks secrets.
    pub(super) tracer: Arc<Tracer>,
    /// How things are shown.
    pub(super) show: Show,
    /// When the command began.
    pub(super) started: Instant,
    /// Ends the command when nobody reads its output any more.
    pub(super) interrupt: Interrupt,
}

/// The function that the client tells of its doings.
pub(super) fn activity(audience: Audience) -> Arc<dyn Fn(Activity) + Send + Sync> {
    Arc::new(move |activity| audience.tell(&activity))
}

impl Audience {
    fn tell(&self, activity: &Activity) {
        let live = &self.live;
        let mask = |text: &str| self.tracer.redactor().mask(text).into_owned();
        match activity {
            Activity::Begin(phase) => live.begin(phase),
            Activity::Progress { progress, total, message } => {
                live.progress(progress, total.as_deref(), message.as_deref().map(mask).as_deref());
            }
            Activity::Log { level, logger, text } => live.log(level, logger.as_deref(), &mask(text)),
            Activity::Notification { method, params } => {
                live.notification(method, params.as_deref().map(mask).as_deref());
            }
            Activity::Task { id, status, message } => {
                live.task(&mask(id), status, message.as_deref().map(mask).as_deref());
            }
            Activity::Asked { method, answer } => live.asked(method, &mask(answer)),
            Activity::Stderr(line) => live.server_stderr(&mask(line)),
            Activity::Note(text) => live.note(&mask(text)),
            Activity::Watched(Watched::Began(honoured)) => {
                live.settle();
                let what = honoured.as_deref().map_or_else(String::new, |honoured| format!(" {}", mask(honoured)));
                live.note(&format!("watching{what}; Ctrl-C ends it"));
            }
            Activity::Watched(Watched::Reconnecting(why)) => live.note(&format!("{}; subscribing again", mask(why))),
            Activity::Watched(Watched::Notice(method, params)) => self.noticed(method, params.as_deref()),
        }
    }

    /// A line on stdout, at once. Where it cannot be written, watching is over.
    fn noticed(&self, method: &str, params: Option<&str>) {
        let view = View {
            format: self.show.format(),
            quiet: self.show.quiet,
            out: Stream::stdout(self.show.colour()),
            err: Stream::stderr(self.show.colour()),
            redactor: self.tracer.redactor(),
        };
        let line = render::watched(method, params, self.started.elapsed(), &view);
        let mut out = io::stdout().lock();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            self.interrupt.raise(Signal::Int);
        }
    }
}
