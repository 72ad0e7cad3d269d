//! Takes secrets out of what is kept and shown.
//!
//! A secret is known by its shape or place ([`crate::secret`]), by its value (keys of this installation) or by the name of
//! the field that holds it. In its place stands a mark with its kind and a tag: the same value has the same tag in one
//! installation, so that what was equal stays equal, and the tag is too short to find the value by.

pub(crate) mod json;
mod named;
mod scan;
mod signs;
mod stream;

use std::borrow::Cow;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use self::scan::Scan;
use self::signs::Signs;
pub use self::stream::Stream;
use crate::hex;
use crate::secret::{self, MARK, Secret};

/// Shorter values are too likely to be part of something harmless.
const MIN_KNOWN_VALUE: usize = 8;
/// How many bytes of a hash are the tag.
const TAG_BYTES: usize = 3;
/// A name that counts only with what follows it, or every "tokens" of a record would be looked at.
const TOKEN: &str = "token";

/// What makes the tags of an installation.
type Key = [u8; 16];

/// Takes secrets out of texts, values and records.
pub struct Redactor {
    values: Vec<String>,
    fields: Vec<String>,
    key: LazyLock<Key, Box<dyn FnOnce() -> Key + Send>>,
    signs: Signs,
    taken: AtomicU64,
}

impl Redactor {
    /// Knows these values and the fields of these names; `key` belongs to the installation and makes its tags.
    #[must_use]
    pub fn new(
        values: impl IntoIterator<Item = String>,
        fields: impl IntoIterator<Item = String>,
        key: Key,
    ) -> Self {
        Self::keyed(values, fields, move || key)
    }

    /// The same with a key that is asked for when the first secret is found: before its first run an installation has none,
    /// and of several processes that begin at once one makes it.
    #[must_use]
    pub fn keyed(
        values: impl IntoIterator<Item = String>,
        fields: impl IntoIterator<Item = String>,
        key: impl FnOnce() -> Key + Send + 'static,
    ) -> Self {
        let is_fit = |value: &String| value.len() >= MIN_KNOWN_VALUE && !MARK.contains(value.as_str());
        let mut values: Vec<String> = values.into_iter().filter(is_fit).collect();
        // A value that holds another goes first, or a part of it would stay.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        let fields: Vec<String> = fields.into_iter().filter(|name| !name.is_empty()).collect();
        // As they are, and as they stand in JSON.
        let known: Vec<String> =
            values.iter().chain(&fields).flat_map(|known| [known.clone(), in_json(known)]).collect();
        let signs = Signs::new(known.iter().map(String::as_str));
        let key: Box<dyn FnOnce() -> Key + Send> = Box::new(key);
        Self { values, fields, key: LazyLock::new(key), signs, taken: AtomicU64::new(0) }
    }

