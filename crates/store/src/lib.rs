//! The event log and its projections on SQLite.
