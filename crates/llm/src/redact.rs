//! Takes secrets out of text before it is kept or shown.
//!
//! Which shapes and places give a secret away is said in [`candor_model::secret`]; here they are taken out, and
//! with them the keys of this installation, which are known by their value. What was cleaned once is not changed
//! by a second time.

use std::borrow::Cow;

use candor_model::secret::{self, MARK};

/// Shorter values are too likely to be part of something harmless.
const MIN_KNOWN_VALUE: usize = 8;
/// The variables that hold keys by default.
const KEY_VARIABLES: &[&str] = &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];

/// Takes out secrets of the usual shapes.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut cleaned = String::new();
    let mut kept_from = 0;
    for secret in secret::find(text) {
        cleaned.push_str(text.get(kept_from..secret.range.start).unwrap_or_default());
        cleaned.push_str(&format!("{MARK}{}]", secret.kind));
        kept_from = secret.range.end;
    }
    if kept_from == 0 {
        return Cow::Borrowed(text);
    }
    cleaned.push_str(text.get(kept_from..).unwrap_or_default());
    Cow::Owned(cleaned)
}

/// Takes out secrets of the usual shapes, and values that are known to be secret.
#[derive(Clone, Default)]
pub struct Redactor {
    values: Vec<String>,
}

impl Redactor {
    /// Replaces these values wherever they occur.
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let is_fit = |value: &String| {
            value.len() >= MIN_KNOWN_VALUE && !format!("{MARK}key]").contains(value.as_str())
        };
        let mut values: Vec<_> = values.into_iter().filter(is_fit).collect();
        // A value that holds another goes first, or a part of it would stay.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        Self { values }
    }

    /// Knows the values of these variables, and of those that hold keys by default.
    pub fn of_environment(names: &[&str], environment: &dyn Fn(&str) -> Option<String>) -> Self {
        let names = names.iter().chain(KEY_VARIABLES).filter(|name| !name.is_empty());
        Self::new(names.filter_map(|name| environment(name)).map(|value| value.trim().to_owned()))
    }

    /// The text without secrets.
    #[must_use]
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut cleaned = Cow::Borrowed(text);
        for value in &self.values {
            if cleaned.contains(value.as_str()) {
                cleaned = Cow::Owned(cleaned.replace(value.as_str(), &format!("{MARK}key]")));
            }
        }
        match cleaned {
            Cow::Borrowed(text) => redact(text),
            Cow::Owned(text) => Cow::Owned(redact(&text).into_owned()),
        }
    }
}

impl std::fmt::Debug for Redactor {
    // What it knows is what must not be shown.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Redactor({} values)", self.values.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N";

    #[test]
    fn keys_of_the_usual_shapes_are_taken_out() {
        for (text, expected) in [
            ("use sk-ant-api03-abcDEF123456789xyz now", "use [redacted:anthropic_key] now"),
            ("sk-proj-abcdefghijklmnopqrst1", "[redacted:api_key]"),
            ("key AIzaSyA1234567890abcdefghijklmnopqrstuvw.", "key [redacted:google_key]."),
            ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted:github_token]"),
            ("github_pat_11ABCDEFG0abcdefghijklmnop", "[redacted:github_token]"),
            ("(AKIAIOSFODNN7EXAMPLE)", "([redacted:aws_key])"),
            ("xoxb-123456789012-abcdef", "[redacted:slack_token]"),
            (JWT, "[redacted:jwt]"),
            ("Authorization: Bearer abc123def456ghi", "Authorization: Bearer [redacted:bearer_token]"),
            ("postgres://me:hunter2@db/x", "postgres://me:[redacted:password]@db/x"),
            ("DB_PASSWORD=hunter2 next", "DB_PASSWORD=[redacted:password] next"),
            (r#"{"api_key": "abcdef"}"#, r#"{"api_key": "[redacted:secret]"}"#),
            (
                "a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b",
                "a [redacted:private_key] b",
            ),
            ("-----BEGIN PRIVATE KEY-----\nMII", "[redacted:private_key]"),
            ("?token=a1b2c3d4e5&x=1", "?token=[redacted:secret]&x=1"),
        ] {
            assert_eq!(redact(text), expected, "{text}");
        }
    }

    #[test]
    fn prose_identifiers_and_hashes_stay() {
        for text in [
            "The password must have 8 letters; the secret: start early. Token limits apply.",
            "password: please choose one",
            "123e4567-e89b-12d3-a456-426614174000",
            "commit 397277cdeadbeef397277cdeadbeef397277cdea",
            "sk-learn-is-a-library-of-models, task-force, risk-averse",
            "max_tokens: 1024, token: 12345678, api_key_env = \"OPENAI_API_KEY\"",
            "https://example.org:8080/a@b?c=d and mailto:me@example.org",
            "the bearer of good news arrives",
            "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----",
            r#"{ "password": { "type": "string" }, "secret": "string" }"#,
            "export OPENAI_API_KEY=$KEY",
        ] {
            assert!(matches!(redact(text), Cow::Borrowed(_)), "{text} -> {}", redact(text));
        }
    }

    #[test]
    fn known_values_are_taken_out_whatever_their_shape() {
        let redactor =
            Redactor::new(["plainwords".to_owned(), "plainwordsandmore".to_owned(), "x".to_owned()]);
        assert_eq!(redactor.redact("x=plainwordsandmore, plainwords"), "x=[redacted:key], [redacted:key]");
        assert!(!format!("{redactor:?}").contains("plain"));
    }

    #[test]
    fn a_megabyte_takes_a_moment() {
        let started = std::time::Instant::now();
        let pieces = [
            "eyJaaaaaaaaaa.",
            "password=",
            "secret=",
            "token:",
            "secret=\"",
            "secret='\"",
            "password:[",
            "://a:",
            "sk-",
            "-----BEGIN ",
            "-----BEGIN é",
            "Bearer ",
            "token: ",
            "\"",
            "é",
            "eyJ",
            "pwd=\"$",
        ];
        for piece in pieces {
            let _ = redact(&piece.repeat(1_000_000 / piece.len()));
        }
        assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
    }

    fn fragments() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("password".to_owned()),
            Just("token".to_owned()),
            Just("secret".to_owned()),
            Just("=".to_owned()),
            Just(": ".to_owned()),
            Just("\"".to_owned()),
            Just("://u:".to_owned()),
            Just("@h/".to_owned()),
            Just("sk-".to_owned()),
            Just("AKIA".to_owned()),
            Just("ABCDEFGHIJKLMNO1".to_owned()),
            Just(JWT.to_owned()),
            Just("Bearer ".to_owned()),
            Just("-----BEGIN PRIVATE KEY-----".to_owned()),
            Just("-----END x".to_owned()),
            Just("-----".to_owned()),
            Just("abc123abc123abc123abc123".to_owned()),
            Just(" ".to_owned()),
            Just("[redacted:key]".to_owned()),
            "\\PC{0,3}",
            Just("\n".to_owned()),
            Just("api_key".to_owned()),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn cleaning_twice_is_cleaning_once(text in fragments()) {
            let once = redact(&text).into_owned();
            let twice = redact(&once).into_owned();
            prop_assert_eq!(&twice, &once, "from {:?}", text);
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            let _ = redact(&text);
        }
    }
}
