//! TLS as the user meets it: whom the client trusts, what it shows, and how each failure of a handshake is told.

use std::sync::LazyLock;

use crate::envelope;
use crate::support::{Authority, Identity, InitOk, Over, Run, Sandbox, Script, Tls, TlsServer, Valid};

/// The certificates of all rows. Each server's is for `localhost` and the two loopback addresses, if nothing else is said.
struct Certificates {
    authority: Authority,
    stranger: Authority,
    good: Identity,
    self_signed: Identity,
    elsewhere: Identity,
    formerly: Identity,
    later: Identity,
    client: Identity,
    foreign_client: Identity,
}

const HERE: &[&str] = &["localhost", "127.0.0.1", "::1"];

static CERTIFICATES: LazyLock<Certificates> = LazyLock::new(|| {
    let (authority, stranger) = (Authority::new("the authority"), Authority::new("a stranger"));
    Certificates {
        good: authority.issue(HERE, Valid::Now),
        self_signed: Identity::self_signed(HERE),
        elsewhere: authority.issue(&["elsewhere.example"], Valid::Now),
        formerly: authority.issue(HERE, Valid::Formerly),
        later: authority.issue(HERE, Valid::Later),
        client: authority.issue(&["client.example"], Valid::Now),
        foreign_client: stranger.issue(&["client.example"], Valid::Now),
        authority,
        stranger,
    }
});

/// The PEM files that the arguments of a row name as `{file}`.
fn write_files(sandbox: &Sandbox) {
    let all = &*CERTIFICATES;
    let files = [
        ("ca.pem", all.authority.cert.clone()),
        ("stranger.pem", all.stranger.cert.clone()),
        ("bundle.pem", format!("# two of them\n{}\n{}", all.stranger.cert, all.authority.cert)),
        ("self.pem", all.self_signed.cert.clone()),
        ("client.pem", all.client.cert.clone()),
        ("client.key", all.client.key.clone()),
        ("client-and-key.pem", format!("{}{}", all.client.cert, all.client.key)),
        ("foreign.pem", format!("{}{}", all.foreign_client.cert, all.foreign_client.key)),
        ("other.key", all.good.key.clone()),
        ("text.pem", "this is no PEM\n".to_owned()),
        ("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_owned()),
    ];
    for (name, content) in files {
        sandbox.write(name, content);
    }
}

struct Row {
    name: &'static str,
    tls: fn(&'static Certificates) -> Tls<'static>,
    host: &'static str,
    args: &'static [&'static str],
    category: &'static str,
    reason: Option<&'static str>,
    phase: &'static str,
    exit: i32,
    /// What the human view says on stderr.
    says: &'static [&'static str],
    /// What it does not say.
    says_not: &'static [&'static str],
    warnings: &'static [&'static str],
    /// Whether the server was sent anything.
    reached: bool,
}

/// A failed handshake with a server whose certificate is in order.
const FAILED: Row = Row {
    name: "",
    tls: |all| Tls::new(&all.good),
    host: "localhost",
    args: &["--cacert", "ca.pem"],
    category: "transport",
    reason: Some("tls"),
    phase: "connect",
    exit: 5,
    says: &[],
    says_not: &[],
    warnings: &[],
    reached: false,
};

/// A call that succeeds.
const OK: Row = Row { category: "ok", reason: None, phase: "", exit: 0, reached: true, ..FAILED };

/// A setting that cannot be used.
const USAGE: Row = Row { category: "usage", reason: Some("command-line"), phase: "resolve", exit: 2, ..FAILED };

