//! The command `candor`.

use std::process::ExitCode;

fn main() -> ExitCode {
    candor::main()
}
