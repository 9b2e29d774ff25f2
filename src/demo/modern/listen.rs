//! `subscriptions/listen`: a stream of the changes that the client asked for, and of no others (2026-07-28 basic/patterns/subscriptions).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::{envelope, tasks};
use crate::demo::context::{Caller, Out, Outlet};
use crate::demo::message::{self, Request, RpcError, params};
use crate::demo::resources::{self, CLOCK};
use crate::demo::world::{Change, TICK, World};

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

#[derive(Deserialize)]
struct ListenParams {
    notifications: Filter,
}

/// What a client wants to hear of.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Filter {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    tools_list_changed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    prompts_list_changed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    resources_list_changed: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resource_subscriptions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    task_ids: Vec<String>,
}

impl Filter {
    /// What of it can be honoured.
    fn honoured(mut self, world: &World, caller: &Caller) -> Filter {
        self.resource_subscriptions.retain(|uri| resources::exists(uri));
        self.task_ids.retain(|id| tasks::known(caller) && world.tasks.find(id).is_some());
        self
    }

    fn wants(&self, change: &Change) -> bool {
        match change {
            Change::List("notifications/tools/list_changed") => self.tools_list_changed,
            Change::List("notifications/prompts/list_changed") => self.prompts_list_changed,
            Change::List(_) => self.resources_list_changed,
            Change::Task(task) => self.task_ids.contains(&task.id),
        }
    }
}

/// One open subscription.
struct Subscription<'a> {
    /// The id of its request, with its type: every message carries it.
    id: Value,
    outlet: &'a Outlet,
}

impl Subscription<'_> {
    async fn send(&self, method: &str, mut params: Value) {
        params["_meta"] = json!({ SUBSCRIPTION: self.id });
        self.outlet.send(Out::Message(message::notification(method, &params))).await;
    }

    async fn change(&self, change: &Change) {
        match change {
            Change::List(method) => self.send(method, json!({})).await,
            Change::Task(task) => self.send("notifications/tasks", tasks::detailed(task)).await,
        }
    }
}

/// Serves the request until the client goes, or cancels.
pub async fn run(world: &Arc<World>, request: &Request, caller: &Caller, outlet: &Outlet, cancel: &CancellationToken) {
    let filter = match params::<ListenParams>(&request.params) {
        Ok(given) => given.notifications.honoured(world, caller),
        Err(error) => {
            outlet.answer(&request.id, &Err(error)).await;
            return;
        }
    };
    let Ok(_permit) = world.listeners.try_acquire() else {
        let error = RpcError::new(-32603, "Internal error: too many subscriptions are open already");
        outlet.answer(&request.id, &Err(error)).await;
        return;
    };
    let id = serde_json::from_str(&request.id).unwrap_or_default();
    let subscription = Subscription { id, outlet };
    // Before the acknowledgement, so that nothing that comes after it is missed; and that is the first message in any case.
    let changes = world.changes.subscribe();
    subscription.send("notifications/subscriptions/acknowledged", json!({ "notifications": filter })).await;
    tokio::select! {
        biased;
        () = outlet.closed() => world.log.abandoned(&request.id),
        () = cancel.cancelled() => {
            // The end is the result of the request (2026-07-28 basic/patterns/subscriptions §Graceful Closure).
            let result = json!({ "_meta": { SUBSCRIPTION: subscription.id } });
            outlet.answer(&request.id, &Ok(envelope::seal(result, None))).await;
        }
        () = follow(world, &filter, &subscription, changes) => {}
    }
}

async fn follow(
    world: &World,
    filter: &Filter,
    subscription: &Subscription<'_>,
    mut changes: broadcast::Receiver<Change>,
) {
    // A task may have gone on before anybody listened.
    for task in filter.task_ids.iter().filter_map(|id| world.tasks.find(id)) {
        subscription.change(&Change::Task(task)).await;
    }
    let watches = filter.resource_subscriptions.iter().any(|uri| uri == CLOCK);
    let mut clock = interval(TICK);
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = clock.tick(), if watches => {
                subscription.send("notifications/resources/updated", json!({ "uri": CLOCK })).await;
            }
            change = changes.recv() => match change {
                Ok(change) if filter.wants(&change) => subscription.change(&change).await,
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            }
        }
    }
}

#[cfg(test)]
#[path = "listen_tests.rs"]
mod tests;
