//! What is told of agents at work, event by event; and the ledger of their side effects.

use candor_model::{AgentNote, EventBody, LedgerEntry, Severity, TaskId, UndoStep};

use super::style::Mark;
use super::{text, words};

/// Longer than this, words are shortened; they are whole in the log.
const WORDS_COLUMNS: usize = 200;

/// Tells what an agent noted, or what was undone; nothing for what is a matter of the books only.
pub(super) fn tell(body: &EventBody, name: &dyn Fn(&TaskId) -> String) -> Option<(Severity, Mark, String)> {
    let short = |words: &str| text::shortened(&text::clean(words), WORDS_COLUMNS, true);
    let note = |words: String| Some((Severity::Info, Mark::Note, short(&words)));
    let warning = |words: String| Some((Severity::Warning, Mark::Warning, short(&words)));
    match body {
        EventBody::AgentNoted { task_id, note: noted, .. } => {
            let (good, words) = noted_in_words(noted, &name(task_id))?;
            if good { note(words) } else { warning(words) }
        }
        EventBody::Undo(step) => match step.as_ref() {
            UndoStep::Requested { keys } => {
                Some((Severity::Info, Mark::Again, words::undo_requested(keys.len())))
            }
            UndoStep::Ended { key, undone } if undone.success => note(words::undone(key, undone)),
            UndoStep::Ended { key, undone } => warning(words::undone(key, undone)),
        },
        _ => None,
    }
}

/// What a note says, for the log of its task.
pub(super) fn note_text(note: &AgentNote) -> Option<String> {
    noted_in_words(note, "").map(|(_, words)| words.trim_start_matches(": ").to_owned())
}

/// What a note says, and whether all is well.
fn noted_in_words(note: &AgentNote, task: &str) -> Option<(bool, String)> {
    match note {
        AgentNote::Planned { items, by } => Some((true, words::planned(task, items.len(), by))),
        AgentNote::Called { call, hints, .. } => {
            Some((true, words::called(task, &call.tool, &call.arguments, *hints)))
        }
        AgentNote::Returned { result, .. } if !result.success => {
            Some((false, words::call_failed(task, result)))
        }
        AgentNote::ReplanEnded { success, .. } => Some((*success, words::step_replanned(task, note)?)),
        AgentNote::ReplanAsked { item, .. } => Some((true, words::replan_asked(task, item))),
        AgentNote::Warned { text } => Some((false, words::at_desk(task, text))),
        AgentNote::Remote { task: theirs, state, .. } => Some((true, words::remote(task, theirs, state))),
        AgentNote::Session { program, id, state, tokens, cost } => {
            Some((true, words::session(task, (program, id), *state, (*tokens, *cost))))
        }
        AgentNote::Worked { step } => Some((step.success, words::worked(task, step))),
        AgentNote::Consulted { .. }
        | AgentNote::Decided { .. }
        | AgentNote::Returned { .. }
        | AgentNote::Marked { .. }
        | AgentNote::Changed { .. }
        | AgentNote::Said { .. }
        | AgentNote::ReplanTried { .. }
        | AgentNote::Asked { .. }
        | AgentNote::Answered { .. } => None,
    }
}

/// The ledger of a run, one change per paragraph.
pub(crate) fn ledger(entries: &[LedgerEntry]) -> String {
    if entries.is_empty() {
        return format!("{}\n", words::NO_EFFECTS.text());
    }
    entries.iter().map(entry).collect()
}

fn entry(entry: &LedgerEntry) -> String {
    let given = serde_json::to_string(&entry.arguments).unwrap_or_default();
    let given = text::shortened(&text::clean(&given), WORDS_COLUMNS, true);
    let mut told = say!(
        "{}  {}\n    {} {given}\n    by {} for {} (attempt {})\n",
        "{}  {}\n    {} {given}\n    de {} para {} (intento {})\n",
        entry.key,
        words::effect_standing(entry),
        entry.tool,
        entry.agent_type,
        entry.task_id,
        entry.attempt,
    );
    let receipt = entry.receipt.iter().map(|receipt| receipt.summary.as_str());
    let undone = entry.undone.iter().map(|undone| undone.summary.as_str());
    for line in receipt.chain(undone).filter(|line| !line.is_empty()) {
        let line = text::shortened(&text::clean(line), WORDS_COLUMNS, true);
        told.push_str(&format!("    {line}\n"));
    }
    if let Some(undo) = entry.can_be_undone() {
        told.push_str(&format!("    {}\n", words::can_be_undone(&undo.tool)));
    }
    told
}

#[cfg(test)]
mod tests {
    use candor_engine::RunState;
    use candor_model::RunId;

    use super::super::words::tests::story;
    use super::*;

    #[test]
    fn the_ledger_tells_what_was_intended_what_came_of_it_and_what_was_undone() {
        // spec: beyond BY-27
        let log = story("at_their_desks");
        let state = RunState::fold(RunId::new("run_x").unwrap(), &log).unwrap();
        let told = ledger(state.ledger());
        assert!(told.starts_with("call_1  undone\n    write_file {}\n"), "{told}");
        assert!(told.contains("by flight_agent for task_001 (attempt 1)"), "{told}");
        assert!(told.contains("removed"), "{told}");
        assert_eq!(ledger(&[]), "No side effects recorded.\n");
    }

    #[test]
    fn what_an_agent_does_is_told_and_its_books_are_not() {
        let told: Vec<String> = story("at_their_desks")
            .iter()
            .filter_map(|recorded| tell(&recorded.event.body, &|id| id.to_string()))
            .map(|(_, _, words)| words)
            .collect();
        assert_eq!(
            told,
            [
                "task_001: 1 step, planned by the task",
                "task_001: step step_1 is re-planned (RETRY_WITH_PARAMS → step_1): another path",
                "task_001: write_file {} (changes the world)",
                "task_001: one more thing",
                "task_001: remote task far working",
                "1 change is being undone, the latest first",
                "call_1: undone: removed",
            ]
        );
    }
}
