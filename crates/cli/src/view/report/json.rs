//! The report as data, with the documented keys and what else programs ask for.

use candor_engine::RunState;
use candor_model::{DecisionEntry, Event, ExecutionId, Recorded};
use candor_planning::report::{ModelFigures, constraint_summary, execution_result, failure_entries};
use candor_planning::texts;
use candor_projections::chronicle::Chronicle;
use serde_json::{Value, json};

use super::Subject;

/// Stands in the place of a status when a run has not come to its end.
const UNFINISHED: &str = "UNFINISHED";

/// Gives the report on a run as data; `null` stands for what is not known yet.
#[must_use]
pub fn report_json(state: &RunState, records: &[Recorded]) -> Value {
    let subject = Subject::of(state, records);
    let events: Vec<Event> = records.iter().map(|recorded| recorded.event.clone()).collect();
    let mut report = json!({
        "run_id": state.run_id(),
        "status": state.status(),
        "outcome": subject.verdict(),
        "request": state.request(),
        "goal": state.goal(),
        "constraints": constraints(&subject),
        "plan": subject.plan,
        "result": result(&subject),
        "cost": cost(&subject),
        "models": ModelFigures::of(&events),
        "degradation": state.degradation(),
        "timeline": timeline(&subject.chronicle),
        "decisions": decisions(&subject.chronicle),
        "failures": failure_entries(&events),
    });
    let recorded = subject.report().and_then(|report| serde_json::to_value(report).ok());
    for key in ["summary", "tasks", "revisions", "confidence_evolution", "lessons_learned"] {
        let value = recorded.as_ref().and_then(|report| report.get(key)).cloned();
        if let Value::Object(fields) = &mut report {
            fields.insert(key.to_owned(), value.unwrap_or_else(|| without_plan(key, &subject)));
        }
    }
    if !state.status().is_end() {
        for part in ["summary", "result"] {
            if let Some(status) = report.get_mut(part).and_then(|it| it.get_mut("status")) {
                *status = json!(UNFINISHED);
            }
        }
    }
    report
}

/// What the report says of a run that has no plan: nothing yet, or that it ended before it had one.
fn without_plan(key: &str, subject: &Subject<'_>) -> Value {
    if !subject.state.status().is_end() {
        return Value::Null;
    }
    match key {
        "summary" => {
            let total_cost = cost(subject).get("total").cloned().unwrap_or_default();
            json!({ "status": "FAILURE", "success": false, "total_duration": 0.0, "total_cost": total_cost })
        }
        "lessons_learned" => {
            json!({ "what_failed": [subject.verdict()], "what_worked": [], "recommendations": [] })
        }
        _ => json!([]),
    }
}

/// Every attempt as data, in the order in which they were started.
pub(in crate::view) fn timeline(chronicle: &Chronicle<'_>) -> Value {
    let entries = chronicle.attempts.iter().map(|attempt| {
        json!({
            "task_id": attempt.task_id,
            "name": chronicle.name(attempt.task_id),
            "agent_type": attempt.agent,
            "attempt": attempt.number,
            "started_at": attempt.started,
            "ended_at": attempt.ended,
            "offset_seconds": chronicle.offset(attempt.started),
            "duration_seconds": attempt.took(chronicle.now()),
            "outcome": attempt.outcome.code(),
            "cost": attempt.cost(),
            "errors": attempt.feedback.map(|feedback| feedback.errors.as_slice()).unwrap_or_default(),
        })
    });
    Value::Array(entries.collect())
}

fn decisions<'a>(chronicle: &Chronicle<'a>) -> Vec<&'a DecisionEntry> {
    chronicle.decisions.clone()
}

fn constraints(subject: &Subject<'_>) -> Value {
    let Some((goal, material)) = subject.state.goal().zip(subject.material()) else { return Value::Null };
    let summary = constraint_summary(goal, &material);
    let checks = summary.checks.iter().map(
        |check| json!({ "what": check.what, "wanted": check.wanted, "found": check.found, "met": check.met }),
    );
    json!({
        "succeeded": summary.succeeded,
        "total": summary.total,
        "all_met": summary.all_met(),
        "checks": checks.collect::<Vec<_>>(),
    })
}

fn result(subject: &Subject<'_>) -> Value {
    let id = ExecutionId::new(format!("exec_{}", subject.state.run_id()));
    // A run's id that is as long as an id may be is its execution's id as it stands.
    let id = id.or_else(|_| ExecutionId::new(subject.state.run_id()));
    let result = id.ok().zip(subject.material()).map(|(id, material)| execution_result(id, &material));
    result.and_then(|result| serde_json::to_value(result).ok()).unwrap_or_default()
}

fn cost(subject: &Subject<'_>) -> Value {
    let agents = subject.chronicle.by_agent();
    let agents = agents.iter().map(|(agent, (attempts, failed, cost))| {
        json!({
            "agent_type": agent, "name": texts::agent_name(agent),
            "attempts": attempts, "failed": failed, "cost": cost,
        })
    });
    let accounts = subject.chronicle.by_account.iter().map(|(account, sum)| (account.as_str(), json!(sum)));
    json!({
        "total": subject.state.spent(),
        "by_account": accounts.collect::<std::collections::BTreeMap<_, _>>(),
        "by_agent": agents.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use candor_model::RunId;

    use super::*;
    use crate::view::words::tests::story;

    #[test]
    fn the_report_has_the_documented_keys_and_every_failure() {
        // spec: planning EN-14 EN-25 EN-26 TR-11
        let records = story("backup_agent");
        let state = RunState::fold(RunId::new("run_test").unwrap(), &records).unwrap();
        let report = report_json(&state, &records);
        for key in [
            "summary",
            "tasks",
            "revisions",
            "confidence_evolution",
            "lessons_learned",
            "run_id",
            "status",
            "goal",
            "plan",
            "result",
            "cost",
            "timeline",
            "decisions",
            "failures",
        ] {
            let value = &report[key];
            assert!(!value.is_null() && value != &json!([]) && value != &json!({}), "{key} is empty");
        }
        assert_eq!(report["tasks"].as_array().unwrap().len(), 6);
        assert_eq!(report["timeline"].as_array().unwrap().len(), 6);
        assert_eq!(report["revisions"].as_array().unwrap().len(), 2);
        assert_eq!(report["failures"].as_array().unwrap().len(), 4);
        assert_eq!(report["result"]["total_duration_seconds"], 14.0);
        assert_eq!(report["summary"]["status"], "SUCCESS");
    }

    #[test]
    fn a_run_that_goes_on_is_not_called_a_failure() {
        let records = story("backup_agent");
        let records = &records[..records.len() - 5];
        let state = RunState::fold(RunId::new("run_test").unwrap(), records).unwrap();
        let report = report_json(&state, records);
        assert_eq!(report["summary"]["status"], UNFINISHED);
        assert_eq!(report["result"]["status"], UNFINISHED);
        assert_eq!(report["summary"]["success"], false);
    }
}
