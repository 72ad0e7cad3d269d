//! Access keys that a peer says back: they are taken out of whatever it says, before anybody reads it.

use candor_model::secret::MARK;
use reqwest::header::HeaderMap;

/// Shorter values are too likely to be part of something harmless.
const MIN_BYTES: usize = 8;

/// What must not be kept or shown.
#[derive(Clone, Default)]
pub(crate) struct Keys(Vec<Vec<u8>>);

impl Keys {
    /// The values of these headers, and what follows a word such as `Bearer` in them.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let whole = headers.values().map(|value| value.as_bytes().trim_ascii());
        let parts = whole.flat_map(|value| {
            let after = value.iter().position(|byte| *byte == b' ').and_then(|at| value.get(at + 1..));
            [Some(value), after.map(<[u8]>::trim_ascii)]
        });
        let mut keys: Vec<Vec<u8>> =
            parts.flatten().filter(|key| key.len() >= MIN_BYTES).map(<[u8]>::to_vec).collect();
        // One that holds another goes first, or a part of it would stay.
        keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
        Self(keys)
    }

    /// The same without any of them.
    pub(crate) fn taken_out(&self, said: Vec<u8>) -> Vec<u8> {
        self.0.iter().fold(said, |said, key| without(said, key))
    }
}

impl std::fmt::Debug for Keys {
    // What it knows is what must not be shown.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Keys({})", self.0.len())
    }
}

fn without(said: Vec<u8>, key: &[u8]) -> Vec<u8> {
    let mut cleaned = Vec::new();
    let mut rest = said.as_slice();
    while let Some(at) = rest.windows(key.len()).position(|part| part == key) {
        let (before, after) = rest.split_at(at);
        cleaned.extend_from_slice(before);
        cleaned.extend_from_slice(format!("{MARK}key]").as_bytes());
        rest = after.get(key.len()..).unwrap_or_default();
    }
    if cleaned.is_empty() {
        return said;
    }
    cleaned.extend_from_slice(rest);
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(header: &str, said: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert("x-access", header.parse().unwrap());
        String::from_utf8(Keys::of(&headers).taken_out(said.as_bytes().to_vec())).unwrap()
    }

    #[test]
    fn keys_are_taken_out_with_and_without_the_word_before_them() {
        let said = "got Bearer abcdefgh1, and abcdefgh1abcdefgh1";
        assert_eq!(cleaned("Bearer abcdefgh1", said), "got [redacted:key], and [redacted:key][redacted:key]");
        assert_eq!(cleaned("abcdefgh1", "abcdefgh1"), "[redacted:key]");
        assert_eq!(cleaned("abcdefgh1", "abcdefgh"), "abcdefgh");
        // What is so short is in any text.
        assert_eq!(cleaned("on", "on and on"), "on and on");
        assert_eq!(cleaned("Basic on", "on and on"), "on and on");
    }
}
