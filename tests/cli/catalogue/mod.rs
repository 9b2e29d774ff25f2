//! The faults that users of MCP clients met, one row or more a fault, each with the outcome that is right for it.
//!
//! A row's name begins with the id of its fault. Around each fault stand its neighbours: the same fault in another place,
//! over another transport, in the other era.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Conn, Expect, InitOk, Over, Peer, Request, Row, check_rows, init_ok, script};

mod answers;
mod arguments;
mod controls;
mod ending;
mod endpoint;
mod entries;
mod fallback;
mod framing;
mod lists;
mod media;
mod messages;
mod missing;
mod network;
mod programs;
mod requests;
mod results;
mod resumption;
mod retry;
mod statuses;
mod streams;
mod surroundings;
mod traffic;
mod values;

/// Every fault of the catalogue.
const IDS: &[&str] = &[
    // The endpoint event of HTTP+SSE.
    "SSE-01", "SSE-03", "SSE-04", "SSE-05", // Event streams.
    "FRM-01", "FRM-03", "FRM-04", "FRM-05", "FRM-08", "FRM-09", "FRM-10", "FRM-12",
    // Streamable HTTP: status, headers, bodies.
    "HTTP-01", "HTTP-02", "HTTP-03", "HTTP-05", "HTTP-06", "HTTP-08", "HTTP-10", "HTTP-11", "HTTP-13", "HTTP-14",
    "HTTP-15", "HTTP-17", // Authorization, TLS, the network, secrets.
    "NET-01", "NET-03", "NET-04", "NET-05", "NET-06", "NET-07", "NET-08",
    // JSON-RPC, and what a server asks.
    "RPC-01", "RPC-02", "RPC-03", "RPC-05", "RPC-06", "RPC-08", "RPC-09", "RPC-10", "RPC-11", "RPC-12", "RPC-13",
    "RPC-14", // Lists, cursors, schemas.
    "LST-01", "LST-02", "LST-03", "LST-04", "LST-05", // Results and values.
    "RES-01", "RES-02", "RES-03", "RES-04", "RES-05", "RES-06", "RES-08", "RES-10", "RES-12", "RES-13", "RES-14",
    // Programs as servers.
    "STD-01", "STD-02", "STD-04", "STD-05", "STD-06", "STD-07", "STD-08", // The command line.
    "CLI-01", "CLI-02", "CLI-04", "CLI-05", "CLI-07", "CLI-08", "CLI-09", "CLI-10",
];

/// Tests that are about a fault and no row of a table here: the fault, the file below `tests/cli`, the test.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("CLI-05", "catalogue/surroundings.rs", "stdin_is_read_when_asked_for"),
    ("CLI-07", "outcomes.rs", "each_outcome_has_its_category_and_exit_code"),
    ("CLI-08", "catalogue/surroundings.rs", "the_document_is_alone_on_stdout"),
    ("CLI-08", "faults.rs", "each_fault_gives_the_outcome_it_promises"),
    ("CLI-10", "catalogue/surroundings.rs", "arguments_of_a_program_arrive_as_they_are"),
    ("CLI-10", "catalogue/surroundings.rs", "options_beside_a_name_count"),
    ("NET-04", "tls.rs", "net_04_each_certificate_has_its_outcome"),
    ("NET-04", "network/handshakes.rs", "net_04_each_broken_handshake_is_told"),
    ("NET-05", "network/proxies.rs", "net_05_a_proxy_is_used_where_one_is_named"),
    ("NET-05", "network/proxies.rs", "net_05_what_goes_direct_never_asks_the_proxy"),
    ("NET-05", "network/proxies.rs", "net_05_the_refusal_of_a_proxy_is_told_as_its_own"),
    ("NET-06", "network/addresses.rs", "net_06_a_bracketed_address_works_in_every_place"),
    ("NET-06", "network/addresses.rs", "net_06_one_of_the_addresses_of_a_name_is_enough"),
    ("NET-06", "network/addresses.rs", "net_06_each_address_is_told_when_nobody_is_there"),
    ("NET-08", "network/proxies.rs", "net_05_net_08_the_credential_of_a_proxy_goes_to_it_alone"),
    ("HTTP-11", "network/redirects.rs", "http_11_redirects_stay_inside_the_origin"),
    ("NET-08", "catalogue/surroundings.rs", "no_secret_is_in_a_trace"),
    ("RES-08", "catalogue/values.rs", "the_document_holds_the_very_text"),
    ("RES-10", "catalogue/values.rs", "five_hundred_levels_are_shown"),
    ("RES-12", "catalogue/controls.rs", "results_are_escaped_in_lists"),
    ("RES-13", "catalogue/values.rs", "large_output_reaches_whoever_reads_it"),
    ("RPC-11", "interruption.rs", "a_signal_ends_a_call_in_order"),
    ("RPC-11", "interruption.rs", "the_handshake_is_never_cancelled"),
    ("RPC-14", "catalogue/messages.rs", "half_a_surrogate_pair_is_kept"),
    ("STD-05", "catalogue/surroundings.rs", "each_way_not_to_start_is_told_apart"),
    ("STD-08", "catalogue/surroundings.rs", "no_process_is_left"),
    ("RPC-01", "conversation.rs", "ids_and_errors"),
    ("HTTP-05", "conversation.rs", "errors_on_any_status"),
    ("RPC-09", "conversation.rs", "progress_moves_the_idle_clock_and_not_the_absolute_one"),
    ("RPC-10", "conversation.rs", "progress_moves_the_idle_clock_and_not_the_absolute_one"),
    ("HTTP-03", "conversation.rs", "a_lost_session_is_renewed_once"),
    ("LST-01", "conversation.rs", "cursors_that_loop_end_the_list_and_show_what_came"),
    ("LST-02", "conversation.rs", "cursors_that_loop_end_the_list_and_show_what_came"),
    ("RPC-06", "questions.rs", "every_question_of_the_server_gets_an_answer"),
];

