//! Messages that come: the first one begins a run, later ones answer what it asks.

use std::io;

use a2a::{A2AError, Message, PartContent, Role};
use candor_app::Service;
use candor_app::tokens::Scope;
use candor_model::{Position, RunId, RunStatus};
use serde_json::Value;

use super::super::Shared;
use super::super::auth::Caller;
use super::super::control::{self, Act, AnswerBody, StartBody};
use super::conversations::{Conversations, Heard};
use super::{Refusal, needs};
use crate::report::{DecisionReport, QuestionReport};

/// How long an id may be that somebody else made.
const LONGEST_ID: usize = 512;
/// The word that goes on with a run that rests.
pub(super) const RESUME: &str = "resume";

/// What came of a message.
pub(super) struct Taken {
    /// Id of the run, which is the task of A2A.
    pub(super) run: RunId,
    /// Where the run stood before, if it was there: only what follows is waited for.
    pub(super) after: Option<Position>,
}

/// Takes a message: begins a run, or answers what one asks.
pub(super) async fn take(server: &Shared, caller: &Caller, message: Message) -> Result<Taken, Refusal> {
    if message.role != Role::User {
        return Err(A2AError::invalid_params("a message to this agent has the role ROLE_USER").into());
    }
    for (name, id) in [("messageId", Some(&message.message_id)), ("contextId", message.context_id.as_ref())] {
        if id.is_some_and(|id| id.is_empty() || id.len() > LONGEST_ID) {
            let problem = format!("{name} has 1 to {LONGEST_ID} bytes");
            return Err(A2AError::invalid_params(problem).into());
        }
    }
    match message.task_id.clone().filter(|task| !task.is_empty()) {
        None => begin(server, caller, message).await,
        Some(task) => {
            let run = found(server, &task).await?;
            reply(server, caller, run, message).await
        }
    }
}

/// The run that a task's name names.
pub(super) async fn found(server: &Shared, task: &str) -> Result<RunId, Refusal> {
    let unknown = || A2AError::task_not_found(task);
    let run = RunId::new(task).map_err(|_| unknown())?;
    if server.service.exists(&run).await? { Ok(run) } else { Err(unknown().into()) }
}

async fn begin(server: &Shared, caller: &Caller, message: Message) -> Result<Taken, Refusal> {
    needs(caller, Scope::Admin)?;
    let body = order(&message)?;
    let key = format!("a2a {}", message.message_id);
    let run = Service::run_of_key(&control::key_of(caller, &key))?;
    let conversations = Conversations::of(server.service.folder());
    if conversations.heard(&run).is_empty() {
        let context = message.context_id.unwrap_or_else(a2a::new_context_id);
        let heard = Heard { context, message: message.message_id, decided: String::new() };
        conversations.begin(&run, &heard).map_err(|error| unwritten(&error))?;
    }
    control::begin(server, caller, Some(key), body).await?;
    Ok(Taken { run, after: None })
}

/// What a run begins with: the words of a message, with its data behind them; a plan if its data has one.
fn order(message: &Message) -> Result<StartBody, Refusal> {
    let (mut words, mut named, mut plan) = (Vec::new(), Vec::new(), None);
    for part in &message.parts {
        match &part.content {
            PartContent::Text(text) => words.extend(Some(text.trim()).filter(|text| !text.is_empty())),
            PartContent::Data(Value::Object(data)) if data.get("plan").is_some_and(Value::is_object) => {
                plan = data.get("plan").and_then(Value::as_object).cloned();
            }
            PartContent::Data(data) => {
                relevant(data).into_iter().for_each(|(path, value)| name_values(path, value, &mut named));
            }
            PartContent::Raw(_) | PartContent::Url(_) => {
                return Err(A2AError::content_type_not_supported().into());
            }
        }
    }
    let mut goal = words.join("\n");
    if !named.is_empty() {
        goal.push_str(&format!(" ({})", named.join("; ")));
    }
    let goal = Some(goal.trim().to_owned()).filter(|goal| !goal.is_empty());
    if goal.is_none() && plan.is_none() {
        let problem = "the message says nothing; say in plain words what is to be reached";
        return Err(A2AError::invalid_params(problem).into());
    }
    // A message that refers to earlier tasks continues the last of them.
    let follows = message.reference_task_ids.as_ref().and_then(|tasks| tasks.last().cloned());
    Ok(StartBody { goal, plan, follows, ..StartBody::default() })
}

/// What of data belongs to a goal, by name: of what another Candor sends only the inputs and what came before, since the
/// rest says how a single agent is to answer.
fn relevant(data: &Value) -> Vec<(&'static str, &Value)> {
    match (data.get("inputs"), data.get("expected_outputs")) {
        (Some(inputs), Some(_)) => {
            let before = ["upstream", "context"].map(|name| data.get(name).map(|value| (name, value)));
            std::iter::once(("", inputs)).chain(before.into_iter().flatten()).collect()
        }
        _ => vec![("", data)],
    }
}

