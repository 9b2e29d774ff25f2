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
    excluded: Option<Matcher>,
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
        let excluded = first(&["no_proxy", "NO_PROXY"])
            .map(|(list, _)| Matcher::builder().all("http://p.invalid").no(list).build());
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

    /// The proxy for a URL. Loopback goes direct unless the option says otherwise (NET-05).
    pub fn choose(&self, url: &Url) -> Option<&Proxy> {
        if self.explicit.is_some() {
            return self.explicit.as_ref();
        }
        if is_loopback(url) {
            return None;
        }
        let proxy = if url.scheme() == "https" { self.https.as_ref() } else { self.http.as_ref() }?;
        let excluded = match (&self.excluded, url.as_str().parse::<hyper::Uri>()) {
            (Some(matcher), Ok(uri)) => matcher.intercept(&uri).is_none(),
            _ => false,
        };
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
