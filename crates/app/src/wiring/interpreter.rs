//! Which Python a name stands for: it may be a script that finds the real one (pyenv, conda), and that one knows.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// What it is asked; one path a line.
const QUESTION: &str = recorded!(
    "import sys; print(*[sys.executable, sys.prefix, sys.base_prefix, sys.exec_prefix, \
                        sys.base_exec_prefix] + [p for p in sys.path if p.endswith('-packages')], sep='\\n')"
);

/// A Python that was found.
#[derive(Debug, Clone)]
pub(super) struct Interpreter {
    /// Path of the interpreter.
    pub(super) program: PathBuf,
    /// What it must be able to read.
    pub(super) readable: Vec<PathBuf>,
}

/// Asks the Python of this name, once for each process of ours; nothing if there is none, or it does not answer.
pub(super) fn find(name: &str) -> Option<Interpreter> {
    static FOUND: OnceLock<Option<Interpreter>> = OnceLock::new();
    if name == "python3" { FOUND.get_or_init(|| ask(name)).clone() } else { ask(name) }
}

fn ask(name: &str) -> Option<Interpreter> {
    let said = Command::new(name)
        .args(["-I", "-c", QUESTION])
        .current_dir("/")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let said = String::from_utf8(said.stdout).ok()?;
    let mut lines = said.lines().map(PathBuf::from);
    let program = lines.next().filter(|path| path.is_absolute())?;
    let mut readable: BTreeSet<PathBuf> = lines.filter(|path| path.parent().is_some()).collect();
    let real: Vec<PathBuf> = readable.iter().chain([&program]).filter_map(|path| real(path)).collect();
    readable.extend(real);
    Some(Interpreter { program, readable: readable.into_iter().collect() })
}

/// Programs and folders can be links to others, which are to be read then.
fn real(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok()
}
