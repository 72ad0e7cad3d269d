//! Whether a text may hold a secret: the quick look that every event gets.
//!
//! Each sign is looked for by two of its pairs of letters, the rarest of those at even places in it and of those at odd ones:
//! wherever it begins, one of them stands at an even place of the text. So every second letter is a step, and most blocks of
//! a text have none of the pairs.

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

/// How many bytes are looked at together.
const BLOCK: usize = 16;
/// How many pairs of letters there are; an array of so many needs no check of its bounds.
const PAIRS: usize = 1 << 16;
/// What tells the cases of a letter apart.
const CASE: u8 = b'a' ^ b'A';
/// A sign has at least one pair at an even place and one at an odd place.
const SHORTEST: usize = 3;

/// Two letters in a row.
type Pair = [u8; 2];

/// The signs of secrets, by their rarest pairs of letters.
pub(super) struct Signs {
    /// For each pair of letters, in any case, the place of its signs in `groups`, counted from 1; 0 if it has none.
    places: Box<[u8; PAIRS]>,
    groups: Vec<Vec<Sign>>,
    /// The operator has named a field of one or two letters: every text is looked at.
    everything: bool,
}

/// One sign.
#[derive(Debug)]
struct Sign {
    text: String,
    /// Where its pair of letters stands in it.
    offset: usize,
    /// Where its rarest letter beside them stands, and what it is: most places where the pair stands are ruled out by it.
    probe: (usize, u8),
    /// Whether it counts only where a word begins: `sk-` begins a key, and stands in `task-lister`.
    begins_word: bool,
}

impl Signs {
    /// The signs of every installation, and the texts that are secrets in this one, as they are and as they stand in JSON.
    pub(super) fn new<'a>(known: impl IntoIterator<Item = &'a str>) -> Self {
        let mut signs = Self { places: Box::new([0; PAIRS]), groups: Vec::new(), everything: false };
        let common = SIGNS.iter().map(|text| (*text, secret::begins_key(text)));
        for (text, begins_word) in common.chain(known.into_iter().map(|text| (text, false))) {
            signs.everything |= text.len() < SHORTEST;
            for from in [0, 1] {
                signs.add(text, from, begins_word);
            }
        }
        signs
    }

    /// Adds a sign by the rarest of every second pair.
    fn add(&mut self, text: &str, from: usize, begins_word: bool) {
        let pairs = text.as_bytes().windows(2).enumerate().skip(from).step_by(2);
        let rarest = pairs.max_by_key(|(_, pair)| pair.iter().map(|byte| rank(*byte)).sum::<usize>());
        let Some((offset, &[first, second])) = rarest else { return };
        let beside = text.as_bytes().iter().enumerate().filter(|(at, _)| *at != offset && *at != offset + 1);
        let Some((at, byte)) = beside.max_by_key(|(_, byte)| rank(**byte)) else { return };
        let sign = Sign { text: text.to_owned(), offset, probe: (at, byte | CASE), begins_word };
        let place = self.group_of([first.to_ascii_lowercase(), second.to_ascii_lowercase()]);
        for first in [first.to_ascii_lowercase(), first.to_ascii_uppercase()] {
            for second in [second.to_ascii_lowercase(), second.to_ascii_uppercase()] {
                if let Some(known) = self.places.get_mut(number([first, second])) {
                    *known = place;
                }
            }
        }
        if let Some(group) = self.groups.get_mut(usize::from(place) - 1) {
            group.push(sign);
        }
    }

    /// The place of the signs of a pair. Where there are more pairs than places, the last is for all that come.
    fn group_of(&mut self, pair: Pair) -> u8 {
        let place = self.place(pair);
        if place != 0 {
            return place;
        }
        if self.groups.len() < usize::from(u8::MAX) {
            self.groups.push(Vec::new());
        }
        u8::try_from(self.groups.len()).unwrap_or(u8::MAX)
    }

    fn place(&self, pair: Pair) -> u8 {
        self.places.get(number(pair)).copied().unwrap_or(0)
    }

    /// Whether one of the signs stands in the text.
    pub(super) fn are_in(&self, text: &str) -> bool {
        let (blocks, rest) = text.as_bytes().as_chunks::<BLOCK>();
        // Without a branch for each pair, it is a fifth of the steps.
        let suspicious = |block: &[u8; BLOCK]| {
            block.as_chunks().0.iter().fold(0, |found, pair| found | self.place(*pair)) != 0
        };
        self.everything
            || blocks
                .iter()
                .enumerate()
                .any(|(nth, block)| suspicious(block) && self.stand_in(text.as_bytes(), nth * BLOCK, block))
            || self.stand_in(text.as_bytes(), blocks.len() * BLOCK, rest)
    }

    /// Whether a sign stands around one of the pairs of a block, which begins at an even place.
    fn stand_in(&self, text: &[u8], from: usize, block: &[u8]) -> bool {
        block.as_chunks().0.iter().enumerate().any(|(nth, pair)| {
            let place = self.place(*pair);
            place != 0 && self.stands_at(text, from + 2 * nth, place)
        })
    }

    fn stands_at(&self, text: &[u8], at: usize, place: u8) -> bool {
        let group = usize::from(place).checked_sub(1).and_then(|at| self.groups.get(at));
        group.into_iter().flatten().any(|sign| {
            let Some(start) = at.checked_sub(sign.offset) else { return false };
            let (probe, byte) = sign.probe;
            if text.get(start + probe).is_none_or(|there| there | CASE != byte) {
                return false;
            }
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

fn number(pair: Pair) -> usize {
    usize::from(u16::from_le_bytes(pair))
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
            for before in 0..2 * BLOCK {
                let text = format!("{:.<before$}{sign} y", "");
                assert!(signs.are_in(&text) && signs.are_in(&text.to_uppercase()), "{text}");
            }
            assert!(signs.are_in(sign), "{sign}");
        }
        for text in ["", "s", "Plan a trip to Paris", "\"agent_type\":\"flight_agent\",\"attempt\":1"] {
            assert!(!signs.are_in(text), "{text}");
        }
    }

    #[test]
    fn more_values_than_there_are_places_are_all_found() {
        let known: Vec<String> =
            (0..2_000_u32).map(|n| format!("Value{:06x}", n.wrapping_mul(0x9e37_79b9) >> 8)).collect();
        let signs = Signs::new(known.iter().map(String::as_str));
        assert!(known.iter().all(|value| signs.are_in(&format!(" {value}"))));
        assert!(!signs.are_in("Plan a trip"));
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
