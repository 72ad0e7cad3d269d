//! Room 3's two agents: one lists what there is to do, the other breaks it into steps for one agent each.
//!
//! What is done, in which words and in which order comes from the rules or from a model. Here it gets its
//! structure: the high-level tasks and their subtasks, and for each subtask the files, the tools, the
//! criterion, the tokens and the tier. Nothing here adds a step or leaves one out.

pub mod atomicity;
mod decomposer;
pub mod groups;
pub mod hints;
mod lister;
mod record;
pub mod tiers;

use candor_model::SubTask;

pub use self::decomposer::furnish;
pub use self::lister::{HighLevelTask, Listing, TaskType};
pub(crate) use self::record::{LONGEST_RECORD, record};

/// The tasks of a goal, in their places.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakdown {
    /// What there is to do.
    pub listing: Listing,
    /// The steps, each with its place in the listing.
    pub tasks: Vec<SubTask>,
    /// What is worth knowing and no obstacle.
    pub notes: Vec<String>,
    /// What was wrong and was mended.
    pub warnings: Vec<String>,
}

/// Puts steps under the sentences and items of the text that they come from; steps of a known kind are each a
/// high-level task of their own.
#[must_use]
pub fn by_rules(text: &str, tasks: Vec<SubTask>, complexity: u8) -> Breakdown {
    let shelves = lister::shelve(text, &tasks);
    decomposer::place(lister::objective(text), shelves, tasks, complexity)
}

/// Puts steps under the tasks that a lister named. `parents` has the id of the high-level task of each step;
/// what names none, or one that is not listed, is put where its words fit best.
#[must_use]
pub fn under(mut listing: Listing, tasks: Vec<SubTask>, parents: &[Option<String>]) -> Breakdown {
    let warnings = listing.break_cycles();
    let mut made = decomposer::place_under(listing, tasks, parents);
    made.warnings.splice(0..0, warnings);
    made
}
