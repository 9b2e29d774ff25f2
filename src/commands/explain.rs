//! `explain`: what a code, a category, a reason or a warning means. It needs no server.

use crate::outcome::{Category, Failure, Reason, WarningId};
use crate::report::Explanation;
use crate::wire::codes::{self, Row};

/// What each reason means, and of which category it is.
const REASONS: &[(Reason, Category, &str)] = &[
    (Reason::Dns, Category::Transport, "The host name has no address. No server was reached."),
    (
        Reason::Connect,
        Category::Transport,
        "No TCP connection: nobody listens there, or the way is blocked. No server was reached.",
    ),
    (
        Reason::Tls,
        Category::Transport,
        "TCP stands, but no TLS session: a certificate, a name or a version does not fit. Nothing was sent.",
    ),
    (Reason::Proxy, Category::Transport, "The proxy refused or cannot be reached. The server was not reached."),
    (Reason::Spawn, Category::Transport, "The server program could not be started."),
    (
        Reason::Http,
        Category::Transport,
        "An HTTP answer came, but it is not an MCP answer: its status, its media type, a web page, a redirect.",
    ),
    (
        Reason::Stream,
        Category::Transport,
        "Contact existed, then it broke before the answer: a reset, an early end, a cut body, a process that ended.",
    ),
    (
        Reason::Idle,
        Category::Timeout,
        "Nothing happened for as long as --timeout. Progress of the request resets this clock.",
    ),
    (Reason::MaxTime, Category::Timeout, "The whole command took as long as --max-time. Nothing resets this clock."),
    (Reason::ConnectTimeout, Category::Timeout, "DNS, TCP and TLS together took as long as --connect-timeout."),
    (Reason::NotJson, Category::Protocol, "What came in place of a message is not JSON."),
    (
        Reason::NotJsonRpc,
        Category::Protocol,
        "What came is JSON, but not a JSON-RPC 2.0 message that answers the request.",
    ),
    (Reason::TooLarge, Category::Protocol, "One message is larger than --max-message-size."),
    (Reason::TooDeep, Category::Protocol, "A message nests its brackets deeper than the limit."),
    (
        Reason::WrongId,
        Category::Protocol,
        "The only answer that came has the id of no request. The server may have done what was asked.",
    ),
    (Reason::Endpoint, Category::Protocol, "HTTP+SSE: the endpoint event is missing, or holds no URL."),
    (
        Reason::EndpointOrigin,
        Category::Protocol,
        "HTTP+SSE: the endpoint event names another origin; following it could send credentials there.",
    ),
    (
        Reason::ResultShape,
        Category::Protocol,
        "A result lacks what the result of its method must have, so that nothing in it can be used.",
    ),
    (Reason::Version, Category::Protocol, "Client and server have no protocol version in common."),
    (
        Reason::CursorLoop,
        Category::Protocol,
        "The pages of a list never end: a cursor came back, or --max-pages was reached.",
    ),
    (Reason::Encoding, Category::Protocol, "A binary block is not valid base64, and a file was to be written from it."),
    (Reason::Strict, Category::Protocol, "A warning about the server, taken for a violation because of --strict."),
    (Reason::Unauthorized, Category::Auth, "401: the server asks for a credential, or refuses the one it was sent."),
    (Reason::Forbidden, Category::Auth, "403 with a challenge: the credential is known, but does not allow this."),
    (
        Reason::CommandLine,
        Category::Usage,
        "The command line cannot be understood, or its options contradict one another.",
    ),
    (Reason::Config, Category::Usage, "A configuration file, or something that it names, cannot be used."),
    (Reason::Arguments, Category::Usage, "The arguments cannot be read, or do not fit the schema. They were not sent."),
    (
        Reason::UnknownName,
        Category::Usage,
        "There is no tool, prompt, resource or server of that name. Nothing was sent to it.",
    ),
    (Reason::File, Category::Usage, "A file could not be read or written."),
];

