//! What looking at Python costs, side by side with pyflakes; and what running it in the sandbox costs.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a bench prints, and stops at once"
)]

mod looking;
mod running;

use std::process::ExitCode;

fn main() -> ExitCode {
    // The sandbox starts this very program to confine itself.
    if let Some(code) = candor_sandbox::confine::run_if_asked() {
        return code;
    }
    looking::measure();
    running::measure();
    ExitCode::SUCCESS
}

/// The time on a processor that this process has had.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn percentile(mut times: Vec<f64>, share: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    times[((times.len() - 1) as f64 * share) as usize]
}
