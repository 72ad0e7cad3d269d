//! What the tests need beside the toolchain, and which of them did not run without it.
//!
//! Two scripts fetch real parts that tests talk to: a small language model, and MCP servers with Python packages.
//! They run beside the checks that come before the tests. What cannot be fetched fails nothing: the tests that
//! need it report that they did not run (`candor_testkit::skips`), and [`report`] shows them.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// The variable that names the file of tests that did not run; see `candor_testkit::skips`.
const SKIPS_VARIABLE: &str = "CANDOR_TEST_SKIPS";

/// Something that a script fetches into a folder.
struct Need {
    what: &'static str,
    /// Names the folder, for the tests and for whoever keeps it elsewhere.
    variable: &'static str,
    script: &'static str,
    /// The folder below cargo's target folder, where the variable names none.
    folder: &'static str,
}

/// Names the folder with the programs that tests talk to, mdbook and maturin among them.
pub(crate) const PEERS_VARIABLE: &str = "CANDOR_TEST_PEERS";

const NEEDS: [Need; 2] = [
    Need {
        what: "small model",
        variable: "CANDOR_TEST_MODELS",
        script: "crates/testkit/smol/fetch.sh",
        folder: "test-models",
    },
    Need {
        what: "peers",
        variable: PEERS_VARIABLE,
        script: "crates/testkit/peers/fetch.sh",
        folder: "test-peers",
    },
];

/// Scripts at work. Dropped before they have ended, they are stopped.
pub(crate) struct Fetching(Vec<Fetch>);

struct Fetch {
    need: &'static Need,
    folder: PathBuf,
    log: PathBuf,
    script: Result<Child>,
}

impl Fetching {
    /// Starts all scripts.
    pub(crate) fn start(root: &Path) -> Self {
        Self(NEEDS.iter().map(|need| Fetch::start(need, root)).collect())
    }

    /// Waits for the scripts and returns the variables that tests find the folders by.
    pub(crate) fn finish(mut self) -> Vec<(&'static str, OsString)> {
        self.0.iter_mut().filter_map(Fetch::finish).collect()
    }
}

impl Fetch {
    fn start(need: &'static Need, root: &Path) -> Self {
        let target = target_folder(root);
        let folder = env::var_os(need.variable).map_or_else(|| target.join(need.folder), PathBuf::from);
        let log = target.join(format!("{}.log", need.folder));
        let script = spawn(&root.join(need.script), &folder, &log);
        Self { need, folder, log, script }
    }

    fn finish(&mut self) -> Option<(&'static str, OsString)> {
        let Need { what, variable, .. } = self.need;
        let ended = self.script.as_mut().map(Child::wait);
        let why = match ended {
            Ok(Ok(status)) if status.success() => {
                eprintln!("verify: {what}: {}", self.folder.display());
                return Some((variable, self.folder.clone().into_os_string()));
            }
            // The script's last line says what is missing.
            Ok(Ok(_)) => last_line(&fs::read_to_string(&self.log).unwrap_or_default()),
            Ok(Err(error)) => error.to_string(),
            Err(error) => format!("{error:#}"),
        };
        eprintln!("verify: {what} could not be fetched: {why} (all of it: {})", self.log.display());
        None
    }
}

impl Drop for Fetch {
    fn drop(&mut self) {
        if let Ok(script) = &mut self.script
            && matches!(script.try_wait(), Ok(None))
        {
            // An interrupted script starts again where it was; nothing half-done counts as complete.
            let _ = script.kill();
            let _ = script.wait();
        }
    }
}

fn spawn(script: &Path, folder: &Path, log: &Path) -> Result<Child> {
    if let Some(above) = log.parent() {
        fs::create_dir_all(above).with_context(|| format!("{} cannot be made", above.display()))?;
    }
    let file = File::create(log).with_context(|| format!("{} cannot be written", log.display()))?;
    let again = file.try_clone().with_context(|| format!("{} cannot be written", log.display()))?;
    Command::new("sh")
        .arg(script)
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(again)
        .spawn()
        .context("sh could not be started")
}

