//! Fuzzing with libFuzzer: builds `fuzz/` with instrumentation and runs its targets.
//!
//! Only the crates of the workspace are instrumented (`fuzz/instrument.sh`): dependencies are those of any other build, and a stable
//! compiler is enough. What is looked for are panics, hangs and memory. New inputs are below cargo's target folder; what the
//! tests replay is in `fuzz/corpus`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo;
use crate::needs::target_folder;

/// An input that takes longer than this many seconds is a finding.
const SLOWEST: u64 = 10;
/// A target that uses more than this many megabytes is one too.
const MOST_MEMORY: u64 = 2048;

/// Runs one target for so many seconds, or each of them if none is named.
///
/// # Errors
///
/// When there is no such target, the build fails, or an input breaks a target.
pub fn fuzz(root: &Path, target: Option<&str>, seconds: u64) -> Result<()> {
    let known = targets(root)?;
    let wanted: Vec<&str> = match target {
        None => known.iter().map(String::as_str).collect(),
        Some(target) if known.iter().any(|name| name == target) => vec![target],
        Some(target) => bail!("there is no fuzz target `{target}`; there are: {}", known.join(", ")),
    };
    build(root)?;
    let broken: Vec<&str> = wanted.into_iter().filter(|target| run(root, target, seconds).is_err()).collect();
    if !broken.is_empty() {
        bail!("an input breaks {}; it is in {}", broken.join(", "), folder(root).join("artifacts").display());
    }
    Ok(())
}

/// Everything that fuzzing writes.
fn folder(root: &Path) -> std::path::PathBuf {
    target_folder(root).join("fuzz")
}

fn build(root: &Path) -> Result<()> {
    let mut command = cargo::command(root);
    // Named beside it, the command gives dependencies the features that they have in any other build.
    command.args([
        "build",
        "--locked",
        "--package",
        "candor",
        "--package",
        "candor-fuzz",
        "--bin",
        "candor-fuzz",
    ]);
    command
        .args(["--features", "candor-fuzz/libfuzzer"])
        .env("RUSTC_WORKSPACE_WRAPPER", root.join("fuzz/instrument.sh"));
    cargo::finish(command, "cargo build --bin candor-fuzz (instrumented)")
}

fn run(root: &Path, target: &str, seconds: u64) -> Result<()> {
    let below = folder(root);
    let (grown, artifacts) = (below.join("corpus").join(target), below.join("artifacts"));
    for folder in [&grown, &artifacts] {
        fs::create_dir_all(folder).with_context(|| format!("{} could not be made", folder.display()))?;
    }
    let mut command = Command::new(target_folder(root).join("debug/candor-fuzz"));
    command.env("CANDOR_FUZZ", target).arg(grown).arg(root.join("fuzz/corpus").join(target));
    command.arg(format!("-artifact_prefix={}/{target}-", artifacts.display()));
    let limits = [
        format!("-max_total_time={seconds}"),
        format!("-timeout={SLOWEST}"),
        format!("-rss_limit_mb={MOST_MEMORY}"),
        "-print_final_stats=1".to_owned(),
    ];
    command.args(&limits).current_dir(root);
    cargo::finish(command, &format!("CANDOR_FUZZ={target} candor-fuzz {}", limits.join(" ")))
}

/// The targets by the folders of their inputs; a test holds them to those of `fuzz/src/lib.rs`.
fn targets(root: &Path) -> Result<Vec<String>> {
    let corpus = root.join("fuzz/corpus");
    let entries = fs::read_dir(&corpus).with_context(|| format!("{} could not be read", corpus.display()))?;
    let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names = names.collect::<std::io::Result<Vec<String>>>()?;
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace_root;

    #[test]
    fn an_unknown_fuzz_target_is_answered_with_the_known_ones() {
        let error = fuzz(&workspace_root().unwrap(), Some("plan_jsn"), 1).unwrap_err().to_string();
        assert_eq!(
            error,
            "there is no fuzz target `plan_jsn`; there are: a2a, agent_answer, bus_message, config, event_json, guard, \
             http_answer, log_open, mcp_result, plan_json, prompt_answer, pycheck, redactor, repair, rules"
        );
    }
}
