//! Text for a terminal: nothing that a terminal obeys and nothing invisible is left, nothing is wider than was asked for, and
//! JSON stays the same value.
//!
//! The first byte of the input is a width, the rest is text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcpcli::render::Stream;
use mcpcli::render::terminal::{
    columns, duration, first_sentence, fit, is_unsafe, line, safe, safe_json, size, span, wrap,
};
use mcpcli::wire::json;
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

/// Narrower than this nothing is wrapped.
const NARROWEST: usize = 10;

fuzz_target!(|data: &[u8]| {
    let Some((&width, rest)) = data.split_first() else { return };
    let (text, width) = (String::from_utf8_lossy(rest), usize::from(width));
    let shown = safe(&text);
    harmless(&shown, &['\n', '\t']);
    assert_eq!(safe(&shown), shown, "what is safe stays as it is");
    assert_eq!(shown == text, !text.contains(is_unsafe));
    let terminal = Stream { is_terminal: true, ..Stream::PLAIN };
    assert_eq!((terminal.text(&text), Stream::PLAIN.text(&text)), (shown.clone(), text.clone()));
    let one = line(&text);
    harmless(&one, &[]);
    assert_eq!(line(&one), one);
    harmless(&first_sentence(&text), &[]);
    for text in [&*shown, &one] {
        fitted(text, width);
        wrapped(text, width);
    }
    as_json(&text);
    let number = rest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    for text in [size(number as usize), duration(std::time::Duration::from_nanos(number)), span(number)] {
        harmless(&text, &[]);
    }
});

/// No C0 but those that are allowed, no DEL, no C1; nothing that reorders text or takes no room.
fn harmless(text: &str, allowed: &[char]) {
    let bad = |c: &char| (c.is_control() && !allowed.contains(c)) || reorders(*c) || is_ignorable(*c);
    let found = text.chars().find(bad);
    assert_eq!(found, None, "{text:?}");
}

/// `Bidi_Control` of Unicode 16, PropList.txt.
fn reorders(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `Default_Ignorable_Code_Point` of Unicode 16, DerivedCoreProperties.txt, but for U+FE00 to U+FE0F, which choose the form of the
/// character in front of them; and the line and paragraph separators and interlinear annotations.
fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The beginning of a text is no wider than asked, and is a beginning.
fn fitted(text: &str, width: usize) {
    let shown = fit(text, width);
    assert!(shown.width() <= width, "{} columns instead of {width}: {shown:?}", shown.width());
    assert_eq!(columns(&shown), shown.width());
    assert!(text == shown || shown.strip_suffix('…').is_some_and(|start| text.starts_with(start)) || width == 0);
    assert!(text == shown || text.width() > width, "cut without need");
}

/// No line is wider than asked, none holds a tab, and nothing but blanks is lost.
fn wrapped(text: &str, width: usize) {
    let lines = wrap(text, width);
    for line in &lines {
        assert!(line.width() <= width.max(NARROWEST), "{} columns instead of {width}: {line:?}", line.width());
        assert!(!line.contains(['\n', '\t']), "{line:?}");
    }
    let dense = |text: &str| text.chars().filter(|c| !matches!(c, ' ' | '\n' | '\t')).collect::<String>();
    assert_eq!(dense(&lines.concat()), dense(text));
}

/// Of JSON the value stays, whole and piece by piece; of anything else nothing harmful is left.
fn as_json(text: &str) {
    let shown = safe_json(text);
    harmless(&shown, &['\n', '\t']);
    let mut pieces = String::new();
    json::pretty_with(text, 2, |_, piece| pieces.push_str(&safe_json(piece)));
    harmless(&pieces, &['\n', '\t']);
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        for shown in [&*shown, &pieces] {
            assert_eq!(serde_json::from_str::<Value>(shown).ok().as_ref(), Some(&value), "{shown}");
        }
    }
}
