//! A counterpart on the Rust SDK.
//!
//! usage: rmcp-counterpart stdio
//!        rmcp-counterpart http PORT {session,stateless,json,strict}
//!
//! `json` is stateless and answers with JSON where it can; `strict` is `json` and asks for the metadata of each request,
//! so that it serves nobody before 2026-07-28. It listens on the loopback address only.

use std::time::Duration;

use rmcp::handler::server::tool::{InputResponses, RequestState};
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::*;
use rmcp::service::{ElicitationError, RequestContext};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt, prompt, prompt_handler, prompt_router, schemars, tool,
    tool_handler, tool_router,
};
use serde_json::json;

/// The arguments of `echo`.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

/// The arguments of `add`.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

/// What `add` returns, as structured content.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Sum {
    result: i64,
}

/// The arguments of `slow`.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Slow {
    steps: Option<u32>,
    delay_ms: Option<u64>,
}

/// The arguments of `greet`.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Greet {
    name: String,
}

/// The form that `confirm` asks the user to fill in.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Confirmation {
    confirmed: bool,
}
rmcp::elicit_safe!(Confirmation);

/// What the second round of `confirm` must bring back.
const STATE: &str = "opaque state of confirm";

struct Counterpart;

fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

#[tool_router]
impl Counterpart {
    #[tool(description = "Returns the text unchanged")]
    async fn echo(&self, Parameters(args): Parameters<Echo>) -> CallToolResult {
        text(args.text)
    }

    #[tool(description = "Adds two integers; the result is structured too")]
    async fn add(&self, Parameters(args): Parameters<Add>) -> Json<Sum> {
        Json(Sum { result: args.a + args.b })
    }

    #[tool(description = "Reports an error the way a tool is meant to")]
    async fn fail(&self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text("it failed")])
    }

    #[tool(description = "Answers with an error of the protocol")]
    async fn throw(&self) -> Result<CallToolResult, ErrorData> {
        Err(ErrorData::internal_error("boom", None))
    }

    #[tool(description = "Takes its time, with progress at each step")]
    async fn slow(&self, Parameters(args): Parameters<Slow>, context: RequestContext<RoleServer>) -> CallToolResult {
        let steps = args.steps.unwrap_or(3);
        for step in 1..=steps {
            tokio::time::sleep(Duration::from_millis(args.delay_ms.unwrap_or(200))).await;
            if let Some(token) = context.meta.get_progress_token() {
                let progress = ProgressNotificationParam::new(token, f64::from(step)).with_total(f64::from(steps));
                // Who does not listen any more misses nothing.
                let _ = context.peer.notify_progress(progress.with_message(format!("step {step}"))).await;
            }
        }
        text(format!("done after {steps} steps"))
    }

    /// The era decides how: 2026-07-28 forbids a request from the server, earlier versions know no second round.
    #[tool(description = "Asks the user by elicitation")]
    async fn confirm(
        &self,
        RequestState(state): RequestState,
        InputResponses(answers): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if context.protocol_version().is_none_or(|version| version < ProtocolVersion::V_2026_07_28) {
            let answer = context.peer.elicit::<Confirmation>("Is this right?").await;
            return Ok(match answer {
                Ok(form) => text(format!("accept {}", json!(form.map(|form| form.confirmed)))).into(),
                Err(ElicitationError::UserDeclined) => text("decline null").into(),
                Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]).into(),
            });
        }
        let Some(answer) = answers.as_ref().and_then(|answers| answers.get("confirm")) else {
            return Ok(question().into());
        };
        if state.as_deref() != Some(STATE) {
            return Err(ErrorData::invalid_params("the request state is not the one that was given out", None));
        }
        let action = answer["action"].as_str().unwrap_or("no action");
        Ok(text(format!("{action} {}", answer["content"]["confirmed"])).into())
    }
}

fn question() -> InputRequiredResult {
    let schema = json!({"type": "object", "properties": {"confirmed": {"type": "boolean"}}, "required": ["confirmed"]});
    let form = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: "Is this right?".into(),
        requested_schema: serde_json::from_value(schema).expect("it is one of the schemas that a form may have"),
    };
    let mut requests = InputRequests::new();
    requests.insert("confirm".into(), InputRequest::Elicitation(ElicitRequest::new(form)));
    InputRequiredResult::new(Some(requests), Some(STATE.into()))
}

#[prompt_router]
impl Counterpart {
    #[prompt(description = "A prompt with one argument")]
    async fn greet(&self, Parameters(args): Parameters<Greet>) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(Role::User, format!("Hello {}", args.name))]
    }
}

#[tool_handler]
#[prompt_handler]
impl ServerHandler for Counterpart {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_prompts().enable_resources().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("rmcp-counterpart", "1.0.0"))
            .with_instructions("A counterpart for tests.")
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = vec![Resource::new("test://static", "static")];
        Ok(ListResourcesResult { resources, ..Default::default() })
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let resource_templates = vec![ResourceTemplate::new("test://item/{key}", "item")];
        Ok(ListResourceTemplatesResult { resource_templates, ..Default::default() })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text = match request.uri.as_str() {
            "test://static" => "static text".to_owned(),
            uri => match uri.strip_prefix("test://item/") {
                Some(key) => format!("item {key}"),
                None => return Err(ErrorData::resource_not_found("no such resource", Some(json!({"uri": uri})))),
            },
        };
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, request.uri)]).into())
    }
}

fn config(mode: &str) -> Option<StreamableHttpServerConfig> {
    let mut config = StreamableHttpServerConfig::default();
    config.legacy_session_mode = mode == "session";
    config.json_response = mode == "json" || mode == "strict";
    config.stateless_protocol_metadata_required = mode == "strict";
    ["session", "stateless", "json", "strict"].contains(&mode).then_some(config)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["stdio"] => {
            Counterpart.serve(rmcp::transport::stdio()).await?.waiting().await?;
        }
        ["http", port, mode] => {
            let config = config(mode).ok_or("no such mode")?;
            let sessions = LocalSessionManager::default().into();
            let service: StreamableHttpService<Counterpart, LocalSessionManager> =
                StreamableHttpService::new(|| Ok(Counterpart), sessions, config);
            let listener = tokio::net::TcpListener::bind(("127.0.0.1", port.parse()?)).await?;
            axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
        }
        _ => return Err("usage: rmcp-counterpart stdio | http PORT {session,stateless,json,strict}".into()),
    }
    Ok(())
}
