//! The push parser of event streams: any bytes, cut anywhere, give the same items, within the limit, and those that another
//! parser gives.
#![no_main]

use futures_util::{FutureExt as _, StreamExt as _};
use libfuzzer_sys::fuzz_target;
use mcpcli::wire::sse::{Event, Item, Parser, TooLarge};

/// Larger than any input.
const NO_LIMIT: usize = 1 << 30;
/// Streams of up to so many bytes are cut at every place.
const SHORT: usize = 64;
/// What stands in front of the data in its line is not counted.
const FIELD: usize = "data: ".len();

type Block = (Option<String>, Option<Vec<u8>>, Option<String>);

fuzz_target!(|stream: &[u8]| {
    let whole = parse([stream], NO_LIMIT);
    assert_eq!(whole.failed, None);
    agrees(stream, &whole.items);
    for chunks in cuts(stream) {
        assert_eq!(parse(chunks, NO_LIMIT), whole);
    }
    // A limit that the stream itself chooses.
    let first = stream.first().copied().map_or(0, usize::from);
    for limit in [0, first % 32, stream.len() / 2] {
        let whole = parse([stream], limit);
        for chunks in cuts(stream) {
            let cut = parse(chunks, limit);
            assert_eq!((&cut.items, cut.failed.is_some()), (&whole.items, whole.failed.is_some()), "limit {limit}");
        }
    }
});

/// The ways to cut a stream: each place of a short one, byte by byte, and in lengths that its own bytes give.
fn cuts(stream: &[u8]) -> Vec<Vec<&[u8]>> {
    let mut ways: Vec<Vec<&[u8]>> = vec![stream.chunks(1).collect()];
    if stream.len() <= SHORT {
        ways.extend((0..=stream.len()).map(|at| vec![&stream[..at], &[], &stream[at..]]));
    }
    for offset in [0, 1, stream.len() / 3] {
        let (mut rest, mut chunks) = (stream, Vec::new());
        let mut lengths = stream.iter().cycle().skip(offset);
        while !rest.is_empty() {
            let length = lengths.next().map_or(1, |byte| usize::from(byte % 23)).min(rest.len());
            // A chunk may be empty, but the next one has something in it.
            chunks.extend([&rest[..length], &rest[length..length + (length < rest.len()) as usize]]);
            rest = &rest[length + (length < rest.len()) as usize..];
        }
        ways.push(chunks);
    }
    ways
}

/// All that can be seen of a parser.
#[derive(Debug, PartialEq)]
struct Parsed {
    items: Vec<Item>,
    failed: Option<TooLarge>,
    last_event_id: Option<String>,
}

fn parse<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, limit: usize) -> Parsed {
    let (mut parser, mut items) = (Parser::new(limit), Vec::new());
    let mut failed = None;
    for chunk in chunks {
        let pushed = parser.push(chunk, &mut items);
        if let Some(failed) = failed {
            assert_eq!(pushed, Err(failed), "a parser that failed says so again");
        }
        failed = pushed.err();
        let held = parser.pending().map_or(0, |pending| pending.bytes);
        assert!(held <= bound(limit), "{held} bytes are held, the limit is {limit}");
        assert!(parser.pending().is_none_or(|pending| pending.text.len() <= 3 * 4096));
    }
    let last_event_id = parser.last_event_id().map(str::to_owned);
    parser.finish(&mut items);
    assert_eq!(parser.pending(), None);
    for item in &items {
        if let Item::Event(event) | Item::Unterminated(event) = item {
            let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
            let size = event.data.len() + text(&event.name) + text(&event.id);
            assert!(size <= bound(limit), "an event of {size} bytes, the limit is {limit}");
            assert!(event.data.len() <= limit.saturating_add(FIELD), "the limit is {limit}: {event:?}");
        }
    }
    Parsed { items, failed, last_event_id }
}

/// How much of one event may be held: a byte of a name or an id that is not UTF-8 becomes three.
fn bound(limit: usize) -> usize {
    limit.saturating_add(FIELD).saturating_mul(3)
}

/// Holds the items to those of the other parser. That one stops at the first value that is not UTF-8.
fn agrees(stream: &[u8], items: &[Item]) {
    let mut ours = items.iter().filter_map(|item| match item {
        Item::Event(event) => Some(block(event)),
        _ => None,
    });
    let mut retries = items.iter().filter_map(|item| match item {
        Item::Retry(milliseconds) => Some(*milliseconds),
        _ => None,
    });
    let chunk: Result<bytes::Bytes, std::io::Error> = Ok(bytes::Bytes::copy_from_slice(stream));
    let blocks = sse_stream::SseByteStream::new(futures_util::stream::iter([chunk])).collect::<Vec<_>>();
    for other in blocks.now_or_never().expect("all of the stream is there") {
        let Ok(other) = other else { return };
        // Of several in one block the last one counts there.
        if let Some(retry) = other.retry {
            assert!(retries.any(|ours| ours == retry), "no retry of {retry}");
        }
        let other = (other.event.filter(|name| !name.is_empty()), other.data.map(String::into_bytes), other.id);
        if other != (None, None, None) {
            assert_eq!(ours.next(), Some(other));
        }
    }
    assert_eq!(ours.next(), None);
}

fn block(event: &Event) -> Block {
    (event.name.clone(), event.had_data.then(|| event.data.clone()), event.id.clone())
}
