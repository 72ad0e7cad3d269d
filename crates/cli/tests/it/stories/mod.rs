//! Failures and what follows from them, as stories: real agents of three kinds in domains that no pack knows. Each
//! says which attempts were made by whom, what the agents were given, what the screen says, and how it ends.

mod dashboards;
mod dispatch_desk;
mod ends;
mod measurements;
mod recordings;
pub(crate) mod scene;
mod studio;
mod warehouse;
