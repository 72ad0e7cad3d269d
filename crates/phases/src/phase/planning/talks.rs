//! What a person says to the plan: questions are answered, changes make the next version.

use std::collections::BTreeSet;

use candor_model::handoff::PlanReply;
use candor_model::{AgentCapability, Plan, PlanTalk, SubTask, TaskId};
use candor_planning::approval;
use candor_planning::phase::{DecisionNote, PhaseReport, PhaseResult};

use super::super::{Phases, counted, decomposition, report};
use super::assign::{assign, explained, routings};
use super::{Draft, agents_for, check_agents, conclude, drafted, ranking};
use crate::brief::{self, Way};
use crate::consult::{
    ChangeAnswer, QuestionAnswer, TasksAnswer, answer_question, change_plan, decompose_task,
};
use crate::decompose;
use crate::talk::{self, Changed, Shown};
use crate::{Incomplete, PhaseContext};

/// How many decisions a model is told, the latest.
const MAX_DECISIONS: usize = 40;

pub(super) fn work(
    phases: &Phases,
    cx: &PhaseContext<'_>,
    plan: &Plan,
    talk: &PlanTalk,
) -> Result<PhaseReport, Incomplete> {
    match talk {
        PlanTalk::Question(words) => question(cx, plan, words),
        PlanTalk::Alternative(id) => alternative(phases, cx, plan, id),
        PlanTalk::Change(words) => change(phases, cx, plan, words),
        PlanTalk::Anew(words) => anew(phases, cx, plan, words),
    }
}

/// An answer; the plan stays as it is.
fn question(cx: &PhaseContext<'_>, plan: &Plan, words: &str) -> Result<PhaseReport, Incomplete> {
    let goal = cx.goal.ok_or("there is no goal to speak of")?;
    let said = cx.consult::<QuestionAnswer>("answer_question", || {
        let latest = cx.decisions.iter().rev().take(MAX_DECISIONS).rev();
        let reasons: Vec<String> = latest
            .map(|entry| format!("{}: {} because {}", entry.operation, entry.decision, entry.reasoning))
            .collect();
        answer_question(words, goal, plan, cx.brief, &reasons)
    })?;
    let told = said.as_ref().map(|said| said.answer.answer.trim().to_owned()).filter(|told| !told.is_empty());
    let shown = Shown { plan, brief: cx.brief, decisions: cx.decisions, agents: cx.agents };
    let by_model = said.as_ref().filter(|_| told.is_some()).map(|said| said.model.clone());
    let answer = told.unwrap_or_else(|| talk::answer(words, shown));
    Ok(reply_by(answer, by_model))
}

fn reply(text: String) -> PhaseReport {
    reply_by(text, None)
}

fn reply_by(text: String, model: Option<String>) -> PhaseReport {
    let summary = text.lines().next().unwrap_or_default().to_owned();
    let output = PlanReply { reply: text.clone(), model };
    report(summary, &output, output.model.as_deref(), PhaseResult::Reply(text))
}

/// The same tasks by another of the ways that were offered.
fn alternative(
    phases: &Phases,
    cx: &PhaseContext<'_>,
    plan: &Plan,
    id: &str,
) -> Result<PhaseReport, Incomplete> {
    let offered = cx.brief.map_or(&[][..], |brief| brief.alternatives.as_slice());
    let wanted = id.trim();
    let known = offered.iter().find(|other| other.id.eq_ignore_ascii_case(wanted));
    let edit = match known.map(brief::way) {
        Some(Way::Edit(edit)) => edit,
        Some(Way::Anew(words)) => return anew(phases, cx, plan, &words),
        None => {
            let letters: Vec<String> =
                offered.iter().map(|other| format!("{} ({})", other.id, other.name)).collect();
            return Ok(reply(format!(
                "There is no alternative {wanted}; there are {}. The plan stays as it is.",
                letters.join(", ")
            )));
        }
    };
    let agents = agents_for(phases, cx, &goal_type(cx)?);
    match talk::apply(plan, &agents, &[edit]) {
        Ok(changed) => next_version(phases, cx, agents, changed, &format!("alternative {wanted}"), None),
        Err(why) => Ok(reply(format!("The plan stays as it is: {why}."))),
    }
}

/// The plan with what the words change.
fn change(
    phases: &Phases,
    cx: &PhaseContext<'_>,
    plan: &Plan,
    words: &str,
) -> Result<PhaseReport, Incomplete> {
    let agents = agents_for(phases, cx, &goal_type(cx)?);
    let said = cx.consult::<ChangeAnswer>("change_plan", || change_plan(words, plan, &agents))?;
    if let Some(said) = &said {
        if let Some(part) = said.answer.left_over() {
            let edits = said.answer.edits(plan, &agents).unwrap_or_default();
            let part = part.to_owned();
            let unclear = talk::NotUnderstood { part, why: None, understood: edits };
            return Ok(reply_by(unclear.to_string(), Some(said.model.clone())));
        }
        let applied = said.answer.edits(plan, &agents).and_then(|edits| talk::apply(plan, &agents, &edits));
        if let Ok(changed) = applied {
            return next_version(phases, cx, agents, changed, words, Some(&said.model));
        }
    }
    match by_rules(plan, &agents, words) {
        Ok(changed) => next_version(phases, cx, agents, changed, words, None),
        Err(why) => Ok(reply(why)),
    }
}

