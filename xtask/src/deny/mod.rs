//! `cargo xtask deny`: which dependencies may come in, by licence, name and origin.
//!
//! `deny.toml` is the law. cargo-deny judges by it where it is installed; elsewhere the same three checks
//! are made here, so that a machine with nothing but the Rust toolchain is no reason to skip them.
//! Security advisories are in neither way's reach: their database is not part of this repository.

mod checks;
mod config;
mod spdx;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::cargo;
use crate::metadata::{Metadata, Package};
use crate::tree::{self, Node};
use checks::Findings;
use config::Config;

const LAW: &str = "deny.toml";

/// Checks every dependency, and says by which of the two ways it did.
///
/// # Errors
///
/// When a dependency is not allowed, or `deny.toml` cannot be understood.
pub fn run(root: &Path) -> Result<()> {
    if cargo::has(cargo::command(root), &["deny", "--version"]) {
        eprintln!("deny: cargo-deny is installed and does the checking");
        return run_cargo_deny(root);
    }
    eprintln!("deny: cargo-deny is not installed; xtask checks {LAW} itself");
    let path = root.join(LAW);
    let text = fs::read_to_string(&path).with_context(|| format!("{} could not be read", path.display()))?;
    let config = Config::parse(&text)?;
    let packages = packages(root)?;
    report(&checks::check(&config, &packages), packages.len())
}

fn run_cargo_deny(root: &Path) -> Result<()> {
    // Not `--offline`: crates for other platforms may not be on this disk yet, and their licences count too.
    let options = ["deny", "--locked", "--all-features", "check"];
    cargo::run(root, &[&options[..], &["licenses", "bans", "sources"]].concat())
}

/// Returns the packages that are really built or tested with, ours included.
fn packages(root: &Path) -> Result<Vec<Package>> {
    let in_use: BTreeSet<_> = tree::of_workspace(root)?.into_iter().filter_map(|mut way| way.pop()).collect();
    let mut packages = Metadata::load(root)?.packages;
    packages.retain(|package| {
        let node = Node { name: package.name.clone(), version: package.version.clone() };
        in_use.contains(&node)
    });
    // A tree in other words than the manifests' would leave nothing to check, and nothing to complain of.
    if packages.len() < in_use.len() {
        bail!("`cargo tree` names {} packages, `cargo metadata` only {}", in_use.len(), packages.len());
    }
    Ok(packages)
}

fn report(findings: &Findings, packages: usize) -> Result<()> {
    for warning in &findings.warnings {
        eprintln!("warning: {warning}");
    }
    for error in &findings.errors {
        eprintln!("error: {error}");
    }
    if !findings.errors.is_empty() {
        bail!("{} dependency problem(s), listed above; {LAW} says what is allowed", findings.errors.len());
    }
    eprintln!("deny: {packages} packages have allowed licences, names and sources");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace_root;

    #[test]
    fn our_own_law_is_understood_without_cargo_deny() {
        let text = fs::read_to_string(workspace_root().unwrap().join(LAW)).unwrap();
        Config::parse(&text).unwrap();
    }

    #[test]
    fn errors_fail_and_warnings_do_not() {
        let warned = Findings { warnings: vec!["two of a kind".to_owned()], errors: Vec::new() };
        assert!(report(&warned, 2).is_ok());
        let failed = Findings { warnings: Vec::new(), errors: vec!["a licence".to_owned()] };
        assert!(report(&failed, 2).is_err());
    }
}
