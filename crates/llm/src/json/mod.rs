//! What a model wrote, as data of the shape that was asked for.
//!
//! [`read`] makes sense of the text, [`fit`] bends the data towards a schema where its meaning is plain, and
//! [`problems`] says what is still wrong. All three are bounded: in the size of the text, in depth, and in
//! the number of messages. None of them makes up data: what is missing stays missing.

mod array;
mod bare;
mod inline;
mod object;
mod parser;
mod repairs;
mod string;
mod text;
mod verdict;

use serde_json::Value;
use thiserror::Error;

use self::parser::Parser;
use self::repairs::Repairs;

pub use candor_schema::{MAX_PROBLEMS, fit, problems};

/// The largest text that is read, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// How deep data may be nested.
pub const MAX_DEPTH: usize = 128;

/// What a text says.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// JSON value that was found.
    pub value: Value,
    /// What had to be repaired, each kind once, in order; empty if the text was JSON as it stood.
    pub repairs: Vec<&'static str>,
}

/// Why no data could be made of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// There is nothing in it.
    #[error("the answer is empty")]
    Empty,
    /// There are words, but no data.
    #[error("the answer has no JSON in it: expected an object or a list")]
    NoData,
    /// It is longer than anything that is asked for.
    #[error("the answer has {bytes} bytes: at most {MAX_BYTES} are read")]
    TooLarge {
        /// Length of the answer.
        bytes: usize,
    },
    /// It is nested deeper than any data that is asked for.
    #[error("the answer is nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
    /// It can be read in more than one way, and no guessing was allowed.
    #[error("the answer is not plain: {what}")]
    Ambiguous {
        /// What a guess would have been made about.
        what: &'static str,
    },
}

/// Makes sense of a text: plain JSON as it stands, anything else with as few repairs as it takes.
///
/// # Errors
/// [`Unreadable`] where there is no data in the text, or it is beyond the bounds.
pub fn read(text: &str) -> Result<Read, Unreadable> {
    check_size(text)?;
    match serde_json::from_str(text) {
        Ok(value) => Ok(Read { value, repairs: Vec::new() }),
        Err(_) => repair(text).map(|(value, repairs)| Read { value, repairs: repairs.words() }),
    }
}

/// Makes sense of a text like [`read`], but refuses where it would have to guess: several pieces of data,
/// keys that are empty or appear twice, missing colons or values, doubled quotes.
///
/// # Errors
/// [`Unreadable`], with [`Unreadable::Ambiguous`] where [`read`] would guess.
pub fn read_strict(text: &str) -> Result<Read, Unreadable> {
    check_size(text)?;
    let whole: Option<Value> = serde_json::from_str(text).ok();
    let (value, repairs) = match (repair(text), whole) {
        // A bare number or word is data only if it is the whole text.
        (Err(Unreadable::NoData), Some(value)) => (value, Repairs::default()),
        (repaired, _) => repaired?,
    };
    match repairs.first_guess() {
        Some(guess) => Err(Unreadable::Ambiguous { what: guess.words() }),
        None => Ok(Read { value, repairs: repairs.words() }),
    }
}

fn check_size(text: &str) -> Result<(), Unreadable> {
    match text.len() {
        bytes if bytes > MAX_BYTES => Err(Unreadable::TooLarge { bytes }),
        _ if text.trim().is_empty() => Err(Unreadable::Empty),
        _ => Ok(()),
    }
}

fn repair(text: &str) -> Result<(Value, Repairs), Unreadable> {
    let mut parser = Parser::new(text);
    let value = parser.document()?;
    Ok((value, parser.repairs))
}
