//! What was looked up outside the run for a phase: files, and checks of results.

use candor_model::{CheckResult, EventBody, Phase, ReadFile};

use super::draft::Draft;
use super::phases;
use crate::Refusal;

/// Files were read. Those that are known already are not kept twice.
pub(super) fn files(draft: &mut Draft<'_>, files: Vec<ReadFile>) {
    let known = draft.state.files();
    let new: Vec<ReadFile> = files.into_iter().filter(|file| known.get(&file.path) != Some(file)).collect();
    if !new.is_empty() {
        draft.emit(EventBody::FilesRead { files: new });
    }
}

/// Results were checked.
pub(super) fn checked(draft: &mut Draft<'_>, attempt: u32, results: Vec<CheckResult>) -> Result<(), Refusal> {
    phases::check_at_work(draft, Phase::Validation, attempt)?;
    let known = draft.state.checks();
    let new: Vec<CheckResult> =
        results.into_iter().filter(|result| known.iter().all(|old| old.check != result.check)).collect();
    if !new.is_empty() {
        draft.emit(EventBody::ResultsChecked { results: new });
    }
    Ok(())
}
