//! Breaking a task that is too much for one agent into smaller ones.
//!
//! Owns the splitter of descriptions and the chain of parts that takes the task's place. The splitter knows
//! lists, not meanings: what lists nothing becomes a step to prepare and one to complete.

use candor_model::{ReplanStrategy, SubTask, TaskId, Text};
use serde_json::json;

use super::draft::Draft;
use super::lineage;
use super::{Answer, Failure};

/// More parts than this are not made; the rest stays together in the last one.
const MAX_PARTS: usize = 4;

/// Replaces the failed task by a chain of its parts.
pub(super) fn answer(draft: &mut Draft<'_>, failure: &Failure<'_>) -> Answer {
    let task = draft.current(failure.task);
    let texts = steps(task.description.as_str());
    let ids = draft.fresh_numbered_ids(&lineage::stem(&task), texts.len());
    let named: Vec<&str> = ids.iter().map(TaskId::as_str).collect();
    let change = format!(
        "Decompose task {} into {} smaller steps: {}, because: {}",
        task.task_id,
        ids.len(),
        named.join(", "),
        failure.reason()
    );
    draft.replace(&task.task_id, chain(&task, texts, ids));
    Answer { strategy: ReplanStrategy::DecomposeFurther, changes: vec![change] }
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

/// Splits a description into two to four steps.
fn steps(description: &str) -> Vec<String> {
    let steps = listed_in_parentheses(description).unwrap_or_else(|| merged(&split(description)));
    if steps.len() >= 2 {
        return steps;
    }
    let whole = description.trim();
    vec![format!("Prepare: {whole}"), format!("Complete: {whole}")]
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
        assert_eq!(steps("Plan it (alone)"), ["Prepare: Plan it (alone)", "Complete: Plan it (alone)"]);
    }

    #[test]
    fn what_only_looks_like_a_list_is_left_whole() {
        for text in
            ["Recommend 5+ activities", "Spend $2,000", "Learn C++", "Visit Andorra", "", "+;,", "(", ")("]
        {
            assert!(split(text).len() <= 1, "{text}");
            assert_eq!(steps(text).len(), 2, "{text}");
        }
    }

    #[test]
    fn words_after_the_list_are_kept() {
        assert_eq!(steps("Book (a, ñ) for May"), ["Book for May: a", "Book for May: ñ"]);
    }
}
