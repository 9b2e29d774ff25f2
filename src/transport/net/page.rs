//! Bodies that are no messages: excerpts, and what an error page says.

/// The first `limit` bytes as text, ended at a character border; bytes that are not UTF-8 are replaced.
pub fn excerpt(bytes: &[u8], limit: usize) -> String {
    let mut cut = bytes.len().min(limit);
    // A character that the cut would halve is left out, if it is one at all.
    if cut < bytes.len() {
        let floor = (cut.saturating_sub(3)..=cut).rev().find(|&at| (bytes[at] & 0xC0) != 0x80);
        cut = floor.unwrap_or(cut);
    }
    String::from_utf8_lossy(&bytes[..cut]).into_owned()
}

/// The title of an HTML page, or else the first line of its text without markup; `None` for other texts.
pub fn headline(body: &str) -> Option<String> {
    let lower = body.to_ascii_lowercase();
    let start = lower.trim_start();
    if !(start.starts_with("<!doctype") || start.starts_with("<html") || lower.contains("</")) {
        return None;
    }
    let title = lower.find("<title").and_then(|at| {
        let open = at + lower[at..].find('>')? + 1;
        let close = open + lower[open..].find("</title")?;
        // HTML folds white space in a title.
        Some(body[open..close].split_whitespace().collect::<Vec<_>>().join(" "))
    });
    let text = title.filter(|title| !title.trim().is_empty()).unwrap_or_else(|| without_markup(body, &lower));
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(excerpt(line.as_bytes(), 200))
}

/// The text between the tags; scripts and styles are no text.
fn without_markup(body: &str, lower: &str) -> String {
    let mut text = String::new();
    let mut at = 0;
    while let Some(open) = lower[at..].find('<').map(|found| at + found) {
        text.push_str(&body[at..open]);
        let hidden = ["script", "style", "head"].into_iter().find(|name| lower[open + 1..].starts_with(name));
        let end = match hidden {
            Some(name) => lower[open..].find(&format!("</{name}")).map(|found| open + found + 1),
            None => Some(open),
        };
        let Some(close) = end.and_then(|end| lower[end..].find('>').map(|found| end + found + 1)) else {
            return text;
        };
        text.push('\n');
        at = close;
    }
    text.push_str(&body[at..]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_end_between_characters() {
        assert_eq!(excerpt("a好b".as_bytes(), 3), "a");
        assert_eq!(excerpt("a好b".as_bytes(), 4), "a好");
        assert_eq!(excerpt("好🙂".as_bytes(), 6), "好");
        assert_eq!(excerpt(b"\xff\xfe", 9), "\u{fffd}\u{fffd}");
        assert_eq!(excerpt(b"\x80\x80\x80\x80\x80\x80", 5), "\u{fffd}".repeat(5));
    }

    #[test]
    fn pages_have_a_headline() {
        let page = "<!DOCTYPE html><html><head><title>\n502 Bad Gateway</title></head><body>x</body></html>";
        assert_eq!(headline(page).as_deref(), Some("502 Bad Gateway"));
        let page = "<html><head><style>p{}</style></head><body><h1>Not <b>here</b></h1></body></html>";
        assert_eq!(headline(page).as_deref(), Some("Not"));
        assert_eq!(headline("<html><script>if (a < b) {}"), None);
        assert_eq!(headline("plain text"), None);
        assert_eq!(headline("<h1>cut"), None);
    }
}
