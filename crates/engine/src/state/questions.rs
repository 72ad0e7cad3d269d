//! Questions to people, and their answers.

use candor_model::{Answer, ChoiceKind, GateId, Question, Timestamp};
use candor_planning::gates;

use super::{RunState, Stage, TaskState};

impl RunState {
    pub(super) fn ask(&mut self, gate: &GateId, question: &Question) {
        self.counters.questions = self.counters.questions.saturating_add(1);
        self.gates.insert(gate.clone(), question.clone());
        if self.stage == Stage::Proposed {
            self.findings_mut().dialogue.put(question);
        }
        match question {
            Question::Guidance(request) => {
                self.set_task(&request.task_id, TaskState::Escalated(gate.clone()));
            }
            Question::Choice(request) if request.about == ChoiceKind::Enhancement => {
                self.findings_mut().prompts.offers += 1;
            }
            Question::Choice(request) if request.about == ChoiceKind::Agent => self.suspend(request, gate),
            Question::Choice(_) | Question::Approval { .. } => {}
        }
    }

    pub(super) fn answer(&mut self, gate: &GateId, answer: &Answer, at: Timestamp) {
        self.owe_choice(gate, answer);
        if let Answer::Approval(decision) = answer
            && self.stage == Stage::Proposed
        {
            self.findings_mut().dialogue.discuss(decision);
        }
        if let (Answer::Choice(choice), Some(Question::Choice(request))) = (answer, self.gates.get(gate))
            && request.about == ChoiceKind::Budget
            && choice.option == gates::CONTINUE
        {
            let more = self.settings.phase_limits().token_budget;
            let phases = &mut self.findings_mut().phases;
            phases.tokens_allowed = phases.tokens_allowed.saturating_add(more);
        }
        if let (Answer::Choice(choice), Some(Question::Choice(request))) = (answer, self.gates.get(gate))
            && request.about == ChoiceKind::Validation
        {
            self.findings_mut().validation.accepted = choice.option == gates::ACCEPT && !choice.by_default;
        }
        // The time in which people think is not planning's.
        if let Stage::Preparing { since, .. } = &mut self.stage {
            *since = at;
        }
        self.close_gate(gate);
    }

    /// The question needs no answer any more; a task that it was about has failed for now.
    pub(super) fn close_gate(&mut self, gate: &GateId) {
        if let Some(Question::Guidance(request)) = self.gates.remove(gate) {
            self.set_task(&request.task_id, TaskState::Failed);
        }
    }
}
