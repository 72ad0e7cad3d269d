//! What a run costs, in instructions: a figure that does not depend on how busy the machine is, so that throughput cannot
//! fall unnoticed between two benches.

use std::path::PathBuf;
use std::process::Command;

use candor_testkit::skips;

/// What one pair of runs of `examples/count_runs.rs` took when this was last recorded, in an unoptimised build. Whoever
/// makes runs cheaper writes the new figure here; whoever makes them dearer says why in the commit. Loops of our own count for
/// more here than those of dependencies, which are optimised: in a release build the same pair took 8.6 million.
const RECORDED: u64 = 67_800_000;

/// How far above the recorded figure a build may be, in per cent.
const TOLERANCE: u64 = 5;

/// Pairs in the short and in the long count. Their difference leaves out what is done once.
const PAIRS: (u64, u64) = (2, 6);

#[test]
fn a_run_takes_no_more_instructions_than_recorded() {
    let Ok(program) = example() else { return skips::skipped("examples/count_runs was not built") };
    let Some(short) = instructions(&program, PAIRS.0) else {
        return skips::skipped("valgrind is not installed");
    };
    let long = instructions(&program, PAIRS.1).unwrap();
    let each = (long - short) / (PAIRS.1 - PAIRS.0);
    let most = RECORDED + RECORDED * TOLERANCE / 100;
    eprintln!("{each} instructions for a pair of runs, {RECORDED} recorded");
    assert!(
        each <= most,
        "a pair of runs takes {each} instructions, at most {most} were expected: profile it with \
         `valgrind --tool=callgrind {} 6`",
        program.display()
    );
}

/// The example, built with the tests.
fn example() -> std::io::Result<PathBuf> {
    let tests = std::env::current_exe()?;
    tests.with_file_name("../examples/count_runs").canonicalize()
}

/// The instructions that so many pairs take; nothing without valgrind.
fn instructions(program: &PathBuf, pairs: u64) -> Option<u64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program).arg(pairs.to_string());
    let output = command.output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let line = said.lines().find(|line| line.contains("refs:")).unwrap();
    let figure: String = line.rsplit(':').next().unwrap().chars().filter(char::is_ascii_digit).collect();
    Some(figure.parse().unwrap())
}
