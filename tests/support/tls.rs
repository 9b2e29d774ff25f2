//! TLS for the fake servers: certificates made at run time, and a server that speaks TLS in front of a plain one.

use std::net::SocketAddr;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

use super::front::{Front, pipe};
use super::server::{FakeServer, Over, Script};

/// When a certificate is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Valid {
    Now,
    /// Until the second day of 2001.
    Formerly,
    /// From the first day of 3000.
    Later,
}

/// A certificate and its key, as PEM.
#[derive(Debug, Clone)]
pub struct Identity {
    pub cert: String,
    pub key: String,
}

impl Identity {
    /// A certificate that nobody issued but its own key.
    pub fn self_signed(names: &[&str]) -> Identity {
        let key = KeyPair::generate().expect("a key");
        let cert = params(names, Valid::Now).self_signed(&key).expect("a certificate");
        Identity { cert: cert.pem(), key: key.serialize_pem() }
    }
}

/// Who issues certificates.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its own certificate, as PEM.
    pub cert: String,
}

impl Authority {
    pub fn new(name: &str) -> Authority {
        let key = KeyPair::generate().expect("a key");
        let mut params = params(&[], Valid::Now);
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let cert = params.self_signed(&key).expect("a certificate").pem();
        Authority { issuer: Issuer::new(params, key), cert }
    }

    /// A certificate for these names and addresses.
    pub fn issue(&self, names: &[&str], valid: Valid) -> Identity {
        let key = KeyPair::generate().expect("a key");
        let cert = params(names, valid).signed_by(&key, &self.issuer).expect("a certificate");
        Identity { cert: cert.pem(), key: key.serialize_pem() }
    }
}

fn params(names: &[&str], valid: Valid) -> CertificateParams {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).expect("names for a certificate");
    (params.not_before, params.not_after) = match valid {
        Valid::Now => (date_time_ymd(2000, 1, 1), date_time_ymd(4000, 1, 1)),
        Valid::Formerly => (date_time_ymd(2000, 1, 1), date_time_ymd(2001, 1, 2)),
        Valid::Later => (date_time_ymd(3000, 1, 1), date_time_ymd(4000, 1, 1)),
    };
    params
}

/// How a server speaks TLS.
#[derive(Clone)]
pub struct Tls<'a> {
    pub identity: &'a Identity,
    /// Whose certificates a client must show, if it must show one.
    pub clients_of: Option<&'a Authority>,
    /// Whether it speaks TLS 1.2 and nothing newer.
    pub only_tls12: bool,
}

impl Tls<'_> {
    pub fn new(identity: &Identity) -> Tls<'_> {
        Tls { identity, clients_of: None, only_tls12: false }
    }

    fn config(&self) -> ServerConfig {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let versions = if self.only_tls12 { &[&rustls::version::TLS12][..] } else { rustls::ALL_VERSIONS };
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(versions)
            .expect("versions of TLS");
        let builder = match self.clients_of {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                roots.add(certificate(&authority.cert)).expect("a root certificate");
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.build().expect("a verifier of clients"))
            }
        };
        let key = PrivateKeyDer::from_pem_slice(self.identity.key.as_bytes()).expect("a key as PEM");
        builder.with_single_cert(vec![certificate(&self.identity.cert)], key).expect("a certificate and its key")
    }
}

fn certificate(pem: &str) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(pem.as_bytes()).expect("a certificate as PEM")
}

/// A fake server that is spoken to over TLS.
pub struct TlsServer {
    front: Front,
    /// What stands behind TLS, and what it was sent.
    pub inner: Arc<FakeServer>,
}

impl TlsServer {
    pub fn start(over: Over, script: Script, tls: &Tls<'_>) -> TlsServer {
        let inner = Arc::new(FakeServer::start(over, script));
        TlsServer { front: tls_front(tls, inner.address()), inner }
    }

    /// Its URL by this name of the host.
    pub fn url(&self, host: &str) -> String {
        let path = if self.inner.over() == Over::Sse { "sse" } else { "mcp" };
        format!("https://{host}:{}/{path}", self.front.port())
    }

    pub fn address(&self) -> SocketAddr {
        self.front.address()
    }

    /// How many TCP connections there were.
    pub fn connections(&self) -> usize {
        self.front.connections()
    }
}

/// TLS in front of whatever listens there.
pub fn tls_front(tls: &Tls<'_>, server: SocketAddr) -> Front {
    let acceptor = TlsAcceptor::from(Arc::new(tls.config()));
    Front::start(move |socket| {
        let accepting = acceptor.accept(socket);
        async move {
            // A handshake that fails is what many tests are about; the client tells of it.
            if let Ok(session) = accepting.await {
                pipe(session, server).await;
            }
        }
    })
}
