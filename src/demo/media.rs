//! The few binary bytes of the demo, as base64: a picture of 8 × 8 pixels and a millisecond of sound.

/// A real PNG, 8 × 8, blue and white squares.
pub const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAGUlEQVR42mP4//+/fuN3TJIBqyiQZBiUOgDtH5SBW4vykAAAAABJRU5ErkJggg==";

/// A real WAV, 8 samples of 8 bits at 8 kHz.
pub const WAV: &str = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAsNCwgFAwUA==";

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    #[test]
    fn both_are_what_they_say() {
        let png = STANDARD.decode(PNG).expect("base64");
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xaeB`\x82"));
        let wav = STANDARD.decode(WAV).expect("base64");
        assert!(wav.starts_with(b"RIFF") && wav.len() == 44 + 8);
    }
}
