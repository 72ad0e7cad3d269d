//! Text from outside on one line: cleaned, measured, shortened.

use unicode_width::UnicodeWidthStr;

/// How many columns a text takes.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` on one line, without anything that a terminal would obey rather than show.
///
/// Marks that turn the direction of writing go too: with them a text can be made to look like another.
#[must_use]
pub fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => {
                if !cleaned.ends_with(' ') {
                    cleaned.push(' ');
                }
            }
            hidden if hidden.is_control() || is_invisible(hidden) => {}
            letter => cleaned.push(letter),
        }
    }
    cleaned
}

/// Whether a letter takes no room or turns the direction of writing.
#[must_use]
pub const fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// `text` cut to `columns`, at a word where that loses little, with a sign that something is missing.
#[must_use]
pub fn shortened(text: &str, columns: usize, unicode: bool) -> String {
    if width(text) <= columns { text.to_owned() } else { cut(text, columns, unicode) }
}

/// The beginning of `text` and a sign that something is missing, in at most `columns`.
#[must_use]
pub fn cut(text: &str, columns: usize, unicode: bool) -> String {
    let sign = if unicode { "…" } else { "..." };
    let Some(room) = columns.checked_sub(width(sign)) else {
        return head(text, columns).to_owned();
    };
    let head = head(text, room);
    let at_word = head.rsplit_once(' ').map(|(words, _)| words).filter(|words| width(words) * 3 >= room * 2);
    format!("{}{sign}", at_word.unwrap_or(head).trim_end_matches([' ', ',', ';', ':', '(']))
}

/// The longest beginning of `text` that fits; measured as a whole, because letters can join into one.
#[must_use]
pub fn head(text: &str, columns: usize) -> &str {
    // Letters without width could go on for ever; no honest word needs more than this.
    let most = columns.saturating_mul(4);
    let mut fitting = "";
    for (at, letter) in text.char_indices().take(most) {
        let upto = text.get(..at + letter.len_utf8()).unwrap_or(fitting);
        if width(upto) > columns {
            break;
        }
        fitting = upto;
    }
    fitting
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wide_letters_count_twice() {
        assert_eq!(shortened("東京東京", 8, true), "東京東京");
        assert_eq!(shortened("東京東京", 7, true), "東京東…");
        assert_eq!(shortened("東京", 1, true), "…");
        assert_eq!(shortened("tokyo", 2, false), "to");
    }

    #[test]
    fn a_text_is_cut_between_words_where_that_loses_little() {
        assert_eq!(shortened("Search for flights to Paris", 20, true), "Search for flights…");
        assert_eq!(shortened("Searching roundtripflights", 20, true), "Searching roundtrip…");
    }

    proptest! {
        #[test]
        fn nothing_that_is_shortened_is_too_wide(
            letters in prop::collection::vec(any::<char>(), 0..100), columns in 2usize..40,
        ) {
            let text = clean(&letters.into_iter().collect::<String>());
            prop_assert!(width(&shortened(&text, columns, true)) <= columns);
        }

        #[test]
        fn no_control_character_gets_through(letters in prop::collection::vec(any::<char>(), 0..50)) {
            let text: String = letters.into_iter().collect();
            prop_assert!(!clean(&text).chars().any(char::is_control));
        }
    }
}
