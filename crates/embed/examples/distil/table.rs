//! The pieces that are kept, and the file of their vectors as `src/embed/fixed/table.rs` reads it.

use crate::matrix::Matrix;

const MAGIC: &[u8] = b"CANDORE2";
/// The largest entry of a row, which has 4 bits.
const LARGEST: f32 = 7.0;
/// Shares of a row's largest number at which entries are cut off; the one that errs least is taken.
const CUTS: [f32; 6] = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// Pieces in the order of the file: those that begin a word, then those that go on with one, each sorted.
pub(crate) struct Pieces {
    beginnings: Vec<String>,
    continuations: Vec<String>,
}

impl Pieces {
    /// Keeps the pieces of Latin letters, digits and signs.
    pub(crate) fn new<'a>(vocabulary: impl Iterator<Item = &'a String>) -> Self {
        let (mut beginnings, mut continuations) = (Vec::new(), Vec::new());
        for piece in vocabulary.filter(|piece| !(piece.starts_with('[') && piece.ends_with(']'))) {
            let (text, kind) = match piece.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => (rest, &mut continuations),
                _ => (piece.as_str(), &mut beginnings),
            };
            if text.chars().all(|c| matches!(c, '!'..='~' | '\u{A1}'..='\u{24F}')) {
                kind.push(text.to_owned());
            }
        }
        beginnings.sort_unstable();
        continuations.sort_unstable();
        Self { beginnings, continuations }
    }

    pub(crate) fn len(&self) -> usize {
        self.beginnings.len() + self.continuations.len()
    }

    /// Their letters, to be embedded as if they were words.
    pub(crate) fn texts(&self) -> Vec<&str> {
        self.beginnings.iter().chain(&self.continuations).map(String::as_str).collect()
    }

    /// Their names, as a vocabulary writes them.
    pub(crate) fn names(&self) -> Vec<String> {
        let continuations = self.continuations.iter().map(|text| format!("##{text}"));
        self.beginnings.iter().cloned().chain(continuations).collect()
    }

    /// The file.
    pub(crate) fn table(&self, vectors: &Matrix) -> Vec<u8> {
        let texts = self.texts();
        let mut bytes = MAGIC.to_vec();
        let mut number = |number: usize| bytes.extend((number as u32).to_le_bytes());
        let text: usize = texts.iter().map(|text| text.len()).sum();
        let header = [vectors.width, self.beginnings.len(), self.continuations.len(), text];
        header.into_iter().for_each(&mut number);
        let mut start = 0;
        number(start);
        for text in &texts {
            start += text.len();
            number(start);
        }
        let rows: Vec<(f32, Vec<u8>)> = vectors.rows().map(packed).collect();
        rows.iter().for_each(|(scale, _)| bytes.extend(scale.to_le_bytes()));
        rows.iter().for_each(|(_, entries)| bytes.extend(entries));
        texts.iter().for_each(|text| bytes.extend(text.as_bytes()));
        bytes
    }
}

/// A row in entries of 4 bits, the first of two in the lower half of a byte, and what they are multiplied by.
fn packed(row: &[f32]) -> (f32, Vec<u8>) {
    let largest = row.iter().fold(0.0f32, |largest, number| largest.max(number.abs())).max(f32::MIN_POSITIVE);
    let scales = CUTS.map(|cut| largest * cut / LARGEST);
    let error = |scale: f32| row.iter().map(|number| (entry(*number, scale) * scale - number).powi(2)).sum();
    let best = scales.into_iter().min_by(|a, b| f32::total_cmp(&error(*a), &error(*b)));
    let scale = best.unwrap_or(largest);
    let half = |number: &f32| (entry(*number, scale) as i8).cast_unsigned() & 0xF;
    let pairs = row.as_chunks::<2>().0.iter();
    (scale, pairs.map(|[low, high]| half(low) | (half(high) << 4)).collect())
}

fn entry(number: f32, scale: f32) -> f32 {
    (number / scale).round().clamp(-LARGEST, LARGEST)
}
