//! Text for comparison: split into words, folded to lower case without accents, reduced to stems.
//!
//! Every crate that compares what people wrote uses these functions, so that two parts of the program never
//! disagree about what a word is. English and Spanish are known; other languages are split and folded only.
//! Two readers of text are deliberately elsewhere: the tokenizer of the embedding model, which has to be the
//! one that the model was trained with, and the tokens of the injection guard, which undo disguises.

mod catalogue;
mod fold;
mod language;
mod phrase;
mod stem;
mod stop_words;
mod word_set;
mod words;

pub use catalogue::{Sentence, plural};
pub use fold::{fold, fold_letter, is_combining};
pub use language::Language;
pub use phrase::says;
pub use stem::{alike, singular, stem};
pub use stop_words::is_stop_word;
pub use word_set::{WordSet, WordShapes};
pub use words::{Rule, Word, Words, words};
