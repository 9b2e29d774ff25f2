//! The tools: one table, one row each. What they do stands in `calls.rs`.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::context::{Caller, Context, Reply, Work};
use super::{asking, calls};

/// How a tool is run.
#[derive(Clone, Copy)]
pub enum Run {
    /// At once.
    Now(fn(&Context, &Arguments) -> Reply),
    /// It takes time, or sends something before its answer; so over HTTP the answer is an event stream.
    Later(fn(Context, Arguments) -> Work<Reply>),
}

/// One tool.
pub struct ToolRow {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does.
    pub description: &'static str,
    /// The JSON text of `properties` of its input.
    pub properties: &'static str,
    /// Which of them it needs.
    pub required: &'static [&'static str],
    /// The JSON text of its output schema.
    pub output: Option<&'static str>,
    /// The JSON text of its annotations.
    pub annotations: &'static str,
    /// Whether its call may become a task.
    pub task: bool,
    /// What it does.
    pub run: Run,
}

impl ToolRow {
    /// The tool of that name, among all that there may be.
    pub fn find(name: &str) -> Option<&'static ToolRow> {
        TOOLS.iter().find(|row| row.name == name)
    }

    /// Whether its answer is a stream.
    pub fn streams(&self) -> bool {
        matches!(self.run, Run::Later(_))
    }

    /// Its input schema.
    pub fn input_schema(&self) -> Value {
        let mut schema = json!({ "type": "object", "properties": literal(self.properties) });
        if !self.required.is_empty() {
            schema["required"] = json!(self.required);
        }
        schema["additionalProperties"] = json!(false);
        schema
    }

    /// Its entry in `tools/list`.
    pub fn entry(&self, caller: &Caller) -> Value {
        let mut entry = json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema(),
        });
        if let Some(output) = self.output {
            entry["outputSchema"] = literal(output);
        }
        entry["annotations"] = literal(self.annotations);
        // `execution` came with 2025-11-25 and is gone since 2026-07-28 (schema of both, Tool).
        if self.task && caller.version == "2025-11-25" {
            entry["execution"] = json!({ "taskSupport": "optional" });
        }
        entry
    }
}

