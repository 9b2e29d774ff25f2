//! The tables of this room's behaviour.

use std::io;

use serde_json::value::RawValue;

use super::*;
use crate::outcome::{Category, Reason};
use crate::wire::RawJson;

pub(super) fn raw(text: &str) -> RawJson {
    RawValue::from_string(text.to_owned()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub(super) fn pairs(words: &[&str]) -> Vec<Pair> {
    words.iter().map(|word| parse_pair(word).unwrap()).collect()
}

/// Builds with a schema of these properties; an error as its sentence.
fn built(properties: &str, words: &[&str], args: Option<&str>) -> Result<String, String> {
    let schema = raw(&format!(
        r##"{{"type":"object","properties":{{{properties}}},"$defs":{{
        "Colour":{{"enum":["red","green"]}},"Loop":{{"$ref":"#/$defs/Loop"}},"Nest":{{"type":"array","items":{{"$ref":"#/$defs/Nest"}}}},
        "Box":{{"type":"object","properties":{{"w":{{"type":"integer"}},"in":{{"$ref":"#/$defs/Box"}}}}}}}}}}"##
    ));
    build(&pairs(words), args, Some(&schema)).map(|built| built.json).map_err(|error| error.to_string())
}

#[test]
fn the_first_separator_decides() {
    for (text, key, form, value) in [
        ("a=b", "a", Form::Text, "b"),
        ("a=", "a", Form::Text, ""),
        ("who=@ada", "who", Form::Text, "@ada"),
        ("q=a=b=c", "q", Form::Text, "a=b=c"),
        ("q==", "q", Form::Text, "="),
        ("q=:=1", "q", Form::Text, ":=1"),
        ("neg=-1", "neg", Form::Text, "-1"),
        ("nl=x\ny", "nl", Form::Text, "x\ny"),
        ("n:=5", "n", Form::Json, "5"),
        ("n:==5", "n", Form::Json, "=5"),
        ("n:=", "n", Form::Json, ""),
        ("f@p", "f", Form::FileText, "p"),
        ("f@p=1", "f", Form::FileText, "p=1"),
        ("f@", "f", Form::FileText, ""),
        ("f:@p", "f", Form::FileJson, "p"),
        ("a:b=c", "a:b", Form::Text, "c"),
        ("a::=1", "a:", Form::Json, "1"),
        ("a.b=1", "a.b", Form::Text, "1"),
        ("-x=1", "-x", Form::Text, "1"),
        ("名前=é", "名前", Form::Text, "é"),
        (" a =b", " a ", Form::Text, "b"),
    ] {
        let expected = Pair { key: key.to_owned(), form, value: value.to_owned() };
        assert_eq!(parse_pair(text), Ok(expected), "{text:?}");
    }
    for text in ["=1", ":=1", "@f", ":@f"] {
        assert!(matches!(parse_pair(text), Err(ArgumentError::EmptyName { .. })), "{text:?}");
    }
    for text in ["", "abc", "a:b", "{path:x}"] {
        assert!(matches!(parse_pair(text), Err(ArgumentError::NoSeparator { .. })), "{text:?}");
    }
}

