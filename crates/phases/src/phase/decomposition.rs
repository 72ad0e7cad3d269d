//! Room 3: the tasks. From the plan that was brought, from the pack's template, or from the sentences.
//!
//! Two agents in a row: the lister says what there is to do, the decomposer breaks it into steps for one agent
//! each. A model lists only where there is much to do; otherwise the rules list and a model decomposes.

mod coverage;

use candor_language::evaluate;
use candor_language::goal::{Extracted, Reading};
use candor_language::split::{self, Place, Split, Step};
use candor_model::handoff::{DecompositionOutput, EvaluationOutput};
use candor_model::{
    AgentCapability, Broadcast, DurationBasis, Goal, GoalType, JsonMap, MessagePriority, Phase, SubTask,
    TaskId, Text,
};
use candor_planning::completeness::{self, CATEGORY_KEY};
use candor_planning::phase::{DecisionNote, PhaseReport, PhaseResult};
use candor_planning::slots::Slots;
use serde_json::json;

use super::evaluation::{files_there, slots_for, without_file};
use super::{Phases, counted, report};
use crate::brief::scale;
use crate::consult::{Briefing, ListAnswer, Said, TasksAnswer, decompose_task, list_tasks};
use crate::decompose::{self, Breakdown, Listing};
use crate::pack::{TaskTemplate, words_in};
use crate::plan_cache::{BrokenDown, normalised};
use crate::{Incomplete, Pack, PhaseContext};

/// From this complexity on a model is asked to list the tasks before they are broken down.
const LISTED_FROM: u8 = 61;

/// Where tasks come from that no pack and no model gave.
const FROM_WORDS: &str = "the sentences of the request";

/// The most characters of background that go with each task.
const LONGEST_BACKGROUND: usize = 1_000;

/// The key under which a task says which agent of its pack does it, and nobody else can.
pub(super) const OWN_AGENT_KEY: &str = "own_agent";

/// The phase's two agents.
const LISTER: &str = "task-lister-agent";
const DECOMPOSER: &str = "task-decomposer-agent";

