//! JSON Schema: what is wrong with data, and data bent towards its shape where its meaning is plain.
//!
//! It covers what `schemars` writes for our own types and what tools commonly ask for; words of a schema that are
//! not known here are not looked at. Everything is bounded: in depth, in work and in the number of messages.

mod fit;
mod parts;
mod problems;

pub use self::fit::fit;
pub use self::problems::{MAX_PROBLEMS, problems};
