//! What is done about a failure: one table, and one file for each way.
//!
//! Owns the order in which ways are tried and the conditions under which each applies. It carries nothing out: the
//! engine turns the [`Step`] into events. A way that would change nothing does not apply, and none but [`Way::Retry`]
//! gives a task to the agent that failed at it with the same inputs.

mod adjust;
pub mod budget_rule;
mod classes;
mod fix_dependencies;
mod last_resort;
mod missing_input;
mod other_agent;
mod pack_answer;
pub mod pack_rules;
pub mod person;
pub mod proposal;
mod retry;
mod split;

use std::cell::OnceCell;

use candor_model::{
    AgentType, BudgetRule, ExecutionFeedback, Plan, PlanningError, ReplanStrategy, RunId, Seconds, SubTask,
};

use self::budget_rule::Fit;
pub use self::classes::classify;
use self::pack_rules::Case;
use crate::limits;
use crate::replan::{Answer, Draft, Failure, ReplanContext, ReplanRefusal, Replanned, replan_by};

/// A way out of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The same agent with the same inputs, after a wait: for failures that may pass by themselves.
    Retry,
    /// A person, because so many ways have failed already.
    Escalate,
    /// An agent that has not failed at this task.
    OtherAgent,
    /// What the pack that made the plan says about such a failure.
    PackRules,
    /// A model revises what is left of the plan.
    Model,
    /// A result of another task, for an input that the agent lacks.
    MissingInput,
    /// Smaller tasks, for one that is too much in one go.
    Split,
    /// Lower prices of the parts that made the whole too dear.
    Adjust,
    /// Other dependencies, for a task that waits for something which will not come.
    FixDependencies,
    /// A model answers the task directly, without tools.
    LastResort,
    /// A person is asked what is to become of the task.
    Person,
    /// The task is given up; what does not need it goes on.
    End,
}

/// The ways that are tried for a class of failures, in this order. The first that applies is taken.
#[must_use]
pub const fn ways(class: ReplanStrategy) -> &'static [Way] {
    use Way::{
        Adjust, End, Escalate, FixDependencies, LastResort, MissingInput, Model, OtherAgent, PackRules,
        Person, Retry, Split,
    };
    match class {
        ReplanStrategy::RetryDifferentAgent | ReplanStrategy::FindWorkaround => {
            // Another agent would lack the same input.
            &[Retry, Escalate, MissingInput, OtherAgent, PackRules, Model, LastResort, Person, End]
        }
        // Whoever says that a task is too much has said what to change.
        ReplanStrategy::DecomposeFurther => {
            &[Retry, Escalate, PackRules, Model, Split, OtherAgent, LastResort, Person, End]
        }
        // Whoever found that a constraint is broken has done its work: another agent would find the same.
        ReplanStrategy::AdjustParameters => &[Retry, Escalate, PackRules, Model, Adjust, Person, End],
        ReplanStrategy::FixDependencies => &[Retry, Escalate, FixDependencies, Model, Person, End],
        ReplanStrategy::Unknown => &[End],
    }
}

/// A failure with everything that its answer depends on.
pub struct Situation<'a> {
    /// The run, for the jitter of waits.
    pub run_id: &'a RunId,
    /// The attempt that failed, for the jitter of waits.
    pub attempt: u32,
    /// The task, with this failure in its history.
    pub task: &'a SubTask,
    /// The failed attempt as it was reported.
    pub feedback: &'a ExecutionFeedback,
    /// The plan as it stands with this failure; made only when a revision is looked for, because plans are large.
    pub plan: &'a dyn Fn() -> Option<Plan>,
    /// The goal, the limits, the time and the agents.
    pub context: ReplanContext<'a>,
    /// How often the task was repeated as it is.
    pub retries_used: u32,
    /// Whether the same call keeps failing in the same way.
    pub loop_detected: bool,
    /// Whether a model can be asked for a revision.
    pub model: bool,
}

/// What is done next about a failure.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The same agent tries again after a wait. This is no revision.
    Retry {
        /// Time until the next attempt.
        after: Seconds,
    },
    /// The plan is replaced by a revised one.
    Revise {
        /// Which of the ways gave the revision.
        way: Way,
        /// The revised plan and the revision.
        replanned: Box<Replanned>,
    },
    /// A model is asked to revise what is left of the plan.
    AskModel,
    /// A model answers the task directly.
    LastResort {
        /// The agent that does so.
        agent: AgentType,
    },
    /// A person is asked.
    AskPerson {
        /// Why, for the record.
        why: String,
    },
    /// The task is given up.
    End(Box<PlanningError>),
}

/// The next step for a failure: that of the first way in its row of the table which applies.
#[must_use]
pub fn next_step(situation: &Situation<'_>) -> Step {
    let plan = OnceCell::new();
    let chances = Chances { situation, plan: &plan };
    let row = ways(classify(situation.feedback));
    row.iter().find_map(|way| chances.step(*way)).unwrap_or_else(|| chances.end())
}