/// Explains each of the given names, or everything there is.
///
/// # Errors
/// A name is unknown.
pub fn explain(what: &[String]) -> Result<Vec<Explanation>, Box<Failure>> {
    if what.is_empty() {
        return Ok(everything());
    }
    // `explain tool error` is one name in two words.
    let together = one(&what.join("-"));
    if what.len() > 1 && !together.is_empty() {
        return Ok(together);
    }
    let mut entries = Vec::new();
    for name in what {
        let found = one(name);
        if found.is_empty() {
            return Err(Box::new(unknown(name)));
        }
        entries.extend(found);
    }
    Ok(entries)
}

fn everything() -> Vec<Explanation> {
    KINDS.iter().flat_map(|kind| of_kind(kind)).collect()
}

/// The kinds of entries, in their order.
const KINDS: [&str; 4] = ["categories", "reasons", "codes", "warnings"];

fn of_kind(kind: &str) -> Vec<Explanation> {
    match kind {
        "categories" => Category::ALL.into_iter().map(of_category).collect(),
        "reasons" => REASONS.iter().map(of_reason).collect(),
        "codes" => codes::ROWS.iter().map(of_code).collect(),
        "warnings" => WarningId::ALL.iter().map(|warning| of_warning(*warning)).collect(),
        _ => Vec::new(),
    }
}

/// A name as it is written in the tables: small letters, words joined by a dash.
fn plain(name: &str) -> String {
    let words: Vec<_> = name.split([' ', '_', '-']).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.join("-")
}

/// Everything of that name: `connect-timeout` is a reason, `result-shape` a reason and a warning.
fn one(name: &str) -> Vec<Explanation> {
    let name = name.trim().trim_start_matches("warning[").trim_end_matches(']');
    if let Ok(code) = name.parse::<i64>() {
        return of_number(code);
    }
    let name = plain(name);
    let named = |category: &Category| category.name() == name || plain(category.heading()) == name;
    let category = Category::ALL.into_iter().find(named).map(of_category);
    let reason = REASONS.iter().find(|(reason, ..)| reason.name() == name).map(of_reason);
    let warning = WarningId::ALL.iter().find(|warning| warning.id() == name).map(|warning| of_warning(*warning));
    category.into_iter().chain(reason).chain(warning).chain(of_kind(&name)).collect()
}

/// A number: an exit code of mcpcli, if it is one, and what it means as a JSON-RPC code.
fn of_number(code: i64) -> Vec<Explanation> {
    let exit = Category::ALL.into_iter().find(|category| i64::from(category.exit_code()) == code);
    let exit = exit.or((code == 143).then_some(Category::Interrupted(crate::outcome::Signal::Term)));
    let mut entries: Vec<_> = exit.map(of_category).into_iter().collect();
    let mut rows = codes::lookup(code);
    // A range says nothing of a code that has a row of its own.
    if rows.iter().any(|row| row.codes.start() == row.codes.end()) {
        rows.retain(|row| row.codes.start() == row.codes.end());
    }
    if !rows.is_empty() {
        entries.extend(rows.into_iter().map(of_code));
        return entries;
    }
    let text = "No specification sets this code aside: it is the server's own. Its message, its `data` and the server's \
                documentation say what it means.";
    entries.push(Explanation { title: code.to_string(), kind: "code", text: vec![text.to_owned()], facts: Vec::new() });
    entries
}

fn of_code(row: &Row) -> Explanation {
    let mut facts = vec![("standing".to_owned(), row.standing.name().to_owned())];
    facts.push(("sent by".to_owned(), row.sender.to_owned()));
    facts.push(("versions".to_owned(), row.versions.to_owned()));
    if let Some(http) = row.http {
        facts.push(("HTTP".to_owned(), http.to_owned()));
    }
    facts.push(("advice".to_owned(), row.advice.to_owned()));
    let title = format!("{} {}", row.label(), row.name);
    Explanation { title, kind: "code", text: vec![row.meaning.to_owned()], facts }
}

fn of_category(category: Category) -> Explanation {
    let mut facts = vec![("exit code".to_owned(), category.exit_code().to_string())];
    if matches!(category, Category::Interrupted(_)) {
        facts = vec![("exit code".to_owned(), "130 (Ctrl-C), 143 (SIGTERM)".to_owned())];
    }
    let reasons = REASONS.iter().filter(|(_, of, _)| *of == category).map(|(reason, ..)| reason.name());
    let reasons: Vec<_> = reasons.collect();
    if !reasons.is_empty() {
        facts.push(("reasons".to_owned(), reasons.join(", ")));
    }
    let title = category.name().to_owned();
    Explanation { title, kind: "category", text: vec![category.meaning().to_owned()], facts }
}