pub(super) fn work(phases: &Phases, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete> {
    if let Some(plan) = cx.material.and_then(|material| material.plan.as_deref()) {
        return Ok(brought(&plan.subtasks));
    }
    let goal = cx.goal.ok_or("there is no goal to break down")?;
    let agents = phases.agents_for(&goal.goal_type, cx.agents);
    // Where nobody could do the work, a file that is missing is the reason, and not who is missing.
    if goal.goal_type == GoalType::GENERIC
        && agents.is_empty()
        && let Some(missing) = without_file(phases, cx.request, &extracted(cx))
    {
        return Err(format!("{missing}, and there are no other agents").into());
    }
    let mut mended = Vec::new();
    let fixed = phases.pack(&goal.goal_type).is_some_and(|pack| pack.fixed_plan);
    let listed = if fixed { None } else { listed(cx, goal, &mut mended)? };
    let open = listed.as_ref().and_then(|said| said.answer.open_question()).map(str::to_owned);
    // As long as a person must say what is meant, the rules' steps stand in; no model works on a guess.
    let said = match open {
        Some(_) => None,
        None if fixed => None,
        None => steps(phases, cx, goal, &agents, listed.as_ref(), &mut mended)?,
    };
    let BrokenDown { source, tasks, guesses } = match &said {
        Some(said) => by_model(phases, cx, goal, said),
        None => broken_down(phases, cx, goal),
    };
    if tasks.is_empty() {
        return Err("no task could be found in the request; say what is to be done, step by step".into());
    }
    let tasks = instructed(tasks, cx.request);
    let mut made = structured(cx, goal, tasks, listed.as_ref(), said.as_ref());
    made.warnings.splice(0..0, mended);
    let summary = format!("{} from {source}", counted(made.tasks.len(), "task"));
    let output = DecompositionOutput {
        source: source.clone(),
        guesses: Some(guesses.clone()),
        coverage: coverage::of(goal.description.as_str(), &made.tasks),
        model: said.map(|said| said.model),
        ..output(&made, &agents)
    };
    let mut report = handed_over(summary, &made, &output);
    if let Some(question) = open {
        report.handoff.flags.needs_user_input = true;
        report.handoff.flags.uncertainty_areas.push(question);
    }
    report.decisions = vec![
        listing_decision(cx, goal, &made, listed.as_ref()),
        decomposing_decision(goal, &made, &source, &guesses),
    ];
    Ok(report)
}

/// Gives every task what the chosen wording of the request tells those who work on it.
fn instructed(mut tasks: Vec<SubTask>, request: &str) -> Vec<SubTask> {
    let instructions = evaluate::instructions(request);
    for task in tasks.iter_mut().filter(|_| !instructions.is_empty()) {
        task.inputs.entry("instructions".to_owned()).or_insert_with(|| json!(instructions));
    }
    tasks
}

/// A plan that was brought has its tasks already; its author was both agents.
fn brought(tasks: &[SubTask]) -> PhaseReport {
    let summary = format!("the plan that was brought has {}", counted(tasks.len(), "task"));
    let output = Output {
        source: "brought".to_owned(),
        total_subtasks: Some(tasks.len()),
        ..DecompositionOutput::default()
    };
    let mut report = report(summary.clone(), &output, None, PhaseResult::Plain);
    report.messages = vec![done(LISTER, summary.clone()), done(DECOMPOSER, summary)];
    report
}

/// What there is to do, as a model lists it; nobody is asked where there is little to do.
fn listed(
    cx: &PhaseContext<'_>,
    goal: &Goal,
    mended: &mut Vec<String>,
) -> Result<Option<Said<ListAnswer>>, Incomplete> {
    let Some(complexity) = cx.evaluation.map(|evaluation| evaluation.complexity.total) else {
        return Ok(None);
    };
    if complexity < LISTED_FROM {
        return Ok(None);
    }
    let ask = || list_tasks(goal, context(cx), complexity);
    let said = cx.consult("list_tasks", ask)?;
    Ok(said.or_else(|| kept(cx.mended("list_tasks", ask), mended)))
}

/// The steps, as a model gives them.
fn steps(
    phases: &Phases,
    cx: &PhaseContext<'_>,
    goal: &Goal,
    agents: &[AgentCapability],
    listed: Option<&Said<ListAnswer>>,
    mended: &mut Vec<String>,
) -> Result<Option<Said<TasksAnswer>>, Incomplete> {
    let ask = || decompose_task(goal, agents, briefing(phases, cx, goal, listed, String::new()));
    let said = cx.consult("decompose_task", ask)?;
    Ok(said.or_else(|| kept(cx.mended("decompose_task", ask), mended)))
}

/// An answer that was mended, with what was done to it put on record.
fn kept<T>(answer: Option<(Said<T>, Vec<String>)>, mended: &mut Vec<String>) -> Option<Said<T>> {
    let (said, warnings) = answer?;
    mended.extend(warnings);
    Some(said)
}

/// What the phase before loaded, in lines.
fn context(cx: &PhaseContext<'_>) -> String {
    let Some(handoff) = cx.handoffs.get(&Phase::Context) else { return String::new() };
    let data = handoff.data.text();
    format!("{}\n{data}", handoff.summary)
}

/// What the decomposer is told: the list, and how many agents are proposed.
pub(super) fn briefing(
    phases: &Phases,
    cx: &PhaseContext<'_>,
    goal: &Goal,
    listed: Option<&Said<ListAnswer>>,
    wishes: String,
) -> Briefing {
    let agent_count = scale::proposed(&phases.rules.scaling, cx, 0).count;
    if let Some(said) = listed {
        let listing = said.answer.listing();
        let parents = listing.high_level_tasks.iter().map(|task| task.id.clone()).collect();
        return Briefing { listed: listing.lines(), parents, agent_count, wishes };
    }
    let made = made_by_rules(phases, cx, goal);
    let listing = decompose::by_rules(goal.description.as_str(), made.tasks, 0).listing;
    Briefing { listed: listing.lines(), parents: Vec::new(), agent_count, wishes }
}

/// The tasks in their places.
fn structured(
    cx: &PhaseContext<'_>,
    goal: &Goal,
    tasks: Vec<SubTask>,
    listed: Option<&Said<ListAnswer>>,
    said: Option<&Said<TasksAnswer>>,
) -> Breakdown {
    match (listed, said) {
        (Some(listed), Some(said)) => {
            decompose::under(listed.answer.listing(), tasks, &said.answer.parents())
        }
        _ => decompose::by_rules(goal.description.as_str(), tasks, scale::complexity(cx)),
    }
}

/// What this phase hands over; the tasks stay where they are.
type Output<'a> = DecompositionOutput<&'a SubTask, &'a Listing>;

/// The tasks, and the breakdown written out if it is not too long.
fn output<'a>(made: &'a Breakdown, agents: &[AgentCapability]) -> Output<'a> {
    let count = made.tasks.len();
    let is_short = count <= decompose::LONGEST_RECORD;
    DecompositionOutput {
        subtasks: Some(made.tasks.iter().collect()),
        notes: Some(made.notes.clone()),
        warnings: Some(made.warnings.clone()),
        total_subtasks: (!is_short).then_some(count),
        listing: is_short.then_some(&made.listing),
        record: is_short.then(|| decompose::record(made, agents)),
        ..DecompositionOutput::default()
    }
}

