//! Secrets in a request: those whose shape or place gives them away, and what looks random beside a word such as
//! key or token.
//!
//! The shapes are those of [`candor_model::secret`]. A warning that is wrong is soon not read any more, so that
//! placeholders and examples, which redaction takes out for safety's sake, are not warned of here; and a text is
//! only ever suspected here, not changed, so that randomness may count too.

use std::ops::Range;

use candor_model::secret;

use super::Finding;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// What it is: `api_key`, `password`, ….
    pub kind: &'static str,
    /// Where it is, in bytes.
    pub range: Range<usize>,
}

impl Secret {
    /// The secret itself, for those who must not show it.
    pub(super) fn value<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.range.clone()).unwrap_or_default()
    }
}

/// The secrets of a text, in order.
#[must_use]
pub fn secrets(text: &str) -> Vec<Secret> {
    let shaped = secret::find(text).map(|found| Secret { kind: found.kind, range: found.range });
    let mut found: Vec<Secret> = shaped.filter(|found| !is_example(text, found)).collect();
    found.extend(beside_words(text, &found));
    found.sort_by_key(|secret| secret.range.start);
    found
}

/// The finding of a text's secrets, if it has any.
pub(super) fn finding(text: &str, secrets: &[Secret]) -> Option<Finding> {
    let sure = |secret: &Secret| match secret.kind {
        "random" => 0.6,
        "password" | "secret" => 0.8,
        _ => 0.95,
    };
    let score = secrets.iter().map(sure).reduce(f64::max)?;
    let mut kinds: Vec<String> = secrets.iter().map(|secret| plain(secret.kind).to_owned()).collect();
    kinds.sort();
    kinds.dedup();
    let first = secrets.first().map_or(0, |secret| secret.range.start);
    let line = text.get(..first).unwrap_or_default().matches('\n').count() + 1;
    let reason = format!(
        "the request seems to hold {} (first on line {line}); take it out and name the variable that holds it instead",
        kinds.join(", ")
    );
    Some(Finding {
        rule: "secret",
        score,
        reason: super::discreet(&[reason, "a secret".to_owned()], text, secrets),
        quote: String::new(),
    })
}

fn plain(kind: &'static str) -> &'static str {
    match kind {
        "anthropic_key" => "an Anthropic key",
        "api_key" => "an API key",
        "aws_key" => "an AWS key",
        "bearer_token" => "a bearer token",
        "github_token" => "a GitHub token",
        "gitlab_token" => "a GitLab token",
        "google_key" => "a Google key",
        "jwt" => "a web token (JWT)",
        "password" => "a password",
        "private_key" => "a private key",
        "random" => "a random value beside a word such as key",
        "slack_token" => "a Slack token",
        "stripe_key" => "a Stripe key",
        _ => "a secret",
    }
}

/// What examples and forms are filled with.
const FILLERS: &[&str] = &[
    "example",
    "placeholder",
    "changeme",
    "change_me",
    "dummy",
    "sample",
    "your",
    "xxxx",
    "****",
    "....",
    "redacted",
    "insert",
    "replace",
    "todo",
    "1234567890abcdef",
    "foobar",
    "test1234",
];
/// What is shorter is not worth a word, and could not be kept out of one.
const LEAST: usize = 4;
/// What is said of passwords rather than being one.
const PLAIN: &[&str] = &[
    "password",
    "passwort",
    "secret",
    "token",
    "user",
    "username",
    "pass",
    "key",
    "value",
    "string",
    "hidden",
    "strong",
    "weak",
    "required",
    "optional",
    "none",
    "null",
    "empty",
    "reset",
    "forgotten",
    "wrong",
    "incorrect",
];

/// Whether what has the shape of a secret is an example or a placeholder.
fn is_example(text: &str, secret: &Secret) -> bool {
    // Nobody writes a private key out as an example.
    if secret.kind == "private_key" {
        return secret.range.len() < 200 && secret.value(text).contains("...");
    }
    let value = secret.value(text).to_ascii_lowercase();
    let host = text.get(secret.range.end..).unwrap_or_default();
    let is_at_example = host.starts_with("@example.") || host.starts_with("@localhost");
    is_at_example
        || value.len() < LEAST
        || FILLERS.iter().any(|filler| value.contains(filler))
        || PLAIN.contains(&value.as_str())
        || distinct(&value) < 3
        || is_variable(secret.value(text))
}

/// Whether a value names where the secret is: `OPENAI_API_KEY`, `os.environ["KEY"]`, `process.env.KEY`.
fn is_variable(value: &str) -> bool {
    let is_name = value.contains('_') && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    is_name
        || [
            "os.environ",
            "os.getenv",
            "process.env",
            "env.",
            "getenv",
            "input(",
            "config.",
            "settings.",
            "self.",
            "args.",
        ]
        .iter()
        .any(|start| value.starts_with(start))
}

fn distinct(value: &str) -> usize {
    let mut bytes: Vec<u8> = value.bytes().take(64).collect();
    bytes.sort_unstable();
    bytes.dedup();
    bytes.len()
}

/// Words beside which something random is a secret.
const WORDS: &[&str] = &[
    "key",
    "keys",
    "token",
    "secret",
    "apikey",
    "credential",
    "credentials",
    "auth",
    "clave",
    "password",
    "pat",
];
/// How many words may stand between.
const BETWEEN: usize = 3;
/// How long a random value is at least, and at most.
const LENGTH: Range<usize> = 20..200;
/// How long its longest piece is, and how many digits it has, at least.
const PIECE: usize = 16;
const DIGITS: usize = 3;
/// How many bits a random value has per letter, at least.
const LEAST_BITS: f64 = 3.5;

/// Random values near words such as key and token.
fn beside_words(text: &str, known: &[Secret]) -> Vec<Secret> {
    let mut found = Vec::new();
    // Most texts have no word that is long enough.
    if !text.as_bytes().split(|byte| !is_part(*byte)).any(|word| word.len() >= LENGTH.start) {
        return found;
    }
    let mut since = usize::MAX;
    let mut known = known.iter().peekable();
    for (at, word) in words(text) {
        while known.next_if(|secret| secret.range.end <= at).is_some() {}
        let is_known = known.peek().is_some_and(|secret| secret.range.start < at + word.len());
        let is_word = word.len() <= 12
            && word
                .split(['_', '-', '=', '.'])
                .any(|part| WORDS.iter().any(|known| part.eq_ignore_ascii_case(known)));
        since = if is_word { 0 } else { since.saturating_add(1) };
        if !is_known && !is_word && since <= BETWEEN + 1 && is_random(word) {
            found.push(Secret { kind: "random", range: at..at + word.len() });
        }
    }
    found
}

const fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.')
}

