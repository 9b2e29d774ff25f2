//! The grammar of arguments: any words and any schema give the text of a JSON object, or an error that can be told.
//!
//! The input is text: a schema on its first line, `--args` on its second (none if that is empty), then a pair a line. U+000B
//! stands for a line end inside of one. Pairs that name a file get one that holds what they name.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use mcpcli::arguments::{ArgumentError, Form, Pair, build, build_prompt, parse_pair, read_args};
use mcpcli::wire::RawJson;
use serde_json::Value;
use serde_json::value::RawValue;

/// The one file that pairs may name.
static FILE: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("mcpcli-fuzz-arguments-{}", std::process::id())));

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let mut lines = text.split('\n').map(|line| line.replace('\u{b}', "\n"));
    let schema: Option<RawJson> = lines.next().and_then(|line| RawValue::from_string(line).ok());
    let args = lines.next().filter(|args| !args.is_empty());
    let mut pairs = Vec::new();
    for word in lines {
        match parse_pair(&word) {
            Ok(pair) => {
                assert!(!pair.key.is_empty() && !pair.key.contains(['=', '@']));
                assert_eq!(format!("{}{}{}", pair.key, pair.form.separator(), pair.value), word);
                pairs.push(pair);
            }
            Err(error) => told(&error),
        }
    }
    files(&mut pairs);
    built(&pairs, args.as_deref(), schema.as_deref());
    for pair in &pairs {
        alone(pair, schema.as_deref());
    }
    match build_prompt(&pairs, args.as_deref()) {
        Ok(json) => assert!(object(&json).values().all(Value::is_string), "{json}"),
        Err(error) => told(&error),
    }
    // Standard input is what it is, and text without a sign is itself.
    let read = read_args("-", || Ok(data.to_vec()));
    assert_eq!(read.is_ok(), std::str::from_utf8(data).is_ok());
    if !text.starts_with('@') && text != "-" {
        assert_eq!(read_args(&text, || Ok(Vec::new())).as_deref(), Ok(&*text));
    }
});

/// Lets the first pair that names a file have one, and takes the others out: the input must not choose what is opened.
fn files(pairs: &mut Vec<Pair>) {
    let mut named = false;
    pairs.retain_mut(|pair| match pair.form {
        Form::Text | Form::Json => true,
        Form::FileText | Form::FileJson => {
            let first = !std::mem::replace(&mut named, true);
            if first {
                std::fs::write(&*FILE, &pair.value).expect("a file in the temporary folder");
                pair.value = FILE.to_string_lossy().into_owned();
            }
            first
        }
    });
}

fn built(pairs: &[Pair], args: Option<&str>, schema: Option<&RawValue>) -> Option<String> {
    let built = build(pairs, args, schema);
    assert_eq!(built, build(pairs, args, schema), "the same words give the same arguments");
    match built {
        Ok(built) => {
            object(&built.json);
            assert!(!built.json.contains('\n') && built.notes.iter().all(|note| !note.is_empty()));
            Some(built.json)
        }
        Err(error) => {
            told(&error);
            None
        }
    }
}

/// One pair by itself: the text of JSON is kept, and text without a schema is a string.
fn alone(pair: &Pair, schema: Option<&RawValue>) {
    let pairs = std::slice::from_ref(pair);
    match pair.form {
        Form::Json => {
            let is_json = serde_json::from_str::<&RawValue>(&pair.value).is_ok();
            let kept = without_blanks(&pair.value);
            let plain = built(pairs, None, None);
            assert_eq!(plain, is_json.then(|| format!("{{{}:{kept}}}", quoted(&pair.key))));
            let typed = built(pairs, None, schema);
            assert_eq!(typed.is_some(), is_json, "a schema has no say in JSON");
            assert!(typed.is_none_or(|typed| typed.contains(&format!(":{kept}}}"))), "{kept}");
        }
        Form::Text => {
            let plain = format!("{{{}:{}}}", quoted(&pair.key), quoted(&pair.value));
            assert_eq!(built(pairs, None, None), Some(plain));
            built(pairs, None, schema);
        }
        Form::FileText | Form::FileJson => {
            built(pairs, None, schema);
        }
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// JSON text without the blanks between its tokens.
fn without_blanks(json: &str) -> String {
    let (mut string, mut escaped) = (false, false);
    json.chars()
        .filter(|&c| {
            let keep = string || !matches!(c, ' ' | '\t' | '\r' | '\n');
            if escaped {
                escaped = false;
            } else if string && c == '\\' {
                escaped = true;
            } else if c == '"' {
                string = !string;
            }
            keep
        })
        .collect()
}

/// Reads what has to be an object. A reader that gives up for its depth, or for half a surrogate, finds no members.
fn object(json: &str) -> serde_json::Map<String, Value> {
    let raw: RawJson = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"));
    assert!(raw.get().starts_with('{'), "{json}");
    serde_json::from_str(json).unwrap_or_default()
}

fn told(error: &ArgumentError) {
    let failure = error.to_failure();
    assert!(!failure.message.is_empty() && failure.hint.is_none_or(|hint| !hint.is_empty()));
}
