//! Texts of JSON numbers, judged without turning them into a float.

/// A number's text, cut into its parts.
struct Parts<'a> {
    whole: &'a str,
    fraction: &'a str,
    exponent: Option<&'a str>,
}

fn parts(text: &str) -> Option<Parts<'_>> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((_, "")) => return None,
        Some((whole, fraction)) => (whole, fraction),
        None => (mantissa, ""),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let whole_ok = !whole.is_empty() && digits(whole) && (whole == "0" || !whole.starts_with('0'));
    let exponent_ok = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    (whole_ok && digits(fraction) && exponent_ok).then_some(Parts { whole, fraction, exponent })
}

/// Whether the text is a number by the JSON grammar (RFC 8259 §6).
pub(super) fn is_number(text: &str) -> bool {
    parts(text).is_some()
}

/// Whether the text is a JSON number without a fractional part: `5`, `5.0`, `1e3`, `1200e-2`.
pub(super) fn is_integer(text: &str) -> bool {
    let Some(parts) = parts(text) else { return false };
    let fraction = parts.fraction.trim_end_matches('0');
    let mantissa = format!("{}{fraction}", parts.whole);
    if mantissa.bytes().all(|byte| byte == b'0') {
        return true;
    }
    // An exponent that does not fit is far beyond the digits of any text.
    let exponent = parts.exponent.map_or(0, |exponent| {
        let saturated = if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 };
        exponent.strip_prefix('+').unwrap_or(exponent).parse().unwrap_or(saturated)
    });
    let zeros = mantissa.len() - mantissa.trim_end_matches('0').len();
    let length = |count: usize| i64::try_from(count).unwrap_or(i64::MAX / 4);
    exponent + length(zeros) >= length(fraction.len())
}

/// Whether the text is the only usual spelling of an integer: no sign but `-`, no zero in front, no fraction, no exponent.
pub(super) fn is_canonical_integer(text: &str) -> bool {
    parts(text).is_some_and(|parts| parts.fraction.is_empty() && parts.exponent.is_none()) && text != "-0"
}

/// The same for any number: a fraction must not end with a zero.
pub(super) fn is_canonical_number(text: &str) -> bool {
    is_canonical_integer(text)
        || parts(text).is_some_and(|parts| {
            parts.exponent.is_none() && !parts.fraction.is_empty() && !parts.fraction.ends_with('0')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_judged_by_the_json_grammar() {
        for (text, number, integer, canonical_integer, canonical_number) in [
            ("0", true, true, true, true),
            ("-0", true, true, false, false),
            ("5", true, true, true, true),
            ("-1", true, true, true, true),
            ("123456789012345678901234567890", true, true, true, true),
            ("5.0", true, true, false, false),
            ("5.5", true, false, false, true),
            ("1.10", true, false, false, false),
            ("0.000", true, true, false, false),
            ("1e3", true, true, false, false),
            ("1E+3", true, true, false, false),
            ("1.25e2", true, true, false, false),
            ("1.25e1", true, false, false, false),
            ("1200e-2", true, true, false, false),
            ("1200e-3", true, false, false, false),
            ("1e-400", true, false, false, false),
            ("0e-400", true, true, false, false),
            ("1e99999999999999999999", true, true, false, false),
            ("1e-99999999999999999999", true, false, false, false),
            ("007", false, false, false, false),
            ("+5", false, false, false, false),
            ("", false, false, false, false),
            ("-", false, false, false, false),
            (".5", false, false, false, false),
            ("5.", false, false, false, false),
            ("1e", false, false, false, false),
            ("1e+", false, false, false, false),
            ("1.2.3", false, false, false, false),
            ("0x10", false, false, false, false),
            ("1_000", false, false, false, false),
            (" 1", false, false, false, false),
            ("NaN", false, false, false, false),
            ("٣", false, false, false, false),
        ] {
            assert_eq!(is_number(text), number, "{text:?} number");
            assert_eq!(is_integer(text), integer, "{text:?} integer");
            assert_eq!(is_canonical_integer(text), canonical_integer, "{text:?} canonical integer");
            assert_eq!(is_canonical_number(text), canonical_number, "{text:?} canonical number");
            assert_eq!(serde_json::from_str::<serde_json::Number>(text).is_ok(), number || text == " 1", "{text:?}");
        }
    }
}
