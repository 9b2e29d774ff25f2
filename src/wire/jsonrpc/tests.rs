//! What each kind of bytes is, and that nothing panics.

use proptest::prelude::*;

use super::*;
use crate::outcome::Reason;

fn message(text: &str) -> (Message, Vec<&'static str>) {
    let classified = classify(text.as_bytes());
    match classified.kind {
        Kind::Message(message) => (message, classified.notices.iter().map(|notice| notice.id.id()).collect()),
        other => panic!("{text}: {other:?}"),
    }
}

fn defect(bytes: impl AsRef<[u8]>) -> Defect {
    match classify(bytes.as_ref()).kind {
        Kind::Invalid(defect) => defect,
        other => panic!("{}: {other:?}", String::from_utf8_lossy(bytes.as_ref())),
    }
}

#[test]
fn ids_are_echoed_and_read_leniently() {
    for (text, is_one, lenient) in [
        ("1", true, Some(1)),
        ("\"1\"", false, Some(1)),
        ("1.0", false, Some(1)),
        ("\"1.0\"", false, Some(1)),
        ("1e0", false, Some(1)),
        ("01", false, Some(1)),
        ("1.5", false, None),
        ("-1", false, None),
        ("\"\"", false, None),
        ("\"+1\"", false, Some(1)),
        ("\"p1\"", false, None),
        ("1e999", false, None),
        ("18446744073709551615", false, Some(u64::MAX)),
        ("18446744073709551616", false, None),
    ] {
        let id = Id::from_text(text);
        assert_eq!((id.is(1), id.lenient(), id.as_json()), (is_one, lenient, text), "{text}");
    }
    assert!(Id::number(1).is(1) && Id::number(7).as_json() == "7");
}

