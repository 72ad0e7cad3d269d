//! What agents warned of while they worked: whoever gave a serious warning is asked whether it stands in the way of
//! its result.

use std::collections::BTreeSet;

use candor_model::{Broadcast, JsonMap, MessagePriority, MessageType, Phase, Query, QueryType, TaskId};
use candor_planning::criterion;

use crate::PhaseContext;

/// How long an agent may think about its own warning, in milliseconds.
const WITHIN: u64 = 5_000;
/// So many warnings are asked about at most.
const MOST: usize = 10;

/// What the agents warned of.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Who must be asked before anything can be said.
    pub(super) to_ask: Vec<Query>,
    /// Tasks whose result cannot be used as it is, and why.
    pub(super) blocking: Vec<(TaskId, String)>,
    /// What should be known and stands in nobody's way.
    pub(super) warnings: Vec<String>,
}

/// Looks at every warning, each of them once.
pub(super) fn look(cx: &PhaseContext<'_>) -> Told {
    let mut told = Told::default();
    let mut seen = BTreeSet::new();
    let warnings = (1..).zip(cx.messages).filter(|(_, message)| {
        message.phase == Phase::Execution && message.message_type == MessageType::Warning
    });
    for (number, warning) in warnings {
        let line = format!("{}: {}", warning.from_agent, warning.content);
        if seen.insert(line.clone()) {
            judge(cx, number, warning, line, &mut told);
        }
    }
    told
}

fn judge(cx: &PhaseContext<'_>, number: usize, warning: &Broadcast, line: String, told: &mut Told) {
    let id = format!("warning_{number}");
    let answer = cx.responses.iter().find(|response| response.query_id == id);
    let serious = matches!(warning.priority, MessagePriority::High | MessagePriority::Critical);
    let Some(task_id) = warning.task_id.clone().filter(|_| serious) else {
        return told.warnings.push(line);
    };
    if answer.is_none() && told.to_ask.len() < MOST {
        return told.to_ask.push(question(id, warning, task_id));
    }
    // A critical one was put to a person when it was told; only the agent itself can make it more than that.
    let confirmed = answer.is_some_and(|answer| answer.response.is_ok());
    if confirmed && criterion::is_blocking(warning, answer) {
        told.blocking.push((task_id, format!("{line} (it says that this is critical)")));
    } else {
        told.warnings.push(line);
    }
}

fn question(id: String, warning: &Broadcast, task_id: TaskId) -> Query {
    let context: JsonMap = [("warning".to_owned(), warning.content.clone().into())].into_iter().collect();
    Query {
        id,
        from_agent: Phase::Validation.lead_agent().to_owned(),
        task_id,
        to_agent: warning.from_agent.clone(),
        query_type: QueryType::Validation,
        query: format!("You warned: {}. Is this critical for your result?", warning.content),
        context,
        timeout: WITHIN,
    }
}