fn by_rules(plan: &Plan, agents: &[AgentCapability], words: &str) -> Result<Changed, String> {
    let edits = talk::parse(words, plan, agents).map_err(|unclear| unclear.to_string())?;
    talk::apply(plan, agents, &edits).map_err(|why| format!("Nothing was changed: {why}."))
}

/// Another plan for the same goal: the tasks anew from a model, or from the decomposition, with what the words say.
fn anew(phases: &Phases, cx: &PhaseContext<'_>, plan: &Plan, words: &str) -> Result<PhaseReport, Incomplete> {
    let goal = cx.goal.ok_or("there is no goal to plan for")?;
    let agents = agents_for(phases, cx, &goal.goal_type);
    let is_brought = cx.material.is_some_and(|material| material.plan.is_some());
    if !is_brought {
        check_agents(phases, &agents)?;
        let said = cx.consult::<TasksAnswer>("decompose_task", || {
            let wishes = format!(
                "{words}\nThe plan that is not wanted:\n{}",
                crate::consult::task_lines(&plan.subtasks)
            );
            decompose_task(goal, &agents, decomposition::briefing(phases, cx, goal, None, wishes))
        })?;
        if let Some(said) = said {
            let made = decomposition::by_model(phases, cx, goal, &said);
            let made =
                decompose::by_rules(goal.description.as_str(), made.tasks, brief::scale::complexity(cx));
            let told = vec![format!("{} made anew by {}", counted(made.tasks.len(), "task"), said.model)];
            let fresh = Plan {
                plan_id: plan.plan_id.clone(),
                created_at: plan.created_at,
                ..drafted(phases, cx, made.tasks)?
            };
            let changed = Changed { plan: fresh, told, named: BTreeSet::new() };
            return next_version(phases, cx, agents, changed, words, Some(&said.model));
        }
    }
    let mut start = first_again(phases, cx, plan)?;
    assign_again(phases, cx, &agents, &mut start.subtasks)?;
    let wishes = words.trim();
    let changed = if wishes.is_empty() {
        Changed {
            told: vec!["planned again from the decomposition".to_owned()],
            plan: start,
            named: BTreeSet::new(),
        }
    } else {
        match by_rules(&start, &agents, wishes) {
            Ok(changed) => changed,
            Err(why) => return Ok(reply(why)),
        }
    };
    if approval::digest(&changed.plan) == approval::digest(plan) {
        return Ok(reply(
            "The rules would make the same plan again. Say what should be different, for instance: remove TASK; use \
             AGENT for TASK; one at a time; cheaper."
                .to_owned(),
        ));
    }
    next_version(phases, cx, agents, changed, words, None)
}

/// The plan as it was before anybody changed it.
fn first_again(phases: &Phases, cx: &PhaseContext<'_>, plan: &Plan) -> Result<Plan, Incomplete> {
    if let Some(brought) = cx.material.and_then(|material| material.plan.as_deref()) {
        return Ok(brought.clone());
    }
    let fresh = drafted(phases, cx, decomposition::left_by(cx)?)?;
    Ok(Plan { plan_id: plan.plan_id.clone(), created_at: plan.created_at, ..fresh })
}

fn assign_again(
    phases: &Phases,
    cx: &PhaseContext<'_>,
    agents: &[AgentCapability],
    tasks: &mut [SubTask],
) -> Result<(), Incomplete> {
    let ranking = ranking(phases, cx, agents, tasks)?;
    // What had to be given to somebody else was told when the first plan was made.
    assign(tasks, agents, &ranking, &mut Vec::new())?;
    Ok(())
}

/// Proposes a changed plan as the next version of the same.
fn next_version(
    phases: &Phases,
    cx: &PhaseContext<'_>,
    agents: Vec<AgentCapability>,
    changed: Changed,
    words: &str,
    model: Option<&str>,
) -> Result<PhaseReport, Incomplete> {
    let Changed { mut plan, told, named } = changed;
    plan.metadata.low_confidence_reasons.clear();
    plan.metadata.requires_approval = false;
    let open: BTreeSet<TaskId> = plan
        .subtasks
        .iter()
        .filter(|task| task.agent_type.is_tbd())
        .map(|task| task.task_id.clone())
        .collect();
    let ranking = ranking(phases, cx, &agents, &plan.subtasks)?;
    let choices = explained(&mut plan.subtasks, &ranking, &named)?;
    let routed = routings(&plan.subtasks, &choices);
    let mut decisions: Vec<DecisionNote> =
        routed.into_iter().filter(|made| made.task_id.as_ref().is_some_and(|id| open.contains(id))).collect();
    decisions.push(DecisionNote {
        operation: "iterate_plan",
        task_id: None,
        input: words.to_owned(),
        decision: told.join("; "),
        reasoning: match model {
            Some(model) => format!("asked for by a person, understood by {model}"),
            None => "asked for by a person, understood by rules".to_owned(),
        },
    });
    let method = (ranking.method(), ranking.method_code());
    let (notes, added) = (told, Vec::new());
    let draft = Draft { plan, agents, choices, method, notes, decisions, added, by_person: true };
    conclude(phases, cx, draft)
}

fn goal_type(cx: &PhaseContext<'_>) -> Result<candor_model::GoalType, Incomplete> {
    Ok(cx.goal.ok_or("there is no goal to plan for")?.goal_type.clone())
}
