//! Text from outside made fit for a screen: in the letters that can be shown, in lines that fit.

use candor_projections::line::head;
pub(super) use candor_projections::line::{clean, cut, shortened, width};

/// `text` cleaned, and in ASCII where nothing else can be shown.
pub(super) fn printable(text: &str, unicode: bool) -> String {
    let cleaned = clean(text);
    if unicode || cleaned.is_ascii() {
        return cleaned;
    }
    let mut ascii = String::with_capacity(cleaned.len());
    cleaned.chars().for_each(|letter| push_ascii(&mut ascii, letter));
    ascii
}

fn push_ascii(ascii: &mut String, letter: char) {
    match letter {
        letter if letter.is_ascii() => ascii.push(letter),
        '…' => ascii.push_str("..."),
        '→' => ascii.push_str("->"),
        '–' | '—' | '─' | '−' | '·' => ascii.push('-'),
        '“' | '”' | '„' => ascii.push('"'),
        '‘' | '’' => ascii.push('\''),
        '×' => ascii.push('x'),
        '≤' => ascii.push_str("<="),
        '≥' => ascii.push_str(">="),
        '│' => ascii.push('|'),
        '█' => ascii.push('#'),
        '░' => ascii.push('.'),
        '✓' => ascii.push('+'),
        '✗' => ascii.push('x'),
        letter if width(letter.encode_utf8(&mut [0; 4])) == 0 => {}
        _ => ascii.push('?'),
    }
}

/// `text` in lines of at most `columns`, broken between words where there are any.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut taken = 0;
    for word in text.split_whitespace() {
        let needed = width(word);
        if taken > 0 && taken + 1 + needed > columns {
            lines.push(std::mem::take(&mut line));
            taken = 0;
        }
        if taken > 0 {
            line.push(' ');
            taken += 1;
        }
        let rest = broken(word, columns, &mut lines);
        line.push_str(rest);
        taken += width(rest);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Breaks a word that is wider than a line; returns what is left for the next line.
fn broken<'a>(word: &'a str, columns: usize, lines: &mut Vec<String>) -> &'a str {
    let mut rest = word;
    loop {
        let piece = head(rest, columns);
        // Even a letter that is wider than the line must go somewhere; the line is cut when it is shown.
        let piece = if piece.is_empty() { rest } else { piece };
        if piece.len() == rest.len() {
            return rest;
        }
        lines.push(piece.to_owned());
        rest = rest.get(piece.len()..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_words_are_broken_and_nothing_is_lost() {
        assert_eq!(wrapped("ab cd efghij k", 5), ["ab cd", "efghi", "j k"]);
        assert_eq!(wrapped("", 5), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn nothing_that_is_shortened_or_wrapped_is_too_wide(
            letters in prop::collection::vec(any::<char>(), 0..100), columns in 2usize..40,
        ) {
            let text = clean(&letters.into_iter().collect::<String>());
            prop_assert!(width(&shortened(&text, columns, true)) <= columns);
            for line in wrapped(&text, columns) {
                prop_assert!(width(&line) <= columns, "{line:?}");
            }
        }

        #[test]
        fn no_control_character_gets_through(letters in prop::collection::vec(any::<char>(), 0..50)) {
            let text: String = letters.into_iter().collect();
            prop_assert!(!clean(&text).chars().any(char::is_control));
            prop_assert!(printable(&text, false).is_ascii());
        }
    }
}