/// A situation with the plan, once somebody has looked at it.
struct Chances<'a> {
    situation: &'a Situation<'a>,
    plan: &'a OnceCell<Option<Plan>>,
}

impl Chances<'_> {
    /// The step of a way; nothing if it does not apply.
    fn step(&self, way: Way) -> Option<Step> {
        let situation = self.situation;
        match way {
            Way::Retry => retry::step(situation),
            Way::Escalate if person::is_due(situation.task, situation.context.settings) => {
                last_resort::step(situation).or_else(|| self.ask_person())
            }
            Way::Escalate => None,
            Way::Model => (situation.model && self.limit().is_ok()).then_some(Step::AskModel),
            Way::OtherAgent
            | Way::PackRules
            | Way::MissingInput
            | Way::Split
            | Way::Adjust
            | Way::FixDependencies => self.revise(way),
            Way::LastResort => last_resort::step(situation),
            Way::Person => self.ask_person(),
            Way::End => Some(self.end()),
        }
    }

    fn plan(&self) -> Option<&Plan> {
        self.plan.get_or_init(|| (self.situation.plan)()).as_ref()
    }

    /// Whether the plan, and this task's lineage, may be revised once more.
    fn limit(&self) -> Result<(), PlanningError> {
        let Some(plan) = self.plan() else { return Ok(()) };
        let Situation { task, feedback, context, .. } = self.situation;
        limits::check_before_replan(plan, context.settings, &feedback.errors)?;
        limits::check_lineage(plan, task, context.settings, &feedback.errors)
    }

    fn revise(&self, way: Way) -> Option<Step> {
        let Situation { feedback, context, .. } = self.situation;
        let feedback = std::slice::from_ref(*feedback);
        let answer = |draft: &mut Draft<'_>, failure: &Failure<'_>| answer(way, draft, failure, context);
        let replanned = replan_by(self.plan()?, feedback, context, answer).ok()?;
        Some(Step::Revise { way, replanned: Box::new(replanned) })
    }

    fn ask_person(&self) -> Option<Step> {
        let attended = !self.situation.context.settings.unattended;
        attended.then(|| Step::AskPerson { why: self.end_reason().to_string() })
    }

    fn end(&self) -> Step {
        Step::End(Box::new(self.end_reason()))
    }

    /// Why nothing more is tried: a limit, or that nothing is left.
    fn end_reason(&self) -> PlanningError {
        let task_id = self.situation.task.task_id.clone();
        let reason = || self.nothing_fits().unwrap_or_else(|| retry::last_words(self.situation));
        let limit = self.limit().err();
        limit.unwrap_or_else(|| PlanningError::Unrecovered { task_id, reason: reason() })
    }

    /// That the budget cannot be kept with what is on offer, if that is so.
    fn nothing_fits(&self) -> Option<String> {
        let plan = self.plan()?;
        let Situation { task, feedback, context, .. } = *self.situation;
        let case = Case { plan, task, feedback, reports: context.reports, goal: context.goal };
        match budget_rule::fit(budget(plan)?, &case)? {
            Fit::Nothing(why) => Some(why),
            Fit::Caps(_) => None,
        }
    }
}

fn budget(plan: &Plan) -> Option<&BudgetRule> {
    plan.metadata.pack_rules.as_deref()?.budget.as_ref()
}

/// Has one way answer a failure; nothing if it changes nothing.
fn answer(
    way: Way,
    draft: &mut Draft<'_>,
    failure: &Failure<'_>,
    context: &ReplanContext<'_>,
) -> Option<Answer> {
    match way {
        Way::OtherAgent => other_agent::answer(draft, failure, context),
        Way::MissingInput => missing_input::answer(draft, failure, context),
        Way::Split => split::answer(draft, failure),
        // Whoever says what may give has said what may not.
        Way::Adjust if budget(draft.plan()).is_some() => None,
        Way::Adjust => adjust::answer(draft, failure),
        Way::FixDependencies => fix_dependencies::answer(draft, failure),
        Way::PackRules => pack_answer::answer(draft, failure, context),
        Way::Retry | Way::Escalate | Way::Model | Way::LastResort | Way::Person | Way::End => None,
    }
}

/// Revises the plan so that every failure among the feedback is answered, in one revision.
///
/// The plan is the current one, with the failures already entered in its tasks' histories.
pub fn replan(
    plan: &Plan,
    feedback: &[ExecutionFeedback],
    context: &ReplanContext<'_>,
) -> Result<Replanned, ReplanRefusal> {
    replan_by(plan, feedback, context, |draft, failure| {
        ways(failure.class).iter().find_map(|way| answer(*way, draft, failure, context))
    })
}
