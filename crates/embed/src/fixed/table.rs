//! The table of word pieces and their vectors, read where it lies.
//!
//! Nothing is built when it is opened: the pieces are sorted, so that one is found by halving, and the numbers
//! are taken out of the bytes as they are needed. A file that is cut or strange is refused as a whole.
//!
//! The file, all numbers with the lowest byte first:
//! ```text
//! 8 bytes     CANDORE2
//! 4 × u32     dimensions D, pieces that begin a word B, pieces that go on with one C, bytes of text T
//! B + C + 1   u32: where each piece's text begins, and where the last one ends
//! B + C       f32: what a row's entries are multiplied by
//! B + C       rows of D / 2 bytes: two entries of 4 bits each, from -7 to 7, the first in the lower half
//! T bytes     the texts, sorted within B and within C
//! ```

use std::cmp::Ordering;
use std::ops::Range;

const MAGIC: &[u8] = b"CANDORE2";
/// No piece is longer, so that no more need be tried.
const LONGEST_PIECE: usize = 24;

/// The table.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Table<'a> {
    dimensions: usize,
    beginnings: usize,
    starts: &'a [[u8; 4]],
    scales: &'a [[u8; 4]],
    rows: &'a [u8],
    text: &'a [u8],
}

impl<'a> Table<'a> {
    /// Reads the layout; nothing if the bytes are not such a table.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let (header, rest) = bytes.strip_prefix(MAGIC)?.split_at_checked(16)?;
        let mut header = header.as_chunks::<4>().0.iter().map(|number| u32::from_le_bytes(*number) as usize);
        let [dimensions, beginnings, continuations, text] = [(); 4].map(|()| header.next().unwrap_or(0));
        let pieces = beginnings.checked_add(continuations)?;
        let (starts, rest) = rest.split_at_checked(pieces.checked_add(1)?.checked_mul(4)?)?;
        let (scales, rest) = rest.split_at_checked(pieces.checked_mul(4)?)?;
        let (rows, rest) = rest.split_at_checked(pieces.checked_mul(dimensions / 2)?)?;
        let (starts, scales) = (starts.as_chunks().0, scales.as_chunks().0);
        (rest.len() == text && dimensions > 0 && dimensions.is_multiple_of(2)).then_some(Self {
            dimensions,
            beginnings,
            starts,
            scales,
            rows,
            text: rest,
        })
    }

    /// The numbers in a vector.
    pub(super) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Cuts a word into the longest pieces that fit and hands over each one's row; false if it cannot be cut
    /// to its end, in which case some may have been handed over.
    pub(super) fn cut(&self, word: &str, mut piece: impl FnMut(usize)) -> bool {
        let mut rest = word;
        let mut among = 0..self.beginnings;
        while !rest.is_empty() {
            let Some((row, after)) = self.longest(rest, &among) else { return false };
            piece(row);
            rest = after;
            among = self.beginnings..self.scales.len();
        }
        true
    }

    /// Adds a row's vector to a sum.
    pub(super) fn add(&self, row: usize, sum: &mut [f32]) {
        let width = self.dimensions / 2;
        let start = row.saturating_mul(width);
        let entries = self.rows.get(start..start.saturating_add(width)).unwrap_or_default();
        let scale = self.scales.get(row).map_or(0.0, |scale| f32::from_le_bytes(*scale));
        for ([even, odd], pair) in sum.as_chunks_mut::<2>().0.iter_mut().zip(entries) {
            *even += scale * f32::from((pair << 4).cast_signed() >> 4);
            *odd += scale * f32::from(pair.cast_signed() >> 4);
        }
    }

    /// The longest piece at the start of a word, and what comes after it.
    fn longest<'w>(&self, word: &'w str, among: &Range<usize>) -> Option<(usize, &'w str)> {
        (1..=word.len().min(LONGEST_PIECE)).rev().find_map(|length| {
            let (piece, after) = word.split_at_checked(length)?;
            Some((self.find(piece.as_bytes(), among)?, after))
        })
    }

    /// The row of a piece, by halving.
    fn find(&self, piece: &[u8], among: &Range<usize>) -> Option<usize> {
        let Range { mut start, mut end } = among.clone();
        while start < end {
            let middle = start.midpoint(end);
            match self.piece(middle)?.cmp(piece) {
                Ordering::Less => start = middle + 1,
                Ordering::Greater => end = middle,
                Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    fn piece(&self, row: usize) -> Option<&'a [u8]> {
        let at = |index: usize| self.starts.get(index).map(|start| u32::from_le_bytes(*start) as usize);
        self.text.get(at(row)?..at(row + 1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "go", "no", and "ing" that goes on with a word.
    fn bytes() -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [2u32, 2, 1, 7, 0, 2, 4, 7] {
            bytes.extend(number.to_le_bytes());
        }
        for scale in [1.0f32, 0.5, 2.0] {
            bytes.extend(scale.to_le_bytes());
        }
        bytes.extend([0x21, 0x09, 0xF0]);
        bytes.extend(b"gonoing");
        bytes
    }

    fn cut(word: &str) -> (Vec<usize>, bool) {
        let bytes = bytes();
        let mut rows = Vec::new();
        let whole = Table::read(&bytes).unwrap().cut(word, |row| rows.push(row));
        (rows, whole)
    }

    #[test]
    fn words_are_cut_into_known_pieces() {
        assert_eq!(cut("going"), (vec![0, 2], true));
        assert_eq!(cut("no"), (vec![1], true));
        assert_eq!(cut("ing"), (vec![], false), "it goes on with a word and begins none");
        assert_eq!(cut("gone"), (vec![0], false));
        assert_eq!(cut("ñandú"), (vec![], false));
    }

    #[test]
    fn rows_are_scaled() {
        let bytes = bytes();
        let mut sum = [0.0; 2];
        let table = Table::read(&bytes).unwrap();
        table.add(1, &mut sum);
        table.add(2, &mut sum);
        table.add(99, &mut sum);
        assert_eq!(sum, [-3.5, -2.0]);
    }

    #[test]
    fn a_cut_or_strange_file_is_refused() {
        let whole = bytes();
        for length in 0..whole.len() {
            assert!(Table::read(&whole[..length]).is_none(), "cut at {length}");
        }
        let mut uneven = whole.clone();
        uneven[8] = 3;
        assert!(Table::read(&uneven).is_none(), "entries come in pairs");
        let mut absurd = whole;
        absurd[8..20].fill(0xFF);
        assert!(Table::read(&absurd).is_none());
        assert!(Table::read(b"PK\x03\x04").is_none());
    }
}
