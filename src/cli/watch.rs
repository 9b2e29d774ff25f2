//! What happens while a command waits, handed to the live view; what is watched for goes to stdout as it comes.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::Receiver;

use crate::client::{Activity, Watched};
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
        }
    }
}

/// Writes what is watched, each line at once, until nothing more comes or nobody reads it. It blocks where its reader does, so
/// it has a thread of its own.
pub(super) fn write(mut events: Receiver<Watched>, live: &Live, tracer: &Tracer, show: &Show, started: Instant) {
    let mask = |text: &str| tracer.redactor().mask(text).into_owned();
    let view = View {
        format: show.format(),
        quiet: show.quiet,
        out: Stream::stdout(show.colour()),
        err: Stream::stderr(show.colour()),
        redactor: tracer.redactor(),
    };
    while let Some(event) = events.blocking_recv() {
        match event {
            Watched::Began(honoured) => {
                live.settle();
                let what = honoured.as_deref().map_or_else(String::new, |honoured| format!(" {}", mask(honoured)));
                live.note(&format!("watching{what}; Ctrl-C ends it"));
            }
            Watched::Reconnecting(why) => live.note(&format!("{}; subscribing again", mask(&why))),
            Watched::Notice(method, params) => {
                let line = render::watched(&method, params.as_deref(), started.elapsed(), &view);
                let mut out = io::stdout().lock();
                if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
                    return;
                }
            }
        }
    }
}
