//! What agents say they did, against what can be seen of it: files, receipts of tools, what the task was given, and
//! what other tasks have put out.

use candor_model::{
    CheckKind, CheckedCriterion, CriterionResult, CriterionSource, Evidence, ExecutionFeedback, JsonMap,
    LedgerEntry, SubTask, WantedCheck,
};
use candor_planning::claims::{self, Claim};
use serde_json::Value;

use super::tasks::Judge;

/// What was found of a claim.
struct Found {
    result: CriterionResult,
    text: String,
    evidence: Option<Evidence>,
}

impl Judge<'_> {
    /// Compares what the agent says it did; gives what is certainly not so. What nothing shows is put on record as
    /// unchecked.
    pub(super) fn claims(&mut self, task: &SubTask, result: &ExecutionFeedback) -> Vec<String> {
        let mut reasons = Vec::new();
        for claim in claims::of(&result.actual_outputs, &self.given(task)) {
            let Some(found) = self.claim(task, claim) else { continue };
            self.found.claims.made = self.found.claims.made.saturating_add(1);
            if found.result == CriterionResult::Holds {
                continue;
            }
            self.found.claims.unsupported = self.found.claims.unsupported.saturating_add(1);
            if found.result == CriterionResult::Fails {
                reasons.push(found.text.clone());
            }
            self.found.criteria.push(CheckedCriterion {
                criterion: "what the agent says it did was done".to_owned(),
                source: CriterionSource::Claim,
                task_id: Some(task.task_id.clone()),
                words: None,
                result: found.result,
                found: found.text,
                evidence: found.evidence,
                of_goal: false,
            });
        }
        reasons
    }

    /// What the task was given: its inputs, and the outputs of the tasks that it needs.
    fn given<'s>(&'s self, task: &'s SubTask) -> Vec<&'s JsonMap> {
        let upstream = task.dependencies.iter().filter_map(|id| self.results.get(&id));
        std::iter::once(&task.inputs).chain(upstream.map(|result| &result.actual_outputs)).collect()
    }

    /// What is found of one claim; nothing for as long as it is being looked up.
    fn claim(&mut self, task: &SubTask, claim: Claim) -> Option<Found> {
        let by_outputs = |holds: bool, text: String| {
            let result = if holds { CriterionResult::Holds } else { CriterionResult::Fails };
            Some(Found { result, text, evidence: Some(Evidence::Outputs(task.task_id.clone())) })
        };
        match claim {
            Claim::Wrote(path) => self.written(task, path),
            Claim::Made(what, said, there) => by_outputs(
                said == there,
                format!("the agent says it made {said} {what}; its output has {there}"),
            ),
            Claim::Handled(what, said, there) => {
                by_outputs(false, format!("the agent says it worked on {said} {what}; it was given {there}"))
            }
            Claim::Ran(command, well) => Some(self.ran(task, &command, well)),
            Claim::Reached(address) => Some(self.reached(task, &address)),
        }
    }

    fn written(&mut self, task: &SubTask, path: String) -> Option<Found> {
        let check = WantedCheck { task_id: task.task_id.clone(), kind: CheckKind::Written(path.clone()) };
        let Some(seen) = self.checked.get(&check).copied() else {
            self.found.wanted.push(check);
            return None;
        };
        let result = if seen.passed { CriterionResult::Holds } else { CriterionResult::Fails };
        let text = format!("the agent says it wrote {path}; the file does not exist");
        Some(Found { result, text, evidence: Some(Evidence::File(path)) })
    }

    /// A command has a receipt of the tool that ran it, or a check of this run that ran it too.
    fn ran(&self, task: &SubTask, command: &str, well: bool) -> Found {
        let of_task = |entry: &&LedgerEntry| entry.task_id == task.task_id;
        let receipts = self.ledger.iter().filter(of_task).filter(|entry| names(&entry.arguments, command));
        let ended: Vec<bool> =
            receipts.filter_map(|entry| entry.receipt.as_ref().map(|receipt| receipt.success)).collect();
        let checked = self.checked.iter().any(|(check, result)| match &check.kind {
            CheckKind::Command(words) => {
                result.passed && squeezed(&words.join(" ")).contains(&squeezed(command))
            }
            _ => false,
        });
        let says = format!("the agent says it ran `{command}`");
        let (result, text) = match ended.last() {
            _ if checked => (CriterionResult::Holds, says),
            Some(success) if *success || !well => (CriterionResult::Holds, says),
            Some(_) => {
                (CriterionResult::Fails, format!("{says} successfully; its receipt says that it failed"))
            }
            None => (CriterionResult::Unchecked, format!("{says}; no receipt shows it")),
        };
        Found { result, text, evidence: None }
    }

    /// A web address was asked for, given, put out by somebody else, or is in what tools were given or said.
    fn reached(&self, task: &SubTask, address: &str) -> Found {
        let mut others = self.feedback.iter().filter(|feedback| feedback.task_id != task.task_id);
        let known = self.addresses.contains(address)
            || self.request.contains(address)
            || names(&task.inputs, address)
            || others.any(|feedback| names(&feedback.actual_outputs, address));
        let result = if known { CriterionResult::Holds } else { CriterionResult::Unchecked };
        let text = format!("the agent says it used {address}; nothing in this run shows it");
        Found { result, text, evidence: None }
    }
}

/// Whether a text occurs in what these fields say, however it is spaced, or spread over a list of words.
fn names(fields: &JsonMap, text: &str) -> bool {
    fields.values().any(|value| within(value, text))
}

fn within(value: &Value, text: &str) -> bool {
    match value {
        Value::String(said) => squeezed(said).contains(&squeezed(text)),
        Value::Array(values) => {
            let words: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
            words.is_some_and(|words| squeezed(&words.join(" ")).contains(&squeezed(text)))
                || values.iter().any(|value| within(value, text))
        }
        Value::Object(fields) => names(fields, text),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
