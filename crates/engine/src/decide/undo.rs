//! Going back does not turn the world back: what agents changed can be undone, and a person says whether it is.

use candor_model::{Announcement, ChoiceRequest, EventBody, Notification, Severity, UndoStep, Undone};
use candor_planning::gates;

use super::choices;
use super::draft::Draft;
use crate::Refusal;

/// Asks whether what the run went back behind is to be undone; says whether there is anything to ask.
pub(super) fn offer(draft: &mut Draft<'_>) -> bool {
    let open = draft.projected().undoable();
    if open.is_empty() {
        return false;
    }
    choices::ask(draft, gates::undo(&open));
    true
}

/// A person said what is to become of the changes.
pub(super) fn chosen(draft: &mut Draft<'_>, request: &ChoiceRequest, option: &str) {
    if option == gates::UNDO {
        let step = UndoStep::Requested { keys: request.concerns.clone() };
        return draft.emit(EventBody::Undo(Box::new(step)));
    }
    warn(draft, "Side effects are kept", &request.reason);
    choices::go_on(draft);
}

/// Something was undone, or could not be.
pub(super) fn undone(draft: &mut Draft<'_>, key: String, undone: Undone) -> Result<(), Refusal> {
    if !draft.state.undoing().contains(&key) {
        return Err(Refusal::NotUndoing { key });
    }
    if !undone.success {
        warn(draft, "A change could not be undone", &format!("{key}: {}", undone.summary));
    }
    draft.emit(EventBody::Undo(Box::new(UndoStep::Ended { key, undone })));
    if draft.projected().undoing().is_empty() {
        choices::go_on(draft);
    }
    Ok(())
}

fn warn(draft: &mut Draft<'_>, title: &str, text: &str) {
    draft.notify(Notification::Announcement(Announcement {
        severity: Severity::Warning,
        timestamp: draft.now,
        task_id: None,
        title: title.to_owned(),
        text: text.to_owned(),
        suggestion: Some("`candor effects RUN` lists every change, and what is known of it".to_owned()),
    }));
}
