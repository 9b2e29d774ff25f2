//! Which proxy a URL goes through, and where that was said.

use hyper_util::client::proxy::matcher::Matcher;
use url::{Host, Url};

use super::super::TransportError;
use crate::trace::Redactor;

/// A proxy and the option or variable that named it.
#[derive(Clone)]
pub struct Proxy {
    /// Its URL, userinfo included.
    pub url: Url,
    /// `--proxy` or the variable's name.
    pub source_name: &'static str,
}

/// The rules of one run. Read once, so that a failure can name the source that was used.
#[derive(Default)]
pub struct ProxyRules {
    explicit: Option<Proxy>,
    http: Option<Proxy>,
    https: Option<Proxy>,
    excluded: Option<Excluded>,
}

/// What `NO_PROXY` names: hosts, and hosts with a port, which the client library's matcher does not know.
struct Excluded {
    hosts: Matcher,
    at_ports: Vec<(u16, Matcher)>,
}

impl Excluded {
    fn read(list: &str) -> Excluded {
        // A matcher answers with a proxy for what is not excluded; which one does not matter.
        let matcher = |list: String| Matcher::builder().all("http://p.invalid").no(list).build();
        let (with_port, without): (Vec<_>, Vec<_>) =
            list.split(',').map(|entry| (entry, host_and_port(entry.trim()))).partition(|(_, split)| split.is_some());
        let hosts: Vec<&str> = without.into_iter().map(|(entry, _)| entry).collect();
        let at_ports = with_port.into_iter().filter_map(|(_, split)| split);
        Excluded {
            hosts: matcher(hosts.join(",")),
            at_ports: at_ports.map(|(host, port)| (port, matcher(host.to_owned()))).collect(),
        }
    }

    fn holds(&self, url: &Url) -> bool {
        let Ok(uri) = url.as_str().parse::<hyper::Uri>() else { return false };
        let port = url.port_or_known_default();
        let here = self.at_ports.iter().filter(|(at, _)| Some(*at) == port).map(|(_, matcher)| matcher);
        std::iter::once(&self.hosts).chain(here).any(|matcher| matcher.intercept(&uri).is_none())
    }
}

/// `HOST:PORT` or `[ADDRESS]:PORT`; an IPv6 address without brackets has no port.
fn host_and_port(entry: &str) -> Option<(&str, u16)> {
    let (host, port) = entry.rsplit_once(':')?;
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let host = bare.or_else(|| (!host.contains(':')).then_some(host))?;
    Some((host, port.parse().ok()?))
}

impl ProxyRules {
    /// Reads the option and, without it, the environment.
    ///
    /// # Errors
    /// When a value is no URL.
    pub fn read(
        option: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
        redactor: &Redactor,
    ) -> Result<ProxyRules, TransportError> {
        if let Some(text) = option {
            let explicit = Some(parse(text, "--proxy", redactor)?);
            return Ok(ProxyRules { explicit, ..ProxyRules::default() });
        }
        let first = |names: &[&'static str]| {
            names.iter().find_map(|&name| Some((variable(name).filter(|value| !value.trim().is_empty())?, name)))
        };
        let read = |found: Option<(String, &'static str)>| match found {
            Some((text, name)) => parse(&text, name, redactor).map(Some),
            None => Ok(None),
        };
        // Under CGI HTTP_PROXY is the request header "Proxy", that is, anybody's word.
        let upper_http: &[&str] =
            if variable("REQUEST_METHOD").is_some() { &["http_proxy"] } else { &["http_proxy", "HTTP_PROXY"] };
        let all = ["all_proxy", "ALL_PROXY"];
        let excluded = first(&["no_proxy", "NO_PROXY"]).map(|(list, _)| Excluded::read(&list));
        Ok(ProxyRules {
            explicit: None,
            http: read(first(upper_http).or_else(|| first(&all)))?,
            https: read(first(&["https_proxy", "HTTPS_PROXY"]).or_else(|| first(&all)))?,
            excluded,
        })
    }

    /// Whether no URL goes through any proxy.
    pub fn is_empty(&self) -> bool {
        self.explicit.is_none() && self.http.is_none() && self.https.is_none()
    }

    /// Whether a proxy may be spoken to over TLS.
    pub fn want_tls(&self) -> bool {
        [&self.explicit, &self.http, &self.https].into_iter().flatten().any(|proxy| proxy.url.scheme() == "https")
    }