fn handed_over(summary: String, made: &Breakdown, output: &Output<'_>) -> PhaseReport {
    let mut report = report(summary, output, output.model.as_deref(), PhaseResult::Plain);
    let names = made.listing.high_level_tasks.iter().map(|task| task.name.clone());
    report.handoff.instructions.must_include = names.collect();
    report.messages = vec![
        done(LISTER, format!("listed {}", counted(made.listing.high_level_tasks.len(), "high-level task"))),
        done(DECOMPOSER, format!("broke them down into {}", counted(made.tasks.len(), "subtask"))),
    ];
    report
}

fn done(agent: &str, content: String) -> Broadcast {
    let done = Broadcast::completion(Phase::Decomposition, agent, content);
    Broadcast { priority: MessagePriority::Low, ..done }
}

fn listing_decision(
    cx: &PhaseContext<'_>,
    goal: &Goal,
    made: &Breakdown,
    listed: Option<&Said<ListAnswer>>,
) -> DecisionNote {
    let tasks = &made.listing.high_level_tasks;
    let reasoning = match (listed, cx.answers, cx.evaluation.map(|evaluation| evaluation.complexity.total)) {
        (Some(said), ..) => match said.answer.open_question() {
            Some(question) => format!("{} asks first: {question}", said.model),
            None => format!("listed by {}", said.model),
        },
        (None, None, _) => "listed by the points of the request: there is no model".to_owned(),
        (None, Some(_), Some(complexity)) if complexity >= LISTED_FROM => {
            "listed by the points of the request: no model could list them".to_owned()
        }
        (None, Some(_), _) => format!(
            "listed by the points of the request: a model is asked only from a complexity of {LISTED_FROM} on"
        ),
    };
    let names: Vec<String> = tasks.iter().map(|task| format!("{} {}", task.id, task.name)).collect();
    DecisionNote {
        operation: "list_tasks",
        task_id: None,
        input: goal.description.to_string(),
        decision: format!("{}: {}", counted(tasks.len(), "high-level task"), names.join("; ")),
        reasoning,
    }
}

