//! Which runs go through a proxy, what the proxy is told, and how its refusals are told.

use std::sync::Arc;

use super::{LEGACY, OK, Row, SSE, Stage, UNREACHED, USAGE, check_rows, well_behaved};
use crate::support::{Does, FakeProxy, FakeServer, Over, Tls, TlsServer, tls_front};
use crate::tls::all;

/// The value of `Proxy-Authorization` for `user:S3CRETpw`.
const BASIC: &str = "Basic dXNlcjpTM0NSRVRwdw==";

/// A host that no resolver knows (RFC 6761 §6.2): only a proxy can bring anybody there.
const PLAIN: &str = "http://mcp.test/mcp";
const SECURE: &str = "https://mcp.test/mcp";

/// A plain server and a proxy in front of it, for a run that is told of the proxy by `tell`.
fn plain(over: Over, url: &str, tell: fn(Stage, String) -> Stage) -> Stage {
    let server = FakeServer::start(over, well_behaved());
    let proxy = Arc::new(FakeProxy::start(Does::Forward(server.address())));
    let address = proxy.address().to_string();
    let url = url.replace("{port}", &server.address().port().to_string());
    let stage = Stage::new(url, server);
    asked(tell(stage, address), proxy)
}

/// The same with a server behind TLS.
fn secure(over: Over, tell: fn(Stage, String) -> Stage) -> Stage {
    let server = TlsServer::start(over, well_behaved(), &Tls::new(&all().behind_proxy));
    let proxy = Arc::new(FakeProxy::start(Does::Forward(server.address())));
    let address = proxy.address().to_string();
    asked(tell(Stage::new(SECURE, server).arg("--cacert").arg("ca.pem"), address), proxy)
}

/// The proxy was asked in every run.
fn asked(stage: Stage, proxy: Arc<FakeProxy>) -> Stage {
    stage.look(move |_| if proxy.asked().is_empty() { vec!["the proxy was not asked".to_owned()] } else { Vec::new() })
}

/// A plain server with a proxy that must not be asked.
fn direct(over: Over, url: &str, tell: fn(Stage, String) -> Stage) -> Stage {
    let server = FakeServer::start(over, well_behaved());
    let proxy = FakeProxy::start(Does::Answer("HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n"));
    let address = proxy.address().to_string();
    let url = url.replace("{port}", &server.address().port().to_string());
    tell(Stage::new(url, server), address)
        .look(move |_| proxy.asked().iter().map(|asked| format!("the proxy was asked for {}", asked.what)).collect())
}

/// A plain server, and in front of it a proxy that is spoken to over TLS.
fn behind_tls(over: Over, url: &str) -> Stage {
    let server = FakeServer::start(over, well_behaved());
    let proxy = FakeProxy::start(Does::Forward(server.address()));
    let front = tls_front(&Tls::new(&all().good), proxy.address());
    let argument = format!("https://user:S3CRETpw@localhost:{}", front.port());
    Stage::new(url, (server, proxy, front)).arg("--proxy").arg(argument)
}

/// The proxy was told the credential in every request, and the server was not.
fn credential(over: Over, url: &str, expected: &'static str, tell: fn(Stage, String) -> Stage) -> Stage {
    let tls = Tls::new(&all().behind_proxy);
    let server = Arc::new(FakeServer::start(over, well_behaved()));
    let front = tls_front(&tls, server.address());
    let secure = url.starts_with("https:");
    let proxy = FakeProxy::start(Does::Forward(if secure { front.address() } else { server.address() }));
    let address = proxy.address().to_string();
    let stage = Stage::new(url, front).arg("--cacert").arg("ca.pem");
    tell(stage, address).look(move |_| {
        let wrong = proxy.asked().into_iter().filter(|asked| asked.credential.as_deref() != Some(expected));
        let mut problems: Vec<String> = wrong.map(|asked| format!("{asked:?}")).collect();
        // A forwarding proxy takes the header away; this one does not, so only behind a tunnel something is to be seen.
        if secure && server.requests().iter().any(|request| request.header("proxy-authorization").is_some()) {
            problems.push("the server was told the credential of the proxy".to_owned());
        }
        problems
    })
}

/// A proxy that does this, for a server that nobody else brings anybody to.
fn refused(url: &str, does: Does) -> Stage {
    let proxy = FakeProxy::start(does);
    let argument = format!("http://user:S3CRETpw@{}", proxy.address());
    Stage::new(url, proxy).arg("--proxy").arg(argument)
}

