//! The prompts, and completion of their arguments and of template variables.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::asking;
use super::context::{Context, Reply};
use super::message::{Params, RpcError, params};
use super::resources::TEMPLATES;

/// One argument of a prompt.
pub struct ArgumentRow {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Whether it must be given.
    pub required: bool,
    /// Values that completion offers.
    pub known: &'static [&'static str],
}

/// A message of a prompt.
type RoleAndText = (&'static str, String);

/// One prompt.
pub struct PromptRow {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Its arguments.
    pub arguments: &'static [ArgumentRow],
    /// Its messages, as (role, text), for the arguments given.
    pub messages: fn(&BTreeMap<String, String>) -> Vec<RoleAndText>,
}

/// The prompt that asks the user before it answers.
pub const ASKING: &str = "greeting";

/// Every prompt once.
pub const PROMPTS: &[PromptRow] = &[
    PromptRow {
        name: "hello",
        title: "Hello",
        description: "A greeting, without arguments",
        arguments: &[],
        messages: |_| vec![("user", "Say hello to the people who build MCP servers.".to_owned())],
    },
    PromptRow {
        name: "review",
        title: "Review code",
        description: "Asks for a review of a piece of code",
        arguments: &[
            ArgumentRow { name: "code", description: "The code to review", required: true, known: &[] },
            ArgumentRow {
                name: "language",
                description: "Its programming language",
                required: false,
                known: &["c", "go", "java", "javascript", "python", "ruby", "rust", "typescript"],
            },
        ],
        messages: |given| {
            let language = given.get("language").map(|language| format!("{language} ")).unwrap_or_default();
            let code = given.get("code").map_or("", String::as_str);
            vec![
                ("user", format!("Please review this {language}code:\n\n{code}")),
                ("assistant", "I will look at correctness first, then at clarity.".to_owned()),
            ]
        },
    },
    PromptRow {
        name: ASKING,
        title: "Greeting by name",
        description: "A greeting for the user, who is asked for a name first",
        arguments: &[],
        messages: |given| {
            let name = given.get("answer").map_or("nobody", String::as_str);
            vec![("user", format!("Greet {name} in three languages."))]
        },
    },
];

impl PromptRow {
    /// Its entry in `prompts/list`.
    pub fn entry(&self) -> Value {
        let mut entry = json!({ "name": self.name, "title": self.title, "description": self.description });
        if !self.arguments.is_empty() {
            let argument = |row: &ArgumentRow| json!({ "name": row.name, "description": row.description, "required": row.required });
            entry["arguments"] = self.arguments.iter().map(argument).collect();
        }
        entry
    }
}

#[derive(Deserialize)]
struct GetParams {
    name: String,
    // Values are strings and nothing else (2025-11-25 schema GetPromptRequestParams).
    #[serde(default)]
    arguments: BTreeMap<String, String>,
}

/// Whether `prompts/get` with these parameters asks first.
pub fn asks(request: &Params) -> bool {
    params::<GetParams>(request).is_ok_and(|get| get.name == ASKING)
}

/// `prompts/get`. Unknown names and missing arguments are -32602 (2025-11-25 server/prompts §Error Handling).
pub async fn get(request: &Params, context: &Context) -> Reply {
    let GetParams { name, mut arguments } = params(request)?;
    let Some(row) = PROMPTS.iter().find(|row| row.name == name) else {
        return Err(RpcError::invalid_params(format!("Unknown prompt: {name}")));
    };
    let missing: Vec<_> = row
        .arguments
        .iter()
        .filter(|row| row.required && !arguments.contains_key(row.name))
        .map(|row| row.name)
        .collect();
    if !missing.is_empty() {
        return Err(RpcError::invalid_params(format!("Missing required arguments: {}", missing.join(", "))));
    }
    if name == ASKING {
        arguments.insert("answer".to_owned(), asking::ask_or_fail(context, "Who is to be greeted?").await?);
    }
    let message = |(role, text)| json!({ "role": role, "content": { "type": "text", "text": text } });
    let messages: Vec<_> = (row.messages)(&arguments).into_iter().map(message).collect();
    Ok(json!({ "description": row.description, "messages": messages }))
}

#[derive(Deserialize)]
struct CompleteParams {
    r#ref: Reference,
    argument: Typed,
}

#[derive(Deserialize)]
struct Reference {
    r#type: String,
    name: Option<String>,
    uri: Option<String>,
}

#[derive(Deserialize)]
struct Typed {
    name: String,
    value: String,
}

/// `completion/complete`.
pub fn complete(request: &Params) -> Result<Value, RpcError> {
    let CompleteParams { r#ref: reference, argument } = params(request)?;
    let known = match (reference.r#type.as_str(), &reference.name, &reference.uri) {
        ("ref/prompt", Some(name), _) => PROMPTS
            .iter()
            .find(|row| row.name == name)
            .and_then(|row| row.arguments.iter().find(|row| row.name == argument.name))
            .map(|row| row.known),
        ("ref/resource", _, Some(uri)) => {
            TEMPLATES.iter().find(|row| row.template == uri && row.variable == argument.name).map(|row| row.known)
        }
        _ => None,
    };
    // 2025-11-25 server/utilities/completion §Error Handling.
    let known = known.ok_or_else(|| {
        RpcError::invalid_params(format!("Nothing to complete: no argument \"{}\" at that reference", argument.name))
    })?;
    let typed = argument.value.to_lowercase();
    let values: Vec<_> = known.iter().filter(|value| value.to_lowercase().starts_with(&typed)).collect();
    Ok(json!({ "completion": { "values": values, "total": values.len(), "hasMore": false } }))
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn raw(value: Value) -> Params {
        Some(RawValue::from_string(value.to_string()).expect("JSON"))
    }

    #[tokio::test]
    async fn prompts_take_strings_and_name_what_is_missing() {
        let context = Context::alone();
        let given = raw(json!({"name": "review", "arguments": {"code": "x", "language": "rust"}}));
        let got = get(&given, &context).await.expect("a prompt");
        assert_eq!(got["messages"][0]["content"]["text"], "Please review this rust code:\n\nx");
        let hello = get(&raw(json!({"name": "hello"})), &context).await.expect("a prompt");
        assert_eq!(hello["messages"][0]["role"], "user");
        let error = get(&raw(json!({"name": "review"})), &context).await.expect_err("no code");
        assert_eq!((error.code, error.message.as_str()), (-32602, "Missing required arguments: code"));
        for bad in [json!({"name": "no"}), json!({}), json!({"name": "review", "arguments": {"code": 7}})] {
            assert_eq!(get(&raw(bad), &context).await.expect_err("refused").code, -32602);
        }
    }

    #[test]
    fn completion_knows_prompts_and_templates() {
        let ask = |reference: Value, name: &str, value: &str| {
            complete(&raw(json!({"ref": reference, "argument": {"name": name, "value": value}})))
                .map(|result| result["completion"]["values"].clone())
        };
        let prompt = json!({"type": "ref/prompt", "name": "review"});
        let template = json!({"type": "ref/resource", "uri": "demo://greeting/{name}"});
        assert_eq!(ask(prompt.clone(), "language", "ru"), Ok(json!(["ruby", "rust"])));
        assert_eq!(ask(prompt.clone(), "code", "x"), Ok(json!([])));
        assert_eq!(ask(template, "name", "A"), Ok(json!(["Ada", "Alan"])));
        assert_eq!(ask(prompt, "nope", "").expect_err("refused").code, -32602);
        assert_eq!(ask(json!({"type": "ref/tool", "name": "echo"}), "message", "").expect_err("refused").code, -32602);
    }
}
