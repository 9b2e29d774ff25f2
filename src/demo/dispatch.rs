//! What both eras serve in the same way: the lists, completion, and the three methods that may ask the client.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::arguments::{Arguments, findings};
use super::calls;
use super::context::{Caller, Context, Reply};
use super::lists::page;
use super::message::{Params, RpcError, params};
use super::prompts::{self, PROMPTS, PromptRow};
use super::resources::{self, RESOURCES, ResourceRow, TEMPLATES, TemplateRow};
use super::tools::{Run, ToolRow};
use super::world::World;

/// The parameters of `tools/call`.
#[derive(Deserialize)]
pub struct CallParams {
    /// The tool.
    pub name: String,
    arguments: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct WithMeta {
    #[serde(default)]
    _meta: Option<Meta>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    progress_token: Option<Value>,
}

/// The methods that take time and may ask.
pub const ASKING: [&str; 3] = ["tools/call", "resources/read", "prompts/get"];

/// The tool that a call names, if there is one.
pub fn tool(request: &Params) -> Option<&'static ToolRow> {
    ToolRow::find(&params::<CallParams>(request).ok()?.name)
}

/// Whether something may come before the answer.
pub fn streams(method: &str, request: &Params) -> bool {
    match method {
        "tools/call" => tool(request).is_some_and(ToolRow::streams),
        "resources/read" => resources::asks(request),
        "prompts/get" => prompts::asks(request),
        _ => false,
    }
}

/// What is said to a call of a tool that there is not.
pub fn unknown_tool(request: &Params) -> Reply {
    let CallParams { name, .. } = params(request)?;
    // 2025-11-25 server/tools §Error Handling: an unknown tool is a protocol error, bad arguments are the tool's own failure.
    Err(RpcError::invalid_params(format!("Unknown tool: {name}")))
}

/// The token under which the client wants progress.
pub fn progress_token(request: &Params) -> Option<Value> {
    params::<WithMeta>(request).ok()?._meta?.progress_token
}

/// The answer to a method that both eras have and that is answered at once; `None` for any other.
pub fn answer(world: &World, caller: &Caller, method: &str, request: &Params) -> Option<Reply> {
    Some(match method {
        "tools/list" => page("tools", world.tools(), request, |row| row.entry(caller)),
        "resources/list" => page("resources", RESOURCES, request, ResourceRow::entry),
        "resources/templates/list" => page("resourceTemplates", TEMPLATES, request, TemplateRow::entry),
        "prompts/list" => page("prompts", PROMPTS, request, PromptRow::entry),
        "completion/complete" => prompts::complete(request),
        _ => return None,
    })
}

/// Runs one of the methods of [`ASKING`].
pub async fn run(method: &str, request: &Params, context: Context) -> Reply {
    match method {
        "resources/read" => resources::read(request, &context).await,
        "prompts/get" => prompts::get(request, &context).await,
        _ => run_tool(request, context).await,
    }
}

async fn run_tool(request: &Params, context: Context) -> Reply {
    let CallParams { name, arguments } = params(request)?;
    let Some(row) = context.world.tools().iter().find(|row| row.name == name) else {
        return unknown_tool(request);
    };
    let arguments = match Arguments::read(arguments.as_deref().map_or("{}", RawValue::get)) {
        Ok(arguments) => arguments,
        Err(what) => return Ok(calls::failure(format!("invalid arguments for \"{name}\": {what}"))),
    };
    let found = findings(&row.input_schema(), &arguments.values);
    if !found.is_empty() {
        return Ok(calls::failure(format!("invalid arguments for \"{name}\": {}", found.join("; "))));
    }
    match row.run {
        Run::Now(run) => run(&context, &arguments),
        Run::Later(run) => run(context, arguments).await,
    }
}
