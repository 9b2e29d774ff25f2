//! The tables of this room's behaviour.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::outcome::{Category, Reason};

const FILE: &str = "/work/project/.mcp.json";

fn env(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("S3CRET".to_owned()),
        "PORT" => Some("8080".to_owned()),
        "EVIL" => Some("S3CRET\r\nX: y".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    }
}

fn get(server: &str) -> Result<ServerEntry, ConfigError> {
    let text = format!(r#"{{"mcpServers":{{"other":{{"url":"${{NOPE}}"}},"srv":{server}}}}}"#);
    find::parse(Path::new(FILE), &text)?.get("srv", &env)
}

#[test]
fn http_servers_are_read() {
    let entry = get(
        r#"{"url":"http://localhost:${PORT}/mcp","type":"sse","headers":{"Authorization":"Bearer ${TOKEN}","X-Note":" a: b  c "},
            "timeout":5,"sse_read_timeout":"5m","alwaysAllow":["x"],"disabled":false}"#,
    )
    .unwrap();
    assert_eq!((entry.name.as_str(), entry.origin.as_path()), ("srv", Path::new(FILE)));
    assert_eq!(entry.unused, ["alwaysAllow", "disabled"]);
    assert_eq!(
        entry.target,
        Target::Http {
            url: "http://localhost:8080/mcp".to_owned(),
            transport: Some(TransportHint::Sse),
            headers: vec![
                ("Authorization".to_owned(), Secret::new("Bearer S3CRET")),
                ("X-Note".to_owned(), Secret::new("a: b  c")),
            ],
            timeout: Some(Some(Duration::from_secs(5))),
            sse_read_timeout: Some(Some(Duration::from_secs(300))),
        }
    );
    assert!(!format!("{entry:?}").contains("S3CRET"));
    for (kind, expected) in [
        (r#""type":"http""#, Some(TransportHint::Http)),
        (r#""transport":"streamable-http""#, Some(TransportHint::Http)),
        (r#""type":"streamableHttp","transport":"http""#, Some(TransportHint::Http)),
        (r#""transport":"SSE""#, Some(TransportHint::Sse)),
        (r#""transport":null"#, None),
    ] {
        let entry = get(&format!(r#"{{"url":"http://h/",{kind}}}"#)).unwrap();
        assert!(matches!(entry.target, Target::Http { transport, .. } if transport == expected), "{kind}");
    }
}

#[test]
fn stdio_servers_are_read() {
    let entry = get(
        r#"{"type":"stdio","command":"npx","args":["-y","srv","--token=${TOKEN}",""],"env":{"KEY":"a=${TOKEN}","E":""},"cwd":"sub/dir","timeout":"1500ms"}"#,
    )
    .unwrap();
    assert_eq!(
        entry.target,
        Target::Stdio {
            command: "npx".to_owned(),
            args: ["-y", "srv", "--token=S3CRET", ""].map(str::to_owned).to_vec(),
            env: vec![("KEY".to_owned(), Secret::new("a=S3CRET")), ("E".to_owned(), Secret::new(""))],
            cwd: Some(PathBuf::from("/work/project/sub/dir")),
            timeout: Some(Some(Duration::from_millis(1500))),
        }
    );
    assert!(!format!("{entry:?}").contains("S3CRET"));
    let cwd = |text: &str| match get(&format!(r#"{{"command":"x","cwd":"{text}"}}"#)).unwrap().target {
        Target::Stdio { cwd, timeout: None, .. } => cwd,
        other => panic!("{other:?}"),
    };
    assert_eq!(cwd("/abs"), Some(PathBuf::from("/abs")));
    assert_eq!(cwd("."), Some(PathBuf::from("/work/project/.")));
}

#[test]
fn times_are_seconds_or_have_a_unit() {
    for (json, expected) in [
        ("0", None),
        ("\"0\"", None),
        ("0.5", Some(500)),
        ("30", Some(30_000)),
        ("\"30\"", Some(30_000)),
        ("\"1500ms\"", Some(1500)),
        ("\"${T:-2m}\"", Some(120_000)),
    ] {
        let target = get(&format!(r#"{{"url":"u","timeout":{json}}}"#)).unwrap().target;
        let expected = Some(expected.map(Duration::from_millis));
        assert!(matches!(&target, Target::Http { timeout, .. } if *timeout == expected), "{json}: {target:?}");
    }
    for json in ["-1", "\"soon\"", "true", "[]", "1e3", "\"\"", "\"${TOKEN}\""] {
        let error = get(&format!(r#"{{"url":"u","timeout":{json}}}"#)).unwrap_err();
        assert_eq!(error.pointer().as_deref(), Some("/mcpServers/srv/timeout"), "{json}");
        assert!(!error.to_string().contains("S3CRET"), "{error}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_without_its_value() {
    for (server, pointer, part) in [
        ("[]", "", "must be an object, is an array"),
        ("null", "", "must be an object, is null"),
        ("{}", "", "has neither `url` nor `command`"),
        (r#"{"uri":"http://h/"}"#, "", "has neither `url` nor `command`, but `uri`"),
        (r#"{"url":"u","command":"c"}"#, "", "has both `url` and `command`"),
        (r#"{"url":5}"#, "/url", "must be a string, is a number"),
        (r#"{"url":""}"#, "/url", "must not be empty"),
        (r#"{"url":"${EMPTY}"}"#, "/url", "must not be empty"),
        (r#"{"url":"u","url":"v"}"#, "/url", "stands twice"),
        (r#"{"url":"u","type":"ws"}"#, "/type", "must be http"),
        (r#"{"url":"u","type":{}}"#, "/type", "must be a string"),
        (r#"{"url":"u","type":"http","transport":"sse"}"#, "/transport", "something else than `type`"),
        (r#"{"url":"u","type":"stdio"}"#, "/url", "does not go with the transport stdio"),
        (r#"{"command":"c","type":"http"}"#, "/command", "does not go with a transport over HTTP"),
        (r#"{"url":"u","headers":["S3CRET"]}"#, "/headers", "must be an object of strings, is an array"),
        (r#"{"url":"u","headers":{"A":5}}"#, "/headers/A", "must be a string, is a number"),
        (r#"{"url":"u","headers":{"A b":"S3CRET"}}"#, "/headers/A b", "is no header name"),
        (r#"{"url":"u","headers":{"":"S3CRET"}}"#, "/headers/", "is no header name"),
        (r#"{"url":"u","headers":{"a/b~":"S3CRET"}}"#, "/headers/a~1b~0", "is no header name"),
        (r#"{"url":"u","headers":{"A":"${EVIL}"}}"#, "/headers/A", "holds a line break"),
        (r#"{"url":"u","headers":{"A":"S3CRET\u0000"}}"#, "/headers/A", "holds a NUL"),
        (r#"{"url":"u","headers":{"A":"1","a":"2"}}"#, "/headers/a", "is there already"),
        (r#"{"url":"u","headers":{"authorization":"Bearer Bearer S3CRET"}}"#, "/headers/authorization", "scheme twice"),
        (
            r#"{"url":"u","headers":{"A":"${input:S3CRET}"}}"#,
            "/headers/A",
            "must hold the name of an environment variable",
        ),
        (r#"{"url":"u${S3CRET"}"#, "/url", "without its `}`"),
        (r#"{"command":["npx"]}"#, "/command", "must be a string, is an array"),
        (r#"{"command":"c","args":"S3CRET"}"#, "/args", "must be an array of strings, is a string"),
        (r#"{"command":"c","args":["a",5]}"#, "/args/1", "must be a string, is a number"),
        (r#"{"command":"c","args":["\u0000S3CRET"]}"#, "/args/0", "NUL"),
        (r#"{"command":"c","env":{"PORT":3000}}"#, "/env/PORT", "must be a string, is a number"),
        (r#"{"command":"c","env":{"A=B":"S3CRET"}}"#, "/env/A=B", "is no name of an environment variable"),
        (r#"{"command":"c","env":{"A":"1","A":"2"}}"#, "/env/A", "stands twice"),
        (r#"{"command":"c","cwd":7}"#, "/cwd", "must be a string"),
    ] {
        let error = get(server).unwrap_err();
        let failure = error.to_failure();
        assert_eq!((failure.category, failure.reason), (Category::Usage, Some(Reason::Config)), "{server}");
        assert_eq!(error.pointer(), Some(format!("/mcpServers/srv{pointer}")), "{server}");
        assert!(failure.message.contains(part), "{server}: {}", failure.message);
        assert!(failure.message.contains(FILE) && failure.message.contains("`srv`"), "{}", failure.message);
        let everything = format!("{failure:?}{error:?}");
        assert!(!everything.contains("S3CRET"), "{server}: {everything}");
    }
}

/// NET-07
#[test]
fn an_unset_variable_is_named_with_its_place() {
    for (server, pointer) in [
        (r#"{"url":"u","headers":{"Authorization":"Bearer S3CRET ${NOPE}"}}"#, "/headers/Authorization"),
        (r#"{"url":"http://${NOPE}/S3CRET"}"#, "/url"),
        (r#"{"command":"${NOPE}"}"#, "/command"),
        (r#"{"command":"c","args":["a","${NOPE}"]}"#, "/args/1"),
        (r#"{"command":"c","env":{"K":"${NOPE}"}}"#, "/env/K"),
        (r#"{"command":"c","cwd":"${NOPE}"}"#, "/cwd"),
        (r#"{"url":"u","type":"${NOPE}"}"#, "/type"),
    ] {
        let error = get(server).unwrap_err();
        assert!(matches!(&error, ConfigError::Unset { variable, .. } if variable == "NOPE"), "{server}: {error}");
        assert_eq!(error.pointer(), Some(format!("/mcpServers/srv{pointer}")));
        let failure = error.to_failure();
        assert!(failure.message.ends_with("the environment variable NOPE is not set"), "{}", failure.message);
        assert!(failure.hint.as_ref().is_some_and(|hint| hint.contains("${NOPE:-default}")), "{:?}", failure.hint);
        assert!(!format!("{failure:?}").contains("S3CRET"));
    }
}

#[test]
fn names_are_known_and_the_nearest_are_offered() {
    let file = find::parse(
        Path::new(FILE),
        r#"{"mcpServers":{"github":{"url":"u"},"gitlab":{"url":"u"},"x y/名":{"url":"u"}}}"#,
    );
    let file = file.unwrap();
    assert_eq!(file.names(), ["github", "gitlab", "x y/名"]);
    assert!(file.get("x y/名", &env).is_ok());
    let failure = file.get("githb", &env).unwrap_err().to_failure();
    assert_eq!(failure.reason, Some(Reason::UnknownName));
    assert!(
        failure.message.contains("`githb`") && failure.message.contains("did you mean `github`"),
        "{}",
        failure.message
    );
    assert!(failure.message.contains(FILE));
    assert!(failure.hint.is_some_and(|hint| hint.contains("github, gitlab, x y/名")));
    let twice = find::parse(Path::new(FILE), r#"{"mcpServers":{"a":{"url":"u"},"a":{"url":"v"}}}"#).unwrap();
    assert!(twice.get("a", &env).unwrap_err().to_string().contains("stands twice in the file"));
    assert!(
        !format!("{:?}", find::parse(Path::new(FILE), r#"{"mcpServers":{"a":{"url":"S3CRET"}}}"#)).contains("S3CRET")
    );
}

#[test]
fn only_an_http_server_is_taken_unasked() {
    for (servers, expected) in [
        (r#""a":{"url":"u"}"#, Some("a")),
        (r#""a":{"url":"u"},"b":{"url":"u"}"#, None),
        (r#""a":{"command":"c"}"#, None),
        (r#""a":{"url":"u","command":"c"}"#, None),
        (r#""a":5"#, None),
        ("", None),
    ] {
        let file = find::parse(Path::new(FILE), &format!(r#"{{"mcpServers":{{{servers}}}}}"#)).unwrap();
        assert_eq!(file.only_http(), expected, "{servers}");
    }
}

#[test]
fn the_nearest_file_counts() {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    };
    let one = |name: &str| format!(r#"{{"mcpServers":{{"{name}":{{"url":"u"}}}}}}"#);
    let deep = root.path().join("a/b/c");
    fs::create_dir_all(&deep).unwrap();
    let user = root.path().join("home/mcpcli");
    let names = |explicit: Option<&Path>| {
        let found = find(explicit, &deep, Some(&user)).unwrap();
        found.map(|file| file.names().join(","))
    };
    // Nothing above the temporary folder has such a file, or this cannot be tested here.
    assert_eq!(names(None), None);
    write("home/mcpcli/mcp.json", &one("user"));
    assert_eq!(names(None).as_deref(), Some("user"));
    write("a/.mcp.json", &one("project"));
    assert_eq!(names(None).as_deref(), Some("project"));
    fs::create_dir_all(root.path().join("a/b/.mcp.json")).unwrap();
    assert_eq!(names(None).as_deref(), Some("project"), "a folder of that name is no file");
    write("a/b/c/.mcp.json", &format!("\u{feff}{}", one("here")));
    assert_eq!(names(None).as_deref(), Some("here"));
    let explicit = write("other.json", &one("explicit"));
    assert_eq!(names(Some(&explicit)).as_deref(), Some("explicit"));

    let missing = root.path().join("missing.json");
    let failure = find(Some(&missing), &deep, None).unwrap_err().to_failure();
    assert_eq!(failure.reason, Some(Reason::File));
    assert!(
        failure.message.contains("missing.json") && failure.message.contains("No such file"),
        "{}",
        failure.message
    );
    for (text, part) in [
        ("", "is not JSON: EOF while parsing a value at line 1 column 0"),
        ("{\n  \"mcpServers\": {,}\n}", "at line 2 column 18"),
        ("[]", "is an array instead of an object"),
        ("{}", "has no `mcpServers`"),
        (r#"{"servers":{}}"#, "has no `mcpServers`"),
        (r#"{"mcpServers":[]}"#, "has an array as `mcpServers`"),
    ] {
        let path = write("a/b/c/.mcp.json", text);
        let failure = find(None, &deep, Some(&user)).unwrap_err().to_failure();
        assert!(failure.message.contains(part), "{text:?}: {}", failure.message);
        assert!(failure.message.contains(path.to_str().unwrap()), "{}", failure.message);
        let hint = failure.hint.unwrap_or_default();
        assert_eq!(hint.contains("reads them as"), text.contains("\"servers\""), "{text:?}: {hint}");
        assert!(!hint.is_empty(), "{text:?}");
    }
    fs::write(root.path().join("a/b/c/.mcp.json"), b"{\"caf\xe9\":1}").unwrap();
    assert!(find(None, &deep, None).unwrap_err().to_string().contains("not UTF-8 at byte 5"));
}

/// NET-07
#[test]
fn headers_keep_everything_behind_the_first_colon() {
    for (text, name, value) in [
        ("Authorization: Bearer V:ab c", "Authorization", "Bearer V:ab c"),
        ("X-A:b", "X-A", "b"),
        ("X-A:", "X-A", ""),
        ("X-A: \t a\tb \t", "X-A", "a\tb"),
        ("X-Uni: é", "X-Uni", "é"),
        ("x!#$%&'*+-.^_`|~9: v", "x!#$%&'*+-.^_`|~9", "v"),
        ("X-Scheme: Bearer Bearer x", "X-Scheme", "Bearer Bearer x"),
    ] {
        assert_eq!(parse_header(text), Ok((name.to_owned(), Secret::new(value))), "{text}");
    }
    let value = |what| HeaderError::Value { name: "X-A".to_owned(), what };
    for (text, expected) in [
        ("S3CRET", HeaderError::NoColon),
        ("", HeaderError::NoColon),
        (": S3CRET", HeaderError::NoName),
        ("Bearer S3CRET: x", HeaderError::Name),
        ("Ä: S3CRET", HeaderError::Name),
        ("X-A: S3CRET\r\nX-B: 1", value("a line break")),
        ("X-A: S3CRET\n", value("a line break")),
        ("X-A: \0S3CRET", value("a NUL")),
        ("X-A: S3\u{7f}CRET", value("a control character")),
        ("Authorization: Bearer bearer S3CRET", HeaderError::TwoSchemes { name: "Authorization".to_owned() }),
        ("authorization: Authorization: S3CRET", HeaderError::TwoSchemes { name: "authorization".to_owned() }),
        ("authorization: Basic Authorization: S3CRET", HeaderError::TwoSchemes { name: "authorization".to_owned() }),
    ] {
        let error = parse_header(text).unwrap_err();
        assert_eq!(error, expected, "{text:?}");
        let failure = error.to_failure();
        assert_eq!((failure.category, failure.reason), (Category::Usage, Some(Reason::CommandLine)));
        assert!(!format!("{error}{error:?}").contains("S3CRET"), "{error}");
    }
}

/// NET-07
#[test]
fn a_bearer_token_stands_alone() {
    assert_eq!(parse_bearer("abc.DEF-_~+/="), Ok(Secret::new("abc.DEF-_~+/=")));
    assert_eq!(parse_bearer("token-from-a-file\n"), Ok(Secret::new("token-from-a-file")));
    for (text, part) in [
        ("Authorization: Bearer S3CRET", "begins with `Authorization:`"),
        ("bearer S3CRET", "begins with `Bearer`"),
        ("BEARER S3CRET", "begins with `Bearer`"),
        ("", "is empty"),
        ("  ", "is empty"),
        ("S3CRET S3CRET", "holds a blank"),
        ("S3CRET\r\nX: y", "holds a line break"),
        ("S3\u{1b}CRET", "holds a control character"),
    ] {
        let error = parse_bearer(text).unwrap_err();
        assert!(error.to_string().contains(part), "{text:?}: {error}");
        assert!(!format!("{error}{error:?}").contains("CRET"), "{error}");
    }
}

proptest! {
    #[test]
    fn any_server_is_read_or_refused(
        url in prop::option::of("\\PC{0,6}"), command in prop::option::of("(\"\\PC{0,4}\"|5|null|\\[\\])"),
        key in "(type|headers|args|env|cwd|timeout|\\PC{0,3})", value in "(\"\\PC{0,6}\"|\\{\"a\":\"b\"\\}|\\[1\\]|-1|null)",
    ) {
        let url = url.map(|url| format!("\"url\":{},", crate::wire::json::quote(&url))).unwrap_or_default();
        let command = command.map(|command| format!("\"command\":{command},")).unwrap_or_default();
        let text = format!(r#"{{"mcpServers":{{"s":{{{url}{command}{}:{value}}}}}}}"#, crate::wire::json::quote(&key));
        if let Ok(file) = find::parse(Path::new(FILE), &text) {
            match file.get("s", &env) {
                Ok(entry) => prop_assert_eq!(entry.name, "s"),
                Err(error) => prop_assert!(error.to_string().contains(FILE)),
            }
        }
    }

    #[test]
    fn headers_never_panic_and_never_leak(name in "\\PC{0,5}", value in any::<String>()) {
        if let Err(error) = parse_header(&format!("{name}:{value}secretsecret")) {
            let shown = format!("{error:?} {error}");
            prop_assert!(!shown.contains("secretsecret"));
        }
        let _ = parse_bearer(&value);
    }
}
