//! How events move what is known of a run.

use candor_model::{
    Broadcast, CritiqueVerdict, EventBody, ExecutionFeedback, Handoff, MessageType, OutcomeRecord, Phase,
    PhaseMetrics, QueryResponse, Timestamp,
};
use serde_json::Value;

use super::parts::{KnownFile, LoggedHandoff, LoggedQuery, ModifiedFile, Note};
use super::{SharedContext, SharedState};

/// The output under which agents tell what they changed: paths, or objects with `path`, `original` and `new`.
pub(crate) const FILES_MODIFIED_KEY: &str = "files_modified";

impl SharedState {
    pub(super) fn apply_rest(&mut self, body: &EventBody, at: Timestamp) {
        match body {
            EventBody::PhaseCompleted { phase, handoff, metrics } => {
                self.handed_over(*phase, handoff, metrics.as_deref(), at);
            }
            EventBody::PhaseFailed { phase, reason } => self.went_wrong(phase.as_str(), reason, at),
            EventBody::Broadcast { message } => self.told(message, at),
            EventBody::AgentQueried { query } => {
                let query = query.as_ref().clone();
                self.communication.queries.push(LoggedQuery { query, response: None });
            }
            EventBody::QueryAnswered { response } => self.answered(response),
            EventBody::Charged { amount, .. } => {
                self.metrics.total_cost = self.metrics.total_cost + *amount;
            }
            EventBody::Critiqued { phase, verdict: CritiqueVerdict::Refine, notes, .. } => {
                self.learnings.extend(notes.iter().map(|note| format!("{phase} was refined: {note}")));
            }
            EventBody::OutcomeRecorded(OutcomeRecord { report, .. }) => {
                let lessons = &report.lessons_learned;
                self.learnings.extend(lessons.what_worked.iter().chain(&lessons.what_failed).cloned());
            }
            body => self.apply_work(body, at),
        }
    }

    /// What the tasks bring.
    fn apply_work(&mut self, body: &EventBody, at: Timestamp) {
        match body {
            EventBody::TaskDispatched { task_id, agent_type, .. } => {
                self.working.insert(task_id.clone(), agent_type.clone());
            }
            EventBody::TaskSucceeded { task_id, feedback, .. } => {
                if let Some(agent) = self.working.remove(task_id) {
                    let (duration, cost) = (feedback.duration_seconds, feedback.cost);
                    self.metrics.record_agent(&agent, true, duration, cost);
                }
                self.context.changed(feedback, at);
            }
            EventBody::TaskFailed { task_id, agent_type, feedback, .. } => {
                self.working.remove(task_id);
                let (duration, cost) = (feedback.duration_seconds, feedback.cost);
                self.metrics.record_agent(agent_type, false, duration, cost);
                self.went_wrong(task_id.as_str(), &feedback.errors.join("; "), at);
                self.context.changed(feedback, at);
            }
            EventBody::TaskStopped { task_id, .. } => {
                self.working.remove(task_id);
            }
            _ => {}
        }
    }

    fn handed_over(
        &mut self,
        phase: Phase,
        handoff: &Handoff,
        metrics: Option<&PhaseMetrics>,
        at: Timestamp,
    ) {
        let tokens_used = handoff.context.tokens_consumed;
        let told = PhaseMetrics { tokens_used, ..PhaseMetrics::default() };
        self.metrics.record_phase(phase, metrics.unwrap_or(&told));
        let handoff = handoff.clone();
        self.communication.handoffs.push(LoggedHandoff { from: phase, to: phase.next(), at, handoff });
    }

    fn told(&mut self, message: &Broadcast, at: Timestamp) {
        match message.message_type {
            MessageType::Discovery => self.add_discovery(&message.from_agent, &message.content, at),
            MessageType::Warning => self.add_warning(&message.from_agent, &message.content, at),
            MessageType::Completion | MessageType::Request => {}
        }
        self.communication.broadcasts.push(message.clone());
    }

    fn answered(&mut self, response: &QueryResponse) {
        let mut asked = self.communication.queries.iter_mut().rev();
        if let Some(asked) = asked.find(|asked| asked.query.id == response.query_id) {
            asked.response = Some(response.clone());
        }
    }

    fn went_wrong(&mut self, source: &str, text: &str, at: Timestamp) {
        let errors = &mut self.context.errors;
        errors.push(Note::new("error", errors.len(), source, text, at));
    }
}

impl SharedContext {
    /// Takes over the files that an agent says it changed.
    fn changed(&mut self, feedback: &ExecutionFeedback, at: Timestamp) {
        let Some(Value::Array(files)) = feedback.actual_outputs.get(FILES_MODIFIED_KEY) else { return };
        for file in files {
            let field = |name: &str| file.get(name).and_then(Value::as_str).map(str::to_owned);
            match file.as_str().map(str::to_owned).or_else(|| field("path")) {
                Some(path) => self.changed_file(path, field("original"), field("new"), at),
                None => continue,
            }
        }
    }

    /// The first original and the last new text are kept. What an agent wrote need not be read again; what
    /// it changed without telling how must be.
    fn changed_file(&mut self, path: String, original: Option<String>, new: Option<String>, at: Timestamp) {
        let before = self.files_read.remove(&path);
        let known = || original.or_else(|| before.map(|file| file.content));
        if let Some(content) = new.clone() {
            let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
            self.files_read.insert(path.clone(), KnownFile { content, read_at: at, bytes, modified: None });
        }
        match self.files_modified.get_mut(&path) {
            Some(file) => file.new = new,
            None => {
                self.files_modified.insert(path, ModifiedFile { original: known(), new });
            }
        }
    }
}
