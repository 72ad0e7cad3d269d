//! The event log and its projections on SQLite.
//!
//! This crate owns the file in which every run's events are kept, and all that is needed to trust it:
//! durable appends (many runs per fsync), reading with checksums, news of what other processes wrote,
//! listing, a check on open that tells what it found, and retention. It refuses to decide what an event means:
//! it knows [`candor_model::Event`]s and their one-line summary, nothing of plans and tasks.
//!
//! Open a log with [`SqliteLog::open`] and use it through [`candor_ports::EventLog`].
//!
//! # Physical layout, and why
//! Group commit is only worth something if a commit dirties few pages. Measured on 2 cores (SQLite 3.54,
//! WAL, synchronous FULL), 64 runs appending one event of 350 bytes per commit, as a share of what raw
//! group commits into `(id INTEGER PRIMARY KEY, body TEXT)` reach in the same run:
//!
//! | events table | empty log, 64 runs | 200,000 events, 64 of 1,000 runs |
//! |---|---|---|
//! | (a) rowid + unique index (run, position) | 0.81 | 0.34 |
//! | (b) WITHOUT ROWID, key (run, position) | 0.32 | 0.18 |
//! | (c) rowid + pointer to the run's previous event | 0.92–0.98 | 0.93–1.0 |
//!
//! An index on (run, position) spreads one dirty page per run over every commit; so does a clustered
//! key. In (c) events lie in the order of their arrival, the run's row knows its last one, and reading
//! walks the chain backwards by rowid. Storing a whole append as one row (d) is (c) with fewer rows, at
//! the price of a second format within the row; it was not needed.
//!
//! The row of each run (`runs`: where its log ends) is kept apart from its summary for the same reason: with
//! both in one row, the second case falls from 0.63–0.75 to 0.51–0.60, because wide rows of 64 runs lie on
//! some 50 pages. The narrow row is written once per run per commit. The summary is written only when it
//! changed, as a new row at the end, so that those of runs at work lie together. The two figures that move with
//! every task, progress and cost, are therefore in the narrow row: with them in the summary, a chain of tasks
//! wrote 3.4 to 4.1 pages per append, of which the summary was one.
//!
//! Where many runs append at once even the narrow rows are left behind for a while (`tail`): of 1,000 runs, 64 lie
//! on some 16 pages. Whoever looks takes the last few hundred events into account, and opening puts them in order.
//!
//! # Who commits, and why
//! `cargo xtask bench store` prints what all of this reaches beside raw commits, tokio and 64 waiting tasks
//! included. On a quick disk (0.2 ms for an fsync) the two changes of threads that an append to a writer's own
//! thread takes cost as much as the commit itself. So there a task beside those that append commits for all of
//! them; on a slow disk, where that would hold up everything else, a thread does it (`writer`, `queue`). The
//! write-ahead log goes back into the file on a thread of its own, beside the appends (`checkpoint`).
//!
//! On 2 cores eight runs gave 0.64 to 0.73 of raw commits with a new log, and 0.62 to 0.74 with 200,000 events in 1,000
//! runs (target 0.60); with other work on both cores it falls to 0.55. In turns with it, checkpoints made by the append
//! that is unlucky gave 0.61 in the second case, the median of nine, against 0.64; transactions that are not parsed
//! anew another 0.03. That is where tasks share one thread, as they do in the command. With a thread for each
//! processor it is 0.55 to 0.77, mostly below 0.60: tasks change threads after each commit. Writing JSON is the
//! largest part of what is left.

mod browse;
mod check;
mod checkpoint;
mod error;
mod experience;
mod figures;
mod files;
mod group;
mod insert;
mod lease;
mod log;
mod lookout;
mod notes;
mod options;
mod pages;
mod patience;
mod query;
mod queue;
mod readers;
mod record;
mod repair;
mod report;
mod reserve;
mod retention;
mod scan;
mod schema;
mod tail;
mod transaction;
mod verify;
mod writer;

pub use lease::FileLeases;
pub use log::SqliteLog;
pub use options::OpenOptions;
pub use repair::repair;
pub use report::{Finding, OpenReport, RepairReport, RepairedRun, Verification};
pub use retention::compact;
pub use verify::verify;
