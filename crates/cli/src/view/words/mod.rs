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

pub(super) use events::*;
pub(super) use explain::*;
pub(super) use notes::*;
pub(super) use pages::*;
pub(super) use phases::*;
pub(super) use proposal::*;
pub(super) use report::*;

#[cfg(test)]
pub(super) mod tests {
    use candor_model::{Event, Position, Recorded};
    use candor_testkit::golden::STORIES;

    /// The log of a story that is kept for good.
    pub(crate) fn story(name: &str) -> Vec<Recorded> {
        let (_, tell) = STORIES.iter().find(|(story, _)| *story == name).unwrap();
        recorded(tell())
    }

    pub(crate) fn recorded(events: Vec<Event>) -> Vec<Recorded> {
        let places = (1..).map(Position);
        places.zip(events).map(|(position, event)| Recorded { position, event }).collect()
    }
}
