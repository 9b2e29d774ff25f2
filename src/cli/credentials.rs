//! Headers, tokens and variables of the command line. Each is a secret from the moment it is read.

use super::options::Connect;
use crate::config::{parse_bearer, parse_header};
use crate::outcome::{Failure, Reason};
use crate::secret::Secret;
use crate::trace::Redactor;

/// A name and its secret value.
pub(super) type Named = (String, Secret);

/// `-H`, `--bearer` (or MCPCLI_BEARER) and the configured headers; a header that was typed replaces a configured one of the same
/// name.
pub(super) fn headers(connect: &Connect, configured: Vec<Named>, redactor: &Redactor) -> Result<Vec<Named>, Failure> {
    let mut given = Vec::new();
    for header in &connect.header {
        given.push(parse_header(header.0.expose()).map_err(|error| error.to_failure())?);
    }
    let typed = has_authorization(&given);
    if connect.bearer.is_some() && typed {
        let message = "both --bearer and a header Authorization are given; there can be one credential";
        return Err(Failure::usage(Reason::CommandLine, message).with_hint("leave out one of them"));
    }
    let variable = std::env::var("MCPCLI_BEARER").ok().filter(|token| !token.is_empty());
    let bearer = match (&connect.bearer, variable) {
        (Some(token), _) => Some(parse_bearer(token.0.expose()).map_err(|error| error.to_failure())?),
        // The variable is a default: what is typed, or configured for this server, wins.
        (None, Some(token)) if !typed && !has_authorization(&configured) => {
            Some(parse_bearer(&token).map_err(|error| error.to_failure())?)
        }
        (None, _) => None,
    };
    if let Some(token) = bearer {
        given.push(("Authorization".to_owned(), Secret::new(format!("Bearer {}", token.expose()))));
    }
    let mut all: Vec<Named> = configured
        .into_iter()
        .filter(|(name, _)| !given.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)))
        .collect();
    all.extend(given);
    for (_, value) in &all {
        redactor.add(value);
    }
    Ok(all)
}

fn has_authorization(headers: &[Named]) -> bool {
    headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"))
}

/// `--env` over the configured variables.
pub(super) fn variables(connect: &Connect, configured: Vec<Named>, redactor: &Redactor) -> Result<Vec<Named>, Failure> {
    let mut all = configured;
    for variable in &connect.env {
        // A complaint does not repeat the text, which may be a secret.
        let (name, value) = match variable.0.expose().split_once('=') {
            Some((name, value)) if !name.is_empty() && !variable.0.expose().contains('\0') => (name, value),
            _ => {
                let message = "--env: a variable is written KEY=VALUE, and holds no NUL";
                return Err(Failure::usage(Reason::CommandLine, message).with_hint("as in -e API_KEY=abc"));
            }
        };
        all.retain(|(known, _)| known != name);
        all.push((name.to_owned(), Secret::new(value)));
    }
    for (_, value) in &all {
        redactor.add(value);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::values::Secretive;

    fn secrets(texts: &[&str]) -> Vec<Secretive> {
        texts.iter().map(|text| Secretive(Secret::new(*text))).collect()
    }

    fn shown(named: &[Named]) -> Vec<String> {
        named.iter().map(|(name, value)| format!("{name}={}", value.expose())).collect()
    }

    #[test]
    fn what_is_typed_wins_over_what_is_configured() {
        let configured = || vec![("x-a".to_owned(), Secret::new("old")), ("X-B".to_owned(), Secret::new("kept"))];
        let connect = Connect { header: secrets(&["X-A: new"]), bearer: secrets(&["tok"]).pop(), ..Connect::default() };
        let redactor = Redactor::default();
        let headers = headers(&connect, configured(), &redactor).unwrap();
        assert_eq!(shown(&headers), ["X-B=kept", "X-A=new", "Authorization=Bearer tok"]);
        let connect = Connect { env: secrets(&["K=V=W", "x-a=2"]), ..Connect::default() };
        assert_eq!(shown(&variables(&connect, configured(), &redactor).unwrap()), ["X-B=kept", "K=V=W", "x-a=2"]);
    }

    #[test]
    fn no_complaint_shows_a_secret() {
        let redactor = Redactor::default();
        for (header, env) in [("s3cret-without-colon", "s3cret"), ("X: s3cret\r\nEvil: 1", "=s3cret")] {
            let connect = Connect { header: secrets(&[header]), env: secrets(&[env]), ..Connect::default() };
            let failures = [
                headers(&connect, Vec::new(), &redactor).unwrap_err(),
                variables(&connect, Vec::new(), &redactor).unwrap_err(),
            ];
            assert!(!format!("{failures:?} {connect:?}").contains("s3cret"));
        }
        let connect =
            Connect { header: secrets(&["Authorization: a"]), bearer: secrets(&["b"]).pop(), ..Connect::default() };
        assert!(headers(&connect, Vec::new(), &redactor).is_err());
    }
}
