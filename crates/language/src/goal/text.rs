//! The text as words, numbers and marks, each with its sentence. Understands nothing; refuses nothing.
//!
//! Every reader beside this file asks for tokens by position. A position past either end is an empty
//! token, so that no reader has to guard its looking back and ahead.

use std::borrow::Cow;

use candor_text::{Language, Rule, Word, fold};

use super::numbers;

/// What a token is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    Mark,
    /// A number that names something, such as a version or a port.
    Name,
}

/// One word, number or mark, and where it stands.
#[derive(Debug)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    /// The text folded: what the word tables are written in.
    pub(super) key: Cow<'t, str>,
    pub(super) kind: Kind,
    pub(super) start: usize,
    /// No space stands before it.
    pub(super) glued: bool,
    pub(super) sentence: u32,
    /// It is a number, in digits or in words.
    pub(super) counts: bool,
}

impl Token<'_> {
    fn end(&self) -> usize {
        self.start.saturating_add(self.text.len())
    }
}

/// A text cut into tokens.
#[derive(Debug)]
pub(super) struct Text<'t> {
    source: &'t str,
    tokens: Vec<Token<'t>>,
    pub(super) language: Language,
}

/// Short forms whose full stop does not end a sentence.
const SHORT_FORMS: &[&str] =
    &["st", "ste", "mt", "ft", "pt", "mr", "mrs", "dr", "approx", "sr", "sra", "aprox"];

impl<'t> Text<'t> {
    pub(super) fn new(source: &'t str) -> Self {
        let mut tokens = cut(source);
        number_sentences(source, &mut tokens);
        Self { source, tokens, language: Language::of(source) }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn tokens(&self) -> &[Token<'t>] {
        &self.tokens
    }

    pub(super) fn get(&self, at: usize) -> Option<&Token<'t>> {
        self.tokens.get(at)
    }

    /// The key at a position; empty past the end.
    pub(super) fn key(&self, at: usize) -> &str {
        self.get(at).map_or("", |token| token.key.as_ref())
    }

    /// The key `back` positions before `at`; empty past the start and in another sentence.
    pub(super) fn before(&self, at: usize, back: usize) -> &str {
        at.checked_sub(back).filter(|&from| self.same_sentence(from, at)).map_or("", |from| self.key(from))
    }

    pub(super) fn is(&self, at: usize, keys: &[&str]) -> bool {
        self.get(at).is_some_and(|token| is_among(&token.key, keys))
    }

    pub(super) fn is_number(&self, at: usize) -> bool {
        self.get(at).is_some_and(|token| token.kind == Kind::Number)
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        self.get(at).is_some_and(|token| token.kind == Kind::Word)
    }

    pub(super) fn is_glued(&self, at: usize) -> bool {
        self.get(at).is_some_and(|token| token.glued)
    }

    /// Makes the numbers between two positions names, which no reader takes for an amount.
    pub(super) fn rename(&mut self, from: usize, to: usize) {
        for token in self.tokens.iter_mut().take(to).skip(from) {
            token.counts = false;
            if token.kind == Kind::Number {
                token.kind = Kind::Name;
            }
        }
    }

    /// Whether the word at a position starts with a capital.
    pub(super) fn is_capital(&self, at: usize) -> bool {
        self.get(at)
            .is_some_and(|token| token.kind == Kind::Word && token.text.starts_with(char::is_uppercase))
    }

    pub(super) fn same_sentence(&self, one: usize, other: usize) -> bool {
        match (self.get(one), self.get(other)) {
            (Some(one), Some(other)) => one.sentence == other.sentence,
            // The place after the last token belongs to the last sentence.
            (Some(one), None) => self.tokens.last().is_some_and(|last| last.sentence == one.sentence),
            _ => false,
        }
    }

    /// The position after a phrase such as `no later than`, if the phrase stands here.
    pub(super) fn phrase(&self, at: usize, phrase: &str) -> Option<usize> {
        // Nearly every phrase fails on its first word, so that one is compared before anything is cut.
        let rest = phrase.strip_prefix(self.get(at)?.key.as_ref())?;
        let mut next = at.saturating_add(1);
        if rest.is_empty() {
            return Some(next);
        }
        for key in rest.strip_prefix(' ')?.split(' ') {
            if self.key(next) != key {
                return None;
            }
            next = next.saturating_add(1);
        }
        Some(next)
    }

    /// The position after the first of the phrases that stands here.
    pub(super) fn any_phrase(&self, at: usize, phrases: &[&str]) -> Option<usize> {
        // The first byte rules out nearly all of a table, without a call for each of its phrases.
        let first = self.get(at)?.key.as_bytes().first();
        phrases
            .iter()
            .filter(|phrase| phrase.as_bytes().first() == first)
            .find_map(|phrase| self.phrase(at, phrase))
    }