fn by_option(stage: Stage, address: String) -> Stage {
    stage.arg("--proxy").arg(format!("http://{address}"))
}

fn by_all(stage: Stage, address: String) -> Stage {
    stage.env("ALL_PROXY", format!("http://{address}"))
}

/// Every variable names the proxy.
fn by_everything(stage: Stage, address: String) -> Stage {
    let value = format!("http://{address}");
    ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        .into_iter()
        .fold(stage, |stage, name| stage.env(name, value.clone()))
}

const CHOSEN: &[Row] = &[
    Row { name: "NET-05 --proxy, http", stage: |over| plain(over, PLAIN, by_option), ..OK },
    Row { name: "NET-05 --proxy, https", stage: |over| secure(over, by_option), ..OK },
    Row {
        name: "NET-05 --proxy without a scheme",
        stage: |over| plain(over, PLAIN, |s, at| s.arg("--proxy").arg(at)),
        ..OK
    },
    Row { name: "NET-05 http_proxy", stage: |over| plain(over, PLAIN, |s, at| s.env("http_proxy", at)), ..OK },
    Row {
        name: "NET-05 HTTP_PROXY",
        stage: |over| plain(over, PLAIN, |s, at| s.env("HTTP_PROXY", format!("http://{at}/"))),
        ..OK
    },
    Row { name: "NET-05 https_proxy", stage: |over| secure(over, |s, at| s.env("https_proxy", at)), ..OK },
    Row { name: "NET-05 HTTPS_PROXY", stage: |over| secure(over, |s, at| s.env("HTTPS_PROXY", at)), ..OK },
    Row { name: "NET-05 ALL_PROXY, http", stage: |over| plain(over, PLAIN, by_all), ..OK },
    Row { name: "NET-05 ALL_PROXY, https", stage: |over| secure(over, by_all), ..OK },
    Row { name: "NET-05 all_proxy", stage: |over| secure(over, |s, at| s.env("all_proxy", at)), ..OK },
    Row {
        name: "NET-05 --proxy wins over the environment",
        stage: |over| {
            plain(over, PLAIN, |stage, at| by_option(by_everything(stage, FakeServer::nobody().to_string()), at))
        },
        ..OK
    },
    Row {
        name: "NET-05 --proxy for a loopback address",
        stage: |over| plain(over, "http://127.0.0.1:{port}/mcp", by_option),
        ..OK
    },
    Row {
        name: "NET-05 NO_PROXY does not count for --proxy",
        stage: |over| plain(over, "http://127.0.0.1:{port}/mcp", |s, at| by_option(s, at).env("NO_PROXY", "*")),
        ..OK
    },
    Row {
        name: "NET-05 a proxy behind TLS",
        stage: |over| behind_tls(over, PLAIN).arg("--cacert").arg("ca.pem"),
        ..OK
    },
    Row {
        name: "NET-05 socks5",
        stage: |over| {
            plain(over, "http://127.0.0.1:{port}/mcp", |s, at| s.arg("--proxy").arg(format!("socks5://{at}")))
        },
        ..OK
    },
    Row {
        name: "NET-05 socks5h resolves at the proxy",
        stage: |over| secure(over, |s, at| s.env("ALL_PROXY", format!("socks5h://{at}"))),
        ..OK
    },
];

/// The name that the resolver does not know, without the proxy that would.
const UNKNOWN: Row = Row { reason: Some("dns"), says: &["mcp.test"], ..UNREACHED };

const DIRECT: &[Row] = &[
    Row {
        name: "NET-05 127.0.0.1 goes direct whatever the environment says",
        stage: |over| direct(over, "http://127.0.0.1:{port}/mcp", by_everything),
        ..OK
    },
    Row {
        name: "NET-05 localhost goes direct",
        stage: |over| direct(over, "http://localhost:{port}/mcp", by_everything),
        ..OK
    },
    Row { name: "NET-05 NO_PROXY, host", stage: |_| excluded(PLAIN, "other,mcp.test"), ..UNKNOWN },
    Row { name: "NET-05 NO_PROXY, domain", stage: |_| excluded(PLAIN, "test"), ..UNKNOWN },
    Row { name: "NET-05 NO_PROXY, suffix with a dot", stage: |_| excluded(PLAIN, "example, .test"), ..UNKNOWN },
    Row { name: "NET-05 NO_PROXY, https", stage: |_| excluded(SECURE, "mcp.test"), ..UNKNOWN },
    Row { name: "NET-05 NO_PROXY, letters", stage: |_| excluded(PLAIN, "MCP.Test"), ..UNKNOWN },
    Row { name: "NET-05 NO_PROXY=*", stage: |_| excluded(SECURE, "*"), ..UNKNOWN },
    Row { name: "NET-05 NO_PROXY, port", stage: |_| excluded(PLAIN, "mcp.test:80"), ..UNKNOWN },
    Row { name: "NET-05 NO_PROXY, suffix and port", stage: |_| excluded(SECURE, ".test:443"), ..UNKNOWN },
    Row {
        name: "NET-05 NO_PROXY, another port",
        stage: |over| {
            plain(over, PLAIN, |s, at| by_all(s, at).env("NO_PROXY", "mcp.test:8080,cp.test,mcp.test.example"))
        },
        ..OK
    },
];

