//! Questions with options: they are put, and what was chosen is done.

use candor_model::{
    Answer, Choice, ChoiceKind, ChoiceOption, ChoiceRequest, EventBody, GateId, Phase, PlanningError,
    PromptSource, Question,
};
use candor_planning::gates;

use super::draft::{Decision, Draft};
use super::{control, ending, guard, notes, phases, rework, schedule, undo};
use crate::Refusal;
use crate::state::Stage;

/// Puts a question. If nobody is there to be asked, what is done then is done at once, on record.
pub(super) fn ask(draft: &mut Draft<'_>, request: ChoiceRequest) {
    put(draft, request);
    by_default(draft);
}

/// Puts a question, unless it is open already. Nothing follows from it yet: whoever puts it before their own
/// work is on record says [`by_default`] afterwards.
pub(super) fn put(draft: &mut Draft<'_>, request: ChoiceRequest) {
    let ahead = draft.projected();
    // Nobody is asked how to go on with what ends.
    if matches!(ahead.stage(), Stage::Stopping { .. } | Stage::Ended(_)) {
        return;
    }
    let is_same = |question: &Question| match question {
        Question::Choice(open) => {
            (open.about, open.phase, &open.reason) == (request.about, request.phase, &request.reason)
        }
        _ => false,
    };
    if ahead.open_questions().values().any(is_same) {
        return;
    }
    let gate = GateId::choice(request.about.as_str(), ahead.next_question());
    draft.emit(EventBody::HumanAsked { gate, question: Box::new(Question::Choice(request)) });
}

/// If nobody is there to be asked, does what is done then, on record, for every open question that knows.
pub(super) fn by_default(draft: &mut Draft<'_>) {
    while draft.state.settings().unattended {
        let open = draft.projected().open_questions().iter().find_map(|(gate, question)| match question {
            Question::Choice(request) => Some((gate.clone(), request.clone(), request.default.clone()?)),
            _ => None,
        });
        let Some((gate, request, option)) = open else { return };
        take_default(draft, &gate, &request, option);
    }
}

fn take_default(draft: &mut Draft<'_>, gate: &GateId, request: &ChoiceRequest, option: String) {
    draft.record(Decision {
        operation: "answer_by_default",
        task_id: None,
        input: request.reason.clone(),
        decision: option.clone(),
        reasoning: format!("nobody is there to be asked at {gate}, and this is what is done then"),
        confidence: None,
    });
    let choice = Choice { option, text: String::new(), by_default: true };
    close(draft, gate, choice.clone());
    if let Err(refusal) = act(draft, request, &choice) {
        ending::abort(draft, halted(request, refusal.to_string()));
    }
}

/// Questions about what is no longer so are taken back.
pub(super) fn withdraw_all(draft: &mut Draft<'_>, reason: &str) {
    let open: Vec<GateId> = draft.projected().open_questions().keys().cloned().collect();
    for gate in open {
        draft.emit(EventBody::QuestionWithdrawn { gate, reason: reason.to_owned() });
    }
}

/// A person chose.
pub(super) fn answered(
    draft: &mut Draft<'_>,
    gate: &GateId,
    request: &ChoiceRequest,
    choice: Choice,
) -> Result<(), Refusal> {
    let option = request.option(&choice.option).ok_or_else(|| not_offered(gate, request, &choice.option))?;
    if option.takes_text && choice.text.trim().is_empty() {
        return Err(Refusal::WordsMissing { gate: gate.clone(), option: option.id.clone() });
    }
    let choice = Choice { option: option.id.clone(), ..choice };
    check(draft, option, &choice)?;
    close(draft, gate, choice.clone());
    act(draft, request, &choice)
}

fn not_offered(gate: &GateId, request: &ChoiceRequest, given: &str) -> Refusal {
    let offered: Vec<&str> = request.options.iter().map(|option| option.id.as_str()).collect();
    Refusal::NotOffered { gate: gate.clone(), given: given.to_owned(), offered: offered.join(", ") }
}

