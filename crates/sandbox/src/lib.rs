//! Sandboxed commands: confined by the kernel, limited, and killed with all their children.
//!
//! A command is not started directly but through a *launcher*: a program that calls
//! [`confine::run_if_asked`] first thing in its `main`. It is started twice. As the *keeper* it holds every
//! process that the command starts, whatever they do to get away, and ends only when none is left. Inside it, it
//! takes all rights away from itself and then becomes the command.
//!
//! What a confined command meets:
//!
//! | it wants | it gets | a Python program |
//! |---|---|---|
//! | files | its folders and a temporary one to write; the system's programs and libraries to read; nothing else | its temporary folder, and Python with its libraries to read |
//! | the network | nothing, or all of IPv4 and IPv6; never a socket of this machine's services | nothing, loopback neither |
//! | the environment | what it was given; nobody else's, also not through `/proc` | four variables that everyone has |
//! | other processes | no signal, no look and no change to any that it did not start | the same; they have no number there |
//! | modes, owners, times of files | unchangeable by path, for root at all; unless it is allowed, and then everywhere | unchangeable |
//! | memory, time, files, processes, threads, output | up to its [`Limits`] | the same, and a limit to all its files together |
//!
//! Python programs ([`python`]) get a second layer where the kernel allows it: a world of their own, made of
//! namespaces, in which there is nothing but what they may use. Names and sizes of other files cannot be asked for,
//! other processes do not exist, the machine has another name, and the temporary folder lies in memory and is of
//! limited size. Inside they seem to be root and have none of its powers; outside they are whoever started them.
//! Where it is not allowed (some containers, some settings of distributions), the first layer stands alone, and
//! [`python::LocalPython::own_world`] says why.
//!
//! What remains, honestly: without a world of its own, names, sizes and modes of files elsewhere can be asked for
//! (not their content), and whether a process of some number exists; the size of one file is limited by the kernel,
//! that of all together is looked at; memory of several processes together, their number, that of their threads and
//! the size of a folder are looked at ten times a second, so that they can be passed for a moment; a folder in
//! memory is counted by its own limit and not with the memory of the program; what a kernel tells everyone (its
//! version, the processor, the time) is told to programs too; kernels before 6.2 cannot confine at all, and those
//! before 6.12 cannot tell signals to oneself from signals to others, so that none can be sent. Files that whoever
//! started Candor left open for its children are closed before a Python program begins, but a command of another
//! kind is given them.

pub mod confine;
mod confinement;
pub mod e2b;
mod limits;
mod output;
mod probe;
mod program;
pub mod python;
mod running;
mod tree;

pub use self::confinement::{Confinement, Ended, How, SandboxError};
pub use self::limits::Limits;
pub use self::output::Captured;
pub use self::probe::{Offer, probe};
pub use self::program::{USUAL_PATH, find_program};
