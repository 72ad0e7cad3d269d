//! The real `candor` with real children on a real disk, under everything that can happen to a process: it is
//! killed, interrupted, run twice at once, and out of space.

#![cfg(unix)]
mod clock;
mod corpus;
mod damage;
mod disk;
mod interrupted;
mod kills;
mod orphans;
mod private;
mod sharing;
mod signals;
mod support;
