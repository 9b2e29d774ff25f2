//! What a stream can show: text made safe for a terminal, colour, width.

use std::borrow::Cow;
use std::io::IsTerminal;

use colored::{Color, Colorize};

/// The width when it is not known.
const USUAL_WIDTH: usize = 80;
/// Lines longer than this are hard to read.
const WIDEST: usize = 120;
/// Narrower than this nothing is laid out.
const NARROWEST: usize = 40;

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorChoice {
    /// On terminals, unless the environment says otherwise.
    #[default]
    Auto,
    /// Also where it is no terminal.
    Always,
    /// Nowhere.
    Never,
}

/// One of the two output streams, as far as a view needs to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    /// Whether a terminal is at the other end.
    pub is_terminal: bool,
    /// Whether to colour.
    pub colour: bool,
    /// How many columns there are.
    pub width: usize,
}

impl Stream {
    /// A stream that is no terminal.
    pub const PLAIN: Stream = Stream { is_terminal: false, colour: false, width: USUAL_WIDTH };

    /// Standard output.
    pub fn stdout(choice: ColorChoice) -> Stream {
        Stream::of(std::io::stdout().is_terminal(), choice)
    }

    /// Standard error.
    pub fn stderr(choice: ColorChoice) -> Stream {
        Stream::of(std::io::stderr().is_terminal(), choice)
    }

    fn of(is_terminal: bool, choice: ColorChoice) -> Stream {
        // `colored` would decide by stdout for both streams; here each stream decides for itself.
        colored::control::set_override(true);
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0");
        let colour = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            // The convention: CLICOLOR_FORCE, then NO_COLOR, then the terminal.
            ColorChoice::Auto if forced => true,
            ColorChoice::Auto => {
                is_terminal && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
            }
        };
        let width = terminal_size::terminal_size().map_or(USUAL_WIDTH, |(width, _)| usize::from(width.0));
        Stream { is_terminal, colour, width: if is_terminal { width.clamp(NARROWEST, WIDEST) } else { USUAL_WIDTH } }
    }

    fn paint(self, text: &str, style: impl FnOnce(&str) -> colored::ColoredString) -> String {
        if self.colour && !text.is_empty() { style(text).to_string() } else { text.to_owned() }
    }

    /// A heading, a name.
    pub fn bold(self, text: &str) -> String {
        self.paint(text, |text| text.bold())
    }

    /// What may be overlooked.
    pub fn dim(self, text: &str) -> String {
        self.paint(text, |text| text.dimmed())
    }

    /// A failure.
    pub fn bad(self, text: &str) -> String {
        self.paint(text, |text| text.red().bold())
    }

    /// A warning.
    pub fn warn(self, text: &str) -> String {
        self.paint(text, |text| text.yellow().bold())
    }

    /// A hint.
    pub fn hint(self, text: &str) -> String {
        self.paint(text, |text| text.cyan())
    }

    /// In one of the terminal's colours.
    pub fn colour(self, text: &str, colour: Color) -> String {
        self.paint(text, |text| text.color(colour))
    }

    /// Server text for this stream: made safe on a terminal, untouched elsewhere.
    pub fn text(self, text: &str) -> Cow<'_, str> {
        if self.is_terminal { safe(text) } else { Cow::Borrowed(text) }
    }
}

/// Whether a terminal must not see this character: C0 and C1 controls but LF and TAB, and everything that hides or reorders
/// other text (bidirectional controls, zero-width characters, tags).
pub const fn is_unsafe(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}'
        | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Text with every unsafe character shown as an escape: `\x1b`, `\r`, `\u{202e}`.
pub fn safe(text: &str) -> Cow<'_, str> {
    escaped(text, |c, out| match c {
        '\r' => out.push_str("\\r"),
        '\0'..='\u{7f}' => out.push_str(&format!("\\x{:02x}", u32::from(c))),
        _ => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
    })
}

