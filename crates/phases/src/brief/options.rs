//! The ways to carry out the same tasks that a person can choose from, by letter.

use candor_model::{AgentCapability, ExecutionStrategy, Plan, PlanAlternative, PlanEstimates};
use candor_planning::estimate;

use super::estimates;

/// The letter of the way with the cheapest agents.
pub(crate) const CHEAPEST: &str = "D";

/// The letters of the strategies.
const LETTERS: [(&str, ExecutionStrategy); 3] = [
    ("A", ExecutionStrategy::Sequential),
    ("B", ExecutionStrategy::Parallel),
    ("C", ExecutionStrategy::Hybrid),
];

/// The letter of a strategy.
pub(super) fn letter_of(strategy: ExecutionStrategy) -> &'static str {
    LETTERS.iter().find(|(_, known)| *known == strategy).map_or("C", |(letter, _)| *letter)
}

/// The strategy of a letter, in any case.
pub(crate) fn strategy_of(letter: &str) -> Option<ExecutionStrategy> {
    LETTERS.iter().find(|(known, _)| known.eq_ignore_ascii_case(letter)).map(|(_, strategy)| *strategy)
}

/// All ways, the plan as it is among them.
pub(super) fn all(plan: &Plan, agents: &[AgentCapability], at_once: u32) -> Vec<PlanAlternative> {
    let tasks = &plan.subtasks;
    let now = estimates(tasks, agents, plan.execution_strategy, at_once);
    let way = |(id, strategy): (&str, ExecutionStrategy)| {
        let is_current = strategy == plan.execution_strategy;
        let estimates = estimates(tasks, agents, strategy, at_once);
        PlanAlternative {
            id: id.to_owned(),
            name: format!("{}{}", name(strategy), if is_current { " (current)" } else { "" }),
            tradeoff: if is_current { as_is(strategy) } else { against(strategy, estimates, now) },
            estimates,
        }
    };
    let mut all: Vec<PlanAlternative> = LETTERS.into_iter().map(way).collect();
    let less = estimate::cheapest(tasks, agents).zip(now.cost).filter(|(least, cost)| least < cost);
    if let Some((least, cost)) = less {
        all.push(PlanAlternative {
            id: CHEAPEST.to_owned(),
            name: "cheapest agents".to_owned(),
            tradeoff: format!("${least} instead of ${cost}; failures are more likely"),
            // Nobody has measured how long the cheaper agents take.
            estimates: PlanEstimates { cost: Some(least), ..PlanEstimates::default() },
        });
    }
    all
}

const fn name(strategy: ExecutionStrategy) -> &'static str {
    match strategy {
        ExecutionStrategy::Sequential => "all sequential",
        ExecutionStrategy::Parallel => "maximum parallel",
        ExecutionStrategy::Hybrid => "hybrid",
    }
}

fn as_is(strategy: ExecutionStrategy) -> String {
    let text = match strategy {
        ExecutionStrategy::Sequential => "one task at a time: slow, and a failure stops the least work",
        ExecutionStrategy::Parallel => {
            "as much at once as dependencies allow: fast, and more is under way when something fails"
        }
        ExecutionStrategy::Hybrid => {
            "side by side where nothing stands against it, one after the other where it does"
        }
    };
    text.to_owned()
}

/// What another way gains and loses against the plan as it is.
fn against(strategy: ExecutionStrategy, other: PlanEstimates, now: PlanEstimates) -> String {
    let times = other.duration.zip(now.duration);
    let time =
        times.map(|(other, now)| format!("; {}", compared(other.get(), now.get()))).unwrap_or_default();
    match strategy {
        ExecutionStrategy::Sequential => format!("safer, because a failure stops less work{time}"),
        ExecutionStrategy::Parallel => {
            format!("more risk, because more is under way when something fails{time}")
        }
        ExecutionStrategy::Hybrid => format!("in between{time}"),
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
