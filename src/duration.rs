//! Durations as they are typed: `1500ms`, `30s`, `5m`, `1h`, a bare number of seconds, `0` for no limit.

use std::time::Duration;

/// Longer than any run, and far from where adding it to a clock overflows.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// Reads a duration; `None` means no limit, which is written as zero in any unit.
///
/// Fractions are exact down to the nanosecond (`0.5`, `1.5s`); what is shorter than one nanosecond counts as one, so that only
/// a real zero means no limit.
///
/// # Errors
/// A sentence for the user: the text is negative, has another form, or is longer than a year.
pub fn parse_duration(text: &str) -> Result<Option<Duration>, String> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    if text.starts_with('-') {
        return Err(format!("`{text}` is negative; write 1500ms, 30s, 5m or a number of seconds, and 0 for no limit"));
    }
    let nanos_in_unit: u128 = match unit {
        "ms" => 1_000_000,
        "" | "s" => 1_000_000_000,
        "m" => 60 * 1_000_000_000,
        "h" => 3600 * 1_000_000_000,
        _ => return Err(unreadable(text)),
    };
    let nanos = scaled(number, nanos_in_unit).ok_or_else(|| unreadable(text))?;
    if nanos == 0 {
        return Ok(None);
    }
    match u64::try_from(nanos) {
        Ok(nanos) if Duration::from_nanos(nanos) <= LONGEST => Ok(Some(Duration::from_nanos(nanos))),
        _ => Err(format!("`{text}` is longer than a year; write 0 for no limit")),
    }
}

fn unreadable(text: &str) -> String {
    format!("`{text}` is not a duration; write 1500ms, 30s, 5m, 1h or a number of seconds, and 0 for no limit")
}

/// `number` × `unit`, rounded up to a whole; saturates, and is `None` for what is not a plain decimal number.
fn scaled(number: &str, unit: u128) -> Option<u128> {
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return None,
        None => (number, ""),
    };
    if whole.is_empty() || fraction.contains('.') {
        return None;
    }
    let whole = whole.bytes().fold(0u128, |sum, digit| sum.saturating_mul(10).saturating_add(u128::from(digit - b'0')));
    // Eighteen digits of the fraction decide; any digit behind them can only round up.
    let (near, far) = fraction.split_at(fraction.len().min(18));
    let scale = near.bytes().fold(1u128, |scale, _| scale * 10);
    let near = near.bytes().fold(0u128, |sum, digit| sum * 10 + u128::from(digit - b'0'));
    let far = u128::from(far.bytes().any(|digit| digit != b'0'));
    Some(whole.saturating_mul(unit).saturating_add((near * unit + far).div_ceil(scale)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_every_documented_form() {
        for (text, nanos) in [
            ("1500ms", 1_500_000_000u64),
            ("30s", 30_000_000_000),
            ("5m", 300_000_000_000),
            ("2h", 7_200_000_000_000),
            ("30", 30_000_000_000),
            ("0.5", 500_000_000),
            ("1.5s", 1_500_000_000),
            ("0.25ms", 250_000),
            ("0.1m", 6_000_000_000),
            ("007", 7_000_000_000),
            ("0.000000000000000000000001", 1),
            ("0.3333333333", 333_333_334),
        ] {
            assert_eq!(parse_duration(text), Ok(Some(Duration::from_nanos(nanos))), "{text}");
        }
        for text in ["0", "0s", "0ms", "0.0", "00", "0.000000000000000000000000m"] {
            assert_eq!(parse_duration(text), Ok(None), "{text}");
        }
    }

    #[test]
    fn refuses_everything_else_and_shows_it() {
        for text in [
            "", "abc", "s", "-1", "-0", "+1", "1 s", " 1", "1x", "1sec", ".5", "5.", "1.2.3", "1e3", "0x10", "1m30s",
            "∞", "5м", "1,5",
        ] {
            let error = parse_duration(text).unwrap_err();
            assert!(error.contains(&format!("`{text}`")), "{text}: {error}");
        }
        assert!(parse_duration("-5s").unwrap_err().contains("negative"));
        assert!(parse_duration("9999h").unwrap_err().contains("longer than a year"));
        assert!(parse_duration(&"9".repeat(500)).unwrap_err().contains("longer than a year"));
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC*") {
            let _ = parse_duration(&text);
        }

        #[test]
        fn milliseconds_and_seconds_agree(ms in 1u64..10_000_000) {
            let seconds = format!("{}.{:03}", ms / 1000, ms % 1000);
            prop_assert_eq!(parse_duration(&seconds), parse_duration(&format!("{ms}ms")));
        }
    }
}
