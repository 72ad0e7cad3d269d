//! Events in the making, and the state as it will be once they are applied.

use candor_model::{
    ConfidenceChange, DecisionEntry, Event, EventBody, LogLevel, Notification, TaskId, Timestamp,
};

use crate::RunState;

/// The events decided so far.
///
/// Most decisions need only the state before them. Those that change the plan look [`Draft::ahead`],
/// which copies the state once; it shares the plan itself, so the copy is small.
pub(super) struct Draft<'a> {
    pub(super) state: &'a RunState,
    pub(super) now: Timestamp,
    events: Vec<Event>,
    ahead: Option<Box<RunState>>,
    applied: usize,
}

impl<'a> Draft<'a> {
    pub(super) const fn new(state: &'a RunState, now: Timestamp) -> Self {
        Self { state, now, events: Vec::new(), ahead: None, applied: 0 }
    }

    /// Decides that this happens.
    pub(super) fn emit(&mut self, body: EventBody) {
        self.events.push(Event::new(self.now, body));
    }

    /// Tells people something.
    pub(super) fn notify(&mut self, notification: Notification) {
        self.emit(EventBody::Notified { notification: Box::new(notification) });
    }

    /// Puts a decision with its reasoning on record.
    pub(super) fn record(&mut self, decision: Decision<'_>) {
        let entry = DecisionEntry {
            timestamp: self.now,
            level: LogLevel::Info,
            operation: decision.operation.to_owned(),
            plan_id: self.ahead_or_now().work().map(|work| work.plan().plan_id.clone()),
            task_id: decision.task_id.cloned(),
            input: decision.input,
            decision: decision.decision,
            reasoning: decision.reasoning,
            confidence: decision.confidence,
            cost: self.state.cost_of(decision.operation),
        };
        self.emit(EventBody::DecisionMade { entry: Box::new(entry) });
    }

    /// The state once everything decided so far is applied.
    pub(super) fn projected(&mut self) -> &RunState {
        let ahead = self.ahead.get_or_insert_with(|| Box::new(self.state.clone()));
        for event in self.events.iter().skip(self.applied) {
            ahead.apply(event);
        }
        self.applied = self.events.len();
        ahead
    }

    /// The events, and the state after them if it was looked at.
    pub(super) fn into_events(mut self) -> (Vec<Event>, Option<Box<RunState>>) {
        if self.ahead.is_some() {
            self.projected();
        }
        (self.events, self.ahead)
    }

    fn ahead_or_now(&self) -> &RunState {
        self.ahead.as_deref().unwrap_or(self.state)
    }
}

/// A decision for the record.
pub(super) struct Decision<'a> {
    pub(super) operation: &'a str,
    pub(super) task_id: Option<&'a TaskId>,
    pub(super) input: String,
    pub(super) decision: String,
    pub(super) reasoning: String,
    pub(super) confidence: Option<ConfidenceChange>,
}
