//! The rules of the standard one by one; every split of a stream; another parser as oracle.

use futures_util::StreamExt as _;
use proptest::prelude::*;

use super::*;

const LIMIT: usize = 1 << 20;

/// Feeds `stream` in chunks of `size` bytes, without the end of the stream.
fn parse_by(stream: &[u8], size: usize) -> (Vec<Item>, Parser) {
    let (mut parser, mut out) = (Parser::new(LIMIT), Vec::new());
    for chunk in stream.chunks(size.max(1)) {
        parser.push(chunk, &mut out).unwrap();
    }
    (out, parser)
}

/// The items of a stream, which must not depend on where it is cut.
fn parse(stream: impl AsRef<[u8]>) -> Vec<Item> {
    let stream = stream.as_ref();
    let whole = parse_by(stream, stream.len()).0;
    for cut in 0..=stream.len() {
        let (mut parser, mut out) = (Parser::new(LIMIT), Vec::new());
        parser.push(&stream[..cut], &mut out).unwrap();
        parser.push(&[], &mut out).unwrap();
        parser.push(&stream[cut..], &mut out).unwrap();
        assert_eq!(out, whole, "cut at {cut}");
    }
    assert_eq!(parse_by(stream, 1).0, whole);
    whole
}

fn event(data: &str) -> Event {
    Event { data: data.as_bytes().to_vec(), had_data: true, ..Event::default() }
}

#[test]
fn line_ends() {
    for end in ["\n", "\r", "\r\n"] {
        let stream = ["event: a", "data: 1", "data:2", "", "data: 3", "", "", ""].join(end);
        let expected = [Item::Event(Event { name: Some("a".to_owned()), ..event("1\n2") }), Item::Event(event("3"))];
        assert_eq!(parse(&stream), expected, "{end:?}");
    }
    // Mixed: each is one end of a line.
    assert_eq!(parse("data: 1\r\ndata: 2\n\rdata: 3\r\r"), [Item::Event(event("1\n2")), Item::Event(event("3"))]);
}

#[test]
fn an_event_is_given_as_soon_as_its_blank_line_began() {
    for stream in ["data: x\r\r", "data: x\r\n\r", "data: x\n\r", "data: x\n\n"] {
        assert_eq!(parse(stream), [Item::Event(event("x"))], "{stream:?}");
    }
}

#[test]
fn values_lose_one_blank() {
    for (line, data) in
        [("data:x", "x"), ("data: x", "x"), ("data:  x", " x"), ("data:\tx", "\tx"), ("data: a:b ", "a:b ")]
    {
        assert_eq!(parse(format!("{line}\n\n")), [Item::Event(event(data))], "{line:?}");
    }
    assert_eq!(parse("data\n\n"), [Item::Event(event(""))]);
    assert_eq!(parse("data\ndata\n\n"), [Item::Event(event("\n"))]);
}

#[test]
fn a_byte_order_mark_is_ignored_once() {
    let mark = Item::Notice(Notice::ByteOrderMark);
    assert_eq!(parse("\u{feff}data: x\n\n"), [mark.clone(), Item::Event(event("x"))]);
    let twice = parse("\u{feff}\u{feff}data: x\n\n");
    assert_eq!(twice, [mark, Item::Notice(Notice::UnknownField("\u{feff}data: x".to_owned()))]);
    assert_eq!(
        parse(b"\xEF\xBBdata: x\ndata: y\n\n"),
        [Item::Notice(Notice::UnknownField("\u{fffd}data: x".to_owned())), Item::Event(event("y"))]
    );
    assert_eq!(parse("data: \u{feff}\n\n"), [Item::Event(event("\u{feff}"))]);
}

#[test]
fn comments_are_shown() {
    let found = parse(": ping\n:\n:x\ndata: 1\n: in between\ndata: 2\n\n");
    let comment = |text: &str| Item::Comment(text.to_owned());
    assert_eq!(found, [comment("ping"), comment(""), comment("x"), comment("in between"), Item::Event(event("1\n2"))]);
}

#[test]
fn ids() {
    let stream = "id: 7\n\nid: 8\ndata: \n\ndata: x\n\nid: a\0b\ndata: y\n\n";
    let found = parse(stream);
    let id = |id: &str| Some(id.to_owned());
    assert_eq!(
        found,
        [
            Item::Event(Event { id: id("7"), ..Event::default() }),
            Item::Event(Event { id: id("8"), ..event("") }),
            Item::Event(event("x")),
            Item::Notice(Notice::IdWithNul),
            Item::Event(event("y")),
        ]
    );
    let has_content: Vec<_> = found
        .iter()
        .filter_map(|item| match item {
            Item::Event(event) => Some(event.has_content()),
            _ => None,
        })
        .collect();
    assert_eq!(has_content, [false, false, true, true]);
    assert_eq!(parse_by(stream.as_bytes(), 3).1.last_event_id(), Some("8"));
    // The id counts once its block has ended, and an empty one resets it.
    assert_eq!(parse_by(b"id: 1\n\nid: 2\n", 99).1.last_event_id(), Some("1"));
    assert_eq!(parse_by(b"id: 1\n\nid\n\n", 99).1.last_event_id(), Some(""));
    assert_eq!(parse_by(b"data: x\n\n", 99).1.last_event_id(), None);
}

