//! Agents talk to each other: what they tell everyone, what they ask one another, and where they contradict.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{Broadcast, ChoiceRequest, ConflictResolution, EventBody, Phase, Query, QueryResponse};
use candor_planning::conflict::{self, ConflictRules, Recommendation};
use candor_planning::{bus, gates};

use super::choices;
use super::draft::{Decision, Draft};
use crate::Refusal;
use crate::state::Stage;

/// Someone told everyone at work something.
pub(super) fn broadcast(draft: &mut Draft<'_>, message: &Arc<Broadcast>, rules: &ConflictRules) {
    let known = draft.state.messages().contains(message);
    draft.emit(EventBody::Broadcast { message: Arc::clone(message) });
    // Nobody is asked about the same thing twice.
    if known {
        return;
    }
    if message.is_alarm() {
        // Nothing new is started until a person has said what is to be done.
        choices::ask(draft, gates::alarm(message));
    }
    contradictions(draft, message, rules);
}

/// Whoever asked is gone with the process, and asks again when they get to work again.
pub(super) fn taken_up(draft: &mut Draft<'_>) {
    close_all(draft, "the process ended before there was an answer");
}

/// Nobody waits for an answer any more.
pub(super) fn close_all(draft: &mut Draft<'_>, reason: &str) {
    let open: Vec<Query> = draft.state.open_queries().cloned().collect();
    for Query { id, from_agent, to_agent, .. } in open {
        let response = Box::new(QueryResponse {
            from_agent: to_agent,
            to_agent: from_agent,
            query_id: id,
            response: Err(reason.to_owned()),
            confidence: 0,
            processing_time: 0,
        });
        draft.emit(EventBody::QueryAnswered { response });
    }
}

/// An agent asks another one.
pub(super) fn query(draft: &mut Draft<'_>, query: Query) -> Result<(), Refusal> {
    let open: Vec<Query> = draft.state.open_queries().cloned().collect();
    let bad = |reason: String| Err(Refusal::BadQuery { id: query.id.clone(), reason });
    if open.iter().any(|other| other.id == query.id) {
        return bad("a question of that name is open".to_owned());
    }
    if bus::would_wait_in_circles(&open, &query) {
        return bad(format!(
            "{} waits for {} already, so both would wait for ever",
            query.to_agent, query.from_agent
        ));
    }
    draft.emit(EventBody::AgentQueried { query: Box::new(query) });
    Ok(())
}

/// What came of a question.
pub(super) fn answered(draft: &mut Draft<'_>, response: QueryResponse) -> Result<(), Refusal> {
    if draft.state.open_queries().all(|query| query.id != response.query_id) {
        let (id, reason) = (response.query_id, "it is not open".to_owned());
        return Err(Refusal::BadQuery { id, reason });
    }
    draft.emit(EventBody::QueryAnswered { response: Box::new(response) });
    Ok(())
}

/// Recommendations on the same matter by different agents are brought together as soon as they differ.
fn contradictions(draft: &mut Draft<'_>, message: &Broadcast, rules: &ConflictRules) {
    let Some((topic, _)) = recommendation(message) else { return };
    let phase = message.phase;
    let mut sides: BTreeMap<String, Recommendation> = BTreeMap::new();
    for told in draft.projected().messages().iter().filter(|told| told.phase == phase) {
        if let Some((other, side)) = recommendation(told)
            && other == topic
        {
            sides.insert(side.agent.clone(), side);
        }
    }
    let sides: Vec<Recommendation> = sides.into_values().collect();
    if sides.len() < 2 {
        return;
    }
    if matches!(draft.projected().stage(), Stage::Stopping { .. } | Stage::Ended(_)) {
        return;
    }
    let objective = draft.state.request().to_owned();
    let Some(conflict) = conflict::resolve(&sides, &objective, rules) else { return };
    settle(draft, phase, &topic, &sides, &conflict);
}

/// What a message recommends, and on which matter.
fn recommendation(message: &Broadcast) -> Option<(String, Recommendation)> {
    let mut said = message.data.get("recommendation")?.as_object()?.clone();
    let topic = said.remove("topic")?.as_str()?.trim().to_lowercase();
    said.insert("agent".to_owned(), message.from_agent.clone().into());
    Some((topic, serde_json::from_value(said.into()).ok()?))
}

fn settle(
    draft: &mut Draft<'_>,
    phase: Phase,
    topic: &str,
    sides: &[Recommendation],
    conflict: &conflict::Conflict,
) {
    let reason = format!("{topic}: {}", conflict.resolution.reason);
    if conflict::needs_person(conflict) {
        let listed: Vec<(String, String)> =
            sides.iter().map(|side| (side.agent.clone(), side.text.clone())).collect();
        let critical = conflict.conflict_type == conflict::ConflictType::Critical;
        return choices::ask(draft, gates::conflict(phase, &reason, &listed, critical));
    }
    let between: Vec<String> = sides.iter().map(|side| format!("{}: {}", side.agent, side.text)).collect();
    let winner = conflict.resolution.winner.clone().unwrap_or_default();
    draft.record(Decision {
        operation: "conflict_resolution",
        task_id: None,
        input: between.join(" / "),
        decision: winner.clone(),
        reasoning: reason.clone(),
        confidence: None,
    });
    let resolution = format!("{winner} ({reason})");
    let conflict = serde_json::to_value(conflict).ok();
    let resolved = ConflictResolution { between, resolution, conflict };
    draft.emit(EventBody::ConflictResolved(Box::new(resolved)));
}

/// A person settled a conflict.
pub(super) fn settled(draft: &mut Draft<'_>, request: &ChoiceRequest, option: &str) {
    let between = request.concerns.clone();
    let winner = request.option(option).map_or_else(String::new, |option| option.label.clone());
    let resolution = format!("{winner} (a person decided)");
    let resolved = ConflictResolution { between, resolution, conflict: None };
    draft.emit(EventBody::ConflictResolved(Box::new(resolved)));
    choices::go_on(draft);
}