#[test]
fn well_formed_messages() {
    let (found, notices) = message(r#" {"id" : "p1","params":{"x":1e400},"jsonrpc":"2.0","method":"pi\u006eg"} "#);
    assert!(notices.is_empty());
    let Message::Request { id, method, params } = found else { panic!("{found:?}") };
    assert_eq!((id.as_json(), &*method, params.unwrap().get()), ("\"p1\"", "ping", r#"{"x":1e400}"#));

    let (found, notices) = message(r#"{"jsonrpc":"2.0","method":"notifications/x","params":null}"#);
    assert!(matches!(found, Message::Notification { params: None, .. }) && notices.is_empty());

    let text =
        r#"{"jsonrpc":"2.0","id":1,"result":{"z":123456789012345678901234567890,"a":"\ud800","d":1.10, "e":1E2}}"#;
    let (found, notices) = message(text);
    let Message::Response { id, result } = found else { panic!("{found:?}") };
    assert!(id.is(1) && text.contains(result.get()) && result.get().contains("\\ud800") && notices.is_empty());

    let (found, notices) =
        message(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x","data":null},"extra":1}"#);
    let Message::Error { id: None, error } = found else { panic!("{found:?}") };
    assert_eq!((&*error.code, error.integer_code(), &*error.message), ("-32700", Some(-32700), "x"));
    assert!(error.data.is_some_and(|data| data.get() == "null") && notices.is_empty());
    assert!(matches!(
        message(r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"m"}}"#).0,
        Message::Error { id: None, .. }
    ));
}

#[test]
fn deviations_that_leave_the_meaning_clear() {
    for (text, notices) in [
        (r#"{"id":1,"result":{}}"#, &["jsonrpc-version"][..]),
        (r#"{"jsonrpc":2.0,"id":1,"result":{}}"#, &["jsonrpc-version"]),
        (r#"{"jsonrpc":"1.0","id":1,"result":{}}"#, &["jsonrpc-version"]),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, &["envelope"]),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null,"method":null}"#, &["envelope", "envelope"]),
        (r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":""}}"#, &["envelope"]),
        (r#"{"jsonrpc":"2.0","id":1,"result":null,"error":null}"#, &["envelope"]),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","result":null}"#, &["envelope"]),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"E_X","message":"m"}}"#, &["error-code"]),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"m"}}"#, &["error-code"]),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1}}"#, &["envelope"]),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"message":7}}"#, &["error-code", "envelope"]),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"a":{"b":1,"b":2}}}"#, &["duplicate-key"]),
        ("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\n", &[]),
    ] {
        assert_eq!(message(text).1, notices, "{text}");
    }
    let (found, _) = message(r#"{"jsonrpc":"2.0","id":1,"error":{"code":"E_X","message":"m"}}"#);
    assert!(matches!(found, Message::Error { error: ErrorObject { code, .. }, .. } if code == "\"E_X\""));
    let (found, _) = message(r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":""}}"#);
    assert!(matches!(found, Message::Error { .. }));
    let notices = classify(br#"{"jsonrpc":"2.0","id":1,"result":{"a":{"b":1,"b":2}}}"#).notices;
    assert!(notices[0].message.contains("/result/a/b"), "{notices:?}");
}

#[test]
fn json_that_is_no_message() {
    for (text, why, id) in [
        (r#"{"jsonrpc":"2.0","id":1,"id":1,"result":{}}"#, "duplicate member \"id\"", None),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"r\u0065sult":{}}"#, "duplicate member \"result\"", None),
        (r#"{"jsonrpc":"2.0","id":1,"error":{},"error":{}}"#, "duplicate member \"error\"", None),
        (r#"{"method":"a","method":"b"}"#, "duplicate member \"method\"", None),
        (r#"{"jsonrpc":"2.0","jsonrpc":"2.0","method":"b"}"#, "duplicate member \"jsonrpc\"", None),
        (r#"{"id":1,"result":{},"error":{"code":1,"message":"m"}}"#, "both a result and an error", Some(1)),
        (r#"{"id":1,"method":"m","result":{}}"#, "both a method and", None),
        (
            r#"{"id":1,"error":"invalid_token"}"#,
            "the error is a string instead of an object: \"invalid_token\"",
            Some(1),
        ),
        (r#"{"id":null,"result":{}}"#, "a result with a null id", None),
        (r#"{"result":{}}"#, "a result without an id", None),
        (r#"{"id":null,"method":"ping"}"#, "a request with a null id (method \"ping\")", None),
        (r#"{"id":[1],"result":{}}"#, "the id is an array", None),
        (r#"{"id":{},"method":"m"}"#, "the id is an object", None),
        (r#"{"id":true,"error":{"code":1,"message":"m"}}"#, "the id is a boolean", None),
        (r#"{"id":1,"method":7}"#, "the method is a number", None),
        (r#"{"jsonrpc":"2.0","id":"3"}"#, "without method, result or error: its members are id", Some(3)),
        (r#"{"id":4,"error":null}"#, "the error is null", Some(4)),
        ("{}", "has no members", None),
        (r#"{"level":"info","msg":"x"}"#, "a log line", None),
        (r#"{"protocolVersion":"2025-06-18","capabilities":{}}"#, "result of initialize", None),
        (r#"{"tools":[]}"#, "result of a list", None),
        (r#"{"content":[]}"#, "bare result", None),
        (r#"{"code":1,"message":""}"#, "bare error object", None),
        (r#"{"detail":"Not Found"}"#, "web framework", None),
        (r#"{"foo":1,"bar":2}"#, "its members are foo, bar", None),
    ] {
        let found = defect(text);
        assert_eq!(found.reason(), Reason::NotJsonRpc);
        assert!(found.to_string().contains(why), "{text}: {found}");
        assert_eq!(found.scraped_id(), id, "{text}");
    }
    for (text, kind) in [("null", "null"), ("7", "a number"), (" \"hi\"", "a string"), ("true\n", "a boolean")] {
        let found = defect(text);
        assert!(matches!(&found, Defect::NotObject { kind: found, .. } if *found == kind), "{text}: {found:?}");
        assert_eq!(found.evidence().unwrap().text, text.trim());
    }
}

#[test]
fn batches() {
    let text = r#"[{"jsonrpc":"2.0","method":"n"}, 7, {"jsonrpc":"2.0","id":1,"result":{}}, [], {"id":2}]"#;
    let Kind::Batch(elements) = classify(text.as_bytes()).kind else { panic!() };
    assert!(matches!(
        elements.as_slice(),
        [
            Ok(Message::Notification { .. }),
            Err(Defect::NotObject { kind: "a number", .. }),
            Ok(Message::Response { .. }),
            Err(Defect::NotObject { kind: "an array", .. }),
            Err(Defect::NotJsonRpc { id: Some(2), .. }),
        ]
    ));
    assert_eq!(defect("[ ]"), Defect::EmptyBatch);
    assert_eq!(Defect::EmptyBatch.reason(), Reason::NotJsonRpc);
    let huge = format!("[{}0]", "0,".repeat(MAX_BATCH));
    assert!(defect(huge).to_string().contains("an array of 10001 elements"));
}

#[test]
fn broken_json_says_where() {
    let Defect::NotJson { line, column, offset, excerpt, detail, id } =
        defect("{\"jsonrpc\":\"2.0\",\n \"id\":1,\"result\":{\"é\":[}}")
    else {
        panic!()
    };
    assert_eq!((line, column, offset, id), (2, 24, 42, Some(1)));
    assert_eq!(detail, "expected value");
    assert_eq!(excerpt, "…\"jsonrpc\":\"2.0\",\n \"id\":1,\"result\":{\"é\":[}}");
    assert_eq!(excerpt.chars().filter(|c| *c != '…').count(), 42);

    let Defect::NotJson { offset, excerpt, .. } = defect("<html><body>502 Bad Gateway, and so on, and so on") else {
        panic!()
    };
    assert_eq!((offset, &*excerpt), (0, "<html><body>502 Bad Gateway, and so on, …"));
    assert_eq!(defect("").reason(), Reason::NotJson);
    assert_eq!(defect(" \r\n"), Defect::Empty);
    assert!(defect("\u{feff}").to_string().starts_with("empty"));
    assert!(defect("{}{}").to_string().contains("trailing characters at line 1, column 3 (byte 2)"));
    assert!(defect("{\"a\":\"x\ny\"}").to_string().contains("control character"));
}

#[test]
fn ids_are_scraped_from_broken_text() {
    for (text, id) in [
        (r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[}}"#, Some(1)),
        (r#"{"jsonrpc":"2.0","result":{"tools":[{"id":9}},"id":"2"}"#, Some(2)),
        (r#"{"jsonrpc":"2.0","id" : 3,"result":{"text":"cut of"#, Some(3)),
        (r#"{"jsonrpc":"2.0","result":{"id":5,"text":"cut of"#, None),
        (r#"{"jsonrpc":"2.0","method":"roots/list","id":4,}"#, None),
        (r#"{"jsonrpc":"2.0","id":"abc","result":}"#, None),
        (r#"{"jsonrpc":"2.0","id":{"x":1},"result":}"#, None),
        ("id: 7", None),
    ] {
        assert_eq!(defect(text).scraped_id(), id, "{text}");
    }
}

#[test]
fn nesting_has_a_limit_and_needs_no_stack() {
    let work = || {
        let nested = |levels: usize| {
            let levels = levels - 1;
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}{}}}"#, "[".repeat(levels), "]".repeat(levels))
        };
        for levels in [100, 500, 9_000, MAX_DEPTH] {
            assert!(matches!(message(&nested(levels)).0, Message::Response { .. }), "{levels}");
        }
        for levels in [MAX_DEPTH + 1, 100_000] {
            assert_eq!(defect(nested(levels)), Defect::TooDeep { limit: MAX_DEPTH, id: Some(1) });
        }
        assert_eq!(defect(nested(100_000)).reason(), Reason::TooDeep);
        assert_eq!(defect("[".repeat(100_000)).reason(), Reason::NotJson);
        let objects = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
        assert_eq!(defect(&objects).reason(), Reason::TooDeep);
        assert_eq!(defect(format!("[{objects}]")).reason(), Reason::TooDeep);
    };
    std::thread::Builder::new().stack_size(128 * 1024).spawn(work).unwrap().join().unwrap();
}

#[test]
fn bytes_that_are_not_utf8() {
    let found = classify(b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"t\":\"a\x97b\xE5\xA5\"}}");
    let Kind::Message(Message::Response { result, .. }) = &found.kind else { panic!("{found:?}") };
    assert_eq!(result.get(), "{\"t\":\"a\u{fffd}b\u{fffd}\"}");
    assert_eq!(found.notices.len(), 1);
    assert_eq!(found.notices[0].message, "bytes that are not UTF-8: 97 at byte 43, and 1 more");

    let text = r#"{"jsonrpc":"2.0"}"#;
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = [0xFE, 0xFF].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect();
    for (bytes, looks_like, hex) in [
        (little, "UTF-16", "7b 00 22 00 6a"),
        (big, "UTF-16", "fe ff 00 7b 00"),
        (vec![0x1F, 0x8B, 8, 0], "gzip", "1f 8b 08 00"),
        (b"\xB4\xED\xCE\xF3".to_vec(), "another encoding", "b4 ed ce f3"),
        (b"{\"id\":1,\"result\":\x97}".to_vec(), "outside a string", "… 72 65 73 75 6c 74 22 3a 97 7d"),
    ] {
        let found = defect(bytes);
        assert_eq!(found.reason(), Reason::NotJson);
        assert!(found.to_string().contains(looks_like), "{found}");
        let evidence = found.evidence().unwrap().text;
        assert!(evidence.contains(hex), "{evidence}");
    }
    // A bad byte that is not to blame.
    assert!(matches!(defect(b"{\"a\":\"\x97\",}"), Defect::NotJson { .. }));
}

#[test]
fn a_message_behind_noise() {
    let sent = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    for noise in ["Server ready ", "{\"level\":\"info\"}", "{x} {\"a\" ", "12:00 é "] {
        let line = format!("{noise}{sent}");
        let (at, found, notices) = behind_noise(&line).unwrap();
        assert_eq!((at, found.id().unwrap().as_json(), notices.len()), (noise.len(), "1", 0), "{line}");
    }
    assert!(behind_noise(sent).is_none(), "nothing stands in front of it");
    assert!(behind_noise(r#"x {"id":1,"result":{}}"#).is_none(), "not sure enough");
    assert!(behind_noise(&"{\"".repeat(100_000)).is_none());
}

#[test]
fn what_we_send() {
    assert_eq!(
        request(1, "tools/call", Some(r#"{"n":1.10}"#)),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"n":1.10}}"#
    );
    assert_eq!(request(2, "a\"b", None), r#"{"jsonrpc":"2.0","id":2,"method":"a\"b"}"#);
    assert_eq!(notification("n", Some("[]")), r#"{"jsonrpc":"2.0","method":"n","params":[]}"#);
    let id = Id::from_text("\"p\\u0031\"");
    assert_eq!(response(&id, "{}"), r#"{"jsonrpc":"2.0","id":"p\u0031","result":{}}"#);
    assert_eq!(error(&id, -32601, "no"), r#"{"jsonrpc":"2.0","id":"p\u0031","error":{"code":-32601,"message":"no"}}"#);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_bytes_are_classified(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let found = classify(&bytes);
        prop_assert!(!matches!(found.kind, Kind::Invalid(ref defect) if defect.to_string().is_empty()));
        let _ = behind_noise(&found.text);
    }

    #[test]
    fn mutated_messages_are_classified(
        which in 0_usize..4,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..3), 0..4),
    ) {
        let mut bytes = [
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"好🙂\\ud83d\\ude42\"}]}}",
            "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32000,\"message\":\"m\",\"data\":{\"k\":1e400}}}",
            "[{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":2},{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}]",
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":null,\"result\":null,\"error\":null}\n",
        ][which].as_bytes().to_vec();
        for (at, byte, how) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => bytes.truncate(at),
            }
        }
        let found = classify(&bytes);
        let same = classify_vec(bytes.clone());
        prop_assert_eq!(format!("{found:?}"), format!("{same:?}"));
        if let Kind::Invalid(Defect::NotJson { offset, excerpt, .. }) = &found.kind {
            prop_assert!(*offset <= found.text.len());
            prop_assert!(excerpt.chars().count() <= 82);
        }
        // What is accepted as one message is valid JSON for another reader, too, up to what that one refuses.
        if let Kind::Message(_) = found.kind {
            prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(&found.text).is_ok());
        }
    }
}
