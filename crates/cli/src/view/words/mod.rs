//! Every sentence of the views, in English. Ids, names and numbers come in as data, so that another language
//! is another set of these functions and nothing else.

mod events;
mod explain;
pub(super) mod models;
mod notes;
mod pages;
mod phases;
mod proposal;
mod report;

pub(super) use candor_projections::words::*;
pub(super) use events::*;
pub(super) use explain::*;
pub(super) use notes::*;
pub(super) use pages::*;
pub(super) use phases::*;
pub(super) use proposal::*;
pub(super) use report::*;

#[cfg(test)]
pub(super) mod tests {
    pub(crate) use candor_testkit::golden::{recorded, story};
}
