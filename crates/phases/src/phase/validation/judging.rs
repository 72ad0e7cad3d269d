//! Words that no program can check, judged by a model on another tier than the one that did the work.

use std::sync::Arc;

use candor_model::{CriterionResult, Evidence, ExecutionFeedback, SubTask, TaskStatus, Tier};
use candor_planning::compress;

use super::checked::Checked;
use crate::consult::{JudgeAnswer, Said, judge_result};
use crate::{Incomplete, PhaseContext};

/// What was thought of each criterion that has to be judged.
#[derive(Debug, Default)]
pub(super) struct Judged {
    criteria: Vec<String>,
    answer: Option<JudgeAnswer>,
    /// What the tasks put out, as it was shown.
    results: String,
}

/// So many criteria are judged.
const MOST: usize = 20;

/// Has a model judge these words, if there is one.
pub(super) fn judge(cx: &PhaseContext<'_>, mut criteria: Vec<String>) -> Result<Judged, Incomplete> {
    criteria.dedup();
    criteria.truncate(MOST);
    if criteria.is_empty() {
        return Ok(Judged::default());
    }
    let results = results(cx);
    let ask = || judge_result(cx.request, &criteria, &results, other_tier(cx));
    let said: Option<Said<JudgeAnswer>> = cx.consult("judge_result", ask)?;
    Ok(Judged { answer: said.map(|said| said.answer), criteria, results })
}

/// Everything that the tasks put out, task by task.
pub(super) fn results(cx: &PhaseContext<'_>) -> String {
    let good = cx.feedback.iter().filter(|feedback| feedback.feedback_type.is_success());
    let text =
        |feedback: &ExecutionFeedback| format!("{}: {}", feedback.task_id, compress::outputs_text(feedback));
    good.map(Arc::as_ref).map(text).collect::<Vec<_>>().join("\n")
}

/// The strongest tier that did none of the work.
fn other_tier(cx: &PhaseContext<'_>) -> Tier {
    let tasks = cx.plan.into_iter().flat_map(|plan| &plan.subtasks);
    let mut done = tasks.filter(|task| task.status != TaskStatus::Skipped);
    let strong = |task: &SubTask| task.metadata.tier == Some(Tier::Strong);
    if done.any(strong) { Tier::Balanced } else { Tier::Strong }
}

impl Judged {
    /// What was thought of these words. A quotation that does not occur in the results proves nothing.
    pub(super) fn checked(&self, words: &str) -> Checked {
        let Some(answer) = &self.answer else { return Checked::open("no model was there to judge it") };
        let number = self.criteria.iter().position(|it| it == words).map(|at| at + 1);
        let found = answer.judgements.iter().find(|it| Some(it.criterion) == number);
        let Some(found) = found else { return Checked::open("the model did not judge it") };
        let result = match found.holds {
            None => return Checked::open("the model could not tell from the results"),
            Some(_) if !self.has(&found.quote) => {
                return Checked::open("what the model quoted does not occur in the results");
            }
            Some(true) => CriterionResult::Holds,
            Some(false) => CriterionResult::Fails,
        };
        Checked { result, found: found.reason.clone(), evidence: Some(Evidence::Quote(found.quote.clone())) }
    }

    fn has(&self, quote: &str) -> bool {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let quote = one_line(quote.trim().trim_matches('"'));
        // The results are shown as JSON, in which a line break is two letters.
        let results = one_line(&self.results.replace("\\n", " ").replace("\\\"", "\""));
        !quote.is_empty() && results.contains(&quote.replace("\\n", " "))
    }
}
