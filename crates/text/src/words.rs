//! The one word splitter. Its rules differ in what belongs to a word beside letters and digits.

use crate::fold::is_combining;

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    /// Letters and digits.
    #[default]
    Plain,
    /// Letters only: `3-day` has the word `day`.
    Letters,
    /// Letters and digits, with hyphens between them: `round-trip` is one word.
    Hyphenated,
    /// As in names of functions: `searchFlights` is two words, `sha256` is one.
    CamelCase,
    /// As in names, and digits are words of their own: `searchFlights2` is three words.
    Identifier,
    /// As in sentences: `don't` is one word, and so is `3,000.50`; `3pm` is two.
    Prose,
}

/// A word and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'t> {
    /// The word as it is written.
    pub text: &'t str,
    /// Where it begins in the text, in bytes.
    pub start: usize,
}

impl Word<'_> {
    /// Where it ends in the text, in bytes.
    #[must_use]
    pub const fn end(&self) -> usize {
        self.start.saturating_add(self.text.len())
    }
}

/// The words of a text by [`Rule::Plain`], in its order.
pub fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    Rule::Plain.split(text).map(|word| word.text)
}

impl Rule {
    /// The words of a text with their places, in its order.
    #[must_use]
    pub const fn split(self, text: &str) -> Words<'_> {
        Words { rule: self, text, at: 0 }
    }

    fn begins(self, letter: char) -> bool {
        match self {
            Self::Letters => letter.is_alphabetic(),
            Self::Prose => letter.is_alphabetic() || letter.is_ascii_digit(),
            Self::Plain | Self::Hyphenated | Self::CamelCase | Self::Identifier => letter.is_alphanumeric(),
        }
    }

    /// Where the first word of a text begins.
    fn find_start(self, text: &str) -> Option<usize> {
        let plain = text.bytes().position(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())?;
        match text.as_bytes().get(plain) {
            // A letter begins a word by every rule.
            Some(byte) if byte.is_ascii_alphabetic() => Some(plain),
            _ => Some(plain + text.get(plain..)?.find(|letter| self.begins(letter))?),
        }
    }

    /// The length in bytes of the word that a text begins with.
    fn length(self, text: &str) -> usize {
        // Small letters, perhaps behind a capital one, are most words of most texts, and a word by every rule.
        let capital = usize::from(text.as_bytes().first().is_some_and(u8::is_ascii_uppercase));
        let behind = text.as_bytes().get(capital..).unwrap_or_default();
        let letters = capital + behind.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        let ends_there =
            |byte: u8| byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"-'".contains(&byte);
        if letters > 0 && text.as_bytes().get(letters).is_none_or(|byte| ends_there(*byte)) {
            return letters;
        }
        self.length_by_letter(text)
    }

    fn length_by_letter(self, text: &str) -> usize {
        let mut letters = text.char_indices().peekable();
        let Some((_, first)) = letters.next() else { return 0 };
        let mut previous = first;
        while let Some((at, letter)) = letters.next() {
            let next = letters.peek().map(|(_, next)| *next);
            if !self.continues(first, previous, letter, next) {
                return at;
            }
            previous = letter;
        }
        text.len()
    }

    /// Whether a word that began with `first` goes on with `letter`.
    fn continues(self, first: char, previous: char, letter: char, next: Option<char>) -> bool {
        let changes_case = previous.is_lowercase() && letter.is_uppercase();
        let changes_kind = (previous.is_alphabetic() && letter.is_numeric())
            || (previous.is_numeric() && letter.is_alphabetic());
        match self {
            Self::Prose if first.is_ascii_digit() => {
                letter.is_ascii_digit()
                    || matches!(letter, '.' | ',' | '\'') && next.is_some_and(|next| next.is_ascii_digit())
            }
            Self::Prose if matches!(letter, '\'' | '’') => next.is_some_and(char::is_alphabetic),
            Self::Hyphenated if letter == '-' => next.is_some_and(char::is_alphanumeric),
            _ if is_combining(letter) => true,
            Self::Letters => letter.is_alphabetic(),
            Self::CamelCase => letter.is_alphanumeric() && !changes_case,
            Self::Identifier => letter.is_alphanumeric() && !changes_case && !changes_kind,
            Self::Plain | Self::Hyphenated | Self::Prose => letter.is_alphanumeric(),
        }
    }
}

/// The iterator over the words of a text.
#[derive(Debug, Clone)]
pub struct Words<'t> {
    rule: Rule,
    text: &'t str,
    /// What was read so far, in bytes.
    at: usize,
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    fn next(&mut self) -> Option<Word<'t>> {
        let rest = self.text.get(self.at..)?;
        let start = self.at + self.rule.find_start(rest)?;
        let rest = self.text.get(start..)?;
        let text = rest.get(..self.rule.length(rest))?;
        self.at = start + text.len();
        Some(Word { text, start })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All texts of up to so many of these letters.
    fn texts(most: usize) -> Vec<String> {
        let letters = ['a', 'z', 'B', '9', '-', '\'', '’', '.', ' ', 'é', '\u{301}'];
        let mut all = vec![String::new()];
        let mut last = all.clone();
        for _ in 0..most {
            last = last.iter().flat_map(|text| letters.map(|letter| format!("{text}{letter}"))).collect();
            all.extend(last.iter().cloned());
        }
        all
    }

    #[test]
    fn the_quick_look_at_plain_letters_finds_what_the_rules_say() {
        let rules =
            [Rule::Plain, Rule::Letters, Rule::Hyphenated, Rule::CamelCase, Rule::Identifier, Rule::Prose];
        for (text, rule) in texts(4).iter().flat_map(|text| rules.map(|rule| (text, rule))) {
            let start = text.find(|letter| rule.begins(letter));
            assert_eq!(rule.find_start(text), start, "{text:?} {rule:?}");
            let Some(word) = start.and_then(|start| text.get(start..)) else { continue };
            assert_eq!(rule.length(word), rule.length_by_letter(word), "{text:?} {rule:?}");
        }
    }
}
