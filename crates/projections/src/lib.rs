//! The log of a run as data for people and programs.
//!
//! Everything here is a pure function of a run's events and of the state folded from them. What is not on the log is
//! in no projection, and what failed is never left out. Whoever shows a projection decides on colours, widths and
//! markup; the few sentences that are themselves part of the data, such as how a run went, are in [`words`].

pub mod chronicle;
pub mod events;
pub mod format;
pub mod line;
pub mod values;
pub mod words;
