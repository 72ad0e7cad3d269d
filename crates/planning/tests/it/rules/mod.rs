//! The rules that an installation can change: scaling, guardrails, early exits, conflicts, the roster.
mod conflict;
mod early_exit;
mod files;
mod guardrails;
mod roster;
mod scaling;
