//! Takes secrets out of text before it is kept or shown.
//!
//! Secrets are known by their shape (the prefixes of well-known keys, tokens of three parts, private keys), by
//! their place (after `password=`, in front of `@` in an address, after `Bearer`), or by their value (the keys
//! of this installation). Prose, identifiers and hashes stay. Each byte is looked at a few times at most, and
//! what was cleaned once is not changed by a second time.

use std::borrow::Cow;

/// Shorter values are too likely to be part of something harmless.
const MIN_KNOWN_VALUE: usize = 8;
/// The variables that hold keys by default.
const KEY_VARIABLES: &[&str] = &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];
const MARK: &str = "[redacted:";

/// Takes out secrets of the usual shapes.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut cleaned = String::new();
    let mut rest = text;
    let mut kept_from = text;
    let mut before = None;
    while let Some(letter) = rest.chars().next() {
        let Some(secret) = find_at(rest, before) else {
            before = Some(letter);
            rest = after(rest, letter.len_utf8());
            continue;
        };
        let length = kept_from.len() - rest.len() + secret.from;
        cleaned.push_str(kept_from.get(..length).unwrap_or_default());
        cleaned.push_str(&format!("{MARK}{}]", secret.kind));
        rest = after(rest, secret.to);
        kept_from = rest;
        before = Some(']');
    }
    if kept_from.len() == text.len() {
        return Cow::Borrowed(text);
    }
    cleaned.push_str(kept_from);
    Cow::Owned(cleaned)
}

/// Takes out secrets of the usual shapes, and values that are known to be secret.
#[derive(Clone, Default)]
pub struct Redactor {
    values: Vec<String>,
}