/// Data as words: names with their values, so that rules read them as one goal and not as lines of a list.
fn name_values(path: &str, value: &Value, named: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            for (name, value) in fields {
                let inner = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                name_values(&inner, value, named);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| name_values(path, item, named)),
        Value::String(text) if text.is_empty() => {}
        value => {
            let words = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            named.push(if path.is_empty() { words } else { format!("{path}: {words}") });
        }
    }
}

async fn reply(server: &Shared, caller: &Caller, run: RunId, message: Message) -> Result<Taken, Refusal> {
    needs(caller, Scope::Answer)?;
    let view = server.service.look(&run).await?.view;
    let conversations = Conversations::of(server.service.folder());
    let heard = conversations.heard(&run);
    let context = heard.first().map_or_else(|| run.to_string(), |first| first.context.clone());
    if message.context_id.as_ref().is_some_and(|given| *given != context) {
        let problem = format!("task {run} belongs to the conversation {context}");
        return Err(A2AError::invalid_params(problem).into());
    }
    let taken = Taken { run: run.clone(), after: Some(view.position) };
    if heard.iter().any(|heard| heard.message == message.message_id) {
        return Ok(Taken { after: None, ..taken });
    }
    if view.status.is_end() {
        return Err(A2AError::unsupported_operation(format!("task {run} has ended ({})", view.status)).into());
    }
    let questions: Vec<QuestionReport> =
        view.questions.iter().map(|(gate, question)| QuestionReport::of(gate, question)).collect();
    let note = |decided: String| Heard { context, message: message.message_id.clone(), decided };
    if questions.is_empty() {
        resume(server, caller, &run, view.status, &message).await?;
        conversations.add(&run, &note(RESUME.to_owned())).map_err(|error| unwritten(&error))?;
        return Ok(taken);
    }
    let (gate, body) = decision(&questions, &message)?;
    let decided = body.decision.clone();
    control::decide(server, caller, &run, &gate, body).await?;
    conversations.add(&run, &note(decided)).map_err(|error| unwritten(&error))?;
    Ok(taken)
}

/// Goes on with a run that rests, if that is what the message says.
async fn resume(
    server: &Shared,
    caller: &Caller,
    run: &RunId,
    status: RunStatus,
    message: &Message,
) -> Result<(), Refusal> {
    if !text_of(message).eq_ignore_ascii_case(RESUME) {
        let problem = format!("task {run} ({status}) asks nothing; nothing was decided");
        return Err(A2AError::unsupported_operation(problem).into());
    }
    needs(caller, Scope::Admin)?;
    Ok(control::perform(server, caller, run, Act::Resume).await?)
}

/// What a message decides, and of which question: data says it by names, text by its first words.
fn decision(questions: &[QuestionReport], message: &Message) -> Result<(String, AnswerBody), Refusal> {
    let data = message.parts.iter().find_map(|part| match &part.content {
        PartContent::Data(Value::Object(data)) => Some(data.clone()),
        _ => None,
    });
    if let Some(mut data) = data {
        let gate = data.remove("gate");
        let question = asked(questions, gate.as_ref().and_then(Value::as_str))?;
        let body = serde_json::from_value(Value::Object(data));
        let body =
            body.map_err(|error| A2AError::invalid_params(format!("the data decides nothing: {error}")))?;
        return Ok((question.gate.to_string(), body));
    }
    let text = text_of(message);
    let (first, rest) = first_word(&text);
    let named = questions.iter().find(|question| question.gate.as_str() == first.trim_end_matches(':'));
    let (question, said) = match named {
        Some(question) => (question, rest),
        None => (asked(questions, None)?, text.as_str()),
    };
    Ok((question.gate.to_string(), in_words(question, said)?))
}

/// The question that is meant: the one that is named, or the only one.
fn asked<'a>(questions: &'a [QuestionReport], named: Option<&str>) -> Result<&'a QuestionReport, Refusal> {
    let open = || questions.iter().map(|question| question.gate.as_str()).collect::<Vec<_>>().join(", ");
    let found = match (questions, named) {
        ([only], None) => Some(only),
        (questions, Some(named)) => questions.iter().find(|question| question.gate.as_str() == named),
        _ => None,
    };
    found
        .ok_or_else(|| A2AError::invalid_params(format!("say which question is answered: {}", open())).into())
}

/// A decision in words: its name first, for a plan its digest next, then whatever it takes.
fn in_words(question: &QuestionReport, said: &str) -> Result<AnswerBody, Refusal> {
    let (first, rest) = first_word(said);
    let word = first.trim_end_matches([':', '.', ',', '!']);
    let Some(decision) = question.decisions.iter().find(|it| it.decision.eq_ignore_ascii_case(word)) else {
        return free_text(question, said);
    };
    let mut body = AnswerBody { decision: decision.decision.clone(), ..AnswerBody::default() };
    let (second, after) = first_word(rest);
    let mut rest = rest;
    if question.digest.as_deref().is_some_and(|digest| digest == second) {
        body.digest = question.digest.clone();
        rest = after;
    }
    let rest = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
    match decision.takes {
        Some("alternative") => body.alternative = rest,
        Some("version") => body.version = rest.and_then(|rest| rest.parse().ok()),
        _ => body.text = rest,
    }
    Ok(body)
}

