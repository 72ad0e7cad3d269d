//! A person's words, cut up so that they can be compared: quotes stay whole, case and accents do not count.

use candor_text::fold;

/// Marks the place of a quote among the words.
const QUOTE: char = '\u{1}';

/// A word as it was written and as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) written: String,
    pub(super) plain: String,
    /// Whether a mark after it ends a clause.
    pub(super) ends: bool,
    /// Whether it stood in quotes.
    pub(super) quoted: bool,
}

impl Word {
    pub(super) fn is(&self, wanted: &str) -> bool {
        !self.quoted && self.plain == wanted
    }

    pub(super) fn is_any(&self, wanted: &[&str]) -> bool {
        wanted.iter().any(|wanted| self.is(wanted))
    }
}

/// The words of a text.
pub(super) fn words(text: &str) -> Vec<Word> {
    let (text, quotes) = without_quotes(text);
    let mut quotes = quotes.into_iter();
    let mut words = Vec::new();
    for line in text.lines() {
        for token in line.split_whitespace() {
            let ends = token.ends_with([',', ';', '.', '!', '?']);
            let token =
                token.trim_matches([',', ';', '!', '?', '(', ')', ':', '¡', '¿']).trim_end_matches('.');
            if token.contains(QUOTE) {
                let written = quotes.next().unwrap_or_default();
                words.push(Word { plain: fold(&written).into_owned(), written, ends, quoted: true });
            } else if !token.is_empty() {
                words.push(Word {
                    written: token.to_owned(),
                    plain: fold(token).into_owned(),
                    ends,
                    quoted: false,
                });
            } else if let Some(last) = words.last_mut().filter(|_| ends) {
                last.ends = true;
            }
        }
        if let Some(last) = words.last_mut() {
            last.ends = true;
        }
    }
    words
}

/// The text with a mark in place of each quote, and the quotes.
fn without_quotes(text: &str) -> (String, Vec<String>) {
    let straight = text.replace(['“', '”', '«', '»', '`'], "\"");
    let parts: Vec<&str> = straight.split('"').collect();
    // A quote that is opened and never closed is no quote.
    if parts.len().is_multiple_of(2) {
        return (straight.replace('"', " "), Vec::new());
    }
    let (mut plain, mut quotes) = (String::new(), Vec::new());
    for (at, part) in parts.into_iter().enumerate() {
        if at.is_multiple_of(2) {
            plain.push_str(part);
        } else {
            quotes.push(part.trim().to_owned());
            plain.push(' ');
            plain.push(QUOTE);
        }
    }
    (plain, quotes)
}

/// The words as they were written.
pub(super) fn written(words: &[Word]) -> String {
    let texts: Vec<String> = words
        .iter()
        .map(|word| if word.quoted { format!("\"{}\"", word.written) } else { word.written.clone() })
        .collect();
    texts.join(" ")
}
