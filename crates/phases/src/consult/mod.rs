//! What the phases ask models: one file per question, with the shape of its answer and the checks that no
//! shape can express. A model that says what the request does not say is not believed.

mod change;
mod critique;
mod enhance;
mod evaluate;
mod goal;
mod list;
mod mend;
mod plan;
mod question;
mod route;
mod tasks;

use std::fmt;

use candor_model::{AskStep, Consulted, Query, WantedCheck};
use candor_ports::{Ask, EmbedError, Embedder};
use serde::de::DeserializeOwned;

pub(crate) use self::change::{ChangeAnswer, change_plan};
pub(crate) use self::critique::{CritiqueAnswer, critique};
pub(crate) use self::enhance::{EnhanceAnswer, enhance_prompt};
pub(crate) use self::goal::{GoalAnswer, parse_goal};
pub(crate) use self::list::{ListAnswer, list_tasks};
pub(crate) use self::plan::{PlanAnswer, plan, task_lines};
pub(crate) use self::question::{QuestionAnswer, answer_question};
pub(crate) use self::route::{RouteAnswer, Tie, route_task};
pub(crate) use self::tasks::{Briefing, TasksAnswer, decompose_task};
use crate::PhaseContext;

/// Why a phase has not finished its work.
#[derive(Debug)]
pub enum Pause {
    /// It cannot be done; in plain words, why.
    Failed(String),
    /// A model is asked first.
    Ask(Box<Ask>),
    /// The meaning of these texts is needed first.
    Embed(Unknown),
    /// These files must be read first, as far as they are there.
    Read(Vec<String>),
    /// These checks must be made first.
    Check(Vec<WantedCheck>),
    /// These agents must be asked first, as far as they answer.
    Query(Vec<Query>),
}

/// Texts whose meaning is not known yet.
#[derive(Debug, Default)]
pub struct Unknown {
    /// Those that will be asked for again and again: what agents say of themselves.
    pub lasting: Vec<String>,
    /// Those of one plan.
    pub passing: Vec<String>,
}

impl Unknown {
    /// Has everything embedded, and sees to it that it is at hand then; the error says why it is not.
    pub async fn fetch(&self, meaning: &dyn Embedder) -> Result<(), String> {
        let said = |error: EmbedError| error.to_string();
        if !self.lasting.is_empty() {
            meaning.keep(&self.lasting).await.map_err(said)?;
        }
        if !self.passing.is_empty() {
            meaning.embed(&self.passing).await.map_err(said)?;
        }
        let mut all = self.lasting.iter().chain(&self.passing);
        if all.all(|text| meaning.at_once(text).is_some()) {
            Ok(())
        } else {
            Err(format!("{} does not remember its vectors", meaning.name()))
        }
    }
}

impl fmt::Display for Pause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(reason) => formatter.write_str(reason),
            Self::Ask(ask) => write!(formatter, "a model must answer {} first", ask.step),
            Self::Embed(texts) => {
                let count = texts.lasting.len() + texts.passing.len();
                write!(formatter, "{count} texts must be embedded first")
            }
            Self::Read(paths) => write!(formatter, "{} must be read first", paths.join(", ")),
            Self::Query(queries) => write!(formatter, "{} questions must be answered first", queries.len()),
            Self::Check(checks) => write!(formatter, "{} results must be checked first", checks.len()),
        }
    }
}

impl From<String> for Pause {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

impl From<&str> for Pause {
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
pub struct Meaning<'a>(pub &'a dyn Embedder);

impl Meaning<'_> {
    /// Pauses until the meaning of every text is at hand.
    pub(crate) fn known(self, mut texts: Unknown) -> Result<(), Pause> {
        if !self.0.needs_time() {
            return Ok(());
        }
        for texts in [&mut texts.lasting, &mut texts.passing] {
            texts.retain(|text| self.0.at_once(text).is_none());
            texts.sort_unstable();
            texts.dedup();
        }
        let none = texts.lasting.is_empty() && texts.passing.is_empty();
        if none { Ok(()) } else { Err(Pause::Embed(texts)) }
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
    /// A model's answer. Nothing if there is no model or none could answer: then the rules speak.
    pub(crate) fn consult<T: DeserializeOwned>(
        &self,
        step: &'static str,
        ask: impl FnOnce() -> Ask,
    ) -> Result<Option<Said<T>>, Pause> {
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
            _ => Err(Pause::Ask(Box::new(ask()))),
        }
    }
}

/// The words of a text that say something: in lower case, of three letters or more.
pub(crate) fn content_words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= 3).map(str::to_lowercase)
}
