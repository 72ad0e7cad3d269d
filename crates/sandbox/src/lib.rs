//! Commands that can do no harm: confined by the kernel, limited, and killed whole.
//!
//! A command is not started directly but through a *launcher*: a program that calls
//! [`confine::run_if_asked`] first thing in its `main`. It is started twice. As the *keeper* it holds every
//! process that the command starts, whatever they do to get away, and ends only when none is left. Inside it, it
//! takes all rights away from itself and then becomes the command.
//!
//! What a confined command meets:
//!
//! | it wants | it gets |
//! |---|---|
//! | files | its folders and a temporary one to write; the system's programs and libraries to read; nothing else |
//! | the network | nothing, or all of IPv4 and IPv6; never a socket of this machine's services |
//! | the environment | what it was given; nobody else's, also not through `/proc` |
//! | other processes | no signal, no look and no change to any that it did not start |
//! | modes, owners, times of files | unchangeable by path, for root at all; unless it is allowed, and then everywhere |
//! | memory, time, files, processes, output | up to its [`Limits`] |
//!
//! What remains, honestly: names, sizes and modes of files elsewhere can be asked for (not their content); the
//! size of one file is limited, not their number; memory of several processes together and their number are
//! looked at ten times a second, so that both can be passed for a moment; kernels before 6.2 cannot confine at
//! all, and those before 6.12 cannot tell signals to oneself from signals to others, so that none can be sent.

pub mod confine;
mod confinement;
mod limits;
mod output;
mod probe;
mod program;
mod tree;

pub use self::confinement::{Confinement, Ended, How, SandboxError};
pub use self::limits::Limits;
pub use self::output::Captured;
pub use self::probe::{Offer, probe};
pub use self::program::{USUAL_PATH, find_program};