const ROWS: &[Row] = &[
    Row {
        name: "NET-04 self-signed",
        tls: |all| Tls::new(&all.self_signed),
        args: &[],
        says: &["UnknownIssuer", "--cacert", "--insecure", "localhost:"],
        ..FAILED
    },
    Row {
        name: "NET-04 an authority that nobody knows",
        args: &[],
        says: &["UnknownIssuer", "--cacert", "--insecure"],
        ..FAILED
    },
    Row { name: "NET-04 --cacert with its authority", ..OK },
    Row { name: "NET-04 --cacert with two authorities", args: &["--cacert", "bundle.pem"], ..OK },
    Row {
        name: "NET-04 --cacert with a self-signed certificate",
        tls: |all| Tls::new(&all.self_signed),
        args: &["--cacert", "self.pem"],
        ..OK
    },
    Row {
        name: "NET-04 --cacert of another authority",
        args: &["--cacert", "stranger.pem"],
        says: &["UnknownIssuer", "--cacert"],
        ..FAILED
    },
    Row {
        name: "NET-04 wrong host name",
        tls: |all| Tls::new(&all.elsewhere),
        says: &["elsewhere.example", "localhost", "use a host name"],
        ..FAILED
    },
    Row {
        name: "NET-04 wrong address",
        tls: |all| Tls::new(&all.elsewhere),
        host: "127.0.0.1",
        says: &["elsewhere.example", "127.0.0.1"],
        ..FAILED
    },
    Row {
        name: "NET-04 expired",
        tls: |all| Tls::new(&all.formerly),
        says: &["expired on 2001-01-02", "new certificate"],
        ..FAILED
    },
    Row {
        name: "NET-04 not yet valid",
        tls: |all| Tls::new(&all.later),
        says: &["valid from 3000-01-01", "clock"],
        ..FAILED
    },
    Row { name: "NET-04 an IPv4 address", host: "127.0.0.1", ..OK },
    Row { name: "NET-04 TLS 1.2 only", tls: |all| Tls { only_tls12: true, ..Tls::new(&all.good) }, ..OK },
    Row {
        name: "NET-04 --insecure",
        args: &["--insecure"],
        warnings: &["insecure"],
        says: &["warning[insecure]"],
        ..OK
    },
    Row {
        name: "NET-04 --insecure -q",
        args: &["--insecure", "-q"],
        warnings: &["insecure"],
        says: &["warning[insecure]"],
        ..OK
    },
    Row {
        name: "NET-04 --insecure, expired",
        tls: |all| Tls::new(&all.formerly),
        args: &["--insecure"],
        warnings: &["insecure"],
        ..OK
    },
    Row {
        name: "NET-04 --insecure, another name",
        tls: |all| Tls::new(&all.elsewhere),
        args: &["--insecure"],
        warnings: &["insecure"],
        ..OK
    },
    Row {
        name: "NET-04 no client certificate where one must be shown",
        tls: client_wanted,
        says: &["certificate", "--cert"],
        ..FAILED
    },
    Row {
        name: "NET-04 no client certificate, TLS 1.2",
        tls: |all| Tls { only_tls12: true, ..client_wanted(all) },
        says: &["--cert"],
        ..FAILED
    },
    Row {
        name: "NET-04 a client certificate of a stranger",
        tls: client_wanted,
        args: &["--cacert", "ca.pem", "--cert", "foreign.pem"],
        says: &["certificate", "--cert"],
        ..FAILED
    },
    Row {
        name: "NET-04 --cert and --key",
        tls: client_wanted,
        args: &["--cacert", "ca.pem", "--cert", "client.pem", "--key", "client.key"],
        ..OK
    },
    Row {
        name: "NET-04 --cert with the key in it",
        tls: client_wanted,
        args: &["--cacert", "ca.pem", "--cert", "client-and-key.pem"],
        ..OK
    },
    Row {
        name: "NET-04 a client certificate that nobody asked for",
        args: &["--cacert", "ca.pem", "--cert", "client-and-key.pem"],
        ..OK
    },
    Row {
        name: "NET-04 a key that is not the certificate's",
        tls: client_wanted,
        args: &["--cacert", "ca.pem", "--cert", "client.pem", "--key", "other.key"],
        says: &["--key", "other.key"],
        ..USAGE
    },
    Row {
        name: "NET-04 no file for --key",
        args: &["--cacert", "ca.pem", "--cert", "client.pem", "--key", "missing.key"],
        says: &["--key", "missing.key"],
        ..USAGE
    },
    Row {
        name: "NET-04 no file for --cert",
        args: &["--cert", "missing.pem", "--key", "client.key"],
        says: &["--cert", "missing.pem"],
        ..USAGE
    },
    Row {
        name: "NET-04 --cert without a key",
        args: &["--cert", "client.pem"],
        says: &["--cert", "client.pem", "key"],
        ..USAGE
    },
    Row { name: "NET-04 --key without --cert", args: &["--key", "client.key"], says: &["--cert"], ..USAGE },
    Row {
        name: "NET-04 no file for --cacert",
        args: &["--cacert", "missing.pem"],
        says: &["--cacert", "missing.pem"],
        ..USAGE
    },
    Row {
        name: "NET-04 --cacert that is no PEM",
        args: &["--cacert", "text.pem"],
        says: &["--cacert", "text.pem", "PEM"],
        ..USAGE
    },
    Row {
        name: "NET-04 --cacert that is PEM of nothing",
        args: &["--cacert", "broken.pem"],
        says: &["--cacert", "broken.pem"],
        ..USAGE
    },
    Row {
        name: "NET-04 --cacert with a key in it",
        args: &["--cacert", "client.key"],
        says: &["--cacert", "client.key"],
        ..USAGE
    },
    Row {
        name: "NET-04 --cert that is no PEM",
        args: &["--cert", "text.pem"],
        says: &["--cert", "text.pem", "PEM"],
        ..USAGE
    },
];

