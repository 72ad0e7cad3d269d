//! What can still be made of answers that were refused only because tasks wait for each other in a circle, or because
//! a criterion is not understood.
//!
//! A model that answers so is told and asked again. If it insists, its work is not thrown away: the circle is broken
//! by the order in which the tasks are listed, the criterion is dropped, and that is told.

use candor_model::Ask;
use candor_model::{AskStep, Consulted};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Answers, Said};
use crate::PhaseContext;

/// An answer that can be used without what is wrong with it.
pub(crate) trait Mendable: Serialize + DeserializeOwned {
    /// Breaks the circles and drops the criteria that are not understood; says how.
    fn mend(&mut self) -> Vec<String>;
}

impl PhaseContext<'_> {
    /// The latest answer to a step that was given up, if it can be mended; and what was done about it.
    pub(crate) fn mended<T: Mendable>(
        &self,
        step: &'static str,
        ask: impl FnOnce() -> Ask,
    ) -> Option<(Said<T>, Vec<String>)> {
        let Answers(told) = self.answers?;
        let steps = told(step);
        let Some(Consulted { outcome: AskStep::GiveUp { .. }, .. }) = steps.last() else { return None };
        let ask = ask();
        steps.iter().rev().filter_map(|step| step.call.as_ref()).find_map(|call| {
            let mut answer: T = serde_json::from_str(call.answer.as_deref()?.trim()).ok()?;
            let warnings = answer.mend();
            let fits = !warnings.is_empty() && (ask.check)(&serde_json::to_value(&answer).ok()?).is_empty();
            fits.then(|| (Said { answer, model: call.model.clone() }, warnings))
        })
    }
}
