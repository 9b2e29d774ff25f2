//! The view of `info`: who the server is, what came of the handshake, and how it was reached.

use crate::outcome::Facts;
use crate::render::failure::transport_title;
use crate::render::terminal::{Stream, line, safe, wrap};
use crate::report::Info;
use crate::wire::json;
use crate::wire::mcp::Implementation;

const LABEL: usize = 13;

/// The whole view.
pub(super) fn view(info: &Info, facts: &Facts, stream: Stream) -> String {
    let mut out = String::new();
    let member = |key: &str| info.result.as_deref().and_then(|result| json::member(result, key));
    let in_meta = || member("_meta").and_then(|meta| json::member(&meta, "io.modelcontextprotocol/serverInfo"));
    let server = member("serverInfo").or_else(in_meta).map(|raw| Implementation::read(&raw)).unwrap_or_default();
    if let Some(name) = &server.name {
        let version = server.version.as_deref().unwrap_or_default();
        let gap = if version.is_empty() { "" } else { " " };
        out.push_str(&format!("{}{gap}{}", stream.bold(&line(name)), line(version)));
        if let Some(title) = server.title.filter(|title| title != name) {
            out.push_str(&stream.dim(&format!("  {}", line(&title))));
        }
        out.push('\n');
    }
    let mut row = |label: &str, text: &str| {
        for (index, text) in wrap(&safe(text), stream.width.saturating_sub(LABEL + 4)).iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            out.push_str(format!("  {}  {text}", stream.dim(&format!("{label:LABEL$}"))).trim_end());
            out.push('\n');
        }
    };
    if let Some(target) = &facts.server.target {
        row("server", target);
    }
    if let Some(transport) = facts.server.transport {
        row("transport", transport_title(transport));
    }
    if let Some(protocol) = &facts.server.protocol {
        let era = info.era.map_or_else(String::new, |era| format!(", the {era} era"));
        match info.requested.as_ref().filter(|requested| *requested != protocol) {
            Some(requested) => row("protocol", &format!("{protocol}{era} (asked for {requested})")),
            None => row("protocol", &format!("{protocol}{era}")),
        }
    }
    if !info.server_versions.is_empty() {
        row("it speaks", &info.server_versions.join(", "));
    }
    if !info.client_versions.is_empty() {
        row("mcpcli speaks", &info.client_versions.join(", "));
    }
    if info.result.is_some() {
        if info.era != Some("modern") {
            row("session", if info.session { "yes" } else { "none" });
        }
        let capabilities = member("capabilities").map(|raw| capability_words(&raw)).unwrap_or_default();
        row("capabilities", if capabilities.is_empty() { "none" } else { &capabilities });
    }
    let extensions = member("capabilities").and_then(|all| json::member(&all, "extensions"));
    if let Some(extensions) = extensions.map(|raw| capability_words(&raw)).filter(|words| !words.is_empty()) {
        row("extensions", &extensions);
    }
    if let Some(ttl) = member("ttlMs").and_then(|raw| raw.get().parse().ok()) {
        let scope = member("cacheScope").and_then(|raw| json::string(&raw)).unwrap_or_default();
        row("cache", &super::cache_words(ttl, &scope));
    }
    if let Some(declared) = info.client_capabilities.as_deref().map(capability_words) {
        row("declared", if declared.is_empty() { "nothing" } else { &declared });
    }
    if let Some(instructions) = member("instructions").and_then(|raw| json::string(&raw)) {
        row("instructions", instructions.trim());
    }
    for (index, attempt) in info.attempts.iter().enumerate() {
        let label = if index == 0 { "attempts" } else { "" };
        row(label, &format!("{}. {} → {}", index + 1, attempt.what, attempt.outcome));
    }
    out
}

/// `tools (listChanged), logging`
fn capability_words(capabilities: &serde_json::value::RawValue) -> String {
    let members = json::members(capabilities).unwrap_or_default();
    let words = members.iter().filter(|(_, value)| !json::is_null(value)).map(|(name, value)| {
        let inner = json::members(value).unwrap_or_default();
        let on: Vec<String> = inner
            .into_iter()
            .filter(|(_, value)| json::boolean(value) != Some(false) && !json::is_null(value))
            .map(|(name, _)| name)
            .collect();
        if on.is_empty() { name.clone() } else { format!("{name} ({})", on.join(", ")) }
    });
    words.collect::<Vec<_>>().join(", ")
}
