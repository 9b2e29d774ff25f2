//! Redirects, credentials, DNS, TLS and proxies.

use std::time::Duration;

use super::super::fake::{Do, Fake, answer, json, text};
use super::super::{HttpFault, StreamEnd};
use super::*;
use crate::outcome::Ledger;
use crate::secret::Secret;
use crate::trace::Tracer;

fn settings() -> NetSettings {
    NetSettings {
        connect_timeout: Some(Duration::from_secs(2)),
        cacert: None,
        cert: None,
        key: None,
        insecure: false,
        proxy: None,
        max_message_size: 1 << 20,
    }
}

fn net_with(url: Url, headers: &[(&str, &str)], settings: &NetSettings) -> Result<(Net, Ledger), TransportError> {
    let ledger = Ledger::default();
    let context = Context { tracer: Arc::new(Tracer::new()), ledger: ledger.clone(), timeout: None };
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), Secret::new(*value))).collect();
    Ok((Net::new(&HttpEndpoint { url, headers, message_url: None }, settings, &context)?, ledger))
}

fn net(fake: &Fake) -> (Net, Ledger) {
    net_with(fake.url("/mcp"), &[("X-Api-Key", "s3cret-value")], &settings()).unwrap()
}

fn post(net: &Net) -> Call {
    Call { method: Method::POST, url: net.endpoint().clone(), headers: HeaderMap::new(), body: Some("{}".into()) }
}

fn redirect(status: u16, to: &str) -> Vec<Do> {
    answer(&format!("{status} Moved"), &format!("Location: {to}\r\n"), "")
}

async fn fault(net: &Net, call: Call) -> HttpFault {
    match net.send(call).await {
        Err(TransportError::Http(fault)) => *fault,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("an answer"),
    }
}

#[tokio::test]
async fn same_origin_redirects_keep_method_body_and_headers() {
    for status in [307, 308] {
        let fake =
            Fake::start(move |number, _| if number == 0 { redirect(status, "/mcp/") } else { json("200 OK", "1") })
                .await;
        let (net, ledger) = net(&fake);
        let answer = net.send(post(&net)).await.unwrap();
        assert_eq!((answer.status(), answer.url().path()), (200, "/mcp/"));
        let second = &fake.requests()[1];
        assert_eq!((second.method.as_str(), second.path.as_str(), second.body.as_str()), ("POST", "/mcp/", "{}"));
        assert_eq!(second.header("x-api-key").as_deref(), Some("s3cret-value"));
        assert_eq!(second.connection, 0);
        let warning = &ledger.snapshot().warnings[0];
        assert!(warning.message.contains("/mcp ") && warning.message.contains("/mcp/:"), "{}", warning.message);
    }
}

