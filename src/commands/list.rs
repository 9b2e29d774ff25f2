//! `list`: one list, or all that the server advertises, partial when one fails.

use std::collections::BTreeMap;

use super::{Found, Settings};
use crate::client::Client;
use crate::outcome::{Category, Failure, Ledger, WarningId};
use crate::report::{Body, Dropped, List, ListKind, Section, SectionState};
use crate::wire::mcp::{PromptView, ResourceView, TemplateView, ToolView};
use crate::wire::{RawJson, json};

/// "No such method": -32601 by JSON-RPC, -32001 by servers that made up a code of their own (RPC-12).
const NO_SUCH_METHOD: [i64; 2] = [-32601, -32001];

/// Runs the command.
pub(super) async fn run(kind: Option<ListKind>, client: &mut Client, settings: &Settings) -> Found {
    let Some(kind) = kind else { return all(client, &settings.ledger).await };
    let section = section(kind, client, &settings.ledger).await;
    let mut failures = Vec::new();
    if let SectionState::Failed(failure) = &section.state {
        let mut failure = (**failure).clone();
        // Asked for by name, the list is requested whatever is advertised; then its absence explains the failure.
        if failure.category == Category::RpcError && !client.offers(kind.capability()) {
            failure.hint = Some(format!("the server does not advertise the capability `{}`", kind.capability()));
        }
        failures.push(failure);
    }
    Found { body: Body::List(List { sections: vec![section], single: true }), failures }
}

async fn all(client: &mut Client, ledger: &Ledger) -> Found {
    if let Err(error) = client.know_capabilities().await {
        return error.into();
    }
    let mut sections = Vec::new();
    let mut failures = Vec::new();
    for kind in ListKind::ALL {
        let mut section = if client.offers(kind.capability()) {
            section(kind, client, ledger).await
        } else {
            let why = format!("the server does not advertise {}", kind.capability());
            Section { state: SectionState::Unavailable(why), ..empty(kind) }
        };
        if let SectionState::Failed(failure) = &section.state {
            if is_missing(failure) {
                let why = format!("advertised, but the server has no {}: {}", kind.method(), failure.message);
                ledger.warn(WarningId::ListUnavailable, why.clone());
                section.state = SectionState::Unavailable(why);
            } else {
                failures.push((**failure).clone());
            }
        }
        let broken = failures.last().is_some_and(|failure| ends_everything(failure.category));
        sections.push(section);
        if broken {
            break;
        }
    }
    Found { body: Body::List(List { sections, single: false }), failures }
}

/// After these the further lists would fail alike, or must not be asked for.
fn ends_everything(category: Category) -> bool {
    matches!(category, Category::Interrupted(_) | Category::Internal)
}

fn is_missing(failure: &Failure) -> bool {
    failure.rpc.as_ref().and_then(|rpc| rpc.code.parse::<i64>().ok()).is_some_and(|code| NO_SUCH_METHOD.contains(&code))
}

fn empty(kind: ListKind) -> Section {
    Section {
        kind,
        entries: Vec::new(),
        dropped: Vec::new(),
        pages: Vec::new(),
        defects: Vec::new(),
        state: SectionState::Complete,
    }
}

/// One list with every page, and what is wrong with its entries.
async fn section(kind: ListKind, client: &mut Client, ledger: &Ledger) -> Section {
    let pages = client.list(kind.method(), kind.member(), |_| false).await;
    let state = match pages.stopped {
        None => SectionState::Complete,
        Some(error) => SectionState::Failed(Box::new(error.to_failure())),
    };
    let defects = defects(kind, &pages.entries, ledger);
    let (entries, dropped) = drop_tools(kind, pages.entries, client, ledger);
    // The places that are told of are counted without what was dropped.
    let before = |index: usize| dropped.iter().filter(|one| one.index < index).count();
    let is_kept = |index: usize| dropped.iter().all(|one| one.index != index);
    let defects: Vec<_> = defects.into_iter().filter(|(index, _)| is_kept(*index)).collect();
    let defects = defects.into_iter().map(|(index, what)| (index - before(index), what)).collect();
    Section { kind, entries, dropped, pages: pages.results, defects, state }
}

/// Takes out the tools that must not be used over this transport, each with the reasons
/// (2026-07-28 basic/transports/streamable-http §Custom Headers: MUST exclude, SHOULD warn with name and reason).
fn drop_tools(kind: ListKind, entries: Vec<RawJson>, client: &Client, ledger: &Ledger) -> (Vec<RawJson>, Vec<Dropped>) {
    if kind != ListKind::Tools {
        return (entries, Vec::new());
    }
    let era = client.era();
    let (mut kept, mut dropped) = (Vec::with_capacity(entries.len()), Vec::new());
    for (index, entry) in entries.into_iter().enumerate() {
        let tool = ToolView::read(&entry);
        let reasons = era.tool_defects(tool.input_schema.as_deref(), client.kind());
        if reasons.is_empty() {
            kept.push(entry);
            continue;
        }
        let name = tool.name.unwrap_or_default();
        ledger.warn(WarningId::ToolDropped, format!("the tool {name:?} was left out: {}", reasons.join("; ")));
        dropped.push(Dropped { index, name, reasons, entry });
    }
    (kept, dropped)
}

/// What is wrong with the entries; each is a warning too, and none hides another entry (LST-03).
fn defects(kind: ListKind, entries: &[RawJson], ledger: &Ledger) -> Vec<(usize, String)> {
    let mut defects = Vec::new();
    let mut names = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        let pointer = format!("/{}/{index}", kind.member());
        let mut add = |id, what: String| {
            ledger.warn(id, format!("{pointer}: {what}"));
            defects.push((index, what));
        };
        if json::kind(entry) != json::JsonKind::Object {
            add(WarningId::ListEntry, format!("not an object but {}", json::kind(entry).name()));
            continue;
        }
        match name_of(kind, entry) {
            None => add(WarningId::ListEntry, format!("has no {}", key_of(kind))),
            Some(name) => {
                let times = names.entry(name.clone()).or_insert(0_u32);
                *times += 1;
                // One warning a name, however often it comes.
                if *times == 2 {
                    add(WarningId::DuplicateName, format!("the name {name:?} came before"));
                }
            }
        }
        if kind == ListKind::Tools {
            let tool = ToolView::read(entry);
            for defect in crate::schema::defects(tool.input_schema.as_deref()) {
                add(WarningId::InputSchema, format!("inputSchema{}: {}", defect.pointer, defect.message));
            }
            let output = tool.output_schema.filter(|schema| !json::is_null(schema));
            for defect in output.map(|schema| crate::schema::visible(&schema)).unwrap_or_default() {
                add(WarningId::OutputSchema, format!("outputSchema{}: {}", defect.pointer, defect.message));
            }
        }
    }
    defects
}

fn key_of(kind: ListKind) -> &'static str {
    match kind {
        ListKind::Tools | ListKind::Prompts => "name",
        ListKind::Resources => "uri",
        ListKind::Templates => "uriTemplate",
    }
}

/// What an entry is called by: a name, a URI, a template.
pub(super) fn name_of(kind: ListKind, entry: &RawJson) -> Option<String> {
    match kind {
        ListKind::Tools => ToolView::read(entry).name,
        ListKind::Prompts => PromptView::read(entry).name,
        ListKind::Resources => ResourceView::read(entry).uri,
        ListKind::Templates => TemplateView::read(entry).uri_template,
    }
}
