//! Smaller tasks in the place of one that is too much for one agent in one go.
//!
//! Owns the two ways to make a task smaller: half of a list in its inputs, or one of the parts that its description
//! lists. It knows lists, not meanings: a task that has neither is left whole.

use candor_model::{JsonMap, ReplanStrategy, SubTask, TaskId, TaskStatus, Text};
use serde_json::{Value, json};

use crate::replan::lineage;
use crate::replan::{Answer, Draft, Failure};

/// More parts than this are not made; the rest stays together in the last one.
const MAX_PARTS: usize = 4;

/// Replaces the failed task by smaller ones; nothing if it has no visible parts.
pub(super) fn answer(draft: &mut Draft<'_>, failure: &Failure<'_>) -> Option<Answer> {
    let task = draft.current(failure.task);
    let halves = halves(&task.inputs);
    let texts = steps(task.description.as_str());
    let count = halves.as_ref().map_or(texts.len(), |halves| halves.len());
    if count < 2 {
        return None;
    }
    let ids = draft.fresh_numbered_ids(&lineage::stem(&task), count);
    let named: Vec<&str> = ids.iter().map(TaskId::as_str).collect();
    let named = named.join(", ");
    let (id, reason) = (&task.task_id, failure.reason());
    let change = format!("Decompose task {id} into {count} smaller steps: {named}, because: {reason}");
    match halves {
        Some(halves) => {
            wait_for_all(draft, &task.task_id, &ids);
            draft.replace(&task.task_id, batches(&task, halves, ids));
        }
        None => draft.replace(&task.task_id, chain(&task, texts, ids)),
    }
    Some(Answer { strategy: ReplanStrategy::DecomposeFurther, changes: vec![change] })
}

/// The inputs with the first and with the second half of their longest list; nothing if none has two entries.
fn halves(inputs: &JsonMap) -> Option<[JsonMap; 2]> {
    let lists = inputs.iter().filter_map(|(name, value)| Some((name, value.as_array()?)));
    let (name, list) = lists.filter(|(_, list)| list.len() >= 2).max_by_key(|(_, list)| list.len())?;
    let (first, second) = list.split_at_checked(list.len().div_ceil(2))?;
    let with = |half: &[Value]| {
        let mut inputs = inputs.clone();
        inputs.insert(name.clone(), Value::Array(half.to_vec()));
        inputs
    };
    Some([with(first), with(second)])
}

/// The same task once for each batch. The batches do not need each other.
fn batches(task: &SubTask, batches: [JsonMap; 2], ids: Vec<TaskId>) -> Vec<SubTask> {
    let parts = ids.into_iter().zip(batches).map(|(id, inputs)| {
        let mut part = lineage::successor(task, id);
        part.inputs = inputs;
        part.estimated_duration_seconds = task.estimated_duration_seconds.divided_by(2);
        part
    });
    parts.collect()
}

/// Whoever needs the whole needs every batch: those that take the task's place are all waited for.
fn wait_for_all(draft: &mut Draft<'_>, whole: &TaskId, batches: &[TaskId]) {
    let waiting: Vec<SubTask> = draft.tasks().filter(|task| needs(task, whole)).cloned().collect();
    // The last one takes the place of the whole by itself.
    let others = batches.split_last().map_or(&[][..], |(_, others)| others);
    for mut task in waiting {
        task.dependencies.extend(others.iter().cloned());
        draft.modify(task);
    }
}

/// Whether the task waits for `id`. What a person left out waits for nothing.
fn needs(task: &SubTask, id: &TaskId) -> bool {
    task.status != TaskStatus::Skipped && task.dependencies.contains(id)
}

/// The first part waits for what the task waited for, each other one for the part before it; the last one
/// gives what the task was to give.
fn chain(task: &SubTask, texts: Vec<String>, ids: Vec<TaskId>) -> Vec<SubTask> {
    let count = ids.len();
    let mut dependencies = task.dependencies.clone();
    let mut parts = Vec::with_capacity(count);
    for (place, (id, text)) in ids.into_iter().zip(texts).enumerate() {
        let mut part = lineage::unrouted_successor(task, id.clone());
        // The name is the whole's; people must be able to tell the parts from each other.
        part.metadata.name = None;
        part.description = Text::or(text, "Do a part of the task");
        part.dependencies = std::mem::replace(&mut dependencies, vec![id]);
        part.inputs.entry("part_of").or_insert_with(|| json!(task.description));
        part.estimated_duration_seconds = task.estimated_duration_seconds.divided_by(count);
        if place + 1 < count {
            part.expected_outputs = vec![format!("{}_result", part.task_id)];
        }
        parts.push(part);
    }
    parts
}

