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
//! | the environment, open files | what it was given; nobody else's, also not through `/proc` | four variables that everyone has |
//! | other processes | no signal, no look and no change to any that it did not start | the same; they have no number there |
//! | modes, owners, attributes of files | of its own, in namespaces; elsewhere none, unless it is allowed, and then everywhere | unchangeable |
//! | calls of the kernel | those of a list; newer ones do not exist | the same |
//! | memory, time, files, processes, threads, output | up to its [`Limits`] | the same, and a limit to all its files together |
//!
//! Where the kernel allows it, both live in namespaces of their own, in which there is nothing but what they may use.
//! Names and sizes of other files cannot be asked for, other processes do not exist, the machine has another name, and
//! the temporary folder lies in memory, is of limited size and counts with the memory. A command is the user there that
//! it is outside; a Python program seems to be root, with none of its powers. Where it is not allowed (some
//! containers, some settings of distributions), Landlock and seccomp stand alone, and [`Confinement::own_world`] and
//! [`python::LocalPython::own_world`] say why.
//!
//! What remains, honestly: without namespaces, names, sizes and modes of files elsewhere can be asked for (not their
//! content), times of files that can be read can be set by their owner, and whether a process of some number exists
//! can be seen. The size of one file is limited by the kernel, that of all together is looked at; memory, the number of
//! processes and threads and the size of a folder are looked at ten times a second, so that they can be passed for a
//! moment. Not counted: up to 512 sockets on their way between processes (some 100 MB), buffers of pipes (64 MB for
//! one user), locks, and with the network what TCP keeps for its connections, which the kernel limits for all of
//! them. What a kernel tells everyone (its version, the processor, the time) is told to programs too. Kernels before
//! 6.2 cannot confine at all, and those before 6.12 cannot tell signals to oneself from signals to others, so that none
//! can be sent.

pub mod confine;
mod confinement;
pub mod e2b;
mod limits;
mod memory;
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
pub use self::running::sweep;
