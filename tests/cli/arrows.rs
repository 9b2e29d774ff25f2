//! Holds the rooms of the crate to the picture in the documentation of `src/lib.rs`.
//!
//! The picture is a fenced `text` block there that begins with a line `rooms`; each line after it is `name -> a, b`, where a
//! leaf has nothing behind the arrow. A room is a file or a folder directly under `src/`; its tests may use any other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Rooms = BTreeMap<String, BTreeSet<String>>;

#[test]
fn rooms_use_each_other_only_as_the_picture_says() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let picture = picture(&fs::read_to_string(src.join("lib.rs")).unwrap()).unwrap();
    let mut problems = circle(&picture).into_iter().collect::<Vec<_>>();
    let mut files = Vec::new();
    gather(&src, &mut files);
    let sources: Vec<(PathBuf, String)> = files
        .into_iter()
        .map(|path| (path.strip_prefix(&src).unwrap().to_owned(), fs::read_to_string(&path).unwrap()))
        .collect();
    assert!(sources.len() > 3, "found only {} files under {}", sources.len(), src.display());
    problems.extend(violations(&picture, &sources));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn gather(dir: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            gather(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Reads the picture out of the source of `lib.rs`.
fn picture(lib: &str) -> Result<Rooms, String> {
    let docs =
        lib.lines().map_while(|line| line.strip_prefix("//!")).map(|line| line.strip_prefix(' ').unwrap_or(line));
    let docs: Vec<&str> = docs.collect();
    let start = docs.windows(2).position(|pair| pair[0].trim() == "```text" && pair[1].trim() == "rooms");
    let start = start.ok_or("the documentation of src/lib.rs has no ```text block that begins with a line `rooms`")?;
    let mut rooms = Rooms::new();
    for line in docs[start + 2..].iter().take_while(|line| line.trim() != "```").filter(|line| !line.trim().is_empty())
    {
        let (name, uses) = line.split_once("->").ok_or_else(|| format!("no arrow in the picture's line {line:?}"))?;
        let uses = uses.split(',').map(|room| room.trim().to_owned()).filter(|room| !room.is_empty()).collect();
        if rooms.insert(name.trim().to_owned(), uses).is_some() {
            return Err(format!("the picture has {} twice", name.trim()));
        }
    }
    match rooms.values().flatten().find(|room| !rooms.contains_key(*room)) {
        Some(stranger) => Err(format!("the picture has an arrow to {stranger}, which has no line of its own")),
        None => Ok(rooms),
    }
}

/// A way in the picture from a room back to itself.
fn circle(picture: &Rooms) -> Option<String> {
    picture.keys().find_map(|start| {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&String> = picture[start].iter().collect();
        while let Some(room) = next.pop() {
            if room == start {
                return Some(format!("the picture leads from {start} back to {start}"));
            }
            if seen.insert(room) {
                next.extend(&picture[room]);
            }
        }
        None
    })
}

/// Every use that the picture does not allow, and every room that is not in it.
fn violations(picture: &Rooms, sources: &[(PathBuf, String)]) -> Vec<String> {
    let mut problems = BTreeSet::new();
    for (path, source) in sources {
        let room = room_of(path);
        // The root declares the rooms; it uses none of them.
        if room == "lib" {
            continue;
        }
        let Some(allowed) = picture.get(&room) else {
            problems.insert(format!("{room} ({}) is not in the picture of src/lib.rs", path.display()));
            continue;
        };
        for (line, used) in uses(path, source, picture) {
            if used != room && !allowed.contains(&used) {
                problems.insert(format!("src/{}:{line}: {room} -> {used} is not in the picture", path.display()));
            }
        }
    }
    problems.into_iter().collect()
}

fn room_of(path: &Path) -> String {
    let first = path.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.strip_suffix(".rs").map_or(first.clone(), str::to_owned)
}

/// The rooms that a file names, with the number of the line.
fn uses(path: &Path, source: &str, rooms: &Rooms) -> Vec<(usize, String)> {
    let code = code(source);
    let mut found = Vec::new();
    // From a file directly under `src/`, or the head of a folder there, `super` is the root as well.
    let depth = path.components().count() - usize::from(path.ends_with("mod.rs"));
    let mut roots = vec!["crate::", "mcpcli::"];
    if depth == 1 {
        roots.push("super::");
    }
    for root in roots {
        for (at, _) in code.match_indices(root) {
            let inside_a_word = code[..at].ends_with(|last: char| last.is_alphanumeric() || last == '_' || last == ':');
            if inside_a_word {
                continue;
            }
            let line = code[..at].matches('\n').count() + 1;
            // A name that is no room is a macro, or whatever `super` means there.
            let names = heads(&code[at + root.len()..]).into_iter().filter(|name| rooms.contains_key(name));
            found.extend(names.map(|name| (line, name)));
        }
    }
    found
}

/// The first names of a path, or of each path of a group.
fn heads(rest: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|next| next.is_alphanumeric() || *next == '_').collect()
    };
    let Some(group) = rest.strip_prefix('{') else { return vec![word(rest)] };
    let (mut depth, mut start, mut names) = (0, 0, Vec::new());
    for (at, next) in group.char_indices() {
        match next {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.push(word(&group[start..at]));
                start = at + 1;
                if next == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The source without its comments and its tests, line for line.
fn code(source: &str) -> String {
    let mut code = String::new();
    let mut tests = false;
    for line in source.lines() {
        // By convention the tests are the last thing in a file.
        tests =
            tests || line.trim_start().starts_with("#[cfg(test)]") || line.trim_start().starts_with("#[cfg(all(test");
        if !tests && !line.trim_start().starts_with("//") {
            code.push_str(line);
        }
        code.push('\n');
    }
    code
}

const SAMPLE: &str = "//! A crate.\n//!\n//! ```text\n//! rooms\n//! main -> client\n//! client -> wire, trace\n\
                      //! wire ->\n//! trace ->\n//! ```\npub mod client;\n";

fn violations_of(path: &str, source: &str) -> Vec<String> {
    violations(&picture(SAMPLE).unwrap(), &[(PathBuf::from(path), source.to_owned())])
}

#[test]
fn the_picture_is_read_and_must_be_whole() {
    let rooms = picture(SAMPLE).unwrap();
    assert_eq!(rooms["client"], BTreeSet::from(["trace".to_owned(), "wire".to_owned()]));
    assert!(rooms["wire"].is_empty());
    assert_eq!(circle(&rooms), None);
    let round = picture(&SAMPLE.replace("wire ->", "wire -> main")).unwrap();
    assert_eq!(circle(&round).as_deref(), Some("the picture leads from client back to client"));
    assert!(picture("//! nothing").is_err());
    assert!(picture(&SAMPLE.replace("wire ->\n", "wire\n")).is_err());
    assert!(picture(&SAMPLE.replace("//! trace ->\n", "")).is_err());
}

#[test]
fn arrows_are_found_however_they_are_written() {
    let allowed = "use crate::wire::X;\nuse crate::{\n    trace::{Y, Z},\n    wire,\n};\nuse crate::client::A;\n";
    assert!(violations_of("client/peer.rs", allowed).is_empty());
    for source in [
        "\nuse crate::client::X;",
        "\nuse crate::{trace::{wire, Q}, client::X};",
        "\nlet x = crate::client::f();",
        "\nuse super::client;",
    ] {
        let got = violations_of("wire/mod.rs", source);
        assert!(
            got.contains(&"src/wire/mod.rs:2: wire -> client is not in the picture".to_owned()),
            "{source}: {got:?}"
        );
    }
    assert_eq!(violations_of("main.rs", "use mcpcli::trace::T;").len(), 1);
    assert_eq!(violations_of("attic.rs", ""), ["attic (attic.rs) is not in the picture of src/lib.rs"]);
}

#[test]
fn comments_tests_and_other_words_are_no_arrows() {
    let source = "//! [`crate::client::X`]\n/// crate::client\nuse super::lines;\nuse process_crate::client;\n\
                  #[cfg(test)]\nmod tests {\n    use crate::client::X;\n}\n";
    assert_eq!(violations_of("wire/sse.rs", source), Vec::<String>::new());
    assert_eq!(violations_of("lib.rs", "use crate::anything;"), Vec::<String>::new());
}
