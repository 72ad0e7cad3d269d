//! What people see of a run.
//!
//! Readers of the log: every function here takes the events of a run, the state folded from them, or both,
//! and answers with text or JSON. Nothing here reads a clock, opens a terminal or decides anything; what is
//! not on the log is not shown, and what failed is never left out. Sentences stand in [`words`] and nowhere
//! else; colours, symbols and widths come from one [`Style`], so that plain and coloured output are the same.

pub mod attempts;
pub(crate) mod board;
pub mod commands;
pub mod explain;
pub mod level;
pub mod lines;
pub mod list;
pub mod live;
pub(crate) mod note_lines;
mod phase_lines;
mod phases;
pub mod postmortem;
pub mod proposal;
pub mod report;
pub mod results;
mod said;
pub mod status;
mod style;
mod text;
pub mod timeline;
pub mod tree;
pub(crate) mod words;
pub mod zone;

pub use report::report_json;
pub use style::{Mark, Style};
pub(crate) use text::wrapped;

/// Words on one line, shortened.
pub(crate) fn one_line(words: &str) -> String {
    text::shortened(&text::clean(words), 100, true)
}