/// All tables.
fn rows() -> Vec<Row> {
    [
        answers::rows(),
        arguments::rows(),
        controls::rows(),
        ending::rows(),
        endpoint::rows(),
        entries::rows(),
        fallback::rows(),
        framing::rows(),
        lists::rows(),
        media::rows(),
        messages::rows(),
        missing::rows(),
        network::rows(),
        programs::rows(),
        requests::rows(),
        results::rows(),
        resumption::rows(),
        retry::rows(),
        statuses::rows(),
        streams::rows(),
        traffic::rows(),
        values::rows(),
    ]
    .concat()
}

/// The fault that a row is about.
fn id_of(name: &str) -> &str {
    name.split(' ').next().unwrap_or_default()
}

#[test]
fn each_fault_has_a_row() {
    let rows = rows();
    let missing: Vec<_> = IDS
        .iter()
        .filter(|id| !rows.iter().any(|row| id_of(row.name) == **id) && !ELSEWHERE.iter().any(|one| one.0 == **id))
        .collect();
    assert!(missing.is_empty(), "no test is about {missing:?}");
}

#[test]
fn each_row_is_about_a_fault() {
    let rows = rows();
    for row in &rows {
        assert!(IDS.contains(&id_of(row.name)), "{} is about no fault", row.name);
        assert_eq!(rows.iter().filter(|other| other.name == row.name).count(), 1, "{} is there twice", row.name);
    }
}

#[test]
fn what_is_said_to_be_elsewhere_is_there() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    for (id, file, test) in ELSEWHERE {
        assert!(IDS.contains(id), "{id}");
        let text = std::fs::read_to_string(tests.join(file)).unwrap_or_default();
        assert!(text.contains(&format!("fn {test}()")), "{id}: {file} has no test {test}");
    }
}

// --- What the tables share ---

const HTTP: &[Over] = &[Over::Http];
const SSE: &[Over] = &[Over::Sse];
const STDIO: &[Over] = &[Over::Stdio];
const NETS: &[Over] = &[Over::Http, Over::Sse];
const ENDS: &[Over] = &[Over::Http, Over::Stdio];
const ALL: &[Over] = Over::ALL;

/// A call that is expected to get its answer.
const CALL: &[&str] = &["--timeout", "8s", "call", "--no-check", "t"];
/// The same without a handshake.
const MODERN: &[&str] = &["--protocol", "2026-07-28", "--timeout", "8s", "call", "--no-check", "t"];
/// A call that nobody answers.
const SHORT: &[&str] = &["--timeout", "400ms", "call", "--no-check", "t"];
/// One list.
const TOOLS: &[&str] = &["--timeout", "8s", "list", "tools"];

/// The text of every good result.
const TEXT: &str = "好🙂 done";

