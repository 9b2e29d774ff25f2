//! `${VAR}` and `${VAR:-default}` in a text.

/// Why a text could not be filled in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unexpanded {
    /// The variable has no value, and the text gives none.
    Unset(String),
    /// What stands between the braces is no variable; a sentence that does not show it.
    Malformed(&'static str),
}

/// Fills in the variables of a text. What they hold is not looked at again. `$` without a brace is itself.
///
/// `${VAR:-default}` gives the default when the variable is unset or empty, as in a shell; defaults do not nest.
pub(super) fn expand(text: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<String, Unexpanded> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        out.push_str(&rest[..start]);
        let inner = &rest[start + 2..];
        let end = inner.find('}').ok_or(Unexpanded::Malformed("`${` without its `}`"))?;
        let (name, default) = match inner[..end].split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (&inner[..end], None),
        };
        if !is_name(name) {
            return Err(Unexpanded::Malformed(
                "`${…}` must hold the name of an environment variable: letters, digits and `_`, optionally `:-` and a default",
            ));
        }
        if default.is_some_and(|default| default.contains("${")) {
            return Err(Unexpanded::Malformed("a default in `${VAR:-default}` cannot hold another `${`"));
        }
        match (env(name), default) {
            (Some(value), Some(default)) if value.is_empty() => out.push_str(default),
            (Some(value), _) => out.push_str(&value),
            (None, Some(default)) => out.push_str(default),
            (None, None) => return Err(Unexpanded::Unset(name.to_owned())),
        }
        rest = &inner[end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty() && !name.as_bytes()[0].is_ascii_digit() && name.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn env(name: &str) -> Option<String> {
        match name {
            "A" => Some("a value".to_owned()),
            "EMPTY" => Some(String::new()),
            "LOOP" => Some("${LOOP}".to_owned()),
            "_x9" => Some("ü".to_owned()),
            _ => None,
        }
    }

    #[test]
    fn variables_are_filled_in_once() {
        for (text, expected) in [
            ("", ""),
            ("plain $A $ {A} }", "plain $A $ {A} }"),
            ("Bearer ${A}!", "Bearer a value!"),
            ("${A}${_x9}${A}", "a valueüa value"),
            ("${EMPTY}", ""),
            ("${EMPTY:-x}", "x"),
            ("${NO:-}", ""),
            ("${NO:-a:-b $c}", "a:-b $c"),
            ("${A:-x}", "a value"),
            ("${LOOP}", "${LOOP}"),
            ("$${A}", "$a value"),
        ] {
            assert_eq!(expand(text, &env).as_deref(), Ok(expected), "{text}");
        }
        assert_eq!(expand("x ${NOPE} y", &env), Err(Unexpanded::Unset("NOPE".to_owned())));
        for text in ["${", "${A", "${}", "${:-x}", "${1A}", "${A-x}", "${input:token}", "${A }", "${Ä}", "${NO:-${A}}"]
        {
            assert!(matches!(expand(text, &env), Err(Unexpanded::Malformed(_))), "{text}");
        }
    }

    proptest! {
        #[test]
        fn text_without_braces_is_itself(text in "[^{]*") {
            prop_assert_eq!(expand(&text, &env), Ok(text));
        }

        #[test]
        fn never_panics(text in "(\\$|\\{|\\}|:-|A|é|\\PC){0,12}") {
            let _ = expand(&text, &env);
        }
    }
}
