//! What can still be made of answers that were refused only because tasks wait for each other in a circle.
//!
//! A model that names a circle is told so and asked again. If it insists, its work is not thrown away: the circle
//! is broken by the order in which the tasks are listed, and that is told.

use candor_model::Ask;
use candor_model::{AskStep, Consulted};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Answers, Said};
use crate::PhaseContext;

/// An answer in which circles can be broken.
pub(crate) trait Mendable: Serialize + DeserializeOwned {
    /// Breaks the circles; says how.
    fn break_cycles(&mut self) -> Vec<String>;
}

impl PhaseContext<'_> {
    /// The latest answer to a step that was given up, if nothing was wrong with it but a circle; and what was done
    /// about that.
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
            let warnings = answer.break_cycles();
            let fits = !warnings.is_empty() && (ask.check)(&serde_json::to_value(&answer).ok()?).is_empty();
            fits.then(|| (Said { answer, model: call.model.clone() }, warnings))
        })
    }
}