#[test]
fn names() {
    let named = |name: &str, data: &str| Event { name: Some(name.to_owned()), ..event(data) };
    assert_eq!(
        parse("event: endpoint\ndata: /m\n\nevent:\ndata: x\n\nevent: a\nevent: b\ndata: y\n\ndata: z\n\n"),
        [
            Item::Event(named("endpoint", "/m")),
            Item::Event(event("x")),
            Item::Event(named("b", "y")),
            Item::Event(event("z"))
        ]
    );
    assert_eq!((named("a", "").kind(), event("").kind()), ("a", "message"));
    let found = parse("event: ping\n\n");
    assert!(matches!(&found[..], [Item::Event(event)] if !event.had_data && !event.has_content()), "{found:?}");
}

#[test]
fn retry_takes_digits_only() {
    assert_eq!(parse("retry: 1500\n\n"), [Item::Retry(1500)]);
    assert_eq!(parse("retry:0\ndata: x\n\n"), [Item::Retry(0), Item::Event(event("x"))]);
    for value in ["+5", "-5", "5 ", "1.5", "", "5s", "99999999999999999999", "٣"] {
        let found = parse(format!("retry: {value}\n\n"));
        assert_eq!(found, [Item::Notice(Notice::BadRetry(value.to_owned()))], "{value:?}");
    }
}

#[test]
fn lines_that_are_no_fields() {
    let line = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert_eq!(parse(format!("{line}\n\n")), [Item::Notice(Notice::UnknownField(line.to_owned()))]);
    for line in ["Data: x", " data: x", "data : x", "datax", "foo"] {
        assert_eq!(parse(format!("{line}\n\n")), [Item::Notice(Notice::UnknownField(line.to_owned()))]);
    }
    let Item::Notice(notice) = &parse(format!("{}\n", "é".repeat(500)))[0] else { panic!() };
    assert!(notice.to_string().ends_with('…') && notice.to_string().len() < 250, "{notice}");
}

#[test]
fn bytes_that_are_not_utf8() {
    let found = parse(b"event: a\xFF\nid: \xE5\xA5\n:\x97\ndata: a\x97b\n\n");
    let not_utf8 = |field| Item::Notice(Notice::NotUtf8(field));
    let last = Event {
        name: Some("a\u{fffd}".to_owned()),
        id: Some("\u{fffd}".to_owned()),
        data: b"a\x97b".to_vec(),
        had_data: true,
    };
    let comment = Item::Comment("\u{fffd}".to_owned());
    assert_eq!(found, [not_utf8("event field"), not_utf8("id field"), not_utf8("comment"), comment, Item::Event(last)]);
    assert_eq!(parse("data: 好🙂\n\n"), [Item::Event(event("好🙂"))]);
}

#[test]
fn the_end_of_the_stream() {
    for (stream, last) in [
        ("data: x\n", Some(event("x"))),
        ("data: x", Some(event("x"))),
        ("data: x\n\ndata: {\"a\":", Some(event("{\"a\":"))),
        ("id: 5\ndata: x\nid: 6", Some(Event { id: Some("5".to_owned()), ..event("x") })),
        ("data: x\nretry: 15", Some(event("x"))),
        ("data", Some(event(""))),
        ("data: x\n\n", None),
        ("data: x\n\r", None),
        ("id: 7\n", None),
        ("event: a\nda", None),
        (": data", None),
        ("", None),
    ] {
        let (_, mut parser) = parse_by(stream.as_bytes(), 4);
        let mut out = Vec::new();
        parser.finish(&mut out);
        assert_eq!(out, last.into_iter().map(Item::Unterminated).collect::<Vec<_>>(), "{stream:?}");
        assert_eq!(parser.pending(), None);
    }
    let (_, mut parser) = parse_by(b"id: 1\n\nid: 2\ndata: x\n", 4);
    parser.finish(&mut Vec::new());
    assert_eq!(parser.last_event_id(), Some("1"), "an unfinished block does not count");
}

#[test]
fn what_is_pending() {
    for (stream, pending) in [
        ("data: x\n", Some((1, "x"))),
        ("data: {\"id\":1}\ndata: y\nda", Some((12, "{\"id\":1}\ny\nda"))),
        ("data: cut of", Some((12, "data: cut of"))),
        ("event: a\n", Some((1, ""))),
        ("data\n", Some((0, ""))),
        ("data: x\n\n", None),
        ("data: x\r\n\r", None),
        (": comment", None),
        ("", None),
    ] {
        let found = parse_by(stream.as_bytes(), 5).1.pending();
        assert_eq!(found.as_ref().map(|p| (p.bytes, &*p.text)), pending, "{stream:?}");
    }
}

