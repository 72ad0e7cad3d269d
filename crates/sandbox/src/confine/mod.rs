//! The launcher's side: what `LAUNCHER __confine STAGE SPEC` does.
//!
//! A program that is to serve as launcher begins its `main` with
//!
//! ```no_run
//! # use std::process::ExitCode;
//! # fn main() -> ExitCode {
//! if let Some(code) = candor_sandbox::confine::run_if_asked() {
//!     return code;
//! }
//! # ExitCode::SUCCESS
//! # }
//! ```

mod allowed;
mod calls;
mod files;
mod inside;
mod keeper;
mod spec;
mod world;

use std::ffi::OsString;
use std::fs;
use std::process::ExitCode;

pub(crate) use self::spec::{Ending, LimitHit, OWN_TMP, Spec, Stage};

/// The first argument that makes a program a launcher.
pub const SUBCOMMAND: &str = "__confine";

/// A file in a command's folder: whoever finds it there already removes the folder.
pub(crate) const MARK: &str = "over";

/// What a launcher ends with when it could not do its work; the reason is in its report.
const CANNOT: u8 = 125;

/// Does the launcher's work if this process was started as one; otherwise does nothing.
#[must_use]
pub fn run_if_asked() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    (args.next()? == SUBCOMMAND).then(|| run(args))
}

/// Does the launcher's work, with the arguments behind [`SUBCOMMAND`].
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Option<Vec<String>> = args.into_iter().map(|arg| arg.into_string().ok()).collect();
    let Some([stage, spec]) = args.as_deref() else { return misused() };
    let (Some(stage), Ok(spec)) = (Stage::parse(stage), serde_json::from_str::<Spec>(spec)) else {
        return misused();
    };
    match stage {
        Stage::Keep => keeper::keep(&spec),
        Stage::Enter => inside::enter(&spec),
        Stage::First => world::first(),
        Stage::TryWorld => world::try_out(&spec),
    }
}

/// Somebody tried it by hand, or launcher and caller are of different versions.
fn misused() -> ExitCode {
    eprintln!(
        "{SUBCOMMAND} is for Candor itself, which starts it with what it needs; use `candor run` instead"
    );
    ExitCode::from(CANNOT)
}

/// Leaves a report for whoever started the keeper. One that cannot be written is noticed there by its absence.
fn report(spec: &Spec, ending: &Ending) {
    if let Ok(text) = serde_json::to_vec(ending) {
        let _ = fs::write(&spec.report, text);
    }
}