/// The words of a text with where they begin; a word is what could be a secret.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |letter: char| u8::try_from(letter).is_ok_and(is_part);
    let mut rest = 0;
    std::iter::from_fn(move || {
        let ahead = text.get(rest..)?;
        let start = rest + ahead.find(is_part)?;
        let word = text.get(start..)?;
        let word = word.get(..word.find(|letter| !is_part(letter)).unwrap_or(word.len()))?;
        rest = start + word.len();
        Some((start, word.trim_end_matches(['.', '='])))
    })
}

/// Whether a value looks drawn by lot: in one piece, with letters of both cases and digits, of many kinds. Hashes
/// and ids, which have one case only, are none, nor are names of files.
fn is_random(word: &str) -> bool {
    let has = |wanted: fn(&u8) -> bool| word.as_bytes().iter().any(wanted);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let piece = word.split(['-', '_', '/', '.', '=']).map(str::len).max().unwrap_or_default();
    let lower = word.to_ascii_lowercase();
    LENGTH.contains(&word.len())
        && piece >= PIECE
        && is_mixed
        && digits >= DIGITS
        && bits(word) >= LEAST_BITS
        && !FILLERS.iter().any(|filler| lower.contains(filler))
}

/// How many bits a letter of the word has.
fn bits(word: &str) -> f64 {
    let mut counts = [0_u32; 128];
    for byte in word.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let length = f64::from(counts.iter().sum::<u32>().max(1));
    let share = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / length);
    -share.map(|share| share * share.log2()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<&'static str> {
        secrets(text).iter().map(|secret| secret.kind).collect()
    }

    // spec: orchestrator GR-12
    #[test]
    fn secrets_are_suspected_by_shape_by_place_and_by_randomness() {
        for (text, kind) in [
            ("deploy with ghp_a8Kd02mVbQ71xZpLw3Rt9YcNf5Hs6Je4Uo8T please", "github_token"),
            ("use AKIAQ7ZX2M4NVB6KPL9D for the bucket", "aws_key"),
            ("my key is sk-proj-Zt81kVq0PmX44rLwB72nYc", "api_key"),
            ("the shop uses sk_live_9aQx72LmVt04KpZr81Wc", "stripe_key"),
            ("connect to postgres://app:Blue-Harbour7@db.internal/orders", "password"),
            ("PASSWORD = winter-river-19", "password"),
            (
                "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----",
                "private_key",
            ),
            ("the token for staging is Qm7Zt2Lx9Vb4Kp81RwYc06Hs, keep it safe", "random"),
        ] {
            assert_eq!(kinds(text), [kind], "{text}");
        }
    }

    #[test]
    fn ids_hashes_placeholders_and_examples_are_none() {
        for text in [
            "the key of the row is 123e4567-e89b-12d3-a456-426614174000",
            "the token commit is 397277cdeadbeef397277cdeadbeef397277cdea",
            "set api_key = <YOUR_KEY> or sk-xxxxxxxxxxxxxxxxxxxxxxxx1",
            "export OPENAI_API_KEY=your_key_goes_here_1",
            "AKIAIOSFODNN7EXAMPLE is the key of the manual",
            "connect with https://user:hunter22@example.com/x",
            "password = os.environ[\"DB_PASSWORD\"]",
            "write about key performance and token economics of Q3-2026-Report-Final-Version",
            "password: secret",
        ] {
            assert_eq!(secrets(text), [], "{text}");
        }
    }

    #[test]
    fn a_secret_is_where_it_says() {
        let text = "first\nghp_a8Kd02mVbQ71xZpLw3Rt9YcNf5Hs6Je4Uo8T";
        let found = secrets(text);
        assert_eq!(found[0].value(text), "ghp_a8Kd02mVbQ71xZpLw3Rt9YcNf5Hs6Je4Uo8T");
        let finding = finding(text, &found).unwrap();
        assert!(finding.reason.contains("a GitHub token (first on line 2)"), "{}", finding.reason);
    }
}
