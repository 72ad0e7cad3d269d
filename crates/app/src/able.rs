//! Whether anybody could carry a goal out, found before a run begins.

use candor_model::Phase;
use candor_model::handoff::DecompositionOutput;
use candor_planning::phase::PhaseResult;
use candor_ports::Experience;
use candor_text::{Sentence, both};

use crate::{App, AppError, DryRuns, ModelUse};

/// How many tasks are named.
const MOST_TASKS: usize = 8;

impl App {
    /// What to tell whoever asks for a goal that nobody here can carry out; nothing if somebody may. Where agents or models
    /// are configured, planning itself finds out who fits.
    pub async fn nobody_for(&self, request: &str, models: impl Into<ModelUse>) -> Option<AppError> {
        let has_models = !self.config.models.is_empty() && !models.into().no_models;
        if !self.config.agents.is_empty() || has_models {
            return None;
        }
        let rules = ModelUse { no_models: true, ..ModelUse::default() };
        // Where a run would stop before that, it tells so itself.
        let runs = DryRuns::new(self, rules).ok()?;
        let mut done = runs.run(Experience::default(), request, Phase::Decomposition).await.ok()?;
        let read = done.report.phases.remove(&Phase::Evaluation)?;
        let PhaseResult::Goal { goal, .. } = read.result else { return None };
        // A pack may be meant: the run asks.
        if read.handoff.flags.needs_user_input {
            return None;
        }
        if done.phases.has_agents_for(&goal.goal_type, &done.agents) {
            return None;
        }
        let left = done.report.phases.remove(&Phase::Decomposition)?.handoff;
        let tasks = left.output::<DecompositionOutput>().ok()?.subtasks.unwrap_or_default();
        let named: Vec<String> = (1..)
            .zip(&tasks)
            .take(MOST_TASKS)
            .map(|(n, task)| format!("  {n}. {}", task.description))
            .collect();
        let more = tasks.len().saturating_sub(MOST_TASKS);
        let named = named.join("\n");
        let rest = match more {
            0 => Sentence::from(""),
            _ => both!("\n  and {more} more", "\n  y {more} más"),
        };
        let plan = both!(
            "no agent can do this yet. The plan would be:\n{named}",
            "ningún agente puede hacer esto todavía. El plan sería:\n{named}"
        );
        Some(AppError::failed(plan.then(rest).then(both!(
            "\nMissing: an agent or a model; no pack is about this either.\nThree ways:
  1. a model: set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or start Ollama; then `candor init`
  2. an agent of yours: `candor init` writes one that runs; [[agents]] in candor.toml says what it can do
  3. a pack: `candor packs` lists the goals that need neither",
            "\nFalta un agente o un modelo; tampoco hay un paquete que trate de esto.\nTres caminos:
  1. un modelo: definir ANTHROPIC_API_KEY, OPENAI_API_KEY o GEMINI_API_KEY, o iniciar Ollama; después `candor init`
  2. un agente propio: `candor init` escribe uno que funciona; [[agents]] en candor.toml dice qué sabe hacer
  3. un paquete: `candor packs` muestra los objetivos que no necesitan ninguno de los dos"
        ))))
    }
}