    /// How many secrets were taken out so far.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// The text without secrets.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !self.is_suspicious(text) {
            return Cow::Borrowed(text);
        }
        let mut cleaned = Cow::Borrowed(text);
        for value in &self.values {
            if cleaned.contains(value.as_str()) {
                let mark = self.mark("key", value);
                cleaned = Cow::Owned(cleaned.replace(value.as_str(), &mark));
            }
        }
        for name in &self.fields {
            let values = named::values(&cleaned, name);
            if !values.is_empty() {
                let found = values.into_iter().map(|range| Secret { kind: "secret", range });
                cleaned = Cow::Owned(self.marked(&cleaned, found));
            }
        }
        let mut shaped = secret::find(&cleaned).peekable();
        if shaped.peek().is_some() {
            let clean = self.marked(&cleaned, shaped);
            return Cow::Owned(clean);
        }
        drop(shaped);
        cleaned
    }

    /// Takes secrets out of all texts of a value, and out of the fields that are named so.
    pub fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(clean) = self.text(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(fields) => {
                for (name, value) in std::mem::take(fields) {
                    self.field(&name, value, fields);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn field(&self, name: &str, mut value: Value, fields: &mut Map<String, Value>) {
        let wanted = self.is_wanted(name);
        match &value {
            // What has a mark was looked at before: the digits of a tag make no secret of the words around it.
            Value::String(text) if (wanted || secret::is_field(name, text)) && !text.contains(MARK) => {
                value = Value::String(self.mark("secret", text));
            }
            Value::Number(number) if wanted => {
                value = Value::String(self.mark("secret", &number.to_string()));
            }
            _ => self.value(&mut value),
        }
        fields.insert(self.text(name).into_owned(), value);
    }

    /// A record without secrets; nothing if it has none, or if it could not be read back without them (an id that looks like
    /// a secret stays one).
    #[must_use]
    pub fn record<T: Serialize + DeserializeOwned>(&self, record: &T) -> Option<T> {
        if record.serialize(Scan::new(self)).is_ok() {
            return None;
        }
        let before = serde_json::to_value(record).ok()?;
        let mut after = before.clone();
        self.value(&mut after);
        if after == before {
            return None;
        }
        serde_json::from_value(after).ok()
    }

    /// The JSON of a record without secrets, and the record without them if it has any: whoever keeps the JSON need not
    /// write it again. `buffer` is where it is written at first; whoever writes many records brings the same one, so that
    /// it grows once and each text has the room that it needs.
    pub fn written<T: Serialize + DeserializeOwned>(
        &self,
        record: &T,
        buffer: &mut Vec<u8>,
    ) -> serde_json::Result<(String, Option<T>)> {
        buffer.clear();
        let is_suspicious = json::write(record, Some(self), buffer)?;
        let written = str::from_utf8(buffer)
            .map_err(|error| serde_json::Error::io(std::io::Error::other(error)))?
            .to_owned();
        match is_suspicious.then(|| self.record(record)).flatten() {
            Some(clean) => Ok((serde_json::to_string(&clean)?, Some(clean))),
            None => Ok((written, None)),
        }
    }

    /// How long the longest value or name with several words is that this installation knows.
    fn longest_phrase(&self) -> usize {
        let known = self.values.iter().chain(&self.fields);
        known.filter(|known| known.contains(char::is_whitespace)).map(String::len).max().unwrap_or(0)
    }

    fn is_suspicious(&self, text: &str) -> bool {
        self.signs.are_in(text) || secret::has_account_token(text)
    }

    /// Whether the operator has named a field.
    fn is_wanted(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.eq_ignore_ascii_case(name))
    }

    /// Whether the value of a field of this name may be a secret: what stands between names and values is not in the name.
    fn is_suspicious_name(&self, name: &str) -> bool {
        let end = name.len().checked_sub(TOKEN.len()).and_then(|at| name.get(at..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(TOKEN)) || self.is_suspicious(name)
    }

    /// The text with marks in place of these secrets, which come in order.
    fn marked(&self, text: &str, secrets: impl Iterator<Item = Secret>) -> String {
        let mut cleaned = String::new();
        let mut kept_from = 0;
        for found in secrets {
            let value = text.get(found.range.clone()).unwrap_or_default();
            cleaned.push_str(text.get(kept_from..found.range.start).unwrap_or_default());
            cleaned.push_str(&self.mark(found.kind, value));
            kept_from = found.range.end;
        }
        cleaned.push_str(text.get(kept_from..).unwrap_or_default());
        cleaned
    }

    fn mark(&self, kind: &str, value: &str) -> String {
        self.taken.fetch_add(1, Ordering::Relaxed);
        let hash = Sha256::new().chain_update(*self.key).chain_update(value).finalize();
        let tag: String = hex(hash.iter().take(TAG_BYTES));
        format!("{MARK}{kind}#{tag}]")
    }
}

/// A text as it stands in JSON, without its quotation marks.
fn in_json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new([], [], [0; 16])
    }
}

