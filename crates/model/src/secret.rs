//! How a secret is known in a text: by its shape or by its place. Both who takes secrets out of what is kept and
//! who warns of them in a request look here, so that there is one way.
//!
//! Shapes are the prefixes of well-known keys, tokens of three parts and private keys; places are after
//! `password=`, `--password`, `password is`, in front of `@` in an address, and after `Bearer` and `Basic`. Prose, identifiers and hashes are none. Each
//! byte is looked at a few times at most.

mod tables;

use std::ops::Range;

use self::tables::{KEYS, NAMES};

/// What stands where a secret was taken out begins so; no secret goes on behind it.
pub const MARK: &str = "[redacted:";

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// What it is: `api_key`, `password`, ….
    pub kind: &'static str,
    /// Where it is, in bytes.
    pub range: Range<usize>,
}

/// The secrets of a text, in order, one after the other.
pub fn find(text: &str) -> impl Iterator<Item = Secret> {
    find_after(None, text)
}

/// The same in a part of a text, with the letter in front of it.
fn find_after(mut before: Option<char>, text: &str) -> impl Iterator<Item = Secret> {
    let mut at = 0;
    let mut ready: Vec<Secret> = Vec::new();
    std::iter::from_fn(move || {
        if let Some(secret) = ready.pop() {
            return Some(secret);
        }
        loop {
            let rest = after(text, at);
            let letter = rest.chars().next()?;
            let Some(found) = find_at(rest, before) else {
                before = Some(letter);
                at += letter.len_utf8();
                continue;
            };
            let range = at + found.from..at + found.to;
            // What announces a secret may hold another one (`-u -pSecret1:Secret2`), which would be found the next time.
            ready = announcing(before, text, at, range.start);
            ready.push(Secret { kind: found.kind, range });
            ready.reverse();
            at += found.to;
            // As if the mark stood there already: what is found does not depend on it.
            before = Some(']');
            return ready.pop();
        }
    })
}

/// The secrets in what announces another.
fn announcing(before: Option<char>, text: &str, from: usize, to: usize) -> Vec<Secret> {
    let inside = find_after(before, text.get(from..to).unwrap_or_default());
    inside
        .map(|secret| Secret { range: from + secret.range.start..from + secret.range.end, ..secret })
        .collect()
}

/// A secret in the text ahead: where it begins and ends, counted from here.
struct Found {
    kind: &'static str,
    from: usize,
    to: usize,
}

impl Found {
    const fn here(kind: &'static str, to: usize) -> Self {
        Self { kind, from: 0, to }
    }
}

/// The secret that the text begins with, or announces here.
fn find_at(rest: &str, before: Option<char>) -> Option<Found> {
    let begins_word = !before.is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-'));
    let begins_name = !before.is_some_and(char::is_alphanumeric);
    match rest.bytes().next()? {
        b'-' => private_key(rest).or_else(|| if begins_word { option(rest) } else { None }),
        b'0'..=b'9' if begins_word => bot_token(rest),
        b':' => in_address(rest),
        b'b' | b'B' if begins_word => bearer(rest).or_else(|| basic(rest)).or_else(|| assigned(rest)),
        letter if letter.is_ascii_alphabetic() => {
            // Names of files put a hyphen in front (`report-ghp_…`), and so do words that begin like a short prefix
            // (`my-sk-learn-…`): there only the longer ones count.
            let begins = BEGINS.get(usize::from(letter)).copied().unwrap_or_default();
            if begins == 0 {
                return None;
            }
            let shaped = if begins_word && begins & KEY != 0 {
                key(rest, 0).or_else(|| token_of_three(rest)).or_else(|| account_token(rest))
            } else {
                None
            };
            let is_long = begins_name && begins & KEY != 0;
            let shaped = shaped.or_else(|| if is_long { key(rest, LONG_PREFIX) } else { None });
            let shaped = shaped.or_else(|| if begins & HOOK != 0 { hook(rest) } else { None });
            shaped.or_else(|| if begins_name && begins & NAME != 0 { assigned(rest) } else { None })
        }
        _ => None,
    }
}

