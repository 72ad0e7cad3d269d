//! Which Python it is: asked once, outside of any confinement, with nothing but a line of our own.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::{PythonConfig, PythonError};
use crate::program::{USUAL_PATH, find_program};

/// The oldest version that programs are run with.
const OLDEST: (u8, u8) = (3, 8);
/// How long it may take to say what it is.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// How much of an answer is read.
const MOST_ANSWER_BYTES: u64 = 1024 * 1024;

/// The name of a program can be that of a script which finds the real one; that one knows where it is.
const QUESTION: &str = "import json, sys; print(json.dumps({'program': sys.executable, 'path': sys.path, \
                        'prefixes': [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix], \
                        'version': list(sys.version_info[:3])}))";

/// A Python that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Interpreter {
    /// Its file.
    pub(super) program: PathBuf,
    /// Where its libraries are, besides those that it always finds.
    pub(super) libraries: Vec<PathBuf>,
    /// All that it must be able to read.
    pub(super) readable: Vec<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct Answer {
    program: PathBuf,
    path: Vec<PathBuf>,
    prefixes: Vec<PathBuf>,
    version: (u8, u8, u8),
}

/// Finds the Python of `config`.
pub(super) fn find(config: &PythonConfig) -> Result<Interpreter, PythonError> {
    let name = config.python.to_string_lossy().into_owned();
    let path = std::env::var_os("PATH").unwrap_or_else(|| USUAL_PATH.into());
    let missing =
        || PythonError::NoPython { python: name.clone(), path: path.to_string_lossy().into_owned() };
    let program = find_program(&name, &path, Path::new(".")).ok_or_else(missing)?;
    // It is asked from another folder than ours.
    let program = std::path::absolute(&program).unwrap_or(program);
    let answer = ask(&program, &path)?;
    let (major, minor, _) = answer.version;
    if (major, minor) < OLDEST {
        return Err(PythonError::TooOld { python: program, version: format!("{major}.{minor}") });
    }
    Ok(understood(&answer, &config.packages))
}

/// Only what lies in its own folders is taken for its libraries: its settings may name others, which are nobody's
/// business in here.
fn understood(answer: &Answer, packages: &[PathBuf]) -> Interpreter {
    let is_folder = |path: &&PathBuf| path.is_absolute() && path.parent().is_some();
    let prefixes: BTreeSet<PathBuf> = answer.prefixes.iter().filter(is_folder).cloned().collect();
    let own = |path: &&PathBuf| {
        prefixes.iter().any(|prefix| path.starts_with(prefix))
            || path.ends_with("site-packages")
            || path.ends_with("dist-packages")
    };
    let libraries: Vec<PathBuf> =
        answer.path.iter().filter(is_folder).filter(own).chain(packages).cloned().collect();
    let mut readable: BTreeSet<PathBuf> = prefixes.iter().chain(&libraries).cloned().collect();
    // Programs and folders can be links to others, which are to be read then.
    let real: Vec<PathBuf> = readable.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    readable.extend(real);
    readable.extend(fs::canonicalize(&answer.program).ok());
    Interpreter { program: answer.program.clone(), libraries, readable: readable.into_iter().collect() }
}

fn ask(program: &Path, path: &OsStr) -> Result<Answer, PythonError> {
    let odd = |said: String| PythonError::Odd { python: program.to_owned(), said };
    let mut child = Command::new(program)
        .args(["-I", "-c", QUESTION])
        .env_clear()
        .env("PATH", path)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| odd(error.to_string()))?;
    if !ends_in_time(&mut child) {
        let _ = child.kill();
        let _ = child.wait();
        return Err(odd(format!("it did not answer within {} s", ANSWER_WITHIN.as_secs())));
    }
    let said = all_of(child.stdout.take());
    let answer = serde_json::from_slice::<Answer>(&said).map_err(|_| {
        let told = [said, all_of(child.stderr.take())].concat();
        odd(String::from_utf8_lossy(&told).trim().to_owned())
    })?;
    if answer.program.is_absolute() { Ok(answer) } else { Err(odd("it does not know where it is".into())) }
}

/// Its answer is short enough for a pipe: it need not be read meanwhile.
fn ends_in_time(child: &mut Child) -> bool {
    let give_up = Instant::now() + ANSWER_WITHIN;
    while Instant::now() < give_up {
        if let Ok(Some(_)) = child.try_wait() {
            return true;
        }
        std::thread::sleep(LOOK_EVERY);
    }
    false
}

fn all_of(pipe: Option<impl Read>) -> Vec<u8> {
    let mut said = Vec::new();
    if let Some(pipe) = pipe {
        // What cannot be read was not said.
        let _ = pipe.take(MOST_ANSWER_BYTES).read_to_end(&mut said);
    }
    said
}
