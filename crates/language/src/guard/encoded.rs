//! Orders in base64 or in hexadecimal digits: what decodes to an order is one.

use super::structure::head;

/// Shorter runs are words.
const LEAST: usize = 20;
/// How much of a run is decoded.
const MOST: usize = 4_000;
/// How many runs of a text are decoded.
const MOST_RUNS: usize = 16;

/// Where orders in disguise stand.
pub(super) fn orders(text: &str, is_order: &dyn Fn(&str) -> bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let runs = runs(text).filter_map(|(at, run)| decoded(run).map(|plain| (at, run, plain)));
    for (at, run, plain) in runs.take(MOST_RUNS) {
        if is_order(&plain) {
            found.push((at, at + run.len()));
        }
    }
    found
}

/// The runs of letters and digits without spaces that are long enough.
fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    // Bytes and not characters: every character of a run is one byte, and this reads all of every text.
    let ends = text.bytes().chain([b' ']).enumerate().filter_map(move |(at, byte)| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-') {
            return None;
        }
        let run = start..at;
        start = at + 1;
        (run.len() >= LEAST).then_some(run)
    });
    ends.filter_map(|run| Some((run.start, text.get(run)?)))
}

/// What a run says, if it is text in disguise.
fn decoded(run: &str) -> Option<String> {
    let run = head(run, MOST);
    let bytes = hexadecimal(run).or_else(|| base64(run))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let readable = text.chars().filter(|letter| letter.is_alphabetic() || *letter == ' ').count();
    (text.contains(' ') && readable * 10 >= text.chars().count() * 8).then_some(text)
}

fn hexadecimal(run: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = run.chars().map(|letter| letter.to_digit(16)).collect();
    let pair = |pair: &[u32]| pair.iter().fold(0, |sum, digit| sum * 16 + digit);
    Some(digits?.chunks_exact(2).filter_map(|two| u8::try_from(pair(two)).ok()).collect())
}

fn base64(run: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(run.len());
    let (mut bits, mut held) = (0_u32, 0_u32);
    for letter in run.trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).ok()?);
        }
    }
    Some(bytes)
}
