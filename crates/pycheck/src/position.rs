//! From byte offsets to lines and columns.

use ruff_text_size::TextSize;

/// The starts of all lines of a text.
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Finds the lines; `\n`, `\r` and `\r\n` end one, as for Python.
    pub(crate) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    /// Line and column, both from 1, the column in characters.
    pub(crate) fn place(&self, offset: TextSize) -> (u32, u32) {
        let offset = self.floor(offset.to_usize());
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or("");
        // A byte order mark is no character of the program.
        let column = before.trim_start_matches('\u{feff}').chars().count();
        (small(line), small(column + 1))
    }

    /// The offset, moved back into the text and onto the start of a character.
    fn floor(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_of_python_counts_once() {
        let lines = Lines::new("a\r\nb\rc\nd");
        let place = |offset: u32| lines.place(TextSize::new(offset));
        assert_eq!(place(0), (1, 1));
        assert_eq!(place(3), (2, 1));
        assert_eq!(place(5), (3, 1));
        assert_eq!(place(7), (4, 1));
        assert_eq!(place(99), (4, 2));
    }

    #[test]
    fn columns_count_characters() {
        let lines = Lines::new("\u{feff}é = ñ");
        assert_eq!(lines.place(TextSize::new(8)), (1, 5));
    }
}
