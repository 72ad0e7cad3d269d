//! The workspace's own chores, behind `cargo xtask`.
//!
//! A library with a thin binary on top, so that the chores can be tested like any other code. It assumes
//! nothing but the Rust toolchain: whatever else a chore could use is either optional or asked for in words.

pub mod args;
mod cargo;
pub mod deny;
pub mod docs;
pub mod fuzz;
mod metadata;
mod needs;
pub mod programs;
pub mod quality;
pub mod tidy;
mod tree;
pub mod verify;

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Finds the root of the workspace: the folder that holds `xtask/`.
///
/// # Errors
///
/// When cargo says that this package lies at the root of a file system, which no workspace does.
pub fn workspace_root() -> Result<PathBuf> {
    // Cargo's word at run time comes first: a binary built elsewhere and copied here still works here.
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let package = PathBuf::from(package);
    package
        .parent()
        .map(Path::to_path_buf)
        .with_context(|| format!("{} has no folder above it; run this as `cargo xtask`", package.display()))
}
