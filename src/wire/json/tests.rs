//! Each helper by its rule, and the printers by property.

use std::time::Duration;

use proptest::prelude::*;

use super::*;

fn raw(text: &str) -> RawJson {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// Runs `work` on a stack that recursion over the nesting of a value would overflow.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(128 * 1024).spawn(work).unwrap().join().unwrap();
}

#[test]
fn kinds() {
    for (text, expected) in [
        ("null", "null"),
        ("true", "boolean"),
        ("-1e400", "number"),
        ("\"x\"", "string"),
        ("[ ]", "array"),
        (" {} ", "object"),
    ] {
        assert_eq!(kind(&raw(text)).name(), expected, "{text}");
    }
    assert_eq!((boolean(&raw("false")), boolean(&raw("\"true\""))), (Some(false), None));
}

#[test]
fn members_keep_order_numbers_and_duplicates() {
    let object = raw(r#"{"z":123456789012345678901234567890, "a":1e400,"e":1E2,"\u0061":1.10,"h\ud800":"\ud800"}"#);
    let found: Vec<_> = members(&object).unwrap().into_iter().map(|(k, v)| format!("{k}={}", v.get())).collect();
    assert_eq!(found, ["z=123456789012345678901234567890", "a=1e400", "e=1E2", "a=1.10", "h\u{fffd}=\"\\ud800\""]);
    assert_eq!(member(&object, "a").unwrap().get(), "1.10", "the last duplicate wins");
    assert!(member(&object, "b").is_none());
    assert!(members(&raw("[1]")).is_none() && elements(&raw("{}")).is_none() && member(&raw("1"), "a").is_none());
    assert_eq!(elements(&raw("[1.0, [2]]")).unwrap()[1].get(), "[2]");
}

#[test]
fn strings_survive_half_surrogates() {
    for (literal, expected) in [
        (r#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{c}\n\r\t"),
        (r#""\u597d\uD83D\ude42""#, "好🙂"),
        (r#""\ud800""#, "\u{fffd}"),
        (r#""\ud800\ud83d\ude42!""#, "\u{fffd}🙂!"),
        (r#""\udc00x""#, "\u{fffd}x"),
        (r#""\ud800\u0041""#, "\u{fffd}A"),
    ] {
        assert_eq!(string(&raw(literal)).unwrap(), expected, "{literal}");
    }
    assert_eq!(string(&raw("12")), None);
    assert_eq!(quote("a\"\n\u{1b}é"), "\"a\\\"\\n\\u001bé\"");
}

#[test]
fn pointers_follow_rfc_6901() {
    let document = raw(r#"{"a/b":{"m~n":[10,20,{"":1.50}]},"":0}"#);
    for (path, expected) in [
        ("/a~1b/m~0n/1", Some("20")),
        ("/a~1b/m~0n/2/", Some("1.50")),
        ("/", Some("0")),
        ("", Some(document.get())),
        ("/a~1b/m~0n/01", None),
        ("/a~1b/m~0n/+1", None),
        ("/a~1b/m~0n/3", None),
        ("/nope", None),
        ("nope", None),
        ("//x", None),
    ] {
        assert_eq!(pointer(&document, path).as_deref().map(RawValue::get), expected, "{path}");
    }
}

#[test]
fn the_layout() {
    let text = r#"{"a":[1.0,{}, []],"b":"x: y","c":{"d":null}}"#;
    let expected =
        "{\n  \"a\": [\n    1.0,\n    {},\n    []\n  ],\n  \"b\": \"x: y\",\n  \"c\": {\n    \"d\": null\n  }\n}";
    assert_eq!(pretty(text, 2), expected);
    assert_eq!(compact(expected), r#"{"a":[1.0,{},[]],"b":"x: y","c":{"d":null}}"#);
}

#[test]
fn tokens_have_classes() {
    let found: Vec<_> = tokens(r#"{"k" : ["s",-1e5,true,nope]}"#)
        .filter(|t| t.kind != TokenKind::Whitespace && t.kind != TokenKind::Punctuation)
        .map(|t| (t.kind, t.text))
        .collect();
    use TokenKind::*;
    let expected = [(Key, "\"k\""), (String, "\"s\""), (Number, "-1e5"), (Literal, "true"), (Invalid, "nope")];
    assert_eq!(found, expected);
}

#[test]
fn the_layout_of_deep_nesting_stays_linear() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(pretty(&deep, 2).len() < 300 * deep.len());
    assert_eq!(compact(&pretty(&deep, 2)), deep);
}

#[test]
fn nothing_recurses() {
    on_a_small_stack(|| {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let value = raw(&deep);
        assert_eq!(member(&value, "a").unwrap().get().len(), 200_001);
        assert_eq!(scan(&deep, 100_000), Err(TooDeep));
        assert_eq!(scan(&deep, 100_001), Ok(Scan::default()));
        assert_eq!(compact(&pretty(&deep, 1)), deep);
    });
}

#[test]
fn duplicates_are_named_by_pointer() {
    let text = r#"{"r":[{"a":1},{"a":1,"b":{"x":0},"\u0061":2,"a":3}],"k/y":{"t":{"u":1,"u":2}}}"#;
    assert_eq!(scan(text, 100).unwrap().duplicates, ["/r/1/a", "/k~1y/t/u"]);
    let many: Vec<_> = (0..50).map(|n| format!("\"k{}\":{n}", n % 25)).collect();
    let found = scan(&format!("{{{}}}", many.join(",")), 100).unwrap();
    assert_eq!((found.duplicates.len(), found.more_duplicates), (NAMED_DUPLICATES, 15));
    assert_eq!(scan(r#"{"a":{"a":{"a":[{"a":1},{"a":1}]}}}"#, 100), Ok(Scan::default()));
}

#[test]
fn the_pointer_of_a_duplicate_is_bounded() {
    let key = "é".repeat(500);
    let found = scan(&format!("{{\"{key}\":{{\"x\":1,\"x\":2}}}}"), 100).unwrap();
    assert!(found.duplicates[0].len() <= 310 && found.duplicates[0].ends_with("é/x"), "{found:?}");
}

#[test]
fn many_keys_are_scanned_in_linear_time() {
    let members: Vec<_> = (0..200_000).map(|n| format!("\"k{n}\":0")).collect();
    let text = format!("{{{}}}", members.join(","));
    let start = std::time::Instant::now();
    assert_eq!(scan(&text, 10), Ok(Scan::default()));
    // Pair by pair this takes minutes.
    assert!(start.elapsed() < Duration::from_secs(20));
}

/// JSON values as text, with blanks in odd places.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("1E400".to_owned()),
        Just("\"\\ud800 \\\" {[\"".to_owned()),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,4})?",
        ".{0,12}".prop_map(|text| quote(&text)),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|items| format!("[ {} ]", items.join(" ,\n"))),
            prop::collection::vec((".{0,6}", inner), 0..5).prop_map(|items| {
                let members: Vec<_> = items.iter().map(|(k, v)| format!("{} :{v}", quote(k))).collect();
                format!("{{\t{} }}", members.join(", "))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn pretty_and_compact_are_inverse_up_to_whitespace(text in json(), indent in 0_usize..4) {
        let small = compact(&text);
        prop_assert_eq!(&compact(&pretty(&text, indent)), &small);
        prop_assert_eq!(pretty(&small, indent), pretty(&text, indent));
        // The same values, by another reader.
        let (before, after) = (raw(&text), raw(&small));
        if let Some(all) = members(&before) {
            let again = members(&after).unwrap();
            prop_assert_eq!(all.len(), again.len());
            for ((key, value), (other, same)) in all.iter().zip(&again) {
                prop_assert_eq!((key, compact(value.get())), (other, same.get().to_owned()));
            }
        }
        prop_assert!(!small.contains('\n') && scan(&small, 64).is_ok());
    }

    #[test]
    fn strings_round_trip(text in any::<String>()) {
        prop_assert_eq!(string(&raw(&quote(&text))), Some(text));
    }

    #[test]
    fn any_text_is_tokenised_without_loss(text in "[\\[\\]{}:,\" \\\\u0-9a-eé\n-]{0,40}") {
        let joined: String = tokens(&text).map(|token| token.text).collect();
        prop_assert_eq!(&joined, &text);
        prop_assert_eq!(compact(&pretty(&text, 2)), compact(&text));
        let _ = (scan(&text, 5), unquote(&text));
    }
}