/// What cannot be done is refused before anything is on record.
fn check(draft: &Draft<'_>, option: &ChoiceOption, choice: &Choice) -> Result<(), Refusal> {
    match option.id.as_str() {
        gates::REWORD | gates::OWN_WORDS => {
            control::check_words(&choice.text, draft.state.settings().phase_limits().max_request_bytes)
        }
        gates::ROLLBACK => control::checkpoint_of(draft, &choice.text).map(|_| ()),
        _ => Ok(()),
    }
}

fn close(draft: &mut Draft<'_>, gate: &GateId, choice: Choice) {
    draft.emit(EventBody::HumanAnswered { gate: gate.clone(), answer: Box::new(Answer::Choice(choice)) });
}

fn halted(request: &ChoiceRequest, reason: String) -> PlanningError {
    let what = match request.concerns.as_slice() {
        [] => request.about.to_string(),
        concerns => format!("{} {}", request.about, concerns.join(", ")),
    };
    PlanningError::Halted { what, reason }
}

/// Does what was chosen.
pub(super) fn act(draft: &mut Draft<'_>, request: &ChoiceRequest, choice: &Choice) -> Result<(), Refusal> {
    let words = choice.text.trim().to_owned();
    match (request.about, choice.option.as_str()) {
        // What the agent's options mean is the agent's business.
        (ChoiceKind::Agent, _) => notes::answered(draft, request, choice),
        (_, gates::STOP) => ending::abort(draft, halted(request, request.reason.clone())),
        (_, gates::REWORD) => guard::change_words(draft, words, PromptSource::OwnWords, None),
        (_, gates::ROLLBACK) => {
            let to = control::checkpoint_of(draft, &words)?;
            control::roll_back(draft, to, None)?;
        }
        (_, "clarify") => {
            let added = format!("{}\n\nClarification: {words}", draft.state.request());
            guard::change_words(draft, added, PromptSource::Clarified, None);
        }
        (ChoiceKind::Guardrail, _) => guard::overrule(draft, &request.concerns),
        (ChoiceKind::Enhancement, option) => enhance(draft, request, option, words),
        (ChoiceKind::Validation, gates::RETRY) => rework::once_more(draft, &request.concerns),
        (ChoiceKind::Validation, _) => rework::accept(draft),
        (ChoiceKind::Blocker, gates::RETRY) => match request.phase {
            Some(phase) => phases::begin(draft, [phase].into()),
            None => go_on(draft),
        },
        (ChoiceKind::Undo, option) => undo::chosen(draft, request, option),
        (ChoiceKind::Conflict, option) => super::talk::settled(draft, request, option),
        _ => go_on(draft),
    }
    Ok(())
}

fn enhance(draft: &mut Draft<'_>, request: &ChoiceRequest, option: &str, words: String) {
    match option {
        gates::ORIGINAL => go_on(draft),
        gates::OWN_WORDS => guard::change_words(draft, words, PromptSource::OwnWords, None),
        letter => match request.option(letter) {
            Some(variant) => {
                let (text, letter) = (variant.details.clone(), variant.id.clone());
                guard::change_words(draft, text, PromptSource::Enhanced, Some(letter));
            }
            None => go_on(draft),
        },
    }
}

/// Goes on with whatever the question held up, unless another one is open.
pub(super) fn go_on(draft: &mut Draft<'_>) {
    let ahead = draft.projected();
    if ahead.is_held() {
        return;
    }
    let all_done = ahead.completed_phases().contains(&Phase::Consolidation);
    match ahead.stage() {
        Stage::Executing => schedule::after_change(draft),
        Stage::Proposed => super::proposal::enter_execution(draft),
        Stage::Closing { phase: Phase::Consolidation } if all_done => ending::finished(draft),
        _ => phases::proceed(draft),
    }
}
