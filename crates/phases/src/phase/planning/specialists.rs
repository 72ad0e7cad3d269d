//! Questions that planning puts to a configured agent before it decides. The answers are inputs of the plan's tasks and
//! stand in the prompt of the model that judges it.

use candor_model::{Effect, JsonMap, Phase, Query, QueryType, SubTask, TaskId};
use candor_planning::phase::DecisionNote;
use serde_json::Value;

use crate::pack::words_in;
use crate::{Incomplete, PhaseContext, Phases, PlanningQuestion};

/// The input of every task that has the answers, by question.
pub(crate) const ANSWERS: &str = "specialists";

/// Puts the questions that are about this request, and gives the tasks the answers once they are there. An agent that
/// does not answer in time holds nothing up.
pub(super) fn ask(
    phases: &Phases,
    cx: &PhaseContext<'_>,
    tasks: &mut [SubTask],
    notes: &mut Vec<String>,
) -> Result<Vec<DecisionNote>, Incomplete> {
    let about =
        |question: &&PlanningQuestion| question.when.is_empty() || words_in(cx.request, &question.when) > 0;
    let (mut open, mut answers, mut decisions) = (Vec::new(), JsonMap::new(), Vec::new());
    for (number, asked) in (1..).zip(phases.rules.questions.iter().filter(about)) {
        let id = format!("planning_{number}");
        match cx.responses.iter().find(|response| response.query_id == id) {
            None => open.push(Effect::QueryAgent { query: Box::new(query(id, asked, cx)?) }),
            Some(response) => match &response.response {
                Ok(answer) => {
                    decisions.push(decision(asked, answer));
                    answers.insert(asked.question.clone(), answer.clone());
                }
                Err(reason) => notes.push(format!("{} did not answer: {reason}", asked.agent)),
            },
        }
    }
    if !open.is_empty() {
        return Err(Incomplete::Needs(open));
    }
    if !answers.is_empty() {
        for task in tasks {
            task.inputs.insert(ANSWERS.to_owned(), Value::Object(answers.clone()));
        }
    }
    Ok(decisions)
}

fn query(id: String, asked: &PlanningQuestion, cx: &PhaseContext<'_>) -> Result<Query, Incomplete> {
    Ok(Query {
        id,
        from_agent: Phase::Planning.lead_agent().to_owned(),
        task_id: TaskId::new("planning").map_err(|error| error.to_string())?,
        to_agent: asked.agent.clone(),
        query_type: QueryType::Data,
        query: asked.question.clone(),
        context: [("request".to_owned(), cx.request.into())].into_iter().collect(),
        timeout: asked.timeout.as_millis(),
    })
}

fn decision(asked: &PlanningQuestion, answer: &Value) -> DecisionNote {
    let answer = answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
    DecisionNote {
        operation: "ask_specialist",
        task_id: None,
        input: asked.question.clone(),
        decision: answer,
        reasoning: format!("{} was asked before the plan was decided; its tasks get the answer", asked.agent),
    }
}
