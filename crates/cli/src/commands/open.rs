//! `candor open`: the report on a run, in the browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use candor_app::{DataFolder, LoadedRun};

use super::inspect::find_and_load;
use crate::args::{GlobalOptions, OpenArgs};
use crate::failure::{Failure, code};
use crate::output;
use crate::view;

/// Where reports lie in the data directory.
const FOLDER: &str = "reports";
/// Programs that open a file in the user's browser, in this order; `BROWSER` comes first.
const OPENERS: [&str; 3] = ["xdg-open", "open", "wslview"];

pub(crate) async fn open(global: &GlobalOptions, args: &OpenArgs) -> Result<u8, Failure> {
    let LoadedRun { records, state } = find_and_load(global, &args.run).await?;
    let folder = DataFolder::find(global.data.as_deref())?.path().join(FOLDER);
    let path = write(&folder, state.run_id().as_str(), &view::report::html(&state, &records))?;
    if args.print {
        output::print(&format!("{}\n", path.display()))?;
        return Ok(code::DONE);
    }
    let browser = std::env::var("BROWSER").ok().filter(|browser| !browser.is_empty());
    let openers = browser.iter().map(String::as_str).chain(OPENERS);
    for opener in openers {
        if start(opener, &path) {
            tell!("candor: opened {}", "candor: abierto {}", path.display());
            return Ok(code::DONE);
        }
    }
    Err(Failure::failed(say!(
        "no browser was found (BROWSER, {}); open {} yourself",
        "no se encontró ningún navegador (BROWSER, {}); abrir {} a mano",
        OPENERS.join(", "),
        path.display()
    )))
}

fn write(folder: &Path, run: &str, report: &str) -> Result<PathBuf, Failure> {
    let path = std::path::absolute(folder)?.join(format!("{run}.html"));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, report));
    written.map_err(|error| {
        Failure::failed(say!(
            "could not write {}: {error}",
            "no se pudo escribir {}: {error}",
            path.display()
        ))
    })?;
    Ok(path)
}

/// Whether the program could be started. It is not waited for: some browsers stay in the foreground.
fn start(program: &str, path: &Path) -> bool {
    let mut command = Command::new(program);
    command.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