/// A JSON text of the table; a test reads them all.
fn literal(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

const SAFE: &str = r#"{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}"#;
const READS: &str = r#"{"readOnlyHint":true,"idempotentHint":false,"openWorldHint":false}"#;
const UNSAFE: &str = r#"{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}"#;

/// A row of a tool that is safe to call, without output schema; the rest is set where it differs.
const fn row(name: &'static str, title: &'static str, description: &'static str, run: Run) -> ToolRow {
    ToolRow {
        name,
        title,
        description,
        properties: "{}",
        required: &[],
        output: None,
        annotations: SAFE,
        task: false,
        run,
    }
}

/// Every tool once, in the order of `tools/list`: three pages. The last row comes and goes.
pub const TOOLS: &[ToolRow] = &[
    ToolRow {
        properties: r#"{"message":{"type":"string","description":"The text to return"}}"#,
        required: &["message"],
        ..row("echo", "Echo", "Returns the message unchanged", Run::Now(calls::echo))
    },
    ToolRow {
        properties: r#"{"a":{"type":"integer","description":"First summand"},"b":{"type":"integer","description":"Second summand"}}"#,
        required: &["a", "b"],
        output: Some(r#"{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"]}"#),
        ..row("add", "Add", "Adds two integers, as text and as structured output", Run::Now(calls::add))
    },
    ToolRow {
        properties: r#"{"seconds":{"type":"number","minimum":0,"maximum":3600,"description":"How long to sleep"}}"#,
        required: &["seconds"],
        ..row(
            "slow",
            "Slow",
            "Sleeps; after half a second it sends progress every 100 ms, if progress was asked for",
            Run::Later(calls::slow),
        )
    },
    ToolRow {
        annotations: UNSAFE,
        ..row(
            "throw_error",
            "Throw an error",
            "Fails as a tool that throws: isError is true",
            Run::Now(calls::throw_error),
        )
    },
    ToolRow {
        properties: r#"{"code":{"type":"integer","default":-32050,"description":"The JSON-RPC error code"}}"#,
        annotations: UNSAFE,
        ..row("return_error", "Return an error", "Answers with a JSON-RPC error", Run::Now(calls::return_error))
    },
    row(
        "invalid_access",
        "Invalid access",
        "Fails because it reaches for a record that is not there: isError is true",
        Run::Now(calls::invalid_access),
    ),
    row(
        "hidden_error",
        "Hidden error",
        "Fails, but only its text says so: isError is false",
        Run::Now(calls::hidden_error),
    ),
    row(
        "all_content",
        "All content",
        "Returns every type of content that the protocol version has",
        Run::Now(calls::all_content),
    ),
    ToolRow {
        properties: r#"{"region":{"type":"string","description":"Mirrored in a header","x-mcp-header":"Region"},"limit":{"type":"integer","x-mcp-header":"Limit"},"dry_run":{"type":"boolean","x-mcp-header":"Dry-Run"},"options":{"type":"object","properties":{"tier":{"type":"string","x-mcp-header":"Tier"}}},"query":{"type":"string","description":"Not mirrored"}}"#,
        ..row(
            "region",
            "Region",
            "Returns what it got; over HTTP the client repeats some of it in headers (2026-07-28)",
            Run::Now(calls::region),
        )
    },
    ToolRow {
        annotations: READS,
        ..row(
            "ask",
            "Ask",
            "Asks the user for a name and more (elicitation), and tells the answer",
            Run::Later(asking::ask),
        )
    },
    ToolRow {
        properties: r#"{"bytes":{"type":"integer","minimum":0,"maximum":268435456,"description":"The size of the text"}}"#,
        required: &["bytes"],
        ..row("big", "Big", "Returns a text of so many bytes", Run::Now(calls::big))
    },
    row("log", "Log", "Sends a log message of each level from debug to error", Run::Later(calls::log)),
    ToolRow {
        properties: r#"{"string":{"type":"string"},"integer":{"type":"integer"},"number":{"type":"number"},"boolean":{"type":"boolean"},"array":{"type":"array","items":{"type":"integer"}},"object":{"type":"object"},"null":{"type":"null"},"enum":{"type":"string","enum":["red","green","blue"]},"nullable":{"type":["string","null"]},"union":{"type":["integer","string"]},"any":{}}"#,
        ..row("types", "Types", "Returns its arguments as JSON text, one of each type", Run::Now(calls::types))
    },
    ToolRow {
        properties: r#"{"person":{"type":"object","properties":{"name":{"type":"string"},"address":{"type":"object","properties":{"street":{"type":"string"},"zip":{"type":"string"}},"required":["street"]}},"required":["name"]},"tags":{"type":"array","items":{"type":"string"}}}"#,
        required: &["person"],
        output: Some(
            r#"{"type":"object","properties":{"person":{"type":"object"},"tags":{"type":"array","items":{"type":"string"}}},"required":["person","tags"]}"#,
        ),
        ..row(
            "nested",
            "Nested",
            "Takes nested arguments and returns them as structured output",
            Run::Now(calls::nested),
        )
    },
    ToolRow {
        properties: r#"{"text":{"type":"string"}}"#,
        required: &["text"],
        ..row("upper", "Upper case", "Returns the text in upper case", Run::Now(calls::upper))
    },
    ToolRow {
        properties: r#"{"text":{"type":"string"}}"#,
        required: &["text"],
        ..row("reverse", "Reverse", "Returns the characters in reverse order", Run::Now(calls::reverse))
    },
    ToolRow {
        properties: r#"{"text":{"type":"string"}}"#,
        required: &["text"],
        output: Some(
            r#"{"type":"object","properties":{"words":{"type":"integer"},"characters":{"type":"integer"}},"required":["words","characters"]}"#,
        ),
        ..row("count_words", "Count words", "Counts words and characters", Run::Now(calls::count_words))
    },
    ToolRow {
        properties: r#"{"prompt":{"type":"string","description":"What the model is asked"}}"#,
        annotations: READS,
        ..row(
            "sample",
            "Sample",
            "Asks the client's model (sampling), and tells its answer",
            Run::Later(asking::sample),
        )
    },
    ToolRow {
        annotations: READS,
        ..row("roots", "Roots", "Asks the client for its roots, and tells them", Run::Later(asking::roots))
    },
    ToolRow {
        annotations: READS,
        ..row(
            "two_questions",
            "Two questions",
            "Asks the user twice, the second time after the first answer",
            Run::Later(asking::two_questions),
        )
    },
    ToolRow {
        annotations: READS,
        ..row(
            "come_back",
            "Come back",
            "Answers once with a state alone, so that the client calls again (2026-07-28)",
            Run::Later(asking::come_back),
        )
    },
    ToolRow {
        properties: r#"{"steps":{"type":"integer","minimum":0,"maximum":1000,"description":"How many steps of 100 ms"},"fail":{"type":"boolean","description":"End with isError"},"error":{"type":"boolean","description":"End with a JSON-RPC error"},"ask":{"type":"boolean","description":"Ask the user first"}}"#,
        required: &["steps"],
        annotations: READS,
        task: true,
        ..row("job", "Job", "Works for a while; becomes a task where the client knows tasks", Run::Later(calls::job))
    },
    ToolRow {
        properties: r#"{"list":{"type":"string","enum":["tools","prompts","resources"],"default":"tools"}}"#,
        annotations: UNSAFE,
        ..row(
            "change_tools",
            "Change the tools",
            "Shows or hides the tool `extra`, or only says that another list has changed",
            Run::Now(calls::change_tools),
        )
    },
    row("extra", "Extra", "Is there after every other call of change_tools", Run::Now(calls::extra)),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::lists::PAGE;

    #[test]
    fn every_literal_of_the_table_is_an_object() {
        let caller = Caller { version: "2025-11-25", capabilities: Value::Null, level: None };
        for row in TOOLS {
            let entry = row.entry(&caller);
            for key in ["inputSchema", "annotations"] {
                assert!(entry[key].is_object(), "{} {key}", row.name);
            }
            assert!(entry["inputSchema"]["properties"].is_object(), "{}", row.name);
            assert_eq!(entry["outputSchema"].is_object(), row.output.is_some(), "{}", row.name);
            for name in row.required {
                assert!(entry["inputSchema"]["properties"][name].is_object(), "{} {name}", row.name);
            }
        }
    }

    #[test]
    fn names_are_unique_and_fill_three_pages() {
        let mut names: Vec<_> = TOOLS.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TOOLS.len());
        assert!((2 * PAGE + 1..=3 * PAGE).contains(&names.len()));
    }
}