fn of_reason((reason, category, meaning): &(Reason, Category, &str)) -> Explanation {
    let facts = vec![("category".to_owned(), format!("{category}, exit code {}", category.exit_code()))];
    Explanation { title: reason.name().to_owned(), kind: "reason", text: vec![(*meaning).to_owned()], facts }
}

fn of_warning(warning: WarningId) -> Explanation {
    let strict = if warning.is_deviation() { "counts it: exit code 7" } else { "does not count it" };
    Explanation {
        title: warning.id().to_owned(),
        kind: "warning",
        text: vec![warning.meaning().to_owned()],
        facts: vec![("--strict".to_owned(), strict.to_owned())],
    }
}

fn unknown(name: &str) -> Failure {
    let names = Category::ALL.into_iter().map(Category::name);
    let names = names.chain(REASONS.iter().map(|(reason, ..)| reason.name()));
    let names = names.chain(WarningId::ALL.iter().map(|warning| warning.id()));
    let near = crate::nearest::nearest(&plain(name), names);
    let hint = match near.as_slice() {
        [] => "`mcpcli explain` shows everything there is".to_owned(),
        near => format!("did you mean {}? `mcpcli explain` shows everything there is", near.join(" or ")),
    };
    Failure::usage(Reason::UnknownName, format!("there is no code, category, reason or warning {name:?}"))
        .with_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(what: &[&str]) -> Vec<String> {
        let what: Vec<String> = what.iter().map(|name| (*name).to_owned()).collect();
        explain(&what).unwrap().into_iter().map(|entry| format!("{} {}", entry.kind, entry.title)).collect()
    }

    #[test]
    fn everything_can_be_asked_for_by_its_name() {
        assert_eq!(titles(&["transport", "dns"]), ["category transport", "reason dns"]);
        assert_eq!(titles(&["result-shape"]), ["reason result-shape", "warning result-shape"]);
        assert_eq!(titles(&["warning[id-type]"]), ["warning id-type"]);
        assert_eq!(titles(&["5"]), ["category transport", "code 5"]);
        assert_eq!(titles(&["0"])[0], "category ok");
        assert!(titles(&["0"])[1].starts_with("code 0"));
        assert_eq!(titles(&["143"])[0], "category interrupted");
        assert_eq!(titles(&["Tool", "error"]), ["category tool-error"]);
        assert_eq!(titles(&["RPC_error"]), titles(&["JSON-RPC error from the server"]));
        assert_eq!(titles(&["warnings"]).len(), WarningId::ALL.len());
        assert_eq!(titles(&["-32603"]).len(), 1);
        assert!(titles(&["-32050"])[0].contains(" to "));
        assert!(titles(&["-32602"])[0].starts_with("code -32602 Invalid params"));
        assert_eq!(titles(&["-7"]), ["code -7"]);
    }

    #[test]
    fn codes_without_a_meaning_in_mcp_are_told_as_practice() {
        for code in ["-32000", "-32001", "-32800"] {
            let entries = explain(&[code.to_owned()]).unwrap();
            assert!(
                entries[0].facts.iter().any(|(label, text)| label == "standing" && text.contains("practice")),
                "{code}: {entries:?}"
            );
        }
    }

    #[test]
    fn each_reason_is_there_once() {
        let mut names: Vec<_> = REASONS.iter().map(|(reason, ..)| reason.name()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn the_whole_table_has_every_row() {
        let count = Category::ALL.len() + REASONS.len() + codes::ROWS.len() + WarningId::ALL.len();
        assert_eq!(explain(&[]).unwrap().len(), count);
    }

    #[test]
    fn an_unknown_name_is_a_usage_error() {
        let failure = explain(&["transprot".to_owned()]).unwrap_err();
        assert_eq!(failure.category, Category::Usage);
        assert!(failure.hint.unwrap().contains("transport"));
    }
}
