//! A launcher that is nothing else: for programs that use Candor as a library and cannot be their own.

use std::process::ExitCode;

use candor_sandbox::confine;

fn main() -> ExitCode {
    confine::run_if_asked().unwrap_or_else(|| confine::run([]))
}
