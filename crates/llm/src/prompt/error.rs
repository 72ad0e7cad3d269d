//! What can be wrong with prompts.

use thiserror::Error;

/// Why a prompt cannot be used.
#[derive(Debug, Error)]
pub enum PromptError {
    /// The folder or a file in it cannot be read.
    #[error("{file}: cannot be read: {source}")]
    Io {
        /// The folder or file.
        file: String,
        /// Error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// A file is longer than any prompt should be.
    #[error("{file}: has more than {max} bytes; a prompt is short")]
    TooLarge {
        /// File of the prompt.
        file: String,
        /// How long it may be.
        max: u64,
    },
    /// A file in the folder replaces nothing.
    #[error("{file}: there is no prompt of this name; known are {}", known.join(", "))]
    UnknownPrompt {
        /// File of the prompt.
        file: String,
        /// The names of all prompts.
        known: Vec<&'static str>,
    },
    /// The first line is not a version.
    #[error("{file}, line 1: must be \"version: N\" with a whole number N, such as \"version: 2\"")]
    NoVersion {
        /// File of the prompt.
        file: String,
    },
    /// A section is missing, empty, out of order or there twice.
    #[error(
        "{file}, line {line}: expected the sections \"# System\" and \"# Question\", in this order, each with text: {what}"
    )]
    Sections {
        /// File of the prompt.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Section that is missing, doubled or out of place.
        what: &'static str,
    },
    /// A slot stands in the stable part.
    #[error(
        "{file}, line {line}: slot {{{{{slot}}}}} may only stand below \"# Question\": the system part is the same for every ask"
    )]
    SlotInSystem {
        /// File of the prompt.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Name between the braces.
        slot: String,
    },
    /// A slot that the step does not fill.
    #[error("{file}, line {line}: unknown slot {{{{{slot}}}}}; known are {}", known.join(", "))]
    UnknownSlot {
        /// File of the prompt.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Name between the braces.
        slot: String,
        /// The slots of this prompt.
        known: Vec<&'static str>,
    },
    /// A slot is opened and never closed.
    #[error("{file}, line {line}: \"{{{{\" without \"}}}}\" on the same line; known slots are {}", known.join(", "))]
    OpenSlot {
        /// File of the prompt.
        file: String,
        /// Line, from 1.
        line: usize,
        /// The slots of this prompt.
        known: Vec<&'static str>,
    },
    /// A slot without which the question makes no sense is not there.
    #[error("{file}, line {line}: slot {{{{{slot}}}}} is missing below \"# Question\"; known are {}", known.join(", "))]
    MissingSlot {
        /// File of the prompt.
        file: String,
        /// Where the section starts.
        line: usize,
        /// Name between the braces.
        slot: &'static str,
        /// The slots of this prompt.
        known: Vec<&'static str>,
    },
    /// An ask names no prompt.
    #[error("there is no prompt for the step {step}; known are {}", known.join(", "))]
    NoSuchPrompt {
        /// Step that asked for a prompt.
        step: String,
        /// The names of all prompts.
        known: Vec<&'static str>,
    },
    /// An ask fills a slot that its step does not know.
    #[error("the step {step} has no slot {slot}; known are {}", known.join(", "))]
    NoSuchSlot {
        /// Step whose prompt it is.
        step: String,
        /// Name between the braces.
        slot: String,
        /// The slots of this step.
        known: Vec<&'static str>,
    },
    /// An ask leaves out what the question is about.
    #[error("the step {step} needs a value for its slot {slot}")]
    NotFilled {
        /// Step whose prompt it is.
        step: String,
        /// Name between the braces.
        slot: String,
    },
}
