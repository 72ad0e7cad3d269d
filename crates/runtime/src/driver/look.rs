//! What phases want looked up in the world: done outside the driver, and then on the log.

//!
//! A file that is on the log already is read again only if it was changed. When a phase begins, all of them
//! are looked at in this way, so that no phase works with what was there before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_engine::Input;
use candor_model::{CheckResult, Phase, ReadFile, WantedCheck};
use candor_ports::Inspector;
use tokio::task::JoinSet;

use super::actor::{Actor, Message};
use super::batch::Batch;

/// What is to be looked up.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wanted {
    /// Files.
    Files(Vec<String>),
    /// Files that are known, for this try of a phase that is about to begin.
    Again(Phase, u32, Vec<String>),
    /// Checks, for this try of the validation.
    Checks(u32, Vec<WantedCheck>),
    /// An agent's answer to a question of a phase.
    Answer(String),
}

/// What is being looked up.
#[derive(Debug, Default)]
pub(super) struct Looking {
    wanted: Option<Wanted>,
    under_way: BTreeSet<Wanted>,
    /// The tries of phases for which the files that are known were looked at.
    looked: BTreeSet<(Phase, u32)>,
    tasks: JoinSet<()>,
}

impl Looking {
    pub(super) fn want(&mut self, wanted: Wanted) {
        self.wanted = Some(wanted);
    }

    /// Has something looked up, unless that is under way.
    pub(super) fn begin(&mut self, wanted: Wanted, work: impl Future<Output = ()> + Send + 'static) {
        if self.under_way.insert(wanted) {
            self.tasks.spawn(work);
        }
    }

    pub(super) fn is_under_way(&self) -> bool {
        !self.under_way.is_empty()
    }

    pub(super) fn done(&mut self, wanted: &Wanted) {
        self.under_way.remove(wanted);
        if let Wanted::Again(phase, attempt, _) = wanted {
            self.looked.insert((*phase, *attempt));
        }
        while self.tasks.try_join_next().is_some() {}
    }

    /// Ends everything that is under way, and returns when it is gone.
    pub(super) async fn stop(&mut self) {
        self.tasks.shutdown().await;
        self.under_way.clear();
    }
}

impl Actor {
    /// Begins to look up what is wanted and not under way.
    pub(super) fn look(&mut self) {
        let Some(wanted) = self.looking.wanted.take() else { return };
        if !self.looking.under_way.insert(wanted.clone()) {
            return;
        }
        let inspector = self.shared.inspector.clone();
        let within = self.book.state.settings().agent_timeout;
        let known = self.known(&wanted);
        let mail = self.mail.clone();
        self.looking.tasks.spawn(async move {
            let input = match &wanted {
                Wanted::Files(paths) | Wanted::Again(_, _, paths) => {
                    Input::FilesRead { files: read(inspector, paths, known).await }
                }
                Wanted::Checks(attempt, checks) => {
                    let results = check(inspector, checks, within).await;
                    Input::ResultsChecked { attempt: *attempt, results }
                }
                // Those are put in another way.
                Wanted::Answer(_) => return,
            };
            // A driver that is gone has nobody left to tell.
            let _ = mail.send(Message::Looked { wanted, input: Box::new(input) }).await;
        });
    }

    /// Whether a phase has to wait because the files that are known have not been looked at for it.
    pub(super) fn looks_again(&mut self, phase: Phase, attempt: u32) -> bool {
        let files = self.book.state.files();
        let nothing = files.is_empty() || self.shared.inspector.is_none();
        if nothing || self.looking.looked.contains(&(phase, attempt)) {
            return false;
        }
        let paths = files.keys().cloned().collect();
        self.looking.want(Wanted::Again(phase, attempt, paths));
        true
    }

    /// Before the run goes back: the files that are known are looked at once more, so that it is known which of
    /// them were changed.
    pub(super) async fn look_before(&mut self, input: &Input, batch: &mut Batch) {
        if !matches!(input, Input::RollBack { .. } | Input::Restart { .. }) {
            return;
        }
        let known = self.book.state.files().clone();
        let inspector = self.shared.inspector.clone();
        let paths: Vec<String> = known.keys().cloned().collect();
        if inspector.is_some() && !paths.is_empty() {
            let files = read(inspector, &paths, known).await;
            self.take(Input::FilesRead { files }, None, batch);
        }
    }

    /// Whether all of these are on the log: a phase that asks for them would ask for ever.
    pub(super) fn knows(&self, paths: &[String]) -> bool {
        paths.iter().all(|path| self.book.state.files().contains_key(path))
    }

    /// What the log has of what is wanted.
    fn known(&self, wanted: &Wanted) -> BTreeMap<String, ReadFile> {
        let paths = match wanted {
            Wanted::Files(paths) | Wanted::Again(_, _, paths) => paths.as_slice(),
            Wanted::Checks(..) | Wanted::Answer(_) => &[],
        };
        let files = self.book.state.files();
        paths.iter().filter_map(|path| Some((path.clone(), files.get(path)?.clone()))).collect()
    }
}

async fn read(
    inspector: Option<Arc<dyn Inspector>>,
    paths: &[String],
    mut known: BTreeMap<String, ReadFile>,
) -> Vec<ReadFile> {
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        files.push(match (&inspector, known.remove(path)) {
            (Some(inspector), Some(known)) if inspector.unchanged(&known) => known,
            (Some(inspector), _) => inspector.read(path).await,
            (None, _) => unread(path),
        });
    }
    files
}

fn unread(path: &str) -> ReadFile {
    let text = Err("nobody here can read files".to_owned());
    ReadFile { path: path.to_owned(), bytes: 0, modified: None, hash: String::new(), text }
}

async fn check(
    inspector: Option<Arc<dyn Inspector>>,
    checks: &[WantedCheck],
    within: candor_model::Seconds,
) -> Vec<CheckResult> {
    let mut results = Vec::with_capacity(checks.len());
    for check in checks {
        let (passed, detail) = match &inspector {
            Some(inspector) => inspector.check(&check.kind, within).await,
            None => (false, "nobody here can check results".to_owned()),
        };
        results.push(CheckResult { check: check.clone(), passed, detail });
    }
    results
}
