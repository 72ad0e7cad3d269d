//! What the sandbox's Python has: asked once of Python itself, and kept.
//!
//! Nothing is ever refused because it could not be found out: then nobody knows, and the run will tell.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use candor_model::JsonMap;
use candor_ports::{CodeJob, CodeOutcome, CodeResult, CodeRunner};
use candor_pycheck::{Library, Presence};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::files::write_whole;

const SCRIPT: &str = include_str!("library.py");
/// How long Python may take to look around in itself.
const TIME: Duration = Duration::from_secs(30);
/// How many modules, and how many names of one, are remembered.
const MOST_KNOWN: usize = 5_000;
/// How many libraries models are told of.
const MOST_TOLD: usize = 120;
/// How often a Python that does not say which one it is is asked.
const MOST_TRIES: u32 = 3;

/// What is known of one Python.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    /// Its version and those of its libraries: when one changes, nothing else here holds any more.
    edition: Edition,
    /// Modules that were asked for.
    modules: BTreeMap<String, KnownModule>,
}

/// Which Python it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edition {
    /// Its version, such as 3.11.7; empty if nobody knows.
    #[serde(default)]
    pub python: Vec<u8>,
    /// The versions of what is installed in it, by name.
    #[serde(default)]
    pub distributions: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct KnownModule {
    present: Option<bool>,
    #[serde(default)]
    members: BTreeMap<String, Option<bool>>,
}

/// What the Python of a runner has.
pub struct InstalledLibrary {
    runner: Arc<dyn CodeRunner>,
    file: Option<PathBuf>,
    known: Mutex<Known>,
    /// How often Python may still be asked in this process which one it is.
    tries: tokio::sync::Mutex<u32>,
}

impl InstalledLibrary {
    /// What this runner's Python has. What is found out is kept in the file, if one is given.
    #[must_use]
    pub fn new(runner: Arc<dyn CodeRunner>, file: Option<PathBuf>) -> Self {
        Self { runner, file, known: Mutex::default(), tries: tokio::sync::Mutex::new(MOST_TRIES) }
    }

    /// Which Python it is, as far as that is known.
    #[must_use]
    pub fn edition(&self) -> Edition {
        self.known().edition.clone()
    }

    /// The first two numbers of its version.
    #[must_use]
    pub fn version(&self) -> Option<(u8, u8)> {
        match self.known().edition.python.as_slice() {
            [major, minor, ..] => Some((*major, *minor)),
            _ => None,
        }
    }

    /// What it can import, for a model to read.
    #[must_use]
    pub fn in_words(&self) -> String {
        let edition = self.edition();
        let version: Vec<String> = edition.python.iter().map(ToString::to_string).collect();
        if version.is_empty() {
            return "the standard library of Python; nothing is known of others".to_owned();
        }
        let list = |(name, version): (&String, &String)| format!("{name} {version}");
        let mut installed: Vec<String> = edition.distributions.iter().take(MOST_TOLD).map(list).collect();
        if edition.distributions.len() > MOST_TOLD {
            installed.push("and more".to_owned());
        }
        let others = if installed.is_empty() { "nothing else".to_owned() } else { installed.join(", ") };
        format!("Python {}, its standard library, and: {others}", version.join("."))
    }

    /// Finds out which Python it is, once.
    pub async fn look_around(&self, stop: &CancellationToken) {
        let mut tries = self.tries.lock().await;
        if *tries == 0 {
            return;
        }
        *tries -= 1;
        let Some(facts) = self.ask(json!({ "facts": true }), stop).await else { return };
        *tries = 0;
        let edition = Edition {
            python: candor_model::from_value(facts.get("python").cloned().unwrap_or_default())
                .unwrap_or_default(),
            distributions: candor_model::from_value(facts.get("distributions").cloned().unwrap_or_default())
                .unwrap_or_default(),
        };
        let kept = self.kept().filter(|kept| kept.edition == edition);
        *self.known() = kept.unwrap_or(Known { edition, modules: BTreeMap::new() });
    }

    /// Finds out about these modules and their members what is not known yet.
    pub async fn learn(&self, imports: &[(String, Vec<String>)], stop: &CancellationToken) {
        self.look_around(stop).await;
        let wanted = self.unknown(imports);
        if wanted.is_empty() {
            return;
        }
        let Some(facts) = self.ask(json!({ "modules": wanted }), stop).await else { return };
        let found: BTreeMap<String, KnownModule> =
            candor_model::from_value(facts.get("modules").cloned().unwrap_or_default()).unwrap_or_default();
        self.take(found);
        self.keep();
    }

    fn unknown(&self, imports: &[(String, Vec<String>)]) -> BTreeMap<String, BTreeSet<String>> {
        let known = self.known();
        let mut wanted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (module, names) in imports {
            let there = known.modules.get(module);
            let is_new = |name: &&String| there.is_none_or(|there| !there.members.contains_key(*name));
            let new: BTreeSet<String> = names.iter().filter(is_new).cloned().collect();
            // Of a module that is not there nothing more can be learnt.
            let absent = there.is_some_and(|there| there.present == Some(false));
            if there.is_none() || (!new.is_empty() && !absent) {
                wanted.entry(module.clone()).or_default().extend(new);
            }
        }
        wanted
    }

    fn take(&self, found: BTreeMap<String, KnownModule>) {
        let mut known = self.known();
        if known.modules.len() > MOST_KNOWN {
            known.modules.clear();
        }
        for (module, new) in found {
            let old = known.modules.entry(module).or_default();
            old.present = new.present;
            if old.members.len() > MOST_KNOWN {
                old.members.clear();
            }
            old.members.extend(new.members);
        }
    }

    /// Has Python look into itself; nothing if that did not work.
    async fn ask(&self, context: Value, stop: &CancellationToken) -> Option<JsonMap> {
        let context = context.as_object().cloned().unwrap_or_default();
        let job = CodeJob { code: SCRIPT.to_owned(), context, result: CodeResult::Context, timeout: TIME };
        match self.runner.run(&job, stop.clone()).await.ok()?.outcome {
            CodeOutcome::Finished { result } => Some(result),
            _ => None,
        }
    }

    fn kept(&self) -> Option<Known> {
        let text = std::fs::read_to_string(self.file.as_ref()?).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Keeping is a convenience: what cannot be written is asked again next time.
    fn keep(&self) {
        let Some(file) = &self.file else { return };
        if let Ok(text) = serde_json::to_string_pretty(&*self.known()) {
            let _ = write_whole(file, &text);
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Library for InstalledLibrary {
    fn module(&self, dotted: &str) -> Presence {
        presence(self.known().modules.get(dotted).and_then(|module| module.present))
    }

    fn member(&self, module: &str, name: &str) -> Presence {
        let known = self.known();
        presence(known.modules.get(module).and_then(|module| module.members.get(name).copied().flatten()))
    }
}

fn presence(there: Option<bool>) -> Presence {
    match there {
        Some(true) => Presence::Yes,
        Some(false) => Presence::No,
        None => Presence::Unknown,
    }
}
