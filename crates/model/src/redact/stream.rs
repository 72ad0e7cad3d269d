//! A text that comes in pieces, shown without secrets: a secret that is cut in two is no secret in either half.

use super::Redactor;

/// What begins a key of several lines, and what ends it.
const KEY_BEGINS: &str = "-----BEGIN";
const KEY_ENDS: &str = "-----END";

/// Gives a text's words as they come, but for the last one, which may go on, and for a line that may hold a secret, which
/// waits for its end.
#[derive(Debug, Default)]
pub struct Stream {
    /// The lines that were not given in full.
    heard: String,
    /// How much of them was given.
    given: usize,
}

impl Stream {
    /// Takes the next piece; returns what can be shown by now.
    pub fn push(&mut self, redactor: &Redactor, piece: &str) -> String {
        self.heard.push_str(piece);
        let suspicious = redactor.is_suspicious(&self.heard);
        let may_end =
            if suspicious { self.whole_lines() } else { self.whole_words(redactor.longest_phrase()) };
        self.give(redactor, may_end)
    }

    /// The rest, when nothing more comes.
    pub fn end(&mut self, redactor: &Redactor) -> String {
        self.give(redactor, self.heard.len())
    }

    fn give(&mut self, redactor: &Redactor, to: usize) -> String {
        let ready = self.heard.get(..to).unwrap_or_default();
        let clean = redactor.text(ready);
        let given = clean.get(self.given..).unwrap_or_default().to_owned();
        let lines = ready.rfind('\n').map_or(0, |end| end + 1);
        // A line that was begun is kept: what follows may show that its end is a secret.
        self.given = clean.len().max(self.given);
        if to > 0 && lines == to {
            self.heard.drain(..to);
            self.given = 0;
        }
        given
    }

    /// Where the last whole line ends; nowhere within a key of several lines.
    fn whole_lines(&self) -> usize {
        let whole = self.heard.rfind('\n').map_or(0, |end| end + 1);
        let ready = self.heard.get(..whole).unwrap_or_default();
        match ready.rfind(KEY_BEGINS) {
            Some(begins) if !ready.get(begins..).unwrap_or_default().contains(KEY_ENDS) => 0,
            _ => whole,
        }
    }

    /// Where the last whole word ends, with room for the words of a `phrase` that is known to be secret.
    fn whole_words(&self, phrase: usize) -> usize {
        let sure = self.heard.floor_char_boundary(self.heard.len().saturating_sub(phrase));
        let whole = self.heard.get(..sure).unwrap_or_default();
        whole
            .char_indices()
            .rev()
            .find(|(_, letter)| letter.is_whitespace())
            .map_or(0, |(at, letter)| at + letter.len_utf8())
    }
}
