//! Starting cargo, and saying what happened when it did not end well.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// What cargo says about our own package begins so. The build script of `ring` runs again when it changes, and most of the
/// workspace is compiled again after that: a build that we start and one that a person types would undo each other.
const OUR_PACKAGE: [&str; 2] = ["CARGO_PKG_", "CARGO_MANIFEST_"];

/// Returns a command for the very cargo that started us, to run in `folder`.
pub(crate) fn command(folder: &Path) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.current_dir(folder);
    forget_our_package(&mut command);
    command
}

/// Keeps what cargo says about our own package from a command that may start cargo.
fn forget_our_package(command: &mut Command) {
    let is_ours = |name: &OsString| OUR_PACKAGE.iter().any(|start| name.to_string_lossy().starts_with(start));
    env::vars_os().map(|(name, _)| name).filter(is_ours).for_each(|name| _ = command.env_remove(name));
}

/// Runs cargo in `folder` with its output on ours; anything but success is an error.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Result<()> {
    run_with(folder, arguments, &[])
}

/// The same with these environment variables.
pub(crate) fn run_with(folder: &Path, arguments: &[&str], variables: &[(&str, OsString)]) -> Result<()> {
    let mut command = command(folder);
    command.args(arguments).envs(variables.iter().map(|(name, value)| (name, value)));
    finish(command, &line(arguments))
}

/// Runs a prepared command to its end; `line` is how a person would type it.
pub(crate) fn finish(mut command: Command, line: &str) -> Result<()> {
    eprintln!("$ {line}");
    forget_our_package(&mut command);
    let status = command.status().with_context(|| format!("`{line}` could not be started"))?;
    if !status.success() {
        bail!("`{line}` failed ({status}); its own words are above");
    }
    Ok(())
}

/// Runs cargo in `folder` and returns what it prints; anything but success is an error.
pub(crate) fn answer(folder: &Path, arguments: &[&str]) -> Result<String> {
    let line = line(arguments);
    let output =
        command(folder).args(arguments).output().with_context(|| format!("`{line}` could not be started"))?;
    if !output.status.success() {
        bail!("`{line}` failed ({}):\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{line}` printed something that is no text"))
}

/// Tells whether a command, asked for its version, has one: whether the tool is installed.
pub(crate) fn has(mut command: Command, arguments: &[&str]) -> bool {
    let asked =
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// Returns a command line of cargo as a person would type it.
pub(crate) fn line(arguments: &[&str]) -> String {
    format!("cargo {}", arguments.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_is_not_told_about_our_own_package() {
        // Cargo says it to the tests too.
        assert!(env::var_os("CARGO_PKG_NAME").is_some());
        let command = command(Path::new("."));
        let forgotten = |name: &str| command.get_envs().any(|(it, value)| it == name && value.is_none());
        assert!(forgotten("CARGO_PKG_NAME") && forgotten("CARGO_MANIFEST_DIR"));
        assert!(!forgotten("PATH"));
    }
}
