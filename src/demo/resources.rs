//! The resources: a table of fixed ones, a table of templates, and how a URI is read.

use serde::Deserialize;
use serde_json::{Value, json};

use super::asking;
use super::context::{Context, Reply};
use super::media;
use super::message::{Params, RpcError, params};

/// What a resource holds.
#[derive(Debug, Clone, Copy)]
pub enum Contents {
    /// A text.
    Text(&'static str),
    /// base64.
    Blob(&'static str),
    /// A text that counts the ticks of the clock.
    Clock,
    /// A text that the user is asked for.
    Asked,
    /// Neither, which breaks the schema: contents are text or blob (2025-11-25 server/resources §Resource Contents).
    Neither,
}

/// A resource with a fixed URI.
pub struct ResourceRow {
    /// Its URI.
    pub uri: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Its media type.
    pub mime: &'static str,
    /// What it holds.
    pub contents: Contents,
}

/// The resource that changes.
pub const CLOCK: &str = "demo://clock";

/// Every fixed resource once.
pub const RESOURCES: &[ResourceRow] = &[
    ResourceRow {
        uri: "demo://text",
        name: "text",
        title: "A text",
        description: "Three lines of plain text",
        mime: "text/plain",
        contents: Contents::Text("The first line.\nThe second line: grüße, 世界 🙂\nThe last line.\n"),
    },
    ResourceRow {
        uri: "demo://logo.png",
        name: "logo.png",
        title: "A picture",
        description: "A PNG of 8 × 8 pixels",
        mime: "image/png",
        contents: Contents::Blob(media::PNG),
    },
    ResourceRow {
        uri: "demo://broken",
        name: "broken",
        title: "A broken resource",
        description: "Its contents hold neither text nor blob, which the schema forbids",
        mime: "text/plain",
        contents: Contents::Neither,
    },
    ResourceRow {
        uri: CLOCK,
        name: "clock",
        title: "A clock",
        description: "A counter; whoever subscribes hears ten times a second that it has changed",
        mime: "text/plain",
        contents: Contents::Clock,
    },
    ResourceRow {
        uri: "demo://visitor",
        name: "visitor",
        title: "The visitor",
        description: "The name of the user, who is asked for it at each reading",
        mime: "text/plain",
        contents: Contents::Asked,
    },
];

/// A family of resources with one variable in their URI.
pub struct TemplateRow {
    /// The URI template (RFC 6570), with its variable at the end.
    pub template: &'static str,
    /// What stands before the variable.
    pub prefix: &'static str,
    /// The variable.
    pub variable: &'static str,
    /// Values that completion offers.
    pub known: &'static [&'static str],
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// The text for a value.
    pub text: fn(&str) -> String,
}

/// Every template once.
pub const TEMPLATES: &[TemplateRow] = &[TemplateRow {
    template: "demo://greeting/{name}",
    prefix: "demo://greeting/",
    variable: "name",
    known: &["Ada", "Alan", "Edsger", "Grace"],
    name: "greeting",
    description: "A greeting for anyone",
    text: |name| format!("Hello, {name}!"),
}];

impl ResourceRow {
    /// Its entry in `resources/list`.
    pub fn entry(&self) -> Value {
        json!({
            "uri": self.uri, "name": self.name, "title": self.title, "description": self.description, "mimeType": self.mime
        })
    }
}

impl TemplateRow {
    /// Its entry in `resources/templates/list`.
    pub fn entry(&self) -> Value {
        json!({
            "uriTemplate": self.template, "name": self.name, "description": self.description, "mimeType": "text/plain"
        })
    }
}

#[derive(Deserialize)]
struct ReadParams {
    uri: String,
}

/// Whether `resources/read` with these parameters asks first.
pub fn asks(request: &Params) -> bool {
    let asks = |row: &ResourceRow| matches!(row.contents, Contents::Asked);
    params::<ReadParams>(request).is_ok_and(|read| RESOURCES.iter().any(|row| row.uri == read.uri && asks(row)))
}

/// Whether there is a resource of that URI.
pub fn exists(uri: &str) -> bool {
    let fits = |row: &TemplateRow| uri.strip_prefix(row.prefix).and_then(unescape).is_some();
    RESOURCES.iter().any(|row| row.uri == uri) || TEMPLATES.iter().any(fits)
}

/// The error for a URI that leads nowhere: -32002 until 2025-11-25, -32602 since 2026-07-28 (server/resources §Error Handling of both).
pub fn not_found(uri: &str, modern: bool) -> RpcError {
    RpcError::new(if modern { -32602 } else { -32002 }, "Resource not found").with_data(json!({ "uri": uri }))
}

/// `resources/read`.
pub async fn read(request: &Params, context: &Context) -> Reply {
    let ReadParams { uri } = params(request)?;
    if let Some(row) = RESOURCES.iter().find(|row| row.uri == uri) {
        let mut entry = json!({ "uri": uri, "mimeType": row.mime });
        match row.contents {
            Contents::Text(text) => entry["text"] = json!(text),
            Contents::Blob(blob) => entry["blob"] = json!(blob),
            Contents::Clock => entry["text"] = json!(context.world.ticks().to_string()),
            Contents::Asked => entry["text"] = json!(asking::ask_or_fail(context, "Who is visiting?").await?),
            Contents::Neither => {}
        }
        return Ok(json!({ "contents": [entry] }));
    }
    let filled = TEMPLATES.iter().find_map(|row| Some((row, unescape(uri.strip_prefix(row.prefix)?)?)));
    match filled {
        Some((row, value)) => {
            Ok(json!({ "contents": [{ "uri": uri, "mimeType": "text/plain", "text": (row.text)(&value) }] }))
        }
        None => Err(not_found(&uri, context.caller.is_modern())),
    }
}

/// The value of a simple expansion (RFC 6570 §3.2.2): it is not empty, holds no slash, and is percent-encoded.
fn unescape(text: &str) -> Option<String> {
    if text.is_empty() || text.contains('/') {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            let digits = tail.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    async fn ask(uri: &str) -> Reply {
        let request = Some(RawValue::from_string(json!({ "uri": uri }).to_string()).expect("JSON"));
        read(&request, &Context::alone()).await
    }

    #[tokio::test]
    async fn every_listed_resource_can_be_read() {
        for row in RESOURCES.iter().filter(|row| !matches!(row.contents, Contents::Asked)) {
            let contents = ask(row.uri).await.expect(row.uri)["contents"][0].clone();
            let held = (contents.get("text").is_some(), contents.get("blob").is_some());
            let expected = match row.contents {
                Contents::Text(_) | Contents::Clock | Contents::Asked => (true, false),
                Contents::Blob(_) => (false, true),
                Contents::Neither => (false, false),
            };
            assert_eq!(held, expected, "{}", row.uri);
        }
    }

    #[tokio::test]
    async fn a_template_takes_percent_encoding() {
        assert_eq!(ask("demo://greeting/Ada%20%C3%9C").await.expect("text")["contents"][0]["text"], "Hello, Ada Ü!");
        for uri in
            ["demo://greeting/", "demo://greeting/a/b", "demo://greeting/%zz", "demo://greeting/%2", "demo://none"]
        {
            let error = ask(uri).await.expect_err(uri);
            assert_eq!((error.code, error.data), (-32002, Some(json!({ "uri": uri }))));
        }
    }

    #[test]
    fn templates_are_their_prefix_and_variable() {
        for row in TEMPLATES {
            assert_eq!(row.template, format!("{}{{{}}}", row.prefix, row.variable));
        }
    }
}
