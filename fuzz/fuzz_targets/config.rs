//! The reader of configuration files: any text is a file or an error, and no error shows what stands in a value.
//!
//! The input is the text of a file. Of JSON every text, and every number, in the description of a server gets a mark, and no
//! error may show it. Names are no secrets: of servers, keys, headers, variables.
#![no_main]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use mcpcli::config::{ConfigError, ConfigFile, Target, find, parse_bearer, parse_header};
use serde_json::Value;

/// Stands in values, and is no part of the name of a variable.
const MARK: &str = "~q7Zx~";
/// Stands in numbers.
const DIGITS: &str = "90715507";
/// What a variable holds.
const VARIABLE: &str = "~v4Ri~";

static FILE: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("mcpcli-fuzz-config-{}", std::process::id())));

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if [MARK, DIGITS, VARIABLE].iter().any(|mark| text.contains(mark)) {
        return;
    }
    servers(data, false);
    // A mark in the middle of anything: only names may show it.
    let mut marked = text.clone().into_owned();
    let at = marked.floor_char_boundary(marked.len() * data.first().map_or(0, |byte| usize::from(*byte)) / 256);
    marked.insert_str(at, MARK);
    if let Err(error @ (ConfigError::Read { .. } | ConfigError::NotJson { .. } | ConfigError::Shape { .. })) =
        read(marked.as_bytes())
    {
        hides(&error);
    }
    // A mark in every value.
    if let Ok(mut value) = serde_json::from_str::<Value>(&text) {
        if let Some(Value::Object(all)) = value.get_mut("mcpServers") {
            let mut seed = data.len();
            all.values_mut().for_each(|server| mark(server, &mut seed));
            servers(value.to_string().as_bytes(), true);
        }
    }
    headers(&text);
});

/// Reads every server of a file, and one that it has not.
fn servers(data: &[u8], marked: bool) {
    let file = match read(data) {
        Ok(file) => file,
        Err(error) => return told(&error, marked),
    };
    let names: Vec<String> = file.names().into_iter().map(str::to_owned).collect();
    assert!(file.only_http().is_none_or(|name| names == [name]));
    assert!(!marked || !format!("{file:?}").contains(MARK));
    for name in names.iter().map(String::as_str).chain(["no such server"]) {
        for env in [&none as &dyn Fn(&str) -> Option<String>, &some, &empty] {
            let entry = file.get(name, env);
            assert_eq!(entry, file.get(name, env));
            match entry {
                Ok(entry) => {
                    assert_eq!(entry.name, name);
                    let debug = format!("{entry:?}");
                    // A program's name is shown.
                    let shown = matches!(&entry.target, Target::Stdio { .. });
                    assert!(shown || !marked || !debug.contains(MARK), "{debug}");
                    assert!(shown || !debug.contains(VARIABLE), "{debug}");
                    sound(&entry.target);
                }
                Err(error) => {
                    told(&error, marked);
                    assert!(!format!("{error} {error:?} {:?}", error.hint()).contains(VARIABLE), "{error}");
                }
            }
        }
    }
}

fn none(_: &str) -> Option<String> {
    None
}

fn some(_: &str) -> Option<String> {
    Some(format!("{VARIABLE}\r\n\0{VARIABLE}"))
}

fn empty(_: &str) -> Option<String> {
    Some(String::new())
}

/// What can be sent or started: no control characters where there can be none.
fn sound(target: &Target) {
    match target {
        Target::Http { url, headers, .. } => {
            assert!(!url.is_empty());
            for (name, value) in headers {
                assert!(name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':') && !name.is_empty());
                assert!(value.expose().bytes().all(|byte| byte == b'\t' || !byte.is_ascii_control()), "{name}");
            }
        }
        Target::Stdio { command, args, env, .. } => {
            assert!(!command.is_empty());
            let words = [command].into_iter().chain(args);
            assert!(words.chain(env.iter().map(|(name, _)| name)).all(|word| !word.contains('\0')));
            assert!(env.iter().all(|(_, value)| !value.expose().contains('\0')));
        }
    }
}

fn read(data: &[u8]) -> Result<ConfigFile, ConfigError> {
    std::fs::write(&*FILE, data).expect("a file in the temporary folder");
    let found = find(Some(&FILE), Path::new("/"), None)?;
    Ok(found.expect("a file that was named"))
}

/// Puts the mark into every text and number below a value; where in a text, the seed says.
fn mark(value: &mut Value, seed: &mut usize) {
    *seed = seed.wrapping_mul(31).wrapping_add(7);
    match value {
        Value::String(text) => {
            let at = text.floor_char_boundary(*seed % (text.len() + 1));
            text.insert_str(at, MARK);
        }
        Value::Number(number) => {
            if let Ok(marked) = serde_json::from_str(&format!("{DIGITS}{}", number.to_string().trim_start_matches('-')))
            {
                *value = marked;
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|one| mark(one, seed)),
        Value::Object(all) => all.values_mut().for_each(|one| mark(one, seed)),
        Value::Null | Value::Bool(_) => {}
    }
}

fn hides(error: &ConfigError) {
    let failure = error.to_failure();
    for text in [format!("{error} {error:?} {:?} {:?}", error.hint(), error.pointer()), format!("{failure:?}")] {
        assert!(!text.contains(MARK) && !text.contains(DIGITS), "{text}");
    }
}

fn told(error: &ConfigError, marked: bool) {
    assert!(!error.to_string().is_empty() && !error.to_failure().message.is_empty());
    assert_eq!(error.path(), &**FILE);
    // Numbers stand in keys too, so that only what was marked is looked at.
    if marked {
        hides(error);
    }
}

/// Headers and tokens of the command line: no error shows the value.
fn headers(text: &str) {
    let marked = format!("{text}{MARK}");
    match parse_header(&marked) {
        Ok((name, value)) => assert!(!name.is_empty() && value.expose().ends_with(MARK)),
        Err(error) => assert!(!format!("{error} {error:?} {:?}", error.to_failure()).contains(MARK), "{error}"),
    }
    match parse_bearer(&marked) {
        Ok(token) => assert!(token.expose().ends_with(MARK)),
        Err(error) => assert!(!format!("{error} {error:?} {:?}", error.to_failure()).contains(MARK), "{error}"),
    }
}