/// The address of this machine that is no loopback address by name, and is one in effect.
#[cfg(unix)]
const EXCLUDED_ADDRESSES: &[Row] = &[
    Row { name: "NET-05 the address is proxied", stage: |over| plain(over, HERE, by_all), ..OK },
    Row {
        name: "NET-05 NO_PROXY, address",
        stage: |over| direct(over, HERE, |s, at| by_all(s, at).env("no_proxy", "0.0.0.0")),
        ..OK
    },
    Row {
        name: "NET-05 NO_PROXY, CIDR",
        stage: |over| direct(over, HERE, |s, at| by_all(s, at).env("NO_PROXY", "10.0.0.0/8,0.0.0.0/8")),
        ..OK
    },
    Row {
        name: "NET-05 NO_PROXY, another CIDR",
        stage: |over| plain(over, HERE, |s, at| by_all(s, at).env("NO_PROXY", "10.0.0.0/8")),
        ..OK
    },
];

#[cfg(unix)]
const HERE: &str = "http://0.0.0.0:{port}/mcp";

fn excluded(url: &str, list: &str) -> Stage {
    let proxy = FakeProxy::start(Does::Answer("HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n"));
    let stage = by_all(Stage::new(url, ()), proxy.address().to_string()).env("NO_PROXY", list);
    stage.look(move |_| proxy.asked().iter().map(|asked| format!("the proxy was asked for {}", asked.what)).collect())
}

/// A failure of the proxy: it is named, and its credential is not.
const PROXY: Row =
    Row { reason: Some("proxy"), says: &["***@127.0.0.1:", "--proxy"], hides: &["S3CRETpw", BASIC], ..UNREACHED };

const LOGIN: &str = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"office\"\r\n\
    Content-Type: text/html\r\nConnection: close\r\n\r\n<title>Please log in</title>";

