//! What the failure of a transport means: category, reason, evidence, and one hint.

use super::{HttpFault, SpawnCause, StreamEnd, TransportError};
use crate::outcome::{Category, Failure, Phase, Reason};

impl TransportError {
    /// The category, by the type of the error alone.
    pub fn category(&self) -> Category {
        match self {
            TransportError::Auth(_) => Category::Auth,
            TransportError::Timeout { .. } => Category::Timeout,
            TransportError::TooLarge { .. }
            | TransportError::EndpointOrigin { .. }
            | TransportError::Endpoint { .. } => Category::Protocol,
            TransportError::Setting { .. } => Category::Usage,
            TransportError::Shared(inner) => inner.category(),
            _ => Category::Transport,
        }
    }

    /// The reason inside the category.
    pub fn reason(&self) -> Option<Reason> {
        Some(match self {
            TransportError::Dns { .. } => Reason::Dns,
            TransportError::Connect { .. } => Reason::Connect,
            TransportError::Tls { .. } => Reason::Tls,
            TransportError::Proxy { .. } => Reason::Proxy,
            TransportError::Spawn { .. } => Reason::Spawn,
            TransportError::Http(_) => Reason::Http,
            TransportError::Auth(fault) if fault.status == 403 => Reason::Forbidden,
            TransportError::Auth(_) => Reason::Unauthorized,
            TransportError::Stream { .. } => Reason::Stream,
            TransportError::Timeout { reason, .. } => *reason,
            TransportError::TooLarge { .. } => Reason::TooLarge,
            TransportError::EndpointOrigin { .. } => Reason::EndpointOrigin,
            TransportError::Endpoint { .. } => Reason::Endpoint,
            TransportError::Setting { .. } => Reason::CommandLine,
            TransportError::Shared(inner) => return inner.reason(),
            TransportError::Closed => Reason::Stream,
        })
    }

    /// The HTTP status, if an HTTP answer came.
    pub fn http_status(&self) -> Option<u16> {
        match self {
            TransportError::Http(fault) | TransportError::Auth(fault) => Some(fault.status),
            TransportError::Shared(inner) => inner.http_status(),
            _ => None,
        }
    }

    /// Whether no peer was reached, so that nothing can have been executed.
    pub fn never_reached(&self) -> bool {
        match self {
            TransportError::Dns { .. }
            | TransportError::Connect { .. }
            | TransportError::Tls { .. }
            | TransportError::Proxy { .. }
            | TransportError::Spawn { .. }
            | TransportError::Setting { .. } => true,
            TransportError::Timeout { reason: Reason::ConnectTimeout, .. } => true,
            TransportError::Shared(inner) => inner.never_reached(),
            _ => false,
        }
    }

    /// Whether an HTTP connection ended before one byte of the answer came.
    pub fn is_closed_unheard(&self) -> bool {
        match self {
            TransportError::Stream { end: StreamEnd::Clean | StreamEnd::Reset(_), messages: 0, bytes: 0, .. } => true,
            TransportError::Stream {
                end: StreamEnd::Incomplete { received: 0, .. }, messages: 0, bytes: 0, ..
            } => true,
            TransportError::Shared(inner) => inner.is_closed_unheard(),
            _ => false,
        }
    }

    /// Whether a server program ended.
    pub fn is_exit(&self) -> bool {
        match self {
            TransportError::Stream { end: StreamEnd::Exited { .. } | StreamEnd::Clean, .. } => true,
            TransportError::Shared(inner) => inner.is_exit(),
            _ => false,
        }
    }

    /// The failure as plain data. Connection failures have the phase `connect`, whatever the caller was at.
    pub fn to_failure(&self, phase: Phase) -> Failure {
        if let TransportError::Shared(inner) = self {
            return inner.to_failure(phase);
        }
        let phase = match self {
            TransportError::Timeout { phase: Some(own), .. } => own.clone(),
            TransportError::EndpointOrigin { .. } | TransportError::Endpoint { .. } => Phase::Endpoint,
            TransportError::Setting { .. } => Phase::Resolve,
            _ if self.never_reached() => Phase::Connect,
            _ => phase,
        };
        let mut failure = Failure::new(self.category(), phase, self.to_string());
        failure.reason = self.reason();
        failure.http_status = self.http_status();
        failure.hint = self.hint();
        self.fill(&mut failure);
        failure
    }

