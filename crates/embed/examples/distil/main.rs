//! Makes the table of the embedded model out of all-MiniLM-L6-v2:
//!
//! ```text
//! distil --corpus-from DIR... CORPUS    writes the sentences found in unpacked packages, one per line
//! distil WEIGHTS CORPUS TABLE           makes the table; a few minutes on two processors
//! ```
//!
//! The same inputs give the same bytes on the same kind of processor. Which packages the table in the tree
//! was made of is said in `src/embed/fixed/mod.rs`.

mod corpus;
mod fit;
mod matrix;
mod quiet;
mod table;

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use candor_embed::MiniLm;
use candor_embed::wordpiece::WordPiece;
use serde::Deserialize;

use crate::fit::Bag;
use crate::matrix::Matrix;
use crate::table::Pieces;

/// A piece that is this share of all keeps half of its weight.
const COMMON: f32 = 3e-4;
/// The most pieces of a sentence that are looked at, as with MiniLM.
const MOST_PIECES: usize = 254;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    match words.as_slice() {
        [flag, folders @ .., file] if flag.as_os_str() == "--corpus-from" && !folders.is_empty() => {
            let sentences = corpus::sentences(folders)?;
            tell(&format!("{} sentences", sentences.len()))?;
            Ok(fs::write(file, sentences.join("\n") + "\n")?)
        }
        [weights, corpus, table] => distil(weights, corpus, table),
        _ => Err("usage: distil --corpus-from DIR... CORPUS, or distil WEIGHTS CORPUS TABLE".into()),
    }
}

fn distil(weights: &Path, corpus: &Path, table: &Path) -> Result<(), Box<dyn Error>> {
    let started = Instant::now();
    let told = |what: &str| tell(&format!("{:4.0} s: {what}", started.elapsed().as_secs_f64()));
    let model = MiniLm::load(weights)?;
    let tokenizer: Tokenizer = serde_json::from_slice(&fs::read(weights.join("tokenizer.json"))?)?;
    let pieces = Pieces::new(tokenizer.model.vocab.keys());
    let text = fs::read_to_string(corpus)?;
    let sentences: Vec<&str> = text.lines().collect();
    told(&format!("{} pieces, {} sentences", pieces.len(), sentences.len()))?;

    let mut wanted = Matrix::of(&model.embed_here(&sentences), model.width());
    wanted.centre();
    told("embedded the sentences")?;
    let mut vectors = Matrix::of(&model.embed_here(&pieces.texts()), model.width());
    vectors.centre();
    told("embedded the pieces")?;

    let vocabulary = WordPiece::new(pieces.names().iter().map(String::as_str));
    let bag = |sentence: &&str| {
        let rows = vocabulary.pieces(sentence, MOST_PIECES);
        Bag::new(rows.into_iter().map(|row| row as usize).collect())
    };
    let bags: Vec<Bag> = sentences.iter().map(bag).collect();
    weigh(&mut vectors, &bags);
    let scale = wanted.scale_of(&fit::sums(&bags, &vectors));
    vectors.numbers.iter_mut().for_each(|number| *number *= scale);
    let mut vectors = fit::fitted(&bags, &wanted, vectors);
    for (row, name) in vectors.rows_mut().zip(pieces.names()) {
        let weight = quiet::weight(&name);
        row.iter_mut().for_each(|number| *number *= weight);
    }
    told("fitted")?;

    let bytes = pieces.table(&matrix::evened(&vectors));
    fs::write(table, &bytes)?;
    Ok(told(&format!("wrote {} bytes", bytes.len()))?)
}

/// Makes the vectors of common pieces shorter: they say little about the matter of a sentence.
fn weigh(vectors: &mut Matrix, bags: &[Bag]) {
    let mut counts = vec![0.5f32; vectors.rows().len()];
    for piece in bags.iter().flat_map(|bag| &bag.pieces) {
        counts.get_mut(*piece).into_iter().for_each(|count| *count += 1.0);
    }
    let total: f32 = counts.iter().sum();
    for (row, count) in vectors.rows_mut().zip(&counts) {
        let weight = COMMON / (COMMON + count / total);
        row.iter_mut().for_each(|number| *number *= weight);
    }
}

fn tell(what: &str) -> io::Result<()> {
    writeln!(io::stderr(), "{what}")
}

#[derive(Deserialize)]
struct Tokenizer {
    model: TokenizerModel,
}

#[derive(Deserialize)]
struct TokenizerModel {
    vocab: HashMap<String, u32>,
}