/// CLI-01
#[test]
fn strings_stay_as_they_were_typed() {
    let words = ["a=007", "b=12345", "c=true", "d=null", "e=1e5", "f=-1", "g=[1]", "h={\"x\":1}", "i=", "j=1.10"];
    let expected = r#"{"a":"007","b":"12345","c":"true","d":"null","e":"1e5","f":"-1","g":"[1]","h":"{\"x\":1}","i":"","j":"1.10"}"#;
    let strings: Vec<String> = ('a'..='j').map(|name| format!(r#""{name}":{{"type":"string"}}"#)).collect();
    assert_eq!(built(&strings.join(","), &words, None).as_deref(), Ok(expected));
    assert_eq!(built("", &words, None).as_deref(), Ok(expected));
    assert_eq!(build(&pairs(&words), None, None).unwrap().json, expected);
    for schema in
        ["true", "false", "null", "[]", "\"{}\"", "{}", r#"{"properties":{"a":true,"b":{},"c":{"type":"strange"}}}"#]
    {
        assert_eq!(build(&pairs(&words), None, Some(&raw(schema))).unwrap().json, expected, "{schema}");
    }
}

#[test]
fn text_is_typed_by_the_schema() {
    for (schema, text, expected) in [
        (r#"{"type":"integer"}"#, "5", "5"),
        (r#"{"type":"integer"}"#, "-1", "-1"),
        (r#"{"type":"integer"}"#, "123456789012345678901234567890", "123456789012345678901234567890"),
        (r#"{"type":"integer"}"#, "5.0", "5.0"),
        (r#"{"type":"integer"}"#, "1E3", "1E3"),
        (r#"{"type":"number"}"#, "5.20", "5.20"),
        (r#"{"type":"number"}"#, "1E400", "1E400"),
        (r#"{"type":"boolean"}"#, "true", "true"),
        (r#"{"type":"boolean"}"#, "false", "false"),
        (r#"{"type":"null"}"#, "null", "null"),
        (r#"{"type":"null"}"#, "", "null"),
        (r#"{"type":"object"}"#, r#"{"a": 1.0}"#, r#"{"a":1.0}"#),
        (r#"{"properties":{"a":{}}}"#, "{}", "{}"),
        (r#"{"type":"array"}"#, "[1, 2]", "[1,2]"),
        (r#"{"type":"array"}"#, "x", r#"["x"]"#),
        (r#"{"type":"array","items":{"type":"integer"}}"#, "7", "[7]"),
        (r#"{"items":{"type":"string"}}"#, "7", r#"["7"]"#),
        (r#"{"type":"array","items":{"type":"string"}}"#, "", r#"[""]"#),
        (r#"{"type":"array","items":{"type":"array","items":{"type":"number"}}}"#, "1", "[[1]]"),
        // enum and const
        (r#"{"enum":[1,2]}"#, "2", "2"),
        (r#"{"enum":["1","2"]}"#, "2", r#""2""#),
        (r#"{"type":"integer","enum":[1,2]}"#, "7", "7"),
        (r#"{"enum":["auto",1,null,true]}"#, "null", "null"),
        (r#"{"enum":["auto",1,null,true]}"#, "1", "1"),
        (r#"{"enum":["auto",1]}"#, "other", r#""other""#),
        (r#"{"type":"string","enum":["a"]}"#, "b", r#""b""#),
        (r#"{"const":5}"#, "5", "5"),
        (r##"{"$ref":"#/$defs/Colour"}"##, "red", r#""red""#),
        (r#"{"anyOf":[{"const":"auto"},{"type":"integer"}]}"#, "auto", r#""auto""#),
        (r#"{"anyOf":[{"const":"auto"},{"type":"integer"}]}"#, "5", "5"),
        // unions with a string
        (r#"{"type":["integer","string"]}"#, "5", "5"),
        (r#"{"type":["integer","string"]}"#, "000123", r#""000123""#),
        (r#"{"type":["integer","string"]}"#, "5.0", r#""5.0""#),
        (r#"{"type":["integer","string"]}"#, "-0", r#""-0""#),
        (r#"{"type":["number","string"]}"#, "1.10", r#""1.10""#),
        (r#"{"type":["number","string"]}"#, "1.5", "1.5"),
        (r#"{"type":["number","string"]}"#, "1e5", r#""1e5""#),
        (r#"{"type":["boolean","string"]}"#, "true", "true"),
        (r#"{"type":["boolean","string"]}"#, "True", r#""True""#),
        (r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "null", "null"),
        (r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "", r#""""#),
        (r#"{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}"#, r#"["a"]"#, r#"["a"]"#),
        (r#"{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}"#, "a", r#""a""#),
        (r#"{"anyOf":[{"type":"string"},{"type":"array"}]}"#, "[a]", r#""[a]""#),
        (r#"{"oneOf":[{"type":"object"},{"type":"string"}]}"#, r#"{"a":1}"#, r#"{"a":1}"#),
        (r#"{"oneOf":[{"type":"object"},{"type":"string"}]}"#, "{a}", r#""{a}""#),
        (r#"{"type":"string","nullable":true}"#, "null", "null"),
        // unions without one
        (r#"{"type":["integer","null"]}"#, "", "null"),
        (r#"{"type":["integer","null"]}"#, "null", "null"),
        (r#"{"type":["boolean","number"]}"#, "1e5", "1e5"),
        (
            r#"{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"array","items":{"type":"boolean"}}]}"#,
            "true",
            "[true]",
        ),
        (r#"{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}"#, "x", r#"["x"]"#),
        // references, allOf, contradictions, recursion
        (r##"{"allOf":[{"$ref":"#/$defs/Box"}],"default":{}}"##, "{}", "{}"),
        (r#"{"allOf":[{"type":["integer","string"]},{"type":"integer"}]}"#, "5", "5"),
        (r#"{"type":"string","anyOf":[{"type":"integer"}]}"#, "5", r#""5""#),
        (r##"{"$ref":"#/$defs/Loop"}"##, "5", r#""5""#),
        (r##"{"$ref":"#/$defs/nowhere"}"##, "5", r#""5""#),
        (r##"{"$ref":"https://example.com/x"}"##, "5", r#""5""#),
    ] {
        let properties = format!(r#""k":{schema}"#);
        let expected = format!(r#"{{"k":{expected}}}"#);
        assert_eq!(built(&properties, &[&format!("k={text}")], None), Ok(expected), "{schema} {text:?}");
    }
}

/// CLI-02
#[test]
fn what_does_not_fit_is_refused_with_name_type_and_text() {
    for (schema, text, wanted) in [
        (r#"{"type":"integer"}"#, "5.5", "of type integer"),
        (r#"{"type":"integer"}"#, "abc", "of type integer"),
        (r#"{"type":"integer"}"#, "007", "of type integer"),
        (r#"{"type":"integer"}"#, "+5", "of type integer"),
        (r#"{"type":"integer"}"#, "", "of type integer"),
        (r#"{"type":"integer"}"#, " 5", "of type integer"),
        (r#"{"type":"number"}"#, "1,5", "of type number"),
        (r#"{"type":"number"}"#, "NaN", "of type number"),
        (r#"{"type":"number"}"#, "0x10", "of type number"),
        (r#"{"type":"boolean"}"#, "yes", "of type boolean"),
        (r#"{"type":"boolean"}"#, "1", "of type boolean"),
        (r#"{"type":"boolean"}"#, "True", "of type boolean"),
        (r#"{"type":"null"}"#, "nil", "of type null"),
        (r#"{"type":"object"}"#, "a:1", "of type object"),
        (r#"{"type":["integer","null"]}"#, "x", "of type integer or null"),
        (r#"{"type":"array","items":{"type":"integer"}}"#, "x", "of type integer"),
        (r#"{"enum":[1,2]}"#, "3", "one of 1, 2"),
        (r##"{"$ref":"#/$defs/Nest"}"##, "x", "of type array"),
    ] {
        let properties = format!(r#""k":{schema}"#);
        let error = built(&properties, &[&format!("k={text}")], None).unwrap_err();
        assert!(error.starts_with(&format!("argument `k` must be {wanted}")), "{schema} {text:?}: {error}");
        assert!(error.contains(&format!("`{text}`")), "{schema} {text:?}: {error}");
    }
    let schema = raw(r#"{"properties":{"n":{"type":"integer"}}}"#);
    let failure = build(&pairs(&["n=5.5"]), None, Some(&schema)).unwrap_err().to_failure();
    assert_eq!((failure.category, failure.reason), (Category::Usage, Some(Reason::Arguments)));
    assert_eq!(
        failure.hint.as_deref(),
        Some("n:=5.5 with --no-check sends it as it is (then type the others by := too)")
    );
    assert_eq!(built(r#""n":{"type":"integer"}"#, &["n:=5.5"], None).as_deref(), Ok(r#"{"n":5.5}"#));
}

/// RES-08
#[test]
fn json_goes_out_to_the_byte_of_each_number() {
    let words = [
        "a:=123456789012345678901234567890",
        "b:=1E2",
        "c:=5.20",
        "d:={\"z\": 1.10,\n \"a\": [1e400, -0], \"z\": 2}",
        "e:=\"\\ud800\"",
        "f:=null",
    ];
    let expected = r#"{"a":123456789012345678901234567890,"b":1E2,"c":5.20,"d":{"z":1.10,"a":[1e400,-0],"z":2},"e":"\ud800","f":null}"#;
    assert_eq!(built(r#""a":{"type":"string"}"#, &words, None).as_deref(), Ok(expected));
    assert_eq!(build(&[], Some(expected), None).unwrap().json, expected);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(built("", &[&format!("x:={deep}")], None).unwrap().len(), deep.len() + 6);
    for bad in ["x:=", "x:=abc", "x:={a:1}", "x:=1 2", "x:='1'", "x:=01", "x:=NaN"] {
        assert!(built("", &[bad], None).unwrap_err().starts_with("argument `x` is not JSON"), "{bad}");
    }
}

#[test]
fn a_repeated_name_appends_to_an_array_and_to_nothing_else() {
    let tags = r#""t":{"type":"array","items":{"type":"string"}},"n":{"type":["array","null"],"items":{"type":"integer"}},
        "m":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},"p":{"prefixItems":[{"type":"integer"},{"type":"string"}]},
        "u":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]},"s":{"type":"string"}"#;
    for (words, expected) in [
        (vec!["t=a", "s=x", "t=b"], r#"{"t":["a","b"],"s":"x"}"#),
        (vec!["t=[a]", "t=5"], r#"{"t":["[a]","5"]}"#),
        (vec!["n=1", "n=2"], r#"{"n":[1,2]}"#),
        (vec!["t=a", "t:=5"], r#"{"t":["a",5]}"#),
        (vec!["m=[1, 2]", "m=[3]"], r#"{"m":[[1,2],[3]]}"#),
        (vec!["p=1", "p=2"], r#"{"p":[1,"2"]}"#),
        (vec!["u=a", "u=b"], r#"{"u":["a","b"]}"#),
    ] {
        assert_eq!(built(tags, &words, None).as_deref(), Ok(expected), "{words:?}");
    }
    for words in [["s=a", "s=a"], ["other=1", "other=2"], ["s:=1", "s=2"]] {
        assert!(built(tags, &words, None).unwrap_err().ends_with("is given twice"), "{words:?}");
    }
    assert!(built(tags, &["n=1", "n=x"], None).unwrap_err().contains("of type integer, `x` is not"));
    let hint = build(&pairs(&["a=1", "a=2"]), None, None).unwrap_err().hint().unwrap();
    assert!(hint.contains(r#"'a:=["a","b"]'"#), "{hint}");
    assert!(built(tags, &["t=[a"], None).unwrap_err().contains("argument `t`, an array by the schema, is not JSON"));
}

#[test]
fn dots_reach_into_objects_that_the_schema_declares() {
    let box_ = r##""a":{"$ref":"#/$defs/Box"},"x.y":{"type":"integer"},"x":{"type":"object"},"s":{"type":"string"},"any":{},
        "map":{"type":"object","additionalProperties":{"type":"integer"}},"o":{"anyOf":[{"type":"null"},{"type":"object","properties":{"n":{"type":"number"}}}]}"##;
    for (words, args, expected) in [
        (vec!["a.w=1"], None, r#"{"a":{"w":1}}"#),
        (vec!["a.w=1", "a.in.w=2", "a.in.in.w=3"], None, r#"{"a":{"w":1,"in":{"w":2,"in":{"w":3}}}}"#),
        (vec!["x.y=1"], None, r#"{"x.y":1}"#),
        (vec!["x.z=1"], None, r#"{"x":{"z":"1"}}"#),
        (vec!["x.y.z=1"], None, r#"{"x":{"y.z":"1"}}"#),
        (vec!["s.t=1"], None, r#"{"s.t":"1"}"#),
        (vec!["any.t=1"], None, r#"{"any.t":"1"}"#),
        (vec!["none.t=1"], None, r#"{"none.t":"1"}"#),
        (vec!["a.=1", ".a=2", "."], None, ""),
        (vec!["map.cpu=2"], None, r#"{"map":{"cpu":2}}"#),
        (vec!["o.n=2.50"], None, r#"{"o":{"n":2.50}}"#),
        (vec!["a.w=1"], Some(r#"{"a": {"k": 1.0}, "b": 2}"#), r#"{"a":{"k":1.0,"w":1},"b":2}"#),
        (vec!["a.in.w=1"], Some(r#"{"a":{"in":{}}}"#), r#"{"a":{"in":{"w":1}}}"#),
    ] {
        let words: Vec<&str> = words.into_iter().filter(|word| *word != ".").collect();
        let expected = if expected.is_empty() { r#"{"a.":"1",".a":"2"}"# } else { expected };
        assert_eq!(built(box_, &words, args).as_deref(), Ok(expected), "{words:?}");
    }
    for (words, args) in [
        (vec!["a={\"w\":1}", "a.in={}"], None),
        (vec!["a.w=1", "a={}"], None),
        (vec!["a.w=1"], Some(r#"{"a":{"w":2}}"#)),
        (vec!["a.w=1"], Some(r#"{"a":5}"#)),
    ] {
        assert!(built(box_, &words, args).unwrap_err().contains("is given twice"), "{words:?}");
    }
}

/// CLI-04, CLI-05
#[test]
fn args_must_be_an_object() {
    for (text, expected) in [
        ("{}", "{}"),
        ("\u{feff}{\"a\":1}\r\n", r#"{"a":1}"#),
        ("\n{ \"b\" : 1.0 ,\t\"a\" : \"x  y\" }\n", r#"{"b":1.0,"a":"x  y"}"#),
    ] {
        assert_eq!(build(&[], Some(text), None).unwrap().json, expected, "{text:?}");
    }
    for (text, message, hint) in [
        ("", "--args is empty", "leave --args out"),
        (" \n", "--args is empty", "leave --args out"),
        ("\u{feff}", "--args is empty", "leave --args out"),
        ("[1]", "it is an array", "--args '{"),
        ("5", "it is a number", "--args '{"),
        ("null", "it is null", "--args '{"),
        ("\"x\"", "it is a string", "--args '{"),
        ("{path:x}", "--args is not JSON", "the shell has removed the quotes"),
        ("'{}'", "--args is not JSON", "this shell does not remove them"),
        ("'{\"a\":1}'", "--args is not JSON", "--args @file or --args -"),
        ("{\"a\":1} {}", "--args is not JSON", "--args @file"),
        ("{\"a\":", "--args is not JSON", "--args @file"),
    ] {
        let failure = build(&[], Some(text), None).unwrap_err().to_failure();
        assert!(failure.message.contains(message), "{text:?}: {}", failure.message);
        assert!(failure.hint.as_ref().is_some_and(|given| given.contains(hint)), "{text:?}: {:?}", failure.hint);
        assert_eq!(failure.category, Category::Usage);
        if !failure.message.contains("is empty") {
            assert_eq!(failure.evidence[0].text, text, "what was received is shown");
        }
    }
    let twice = build(&[], Some(r#"{"a":1,"a":2}"#), None).unwrap_err();
    assert_eq!(twice, ArgumentError::Twice { argument: "a".to_owned(), array: false });
}

#[test]
fn pairs_add_to_args_and_never_replace() {
    let properties = r#""n":{"type":"integer"},"t":{"type":"array"}"#;
    assert_eq!(built(properties, &["n=1"], Some(r#"{"z":0,"a":1}"#)).as_deref(), Ok(r#"{"z":0,"a":1,"n":1}"#));
    for (word, args) in [("n=1", r#"{"n":1}"#), ("t=b", r#"{"t":["a"]}"#), ("x:=1", r#"{"x":null}"#)] {
        assert!(built(properties, &[word], Some(args)).unwrap_err().contains("is given twice"), "{word}");
    }
}

#[test]
fn files_give_text_or_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let text = file("text", b"\xef\xbb\xbfline 1\nline 2\n");
    let number = file("number", b"42\r\n");
    let json = file("json", b"\xef\xbb\xbf{\n \"a\": 1.0\n}\n");
    let latin = file("latin", b"caf\xe9");
    let properties = r#""s":{"type":"string"},"n":{"type":"integer"},"o":{"type":"object"},"e":{"enum":[41,42]}"#;
    for (word, expected) in [
        (format!("s@{text}"), r#"{"s":"line 1\nline 2\n"}"#),
        (format!("s@{number}"), r#"{"s":"42\r\n"}"#),
        (format!("n@{number}"), r#"{"n":42}"#),
        (format!("e@{number}"), r#"{"e":42}"#),
        (format!("o@{json}"), r#"{"o":{"a":1.0}}"#),
        (format!("s:@{json}"), r#"{"s":{"a":1.0}}"#),
        (format!("new@{number}"), r#"{"new":"42\r\n"}"#),
    ] {
        assert_eq!(built(properties, &[&word], None).as_deref(), Ok(expected), "{word}");
    }
    let missing = folder.path().join("missing").to_str().unwrap().to_owned();
    for (word, part) in [
        (format!("s@{missing}"), "No such file"),
        (format!("s@{latin}"), "not UTF-8 at byte 3"),
        (format!("s@{}", folder.path().display()), "directory"),
    ] {
        let failure = build(&pairs(&[&word]), None, None).unwrap_err().to_failure();
        assert_eq!(failure.reason, Some(Reason::File), "{word}");
        assert!(failure.message.contains(part) && failure.message.contains("argument `s`"), "{}", failure.message);
        assert!(failure.message.contains(&word[2..]), "{}", failure.message);
    }
    assert!(built(properties, &[&format!("n@{text}")], None).unwrap_err().contains(&format!("(from {text})")));
    assert!(built(properties, &[&format!("n:@{latin}")], None).is_err());

    let never = || -> io::Result<Vec<u8>> { panic!("standard input is read only when asked for") };
    assert_eq!(read_args(r#"{"a":1}"#, never).as_deref(), Ok(r#"{"a":1}"#));
    assert_eq!(read_args(&format!("@{json}"), never).unwrap().trim(), "{\n \"a\": 1.0\n}");
    assert_eq!(read_args("-", || Ok(b"\xef\xbb\xbf{}\n".to_vec())).as_deref(), Ok("{}\n"));
    assert_eq!(build(&[], Some(&read_args("-", || Ok(Vec::new())).unwrap()), None), Err(ArgumentError::ArgsEmpty));
    let error = read_args(&format!("@{missing}"), never).unwrap_err();
    assert!(error.to_string().contains(&missing), "{error}");
    assert!(read_args("-", || Err(io::Error::other("gone"))).unwrap_err().to_string().contains("standard input: gone"));
}

/// RES-14
#[test]
fn the_arguments_of_a_prompt_are_strings() {
    let words = ["n=5", "flag=true", "empty=", "text=two words", r#"j={"a":1}"#, "a.b=1"];
    let expected = r#"{"n":"5","flag":"true","empty":"","text":"two words","j":"{\"a\":1}","a.b":"1"}"#;
    assert_eq!(build_prompt(&pairs(&words), None).as_deref(), Ok(expected));
    assert_eq!(build_prompt(&pairs(&["b=2"]), Some(r#"{"a":"1"}"#)).as_deref(), Ok(r#"{"a":"1","b":"2"}"#));
    assert_eq!(build_prompt(&[], None).as_deref(), Ok("{}"));
    for word in ["n:=5", "n:@file"] {
        let failure = build_prompt(&pairs(&[word]), None).unwrap_err().to_failure();
        assert!(failure.message.contains("the arguments of a prompt are strings"), "{}", failure.message);
        assert!(failure.hint.as_ref().is_some_and(|hint| hint.contains("n=text")), "{:?}", failure.hint);
    }
    assert!(build_prompt(&[], Some(r#"{"n":5}"#)).unwrap_err().to_string().contains("`n` is a number"));
    assert!(build_prompt(&pairs(&["a=1", "a=2"]), None).unwrap_err().to_string().contains("given twice"));
}

#[test]
fn a_choice_that_could_be_a_string_is_noted() {
    let schema = raw(
        r#"{"properties":{"id":{"type":["integer","string"]},"o":{"type":["string","null"]},"s":{"type":"string"}}}"#,
    );
    let notes = |word: &str| build(&pairs(&[word]), None, Some(&schema)).unwrap().notes;
    assert_eq!(notes("id=5"), [r#"argument `id` goes out as the number 5; the schema allows a string too: 'id:="5"'"#]);
    assert_eq!(notes("o=null"), [r#"argument `o` goes out as null; the schema allows a string too: 'o:="null"'"#]);
    assert!(notes("id=007").is_empty() && notes("s=5").is_empty() && notes("id:=5").is_empty());
    assert_eq!(built(r#""id":{"type":["integer","string"]}"#, &[r#"id:="5""#], None).as_deref(), Ok(r#"{"id":"5"}"#));
}

/// What is offered as an example must be what the grammar turns into a value that fits.
#[test]
fn examples_can_be_typed_and_fit() {
    for properties in [
        r#""a":{"type":"integer"},"b":{"type":"string"},"c":{"type":"boolean"},"d":{"type":"number"},"e":{"type":"null"}"#,
        r#""a":{"type":"array","items":{"type":"string"}},"b":{"type":"object","required":["x"],"properties":{"x":{"type":"integer"}}}"#,
        r#""a":{"type":["integer","string"]},"b":{"enum":[3,"x"]},"c":{"type":"string","minLength":9},"d":{"const":"007"}"#,
        r#""a":{"anyOf":[{"type":"null"},{"type":"string"}]},"b":{"type":["string","integer"],"default":"5"},"c":{}"#,
        r#""a.b":{"type":"integer"},"名":{"type":"string"},"-v":{"type":"integer"},"a b":{"type":"string","default":"x=y@z"}"#,
    ] {
        let schema = raw(&format!(r#"{{"type":"object","properties":{{{properties}}}}}"#));
        let names: Vec<String> = crate::schema::outline(&schema)
            .into_iter()
            .filter(|field| field.depth == 0)
            .map(|field| json::quote(&field.path))
            .collect();
        let schema =
            raw(&format!(r#"{{"type":"object","properties":{{{properties}}},"required":[{}]}}"#, names.join(",")));
        let words: Vec<String> = crate::schema::example(&schema)
            .into_iter()
            .map(|(_, word)| word.replace('\'', ""))
            .map(|word| word.strip_prefix("--arg=").map(str::to_owned).unwrap_or(word))
            .collect();
        assert_eq!(words.len(), names.len());
        let pairs: Vec<Pair> = words.iter().map(|word| parse_pair(word).unwrap()).collect();
        let built = build(&pairs, None, Some(&schema)).unwrap_or_else(|error| panic!("{words:?}: {error}"));
        assert_eq!(crate::schema::check(&schema, &built.json).unwrap(), vec![], "{words:?}: {}", built.json);
    }
}
