//! Agents at work talk to each other: over the log, each under the name that it really has.

use candor_engine::{Input, Refusal};
use candor_model::{
    AgentType, Asking, Broadcast, Effect, Phase, Query, QueryAnswer, QueryResponse, TaskId, Telling,
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::DriveError;
use super::actor::{Actor, Message};
use super::attempt::AttemptKey;
use super::batch::{Batch, Reply};
use super::line::answer_of;
use super::look::Wanted;

/// Who speaks: the agent, and the attempt at which it is at work.
#[derive(Debug, Clone)]
pub(super) struct Speaker {
    pub(super) agent: AgentType,
    pub(super) key: AttemptKey,
}

/// A question that was taken, and what tells when it is durable.
pub(super) type Taken = (Box<Query>, oneshot::Receiver<Result<(), DriveError>>);

impl Actor {
    /// Tells everyone at work what an agent says, under the name of the agent.
    pub(super) fn told(&mut self, from: &Speaker, telling: Telling, reply: Option<Reply>, batch: &mut Batch) {
        if !self.is_at_work(&from.key) {
            return refuse(reply, from);
        }
        let Telling { message_type, priority, content, data } = telling;
        let message = Box::new(Broadcast {
            phase: Phase::Execution,
            from_agent: from.agent.to_string(),
            task_id: Some(from.key.0.clone()),
            message_type,
            priority,
            content,
            data,
        });
        let rules = Box::new(self.shared.phases.rules().conflicts);
        self.take(Input::Broadcast { message, rules }, reply, batch);
    }

    /// Tells what an answer says beside its outcome.
    pub(super) fn tell_messages(&mut self, from: &Speaker, messages: Vec<Telling>, batch: &mut Batch) {
        for telling in messages {
            self.told(from, telling, None, batch);
        }
    }

    /// Puts an agent's question on the log; it is named here, so that no two have the same name.
    pub(super) fn asked(
        &mut self,
        from: &Speaker,
        asking: Asking,
        taken: oneshot::Sender<Taken>,
        batch: &mut Batch,
    ) {
        let (reply, durable) = oneshot::channel();
        let Asking { to_agent, query_type, query, context, timeout } = asking;
        let query = Box::new(Query {
            id: format!("query_{}", self.book.queries.saturating_add(1)),
            from_agent: from.agent.to_string(),
            task_id: from.key.0.clone(),
            to_agent,
            query_type,
            query,
            context,
            timeout,
        });
        // An asker that is gone has nobody left to wait for it; the question is closed with its attempt.
        let _ = taken.send((query.clone(), durable));
        if self.is_at_work(&from.key) {
            self.take(Input::Query { query }, Some(reply), batch);
        } else {
            refuse(Some(reply), from);
        }
    }

    /// The first of a phase's questions that is not on the log.
    pub(super) fn unasked(&self, queries: Vec<Query>) -> Option<Query> {
        let open: Vec<&str> = self.book.state.open_queries().map(|query| query.id.as_str()).collect();
        queries.into_iter().find(|query| !open.contains(&query.id.as_str()))
    }

    /// Puts the questions of phases that are on the log to the agents that they are for.
    pub(super) fn put_queries(&mut self) {
        let phases = Phase::Validation.lead_agent();
        let open: Vec<Query> =
            self.book.state.open_queries().filter(|query| query.from_agent == phases).cloned().collect();
        for query in open {
            let (wanted, run) = (Wanted::Answer(query.id.clone()), self.book.state.run_id().clone());
            let (registry, mail) = (self.shared.registry.clone(), self.mail.clone());
            self.looking.begin(wanted.clone(), async move {
                let response = Box::new(answer_of(&registry, &run, &query, &CancellationToken::new()).await);
                let input = Box::new(Input::QueryAnswered { response });
                // A driver that is gone has nobody left to tell.
                let _ = mail.send(Message::Looked { wanted, input }).await;
            });
        }
    }

    /// Closes the questions of an attempt that has come to its end: nobody waits for them any more.
    pub(super) fn close_queries(&mut self, task: &TaskId, batch: &mut Batch) {
        let open: Vec<Query> =
            self.book.state.open_queries().filter(|query| query.task_id == *task).cloned().collect();
        for query in open {
            self.take(unanswered(&query, "whoever asked has come to its end"), None, batch);
        }
    }

    /// Lets those at work hear what is new. Only to be called when the state is no longer ahead of the log.
    pub(super) fn spread(&mut self) {
        let messages = self.book.state.messages();
        // A run that begins anew has nothing told yet.
        let seen = if messages.len() < self.spread { 0 } else { self.spread };
        self.bus.spread(messages, seen);
        self.spread = messages.len();
    }

    /// Whether the engine wants this attempt to be made. One that is being stopped has no say any more.
    fn is_at_work(&self, key: &AttemptKey) -> bool {
        self.book.state.effects().any(|effect| match effect {
            Effect::InvokeAgent { task_id, attempt, .. } => task_id == key.0 && attempt == key.1,
            _ => false,
        })
    }
}

/// What is said of a question that nobody waits for any more.
pub(super) fn unanswered(query: &Query, reason: &str) -> Input {
    Input::QueryAnswered { response: Box::new(response(query, Err(reason.to_owned()), 0)) }
}

/// What came of a question.
pub(super) fn response(query: &Query, answer: Result<QueryAnswer, String>, took: u64) -> QueryResponse {
    QueryResponse {
        from_agent: query.to_agent.clone(),
        to_agent: query.from_agent.clone(),
        query_id: query.id.clone(),
        confidence: answer.as_ref().map_or(0, |answer| answer.confidence.min(100)),
        response: answer.map(|answer| answer.response),
        processing_time: took,
    }
}

fn refuse(reply: Option<Reply>, from: &Speaker) {
    let (task, attempt) = &from.key;
    let refusal = Refusal::StaleOutcome { task_id: task.clone(), attempt: *attempt };
    // Whoever spoke may be gone.
    reply.into_iter().for_each(|reply| _ = reply.send(Err(refusal.clone().into())));
}
