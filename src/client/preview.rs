//! What would be sent, for `--dry-run`.

use serde_json::value::RawValue;

use super::draft::Draft;
use super::era::{self, Era};
use super::operations::{Client, call_members, prompt_members};
use super::{Options, Target};
use crate::transport::Kind;
use crate::wire::{jsonrpc, mirror};

/// Makes messages as the conversation would: in the era of the conversation, or without one in the era that is presumed.
pub struct Preview {
    era: Era,
    kind: Kind,
}

impl Preview {
    /// Of a conversation that has begun.
    pub fn of(client: &Client) -> Preview {
        Preview { era: client.era(), kind: client.kind() }
    }

    /// Without one: the version that was asked for, else the newest.
    pub fn presumed(target: &Target, options: &Options) -> Preview {
        let kind = match target {
            Target::Stdio(_) => Kind::Stdio,
            Target::Http(kind, _) => kind.unwrap_or(Kind::Http),
        };
        Preview { era: era::presumed(options, kind), kind }
    }

    /// The message that [`Client::call_tool`] would send, and the headers that mirror it. The id is a stand-in.
    pub fn call(&self, name: &str, arguments: &str, schema: Option<&RawValue>) -> Previewed {
        let mut draft = self.era.draft("tools/call", &call_members(name, arguments), Some(1));
        draft.headers.extend(self.era.mirrored(schema, arguments, self.kind).unwrap_or_default());
        self.finish(draft)
    }

    /// The message that [`Client::get_prompt`] would send.
    pub fn prompt(&self, name: &str, arguments: &str) -> Previewed {
        self.finish(self.era.draft("prompts/get", &prompt_members(name, arguments), Some(1)))
    }

    /// The message that [`Client::raw`] would send.
    pub fn raw(&self, method: &str, params: Option<&str>) -> Previewed {
        self.finish(self.era.raw_draft(method, params))
    }

    fn finish(&self, draft: Draft) -> Previewed {
        let mut headers = if self.kind == Kind::Http { draft.headers } else { Vec::new() };
        if let (Era::Legacy { version }, Kind::Http) = (&self.era, self.kind)
            && era::has_header(version)
        {
            headers.push((mirror::VERSION.to_owned(), version.clone()));
        }
        Previewed { message: jsonrpc::request(1, &draft.method, draft.params.as_deref()), headers }
    }
}

/// A message that would be sent.
pub struct Previewed {
    /// The JSON text.
    pub message: String,
    /// The headers that mirror it.
    pub headers: Vec<(String, String)>,
}