    /// The proxy for a URL. Loopback goes direct unless the option says otherwise (NET-05).
    pub fn choose(&self, url: &Url) -> Option<&Proxy> {
        if self.explicit.is_some() {
            return self.explicit.as_ref();
        }
        if is_loopback(url) {
            return None;
        }
        let proxy = if url.scheme() == "https" { self.https.as_ref() } else { self.http.as_ref() }?;
        let excluded = self.excluded.as_ref().is_some_and(|excluded| excluded.holds(url));
        (!excluded).then_some(proxy)
    }
}

/// Whether a URL points at this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn parse(text: &str, source_name: &'static str, redactor: &Redactor) -> Result<Proxy, TransportError> {
    const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];
    let text = text.trim();
    let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    match Url::parse(&text) {
        Ok(url) if SCHEMES.contains(&url.scheme()) && url.has_host() => {
            // Its userinfo is a secret from here on.
            redactor.url(&url);
            Ok(Proxy { url, source_name })
        }
        _ => Err(TransportError::Setting {
            message: format!("the value of {source_name} is not the URL of a proxy"),
            hint: Some("such as http://HOST:PORT or socks5://HOST:PORT".to_owned()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(variables: &[(&str, &str)], url: &str) -> Option<(String, &'static str)> {
        let find = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        let rules = ProxyRules::read(None, find, &Redactor::default()).unwrap();
        rules.choose(&Url::parse(url).unwrap()).map(|p| (p.url.to_string(), p.source_name))
    }

    #[test]
    fn variables_decide_by_scheme() {
        let variables = [("HTTP_PROXY", "http://a:1"), ("all_proxy", "socks5://b:2"), ("NO_PROXY", "x.org,10.0.0.0/8")];
        assert_eq!(chosen(&variables, "http://h/"), Some(("http://a:1/".to_owned(), "HTTP_PROXY")));
        assert_eq!(chosen(&variables, "https://h/"), Some(("socks5://b:2".to_owned(), "all_proxy")));
        assert_eq!(chosen(&variables, "http://sub.x.org/"), None);
        assert_eq!(chosen(&variables, "http://10.1.2.3/"), None);
        assert_eq!(chosen(&[("http_proxy", ""), ("HTTP_PROXY", "p:3128")], "http://h/").unwrap().1, "HTTP_PROXY");
    }

    #[test]
    fn loopback_is_direct_unless_the_option_says_otherwise() {
        let variables = [("ALL_PROXY", "http://a:1")];
        for url in ["http://localhost:1/", "http://127.0.0.2/", "http://[::1]:3/", "https://a.localhost/"] {
            assert_eq!(chosen(&variables, url), None, "{url}");
        }
        let rules = ProxyRules::read(Some("http://p:1"), |_| None, &Redactor::default()).unwrap();
        assert_eq!(rules.choose(&Url::parse("http://127.0.0.1/").unwrap()).unwrap().source_name, "--proxy");
    }

    #[test]
    fn everything_can_be_excluded() {
        assert_eq!(chosen(&[("ALL_PROXY", "http://a:1"), ("no_proxy", "*")], "http://h/"), None);
    }

    #[test]
    fn an_exclusion_may_have_a_port() {
        let list = "x.org:8080,[2001:db8::1]:81,2001:db8::2,10.0.0.0/8:82";
        let variables = [("ALL_PROXY", "http://a:1"), ("NO_PROXY", list)];
        for (url, excluded) in [
            ("http://x.org:8080/", true),
            ("http://sub.x.org:8080/", true),
            ("http://x.org/", false),
            ("http://[2001:db8::1]:81/", true),
            ("http://[2001:db8::1]:82/", false),
            ("http://[2001:db8::2]:82/", true),
            ("http://10.1.1.1:82/", true),
            ("http://10.1.1.1:83/", false),
        ] {
            assert_eq!(chosen(&variables, url).is_none(), excluded, "{url}");
        }
    }

    #[test]
    fn http_proxy_is_not_believed_under_cgi() {
        assert_eq!(chosen(&[("HTTP_PROXY", "http://a:1"), ("REQUEST_METHOD", "GET")], "http://h/"), None);
    }

    #[test]
    fn a_wrong_value_is_a_setting() {
        let error = ProxyRules::read(Some("ftp://secret@x"), |_| None, &Redactor::default()).err().unwrap();
        assert!(matches!(&error, TransportError::Setting { message, .. } if message.contains("--proxy")), "{error}");
        assert!(!error.to_string().contains("secret"));
    }
}
