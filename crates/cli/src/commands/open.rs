//! `candor open`: a run in the browser, as the page of a server or as a report.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use candor_app::{DataFolder, LoadedRun};

use super::inspect::find_and_load;
use super::serve::running;
use crate::args::{GlobalOptions, OpenArgs};
use crate::failure::{Failure, code};
use crate::output;
use crate::remote::Remote;
use crate::view;

/// Where reports lie in the data directory.
const FOLDER: &str = "reports";
/// Programs that open a file or an address in the user's browser, in this order; `BROWSER` comes first.
const OPENERS: [&str; 3] = ["xdg-open", "open", "wslview"];

pub(crate) async fn open(global: &GlobalOptions, args: &OpenArgs) -> Result<u8, Failure> {
    let place = place(global, &args.run).await?;
    if args.print {
        output::print(&format!("{place}\n"))?;
        return Ok(code::DONE);
    }
    let browser = std::env::var("BROWSER").ok().filter(|browser| !browser.is_empty());
    let openers = browser.iter().map(String::as_str).chain(OPENERS);
    for opener in openers {
        if start(opener, &place) {
            tell!("candor: opened {place}", "candor: abierto {place}");
            return Ok(code::DONE);
        }
    }
    Err(Failure::failed(say!(
        "no browser was found (BROWSER, {}); open {place} yourself",
        "no se encontró ningún navegador (BROWSER, {}); abrir {place} a mano",
        OPENERS.join(", ")
    )))
}

/// Where a run can be looked at: the page of the server that is named or works on the folder, else its report in a file.
async fn place(global: &GlobalOptions, named: &str) -> Result<String, Failure> {
    if let Some(remote) = Remote::of(global)? {
        return remote.page(named).await;
    }
    let LoadedRun { records, state } = find_and_load(global, named).await?;
    let data = DataFolder::find(global.data.as_deref())?;
    let run = state.run_id();
    if let Some(url) = running(data.path()).await {
        return Ok(format!("{url}/runs/{run}"));
    }
    let path = write(&data.path().join(FOLDER), run.as_str(), &view::report::html(&state, &records))?;
    Ok(path.display().to_string())
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
fn start(program: &str, place: &str) -> bool {
    let mut command = Command::new(program);
    command.arg(place).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
