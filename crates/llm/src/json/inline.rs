//! Data inside a text: kept as text where it is quoted in a sentence, read as data where it is fenced.

use serde_json::Value;

use super::Unreadable;
use super::parser::Parser;
use super::repairs::Repair;

const FENCE: &str = "```";

impl Parser {
    /// The end of the object that starts here inside a text, if one does: `{"key": …}`.
    pub(super) fn inline_data(&mut self, quote: char) -> Option<usize> {
        let first = self.text.solid(self.at + 1);
        if self.no_inline || self.text.at(first) != Some(quote) || !self.text.starts_member(first) {
            return None;
        }
        let end = self.balanced_end(self.at, quote);
        self.no_inline = end.is_none();
        end
    }

    /// The index behind the brace that closes the one at `start`. Braces inside texts do not count.
    fn balanced_end(&self, start: usize, quote: char) -> Option<usize> {
        let mut depth = 0_usize;
        let mut at = start;
        loop {
            match self.text.at(at)? {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                found if found == quote => at = self.text.quote(quote, at + 1)?,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }

    /// A text that is nothing but a fenced block of data is that data.
    pub(super) fn fenced_data(&mut self, close: char) -> Result<Option<Value>, Unreadable> {
        let label = self.text.solid(self.at);
        if self.no_fences || !self.text.starts(label, "```json") {
            return Ok(None);
        }
        let start = self.text.solid(label + 7);
        if !matches!(self.text.at(start), Some('{' | '[')) {
            return Ok(None);
        }
        let (before, seen) = (self.at, self.repairs.clone());
        self.at = start;
        let value = if self.text.at(start) == Some('{') { self.object()? } else { self.array()? };
        let end = self.text.solid(self.at);
        let quote = self.text.solid(end + FENCE.len());
        if self.text.starts(end, FENCE) && self.text.at(quote) == Some(close) {
            self.at = quote + 1;
            self.repairs.note(Repair::Fence);
            return Ok(Some(value));
        }
        // Tried once and for nothing: fences are not tried again, so that the work stays linear.
        (self.at, self.repairs) = (before, seen);
        self.no_fences = true;
        Ok(None)
    }
}
