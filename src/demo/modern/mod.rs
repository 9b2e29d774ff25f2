//! The era of 2026-07-28: each request says for itself who sends it, so there is no session.
//!
//! A request is first admitted (`meta.rs`, `headers.rs`) and then served. What a transport does with the answer is its own affair.

mod envelope;
mod headers;
mod listen;
mod meta;
mod post;
mod rounds;
mod tasks;

use std::sync::Arc;

use hyper::header::HeaderMap;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::context::{Asks, Caller, Context, Outlet, Reply, Work};
use super::dispatch;
use super::eras::{Eras, MODERN};
use super::faults::Fault;
use super::message::{Request, RpcError};
use super::misbehave;
use super::session::{INSTRUCTIONS, METHODS};
use super::world::World;

pub use meta::claims;
pub use post::respond;

/// The extension of tasks.
pub const TASKS: &str = "io.modelcontextprotocol/tasks";

/// One method.
struct MethodRow {
    /// Its name.
    name: &'static str,
    /// The parameter that `Mcp-Name` repeats.
    named_by: Option<&'static str>,
    /// `ttlMs` and `cacheScope` of its results (2026-07-28 server/utilities/caching).
    cached: Option<(u64, &'static str)>,
}

const fn row(name: &'static str, named_by: Option<&'static str>, cached: Option<(u64, &'static str)>) -> MethodRow {
    MethodRow { name, named_by, cached }
}

/// Every method once.
const ROWS: &[MethodRow] = &[
    row("server/discover", None, Some((3_600_000, "public"))),
    row("tools/list", None, Some((60_000, "public"))),
    row("tools/call", Some("name"), None),
    row("resources/list", None, Some((60_000, "public"))),
    row("resources/templates/list", None, Some((60_000, "public"))),
    row("resources/read", Some("uri"), Some((0, "private"))),
    row("prompts/list", None, Some((60_000, "public"))),
    row("prompts/get", Some("name"), None),
    row("completion/complete", None, None),
    row("subscriptions/listen", None, None),
    row("tasks/get", Some("taskId"), None),
    row("tasks/update", Some("taskId"), None),
    row("tasks/cancel", Some("taskId"), None),
];

fn find(method: &str) -> Option<&'static MethodRow> {
    ROWS.iter().find(|row| row.name == method)
}

/// Who the server is.
pub fn server_info() -> Value {
    json!({ "name": "mcpcli-demo", "title": "mcpcli demo server", "version": env!("CARGO_PKG_VERSION") })
}

/// What both eras can do.
pub fn capabilities() -> Value {
    json!({
        "tools": { "listChanged": true },
        "resources": { "subscribe": true, "listChanged": true },
        "prompts": { "listChanged": true },
        "completions": {},
        "logging": {}
    })
}

/// -32022, with the versions that a client can choose from (2026-07-28 basic/versioning §Unsupported Version). Who asks in this way for
/// a version of `initialize` gets only those that can be asked for in this way.
pub fn unsupported(world: &World, requested: &str) -> RpcError {
    let mut supported = world.eras.versions();
    if world.commits(Fault::UnsupportedVersion) {
        supported = vec!["2099-01-01"];
    } else if supported.contains(&requested) {
        supported = vec![MODERN];
    }
    RpcError::new(-32022, "Unsupported protocol version")
        .with_data(json!({ "supported": supported, "requested": requested }))
}

/// Decides whether a request is served, and for whom. Over HTTP its headers have to agree with it (2026-07-28
/// basic/transports/streamable-http §Server Validation).
pub fn admit(world: &World, request: &Request, headers: Option<&HeaderMap>) -> Result<Caller, RpcError> {
    world.log.method(&request.method);
    let method = request.method.as_str();
    let claimed = meta::read(request).map_err(|error| refusal_of_legacy(world, request).unwrap_or(error))?;
    if let Some(headers) = headers {
        headers::check_version(headers, &claimed.version)?;
    }
    if claimed.version != MODERN || world.commits(Fault::UnsupportedVersion) {
        return Err(unsupported(world, &claimed.version));
    }
    let row = find(method);
    if let Some(headers) = headers {
        headers::check_method(headers, method)?;
        if let Some(key) = row.and_then(|row| row.named_by) {
            headers::check_name(headers, request, key)?;
        }
    }
    // Over HTTP this is a 404 (2026-07-28 basic/transports/streamable-http §Sending Messages).
    if row.is_none() {
        return Err(RpcError::method_not_found(method));
    }
    if let Some(headers) = headers.filter(|_| method == "tools/call") {
        headers::check_params(headers, request)?;
        if world.commits(Fault::HeaderMismatch) {
            return Err(RpcError::new(-32020, "Header mismatch, as the server was asked to find"));
        }
    }
    Ok(Caller { version: MODERN, capabilities: claimed.capabilities, level: claimed.level })
}

/// What a request without the `_meta` of this era gets if it is one of `initialize` and its like: the versions that it could use
/// instead (2026-07-28 basic/versioning §Backward Compatibility).
fn refusal_of_legacy(world: &World, request: &Request) -> Option<RpcError> {
    match request.method.as_str() {
        _ if world.eras != Eras::Modern || claims(request) => None,
        "initialize" => Some(unsupported(world, &meta::initialize_version(request))),
        method if METHODS.contains(&method) && find(method).is_none() => Some(RpcError::method_not_found(method)),
        _ => None,
    }
}

/// Serves a request that was admitted. `cancel` is for transports on which the end of the stream is not the end of the request.
pub fn serve(world: &Arc<World>, request: Request, caller: Caller, outlet: Outlet, cancel: CancellationToken) -> Work {
    let world = world.clone();
    Box::pin(async move {
        if request.method == "subscriptions/listen" {
            return listen::run(&world, &request, &caller, &outlet, &cancel).await;
        }
        tokio::select! {
            biased;
            () = cancel.cancelled() => {}
            // To close the response stream is to cancel (2026-07-28 basic/patterns/cancellation).
            () = outlet.closed() => world.log.abandoned(&request.id),
            () = answer(&world, &request, caller, &outlet) => {}
        }
    })
}

async fn answer(world: &Arc<World>, request: &Request, caller: Caller, outlet: &Outlet) {
    let is_call = request.method == "tools/call";
    match misbehave::chosen(&world.faults) {
        Some(fault) if is_call => {
            let context = context(world, request, caller, outlet.clone(), Asks::Task);
            misbehave::run(fault, &context, &request.id).await;
        }
        _ if request.method == "server/discover" && world.commits(Fault::SilentProbe) => {}
        _ => {
            let reply = reply(world, request, caller, outlet).await;
            let row = find(&request.method).and_then(|row| row.cached);
            let mut reply = reply.map(|result| envelope::seal(result, row));
            if let (true, Ok(result)) = (is_call, &mut reply) {
                envelope::spoil(result, &world.faults);
            }
            outlet.answer(&request.id, &reply).await;
        }
    }
}

async fn reply(world: &Arc<World>, request: &Request, caller: Caller, outlet: &Outlet) -> Reply {
    let method = request.method.as_str();
    if method == "server/discover" {
        return Ok(discover(world));
    }
    if method == "tools/call" && tasks::wanted(request, &caller) {
        return Ok(tasks::open(world, request, caller));
    }
    if method.starts_with("tasks/") {
        return tasks::method(world, request, &caller);
    }
    if dispatch::ASKING.contains(&method) {
        let context = |asks| context(world, request, caller, outlet.clone(), asks);
        return rounds::run(world, request, context).await;
    }
    let reply = dispatch::answer(world, &caller, method, &request.params);
    reply.unwrap_or_else(|| Err(RpcError::method_not_found(method)))
}

fn context(world: &Arc<World>, request: &Request, caller: Caller, outlet: Outlet, asks: Asks) -> Context {
    let progress_token = dispatch::progress_token(&request.params);
    Context { caller, world: world.clone(), outlet, progress_token, asks, task: None }
}

/// `server/discover` (2026-07-28 server/discover).
fn discover(world: &World) -> Value {
    let mut capabilities = capabilities();
    capabilities["extensions"] = json!({ TASKS: {} });
    json!({
        "supportedVersions": world.eras.versions(), "capabilities": capabilities, "instructions": INSTRUCTIONS
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