impl std::fmt::Debug for Redactor {
    // What it knows is what must not be shown.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Redactor({} values, {} fields)", self.values.len(), self.fields.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn redactor() -> Redactor {
        Redactor::new(["Plain-words-9".to_owned()], ["ssn".to_owned()], [7; 16])
    }

    #[test]
    fn the_same_value_has_the_same_mark_and_another_has_another() {
        // spec: findings SE-04
        let redactor = redactor();
        let [one, again, other] = [
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
        ]
        .map(|text| redactor.text(text).into_owned());
        assert_eq!(one, again);
        assert_ne!(one, other);
        assert!(one.starts_with("[redacted:github_token#"), "{one}");
        let elsewhere =
            Redactor::new([], [], [8; 16]).text("ghp_abcdefghijklmnopqrstuvwxyz0123456789").into_owned();
        assert_ne!(one, elsewhere, "another installation has other tags");
        assert_eq!(redactor.taken(), 3);
    }

    #[test]
    fn fields_keys_and_known_values_are_taken_out_of_records() {
        // spec: findings SE-04
        let redactor = redactor();
        let before = json!({"outputs": {"password": "correct horse", "note": "x Plain-words-9 y", "ssn": 123_456_789,
            "sk-ant-api03-abcDEF123456789xyz": 1, "list": ["AKIAIOSFODNN7EXAMPLE"], "tokens": 12, "password_policy": {"type": "string"}}});
        let after = redactor.record(&before).unwrap();
        let text = after.to_string();
        for secret in ["correct horse", "Plain-words-9", "123456789", "sk-ant", "AKIA"] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
        assert_eq!(after["outputs"]["tokens"], 12);
        assert_eq!(after["outputs"]["password_policy"], json!({"type": "string"}));
        assert!(redactor.record(&after).is_none(), "once is enough");
        let preview = json!({"preview": "{ \"ssn\": \"778-90-1234\", \"n\": 1 }"});
        let shown = redactor.record(&preview).unwrap().to_string();
        assert!(!shown.contains("778-90") && shown.contains("\\\"n\\\": 1"), "{shown}");
        let quoted = Redactor::new(["say \"friend\" 9".to_owned()], [], [7; 16]);
        let record = quoted.record(&json!({"note": "they say \"friend\" 9 here"})).unwrap().to_string();
        assert!(!record.contains("friend"), "{record}");
        for name in ["token", "bot_token", "BotToken", "db_password"] {
            assert!(redactor.record(&json!({ name: "Qm7Zt2Lx9Vb4Kp81" })).is_some(), "{name}");
        }
        assert!(redactor.record(&json!({"note": "nothing here", "tokens": 3})).is_none());
    }

    #[test]
    fn what_is_written_has_no_secret_wherever_it_stood() {
        // spec: findings SE-04
        let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        let mut buffer = Vec::new();
        for record in [
            json!([secret]),
            json!({ secret: 1 }),
            json!({"ssn": 778_901_234}),
            json!({"a": {"db_token": secret}}),
        ] {
            let (written, clean) = redactor().written(&record, &mut buffer).unwrap();
            assert!(!written.contains(secret) && !written.contains("778901234"), "{written}");
            assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), clean.unwrap());
        }
        let Value::Object(kept) = json!({"kept": [secret]}) else { unreachable!() };
        let (written, clean) =
            redactor().written(&crate::handoff::HandoffData::from(kept), &mut buffer).unwrap();
        assert!(clean.is_some() && !written.contains(secret), "{written}");
        let plain = json!({"a \" b": ["c\n", 1.5, null], "id": "task_1"});
        assert_eq!(redactor().written(&plain, &mut buffer).unwrap(), (plain.to_string(), None));
    }

    #[test]
    fn an_account_with_its_token_is_found_wherever_it_stands() {
        // spec: findings SE-04
        let (number, token) = ("0123456789abcdef".repeat(2), "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6");
        for before in (0..70).map(|length| "x".repeat(length)).chain(["é".repeat(40), "bead ".repeat(9)]) {
            for kind in ["AC", "SK"] {
                let text = format!("{before} {kind}{number}:{token}");
                assert!(!redactor().text(&text).contains(token), "{text}");
            }
        }
        assert!(!secret::has_account_token(&format!(
            "AC{number} {number}{number}:{token} {kind}",
            kind = "f".repeat(90)
        )));
    }

    #[test]
    fn formats_of_other_services_options_of_commands_and_passwords_in_prose_are_taken_out() {
        // spec: findings SE-04
        let hex = "b7a1c2d3e4f5061728394a5b6c7d8e9f0a1b2c3d4e5f60718293a4b5c6d7e8f9";
        let mixed = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
        for (text, secret) in [
            (format!("dop_v1_{hex}"), hex),
            (format!("shpat_{}", &hex[..32]), &hex[..32]),
            (format!("SG.{}.{mixed}", &mixed[..22]), mixed),
            (format!("pypi-{mixed}{mixed}"), mixed),
            (format!("hvs.{mixed}"), mixed),
            (format!("out/report-ghp_{}.csv", &mixed[..36]), &mixed[..36]),
            (format!("ya29.{mixed}"), mixed),
            (format!("use gsk_{mixed} here"), mixed),
            ("hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh".to_owned(), "AbCdEfGhIjKl"),
            (format!("7712345678:AA{}", &mixed[..33]), &mixed[..33]),
            (format!("post to https://hooks.slack.com/services/T000/B000/{}", &mixed[..24]), &mixed[..24]),
            (format!("AccountName=x;AccountKey={mixed}=="), mixed),
            ("Authorization: Basic YWxhZGRpbjpvcGVuc2VzYW1l".to_owned(), "YWxhZGRpbjpvcGVuc2VzYW1l"),
            ("contraseña: Gato-Verde-77".to_owned(), "Gato-Verde-77"),
            ("clave=Perro.Azul.88".to_owned(), "Perro.Azul.88"),
            ("the password is hunter2hunter2".to_owned(), "hunter2hunter2"),
            (format!("AC{}:{}", &hex[..32], &hex[32..]), &hex[32..]),
            (format!("{{\"auth\": \"SK{}:{}\"}}", &hex[..32], &mixed[..32]), &mixed[..32]),
            ("curl -u admin:S3cr3tP4ss https://x.example".to_owned(), "S3cr3tP4ss"),
            ("mysql -u root -pS3cr3tDbPass".to_owned(), "S3cr3tDbPass"),
            ("login --password 'two words 7' now".to_owned(), "two words 7"),
        ] {
            let clean = redactor().text(&text).into_owned();
            assert!(!clean.contains(secret) && clean.contains(MARK), "{text} -> {clean}");
            assert_eq!(redactor().text(&clean), clean);
            let record = redactor().record(&json!({ "text": text })).unwrap().to_string();
            assert!(!record.contains(secret), "{record}");
        }
        for harmless in [
            "a basic understanding of Rust",
            "the token is required",
            "docker run -p 8080:80 nginx",
            "ssh -p 2222 host",
            "sort -u names.txt",
            "la clave es practicar",
            "the password is the weakest part",
            "Basic Introduction to Statistics",
            "cp -pr a b",
            "mkdir -p src/Model2/View",
            "msg.content is empty",
            "ratio 12345678:AA is odd",
            "npm_config_registry",
            "--token is an option",
            "the secret is patience",
            "my-sk-learn-2024-models-v2-final.pkl",
            "AC0123456789abcdef0123456789abcdef",
            "0123456789abcdef0123456789abcdef:0123456789abcdef0123456789abcdef",
        ] {
            assert_eq!(redactor().text(harmless), harmless);
        }
    }

    #[test]
    fn a_secret_that_comes_in_pieces_is_shown_in_none() {
        // spec: findings SE-04
        let redactor = Redactor::new(["three plain words".to_owned()], ["ssn".to_owned()], [7; 16]);
        let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7\n-----END PRIVATE KEY-----";
        let text = format!(
            "First I look.\nUse ghp_abcdefghijklmnopqrstuvwxyz0123456789 here, the password is hunter2hunter2.\n\
             {key}\nThey say three plain words, ssn: 778-90-1234\nand curl -u admin:S3cr3tP4ss https://x.example"
        );
        let whole = redactor.text(&text).into_owned();
        let letters: Vec<char> = text.chars().collect();
        for size in [1, 2, 3, 7, 20, 1000] {
            let mut stream = Stream::default();
            let mut shown: String =
                letters.chunks(size).map(|piece| stream.push(&redactor, &String::from_iter(piece))).collect();
            shown.push_str(&stream.end(&redactor));
            assert_eq!(shown, whole, "in pieces of {size}");
        }
        let (redactor, mut stream) = (Redactor::default(), Stream::default());
        assert_eq!(stream.push(&redactor, "The harmless words of a lo"), "The harmless words of a ");
        assert_eq!(stream.push(&redactor, "ng answer"), "long ");
    }

    proptest! {
        #[test]
        fn redaction_is_idempotent_and_never_panics(
            pieces in proptest::collection::vec(prop_oneof![
                Just("password".to_owned()), Just("=".to_owned()), Just(": ".to_owned()), Just("token".to_owned()), Just("\"".to_owned()),
                Just("sk-abc123abc123abc123abc123".to_owned()), Just("Plain-words-9".to_owned()), Just("://u:pw1@h/".to_owned()),
                Just("-----BEGIN PRIVATE KEY-----".to_owned()), Just("[redacted:key#0a0b0c]".to_owned()), Just("-u ".to_owned()), Just(" -p".to_owned()),
                Just("aB3dE6gH9".to_owned()), Just(":".to_owned()), Just("bearer ".to_owned()), Just("Basic ".to_owned()), Just(" is ".to_owned()),
                Just("--".to_owned()), Just(" ".to_owned()), Just("@".to_owned()), Just("://".to_owned()), Just("eyJhbGciOiJIUzI1NiJ9.abcd12.".to_owned()),
                Just("12345678:AA".to_owned()), Just("ssn".to_owned()), Just("\\\"".to_owned()), Just("=>".to_owned()), Just("hooks.slack.com/services/".to_owned()), Just("ghp_".to_owned()), Just("clave".to_owned()), Just("\n".to_owned()),
                "\\PC{0,4}",
            ], 0..16)
        ) {
            let redactor = redactor();
            let text = pieces.concat();
            let once = redactor.text(&text).into_owned();
            prop_assert_eq!(redactor.text(&once).into_owned(), once.as_str());
            let mut stream = Stream::default();
            let mut shown: String = pieces.iter().map(|piece| stream.push(&redactor, piece)).collect();
            shown.push_str(&stream.end(&redactor));
            prop_assert_eq!(&shown, &once, "in pieces as in one");
            let mut value = json!({ text.clone(): text, "secret": once });
            let (written, _) = redactor.written(&value, &mut Vec::new()).unwrap();
            redactor.value(&mut value);
            prop_assert_eq!(&written, &value.to_string(), "what is written has none, however it is escaped");
            let mut again = value.clone();
            redactor.value(&mut again);
            prop_assert_eq!(again, value);
        }
    }
}