#[tokio::test]
async fn other_origins_are_not_followed() {
    let other = Fake::start(|_, _| json("200 OK", "1")).await;
    let to = other.url("/x?token=hidden-value").to_string();
    let fake = Fake::start(move |_, _| redirect(307, &to)).await;
    let (net, _) = net(&fake);
    let fault = fault(&net, post(&net)).await;
    assert_eq!(fault.problem.as_deref(), Some("redirect to another origin, not followed"));
    let hint = fault.hint.unwrap();
    assert!(hint.contains("x-api-key") && !hint.contains("hidden-value"), "{hint}");
    assert!(fault.headers.iter().any(|(name, value)| name == "location" && value.ends_with("/x?token=***")));
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn loops_and_changed_methods_are_not_followed() {
    let fake = Fake::start(|number, _| redirect(307, if number % 2 == 0 { "/b" } else { "/mcp" })).await;
    let (looping, _) = net(&fake);
    assert!(fault(&looping, post(&looping)).await.problem.unwrap().contains("loop"));
    let fake = Fake::start(|number, _| redirect(307, &format!("/{number}"))).await;
    let (endless, _) = net(&fake);
    assert!(fault(&endless, post(&endless)).await.problem.unwrap().contains("more than 5"));
    assert_eq!(fake.requests().len(), 6);
    for status in [301, 302, 303] {
        let fake =
            Fake::start(move |number, _| if number == 0 { redirect(status, "/b") } else { json("200 OK", "1") }).await;
        let (net, _) = net(&fake);
        assert!(fault(&net, post(&net)).await.problem.unwrap().contains("into a GET"));
        let fake_url = fake.url("/mcp");
        assert_eq!(fake.requests().len(), 1);
        let call = Call { method: Method::GET, url: fake_url, headers: HeaderMap::new(), body: None };
        assert_eq!(net.send(call).await.unwrap().status(), 200);
    }
    let fake = Fake::start(|_, _| answer("307 X", "", "")).await;
    let (net, _) = net(&fake);
    assert!(fault(&net, post(&net)).await.problem.unwrap().contains("usable location"));
}

#[tokio::test]
async fn userinfo_becomes_a_header_for_the_origin_alone() {
    let fake = Fake::start(|_, _| json("200 OK", "1")).await;
    let other = Fake::start(|_, _| json("200 OK", "1")).await;
    let mut url = fake.url("/mcp");
    url.set_username("me").unwrap();
    url.set_password(Some("p%40ss word")).unwrap();
    let (net, _) = net_with(url, &[], &settings()).unwrap();
    net.send(post(&net)).await.unwrap();
    // "me:p@ss word"
    assert_eq!(fake.requests()[0].header("authorization").as_deref(), Some("Basic bWU6cEBzcyB3b3Jk"));
    let foreign = Call { url: other.url("/"), ..post(&net) };
    net.send(foreign).await.unwrap();
    assert_eq!(other.requests()[0].header("authorization"), None);
}

#[tokio::test]
async fn impossible_headers_are_settings() {
    let url = Url::parse("http://127.0.0.1:9/").unwrap();
    for (name, value) in [("X-A", "s3cret\r\nX-B: c"), ("X A", "s3cret"), ("Content-Length", "3")] {
        let error = net_with(url.clone(), &[(name, value)], &settings()).err().unwrap();
        let TransportError::Setting { message, .. } = error else { panic!("{error:?}") };
        assert!(message.contains(name) && !message.contains("s3cret"), "{message}");
    }
}

#[tokio::test]
async fn names_without_addresses_are_dns() {
    let (net, _) = net_with(Url::parse("http://nowhere.invalid/mcp").unwrap(), &[], &settings()).unwrap();
    if !net.proxies.is_empty() {
        // The environment of the test run names a proxy, which would be the one to resolve the name.
        return;
    }
    match net.send(post(&net)).await.err().unwrap() {
        TransportError::Dns { host, detail } => {
            assert_eq!(host, "nowhere.invalid");
            assert!(!detail.is_empty());
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_port_without_tls_is_a_tls_failure() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let plain = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let url = Url::parse(&format!("https://127.0.0.1:{plain}/")).unwrap();
    let (net, ledger) = net_with(url, &[], &NetSettings { insecure: true, ..settings() }).unwrap();
    match net.send(post(&net)).await.err().unwrap() {
        TransportError::Tls { hint: Some(hint), causes, .. } => {
            assert!(hint.contains("http://"), "{hint}");
            assert!(!causes.is_empty());
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(ledger.snapshot().warnings[0].id, WarningId::Insecure);
}

#[tokio::test]
async fn a_proxy_is_named_with_its_source() {
    let through = async |proxy: String| {
        let settings = NetSettings { proxy: Some(proxy), ..settings() };
        let (net, _) = net_with(Url::parse("http://somewhere.invalid/mcp").unwrap(), &[], &settings).unwrap();
        match net.send(post(&net)).await {
            Err(error) => error,
            Ok(mut answer) => {
                let body = answer.read_refusal(100, None).await;
                answer.refused(&body, None)
            }
        }
    };
    let fake = Fake::start(|_, _| answer("502 Bad Gateway", "", "no route")).await;
    let proxies = [format!("http://user:hidden-value@127.0.0.1:{}", fake.port), "http://127.0.0.1:1".to_owned()];
    for proxy in proxies {
        let error = through(proxy).await;
        let TransportError::Proxy { proxy, source_name, causes } = &error else { panic!("{error:?}") };
        assert_eq!(source_name, "--proxy");
        assert!(proxy.contains("127.0.0.1") && !proxy.contains("hidden-value"), "{proxy}");
        assert!(!causes.is_empty());
    }
    let asked = &fake.requests()[0];
    assert_eq!(asked.path, "http://somewhere.invalid/mcp");
    assert!(asked.header("proxy-authorization").is_some());
}

#[tokio::test]
async fn a_tunnel_that_is_refused_is_the_proxys_fault() {
    let fake = Fake::start(|_, _| vec![text("HTTP/1.1 407 Auth\r\n\r\n"), Do::Close]).await;
    let settings = NetSettings { proxy: Some(format!("127.0.0.1:{}", fake.port)), insecure: true, ..settings() };
    let (net, _) = net_with(Url::parse("https://somewhere.invalid/mcp").unwrap(), &[], &settings).unwrap();
    let error = net.send(post(&net)).await.err().unwrap();
    assert!(matches!(&error, TransportError::Proxy { causes, .. } if causes[0].contains("authorization")), "{error:?}");
}

#[tokio::test]
async fn connecting_has_a_limit() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = Url::parse(&format!("https://127.0.0.1:{port}/")).unwrap();
    let settings = NetSettings { connect_timeout: Some(Duration::from_millis(100)), insecure: true, ..settings() };
    // It takes the connection and never speaks TLS: the handshake counts too.
    let (net, _) = net_with(url, &[], &settings).unwrap();
    let error = net.send(post(&net)).await.err().unwrap();
    let TransportError::Timeout { reason, limit, .. } = &error else { panic!("{error:?}") };
    assert_eq!((*reason, *limit), (crate::outcome::Reason::ConnectTimeout, Duration::from_millis(100)));
}

#[tokio::test]
async fn a_reset_before_the_answer_is_a_stream_failure() {
    let fake = Fake::start(|_, _| vec![Do::Reset]).await;
    let (net, _) = net(&fake);
    let error = net.send(post(&net)).await.err().unwrap();
    assert!(matches!(&error, TransportError::Stream { end: StreamEnd::Reset(_), .. }), "{error:?}");
    assert!(!error.never_reached());
}