const REFUSALS: &[Row] = &[
    Row {
        name: "NET-05 407, http",
        stage: |_| refused(PLAIN, Does::Answer(LOGIN)),
        says: &["407", "Please log in", "127.0.0.1:", "--proxy"],
        ..PROXY
    },
    Row {
        name: "NET-05 407, https",
        stage: |_| refused(SECURE, Does::Answer(LOGIN)),
        says: &["407", "Please log in", "***@127.0.0.1:"],
        ..PROXY
    },
    Row {
        name: "NET-05 502, http",
        stage: |_| refused(PLAIN, Does::Answer("HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n")),
        ..PROXY
    },
    Row {
        name: "NET-05 502, https",
        stage: |_| refused(SECURE, Does::Answer("HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n")),
        says: &["HTTP 502", "***@127.0.0.1:", "--proxy"],
        ..PROXY
    },
    Row {
        name: "NET-05 504, https",
        stage: |_| refused(SECURE, Does::Answer("HTTP/1.1 504 Gateway Timeout\r\nConnection: close\r\n\r\n")),
        says: &["HTTP 504", "***@127.0.0.1:", "--proxy"],
        ..PROXY
    },
    Row {
        name: "NET-05 403, https",
        stage: |_| refused(SECURE, Does::Answer("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n")),
        says: &["HTTP 403", "***@127.0.0.1:", "--proxy"],
        ..PROXY
    },
    Row {
        name: "NET-05 no HTTP, https",
        stage: |_| refused(SECURE, Does::Answer("220 mail\r\n\r\n")),
        says: &["220 mail", "***@127.0.0.1:"],
        ..PROXY
    },
    Row { name: "NET-05 closed, https", stage: |_| refused(SECURE, Does::Answer("")), ..PROXY },
    Row {
        name: "NET-05 silent, https",
        stage: |_| refused(SECURE, Does::Stall),
        args: &["--connect-timeout", "400ms"],
        category: "timeout",
        reason: Some("connect-timeout"),
        exit: 6,
        says: &["mcp.test:443", "takes the connection", "***@127.0.0.1:", "--proxy"],
        ..PROXY
    },
    Row {
        name: "NET-05 unreachable, http",
        stage: |_| unreachable(PLAIN),
        says: &["refused", "leave out --proxy"],
        hides: &["S3CRETpw", BASIC, "NO_PROXY"],
        ..PROXY
    },
    Row { name: "NET-05 unreachable, https", stage: |_| unreachable(SECURE), says: &["refused", "--proxy"], ..PROXY },
    Row {
        name: "NET-05 unreachable, from the environment",
        stage: |_| Stage::new(SECURE, ()).env("HTTPS_PROXY", format!("http://{}", FakeServer::nobody())),
        says: &["refused", "HTTPS_PROXY", "NO_PROXY"],
        ..PROXY
    },
    Row {
        name: "NET-05 unreachable, socks5h",
        stage: |_| Stage::new(PLAIN, ()).env("ALL_PROXY", format!("socks5h://{}", FakeServer::nobody())),
        says: &["refused", "ALL_PROXY"],
        ..PROXY
    },
    Row {
        name: "NET-05 a proxy whose name nobody knows",
        stage: |_| Stage::new(PLAIN, ()).env("http_proxy", "http://proxy.test:3128"),
        says: &["proxy.test:3128", "http_proxy"],
        ..PROXY
    },
    Row {
        name: "NET-04 NET-05 a proxy whose certificate nobody knows",
        stage: |over| behind_tls(over, PLAIN),
        reason: Some("tls"),
        says: &["no TLS session with the proxy https://***@localhost:", "--proxy", "UnknownIssuer", "--cacert"],
        ..PROXY
    },
    Row {
        name: "NET-05 --proxy that is no URL of a proxy",
        stage: |_| Stage::new(PLAIN, ()).arg("--proxy").arg("ftp://user:S3CRETpw@p"),
        says: &["--proxy", "http://HOST:PORT"],
        hides: &["S3CRETpw"],
        ..USAGE
    },
];

fn unreachable(url: &str) -> Stage {
    Stage::new(url, ()).arg("--proxy").arg(format!("http://user:S3CRETpw@{}", FakeServer::nobody()))
}

const SHY: Row = Row { args: &["-vv"], hides: &["S3CRETpw", BASIC, "dXNlcjpTM0NSRVRwdw"], ..OK };

fn with_password(stage: Stage, address: String) -> Stage {
    stage.arg("--proxy").arg(format!("http://user:S3CRETpw@{address}"))
}

const CREDENTIALS: &[Row] = &[
    Row { name: "NET-05 NET-08 http", stage: |over| credential(over, PLAIN, BASIC, with_password), ..SHY },
    Row { name: "NET-05 NET-08 https", stage: |over| credential(over, SECURE, BASIC, with_password), ..SHY },
    Row {
        name: "NET-05 NET-08 from the environment",
        ways: &[LEGACY, SSE],
        stage: |over| {
            credential(over, SECURE, BASIC, |s, at| s.env("https_proxy", format!("http://user:S3CRETpw@{at}")))
        },
        ..SHY
    },
    Row {
        name: "NET-05 NET-08 socks5h",
        ways: &[LEGACY, SSE],
        stage: |over| {
            credential(over, SECURE, "user:S3CRETpw", |s, at| {
                s.arg("--proxy").arg(format!("socks5h://user:S3CRETpw@{at}"))
            })
        },
        ..SHY
    },
];

#[test]
fn net_05_a_proxy_is_used_where_one_is_named() {
    check_rows(CHOSEN);
}

#[test]
fn net_05_what_goes_direct_never_asks_the_proxy() {
    check_rows(DIRECT);
    #[cfg(unix)]
    check_rows(EXCLUDED_ADDRESSES);
}

#[test]
fn net_05_the_refusal_of_a_proxy_is_told_as_its_own() {
    check_rows(REFUSALS);
}

#[test]
fn net_05_net_08_the_credential_of_a_proxy_goes_to_it_alone() {
    check_rows(CREDENTIALS);
}
