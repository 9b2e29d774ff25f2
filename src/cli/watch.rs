//! What happens while a command waits, handed to the live view.

use std::sync::Arc;

use crate::client::Activity;
use crate::render::Live;
use crate::trace::Tracer;

/// The function that the client tells of its doings.
pub(super) fn activity(live: Arc<Live>, tracer: Arc<Tracer>) -> Arc<dyn Fn(Activity) + Send + Sync> {
    Arc::new(move |activity| tell(&live, &tracer, &activity))
}

fn tell(live: &Live, tracer: &Tracer, activity: &Activity) {
    let mask = |text: &str| tracer.redactor().mask(text).into_owned();
    match activity {
        Activity::Begin(phase) => live.begin(phase),
        Activity::Progress { progress, total, message } => {
            live.progress(progress, total.as_deref(), message.as_deref().map(mask).as_deref());
        }
        Activity::Log { level, logger, text } => live.log(level, logger.as_deref(), &mask(text)),
        Activity::Notification { method, params } => {
            live.notification(method, params.as_deref().map(mask).as_deref());
        }
        Activity::Asked { method, answer } => live.asked(method, &mask(answer)),
        Activity::Stderr(line) => live.server_stderr(&mask(line)),
        Activity::Note(text) => live.note(&mask(text)),
    }
}
