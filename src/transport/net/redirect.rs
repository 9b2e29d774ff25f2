//! Which redirects are followed, and how the others are reported.

use reqwest::{Method, StatusCode, header};
use url::Url;

use super::super::TransportError;
use super::Answer;

/// A longer chain is a loop for all that anybody can tell.
const MOST: usize = 5;

/// A redirect that is not followed.
pub struct Refused {
    problem: String,
    location: Option<Url>,
    foreign: bool,
}

/// What an answer says about going elsewhere: `None` if it is no redirect, else the next URL or why not.
///
/// A request with a body is only sent again where the status keeps its method: 307 and 308 (RFC 9110 §15.4). The
/// origin must stay the same, because the user's headers are meant for it alone.
pub fn next(answer: &Answer, visited: &[Url]) -> Option<Result<Url, Refused>> {
    let status = answer.status_code();
    let keeps_method = matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let is_redirect =
        keeps_method || matches!(status, StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND | StatusCode::SEE_OTHER);
    if !is_redirect {
        return None;
    }
    let from = answer.url();
    let location = answer.header(header::LOCATION.as_str()).and_then(|text| from.join(&text).ok());
    let refused = |problem: &str, location, foreign| {
        Some(Err(Refused { problem: format!("{problem}, not followed"), location, foreign }))
    };
    let Some(mut to) = location else { return refused("redirect without a usable location", None, false) };
    // RFC 9110 §10.2.2: the fragment is inherited, and it never goes to the server.
    to.set_fragment(None);
    if to.origin() != from.origin() {
        let problem = if from.scheme() == "https" && to.scheme() == "http" {
            "redirect from https to http"
        } else {
            "redirect to another origin"
        };
        return refused(problem, Some(to), true);
    }
    if !keeps_method && *answer.method() != Method::GET {
        return refused("redirect that would turn the request into a GET", Some(to), false);
    }
    if visited.contains(&to) {
        return refused("redirect loop", Some(to), false);
    }
    if visited.len() > MOST {
        return refused(&format!("more than {MOST} redirects"), Some(to), false);
    }
    Some(Ok(to))
}

impl Refused {
    /// The error, with the location as evidence and the headers that would have gone along.
    pub async fn into_error(self, mut answer: Answer, leaking: Vec<String>) -> TransportError {
        let redactor = answer.tracer().redactor();
        let shown = self.location.as_ref().map(|url| redactor.url(url));
        let hint = shown.as_ref().map(|shown| {
            let mut hint = format!("if that is the server, use its URL: {shown}");
            if self.foreign && !leaking.is_empty() {
                hint.push_str(&format!(" (following would have sent it {})", leaking.join(", ")));
            }
            hint
        });
        let body = answer.read_refusal(2048, None).await;
        let mut fault = answer.fault(&body, Some(self.problem));
        fault.hint = hint;
        TransportError::Http(Box::new(fault))
    }
}
