//! TLS: what the client trusts and shows, and what a failed handshake means.

use std::fs;
use std::path::Path;

use reqwest::{Certificate, ClientBuilder, Identity};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{CertificateError, RootCertStore};

use super::super::{NetSettings, TransportError};
use crate::outcome::{Ledger, WarningId};

/// Sets roots, client certificate and verification. `wanted` says whether TLS will be spoken at all.
///
/// # Errors
/// When a file cannot be read or holds no PEM.
pub fn configure(
    mut builder: ClientBuilder,
    settings: &NetSettings,
    wanted: bool,
    ledger: &Ledger,
) -> Result<ClientBuilder, TransportError> {
    if settings.insecure {
        ledger.warn(WarningId::Insecure, "certificates are not verified (--insecure)");
        builder = builder.tls_danger_accept_invalid_certs(true);
    }
    let mut extra = Vec::new();
    if let Some(path) = &settings.cacert {
        let pem = read("--cacert", path)?;
        extra = Certificate::from_pem_bundle(&pem).map_err(|_| no_pem("--cacert", path, "certificate"))?;
        if extra.is_empty() || !are_certificates(&pem) {
            return Err(no_pem("--cacert", path, "certificate"));
        }
    }
    if let Some(path) = &settings.cert {
        let mut pem = read("--cert", path)?;
        if let Some(key) = &settings.key {
            pem.push(b'\n');
            pem.extend(read("--key", key)?);
        }
        let what = if settings.key.is_some() { "certificate with the key of --key" } else { "certificate and its key" };
        builder = builder.identity(Identity::from_pem(&pem).map_err(|_| no_pem("--cert", path, what))?);
    }
    if !wanted {
        // Without TLS nothing is verified, and reading the system's roots would cost more than the whole call.
        return Ok(builder.tls_certs_only([]));
    }
    Ok(if extra.is_empty() { builder } else { builder.tls_certs_merge(extra) })
}

fn read(option: &str, path: &Path) -> Result<Vec<u8>, TransportError> {
    fs::read(path).map_err(|error| TransportError::Setting {
        message: format!("the file of {option}, {}, cannot be read: {error}", path.display()),
        hint: Some("check the path".to_owned()),
    })
}

/// Whether what the PEM wraps can be read too. The client finds that out when it is built, where it looks as if the server's
/// certificate were meant.
fn are_certificates(pem: &[u8]) -> bool {
    let mut roots = RootCertStore::empty();
    CertificateDer::pem_slice_iter(pem).all(|found| found.is_ok_and(|certificate| roots.add(certificate).is_ok()))
}

/// An error from building the client that is about the user's own certificate, as such.
///
/// No server has said anything yet, so that a certificate that is wrong here is the one of `--cert`.
pub fn of_identity(error: &rustls::Error, settings: &NetSettings) -> Option<TransportError> {
    let path = settings.cert.as_deref()?;
    let with = match &settings.key {
        Some(key) => format!("the one of --key, {}", key.display()),
        None => "the one in it".to_owned(),
    };
    match error {
        rustls::Error::InconsistentKeys(_) => Some(TransportError::Setting {
            message: format!("the key of the certificate of --cert, {}, is not {with}", path.display()),
            hint: Some("a certificate works with the one key that it was made for".to_owned()),
        }),
        rustls::Error::InvalidCertificate(_) => Some(no_pem("--cert", path, "certificate that can be read")),
        _ => None,
    }
}

fn no_pem(option: &str, path: &Path, what: &str) -> TransportError {
    TransportError::Setting {
        message: format!("the file of {option}, {}, holds no PEM {what}", path.display()),
        hint: Some("the file must be PEM: -----BEGIN CERTIFICATE-----".to_owned()),
    }
}

/// The words for a TLS error; times as dates, not as seconds.
pub fn words(error: &rustls::Error) -> String {
    let date = |time: &rustls::pki_types::UnixTime| {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(time.as_secs());
        humantime::format_rfc3339_seconds(time).to_string()
    };
    match error {
        rustls::Error::InvalidCertificate(CertificateError::ExpiredContext { not_after, .. }) => {
            format!("the server's certificate expired on {}", date(not_after))
        }
        rustls::Error::InvalidCertificate(CertificateError::NotValidYetContext { not_before, .. }) => {
            format!("the server's certificate is valid from {} on", date(not_before))
        }
        rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            "the server's certificate was issued by nobody we trust, or by itself (UnknownIssuer)".to_owned()
        }
        other => other.to_string(),
    }
}

/// What to do about a TLS error.
pub fn hint(error: Option<&rustls::Error>) -> Option<String> {
    use CertificateError as Cert;
    let hint = match error? {
        rustls::Error::InvalidCertificate(Cert::UnknownIssuer) => {
            "trust its issuer with --cacert FILE; --insecure leaves out the verification for one run"
        }
        rustls::Error::InvalidCertificate(Cert::NotValidForName | Cert::NotValidForNameContext { .. }) => {
            "use a host name that the certificate is valid for"
        }
        rustls::Error::InvalidCertificate(Cert::Expired | Cert::ExpiredContext { .. }) => {
            "the server needs a new certificate; is this machine's clock right?"
        }
        rustls::Error::InvalidCertificate(Cert::NotValidYet | Cert::NotValidYetContext { .. }) => {
            "is this machine's clock right?"
        }
        // Such as a self-signed CA certificate that is used as the server's own.
        rustls::Error::InvalidCertificate(_) => {
            "check the server's certificate; --cacert FILE trusts another issuer, --insecure leaves out the verification"
        }
        rustls::Error::InvalidMessage(_) => "the port does not speak TLS: try http:// instead of https://",
        rustls::Error::AlertReceived(_) => {
            "the server ended the handshake; it may want a client certificate (--cert, --key)"
        }
        rustls::Error::General(text) if text.contains("No CA certificates") => {
            "install ca-certificates, or pass --cacert FILE"
        }
        _ => return None,
    };
    Some(hint.to_owned())
}