/// Where cargo builds, unless its configuration files say otherwise.
pub(crate) fn target_folder(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

fn last_line(text: &str) -> String {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing").trim().to_owned()
}

/// The file of tests that did not run, empty at first.
pub(crate) struct Skips {
    file: PathBuf,
}

impl Skips {
    /// Begins an empty list.
    pub(crate) fn new(root: &Path) -> Result<Self> {
        let folder = target_folder(root);
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        let file = folder.join("skipped-tests.txt");
        fs::write(&file, "").with_context(|| format!("{} cannot be written", file.display()))?;
        Ok(Self { file })
    }

    /// The variable that tests find the list by.
    pub(crate) fn variable(&self) -> (&'static str, OsString) {
        (SKIPS_VARIABLE, self.file.clone().into_os_string())
    }

    /// Adds a step of `verify` that does not run.
    pub(crate) fn add(&self, step: &str, why: &str) -> Result<()> {
        let mut file = File::options().append(true).open(&self.file)?;
        writeln!(file, "verify\t{step}\t{why}")
            .with_context(|| format!("{} cannot be written", self.file.display()))
    }

    /// Says which tests did not run and why.
    pub(crate) fn report(&self) -> String {
        report(&fs::read_to_string(&self.file).unwrap_or_default())
    }
}

/// Which tests did not run, by reason; `list` has a line for each: package, test and reason, parted by tabs.
fn report(list: &str) -> String {
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for line in list.lines() {
        let mut parts = line.splitn(3, '\t');
        let (package, test) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let tests = by_reason.entry(parts.next().unwrap_or("no reason given")).or_default();
        let name = format!("{package} {test}");
        if !tests.contains(&name) {
            tests.push(name);
        }
    }
    if by_reason.is_empty() {
        return "every test ran".to_owned();
    }
    let count: usize = by_reason.values().map(Vec::len).sum();
    let mut text = format!("{count} tests did not run, or not wholly, and do not count as passed:");
    for (reason, tests) in &mut by_reason {
        tests.sort();
        text.push_str(&format!("\n  {reason}"));
        tests.iter().for_each(|test| text.push_str(&format!("\n    {test}")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_folder(name: &str, script: &str) -> (PathBuf, PathBuf) {
        let folder = env::temp_dir().join(format!("candor-xtask-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("fetch.sh");
        fs::write(&file, script).unwrap();
        (folder, file)
    }

    static NEED: Need = Need { what: "thing", variable: "CANDOR_TEST_THING", script: "", folder: "thing" };

    fn fetched(name: &str, script: &str) -> Option<(&'static str, OsString)> {
        let (folder, file) = in_folder(name, script);
        let log = folder.join("log");
        let script = spawn(&file, &folder.join("thing"), &log);
        let fetching = Fetching(vec![Fetch { need: &NEED, folder: folder.join("thing"), log, script }]);
        let found = fetching.finish().pop();
        fs::remove_dir_all(folder).unwrap();
        found
    }

    #[test]
    fn what_was_fetched_is_handed_to_the_tests_and_what_was_not_is_left_out() {
        let (variable, folder) = fetched("good", "mkdir \"$1\"").unwrap();
        assert_eq!(variable, "CANDOR_TEST_THING");
        assert!(Path::new(&folder).ends_with("thing"));
        assert_eq!(fetched("bad", "echo no thing: npm is not installed >&2; exit 1"), None);
    }

    #[test]
    fn the_last_words_of_a_script_say_why() {
        assert_eq!(last_line("one\nno peers: npm is not installed\n\n"), "no peers: npm is not installed");
        assert_eq!(last_line(""), "it said nothing");
    }

    #[test]
    fn tests_that_did_not_run_are_listed_by_reason_and_once() {
        let list = "candor-tools\tservers::time\tno peers\ncandor-llm\tsmol::says\tno model\n\
                    candor-agents\ta2a::works\tno peers\ncandor-agents\ta2a::works\tno peers\n";
        assert_eq!(
            report(list),
            "3 tests did not run, or not wholly, and do not count as passed:\n  no model\n    candor-llm smol::says\n  \
             no peers\n    candor-agents a2a::works\n    candor-tools servers::time"
        );
        assert_eq!(report(""), "every test ran");
    }

    #[test]
    fn the_scripts_are_where_they_are_looked_for() {
        let root = crate::workspace_root().unwrap();
        for need in &NEEDS {
            assert!(root.join(need.script).is_file(), "{}", need.script);
        }
        let testkit = fs::read_to_string(root.join("crates/testkit/src/skips.rs")).unwrap();
        assert!(testkit.contains(&format!("\"{SKIPS_VARIABLE}\"")), "one name on both sides");
    }
}