    fn fill(&self, failure: &mut Failure) {
        let mut evidence = Vec::new();
        let mut add = |label: &str, text: String| evidence.push((label.to_owned(), text));
        match self {
            TransportError::Dns { detail, .. } => failure.causes.push(detail.clone()),
            TransportError::Connect { tried, causes, .. } => {
                failure.causes.extend(causes.iter().cloned());
                for one in tried {
                    add("tried", format!("{}: {}", one.address, one.error));
                }
            }
            TransportError::Tls { causes, .. } | TransportError::Proxy { causes, .. } => {
                failure.causes.extend(causes.iter().cloned());
            }
            TransportError::Spawn { program, cwd, searched_path, detail, .. } => {
                failure.causes.push(detail.clone());
                let searched = if *searched_path { " (searched in PATH)" } else { "" };
                add("program", format!("{program}{searched}"));
                if let Some(cwd) = cwd {
                    add("cwd", cwd.display().to_string());
                }
            }
            TransportError::Http(fault) | TransportError::Auth(fault) => {
                add("request", format!("{} {}", fault.method, fault.url));
                if let Some(content_type) = &fault.content_type {
                    add("content-type", content_type.clone());
                }
                for challenge in &fault.challenges {
                    add("www-authenticate", challenge.clone());
                }
                for (name, value) in &fault.headers {
                    add(name, value.clone());
                }
                if let Some(headline) = &fault.headline {
                    add("page", headline.clone());
                }
                if fault.body_bytes == 0 {
                    add("body", "(empty)".to_owned());
                } else {
                    add("body", fault.body.clone());
                }
            }
            TransportError::Stream { end, bytes, stderr, unfinished, reconnects, causes, .. } => {
                failure.causes.extend(causes.iter().cloned());
                if let StreamEnd::Reset(words) | StreamEnd::InputClosed(words) = end
                    && !failure.causes.contains(words)
                {
                    failure.causes.push(words.clone());
                }
                if *bytes > 0 {
                    add("received", format!("{bytes} bytes"));
                }
                if *reconnects > 0 {
                    add("reconnects", reconnects.to_string());
                }
                if let Some(unfinished) = unfinished {
                    add("unfinished", unfinished.clone());
                }
                if !stderr.is_empty() {
                    add("stderr", stderr.join("\n"));
                }
            }
            TransportError::Timeout { seen: Some(seen), .. } => add("seen", seen.clone()),
            TransportError::EndpointOrigin { announced, .. } | TransportError::Endpoint { announced, .. } => {
                add("endpoint", announced.clone());
            }
            _ => {}
        }
        for (label, text) in evidence {
            failure.evidence.push(crate::outcome::Evidence { label, text });
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            TransportError::Dns { .. } => "check the host name in the URL".to_owned(),
            TransportError::Connect { .. } => {
                "is the server running, and on this port? start it, or check host and port".to_owned()
            }
            TransportError::Tls { hint, .. }
            | TransportError::Timeout { hint, .. }
            | TransportError::Setting { hint, .. } => return hint.clone(),
            // The option is a wish of its own, for which NO_PROXY does not count.
            TransportError::Proxy { source_name, .. } if source_name.starts_with("--") => {
                format!("check the proxy, or leave out {source_name}")
            }
            TransportError::Proxy { source_name, .. } => {
                format!("check the proxy, or leave it out: unset {source_name} or set NO_PROXY")
            }
            TransportError::Spawn { cause, program, .. } => match cause {
                SpawnCause::NotFound if program.contains(' ') => {
                    "a program and its arguments are separate words: -- PROGRAM ARG…".to_owned()
                }
                SpawnCause::NotFound => "check the spelling, or give the full path".to_owned(),
                SpawnCause::NotExecutable => "make it executable, or start it by its interpreter".to_owned(),
                SpawnCause::BadInterpreter => "check the first line (#!) of the program".to_owned(),
                SpawnCause::NoDirectory => "check --cwd, or `cwd` in the configuration".to_owned(),
                SpawnCause::IsDirectory => "give the program inside the directory".to_owned(),
                SpawnCause::Other => return None,
            },
            TransportError::Http(fault) => return fault.hint.clone().or_else(|| http_hint(fault)),
            TransportError::Auth(fault) => return fault.hint.clone().or_else(|| Some(auth_hint(fault))),
            TransportError::Stream { end: StreamEnd::Exited { .. }, stderr, .. } if !stderr.is_empty() => {
                "the server's stderr above says why it ended; run the same command by itself to see more".to_owned()
            }
            TransportError::Stream { end: StreamEnd::Exited { .. } | StreamEnd::InputClosed(_), .. } => {
                "run the same command by itself to see what it does".to_owned()
            }
            TransportError::Stream { end: StreamEnd::NotHttp, .. } => {
                "is this the port of an HTTP server? one that speaks TLS wants https://".to_owned()
            }
            TransportError::Stream { .. } => {
                "the server, or a proxy in front of it, closed the connection; its log says why".to_owned()
            }
            TransportError::TooLarge { .. } => "raise the limit with --max-message-size".to_owned(),
            TransportError::EndpointOrigin { endpoint, origin, .. } => origin_hint(endpoint, origin),
            TransportError::Endpoint { .. } => "give the right URL with --message-url".to_owned(),
            TransportError::Shared(inner) => return inner.hint(),
            TransportError::Closed => return None,
        };
        Some(hint)
    }
}

