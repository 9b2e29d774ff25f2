//! A tokeniser of JSON text, and the printers over it. Number texts and key order stay as they are.

/// The class of a token, for instance to colour it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A string that is the key of a member.
    Key,
    /// Any other string.
    String,
    /// A number.
    Number,
    /// `true`, `false`, `null`.
    Literal,
    /// One of `{}[],:`.
    Punctuation,
    /// Blanks and line ends, of the text or of the layout.
    Whitespace,
    /// Anything that JSON does not have.
    Invalid,
}

/// A piece of JSON text and its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The class.
    pub kind: TokenKind,
    /// The text, strings with their quotes and escapes.
    pub text: &'a str,
}

/// Cuts any text into JSON tokens in one pass; their texts, joined, are the text again.
pub fn tokens(text: &str) -> Tokens<'_> {
    Tokens { text, at: 0 }
}

/// The iterator of [`tokens`].
#[derive(Debug, Clone)]
pub struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    /// The byte offset of the next token.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The end of the run of bytes that starts at `from` and fits `inside`.
    fn run(&self, from: usize, inside: impl Fn(u8) -> bool) -> usize {
        let bytes = self.text.as_bytes();
        bytes[from..].iter().position(|&byte| !inside(byte)).map_or(bytes.len(), |length| from + length)
    }

    /// The end of the string whose opening quote is at `self.at`, and whether its closing quote is there.
    fn string_end(&self) -> (usize, bool) {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        while at < bytes.len() {
            match memchr::memchr2(b'"', b'\\', &bytes[at..]) {
                Some(found) if bytes[at + found] == b'"' => return (at + found + 1, true),
                Some(found) => at += found + 2,
                None => break,
            }
        }
        (bytes.len(), false)
    }

    fn string(&self) -> (TokenKind, usize) {
        match self.string_end() {
            (end, false) => (TokenKind::Invalid, end),
            (end, true) => {
                let next = self.text.as_bytes().get(self.run(end, is_blank));
                (if next == Some(&b':') { TokenKind::Key } else { TokenKind::String }, end)
            }
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let start = self.at;
        let (kind, end) = match *self.text.as_bytes().get(start)? {
            byte if is_blank(byte) => (TokenKind::Whitespace, self.run(start, is_blank)),
            byte if is_punctuation(byte) => (TokenKind::Punctuation, start + 1),
            b'"' => self.string(),
            b'-' | b'0'..=b'9' => {
                (TokenKind::Number, self.run(start, |b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')))
            }
            _ => {
                // Up to the next ASCII delimiter, which is always a character boundary.
                let end = self.run(start, |b| !is_blank(b) && !is_punctuation(b) && b != b'"');
                let literal = matches!(&self.text[start..end], "true" | "false" | "null");
                (if literal { TokenKind::Literal } else { TokenKind::Invalid }, end)
            }
        };
        self.at = end;
        Some(Token { kind, text: &self.text[start..end] })
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_punctuation(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':')
}

/// Removes the whitespace outside strings, so that the text fits one line. What is not JSON keeps its tokens.
pub fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut after_value = false;
    for token in tokens(text).filter(|token| token.kind != TokenKind::Whitespace) {
        let value = token.kind != TokenKind::Punctuation;
        if value && after_value {
            out.push(' ');
        }
        after_value = value;
        out.push_str(token.text);
    }
    out
}

/// Lays JSON text out over lines, `indent` blanks a level. Empty containers stay on one line.
pub fn pretty(text: &str, indent: usize) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    pretty_with(text, indent, |_, piece| out.push_str(piece));
    out
}

/// Beyond this level lines are not indented any further: else the layout of nested brackets grows with the square of their number.
const INDENTED_LEVELS: usize = 100;

/// As [`pretty`], piece by piece with the class of each, for a printer that colours them.
pub fn pretty_with(text: &str, indent: usize, mut piece: impl FnMut(TokenKind, &str)) {
    let blanks = " ".repeat(indent * INDENTED_LEVELS);
    let mut depth = 0_usize;
    // Whether a container was just opened, and whether a value was just written.
    let (mut opened, mut after_value) = (false, false);
    for token in tokens(text).filter(|token| token.kind != TokenKind::Whitespace) {
        let closes = matches!(token.text, "}" | "]");
        if closes {
            depth = depth.saturating_sub(1);
        }
        if opened != closes {
            piece(TokenKind::Whitespace, "\n");
            piece(TokenKind::Whitespace, &blanks[..indent * depth.min(INDENTED_LEVELS)]);
        }
        let value = token.kind != TokenKind::Punctuation;
        if value && after_value {
            piece(TokenKind::Whitespace, " ");
        }
        piece(token.kind, token.text);
        opened = matches!(token.text, "{" | "[");
        depth += usize::from(opened);
        after_value = value;
        match token.text {
            "," => {
                piece(TokenKind::Whitespace, "\n");
                piece(TokenKind::Whitespace, &blanks[..indent * depth.min(INDENTED_LEVELS)]);
            }
            ":" => piece(TokenKind::Whitespace, " "),
            _ => {}
        }
    }
}