/// JSON text with every unsafe character as a JSON escape, so that its value stays the same. In valid JSON they can stand in
/// strings only.
pub fn safe_json(text: &str) -> Cow<'_, str> {
    escaped(text, |c, out| {
        // Blanks between tokens may hold CR; an escape is no blank.
        if c == '\r' {
            return;
        }
        let mut units = [0; 2];
        for unit in c.encode_utf16(&mut units) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    })
}

fn escaped(text: &str, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let Some(first) = text.find(is_unsafe) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for c in text[first..].chars() {
        if is_unsafe(c) { escape(c, &mut out) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Safe text on one line: runs of blanks and line ends become one blank.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split([' ', '\n', '\t', '\r']).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&safe(word));
    }
    out
}

/// The first sentence of a description, on one line.
pub fn first_sentence(text: &str) -> String {
    let paragraph = text.trim_start().split("\n\n").next().unwrap_or_default();
    let text = line(paragraph);
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        let next = &text[at + c.len_utf8()..];
        let abbreviation = text[..at].ends_with("e.g") || text[..at].ends_with("i.e") || text[..at].ends_with("etc");
        if matches!(c, '.' | '!' | '?') && next.starts_with(' ') && !abbreviation {
            end = at + c.len_utf8();
            break;
        }
    }
    text[..end].to_owned()
}

