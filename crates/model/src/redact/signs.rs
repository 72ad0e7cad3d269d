//! Whether a text may hold a secret: the quick look that every event gets.
//!
//! Each sign is looked for by the rarest three letters in a row in it. One step through the text with a table of them costs a
//! third of an automaton for all signs, and the table is made in a hundredth of the time.

use crate::secret;

/// Every secret that is recognised by its shape or place contains one of these, in any letter case; other texts are skipped.
#[rustfmt::skip]
const SIGNS: &[&str] = &[
    "sk-", "aiza", "github_pat_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "hf_", "glpat-", "sk_live_", "rk_live_", "sk_test_", "whsec_",
    "npm_", "xapp-", "akia", "asia", "xoxb-", "xoxp-", "xoxa-", "xoxo-", "xoxr-", "xoxs-", "bearer", "eyj", "-----begin", "://", "passw",
    "passphrase", "pwd", "secret", "api_key", "api-key", "apikey", "access_key", "access_token", "auth_token", "private_key", "token=",
    "token:", "token\"", "token\\\"", "token'", "token =", "token :", "token is",
    "token es", "--token", "glptt-", "glrt-", "gldt-", "dop_v1_", "doo_v1_", "shpat_", "shpss_", "shpca_", "sg.", "pypi-", "hvs.", "ya29.",
    "eaacedeose0cba", "lin_api_", "gsk_", "r8_", "dckr_pat_", "atatt3", "sntrys_", "sntryu_", "pmak-", "nrak-", "xai-", "pplx-", "nvapi-",
    ":aa", "hooks.slack.com", "api/webhooks", "accountkey", "account_key", "sharedaccesskey", "basic ", "contrase", "clave", "kennwort",
    "mot de passe", "senha", "-u ", " -p",
];

/// The bytes of events, the most frequent first, as far as it matters; others are rarer.
const FREQUENT: &[u8] = b"e\"taonsi rl_cd:pu,mgfh{}ybk1v0-.w[]2";

/// How far back a letter may belong to an escaped one: `\u001b`.
const LONGEST_ESCAPE: usize = 6;

/// How many letters in a row lead to a sign.
const LETTERS: usize = 3;
/// The bits of a letter that are looked at. Both cases of a letter have the same.
const BITS: usize = 5;
/// How many rows of letters there are.
const ROWS: usize = 1 << (BITS * LETTERS);

/// The signs of secrets, by their rarest rows of letters.
pub(super) struct Signs {
    /// For each row of letters the place of its signs in `groups`, counted from 1; 0 if it has none.
    places: Box<[u16]>,
    groups: Vec<Vec<Sign>>,
    /// The operator has named a field of one or two letters: every text is looked at.
    everything: bool,
}

/// One sign.
#[derive(Debug)]
struct Sign {
    text: String,
    /// Where its rarest row of letters stands in it.
    offset: usize,
    /// Whether it counts only where a word begins: `sk-` begins a key, and stands in `task-lister`.
    begins_word: bool,
}

impl Signs {
    /// The signs of every installation, and the texts that are secrets in this one, as they are and as they stand in JSON.
    pub(super) fn new<'a>(known: impl IntoIterator<Item = &'a str>) -> Self {
        let mut signs = Self { places: vec![0; ROWS].into(), groups: Vec::new(), everything: false };
        let common = SIGNS.iter().map(|text| (*text, secret::begins_key(text)));
        for (text, begins_word) in common.chain(known.into_iter().map(|text| (text, false))) {
            signs.add(text, begins_word);
        }
        signs
    }

    fn add(&mut self, text: &str, begins_word: bool) {
        let rarity = |(_, letters): &(usize, &[u8])| letters.iter().map(|byte| rank(*byte)).sum::<usize>();
        let rarest = text.as_bytes().windows(LETTERS).enumerate().max_by_key(rarity);
        let Some((offset, letters)) = rarest else {
            self.everything = true;
            return;
        };
        let Some(place) = self.places.get_mut(letters.iter().fold(0, row)) else { return };
        if *place == 0 {
            self.groups.push(Vec::new());
            // There are fewer rows than numbers.
            *place = u16::try_from(self.groups.len()).unwrap_or(u16::MAX);
        }
        let group = usize::from(*place).checked_sub(1).and_then(|at| self.groups.get_mut(at));
        let sign = Sign { text: text.to_owned(), offset, begins_word };
        if let Some(group) = group {
            group.push(sign);
        }
    }

    /// Whether one of the signs stands in the text.
    pub(super) fn are_in(&self, text: &str) -> bool {
        let mut letters = 0;
        self.everything
            || text.bytes().enumerate().any(|(at, byte)| {
                letters = row(letters, &byte);
                let place = self.places.get(letters).copied().unwrap_or(0);
                place != 0 && self.stands_at(text.as_bytes(), (at + 1).wrapping_sub(LETTERS), place)
            })
    }

    #[cold]
    fn stands_at(&self, text: &[u8], at: usize, place: u16) -> bool {
        let group = usize::from(place).checked_sub(1).and_then(|at| self.groups.get(at));
        group.into_iter().flatten().any(|sign| {
            let Some(start) = at.checked_sub(sign.offset) else { return false };
            let there = start.checked_add(sign.text.len()).and_then(|end| text.get(start..end));
            there.is_some_and(|there| there.eq_ignore_ascii_case(sign.text.as_bytes()))
                && (!sign.begins_word || may_begin_word(text, start))
        })
    }
}

/// Whether a word may begin at this place of a text, which may be written as JSON: `\nsk-…` has no letter before the key.
fn may_begin_word(text: &[u8], start: usize) -> bool {
    let before = text.get(start.saturating_sub(LONGEST_ESCAPE)..start).unwrap_or_default();
    !before.last().is_some_and(u8::is_ascii_alphanumeric) || before.contains(&b'\\')
}

/// A row of letters with one more behind it.
fn row(before: usize, letter: &u8) -> usize {
    (before << BITS | usize::from(letter & ((1 << BITS) - 1))) & (ROWS - 1)
}

fn rank(byte: u8) -> usize {
    let byte = byte.to_ascii_lowercase();
    FREQUENT.iter().position(|known| *known == byte).unwrap_or(FREQUENT.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_is_found_wherever_it_stands_and_in_any_case() {
        // spec: findings SE-04
        let signs = Signs::new(["Own-secret-value"]);
        for sign in SIGNS.iter().chain(&["Own-secret-value"]) {
            for text in [sign.to_string(), format!("x {sign}"), format!("say: {} y", sign.to_uppercase())] {
                assert!(signs.are_in(&text), "{text}");
            }
        }
        for text in ["", "s", "Plan a trip to Paris", "\"agent_type\":\"flight_agent\",\"attempt\":1"] {
            assert!(!signs.are_in(text), "{text}");
        }
    }

    #[test]
    fn the_beginning_of_a_key_inside_a_word_is_no_sign() {
        let signs = Signs::new([]);
        for text in ["task-lister-agent", "risk-free", "Ask-first"] {
            assert!(!signs.are_in(text), "{text}");
        }
        for text in ["sk-abc", "my-sk-abc", "\"sk-abc", "a\\nsk-abc", "\\u001bsk-abc", "ésk-abc"] {
            assert!(signs.are_in(text), "{text}");
        }
    }
}
