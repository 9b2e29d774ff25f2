//! TLS as the user meets it: whom the client trusts, what it shows, and how each failure of a handshake is told.

use std::sync::LazyLock;

use crate::network::{self, Row, Stage, UNREACHED, check_rows, reached_if_ok, well_behaved};
use crate::support::{Authority, Identity, Over, Sandbox, Tls, TlsServer, Valid};

/// The certificates of all rows. Each server's is for `localhost` and the two loopback addresses, if nothing else is said.
pub struct Certificates {
    pub authority: Authority,
    stranger: Authority,
    pub good: Identity,
    of_system: Identity,
    pub behind_proxy: Identity,
    self_signed: Identity,
    elsewhere: Identity,
    formerly: Identity,
    later: Identity,
    client: Identity,
    foreign_client: Identity,
}

const HERE: &[&str] = &["localhost", "127.0.0.1", "::1"];

pub static CERTIFICATES: LazyLock<Certificates> = LazyLock::new(|| {
    let (authority, stranger) = (Authority::new("the authority"), Authority::new("a stranger"));
    Certificates {
        good: authority.issue(HERE, Valid::Now),
        of_system: stranger.issue(HERE, Valid::Now),
        behind_proxy: authority.issue(&["mcp.test"], Valid::Now),
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

pub fn all() -> &'static Certificates {
    &CERTIFICATES
}

/// The PEM files that the arguments of the rows name.
pub fn write_files(sandbox: &Sandbox) {
    let all = all();
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

/// A server behind TLS, called by this name. It is sent something exactly in the runs that succeed.
pub fn stage(over: Over, host: &str, tls: &Tls<'_>) -> Stage {
    let server = TlsServer::start(over, well_behaved(), tls);
    let (url, look) = (server.url(host), reached_if_ok(&server.inner));
    Stage::new(url, server).look(look)
}

fn client_wanted(all: &Certificates) -> Tls<'_> {
    Tls { clients_of: Some(&all.authority), ..Tls::new(&all.good) }
}

/// A call that succeeds, by a certificate of the authority.
const OK: Row = Row {
    stage: |over| stage(over, "localhost", &Tls::new(&all().good)),
    args: &["--cacert", "ca.pem"],
    ..network::OK
};

/// A failed handshake.
const FAILED: Row = Row { reason: Some("tls"), stage: OK.stage, args: OK.args, ..UNREACHED };

/// A setting that cannot be used.
const USAGE: Row = Row { stage: OK.stage, ..network::USAGE };

const ROWS: &[Row] = &[
    Row {
        name: "NET-04 self-signed",
        stage: |over| stage(over, "localhost", &Tls::new(&all().self_signed)),
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
        stage: |over| stage(over, "localhost", &Tls::new(&all().self_signed)),
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
        stage: |over| stage(over, "localhost", &Tls::new(&all().elsewhere)),
        says: &["elsewhere.example", "localhost", "use a host name"],
        ..FAILED
    },
    Row {
        name: "NET-04 wrong address",
        stage: |over| stage(over, "127.0.0.1", &Tls::new(&all().elsewhere)),
        says: &["elsewhere.example", "127.0.0.1"],
        ..FAILED
    },
    Row {
        name: "NET-04 expired",
        stage: |over| stage(over, "localhost", &Tls::new(&all().formerly)),
        says: &["expired on 2001-01-02", "new certificate"],
        ..FAILED
    },
    Row {
        name: "NET-04 not yet valid",
        stage: |over| stage(over, "localhost", &Tls::new(&all().later)),
        says: &["valid from 3000-01-01", "clock"],
        ..FAILED
    },
    Row { name: "NET-04 an IPv4 address", stage: |over| stage(over, "127.0.0.1", &Tls::new(&all().good)), ..OK },
    Row {
        name: "NET-04 TLS 1.2 only",
        stage: |over| stage(over, "localhost", &Tls { only_tls12: true, ..Tls::new(&all().good) }),
        ..OK
    },
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
        stage: |over| stage(over, "localhost", &Tls::new(&all().formerly)),
        args: &["--insecure"],
        warnings: &["insecure"],
        ..OK
    },
    Row {
        name: "NET-04 --insecure, another name",
        stage: |over| stage(over, "localhost", &Tls::new(&all().elsewhere)),
        args: &["--insecure"],
        warnings: &["insecure"],
        ..OK
    },
    Row {
        name: "NET-04 no client certificate where one must be shown",
        stage: |over| stage(over, "localhost", &client_wanted(all())),
        says: &["certificate", "--cert"],
        ..FAILED
    },
    Row {
        name: "NET-04 no client certificate, TLS 1.2",
        stage: |over| stage(over, "localhost", &Tls { only_tls12: true, ..client_wanted(all()) }),
        says: &["--cert"],
        ..FAILED
    },
    Row {
        name: "NET-04 a client certificate of a stranger",
        stage: |over| stage(over, "localhost", &client_wanted(all())),
        args: &["--cacert", "ca.pem", "--cert", "foreign.pem"],
        says: &["certificate", "--cert"],
        ..FAILED
    },
    Row {
        name: "NET-04 --cert and --key",
        stage: |over| stage(over, "localhost", &client_wanted(all())),
        args: &["--cacert", "ca.pem", "--cert", "client.pem", "--key", "client.key"],
        ..OK
    },
    Row {
        name: "NET-04 --cert with the key in it",
        stage: |over| stage(over, "localhost", &client_wanted(all())),
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
        stage: |over| stage(over, "localhost", &client_wanted(all())),
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

/// Rows where it matters which certificates the system trusts, which is told to the binary as Linux programs are told.
#[cfg(target_os = "linux")]
const SYSTEM_ROWS: &[Row] = &[
    Row {
        name: "NET-04 an authority of the system",
        stage: |over| stage(over, "localhost", &Tls::new(&all().of_system)),
        args: &[],
        ..OK
    },
    Row {
        name: "NET-04 --cacert beside the authorities of the system",
        stage: |over| stage(over, "localhost", &Tls::new(&all().of_system)),
        ..OK
    },
    Row {
        name: "NET-04 --cacert on a system that trusts nobody",
        stage: |over| without_roots(stage(over, "localhost", &Tls::new(&all().good))),
        ..OK
    },
    Row {
        name: "NET-04 a system that trusts nobody",
        stage: |over| without_roots(stage(over, "localhost", &Tls::new(&all().good))),
        args: &[],
        says: &["ca-certificates", "--cacert"],
        ..FAILED
    },
    Row {
        name: "NET-04 --insecure on a system that trusts nobody",
        stage: |over| without_roots(stage(over, "localhost", &Tls::new(&all().good))),
        args: &["--insecure"],
        warnings: &["insecure"],
        ..OK
    },
];

#[cfg(target_os = "linux")]
fn without_roots(stage: Stage) -> Stage {
    stage.env("SSL_CERT_FILE", "/nonexistent.pem")
}

#[cfg(target_os = "linux")]
#[test]
fn net_04_the_roots_of_the_system_count() {
    check_rows(SYSTEM_ROWS);
}

#[test]
fn net_04_each_certificate_has_its_outcome() {
    check_rows(ROWS);
}