fn decomposing_decision(goal: &Goal, made: &Breakdown, source: &str, guesses: &[String]) -> DecisionNote {
    let said = guesses.iter().chain(&made.warnings).chain(&made.notes);
    let reasoning = std::iter::once(format!("taken from {source}")).chain(said.cloned());
    DecisionNote {
        operation: "decompose_task",
        task_id: None,
        input: goal.description.to_string(),
        decision: format!("{} from {source}", counted(made.tasks.len(), "task")),
        reasoning: reasoning.collect::<Vec<_>>().join("; "),
    }
}

/// The tasks that a model gave. Where the pack knows such a task, its parameters are the pack's: they are
/// what its agents understand.
pub(super) fn by_model(
    phases: &Phases,
    cx: &PhaseContext<'_>,
    goal: &Goal,
    said: &Said<TasksAnswer>,
) -> BrokenDown {
    let mut tasks = said.answer.subtasks();
    if let Some(pack) = phases.pack(&goal.goal_type) {
        let slots = slots(pack, cx);
        let mut known: Vec<&TaskTemplate> = pack.tasks.iter().collect();
        for task in &mut tasks {
            let Some(category) = completeness::category_of(task, &pack.categories) else { continue };
            let Some(place) = known.iter().position(|template| template.category == category) else {
                continue;
            };
            lend(known.remove(place), &slots, task);
        }
    }
    BrokenDown { source: format!("the model {}", said.model), tasks, guesses: Vec::new() }
}

/// Gives a task what its template knows beyond words.
fn lend(template: &TaskTemplate, slots: &Slots, task: &mut SubTask) {
    let Some(usual) = filled(template, 1, slots, &[]) else { return };
    task.inputs = usual.inputs;
    task.retry_policy = usual.retry_policy;
    task.metadata.name = usual.metadata.name;
    task.metadata.other = usual.metadata.other;
}

/// The goal in tasks: as it was broken down before for the same words and the same facts, or anew.
fn broken_down(phases: &Phases, cx: &PhaseContext<'_>, goal: &Goal) -> BrokenDown {
    let extracted = extracted(cx);
    let facts = serde_json::to_string(&extracted).unwrap_or_default();
    // A fixed plan has the request itself in its inputs: other letters are another request, and another file.
    let fixed = phases.pack(&goal.goal_type).is_some_and(|pack| pack.fixed_plan);
    let words = if fixed { cx.request.to_owned() } else { normalised(cx.request) };
    let key = format!("{}\n{words}\n{facts}", goal.goal_type);
    if let Some(mut kept) = phases.cache().get(&key) {
        kept.source.push_str(", as it was broken down before");
        return kept;
    }
    let made = made_by_rules(phases, cx, goal);
    phases.cache().insert(key, made.clone());
    made
}

/// The goal in tasks, by the pack's template or by the words.
fn made_by_rules(phases: &Phases, cx: &PhaseContext<'_>, goal: &Goal) -> BrokenDown {
    let template = phases.pack(&goal.goal_type);
    let template = template.and_then(|pack| from_template(pack, &slots(pack, cx), cx.request));
    template.unwrap_or_else(|| from_words(goal.description.as_str()))
}

/// What the evaluation read from the request.
pub(super) fn extracted(cx: &PhaseContext<'_>) -> Extracted {
    cx.left::<EvaluationOutput<Reading>>().unwrap_or_default().reading.extracted
}

/// What the request says for the texts of a pack.
pub(super) fn slots(pack: &Pack, cx: &PhaseContext<'_>) -> Slots {
    slots_for(pack, &extracted(cx), cx.request, &files_there(cx))
}

