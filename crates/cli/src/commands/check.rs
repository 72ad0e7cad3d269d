//! `candor plan check`: everything that is wrong with a plan, at once.

use std::path::Path;

use candor_app::App;
use candor_model::{AgentCapability, AssignmentResult, CompletenessResult, DependencyResult, Plan};
use candor_phases::Pack;
use candor_phases::plan_file::{self, PlanFile};
use candor_planning::{assignment, completeness, dependencies, routing};
use serde_json::json;

use super::run::read;
use crate::args::GlobalOptions;
use crate::failure::{Failure, code};
use crate::output;

/// Findings about a plan.
struct Verdict {
    errors: Vec<String>,
    notes: Vec<String>,
    dependencies: DependencyResult,
    completeness: CompletenessResult,
    assignments: AssignmentResult,
}

pub(crate) fn check(global: &GlobalOptions, file: &Path, as_json: bool) -> Result<u8, Failure> {
    let app = App::build(global)?;
    let text = read(file)?;
    let at = |error| Failure::usage(format!("{}: {error}", file.display()));
    let written = PlanFile::from_json(&text).map_err(at)?;
    let goal_type = written.goal_type.clone();
    let mut plan = written.into_plan("checked").map_err(at)?;
    let phases = app.phases();
    let agents = app.registry(&[])?.declared().to_vec();
    let pack = goal_type.as_ref().and_then(|goal_type| phases.pack(goal_type));
    let categories = pack.map(|pack| pack.categories.clone()).unwrap_or_default();
    let mut notes = route(&phases, &mut plan, &agents);
    notes.extend(dependencies::unnecessary(&plan.subtasks).into_iter().map(|(task, dependency)| {
        say!(
            "task {task}: its dependency on {dependency} is implied by others and can be removed",
            "tarea {task}: su dependencia de {dependency} ya se deduce de otras y se puede quitar"
        )
    }));
    let mut verdict = Verdict {
        errors: size_error(&text, app.config.limits.max_plan_bytes),
        notes,
        dependencies: dependencies::check(&plan.subtasks),
        completeness: completeness::check(&plan.subtasks, &categories),
        assignments: assignment::check(&plan.subtasks, &agents),
    };
    verdict.gather(&plan, pack);
    show(&verdict, as_json)?;
    Ok(if verdict.errors.is_empty() { code::DONE } else { code::FAILED })
}

/// Gives every task an agent that has none here, as a run would.
fn route(phases: &candor_phases::Phases, plan: &mut Plan, agents: &[AgentCapability]) -> Vec<String> {
    let mut notes = Vec::new();
    for task in &mut plan.subtasks {
        let named = task.agent_type.clone();
        if agents.iter().any(|agent| agent.agent_type == named) {
            continue;
        }
        let routed = phases.route_by_words(task, agents);
        let assigned =
            routed.and_then(|ranking| routing::assign(task, ranking).map_err(|error| error.to_string()));
        match assigned {
            Ok(()) if named.is_tbd() => {}
            Ok(()) => notes.push(say!(
                "task {}: agent {named} is not known here; it would go to {}",
                "tarea {}: el agente {named} no se conoce aquí; iría a {}",
                task.task_id,
                task.agent_type
            )),
            Err(reason) => notes.push(say!(
                "task {}: nobody can do it: {reason}",
                "tarea {}: nadie puede hacerla: {reason}",
                task.task_id
            )),
        }
    }
    notes
}

fn size_error(text: &str, max_bytes: u64) -> Vec<String> {
    let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
    if bytes < max_bytes {
        return Vec::new();
    }
    vec![say!(
        "Plan too large: {bytes} bytes, and it must be smaller than {max_bytes} (max_plan_bytes under [limits])",
        "Plan demasiado grande: {bytes} bytes, y debe ser menor que {max_bytes} (max_plan_bytes en [limits])"
    )]
}

impl Verdict {
    /// Puts everything that is wrong into one list.
    fn gather(&mut self, plan: &Plan, pack: Option<&Pack>) {
        if plan.subtasks.is_empty() {
            self.errors.push(
                word!(
                    "Plan has no tasks: `subtasks` is empty",
                    "El plan no tiene tareas: `subtasks` está vacío"
                )
                .to_owned(),
            );
        }
        self.errors.extend(self.dependencies.errors.iter().cloned());
        // What the pack has a task for is added when the plan runs.
        let known = |category: &&String| {
            pack.is_some_and(|pack| pack.tasks.iter().any(|task| task.category == **category))
        };
        let missing = self.completeness.missing_categories.iter();
        let (added, lost): (Vec<&String>, Vec<&String>) = missing.partition(known);
        let lost: Vec<&str> = lost.into_iter().map(String::as_str).collect();
        self.notes.extend(added.into_iter().map(|category| {
            say!(
                "no task covers {category}: a run adds one",
                "ninguna tarea cubre {category}: una ejecución añade una"
            )
        }));
        if !self.completeness.is_complete && !lost.is_empty() {
            self.errors.push(say!("Plan incomplete: {}", "Plan incompleto: {}", lost.join(", ")));
        }
        self.errors.extend(self.assignments.errors.iter().cloned());
        let criteria = plan_file::criteria_problems(plan).into_iter();
        self.errors.extend(
            criteria.map(|(task, problem)| say!("task {task}: {problem}", "tarea {task}: {problem}")),
        );
    }
}

fn show(verdict: &Verdict, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return output::print_json(&json!({
            "is_valid": verdict.errors.is_empty(),
            "errors": verdict.errors,
            "notes": verdict.notes,
            "dependencies": verdict.dependencies,
            "completeness": verdict.completeness,
            "assignments": verdict.assignments,
        }));
    }
    let mut text = String::new();
    verdict.errors.iter().for_each(|error| text.push_str(&say!("error: {error}\n", "error: {error}\n")));
    verdict.notes.iter().for_each(|note| text.push_str(&say!("note: {note}\n", "nota: {note}\n")));
    text.push_str(if verdict.errors.is_empty() {
        word!("the plan is valid\n", "el plan es válido\n")
    } else {
        word!("the plan is not valid\n", "el plan no es válido\n")
    });
    output::print(&text)
}