/// A row over these transports.
fn row(name: &'static str, over: &'static [Over], peer: Peer, args: &'static [&'static str], expect: Expect) -> Row {
    Row { name, over, peer, args, expect, ..Row::default() }
}

/// A good result: the text is there.
fn done() -> Expect {
    Expect { stdout: &[TEXT], ..Expect::default() }
}

/// A good result with these warnings.
fn warned(warnings: &'static [&'static str]) -> Expect {
    Expect { warnings, ..done() }
}

/// A failure, and what stderr says of it.
fn fails(
    category: &'static str,
    reason: &'static str,
    exit: i32,
    phase: &'static str,
    stderr: &'static [&'static str],
) -> Expect {
    let reason = (!reason.is_empty()).then_some(reason);
    Expect { category, reason, exit, phase, stderr, ..Expect::default() }
}

fn http(phase: &'static str, stderr: &'static [&'static str]) -> Expect {
    fails("transport", "http", 5, phase, stderr)
}

fn broken(phase: &'static str, stderr: &'static [&'static str]) -> Expect {
    fails("transport", "stream", 5, phase, stderr)
}

fn silent(phase: &'static str, stderr: &'static [&'static str]) -> Expect {
    fails("timeout", "idle", 6, phase, stderr)
}

fn protocol(reason: &'static str, phase: &'static str, stderr: &'static [&'static str]) -> Expect {
    fails("protocol", reason, 7, phase, stderr)
}

/// A peer with a good handshake of the legacy era that answers everything else by `answer`.
fn peer(answer: impl Fn(&Request, &mut Conn) + Send + Sync + 'static) -> Peer {
    Peer::Server(init_ok(answer))
}

/// A peer that answers everything by `answer`, but for what no answer is possible to over this transport.
fn all(answer: impl Fn(&Request, &mut Conn) + Send + Sync + 'static) -> Peer {
    Peer::Server(script(move |request, conn| {
        if request.is_rpc_request() {
            answer(request, conn);
        } else {
            InitOk::default().answer(request, conn);
        }
    }))
}

/// A peer whose answer is this text; `ID` in it stands for the id of the request.
fn answers(text: &'static str) -> Peer {
    peer(move |request, conn| conn.message(&text.replace("ID", &request.id())))
}

/// A peer whose answer to everything but the handshake is this result.
fn results(result: &'static str) -> Peer {
    peer(move |request, conn| conn.result(request, result))
}

/// The JSON text of a good answer, in the era of the request.
fn good(request: &Request) -> String {
    let asked = request.json();
    let text = json!([{"type": "text", "text": TEXT}]);
    let mut result = match request.rpc_method().as_str() {
        "initialize" => json!({
            "protocolVersion": asked["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "fake", "version": "1.0"},
            "instructions": TEXT
        }),
        "server/discover" => json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}),
        "tools/list" => json!({"tools": [{"name": "t", "description": TEXT, "inputSchema": {"type": "object"}}]}),
        "resources/read" => json!({"contents": [{"uri": "x:y", "text": TEXT}]}),
        "prompts/get" => json!({"messages": [{"role": "user", "content": {"type": "text", "text": TEXT}}]}),
        _ => json!({"content": text}),
    };
    if asked["params"]["_meta"].get("io.modelcontextprotocol/protocolVersion").is_some() {
        result["resultType"] = Value::from("complete");
    }
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request.id())
}

/// Bytes on the event stream that belongs to a request, in these pieces; over Streamable HTTP its answer begins with them.
fn feed(conn: &mut Conn, pieces: &[&[u8]]) {
    match conn.over() {
        Over::Http => conn.sse_head(200, &[]),
        _ => conn.accepted(),
    }
    for piece in pieces {
        match conn.over() {
            Over::Http => conn.raw(piece),
            _ => conn.feed(piece),
        }
        conn.pause(std::time::Duration::from_millis(3));
    }
}

/// How many requests of this method a server got.
fn count(server: &crate::support::FakeServer, method: &str) -> usize {
    server.rpc_methods().iter().filter(|one| *one == method).count()
}

/// For `Row::seen`: a call came once, and never again.
fn called_once(server: &crate::support::FakeServer) -> Result<(), String> {
    match count(server, "tools/call") {
        1 => Ok(()),
        calls => Err(format!("{calls} calls")),
    }
}