/// How many columns a text takes.
pub fn columns(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// The characters of a text, each with the columns that it takes at most: a narrow one becomes wide when U+FE0F behind it asks
/// for an emoji.
fn widths(text: &str) -> impl Iterator<Item = (char, usize)> {
    let next = text.chars().skip(1).map(Some).chain([None]);
    text.chars().zip(next).map(|(c, next)| {
        let width = unicode_width::UnicodeWidthChar::width(c).unwrap_or(1);
        (c, if matches!(next, Some('\u{fe00}'..='\u{fe0f}')) { width.max(2) } else { width })
    })
}

/// The beginning of a text that fits into so many columns, with `…` if something was left out.
pub fn fit(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    if width == 0 {
        return out;
    }
    let mut used = 1;
    for (c, columns) in widths(text) {
        used += columns;
        if used > width {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

/// What a tab becomes where a text is laid out: nobody but the terminal knows how wide it is.
const TAB: &str = "    ";

/// Lines of a text that is wrapped to a width; its own line ends and indents are kept.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(10);
    text.lines().flat_map(|line| broken(&line.replace('\t', TAB), width)).collect()
}

/// One line, broken at its blanks, and inside a word that is longer than a line.
fn broken(text: &str, width: usize) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    // The columns of `line`, and the blanks behind it.
    let (mut used, mut blanks) = (0, 0_usize);
    for (index, word) in text.split(' ').enumerate() {
        blanks += usize::from(index > 0);
        if word.is_empty() {
            continue;
        }
        let length: usize = widths(word).map(|(_, columns)| columns).sum();
        if used + blanks + length > width && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
            (used, blanks) = (0, 0);
        }
        // An indent that leaves no room for the word is none.
        let gap = if used + blanks + length > width { 0 } else { blanks };
        line.push_str(&" ".repeat(gap));
        (used, blanks) = (used + gap, 0);
        for (c, columns) in widths(word) {
            if used + columns > width {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(c);
            used += columns;
        }
    }
    lines.push(line);
    lines
}

/// A size in bytes for people: `999 B`, `1.2 kB`.
pub fn size(bytes: usize) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    // The precision of f64 is far beyond the one digit that is shown.
    #[allow(clippy::cast_precision_loss)]
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A duration for people: `3.1 ms`, `2.5 s`.
pub fn duration(duration: std::time::Duration) -> String {
    let ms = duration.as_secs_f64() * 1000.0;
    if ms < 1000.0 { format!("{ms:.1} ms") } else { format!("{:.1} s", ms / 1000.0) }
}

/// A time that somebody set, such as `1h` or `300ms`.
pub fn span(milliseconds: u64) -> String {
    humantime::format_duration(std::time::Duration::from_millis(milliseconds)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_shown_and_not_obeyed() {
        let rows = [
            ("plain é 名前 👍\tx\ny", "plain é 名前 👍\tx\ny"),
            ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
            ("a\rb\u{8}", "a\\rb\\x08"),
            ("\u{9b}31m\u{7f}", "\\u{9b}31m\\x7f"),
            ("\u{202e}evil\u{2066}\u{200f}\u{61c}", "\\u{202e}evil\\u{2066}\\u{200f}\\u{61c}"),
            ("a\u{200b}b\u{200d}\u{2060}\u{feff}\u{e0041}", "a\\u{200b}b\\u{200d}\\u{2060}\\u{feff}\\u{e0041}"),
            // Unassigned, yet ignored by default; and controls that put one sign into another.
            ("a\u{fff0}b\u{13430}", "a\\u{fff0}b\\u{13430}"),
        ];
        for (text, shown) in rows {
            assert_eq!(safe(text), shown);
            assert!(!safe(text).chars().any(is_unsafe));
        }
        assert!(matches!(safe("nothing to do"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_keeps_its_value() {
        let text = "{\"a\u{202e}\":\r\n \"\u{9b}\u{e0041}\u{7f}é\"}";
        let shown = safe_json(text);
        assert_eq!(shown, "{\"a\\u202e\":\n \"\\u009b\\udb40\\udc41\\u007fé\"}");
        let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(parse(text), parse(&shown));
    }

    #[test]
    fn a_sentence_ends_where_it_ends() {
        assert_eq!(first_sentence("Adds two numbers. And more."), "Adds two numbers.");
        assert_eq!(
            first_sentence("Reads e.g. a file\n  of v1.2 text\n\nSecond paragraph"),
            "Reads e.g. a file of v1.2 text"
        );
        assert_eq!(first_sentence(""), "");
    }

    #[test]
    fn lines_fit_by_columns_and_not_by_bytes() {
        assert_eq!(fit("名前名前", 5), "名前…");
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(wrap("one two three\n\nfour", 10), ["one two", "three", "", "four"]);
        // A narrow symbol that is asked to be an emoji is wide, and so is a tab.
        assert_eq!(
            (fit("⚠\u{fe0f}⚠\u{fe0f}⚠", 4), fit("ab\tc", 3), fit("a", 0)),
            ("⚠\u{fe0f}…".to_owned(), "ab…".to_owned(), String::new())
        );
        assert_eq!(wrap("⚠\u{fe0f} warning", 10), ["⚠\u{fe0f} warning"]);
        assert_eq!(wrap("⚠\u{fe0f} warnings", 10), ["⚠\u{fe0f}", "warnings"]);
        assert_eq!(wrap("\ta b\tc d", 10), ["    a b", "c d"]);
        // Indents are kept where there is room, and a word longer than a line is cut.
        assert_eq!(wrap("  one  two ", 10), ["  one  two"]);
        assert_eq!(wrap("      eleven\n             x", 10), ["eleven", "x"]);
        assert_eq!(wrap("a 名前名前名前 b", 10), ["a", "名前名前名", "前 b"]);
    }

    #[test]
    fn sizes_and_durations() {
        let sizes: Vec<_> = [0, 999, 1000, 1234, 999_949, 999_950, 5_000_000].into_iter().map(size).collect();
        assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "1.2 kB", "999.9 kB", "1.0 MB", "5.0 MB"]);
        assert_eq!(duration(std::time::Duration::from_micros(3140)), "3.1 ms");
        assert_eq!(duration(std::time::Duration::from_millis(2500)), "2.5 s");
    }

    #[test]
    fn colour_is_a_matter_of_each_stream() {
        colored::control::set_override(true);
        let colourful = Stream { colour: true, ..Stream::PLAIN };
        assert_eq!((Stream::PLAIN.bad("x"), colourful.bad("x").contains('\x1b')), ("x".to_owned(), true));
    }
}
