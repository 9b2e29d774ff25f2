//! What holds for any words, schema and text.

use proptest::prelude::*;
use serde_json::value::RawValue;

use super::tests::{pairs, raw};
use super::*;

/// A schema of any shape.
fn any_schema() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "(null|boolean|integer|number|string|array|object|odd)".prop_map(|name| format!(r#"{{"type":"{name}"}}"#)),
        "(null|true|\\{\\}|\\[\\]|3)",
        Just(r##"{"$ref":"#"}"##.to_owned()),
        Just(r##"{"$ref":"#/properties/k"}"##.to_owned()),
        Just(r#"{"enum":["a",1,null,1.50,[1]]}"#.to_owned()),
        Just(r#"{"const":"5"}"#.to_owned()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..3), "(anyOf|oneOf|allOf|prefixItems)")
                .prop_map(|(list, keyword)| format!(r#"{{"{keyword}":[{}]}}"#, list.join(","))),
            inner.clone().prop_map(|items| format!(r#"{{"type":["array","null"],"items":{items}}}"#)),
            (inner.clone(), inner)
                .prop_map(|(a, b)| format!(r#"{{"properties":{{"a":{a},"b.c":{b}}},"required":["a"]}}"#)),
        ]
    })
}

proptest! {
    #[test]
    fn any_words_and_schema_give_json_or_an_error(
        schema in any_schema(),
        words in prop::collection::vec("(k|a|a\\.a|k\\.b\\.c|\\PC{0,3})(=|:=)\\PC{0,8}", 0..4),
        args in prop::option::of("\\PC{0,12}"),
    ) {
        let schema = raw(&format!(r#"{{"properties":{{"k":{schema},"a":{schema}}}}}"#));
        let pairs: Vec<Pair> = words.iter().filter_map(|word| parse_pair(word).ok()).collect();
        match build(&pairs, args.as_deref(), Some(&schema)) {
            Ok(built) => {
                prop_assert!(!built.json.contains('\n'));
                let read: Result<&RawValue, _> = serde_json::from_str(&built.json);
                prop_assert!(read.is_ok_and(|object| json::kind(object) == JsonKind::Object), "{}", built.json);
            }
            Err(error) => prop_assert!(!error.to_failure().message.is_empty()),
        }
    }

    #[test]
    fn any_text_of_a_string_goes_out_as_it_was_typed(text in any::<String>(), typed in any::<bool>()) {
        let schema = raw(if typed { r#"{"properties":{"k":{"type":"string"}}}"# } else { "{}" });
        let built = build(&[parse_pair(&format!("k={text}")).unwrap()], None, Some(&schema)).unwrap();
        let sent: serde_json::Value = serde_json::from_str(&built.json).unwrap();
        prop_assert_eq!(sent["k"].as_str(), Some(text.as_str()));
        let prompt = build_prompt(&[parse_pair(&format!("k={text}")).unwrap()], None).unwrap();
        prop_assert_eq!(&prompt, &built.json);
    }

    #[test]
    fn numbers_keep_their_text(number in "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,4})?") {
        let schema = raw(r#"{"properties":{"n":{"type":"number"}}}"#);
        let expected = format!(r#"{{"n":{number}}}"#);
        for word in [format!("n={number}"), format!("n:={number}")] {
            prop_assert_eq!(&build(&pairs(&[&word]), None, Some(&schema)).unwrap().json, &expected);
        }
        prop_assert_eq!(&build(&[], Some(&expected), Some(&schema)).unwrap().json, &expected);
    }

    #[test]
    fn a_pair_is_its_parts(key in "[^=@:]{1,9}", separator in "(=|:=|@|:@)", value in any::<String>()) {
        let pair = parse_pair(&format!("{key}{separator}{value}")).unwrap();
        prop_assert_eq!((pair.key.as_str(), pair.form.separator(), pair.value.as_str()), (key.as_str(), separator.as_str(), value.as_str()));
    }
}
