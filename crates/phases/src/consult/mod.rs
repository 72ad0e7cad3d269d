//! What the phases ask models: one file per question, with the shape of its answer and the checks that no
//! shape can express. A model that says what the request does not say is not believed.

mod change;
mod critique;
mod enhance;
mod evaluate;
mod goal;
mod judge;
mod list;
mod mend;
mod plan;
mod question;
mod revise;
mod route;
mod tasks;

use std::fmt;

use candor_model::handoff::ContextOutput;
use candor_model::{Ask, AskStep, Consulted, ContextText, Effect, Instructions, Texts, Vectors};
use candor_planning::context;
use serde::de::DeserializeOwned;

pub(crate) use self::change::{ChangeAnswer, change_plan};
pub(crate) use self::critique::{CritiqueAnswer, ResultsAnswer, critique, critique_results};
pub(crate) use self::enhance::{EnhanceAnswer, enhance_prompt};
pub(crate) use self::goal::{GoalAnswer, parse_goal};
pub(crate) use self::judge::{JudgeAnswer, judge_result};
pub(crate) use self::list::{ListAnswer, list_tasks};
pub(crate) use self::plan::{OtherWay, PlanAnswer, plan, task_lines};
pub(crate) use self::question::{QuestionAnswer, answer_question};
pub(crate) use self::revise::revise_task;
pub(crate) use self::route::{RouteAnswer, Tie, route_task};
pub(crate) use self::tasks::{Briefing, TasksAnswer, decompose_task};
use crate::PhaseContext;

/// How many entries of one kind the phases before hand over to a prompt.
const MOST_HANDED: usize = 20;

/// Why a phase's work is not complete.
#[derive(Debug)]
pub enum Incomplete {
    /// It cannot be done; in plain words, why.
    Failed(String),
    /// A model has to answer this first.
    Asks(Box<Ask>),
    /// The outside has to do this first; the work is done again when the answer is an input.
    Needs(Vec<Effect>),
}

impl fmt::Display for Incomplete {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(reason) => formatter.write_str(reason),
            Self::Asks(ask) => write!(formatter, "a model must answer {} first", ask.step),
            Self::Needs(effects) => write!(formatter, "{} effects must be performed first", effects.len()),
        }
    }
}

impl From<String> for Incomplete {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

impl From<&str> for Incomplete {
    fn from(reason: &str) -> Self {
        Self::Failed(reason.to_owned())
    }
}

/// What models have said so far to the phase at the cx, by the step that was asked.
#[derive(Clone, Copy)]
pub struct Answers<'a>(pub &'a dyn Fn(&str) -> &'a [Consulted]);

impl fmt::Debug for Answers<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Answers")
    }
}

/// Who knows what texts mean.
#[derive(Clone, Copy)]
pub struct Meaning<'a>(pub &'a dyn Vectors);

impl Meaning<'_> {
    /// Is incomplete until the meaning of every text is at hand.
    pub(crate) fn known(self, mut texts: Texts) -> Result<(), Incomplete> {
        if !self.0.needs_time() {
            return Ok(());
        }
        for texts in [&mut texts.lasting, &mut texts.passing] {
            texts.retain(|text| self.0.at_once(text).is_none());
            texts.sort_unstable();
            texts.dedup();
        }
        if texts.is_empty() { Ok(()) } else { Err(Incomplete::Needs(vec![Effect::Embed { texts }])) }
    }
}

impl fmt::Debug for Meaning<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Meaning").field(&self.0.name()).finish()
    }
}

/// What a model said, and which one it was.
pub(crate) struct Said<T> {
    pub(crate) answer: T,
    pub(crate) model: String,
}

impl PhaseContext<'_> {
    /// A model's answer. Nothing if there is no model or none could answer: then the rule-based fallback is used.
    pub(crate) fn consult<T: DeserializeOwned>(
        &self,
        step: &'static str,
        ask: impl FnOnce() -> Ask,
    ) -> Result<Option<Said<T>>, Incomplete> {
        let Some(Answers(told)) = self.answers else { return Ok(None) };
        let steps = told(step);
        match steps.last() {
            Some(Consulted { outcome: AskStep::Accepted { value, .. }, call }) => {
                let model = call.as_ref().map_or_else(String::new, |call| call.model.clone());
                // It was checked when it came; a version that expects something else goes on by its rules.
                let answer = serde_json::from_value(value.clone()).ok();
                Ok(answer.map(|answer| Said { answer, model }))
            }
            Some(Consulted { outcome: AskStep::GiveUp { .. }, .. }) => Ok(None),
            _ => {
                let mut ask = ask();
                ask.tell("project", self.project());
                ask.tell("handoff", self.handed_over());
                // What a critique found is for whoever does the work again, not for the next critique.
                if !step.starts_with("critique") {
                    ask.tell("refine", self.refine.join("\n"));
                }
                Err(Incomplete::Asks(Box::new(ask)))
            }
        }
    }

    /// What the phases before ask of this one, a line for each kind.
    fn handed_over(&self) -> String {
        type List = fn(&Instructions) -> &Vec<String>;
        let kinds: [(&str, List); 4] = [
            ("Focus on", |told| &told.focus),
            ("Avoid", |told| &told.avoid),
            ("Must include", |told| &told.must_include),
            ("Agents that may fit", |told| &told.suggested_agents),
        ];
        let line = |(kind, list): (&str, List)| {
            let mut all: Vec<&str> = Vec::new();
            for entry in self.handoffs.values().flat_map(|handoff| list(&handoff.instructions)) {
                if all.len() < MOST_HANDED && !all.contains(&entry.as_str()) {
                    all.push(entry);
                }
            }
            (!all.is_empty()).then(|| format!("{kind}: {}", all.join(", ")))
        };
        kinds.into_iter().filter_map(line).collect::<Vec<_>>().join("\n")
    }

    /// The project's instructions and the files that the request names, once phase 2 has loaded them.
    fn project(&self) -> String {
        let loaded = self.left::<ContextOutput>().map(|left| left.loaded).unwrap_or_default();
        ContextText::for_prompt(&context::texts(&loaded, self.files))
    }
}

/// The words of a text that say something: folded, of three letters or more.
pub(crate) fn content_words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = candor_text::words(text).filter(|word| word.chars().count() >= 3);
    words.map(|word| candor_text::fold(word).into_owned())
}
