//! Models, as the real command uses them: a scripted provider on a real socket answers well, badly, late or not
//! at all, and every run must come to a good end that says how it got there.

mod bad_answers;
mod bad_servers;
mod breakers;
mod configuration;
mod critiques;
mod directly;
mod domains;
mod durability;
mod fallback_policy;
mod figures;
mod figures_generated;
mod general;
mod incomplete;
mod injection;
mod judging;
mod meaning;
mod money;
mod observed;
mod otlp;
mod project;
mod recordings;
pub(crate) mod scene;
mod secrets;
mod sensible;
mod small_model;
mod stages;
mod streaming;
mod traces;
