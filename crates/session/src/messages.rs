//! Messages and questions between agents at work. They go over the log: each is durable before anyone gets it, and
//! stands under the name of whoever really sent it.

use std::sync::Arc;

use candor_engine::{Input, Refusal};
use candor_model::{
    Asking, Broadcast, MAX_TELLING_BYTES, MAX_TELLINGS, MessagePriority, MessageType, Phase, Query,
    QueryAnswer, QueryResponse, TaskId, Telling,
};

use serde_json::Value;

use crate::Session;
use crate::agents::stale;
use crate::input::{Answer, AttemptKey, RequestId, Ticket};

impl Session {
    /// What an agent says to everyone, under the name of the agent.
    pub(crate) fn message(&mut self, from: &AttemptKey, mut telling: Telling) -> Result<Input, Refusal> {
        let from_agent = self.agent_of(from)?;
        cut(&mut telling);
        let Telling { message_type, priority, content, data } = telling;
        self.read_talk(&format!("a message of {}", from.task_id), &content, &data.clone().into())?;
        let message = Arc::new(Broadcast {
            phase: Phase::Execution,
            from_agent,
            task_id: Some(from.task_id.clone()),
            message_type,
            priority,
            content,
            data,
        });
        Ok(Input::Broadcast { message, rules: Box::new(self.deps.phases.conflict_rules()) })
    }

    /// Puts an agent's question on the log. It is named here, so that no two have the same name; whoever asked gets
    /// the answer when that is on the log.
    pub(crate) fn query(&mut self, from: &AttemptKey, asking: Asking, ticket: Ticket) -> Result<(), Refusal> {
        let Asking { to_agent, query_type, query, context, timeout } = asking;
        self.read_talk(&format!("a question of {}", from.task_id), &query, &context.clone().into())?;
        let id = format!("query_{}", self.history.queries.saturating_add(1));
        let query = Box::new(Query {
            id: id.clone(),
            from_agent: self.agent_of(from)?,
            task_id: from.task_id.clone(),
            to_agent,
            query_type,
            query,
            context,
            timeout,
        });
        self.take(Input::Query { query }, None)?;
        self.asking.insert(id, ticket);
        Ok(())
    }

    /// What came of a question between agents.
    pub(crate) fn responded(&mut self, mut response: Box<QueryResponse>) {
        let subject = format!("an answer of {}", response.from_agent);
        let said = response.response.clone().unwrap_or_else(Value::String);
        if let Err(refusal) = self.read_talk(&subject, "", &said) {
            response.response = Err(refusal.to_string());
        }
        let (id, confidence) = (response.query_id.clone(), response.confidence);
        let answer = response.response.clone().map(|response| QueryAnswer { response, confidence });
        let taken = self.take(Input::QueryAnswered { response }, None);
        let Some(ticket) = self.asking.remove(&id) else { return };
        match taken {
            Ok(()) => self.batch.answers.push((ticket, Answer::Query(answer))),
            Err(refusal) => self.replies.push_back((ticket, Err(refusal))),
        }
    }

    /// Closes the questions of an attempt that has ended: nobody waits for them any more.
    pub(crate) fn close_queries(&mut self, task: &TaskId) {
        let open = self.history.state.open_queries().filter(|query| query.task_id == *task);
        let open: Vec<Query> = open.cloned().collect();
        for query in open {
            self.responded(Box::new(unanswered(&query, "whoever asked has come to its end")));
        }
    }

    /// Messages of agents at work that are durable and were not given out yet.
    pub fn take_messages(&mut self) -> Vec<Arc<Broadcast>> {
        let messages = self.history.state.messages();
        // A run that was restarted has no messages yet.
        let seen = if messages.len() < self.spread { 0 } else { self.spread };
        self.spread = messages.len();
        let new = messages.iter().skip(seen).filter(|message| message.phase == Phase::Execution);
        new.cloned().collect()
    }

    /// Counts a message of an attempt.
    pub(crate) fn count_message(&mut self, from: &AttemptKey) -> Result<(), Refusal> {
        let request = self.requests.get_mut(&RequestId::Attempt(from.clone())).ok_or_else(|| stale(from))?;
        let left = request.messages_left.checked_sub(1);
        request.messages_left = left.ok_or(Refusal::TooManyMessages { most: MAX_TELLINGS })?;
        Ok(())
    }

    /// Messages that come with an answer, cut to what the attempt may still send; what is left out is said.
    pub(crate) fn bounded(&self, from: &AttemptKey, mut messages: Vec<Telling>) -> Vec<Telling> {
        let request = self.requests.get(&RequestId::Attempt(from.clone()));
        let left = request.map_or(0, |request| request.messages_left);
        let surplus = messages.len().saturating_sub(left);
        if surplus > 0 {
            messages.truncate(left);
            messages.push(Telling {
                message_type: MessageType::Warning,
                priority: MessagePriority::Medium,
                content: format!("{surplus} more messages were left out: an attempt may send {MAX_TELLINGS}"),
                data: Default::default(),
            });
        }
        messages
    }

    fn agent_of(&self, attempt: &AttemptKey) -> Result<String, Refusal> {
        let request = self.requests.get(&RequestId::Attempt(attempt.clone()));
        let agent = request.and_then(|request| request.agent.as_ref());
        agent.map(ToString::to_string).ok_or_else(|| stale(attempt))
    }
}

/// What is said of a question that nobody answered.
pub(crate) fn unanswered(query: &Query, reason: &str) -> QueryResponse {
    QueryResponse {
        from_agent: query.to_agent.clone(),
        to_agent: query.from_agent.clone(),
        query_id: query.id.clone(),
        response: Err(reason.to_owned()),
        confidence: 0,
        processing_time: 0,
    }
}

/// Shortens what is too long; what was left out is said.
fn cut(telling: &mut Telling) {
    if telling.content.len() + data_bytes(telling) <= MAX_TELLING_BYTES {
        return;
    }
    if data_bytes(telling) > MAX_TELLING_BYTES / 2 {
        telling.data.clear();
        telling.content.push_str(" [data too large, left out]");
    }
    let most = MAX_TELLING_BYTES / 2;
    if telling.content.len() > most {
        let end = (0..=most).rev().find(|end| telling.content.is_char_boundary(*end)).unwrap_or(0);
        telling.content.truncate(end);
        telling.content.push_str(" [… cut]");
    }
}

fn data_bytes(telling: &Telling) -> usize {
    telling.data.values().map(|value| value.to_string().len()).sum()
}