impl Redactor {
    /// Knows these values.
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

/// A secret in the text ahead: where it begins and ends, counted from here.
struct Secret {
    kind: &'static str,
    from: usize,
    to: usize,
}

impl Secret {
    const fn here(kind: &'static str, to: usize) -> Self {
        Self { kind, from: 0, to }
    }
}

/// The secret that the text begins with, or announces here.
fn find_at(rest: &str, before: Option<char>) -> Option<Secret> {
    let begins_word = !before.is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-'));
    let begins_name = !before.is_some_and(char::is_alphanumeric);
    match rest.bytes().next()? {
        b'-' => private_key(rest),
        b':' => in_address(rest),
        b'b' | b'B' if begins_word => bearer(rest).or_else(|| assigned(rest)),
        letter if letter.is_ascii_alphabetic() => {
            let shaped = if begins_word { key(rest).or_else(|| token_of_three(rest)) } else { None };
            shaped.or_else(|| if begins_name { assigned(rest) } else { None })
        }
        _ => None,
    }
}

/// Keys with a well-known beginning: the beginning, the kind, and how long the rest is at least.
const KEYS: &[(&str, &str, usize)] = &[
    ("sk-ant-", "anthropic_key", 16),
    ("sk-", "api_key", 20),
    ("AIza", "google_key", 30),
    ("github_pat_", "github_token", 22),
    ("ghp_", "github_token", 20),
    ("gho_", "github_token", 20),
    ("ghu_", "github_token", 20),
    ("ghs_", "github_token", 20),
    ("ghr_", "github_token", 20),
    ("hf_", "api_key", 24),
    ("AKIA", "aws_key", 16),
    ("ASIA", "aws_key", 16),
    ("xoxb-", "slack_token", 10),
    ("xoxp-", "slack_token", 10),
    ("xoxa-", "slack_token", 10),
    ("xoxo-", "slack_token", 10),
    ("xoxr-", "slack_token", 10),
    ("xoxs-", "slack_token", 10),
];

fn key(rest: &str) -> Option<Secret> {
    let (start, kind, least) = KEYS.iter().find(|(start, ..)| rest.starts_with(start))?;
    let is_aws = *kind == "aws_key";
    let is_part = |byte: u8| if is_aws { byte.is_ascii_alphanumeric() } else { is_key_letter(byte) };
    let body = run(after(rest, start.len()), is_part);
    let is_key = if is_aws {
        body.len() == *least && !body.bytes().any(|byte| byte.is_ascii_lowercase())
    } else {
        // Words with hyphens begin like keys (`sk-learn-…`), but have no digits.
        body.len() >= *least && body.bytes().any(|byte| byte.is_ascii_digit())
    };
    is_key.then(|| Secret::here(kind, start.len() + body.len()))
}

/// Three parts with dots between them, the first of which is JSON in base64: a JSON Web Token.
fn token_of_three(rest: &str) -> Option<Secret> {
    if !rest.starts_with("eyJ") {
        return None;
    }
    let mut length = 0;
    for (index, least) in [10, 4, 4].into_iter().enumerate() {
        let dot = usize::from(index > 0);
        if dot == 1 && !after(rest, length).starts_with('.') {
            return None;
        }
        let part = run(after(rest, length + dot), is_key_letter);
        if part.len() < least {
            return None;
        }
        length += dot + part.len();
    }
    Some(Secret::here("jwt", length))
}

fn bearer(rest: &str) -> Option<Secret> {
    let word = "bearer ";
    if !starts_with_ignoring_case(rest, word) {
        return None;
    }
    let token = run(after(rest, word.len()), |byte| is_key_letter(byte) || b".~+/=".contains(&byte));
    let is_token = token.len() >= 12 && token.bytes().any(|byte| byte.is_ascii_digit());
    is_token.then(|| Secret { kind: "bearer_token", from: word.len(), to: word.len() + token.len() })
}

fn private_key(rest: &str) -> Option<Secret> {
    let header = rest.strip_prefix("-----BEGIN ")?;
    let name = head(header, 64).split("-----").next()?;
    if !name.ends_with("PRIVATE KEY") || name.contains('[') {
        return None;
    }
    let end = "-----END ";
    // A key without an end goes on to the end of the text.
    let Some(at) = rest.find(end) else {
        return Some(Secret::here("private_key", rest.len()));
    };
    let footer = after(rest, at + end.len());
    let close = footer.find("-----").filter(|close| *close <= 64).map_or(0, |close| close + 5);
    Some(Secret::here("private_key", at + end.len() + close))
}

/// The password in `scheme://user:password@host`.
fn in_address(rest: &str) -> Option<Secret> {
    let authority = run(rest.strip_prefix("://")?, |byte| {
        !byte.is_ascii_whitespace() && !byte.is_ascii_control() && !b"/?#\"'<>`".contains(&byte)
    });
    let (login, _) = unmarked(authority).rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    if password.is_empty() {
        return None;
    }
    let from = 3 + user.len() + 1;
    Some(Secret { kind: "password", from, to: from + password.len() })
}

/// Names whose value is a secret: the longer ones first. The second says whether the value must look like one.
const NAMES: &[(&str, bool)] = &[
    ("password", false),
    ("passwd", false),
    ("passphrase", false),
    ("pwd", false),
    ("secret_key", false),
    ("secret-key", false),
    ("client_secret", false),
    ("secret", true),
    ("api_key", false),
    ("api-key", false),
    ("apikey", false),
    ("access_key", false),
    ("access_token", false),
    ("auth_token", false),
    ("private_key", false),
    ("token", true),
];
/// How much of a value is judged.
const JUDGED: usize = 64;
/// What stands where a secret will be.
const PLACEHOLDERS: &[&str] =
    &["string", "null", "none", "true", "false", "undefined", "required", "optional"];

fn assigned(rest: &str) -> Option<Secret> {
    let (name, strict) = NAMES.iter().find(|(name, _)| starts_with_ignoring_case(rest, name))?;
    let mut ahead = after(rest, name.len());
    ahead = ahead.strip_prefix(['"', '\'']).unwrap_or(ahead);
    ahead = trim_spaces(ahead);
    let equals = ahead.strip_prefix("=>").or_else(|| ahead.strip_prefix('='));
    let ahead = trim_spaces(equals.or_else(|| ahead.strip_prefix(':'))?);
    let quote = ahead.chars().next().filter(|letter| matches!(letter, '"' | '\''));
    // Judged by its beginning, so that text in which every word announces a secret is not read again and again.
    if !is_secret(value(head(ahead, JUDGED), quote), quote.is_some(), equals.is_some(), *strict) {
        return None;
    }
    let from = rest.len() - ahead.len() + usize::from(quote.is_some());
    let kind = if name.starts_with("pa") || *name == "pwd" { "password" } else { "secret" };
    Some(Secret { kind, from, to: from + value(ahead, quote).len() })
}

/// The value that the text begins with: what is in the quotes, or the next word.
fn value(ahead: &str, quote: Option<char>) -> &str {
    let value = match quote {
        Some(quote) => after(ahead, 1).split([quote, '\n']).next().unwrap_or_default(),
        None => {
            run(ahead, |byte| byte >= 0x80 || (byte.is_ascii_graphic() && !b"\"'`,;&<>(){}".contains(&byte)))
        }
    };
    unmarked(value)
}

/// Whether a value is a secret: prose after a colon is none, nor is a placeholder.
fn is_secret(value: &str, quoted: bool, equals: bool, strict: bool) -> bool {
    let is_placeholder = value.starts_with(['$', '<', '{', '[', '*', '%'])
        || PLACEHOLDERS.iter().any(|word| value.eq_ignore_ascii_case(word));
    let must_look_random = strict || !(quoted || equals);
    let least = if must_look_random { 8 } else { 4 };
    !is_placeholder && value.len() >= least && (!must_look_random || looks_random(value))
}

/// Whether a value has a digit beside letters or signs, as words do not.
fn looks_random(value: &str) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    has_digit && !value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn is_key_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// The longest beginning whose bytes are all wanted.
fn run(text: &str, wanted: impl Fn(u8) -> bool) -> &str {
    let length = text.bytes().position(|byte| !wanted(byte)).unwrap_or(text.len());
    text.get(..length).unwrap_or_default()
}

fn after(text: &str, length: usize) -> &str {
    text.get(length..).unwrap_or_default()
}

/// The beginning of a text, of so many bytes at most.
fn head(text: &str, most: usize) -> &str {
    let length = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.get(..length.unwrap_or(0)).unwrap_or_default()
}

/// What comes before a mark: no secret goes on behind one, or cleaning twice would take more than once.
fn unmarked(text: &str) -> &str {
    text.split(MARK).next().unwrap_or_default()
}

/// At most a few: names and values stand together.
fn trim_spaces(text: &str) -> &str {
    (0..3).fold(text, |text, _| text.strip_prefix(' ').unwrap_or(text))
}

fn starts_with_ignoring_case(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
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