/// What a letter may begin: a key or token, an address that is posted to, the name of a secret. Most letters of a text begin no word, and
/// most of the others nothing of these; comparing each with all beginnings took three quarters of the time of a guardrail.
const BEGINS: [u8; 128] = begins();
const KEY: u8 = 1;
const HOOK: u8 = 2;
const NAME: u8 = 4;

#[expect(clippy::indexing_slicing, reason = "computed by the compiler")]
const fn begins() -> [u8; 128] {
    let mut begins = [0; 128];
    // The beginnings of web tokens and of account numbers.
    begins[b'e' as usize] |= KEY;
    begins[b'A' as usize] |= KEY;
    begins[b'S' as usize] |= KEY;
    let mut at = 0;
    while at < KEYS.len() {
        begins[KEYS[at].0.as_bytes()[0] as usize] |= KEY;
        at += 1;
    }
    at = 0;
    while at < HOOKS.len() {
        let letter = HOOKS[at].as_bytes()[0];
        begins[letter as usize] |= HOOK;
        begins[letter.to_ascii_uppercase() as usize] |= HOOK;
        at += 1;
    }
    at = 0;
    while at < NAMES.len() {
        let letter = NAMES[at].0.as_bytes()[0];
        begins[letter as usize] |= NAME;
        begins[letter.to_ascii_uppercase() as usize] |= NAME;
        at += 1;
    }
    begins
}

/// Whether this is how a well-known key begins, in whatever letter case; such a key begins a word.
pub(crate) fn begins_key(text: &str) -> bool {
    KEYS.iter().any(|(start, ..)| start.eq_ignore_ascii_case(text))
}

/// How long a beginning is that is hardly ever part of another word.
const LONG_PREFIX: usize = 4;

fn key(rest: &str, prefix: usize) -> Option<Found> {
    let (start, kind, least) =
        KEYS.iter().find(|(start, ..)| start.len() >= prefix && rest.starts_with(start))?;
    let is_aws = *kind == "aws_key";
    let dotted = start.ends_with('.');
    let is_part = |byte: u8| match byte {
        byte if is_aws => byte.is_ascii_alphanumeric(),
        b'.' => dotted,
        byte => is_key_letter(byte),
    };
    let body = run(after(rest, start.len()), is_part);
    let is_key = if is_aws {
        body.len() == *least && !body.bytes().any(|byte| byte.is_ascii_lowercase())
    } else {
        // Words with hyphens begin like keys (`sk-learn-…`), but have no digits and no letters of both cases.
        body.len() >= *least && (body.bytes().any(|byte| byte.is_ascii_digit()) || is_mixed(body))
    };
    is_key.then(|| Found::here(kind, start.len() + body.len()))
}

/// Three parts with dots between them, the first of which is JSON in base64: a JSON Web Token.
fn token_of_three(rest: &str) -> Option<Found> {
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
    Some(Found::here("jwt", length))
}

/// How long the number of an account and its token are.
const ACCOUNT: usize = 32;

/// Whether a text has an account with its token, which has no beginning of its own by which it could be looked for.
///
/// Wherever its digits stand, one of them is at a place that is a multiple of their number: no other place is looked at.
pub(crate) fn has_account_token(text: &str) -> bool {
    let bytes = text.as_bytes();
    // The first of the digits has two letters before it.
    let places = (ACCOUNT..bytes.len()).step_by(ACCOUNT);
    places.filter(|at| bytes.get(*at).is_some_and(u8::is_ascii_hexdigit)).any(|at| {
        let digits = run(head(after(text, at), ACCOUNT), |byte| byte.is_ascii_hexdigit());
        let begin = (at + digits.len()).checked_sub(ACCOUNT + 2);
        begin.is_some_and(|begin| account_token(after(text, begin)).is_some())
    })
}

