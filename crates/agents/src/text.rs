//! What an agent printed, made fit to be quoted: short, readable, and without anything that moves a cursor.

/// How many lines of an agent's log are quoted.
const TAIL_LINES: usize = 10;
/// How many characters of an agent's log are quoted.
const TAIL_CHARS: usize = 1000;
/// How many characters of an answer that could not be read are quoted.
const HEAD_CHARS: usize = 200;

/// How many characters of the line that says why are quoted.
const CAUSE_CHARS: usize = 300;

/// The line of a log that says why its program failed.
pub(crate) fn cause(log: &[u8]) -> Option<String> {
    let text = cleaned(&String::from_utf8_lossy(log));
    candor_model::cause_line(&text).map(|line| head_within(line.as_bytes(), CAUSE_CHARS))
}

/// The last lines of `bytes`.
pub(crate) fn tail(bytes: &[u8]) -> String {
    tail_within(bytes, TAIL_LINES, TAIL_CHARS)
}

/// The last `lines` lines of `bytes`, of at most so many characters in all.
pub(crate) fn tail_within(bytes: &[u8], lines: usize, most_chars: usize) -> String {
    let text = cleaned(&String::from_utf8_lossy(bytes));
    let mut lines: Vec<&str> = text.lines().rev().take(lines).collect();
    lines.reverse();
    let joined = lines.join("\n");
    let surplus = joined.chars().count().saturating_sub(most_chars);
    if surplus == 0 {
        return joined;
    }
    let kept: String = joined.chars().skip(surplus + 1).collect();
    format!("…{}", kept.trim_start())
}

/// The first characters of `bytes`, on one line.
pub(crate) fn head(bytes: &[u8]) -> String {
    head_within(bytes, HEAD_CHARS)
}

/// The first `most` characters of `bytes`, on one line.
pub(crate) fn head_within(bytes: &[u8], most: usize) -> String {
    // Four bytes are the longest character: what lies behind cannot be quoted anyway.
    let start = bytes.get(..most.saturating_mul(4)).unwrap_or(bytes);
    let text = cleaned(&String::from_utf8_lossy(start)).replace('\n', " ");
    let kept: String = text.chars().take(most).collect();
    if kept.len() < text.len() || start.len() < bytes.len() { format!("{kept}…") } else { kept }
}

/// The text without terminal commands, other control characters and marks that turn the direction of
/// writing, since each of them can make a log show something that it does not say.
fn cleaned(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' if chars.next_if_eq(&'[').is_some() => {
                // A terminal command ends with the first letter or sign from `@` to `~`.
                while chars.next_if(|c| (' '..='?').contains(c)).is_some() {}
                chars.next_if(|c| ('@'..='~').contains(c));
            }
            '\n' => kept.push(c),
            '\t' => kept.push(' '),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            c if c.is_control() => {}
            c => kept.push(c),
        }
    }
    kept.trim().to_owned()
}

/// The one of `known` that is spelled most like `word`, if any is close enough to be meant.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let limit = word.chars().count() / 3 + 1;
    let scored = known.iter().map(|&name| (strsim::levenshtein(word, name), name));
    scored.filter(|(distance, _)| *distance <= limit).min_by_key(|(distance, _)| *distance).map(|(_, n)| n)
}

/// ` Did you mean …?`, or the list of what is known.
pub(crate) fn suggestion(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_log_is_short_and_cannot_move_the_cursor() {
        let noisy = b"\x1b[31;1mred\x1b[0m\x07 \xff\tend\r\n".as_slice();
        assert_eq!(tail(noisy), "red \u{fffd} end");
        let lines: String = (0..50).map(|n| format!("line {n}\n")).collect();
        assert!(tail(lines.as_bytes()).starts_with("line 40"));
        let long = tail("é".repeat(5000).as_bytes());
        assert_eq!(long.chars().count(), TAIL_CHARS);
        assert!(long.starts_with('…'));
        assert_eq!(tail(b"\x1b["), "");
    }

    #[test]
    fn a_quoted_answer_is_one_line_and_says_that_it_goes_on() {
        assert_eq!(head(b"a\nb"), "a b");
        assert_eq!(head("é".repeat(300).as_bytes()).chars().count(), HEAD_CHARS + 1);
        assert_eq!(head(&[0xff; 5000]).chars().count(), HEAD_CHARS + 1);
    }

    #[test]
    fn the_nearest_name_is_suggested_only_if_it_can_be_meant() {
        assert_eq!(nearest("catalog", &["catalogue", "check"]), Some("catalogue"));
        assert_eq!(nearest("banana", &["catalogue", "check"]), None);
    }
}
