//! The body of an answer as an event stream: items as they come, and how it ended.

use std::collections::VecDeque;

use super::super::StreamEnd;
use super::{Answer, excerpt};
use crate::wire::sse::{Item, Parser, TooLarge};

/// How much of an unfinished event is kept as evidence.
const UNFINISHED: usize = 200;

/// What comes next.
pub enum Step {
    /// An item of the stream.
    Item(Item),
    /// Bytes came that complete no item.
    Progress,
    /// Nothing more: how it ended, and the chain of causes. The same again at every later call.
    End {
        /// How.
        end: StreamEnd,
        /// Why, outermost first.
        causes: Vec<String>,
    },
    /// An event is larger than the limit.
    TooLarge(TooLarge),
}

/// One connection's event stream.
pub struct EventStream {
    answer: Answer,
    parser: Parser,
    items: VecDeque<Item>,
    over: Option<Over>,
    /// The event that was pending when the stream ended.
    left: Option<(usize, String)>,
}

enum Over {
    Ended(StreamEnd, Vec<String>),
    TooLarge(TooLarge),
}

impl EventStream {
    /// Reads the body of `answer` with at most `limit` bytes an event.
    pub fn new(answer: Answer, limit: usize) -> EventStream {
        EventStream { answer, parser: Parser::new(limit), items: VecDeque::new(), over: None, left: None }
    }

    /// The answer's status.
    pub fn status(&self) -> u16 {
        self.answer.status()
    }

    /// Bytes that have come.
    pub fn received(&self) -> u64 {
        self.answer.received()
    }

    /// The event that has begun and not ended: its size so far, and the beginning of its text.
    pub fn pending(&self) -> Option<(usize, String)> {
        if self.over.is_some() {
            return self.left.clone();
        }
        self.parser.pending().map(|pending| (pending.bytes, excerpt(pending.text.as_bytes(), UNFINISHED)))
    }

    /// The next item, or how the stream ended. May be dropped and called again.
    pub async fn next(&mut self) -> Step {
        loop {
            if let Some(item) = self.items.pop_front() {
                return Step::Item(item);
            }
            match &self.over {
                Some(Over::Ended(end, causes)) => return Step::End { end: end.clone(), causes: causes.clone() },
                Some(Over::TooLarge(too_large)) => return Step::TooLarge(*too_large),
                None => {}
            }
            let mut items = Vec::new();
            let over = match self.answer.chunk().await {
                Ok(Some(chunk)) => self.parser.push(&chunk, &mut items).err().map(Over::TooLarge),
                Ok(None) => Some(Over::Ended(StreamEnd::Clean, Vec::new())),
                Err((end, causes)) => Some(Over::Ended(end, causes)),
            };
            if let Some(Over::Ended(..)) = over {
                self.left = self.pending();
                self.parser.finish(&mut items);
            }
            self.over = over;
            self.items.extend(items);
            if self.items.is_empty() && self.over.is_none() {
                return Step::Progress;
            }
        }
    }

    /// Reads to the end and keeps nothing, so that the connection can be used again.
    pub async fn run_out(mut self) {
        while let Ok(Some(_)) = self.answer.chunk().await {}
    }
}