/// An account or key of Twilio with its token: `AC` or `SK`, 32 hexadecimal digits, a colon, and 32 letters and digits.
fn account_token(rest: &str) -> Option<Found> {
    let number = rest.strip_prefix("AC").or_else(|| rest.strip_prefix("SK"))?;
    let digits = run(head(number, ACCOUNT), |byte| byte.is_ascii_hexdigit());
    let token = run(after(number, digits.len()).strip_prefix(':')?, |byte| byte.is_ascii_alphanumeric());
    let is_token = digits.len() == ACCOUNT && token.len() == ACCOUNT && looks_random(token);
    let from = 2 + ACCOUNT + 1;
    is_token.then(|| Found { kind: "api_key", from, to: from + ACCOUNT })
}

fn bearer(rest: &str) -> Option<Found> {
    let word = "bearer ";
    if !starts_with_ignoring_case(rest, word) {
        return None;
    }
    let token = run(after(rest, word.len()), |byte| is_key_letter(byte) || b".~+/=".contains(&byte));
    let is_token = token.len() >= 12 && token.bytes().any(|byte| byte.is_ascii_digit());
    is_token.then(|| Found { kind: "bearer_token", from: word.len(), to: word.len() + token.len() })
}

/// `Basic` and a login in base64. Prose goes on with words, which are of one case and have no digits.
fn basic(rest: &str) -> Option<Found> {
    let word = "basic ";
    if !starts_with_ignoring_case(rest, word) {
        return None;
    }
    let login = run(after(rest, word.len()), |byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    let coded = login.bytes().any(|byte| byte.is_ascii_digit() || byte == b'=') || login.len() % 4 == 0;
    let is_login = login.len() >= 12 && coded && is_mixed(after(login, 1));
    is_login.then(|| Found { kind: "password", from: word.len(), to: word.len() + login.len() })
}

/// Addresses that let whoever knows them post somewhere: what follows the host is the secret.
const HOOKS: &[&str] =
    &["hooks.slack.com/services/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/"];

fn hook(rest: &str) -> Option<Found> {
    let host = HOOKS.iter().find(|host| starts_with_ignoring_case(rest, host))?;
    let path = run(after(rest, host.len()), |byte| is_key_letter(byte) || byte == b'/');
    (path.len() >= 16).then(|| Found { kind: "webhook", from: host.len(), to: host.len() + path.len() })
}

/// A Telegram bot's token: its number, a colon, and a key.
fn bot_token(rest: &str) -> Option<Found> {
    let number = run(rest, |byte| byte.is_ascii_digit());
    let key = run(after(rest, number.len()).strip_prefix(":AA")?, is_key_letter);
    let is_token = (8..=10).contains(&number.len()) && key.len() >= 28;
    is_token.then(|| Found::here("api_key", number.len() + 3 + key.len()))
}

/// Options of commands: `--password VALUE`, `-u user:password`, `-pVALUE`.
fn option(rest: &str) -> Option<Found> {
    let found = |from: usize, value: &str| Found { kind: "password", from, to: from + value.len() };
    if let Some(login) = rest.strip_prefix("-u ") {
        let user = run(login, |byte| is_key_letter(byte) || b".@".contains(&byte));
        let secret = value(after(login, user.len()).strip_prefix(':')?, None);
        return (secret.len() >= 4 && looks_random(secret)).then(|| found(3 + user.len() + 1, secret));
    }
    if let Some(secret) =
        rest.strip_prefix("-p").map(|ahead| value(ahead, None)).filter(|it| !it.starts_with('-'))
        && secret.len() >= 8
        && looks_random(secret)
        && is_mixed(secret)
    {
        return Some(found(2, secret));
    }
    let name = run(rest.strip_prefix("--")?, is_key_letter);
    let ahead = after(rest, 2 + name.len()).strip_prefix(' ')?;
    let quote = ahead.chars().next().filter(|letter| matches!(letter, '"' | '\''));
    let secret = value(head(ahead, JUDGED), quote);
    let is_option = !secret.starts_with('-') && is_field(name, secret);
    is_option.then(|| found(rest.len() - ahead.len() + usize::from(quote.is_some()), value(ahead, quote)))
}

fn private_key(rest: &str) -> Option<Found> {
    let header = rest.strip_prefix("-----BEGIN ")?;
    let name = head(header, 64).split("-----").next()?;
    if !name.ends_with("PRIVATE KEY") || name.contains('[') {
        return None;
    }
    let end = "-----END ";
    // A key without an end goes on to the end of the text.
    let Some(at) = rest.find(end) else {
        return Some(Found::here("private_key", rest.len()));
    };
    let footer = after(rest, at + end.len());
    let close = footer.find("-----").filter(|close| *close <= 64).map_or(0, |close| close + 5);
    Some(Found::here("private_key", at + end.len() + close))
}

/// The password in `scheme://user:password@host`.
fn in_address(rest: &str) -> Option<Found> {
    let authority = run(rest.strip_prefix("://")?, |byte| {
        !byte.is_ascii_whitespace() && !byte.is_ascii_control() && !b"/?#\"'<>`".contains(&byte)
    });
    let (login, _) = unmarked(authority).rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    if password.is_empty() {
        return None;
    }
    let from = 3 + user.len() + 1;
    Some(Found { kind: "password", from, to: from + password.len() })
}

/// What stands between a name and its value in prose; then the value must look like a secret.
pub(crate) const PROSE: &[&str] = &[" is ", " es ", " ist ", " est "];
/// How much of a value is judged.
const JUDGED: usize = 64;
/// What stands where a secret will be.
const PLACEHOLDERS: &[&str] =
    &["string", "null", "none", "true", "false", "undefined", "required", "optional"];

/// Whether a field of this name with this value is a secret: `"db_password": "…"`.
#[must_use]
pub fn is_field(name: &str, value: &str) -> bool {
    let ends = |known: &str| {
        let at = name.len().checked_sub(known.len());
        at.and_then(|at| name.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case(known))
    };
    NAMES
        .iter()
        .find(|(known, _)| ends(known))
        .is_some_and(|(_, strict)| is_secret(value, true, true, *strict))
}

fn assigned(rest: &str) -> Option<Found> {
    let (name, strict) = NAMES.iter().find(|(name, _)| starts_with_ignoring_case(rest, name))?;
    let mut ahead = after(rest, name.len());
    let said = PROSE.iter().find_map(|word| ahead.strip_prefix(word));
    ahead = ahead.strip_prefix(['"', '\'']).unwrap_or(ahead);
    ahead = trim_spaces(ahead);
    let equals = ahead.strip_prefix("=>").or_else(|| ahead.strip_prefix('='));
    let ahead = trim_spaces(equals.or_else(|| ahead.strip_prefix(':')).or(said)?);
    let quote = ahead.chars().next().filter(|letter| matches!(letter, '"' | '\''));
    // Judged by its beginning, so that text in which every word announces a secret is not read again and again.
    let strict = *strict || (said.is_some() && quote.is_none());
    if !is_secret(value(head(ahead, JUDGED), quote), quote.is_some(), equals.is_some(), strict) {
        return None;
    }
    let from = rest.len() - ahead.len() + usize::from(quote.is_some());
    let kind = if name.starts_with("pa") || name.starts_with("contrase") || *name == "pwd" {
        "password"
    } else {
        "secret"
    };
    Some(Found { kind, from, to: from + value(ahead, quote).len() })
}

/// The value that the text begins with: what is in the quotes, or the next word.
pub(crate) fn value(ahead: &str, quote: Option<char>) -> &str {
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
pub(crate) fn looks_random(value: &str) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    has_digit && !value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Whether a text has letters of both cases.
fn is_mixed(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_lowercase()) && text.bytes().any(|byte| byte.is_ascii_uppercase())
}

fn is_key_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// The longest beginning whose bytes are all wanted.
fn run(text: &str, wanted: impl Fn(u8) -> bool) -> &str {
    let length = text.bytes().position(|byte| !wanted(byte)).unwrap_or(text.len());
    text.get(..length).unwrap_or_default()
}

pub(crate) fn after(text: &str, length: usize) -> &str {
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
pub(crate) fn trim_spaces(text: &str) -> &str {
    (0..3).fold(text, |text, _| text.strip_prefix(' ').unwrap_or(text))
}

fn starts_with_ignoring_case(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}
