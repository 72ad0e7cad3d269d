//! Plan validation against the worked example and against generated plans.
mod assignment;
mod completeness;
mod dependencies;
mod door;
mod repair;
mod support;