/// Words that name no decision are the answer itself where exactly one decision takes words.
fn free_text(question: &QuestionReport, said: &str) -> Result<AnswerBody, Refusal> {
    let mut takers = question.decisions.iter().filter(|it| it.takes == Some("text"));
    match (question.kind, takers.next(), takers.next()) {
        ("choice", Some(DecisionReport { decision, .. }), None) if !said.trim().is_empty() => {
            Ok(AnswerBody {
                decision: decision.clone(),
                text: Some(said.to_owned()),
                ..AnswerBody::default()
            })
        }
        _ => {
            let known: Vec<&str> = question.decisions.iter().map(|it| it.decision.as_str()).collect();
            let problem = format!("begin the answer with one of: {}; nothing was decided", known.join(", "));
            Err(A2AError::invalid_params(problem).into())
        }
    }
}

fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    text.split_once(char::is_whitespace).map_or((text, ""), |(first, rest)| (first, rest.trim_start()))
}

fn text_of(message: &Message) -> String {
    let texts: Vec<&str> = message.parts.iter().filter_map(|part| part.as_text()).collect();
    texts.join("\n").trim().to_owned()
}

fn unwritten(error: &io::Error) -> Refusal {
    A2AError::internal(format!("the conversation could not be written: {error}")).into()
}

#[cfg(test)]
mod tests {
    use a2a::Part;
    use serde_json::json;

    use super::*;

    fn goal(parts: Vec<Part>) -> Option<String> {
        order(&Message::new(Role::User, parts)).ok()?.goal
    }

    #[test]
    fn data_becomes_part_of_the_goal_and_what_only_an_agent_needs_does_not() {
        let from_candor = json!({"inputs": {"tone": "friendly", "size": {"pages": 2}}, "upstream": {"t1": {"names": ["Ana", "Bo"]}},
            "expected_outputs": ["letter"], "brief": {"objective": "x"}});
        let said = goal(vec![Part::text(" Write a letter "), Part::data(from_candor)]).unwrap();
        let expected =
            "Write a letter (tone: friendly; size.pages: 2; upstream.t1.names: Ana; upstream.t1.names: Bo)";
        let sorted = |text: &str| {
            let mut words: Vec<String> = text.split(['(', ')', ';']).map(|it| it.trim().to_owned()).collect();
            words.sort();
            words
        };
        assert_eq!(sorted(&said), sorted(expected));
        assert_eq!(
            goal(vec![Part::data(json!({"city": "Rome", "note": "", "days": null}))]).unwrap(),
            "(city: Rome)"
        );
        assert_eq!(goal(vec![Part::data(json!(["a", "b"]))]).unwrap(), "(a; b)");
        assert!(goal(vec![Part::text("  "), Part::data(json!({}))]).is_none());
        let plan = order(&Message::new(Role::User, vec![Part::data(json!({"plan": {"subtasks": []}}))]));
        assert!(plan.is_ok_and(|body| body.plan.is_some() && body.goal.is_none()));
    }

    #[test]
    fn words_decide_only_what_they_name() {
        let decision =
            |decision: &str, takes| DecisionReport { decision: decision.into(), label: String::new(), takes };
        let plan = QuestionReport {
            gate: "g1".parse().unwrap(),
            kind: "plan",
            text: String::new(),
            digest: Some("d1".into()),
            decisions: vec![decision("approve", None), decision("alternative", Some("alternative"))],
            plan: None,
        };
        let read = |said: &str| {
            in_words(&plan, said).ok().map(|it| (it.decision, it.digest, it.text, it.alternative))
        };
        let of = |name: &str| name.to_owned();
        assert_eq!(
            read("Approve d1 looks good"),
            Some((of("approve"), Some(of("d1")), Some(of("looks good")), None))
        );
        assert_eq!(read("approve"), Some((of("approve"), None, None, None)));
        assert_eq!(read("alternative d1 B"), Some((of("alternative"), Some(of("d1")), None, Some(of("B")))));
        assert!(read("do not approve d1").is_none() && read("").is_none());
        let choice = QuestionReport {
            kind: "choice",
            digest: None,
            decisions: vec![decision("answer", Some("text")), decision("cancel", None)],
            ..plan
        };
        let read = |said: &str| in_words(&choice, said).ok().map(|it| (it.decision, it.text));
        assert_eq!(read("the blue one"), Some((of("answer"), Some(of("the blue one")))));
        assert_eq!(read("cancel"), Some((of("cancel"), None)));
        assert!(read("  ").is_none());
    }
}
