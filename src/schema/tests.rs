//! The tables of this room's behaviour.

use std::time::{Duration, Instant};

use serde_json::value::RawValue;

use super::*;
use crate::wire::RawJson;

fn raw(text: &str) -> RawJson {
    RawValue::from_string(text.to_owned()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn findings(schema: &str, instance: &str) -> Vec<String> {
    check(&raw(schema), instance).unwrap().iter().map(ToString::to_string).collect()
}

#[test]
fn findings_name_the_place_and_say_what_is_wrong() {
    let object = r#"{"type":"object","properties":{"a":{"type":"integer"},"colour":{"enum":["red","blue"]},
        "list":{"type":"array","items":{"type":["number","null"]}},"c":{"const":1},
        "u":{"anyOf":[{"type":"integer"},{"type":"object","required":["x"]}]}},
        "required":["a"],"additionalProperties":false}"#;
    for (instance, expected) in [
        (r#"{"a":1}"#, vec![]),
        (r#"{"a":1.0,"list":[1,null,2.5],"colour":"red","c":1,"u":{"x":1}}"#, vec![]),
        (r#"{"a":"x"}"#, vec![r#"/a: must be an integer, is the string "x""#]),
        (r#"{"a":5.5}"#, vec!["/a: must be an integer, is the number 5.5"]),
        (r#"{}"#, vec!["`a` is required, but missing"]),
        (r#"{"a":1,"color":"red"}"#, vec!["`color` is not known to the schema; did you mean `colour`?"]),
        (r#"{"a":1,"zzz":0}"#, vec!["`zzz` is not known to the schema; known are a, colour, list, c, u"]),
        (r#"{"a":1,"colour":"green"}"#, vec![r#"/colour: must be one of "red", "blue", is the string "green""#]),
        (r#"{"a":1,"c":2}"#, vec!["/c: must be 1, is the number 2"]),
        (r#"{"a":1,"list":[1,"x"]}"#, vec![r#"/list/1: must be null or a number, is the string "x""#]),
        (
            r#"{"a":1,"u":{}}"#,
            vec![
                "/u: fits none of the 2 alternatives of anyOf: must be an integer, is the object {}; or `x` is required, but missing",
            ],
        ),
        (r#"{"a":"x","c":2}"#, vec![r#"/a: must be an integer, is the string "x""#, "/c: must be 1, is the number 2"]),
        ("[]", vec!["must be an object, is the array []"]),
    ] {
        assert_eq!(findings(object, instance), expected, "{instance}");
    }
    let found = check(&raw(object), r#"{"a":1,"colour":1}"#).unwrap();
    assert_eq!((found[0].keyword.as_str(), found[0].schema_pointer.as_str()), ("enum", "/properties/colour/enum"));
}

#[test]
fn numbers_are_exact() {
    let schema =
        r#"{"properties":{"i":{"type":"integer","maximum":123456789012345678901234567890},"d":{"const":0.1}}}"#;
    assert!(findings(schema, r#"{"i":123456789012345678901234567890,"d":0.10}"#).is_empty());
    let found = findings(schema, r#"{"i":123456789012345678901234567891}"#);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("123456789012345678901234567891"), "{found:?}");
    assert!(findings(r#"{"type":"number"}"#, "1e400").is_empty());
    assert_eq!(findings(r#"{"type":"integer"}"#, "1e-400").len(), 1);
}

#[test]
fn the_dialect_is_2020_12_unless_the_schema_says_otherwise() {
    let tuple = r#""prefixItems":[{"type":"string"}]"#;
    assert_eq!(findings(&format!("{{{tuple}}}"), "[1]").len(), 1);
    let old = format!(r#"{{"$schema":"http://json-schema.org/draft-07/schema#",{tuple}}}"#);
    assert!(findings(&old, "[1]").is_empty(), "prefixItems means nothing in draft-07");
    let unknown = check(&raw(r#"{"$schema":"https://example.com/own"}"#), "1").unwrap_err();
    assert!(unknown.message.contains("https://example.com/own"), "{unknown}");
}

#[test]
fn defects_name_the_place() {
    let object = |rest: &str| format!(r#"{{"type":"object",{rest}}}"#);
    for (schema, pointer, part) in [
        ("null".to_owned(), "", "is null instead of an object"),
        (r#""{\"type\":\"object\"}""#.to_owned(), "", "is a string instead of an object"),
        ("[]".to_owned(), "", "is an array"),
        ("true".to_owned(), "", "is a boolean"),
        ("17".to_owned(), "", "is a number"),
        ("{}".to_owned(), "", "has no `type`"),
        (r#"{"anyOf":[{"type":"object"}]}"#.to_owned(), "", "has no `type`"),
        (r#"{"type":"array"}"#.to_owned(), "/type", r#"is "array", must be "object""#),
        (r#"{"type":["object","null"]}"#.to_owned(), "/type", r#"is ["object","null"], must be "object""#),
        (
            object(r##""properties":{"a":{"$ref":"#/$defs/X"}}"##),
            "/properties/a/$ref",
            "`#/$defs/X` is not in the schema",
        ),
        (object(r##""properties":{"a/b":{"items":{"$ref":"#nope"}}}"##), "/properties/a~1b/items/$ref", "`#nope`"),
        (object(r#""properties":{"a":{"$ref":"https://example.com/x"}}"#), "/properties/a/$ref", "another document"),
        (object(r#""properties":{"a":{"$ref":"other.json#/a"}}"#), "/properties/a/$ref", "another document"),
        (object(r#""properties":{"a":{"type":"int"}}"#), "/properties/a/type", r#""int" is not a JSON Schema type"#),
    ] {
        let found = defects(Some(&raw(&schema)));
        assert_eq!(found.len(), 1, "{schema}: {found:?}");
        assert_eq!(found[0].pointer, pointer, "{schema}: {found:?}");
        assert!(found[0].message.contains(part), "{schema}: {found:?}");
    }
    assert_eq!(defects(None), vec![SchemaDefect::new("", "missing")]);
}

#[test]
fn what_only_compiling_finds_names_its_place_too() {
    for (rest, pointer, part) in [
        (r#""properties":{"a":{"pattern":"("}}"#, "/properties/a/pattern", "regular expression"),
        (r#""properties":[]"#, "/properties", "object"),
        (r#""required":"a""#, "/required", "array"),
    ] {
        let schema = raw(&format!(r#"{{"type":"object",{rest}}}"#));
        let found = unusable(&schema);
        assert_eq!((found.len(), found[0].pointer.as_str()), (1, pointer), "{rest}: {found:?}");
        assert!(found[0].message.contains(part), "{rest}: {found:?}");
        assert_eq!(check(&schema, "{}").unwrap_err(), found[0], "{rest}");
    }
}

#[test]
fn schemas_that_only_look_odd_have_no_defect() {
    for schema in [
        r#"{"type":"object"}"#,
        r##"{"type":"object","properties":{"a":{"$ref":"#/properties/b"},"b":{"$ref":"#/properties/a"}}}"##,
        r##"{"type":"object","properties":{"a":{"$ref":"#"}}}"##,
        r##"{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}"##,
        r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/a%20b"}},"$defs":{"a b":{"type":"string"}}}"##,
        r##"{"type":"object","properties":{"a":{"$ref":"#here"}},"$defs":{"x":{"$anchor":"here"}}}"##,
        r##"{"type":"object","properties":{"$ref":{"type":"string"}},"default":{"$ref":"#/nowhere"}}"##,
        r#"{"type":"object","x-own":{"anything":["goes"]},"anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
        r#"{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x).*$"}}}"#,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}"#,
        r##"{"$id":"https://example.com/root","type":"object","properties":{"a":{"$ref":"/root#/$defs/b"}},"$defs":{"b":{}}}"##,
    ] {
        assert_eq!(defects(Some(&raw(schema))), vec![], "{schema}");
    }
}

#[test]
fn hostile_schemas_end_soon_and_do_not_break_the_stack() {
    let nested = |levels: usize| {
        let open = r#"{"type":"object","properties":{"a":"#;
        format!("{}{}{}", open.repeat(levels), r#"{"type":"string"}"#, "}}".repeat(levels))
    };
    let instance = |levels: usize| format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
    let deep = nested(500);
    let found = check(&raw(&deep), &instance(500)).unwrap();
    assert!(found[0].message.contains("must be a string"), "{found:?}");
    assert_eq!(defects(Some(&raw(&deep))), vec![]);
    assert_eq!(outline(&raw(&deep)).len(), 8);
    let too_deep = nested(50_000);
    assert!(defects(Some(&raw(&too_deep)))[0].message.contains("nested deeper than 1024 levels"));
    assert!(check(&raw(r#"{"type":"object"}"#), &"[".repeat(2000)).unwrap_err().message.contains("the value"));

    let started = Instant::now();
    let mut doubling = r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{"##.to_owned();
    for level in 0..40 {
        let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, level + 1);
        doubling.push_str(&format!(r#""d{level}":{{"allOf":[{next},{next}]}},"#));
    }
    doubling.push_str(r#""d40":{"type":"integer"}}}"#);
    let found = check(&raw(&doubling), r#"{"a":"x"}"#).unwrap();
    assert!(found[0].message.contains("too large to say where"), "{found:?}");
    let _ = (outline(&raw(&doubling)), example(&raw(&doubling)));
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());

    let backtracking = r#"{"type":"string","pattern":"^(?=(a+)+$)(a+)+b\\1$"}"#;
    let found = check(&raw(backtracking), &format!("\"{}\"", "a".repeat(60))).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn endless_work_is_given_up() {
    let mut doubling = r##"{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{"##.to_owned();
    for level in 0..60 {
        let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, level + 1);
        doubling.push_str(&format!(r#""d{level}":{{"anyOf":[{next},{next}]}},"#));
    }
    doubling.push_str(r#""d60":false}}"#);
    let started = Instant::now();
    let judged = check(&raw(&doubling), r#"{"a":1}"#);
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    match judged {
        Ok(found) => assert_eq!(found.len(), 1),
        Err(defect) => assert!(defect.message.contains("within 3 seconds"), "{defect}"),
    }
}

#[test]
fn values_that_cannot_be_read_are_an_error_and_no_finding() {
    for text in ["", "{", "{} {}", r#""\ud800""#] {
        assert!(check(&raw("{}"), text).unwrap_err().message.contains("the value cannot be checked"), "{text}");
    }
}

fn rows(schema: &str) -> Vec<String> {
    let row = |field: Field| {
        let mut row = format!("{}{}: {}", "  ".repeat(field.depth), field.path, field.type_name);
        if field.required {
            row.push_str(" required");
        }
        for (label, text) in [("default", field.default), ("text", field.description)] {
            if let Some(text) = text {
                row.push_str(&format!(" {label}={text}"));
            }
        }
        if !field.enum_values.is_empty() {
            row.push_str(&format!(" of {}", field.enum_values.join("|")));
        }
        if !field.constraints.is_empty() {
            row.push_str(&format!(" [{}]", field.constraints.join(", ")));
        }
        row
    };
    outline(&raw(schema)).into_iter().map(row).collect()
}

#[test]
fn the_outline_shows_every_member_with_its_type() {
    let schema = r##"{"type":"object","required":["n","node"],"properties":{
        "n":{"type":"integer","minimum":1,"description":"How many"},
        "opt":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"title":"Opt"},
        "pick":{"enum":["a",2,null]},
        "free":{},
        "tags":{"type":"array","items":{"type":"string","minLength":2},"maxItems":3},
        "grid":{"type":"array","items":{"type":"array","items":{"type":"number"}}},
        "mixed":{"type":"array","items":{"type":["integer","null"]}},
        "people":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}},
        "box":{"allOf":[{"$ref":"#/$defs/Box"}],"default":{"w": 1E5},"description":"A box"},
        "node":{"$ref":"#/$defs/Node"},
        "e":{"$ref":"#/$defs/Colour"}},
      "$defs":{"Box":{"type":"object","additionalProperties":false,"properties":{"w":{"type":"number"}}},
        "Colour":{"type":"string","enum":["red","green"]},
        "Node":{"type":"object","properties":{"next":{"$ref":"#/$defs/Node"},"all":{"type":"array","items":{"$ref":"#/$defs/Node"}}}}}}"##;
    assert_eq!(
        rows(schema),
        [
            "n: integer required text=How many [minimum 1]",
            "opt: string or null default=null text=Opt",
            "pick: integer or string or null of a|2|null",
            "free: any",
            "tags: array of string [maxItems 3]",
            "grid: array of array of number",
            "mixed: array of (integer or null)",
            "people: array of object",
            "  people[].name: string required",
            "box: object default={\"w\":1E5} text=A box [no other members]",
            "  box.w: number",
            "node: object required",
            "  node.next: object (recursive)",
            "  node.all: array of object",
            "e: string of red|green",
        ]
    );
}

#[test]
fn the_outline_of_anything_ends() {
    let wide: Vec<String> = (0..2000).map(|index| format!(r#""p{index}":{{}}"#)).collect();
    let rows = rows(&format!(r#"{{"properties":{{{}}}}}"#, wide.join(",")));
    assert_eq!(rows.len(), 501);
    assert!(rows[500].starts_with('…'), "{}", rows[500]);
    for schema in ["true", "null", "[]", "\"x\"", "{}", r#"{"properties":3}"#, r#"{"type":7,"properties":{"a":null}}"#]
    {
        assert!(outline(&raw(schema)).len() <= 1, "{schema}");
    }
    let fan: Vec<String> = (0..12).map(|n| format!(r##""k{n}":{{"$ref":"#/$defs/x{n}"}}"##)).collect();
    let defs: Vec<String> =
        (0..12).map(|n| format!(r#""x{n}":{{"type":"object","properties":{{{}}}}}"#, fan.join(","))).collect();
    let fan = format!(r#"{{"properties":{{{}}},"$defs":{{{}}}}}"#, fan.join(","), defs.join(","));
    assert_eq!(outline(&raw(&fan)).len(), 501);
}

#[test]
fn example_words_can_be_copied_into_a_shell() {
    for (properties, required, expected) in [
        (r#""a":{"type":"integer"},"b":{"type":"string"}"#, r#""b","a""#, vec!["a=1", "b=text"]),
        (r#""a":{"type":"integer"},"b":{"type":"string"}"#, "", vec!["a=1"]),
        (r#""t":{"type":"array","items":{"type":"string"}}"#, r#""t""#, vec![r#"t:='["text"]'"#]),
        (r#""s":{"type":"string","default":"it's two"}"#, r#""s""#, vec![r"s='it'\''s two'"]),
        (r#""s":{"type":"string","default":""}"#, r#""s""#, vec!["s="]),
        (r#""s":{"type":["string","null"]}"#, r#""s""#, vec![r#"s:='"text"'"#]),
        (r#""s":{"enum":["x","y"]}"#, r#""s""#, vec![r#"s:='"x"'"#]),
        (r#""s":{"type":"string","enum":["x","y"]}"#, r#""s""#, vec!["s=x"]),
        (
            r#""o":{"type":"object","required":["k"],"properties":{"k":{"type":"boolean"}}}"#,
            r#""o""#,
            vec![r#"o:='{"k":true}'"#],
        ),
        (r#""two words":{"type":"number"}"#, r#""two words""#, vec!["'two words=1'"]),
        (r#""-x":{"type":"number","minimum":0.50}"#, r#""-x""#, vec!["--arg=-x=0.50"]),
        (
            r#""a=b":{"type":"number"},"":{"type":"null"},"c":{"type":"boolean"}"#,
            r#""a=b","","c""#,
            vec!["c=true", r#"--args='{"a=b":1,"":null}'"#],
        ),
        (r#""when":{"type":"string","format":"date"}"#, r#""when""#, vec!["when=2026-01-31"]),
        (r#""any":{}"#, r#""any""#, vec!["any=text"]),
        ("", "", vec![]),
    ] {
        let schema = format!(r#"{{"type":"object","properties":{{{properties}}},"required":[{required}]}}"#);
        let words: Vec<String> = example(&raw(&schema)).into_iter().map(|(_, word)| word).collect();
        assert_eq!(words, expected, "{schema}");
    }
    assert_eq!(shell_word(""), "''");
    assert_eq!(shell_word("a b$c"), "'a b$c'");
    assert_eq!(shell_word("http://h:1/x?y=1"), "'http://h:1/x?y=1'");
}

#[test]
fn a_form_knows_each_spelling_of_an_enumeration() {
    let schema = r#"{"type":"object","required":["name"],"properties":{
        "name":{"type":"string","title":"Name","description":"Yours","default":"Ada"},
        "mail":{"type":"string","format":"email"},"age":{"type":"integer","default":7},"score":{"type":"number"},
        "ok":{"type":"boolean","default":false},
        "plain":{"type":"string","enum":["a","b"]},
        "named":{"type":"string","enum":["a","b"],"enumNames":["A"]},
        "titled":{"type":"string","oneOf":[{"const":"a","title":"Ay"},{"const":"b"}]},
        "many":{"type":"array","items":{"anyOf":[{"const":"a","title":"Ay"}]}},
        "many2":{"type":"array","items":{"type":"string","enum":["x"]}},
        "odd":{"type":"object"},"any":{}}}"#;
    let fields = form(&raw(schema)).unwrap();
    let choice = |value: &str, title: &str| Choice { value: value.to_owned(), title: title.to_owned() };
    let kinds: Vec<FieldKind> = fields.iter().map(|field| field.kind.clone()).collect();
    assert_eq!(
        kinds,
        [
            FieldKind::Text { format: None },
            FieldKind::Text { format: Some("email".to_owned()) },
            FieldKind::Integer,
            FieldKind::Number,
            FieldKind::Boolean,
            FieldKind::Choice(vec![choice("\"a\"", "a"), choice("\"b\"", "b")]),
            FieldKind::Choice(vec![choice("\"a\"", "A"), choice("\"b\"", "b")]),
            FieldKind::Choice(vec![choice("\"a\"", "Ay"), choice("\"b\"", "b")]),
            FieldKind::Choices(vec![choice("\"a\"", "Ay")]),
            FieldKind::Choices(vec![choice("\"x\"", "x")]),
            FieldKind::Other("object".to_owned()),
            FieldKind::Other("any".to_owned()),
        ]
    );
    assert_eq!((fields[0].required, fields[1].required), (true, false));
    assert_eq!(fields[0].title.as_deref(), Some("Name"));
    assert_eq!(fields[2].default.as_ref().map(|value| value.get()), Some("7"));
    assert_eq!(form(&raw("[]")).unwrap_err().message, "is an array instead of an object");
    assert_eq!(form(&raw(r#"{"properties":[]}"#)).unwrap_err().pointer, "/properties");
}