    /// The text from one position up to another, as written.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'t str {
        let start = self.get(from).map(|token| token.start);
        let end = to.checked_sub(1).and_then(|last| self.get(last)).map(Token::end);
        match (start, end) {
            (Some(start), Some(end)) => self.source.get(start..end).unwrap_or(""),
            _ => "",
        }
    }

    /// The first position of the sentence that `at` stands in, looking back `limit` tokens at most.
    pub(super) fn window_start(&self, at: usize, limit: usize) -> usize {
        let mut from = at;
        for _ in 0..limit {
            match from.checked_sub(1) {
                Some(previous) if self.same_sentence(previous, at) => from = previous,
                _ => break,
            }
        }
        from
    }

    /// The position after the window that starts at `at`, at most `limit` tokens of its sentence.
    pub(super) fn window_end(&self, at: usize, limit: usize) -> usize {
        let end = at.saturating_add(limit).min(self.len());
        (at..end).find(|&next| !self.same_sentence(at, next)).unwrap_or(end)
    }
}

/// Whether a key stands in a table. The first byte rules out nearly all of the table without a call for each.
pub(super) fn is_among(key: &str, keys: &[&str]) -> bool {
    let first = key.as_bytes().first();
    keys.iter().any(|known| known.as_bytes().first() == first && *known == key)
}

fn cut(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::with_capacity(source.len() / 6);
    let mut end = 0;
    for word in Rule::Prose.split(source) {
        push_marks(source, end, word.start, &mut tokens);
        let is_number = word.text.starts_with(|letter: char| letter.is_ascii_digit());
        push(if is_number { Kind::Number } else { Kind::Word }, word, &mut tokens);
        end = word.end();
    }
    push_marks(source, end, source.len(), &mut tokens);
    tokens
}

/// Every character between two words that is not blank is a token of its own.
fn push_marks<'t>(source: &'t str, from: usize, to: usize, tokens: &mut Vec<Token<'t>>) {
    let between = source.get(from..to).unwrap_or_default();
    for (at, mark) in between.char_indices().filter(|(_, mark)| !mark.is_whitespace()) {
        let text = between.get(at..at + mark.len_utf8()).unwrap_or_default();
        push(Kind::Mark, Word { text, start: from + at }, tokens);
    }
}

fn push<'t>(kind: Kind, word: Word<'t>, tokens: &mut Vec<Token<'t>>) {
    let Word { text, start } = word;
    let key = fold(text);
    let counts = kind == Kind::Number || (kind == Kind::Word && numbers::is_word(&key));
    let glued = tokens.last().is_some_and(|last| last.end() == start);
    tokens.push(Token { text, key, kind, start, glued, sentence: 0, counts });
}

fn number_sentences(source: &str, tokens: &mut [Token<'_>]) {
    let mut sentence = 0_u32;
    let mut previous_end = 0;
    let mut previous_key = String::new();
    let mut ends = false;
    for token in tokens {
        let gap = source.get(previous_end..token.start).unwrap_or("");
        let bullet = gap.contains('\n') && matches!(token.text, "-" | "*" | "•" | "–");
        if (ends && !gap.is_empty()) || bullet || gap.matches('\n').count() > 1 {
            sentence = sentence.saturating_add(1);
        }
        token.sentence = sentence;
        ends = match token.text {
            "!" | "?" | ";" | "…" => true,
            "." => !is_short_form(&previous_key),
            ")" | "\"" | "”" | "»" => ends,
            _ => false,
        };
        previous_end = token.end();
        previous_key.clear();
        previous_key.push_str(&token.key);
    }
}

fn is_short_form(key: &str) -> bool {
    is_among(key, SHORT_FORMS)
        || (key.chars().count() == 1 && key.chars().all(char::is_alphabetic) && key != "i")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_marks_are_told_apart() {
        let text = Text::new("A 3-day trip, I'll pay $3,000.50!");
        let kinds: Vec<_> = text.tokens().iter().map(|token| token.text).collect();
        assert_eq!(kinds, ["A", "3", "-", "day", "trip", ",", "I'll", "pay", "$", "3,000.50", "!"]);
    }

    #[test]
    fn a_short_form_does_not_end_its_sentence() {
        let text = Text::new("From St. Louis to Rome. Budget 5");
        assert_eq!(text.get(3).unwrap().sentence, 0);
        assert_eq!(text.tokens().last().unwrap().sentence, 1);
    }

    #[test]
    fn keys_have_no_case_and_no_accents() {
        assert_eq!(Text::new("Ｐ PARÍS pin\u{303}a").key(1), "paris");
        assert_eq!(Text::new("pin\u{303}a").key(0), "pina");
    }
}
