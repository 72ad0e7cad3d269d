//! The sections of `candor.toml` that name files of rules, and the rules that hold with them.

use std::path::{Path, PathBuf};

use candor_model::Enforcement;
use candor_phases::Rulebook;
use candor_planning::quality_gate::QualityGate;
use candor_planning::rules_file::{self, RuleDocument};
use candor_text::both;
use serde::{Deserialize, Serialize};

use super::read_text;
use crate::error::AppError;

/// What may begin at all.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GuardrailsInFile {
    /// A file with guardrails of your own.
    pub rules: Option<PathBuf>,
    /// What is done about words that speak to models instead of to us.
    pub injection: Option<Enforcement>,
    /// What is done about secrets in the words.
    pub secrets: Option<Enforcement>,
}

/// A section that names a file of rules and nothing else.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RulesInFile {
    /// File with the rules, relative to the configuration.
    pub rules: Option<PathBuf>,
}

/// How results are checked.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Validation {
    /// Programs that a criterion may run although the plan is not the person's own.
    pub allowed_commands: Vec<String>,
    /// Whether models judge the work of every phase, where there are any; it takes a call per phase.
    pub critique_by_model: bool,
}

/// All sections that the rules come from.
pub(super) struct Sections<'a> {
    pub(super) guardrails: &'a GuardrailsInFile,
    pub(super) scaling: &'a RulesInFile,
    pub(super) conflicts: &'a RulesInFile,
    pub(super) roster: &'a RulesInFile,
    pub(super) validation: &'a Validation,
    pub(super) gates: &'a [QualityGate],
}

impl Sections<'_> {
    /// The gates; one that could never be checked is an error now, and not after the work.
    fn gates(&self, path: &Path) -> Result<Vec<QualityGate>, AppError> {
        for (index, gate) in self.gates.iter().enumerate() {
            if let Some((field, problem)) = gate.problem() {
                let at = path.display();
                return Err(AppError::usage(format!("{at}: gates[{index}].{field}: {problem}")));
            }
        }
        Ok(self.gates.to_vec())
    }

    /// The rules that hold; paths start at the folder of the configuration, which is the file at `path`.
    pub(super) fn rulebook(&self, path: &Path, folder: &Path) -> Result<Rulebook, AppError> {
        let allowed_commands = self.validation.allowed_commands.clone();
        if let Some(index) = allowed_commands.iter().position(|command| command.trim().is_empty()) {
            return Err(AppError::usage(both!(
                "{}: validation.allowed_commands[{index}]: is empty; name a program, for instance \"cargo\"",
                "{}: validation.allowed_commands[{index}]: está vacío; nombrar un programa, por ejemplo \"cargo\"",
                path.display()
            )));
        }
        let usual = Rulebook::default();
        Ok(Rulebook {
            // Which of them are there is seen when the phases are made.
            instructions: Vec::new(),
            guardrails: file(path, folder, "guardrails", self.guardrails.rules.as_deref())?
                .unwrap_or(usual.guardrails),
            scaling: file(path, folder, "scaling", self.scaling.rules.as_deref())?.unwrap_or(usual.scaling),
            conflicts: file(path, folder, "conflicts", self.conflicts.rules.as_deref())?
                .unwrap_or(usual.conflicts),
            roster: file(path, folder, "roster", self.roster.rules.as_deref())?.unwrap_or(usual.roster),
            injection: self.guardrails.injection.unwrap_or(usual.injection),
            secrets: self.guardrails.secrets.unwrap_or(usual.secrets),
            critique_by_model: self.validation.critique_by_model,
            // They name agents, which are known once the whole file is read.
            questions: Vec::new(),
            gates: self.gates(path)?,
            allowed_commands,
        })
    }
}

/// The rules in the file that a section names, if it names one.
fn file<T: RuleDocument>(
    path: &Path,
    folder: &Path,
    section: &str,
    named: Option<&Path>,
) -> Result<Option<T>, AppError> {
    let Some(named) = named else { return Ok(None) };
    let at = |failure: AppError| failure.usage_at(format_args!("{}: {section}.rules: ", path.display()));
    read(&folder.join(named)).map(Some).map_err(at)
}

/// Reads a file of rules.
pub fn read<T: RuleDocument>(path: &Path) -> Result<T, AppError> {
    let text = read_text(path)?;
    rules_file::read(&path.to_string_lossy(), &text).map_err(AppError::usage)
}
