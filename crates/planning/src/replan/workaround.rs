//! Reaching the same result by another way.
//!
//! Owns the answer to every failure that no more specific strategy fits, or that one gave up on: the same
//! outputs are asked for, the search is widened, and the goal's least important constraint is named as phase.
//! It does not decide who does it: the new task is routed like any other.

use candor_model::{Constraint, Goal, JsonMap, ReplanStrategy, Text};
use serde_json::{Value, json};

use super::draft::Draft;
use super::lineage::{self, WORKAROUND};
use super::{Answer, Failure, ReplanContext, retry};

/// Opens the description of a task that takes another way.
const PREFIX: &str = "Find an alternative, also nearby, for: ";
/// The input by which a search is widened; it doubles from one workaround to the next.
const RADIUS: &str = "search_radius_factor";
/// Widening ends here; more would be no search any more.
const MAX_RADIUS: u64 = 1024;

/// Replaces the failed task by one that looks for an alternative.
pub(super) fn answer(draft: &mut Draft<'_>, failure: &Failure<'_>, context: &ReplanContext<'_>) -> Answer {
    let task = draft.current(failure.task);
    let room = room(context.goal);
    let id = draft.fresh_id(&lineage::stem(&task), WORKAROUND);
    let mut change = format!("Use workaround {id} for task {}, because: {}", task.task_id, failure.reason());
    if let Some(room) = &room {
        change.push_str(&format!(" (room is left in {room})"));
    }
    let mut next = lineage::unrouted_successor(&task, id);
    next.description = describe(&task.description);
    widen(&mut next.inputs, failure, room);
    draft.replace(&task.task_id, vec![next]);
    Answer { strategy: ReplanStrategy::FindWorkaround, changes: vec![change] }
}

/// The next workaround of the same task has the same description: it does not grow.
fn describe(description: &Text) -> Text {
    let text = retry::without_mark(description.as_str());
    let text = text.strip_prefix(PREFIX).unwrap_or(text);
    Text::or(format!("{PREFIX}{text}"), "Find an alternative")
}

fn widen(inputs: &mut JsonMap, failure: &Failure<'_>, room: Option<String>) {
    let before = inputs.get(RADIUS).and_then(Value::as_u64).unwrap_or(1);
    inputs.insert(RADIUS.to_owned(), json!(before.saturating_mul(2).clamp(2, MAX_RADIUS)));
    inputs.insert("alternative_locations".to_owned(), json!(true));
    inputs.insert("avoid".to_owned(), json!(failure.reason()));
    if let Some(room) = room {
        inputs.insert("flexible_constraint".to_owned(), json!(room));
    }
}

/// The goal's least important constraint; none if all weigh the same, for then none may give way.
fn room(goal: Option<&Goal>) -> Option<String> {
    let constraints = &goal?.constraints;
    let least = constraints.iter().min_by_key(|constraint| constraint.priority)?;
    let most = constraints.iter().max_by_key(|constraint| constraint.priority)?;
    let Constraint { kind, value, .. } = least;
    (least.priority < most.priority).then(|| format!("{kind}: {value}"))
}