/// The pack's usual tasks, filled with what the goal says; nothing if it says too little for them.
fn from_template(pack: &Pack, slots: &Slots, request: &str) -> Option<BrokenDown> {
    let wanted: Vec<&TaskTemplate> = pack
        .tasks
        .iter()
        .filter(|task| task.only_with.as_ref().is_none_or(|slot| slots.get(slot).is_some()))
        .filter(|task| task.only_with_words.is_empty() || words_in(request, &task.only_with_words) > 0)
        .collect();
    let places: Vec<&str> = wanted.iter().map(|task| task.category.as_str()).collect();
    let tasks: Option<Vec<SubTask>> =
        (1..).zip(&wanted).map(|(n, task)| filled(task, n, slots, &places)).collect();
    let tasks = tasks.filter(|tasks| !tasks.is_empty())?;
    Some(BrokenDown { source: format!("the template of pack {}", pack.name), tasks, guesses: Vec::new() })
}

/// The task of a template, filled with what the goal says; nothing if it does not say enough.
pub(super) fn filled(template: &TaskTemplate, n: usize, slots: &Slots, places: &[&str]) -> Option<SubTask> {
    let description = Text::new(slots.fill(&template.description).ok()?).ok()?;
    let mut task = SubTask::new(TaskId::numbered(n), description, template.outputs.clone());
    let needed = (1..).zip(places).filter(|(_, place)| template.needs.iter().any(|need| need == *place));
    task.dependencies = needed.map(|(n, _)| TaskId::numbered(n)).collect();
    let inputs =
        template.inputs.iter().filter_map(|(key, value)| Some((key.clone(), slots.fill_value(value)?)));
    task.inputs = inputs.collect();
    task.priority = template.priority;
    task.estimated_duration_seconds = template.seconds;
    task.metadata.duration_basis = Some(DurationBasis::Stated);
    task.retry_policy = template.retry;
    task.metadata.name = Some(template.name.clone());
    task.metadata.other = JsonMap::from_iter([(CATEGORY_KEY.to_owned(), json!(template.category))]);
    if let Some(agent) = &template.agent {
        task.agent_type = agent.clone();
        task.metadata.other.insert(OWN_AGENT_KEY.to_owned(), json!(agent));
    }
    Some(task)
}

/// The steps that the words themselves tell.
fn from_words(text: &str) -> BrokenDown {
    let split = split::read(text);
    let guessed = split.steps.iter().filter(|step| step.guessed).count();
    let background = background(&split);
    let tasks = (1..).zip(&split.steps).filter_map(|(n, step)| task_of(step, n, &background)).collect();
    let guesses = match guessed {
        0 => Vec::new(),
        _ => vec![format!("{guessed} of {} steps were cut or ordered by guess", split.steps.len())],
    };
    BrokenDown { source: FROM_WORDS.to_owned(), tasks, guesses }
}

/// What the request says beside its steps, for everyone who works on one of them.
fn background(split: &Split) -> String {
    let said = split.parts.iter().filter(|part| part.place == Place::Context).map(|part| part.text.as_str());
    let said = said.collect::<Vec<_>>().join(" ");
    said.chars().take(LONGEST_BACKGROUND).collect()
}

fn task_of(step: &Step, n: usize, background: &str) -> Option<SubTask> {
    let description = Text::new(step.description.clone()).ok()?;
    let mut task = SubTask::new(TaskId::numbered(n), description, vec![format!("output_{n}")]);
    task.dependencies = step.depends_on.iter().map(|&index| TaskId::numbered(index + 1)).collect();
    task.metadata.conditions = step.conditions.clone();
    if !background.is_empty() {
        task.inputs.insert("context".to_owned(), json!(background));
    }
    Some(task)
}

/// The tasks that this phase left.
pub(super) fn left_by(cx: &PhaseContext<'_>) -> Result<Vec<SubTask>, String> {
    let handoff = cx.handoffs.get(&Phase::Decomposition).ok_or("no tasks were handed over")?;
    let left: Result<DecompositionOutput, _> = handoff.output();
    let left = left.map_err(|error| format!("the tasks that were handed over: {error}"))?;
    left.subtasks.ok_or_else(|| "no tasks were handed over".to_owned())
}
