//! `watch`: notifications as they come, until enough were seen.

use super::{Found, Settings, Watch};
use crate::client::{Client, ClientError, WatchEnd, Watched, Watching};
use crate::outcome::{Category, Failure, Reason, Signal};
use crate::report::{Body, WatchReport};

/// Runs the command.
pub(super) async fn run(watch: &Watch, client: &mut Client, settings: &Settings) -> Found {
    let what = match wanted(watch, client).await {
        Ok(Some(what)) => what,
        Ok(None) => return Found::failed(nothing()),
        Err(error) => return error.into(),
    };
    let mut seen = 0;
    let ended = client
        .watch(&what, &mut |event| {
            seen += usize::from(matches!(event, Watched::Notice(..)));
            let go_on = watch.count.is_none_or(|count| seen < count);
            let sink = settings.watched.clone();
            Box::pin(async move {
                match sink {
                    // Whoever looks at it may have gone.
                    Some(sink) => sink.send(event).await.is_ok() && go_on,
                    None => go_on,
                }
            })
        })
        .await;
    let mut report = WatchReport { seen, ended: None };
    match ended {
        Ok(WatchEnd::Signal(Signal::Term)) => {
            let failure = Failure::new(Category::Interrupted(Signal::Term), phase(), "ended by SIGTERM");
            Found { body: Body::Watch(report), failures: vec![failure] }
        }
        Ok(end) => {
            report.ended = Some(name(end));
            Found::ok(Body::Watch(report))
        }
        Err(error) => Found { body: Body::Watch(report), failures: vec![error.to_failure()] },
    }
}

fn phase() -> crate::outcome::Phase {
    crate::outcome::Phase::of_method("watch")
}

/// Ctrl-C is how a person ends watching, so it is no failure.
fn name(end: WatchEnd) -> &'static str {
    match end {
        WatchEnd::Enough => "count",
        WatchEnd::Time => "time",
        WatchEnd::Signal(_) => "interrupt",
        WatchEnd::Server => "server",
    }
}

/// What to watch: what the user said, else the changes that the server says it tells of.
async fn wanted(watch: &Watch, client: &mut Client) -> Result<Option<Watching>, ClientError> {
    let mut what = Watching {
        tools: watch.tools,
        prompts: watch.prompts,
        resources: watch.resources,
        uris: watch.uris.clone(),
        tasks: watch.tasks.clone(),
        time: watch.time,
    };
    let said = watch.tools || watch.prompts || watch.resources || !watch.uris.is_empty() || !watch.tasks.is_empty();
    if !said {
        client.know_capabilities().await?;
        what.tools = client.offers_in("/tools/listChanged");
        what.prompts = client.offers_in("/prompts/listChanged");
        what.resources = client.offers_in("/resources/listChanged");
        if !(what.tools || what.prompts || what.resources) {
            return Ok(None);
        }
    }
    Ok(Some(what))
}

fn nothing() -> Failure {
    let message = "the server does not say that it tells of any change, so there is nothing to watch by default";
    Failure::usage(Reason::CommandLine, message)
        .with_hint("name what to watch: URIs of resources, --tools, --prompts, --resources or --task ID")
}
