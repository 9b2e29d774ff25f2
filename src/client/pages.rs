//! Every page of a list, with a guard against cursors that never end.

use std::collections::BTreeSet;

use super::Client;
use super::error::{ClientError, Fault};
use super::operations::violation;
use crate::outcome::{Phase, Reason, WarningId};
use crate::wire::{RawJson, json};

/// A list, as far as it could be had.
#[derive(Debug, Default)]
pub struct Pages {
    /// Every entry of every page, as it came.
    pub entries: Vec<RawJson>,
    /// The result of every page, as it came.
    pub results: Vec<RawJson>,
    /// Why it is not whole.
    pub stopped: Option<ClientError>,
}

/// Where a walk through the pages stands.
struct Walk {
    cursor: Option<String>,
    seen: BTreeSet<String>,
    pages: Pages,
}

impl Client {
    /// Reads pages until there are no more, or `enough` says so of the entries of a page.
    ///
    /// The method is one of the lists; `member` is the member of its result that holds the entries.
    pub async fn list(&mut self, method: &str, member: &str, enough: impl Fn(&[RawJson]) -> bool) -> Pages {
        let mut walk = Walk { cursor: None, seen: BTreeSet::new(), pages: Pages::default() };
        loop {
            match self.page(method, member, &mut walk, &enough).await {
                Ok(true) => {}
                Ok(false) => return walk.pages,
                Err(error) => {
                    walk.pages.stopped = Some(error);
                    return walk.pages;
                }
            }
        }
    }

    /// Reads one page; whether there is another one.
    async fn page(
        &mut self,
        method: &str,
        member: &str,
        walk: &mut Walk,
        enough: &impl Fn(&[RawJson]) -> bool,
    ) -> Result<bool, ClientError> {
        // The first request has no cursor key at all; a null one is refused by strict servers (LST-02).
        let members: Vec<_> = walk.cursor.iter().map(|cursor| ("cursor", json::quote(cursor))).collect();
        let result = self.request(method, &members, false).await?.result;
        let Some(entries) = json::member(&result, member).and_then(|raw| json::elements(&raw)) else {
            return Err(violation(method, format!("the result of {method} has no array {member}"), &result));
        };
        let next = self.next_cursor(method, &result)?;
        let doubtful = walk.cursor.as_deref() == Some("") && self.era().empty_cursor_is_doubtful();
        let known = next.as_ref().filter(|cursor| walk.seen.contains(*cursor)).cloned();
        if (known.is_some() || doubtful) && same_entries(walk, &entries, member) {
            if doubtful {
                // Up to 2025-11-25 many servers meant "end" by it; the repeated page says so.
                let message = format!("{method} gave an empty nextCursor, and its page repeats the one before");
                self.ledger().warn(WarningId::CursorEmpty, message);
                return Ok(false);
            }
        } else {
            walk.pages.results.push(result);
            let done = enough(&entries);
            walk.pages.entries.extend(entries);
            if done {
                return Ok(false);
            }
        }
        if let Some(cursor) = known {
            let what =
                format!("{method} does not end: the cursor {cursor:?} came again on page {}", walk.seen.len() + 1);
            self.ledger().warn(WarningId::CursorLoop, what.clone());
            return Err(endless(method, what, "does the server, or a proxy, ignore params.cursor?"));
        }
        let Some(cursor) = next else { return Ok(false) };
        if walk.pages.results.len() >= self.max_pages() {
            let what = format!("{method} goes on after the limit of {} pages (--max-pages)", self.max_pages());
            return Err(endless(method, what, "raise --max-pages; if the pages never end, the server is at fault"));
        }
        walk.seen.insert(cursor.clone());
        walk.cursor = Some(cursor);
        Ok(true)
    }

    /// `nextCursor`: absent or null is the end, a string is opaque, also the empty one.
    fn next_cursor(&self, method: &str, result: &RawJson) -> Result<Option<String>, ClientError> {
        match json::member(result, "nextCursor") {
            None => Ok(None),
            Some(raw) if json::is_null(&raw) => Ok(None),
            Some(raw) => match json::string(&raw) {
                Some(cursor) => Ok(Some(cursor)),
                None => Err(violation(method, format!("the nextCursor of {method} is not a string"), &raw)),
            },
        }
    }
}

fn endless(method: &str, message: String, hint: &str) -> ClientError {
    let hint = Some(format!("the list is incomplete; {hint}"));
    let fault = Fault::Violation { reason: Reason::CursorLoop, message, evidence: None, hint };
    ClientError { phase: Phase::of_method(method), fault }
}

/// Whether a page holds the same entries as the one before.
fn same_entries(walk: &Walk, entries: &[RawJson], member: &str) -> bool {
    let last = walk.pages.results.last().and_then(|result| json::member(result, member));
    let last = last.and_then(|raw| json::elements(&raw)).unwrap_or_default();
    last.len() == entries.len() && last.iter().zip(entries).all(|(one, other)| one.get() == other.get())
}