fn client_wanted(all: &'static Certificates) -> Tls<'static> {
    Tls { clients_of: Some(&all.authority), ..Tls::new(&all.good) }
}

/// The ways to speak to a server: which one it plays, and the arguments for it.
const WAYS: &[(Over, &[&str])] = &[
    (Over::Http, &[]),
    (Over::Http, &["--transport", "http", "--protocol", "legacy"]),
    (Over::Sse, &["--transport", "sse"]),
];

fn well_behaved() -> Script {
    InitOk::default().then(|request, conn| conn.error(request, -32601, "no such method"))
}

/// A run with the certificates at hand. The system's roots are the stranger's alone, whatever the machine trusts.
fn run(sandbox: &Sandbox, args: &[&str]) -> Run {
    write_files(sandbox);
    sandbox.mcpcli(args).env("SSL_CERT_FILE", sandbox.work().join("stranger.pem")).run()
}

fn check(row: &Row, (over, way): (Over, &[&str])) -> Vec<String> {
    let server = TlsServer::start(over, well_behaved(), &(row.tls)(&CERTIFICATES));
    let url = server.url(row.host);
    let sandbox = Sandbox::new();
    let args = [&["-s", &url], way, row.args, &["list", "tools"]].concat();
    let json = run(&sandbox, &[&["--json"], &args[..]].concat());
    let mut problems = json.category_problems(row.category, row.reason, row.exit);
    problems.extend(document_problems(row, &json));
    let human = run(&sandbox, &args);
    if human.status != Some(row.exit) {
        problems.push(format!("the human view exits with {:?}", human.status));
    }
    if (row.exit == 0) != human.stdout_text().contains("echo") {
        problems.push("stdout".to_owned());
    }
    problems
        .extend(row.says.iter().filter(|text| !human.stderr.contains(**text)).map(|text| format!("lacks {text:?}")));
    let not = row.says_not.iter().filter(|text| human.stderr.contains(**text));
    problems.extend(not.map(|text| format!("holds {text:?}")));
    if row.reached == server.inner.requests().is_empty() {
        problems.push(format!("the server saw\n{}", server.inner.describe()));
    }
    if !problems.is_empty() {
        problems.extend([json.describe(), human.describe()]);
    }
    problems.into_iter().map(|problem| format!("{} {way:?}: {problem}", row.name)).collect()
}

fn document_problems(row: &Row, run: &Run) -> Vec<String> {
    let Ok(document) = run.try_json() else { return Vec::new() };
    let mut problems = envelope::problems(&document);
    if !row.phase.is_empty() && document["phase"] != row.phase {
        problems.push(format!("phase is {}", document["phase"]));
    }
    let warnings: Vec<&str> =
        document["warnings"].as_array().into_iter().flatten().filter_map(|warning| warning["id"].as_str()).collect();
    if warnings != row.warnings {
        problems.push(format!("warnings are {warnings:?}"));
    }
    problems
}

/// Runs the cases on some threads and gathers what is wrong.
fn in_parallel<T: Sync>(cases: &[T], check: impl Fn(&T) -> Vec<String> + Sync) -> String {
    let check = &check;
    std::thread::scope(|scope| {
        let workers: Vec<_> = cases
            .chunks(cases.len().div_ceil(4))
            .map(|cases| scope.spawn(move || cases.iter().flat_map(check).collect::<Vec<_>>()))
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a worker does not panic"))
            .collect::<Vec<_>>()
            .join("\n")
    })
}

#[test]
fn net_04_each_certificate_has_its_outcome() {
    let only = std::env::var("MCPCLI_ROW").unwrap_or_default();
    let rows = ROWS.iter().filter(|row| row.name.contains(&only));
    let cases: Vec<_> = rows.flat_map(|row| WAYS.iter().map(move |way| (row, *way))).collect();
    let problems = in_parallel(&cases, |(row, way)| check(row, *way));
    assert!(problems.is_empty(), "{problems}");
}