#[test]
fn one_event_has_a_limit() {
    let mut out = Vec::new();
    let mut parser = Parser::new(20);
    let first = parser.push(b"data: 123456789012345678901", &mut out).unwrap_err();
    assert_eq!((first, out.len()), (TooLarge { limit: 20, seen: 27 }, 0));
    assert_eq!(parser.push(b"\n\n", &mut out), Err(first));
    assert_eq!(parser.pending(), None);

    // Many lines count together, events do not.
    let mut parser = Parser::new(20);
    for _ in 0..100 {
        parser.push(b"data: 12345678901234567890\n\n", &mut out).unwrap();
    }
    assert_eq!(out.len(), 100);
    parser.push(b"data: 1234\ndata: 1234\n", &mut out).unwrap();
    assert_eq!(parser.push(b"data: 123456789012\n", &mut out), Err(TooLarge { limit: 20, seen: 27 }));

    for endless in ["data: x\n", "data\n", "event: 123456789", "foo"] {
        let (mut parser, mut pushed) = (Parser::new(100), 0);
        while parser.push(endless.as_bytes(), &mut out).is_ok() {
            pushed += 1;
            out.clear();
            assert!(pushed < 1000, "{endless:?} never ends");
        }
    }
}

#[test]
fn an_endless_comment_takes_no_memory() {
    let (mut parser, mut out) = (Parser::new(100), Vec::new());
    parser.push(b": ", &mut out).unwrap();
    for _ in 0..1000 {
        parser.push(&[b'x'; 10_000], &mut out).unwrap();
    }
    assert!(out.is_empty() && parser.pending().is_none() && parser.lines.held() <= 2 * COMMENT_KEPT);
    parser.push(b"\ndata: y\n\n", &mut out).unwrap();
    let [Item::Comment(comment), Item::Event(last)] = &out[..] else { panic!("{out:?}") };
    assert!(comment.ends_with("x… (9995905 more bytes)"), "{}", &comment[comment.len() - 40..]);
    assert_eq!(last, &event("y"));
}

#[test]
fn a_large_event_in_small_chunks_takes_linear_time() {
    let (mut parser, mut out) = (Parser::new(64 << 20), Vec::new());
    parser.push(b"data: ", &mut out).unwrap();
    let start = std::time::Instant::now();
    for _ in 0..40_000 {
        parser.push(&[b'x'; 100], &mut out).unwrap();
    }
    parser.push(b"\n\n", &mut out).unwrap();
    // Looking at all of the line again for each chunk would be 80 GB of work.
    assert!(start.elapsed() < std::time::Duration::from_secs(10));
    assert!(matches!(&out[..], [Item::Event(event)] if event.data.len() == 4_000_000));
}

/// What the other parser makes of a stream: blocks with `event`, `data`, `id`; a retry is part of its block.
fn oracle(stream: &[u8]) -> Vec<(Option<String>, Option<String>, Option<String>)> {
    let chunk: Result<bytes::Bytes, std::io::Error> = Ok(bytes::Bytes::copy_from_slice(stream));
    let blocks = sse_stream::SseByteStream::new(futures_util::stream::iter([chunk])).collect::<Vec<_>>();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let blocks = runtime.block_on(blocks).into_iter().map(|block| block.expect("the streams are UTF-8"));
    blocks
        .map(|block| (block.event.filter(|name| !name.is_empty()), block.data, block.id))
        .filter(|block| *block != (None, None, None))
        .collect()
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => "(data|id|event|retry)(: ?[a-z0-9é{}\":]{0,6})?",
        1 => "retry: ?[0-9]{1,4}",
        1 => ": ?[a-zé]{0,4}",
        1 => "[a-z :é]{0,6}",
        3 => Just(String::new()),
    ];
    let end = prop_oneof![Just("\n"), Just("\r"), Just("\r\n")];
    let lines = prop::collection::vec((line, end), 0..12);
    (any::<bool>(), lines).prop_map(|(mark, lines)| {
        let text: String = lines.into_iter().map(|(line, end)| line + end).collect();
        if mark { format!("\u{feff}{text}").into_bytes() } else { text.into_bytes() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn the_split_does_not_matter_and_the_oracle_agrees(stream in stream(), size in 1_usize..9) {
        let items = parse(&stream);
        prop_assert_eq!(&parse_by(&stream, size).0, &items);
        let ours: Vec<_> = items
            .into_iter()
            .filter_map(|item| match item {
                Item::Event(event) => {
                    let data = event.had_data.then(|| String::from_utf8(event.data).unwrap());
                    Some((event.name, data, event.id))
                }
                _ => None,
            })
            .collect();
        prop_assert_eq!(ours, oracle(&stream));
    }

    #[test]
    fn any_bytes_are_parsed(stream in prop::collection::vec(any::<u8>(), 0..80), size in 1_usize..9) {
        let items = parse(&stream);
        prop_assert_eq!(parse_by(&stream, size).0, items);
    }
}