fn http_hint(fault: &HttpFault) -> Option<String> {
    let hint = match fault.status {
        400 => {
            "the server does not take the request as it is; what it says may name why: a version (--protocol VERSION), a header, \
                a transport (--transport sse)"
        }
        402 => "the service behind the URL wants to be paid",
        407 => "the proxy wants a credential: put it into the URL of --proxy",
        408 => "the server gave up waiting for the request: try again",
        404 => "check the path of the URL; MCP endpoints are often /mcp, or /sse for the older HTTP+SSE transport",
        405 => "this URL takes no POST: an HTTP+SSE server? try --transport sse",
        406 | 415 => "the server refuses the media types that the specification asks for",
        421 => "the server checks the Host header: add this host to its list of allowed hosts",
        403 => "the server or a proxy forbids it: allowed hosts, allowed origins, or a firewall",
        429 => "the server limits the rate: wait and try again",
        501 => "this URL takes no POST: is it the URL of an MCP endpoint?",
        500..=599 => "the server or a proxy in front of it failed: its log says why",
        300..=399 => "use the URL that the location header gives",
        200..=299 => "is this the URL of an MCP endpoint, or of a web page?",
        _ => return None,
    };
    Some(hint.to_owned())
}

/// Servers behind a proxy announce what they know of themselves (SSE-03).
fn origin_hint(endpoint: &str, origin: &str) -> String {
    let parts =
        |text: &str| url::Url::parse(text).ok().map(|url| (url.scheme().to_owned(), url.host().map(|h| h.to_owned())));
    let is_local = |host: &url::Host<String>| match host {
        url::Host::Domain(name) => name == "localhost" || !name.contains('.') || name.ends_with(".local"),
        url::Host::Ipv4(ip) => ip.is_loopback() || ip.is_private() || ip.is_unspecified() || ip.is_link_local(),
        url::Host::Ipv6(ip) => ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local(),
    };
    let why = match (parts(endpoint), parts(origin)) {
        (Some((http, host)), Some((https, other))) if host == other && http == "http" && https == "https" => {
            "the server does not know that TLS ends in front of it (X-Forwarded-Proto)"
        }
        (Some((_, Some(host))), _) if is_local(&host) => {
            "the server announces an address of its own that is not the one it is reached by: it does not know the proxy in \
             front of it"
        }
        _ => "nothing was sent there, because credentials must not go to another origin",
    };
    format!("{why}; --message-url URL overrides it")
}

fn auth_hint(fault: &HttpFault) -> String {
    if fault.lacks_scope() {
        "get a credential with the scope that www-authenticate names, and pass it with --bearer TOKEN".to_owned()
    } else if fault.credential_sent {
        "the credential is wrong, expired, or lacks a scope: get another one".to_owned()
    } else {
        "pass a credential with --bearer TOKEN or -H 'Authorization: …'".to_owned()
    }
}