/// What is said of a part after its own words, before the words of the whole.
const PART_OF: &str = " (only this part of: ";

/// The smaller tasks that the description lists, at most [`MAX_PARTS`]; none if it lists nothing.
///
/// A part alone has lost its subject ("latency" of what?), so each names the whole that it is a part of.
fn steps(description: &str) -> Vec<String> {
    let (own, whole) = match description.split_once(PART_OF) {
        // A part of a part: the whole stays what it was.
        Some((own, whole)) => (own, whole.strip_suffix(')').unwrap_or(whole)),
        None => (description, description.trim()),
    };
    if let Some(steps) = listed_in_parentheses(own) {
        return steps;
    }
    let parts = merged(&split(own));
    if parts.len() < 2 {
        return Vec::new();
    }
    parts.iter().map(|part| format!("{part}{PART_OF}{whole})")).collect()
}

/// `Book a package (flight + hotel)` lists what is to be booked: each step keeps the words around the list.
fn listed_in_parentheses(description: &str) -> Option<Vec<String>> {
    let (before, rest) = description.split_once('(')?;
    let (list, after) = rest.split_once(')')?;
    let parts = merged(&split(list));
    let context: Vec<&str> =
        [before, after].into_iter().map(str::trim).filter(|text| !text.is_empty()).collect();
    let step = |part: String| {
        if context.is_empty() { part } else { format!("{}: {part}", context.join(" ")) }
    };
    (parts.len() >= 2).then(|| parts.into_iter().map(step).collect())
}

/// Keeps at most [`MAX_PARTS`] parts: what is too many is joined to the last.
fn merged(parts: &[&str]) -> Vec<String> {
    let alone = if parts.len() > MAX_PARTS { MAX_PARTS - 1 } else { parts.len() };
    let (first, rest) = parts.split_at_checked(alone).unwrap_or((parts, &[]));
    let mut merged: Vec<String> = first.iter().map(|&part| part.to_owned()).collect();
    if !rest.is_empty() {
        merged.push(rest.join(", "));
    }
    merged
}

/// The parts between separators, those that say something.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut before) = (0, ' ');
    for (position, character) in text.char_indices() {
        let rest = text.get(position..).unwrap_or_default();
        if let Some(length) = separator(before, rest) {
            parts.push(text.get(start..position).unwrap_or_default());
            start = position + length;
        }
        before = character;
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts.retain(|part| part.chars().any(char::is_alphanumeric));
    parts.into_iter().map(str::trim).collect()
}

/// The length of the separator that `rest` begins with. `2,000`, `5+` and `C++` are no lists.
fn separator(before: char, rest: &str) -> Option<usize> {
    let mut characters = rest.chars();
    let first = characters.next()?;
    let after = characters.next().unwrap_or(' ');
    let separates = match first {
        ';' => true,
        ',' => !(before.is_ascii_digit() && after.is_ascii_digit()),
        '+' => !before.is_ascii_digit() && before != '+' && after != '+',
        _ => false,
    };
    // The space that ends one " and " may begin the next.
    let and = || rest.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(" and ")).then_some(4);
    if separates { Some(first.len_utf8()) } else { and() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_list_is_split() {
        // spec: planning RP-20
        assert_eq!(split("flight + hotel+car"), ["flight", "hotel", "car"]);
        assert_eq!(split("a; b, and c AND d"), ["a", "b", "c", "d"]);
        assert_eq!(split("a and and b"), ["a", "b"]);
    }

    #[test]
    fn a_part_keeps_its_subject() {
        let parts = steps("Research licence, index types and latency of Qdrant");
        assert_eq!(parts.len(), 3);
        assert_eq!(
            parts[1],
            "index types (only this part of: Research licence, index types and latency of Qdrant)"
        );
        assert!(parts.iter().all(|part| part.contains("latency of Qdrant")), "{parts:?}");
        assert_eq!(steps(&parts[1]), Vec::<String>::new(), "a part without parts is left whole");
        let five = steps("Buy apples, bread, cheese, dates, eggs");
        assert_eq!(steps(&five[3])[1], "eggs (only this part of: Buy apples, bread, cheese, dates, eggs)");
    }

    #[test]
    fn what_only_looks_like_a_list_is_left_whole() {
        for text in [
            "Recommend 5+ activities",
            "Spend $2,000",
            "Learn C++",
            "Visit Andorra",
            "Plan it (alone)",
            "",
            "+;,",
            "(",
            ")(",
        ] {
            assert!(split(text).len() <= 1, "{text}");
            assert_eq!(steps(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn words_after_the_list_are_kept() {
        assert_eq!(steps("Book (a, ñ) for May"), ["Book for May: a", "Book for May: ñ"]);
    }
}
