//! The ways to reach the goal that a person can choose from, by letter. Only what differs from the plan is offered: in
//! order, in agents, in cost, or in what a model would do instead.

use candor_model::{AgentCapability, ExecutionStrategy, Plan, PlanAlternative, PlanEstimates};
use candor_planning::estimate;

use super::estimates;
use crate::consult::OtherWay;
use crate::decompose::groups;
use crate::talk::{self, Changed, Edit};

/// The letters of the ways that change agents.
const CHEAPEST: &str = "D";
const MOST_RELIABLE: &str = "E";

/// The letters of the strategies.
const LETTERS: [(&str, ExecutionStrategy); 3] = [
    ("A", ExecutionStrategy::Sequential),
    ("B", ExecutionStrategy::Parallel),
    ("C", ExecutionStrategy::Hybrid),
];

/// The letters of the ways that a model sees.
const FROM_MODEL: [&str; 4] = ["F", "G", "H", "I"];

/// How many changes of agents are told.
const MOST_TOLD: usize = 3;

/// The letter of a strategy.
pub(super) fn letter_of(strategy: ExecutionStrategy) -> &'static str {
    LETTERS.iter().find(|(_, known)| *known == strategy).map_or("C", |(letter, _)| *letter)
}

/// What an offered way is made by.
pub(crate) enum Way {
    /// A change of the plan.
    Edit(Edit),
    /// A new plan, by these words of a model.
    Anew(String),
}

/// What choosing this way does.
pub(crate) fn way(chosen: &PlanAlternative) -> Way {
    let strategy = LETTERS.iter().find(|(letter, _)| *letter == chosen.id).map(|(_, strategy)| *strategy);
    match (strategy, chosen.id.as_str()) {
        (Some(strategy), _) => Way::Edit(Edit::Strategy(strategy)),
        (None, CHEAPEST) => Way::Edit(Edit::Cheaper),
        (None, MOST_RELIABLE) => Way::Edit(Edit::Reliable),
        (None, _) => Way::Anew(format!("{}: {}", chosen.name, chosen.tradeoff)),
    }
}

/// The plan as it is, and every way that differs from it.
pub(super) fn all(
    plan: &Plan,
    agents: &[AgentCapability],
    at_once: u32,
    from_model: &[OtherWay],
) -> Vec<PlanAlternative> {
    let mut all = by_order(plan, agents, at_once);
    let edits = [
        (CHEAPEST, "cheapest agents", Edit::Cheaper),
        (MOST_RELIABLE, "most reliable agents", Edit::Reliable),
    ];
    for (id, name, edit) in edits {
        let changed = talk::apply(plan, agents, &[edit]).ok();
        all.extend(changed.map(|changed| by_agents(id, name, plan, agents, &changed)));
    }
    let seen = FROM_MODEL.iter().zip(from_model).map(|(id, other)| PlanAlternative {
        id: (*id).to_owned(),
        name: other.name.clone(),
        tradeoff: format!("{} {}", other.description.trim(), other.trade_off.trim()),
        estimates: PlanEstimates::default(),
    });
    all.extend(seen);
    all
}

/// The strategies under which another number of tasks runs at once, each number once.
fn by_order(plan: &Plan, agents: &[AgentCapability], at_once: u32) -> Vec<PlanAlternative> {
    let tasks = &plan.subtasks;
    let widest = groups::widest(tasks);
    let width = |strategy| estimate::width(strategy, at_once).unwrap_or(usize::MAX).min(widest);
    let now = estimates(tasks, agents, plan.execution_strategy, at_once);
    let current = width(plan.execution_strategy);
    let mut widths = vec![current];
    let mut ways = Vec::new();
    for (id, strategy) in LETTERS {
        let is_current = strategy == plan.execution_strategy;
        let other = width(strategy);
        if !is_current && widths.contains(&other) {
            continue;
        }
        widths.push(other);
        let estimates = estimates(tasks, agents, strategy, at_once);
        ways.push(PlanAlternative {
            id: id.to_owned(),
            name: format!("{}{}", name(strategy), if is_current { " (current)" } else { "" }),
            tradeoff: if is_current { running(current) } else { against(other, current, estimates, now) },
            estimates,
        });
    }
    ways
}

const fn name(strategy: ExecutionStrategy) -> &'static str {
    match strategy {
        ExecutionStrategy::Sequential => "all sequential",
        ExecutionStrategy::Parallel => "maximum parallel",
        ExecutionStrategy::Hybrid => "hybrid",
    }
}

fn running(at_once: usize) -> String {
    match at_once {
        0 | 1 => "one task at a time".to_owned(),
        several => format!("up to {several} tasks at once"),
    }
}

/// What another order gains and loses against the plan as it is.
fn against(other: usize, current: usize, takes: PlanEstimates, now: PlanEstimates) -> String {
    let times = takes.duration.zip(now.duration);
    let time =
        times.map(|(other, now)| format!("; {}", compared(other.get(), now.get()))).unwrap_or_default();
    let risk =
        if other < current { "a failure stops less work" } else { "more is under way when something fails" };
    format!("{} instead of {}: {risk}{time}", running(other), running(current))
}

/// The same tasks by other agents: who, and what that costs.
fn by_agents(
    id: &str,
    name: &str,
    plan: &Plan,
    agents: &[AgentCapability],
    changed: &Changed,
) -> PlanAlternative {
    let [before, after] = [&plan.subtasks, &changed.plan.subtasks].map(|tasks| estimate::cost(tasks, agents));
    let cost = match (before, after) {
        (before, after) if before == after => String::new(),
        (before, after) => {
            format!("${} instead of ${}; ", after.unwrap_or_default(), before.unwrap_or_default())
        }
    };
    let more = changed.told.len().saturating_sub(MOST_TOLD);
    let more = if more > 0 { format!("; {more} more") } else { String::new() };
    let told: Vec<&str> = changed.told.iter().map(String::as_str).take(MOST_TOLD).collect();
    PlanAlternative {
        id: id.to_owned(),
        name: name.to_owned(),
        tradeoff: format!("{cost}{}{more}", told.join("; ")),
        // Nobody has measured how long the other agents take.
        estimates: PlanEstimates { cost: after, ..PlanEstimates::default() },
    }
}

fn compared(other: f64, now: f64) -> String {
    let change = if now > 0.0 { ((other - now) / now * 100.0).round() } else { 0.0 };
    if change > 0.0 {
        format!("+{change} % slower ({other} s instead of {now} s)")
    } else if change < 0.0 {
        format!("{} % faster ({other} s instead of {now} s)", -change)
    } else {
        format!("takes as long ({now} s)")
    }
}
