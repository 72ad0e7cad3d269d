//! Coding assistants as agents, with stand-ins that speak the formats which the real ones document: none of those is
//! at hand here.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use candor_agents::{AssistantAgent, CommandAgent, LogFolder, Preset};
use candor_model::{
    AgentAnswer, AgentNote, Failure, FailureKind, FeedbackType, RunId, SessionState, Transience, WorkOrder,
};
use candor_ports::{Agent, AgentFailure};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::common::attempt_context::MemoryContext;
use crate::common::order;

const ALL: [Preset; 4] = [Preset::Claude, Preset::Codex, Preset::Gemini, Preset::Goose];

/// A folder with a stand-in for one assistant, and its sessions.
struct Place {
    folder: TempDir,
    preset: Preset,
}

impl Place {
    fn of(preset: Preset) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/assistants.py");
        symlink(script, folder.path().join(preset.program())).unwrap();
        Self { folder, preset }
    }

    fn agent(&self) -> AssistantAgent {
        let program = self.folder.path().join(self.preset.program()).display().to_string();
        let home = [("STANDIN_HOME".to_owned(), self.folder.path().display().to_string())];
        let command = CommandAgent::new([program]).unwrap().with_env(home);
        AssistantAgent::new(self.preset, command.logging_to(LogFolder(self.folder.path().join("logs"))))
    }

    /// What it was started with, one entry for each start.
    fn calls(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder.path().join("calls")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn argv(&self, call: usize) -> Vec<String> {
        let calls = self.calls();
        calls[call]["argv"].as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
    }
}

fn task(words: &str) -> WorkOrder {
    WorkOrder { description: words.to_owned(), expected_outputs: vec!["report".to_owned()], ..order(60.0) }
}

async fn attempt(
    agent: &AssistantAgent,
    order: &WorkOrder,
    cx: &Arc<MemoryContext>,
) -> Result<AgentAnswer, AgentFailure> {
    agent.perform_among(order, Arc::clone(cx) as _, CancellationToken::new()).await
}

async fn failure(place: &Place, words: &str) -> Failure {
    match attempt(&place.agent(), &task(words), &MemoryContext::new()).await {
        Err(AgentFailure::Failed(failure)) => *failure,
        other => panic!("{:?}: expected a failure, got {other:?}", place.preset),
    }
}

/// The sessions on the log: name, state, tokens and dollars.
fn sessions(cx: &MemoryContext) -> Vec<(String, SessionState, Option<u64>, Option<f64>)> {
    let of = |note| match note {
        AgentNote::Session { id, state, tokens, cost, .. } => {
            Some((id, state, tokens.map(|it| it.total()), cost.map(|it| it.as_dollars())))
        }
        _ => None,
    };
    cx.written().into_iter().filter_map(of).collect()
}

#[tokio::test]
async fn a_task_becomes_a_prompt_and_the_last_message_an_output() {
    for preset in ALL {
        let place = Place::of(preset);
        let cx = MemoryContext::new();
        let agent = place.agent().with_role("Fixes bugs".to_owned()).with_model(Some("best".to_owned()));
        let mut order = task("fix the bug");
        order.inputs = json!({ "file": "a.rs" }).as_object().unwrap().clone();
        order.brief.boundaries = vec!["Touch no other file".to_owned()];
        let answer = attempt(&agent, &order, &cx).await.unwrap();
        assert_eq!(Value::from(answer.outputs), json!({ "report": "did the bug at start 1" }), "{preset:?}");

        let calls = place.calls();
        let prompt = calls[0]["prompt"].as_str().unwrap();
        for part in
            ["Fixes bugs", "# Task\nfix the bug", "\"file\": \"a.rs\"", "Touch no other file", "`report`"]
        {
            assert!(prompt.contains(part), "{preset:?}: no {part} in {prompt}");
        }
        let argv = place.argv(0);
        assert!(argv.windows(2).any(|pair| pair == ["--model", "best"]), "{argv:?}");

        // The session was on the log before its end, with what it used.
        let noted = sessions(&cx);
        let [(opened, SessionState::Opened, None, None), (ended, SessionState::Ended, Some(127), cost)] =
            noted.as_slice()
        else {
            panic!("{preset:?}: {noted:?}")
        };
        assert_eq!(opened, ended);
        assert_eq!(*cost, (preset == Preset::Claude).then_some(0.25));
        assert_eq!(answer.cost, None, "it is charged with the note");

        // What it did is in its log, readable.
        let logs = LogFolder(place.folder.path().join("logs"));
        let log = logs.read(&RunId::new("run_1").unwrap(), None).unwrap().remove(0).text;
        assert!(log.to_lowercase().contains("edit]") || log.contains("[command: ls]"), "{preset:?}: {log}");
        assert!(!log.contains("\"type\""), "{log}");
    }
}

#[tokio::test]
async fn declared_outputs_come_from_its_last_block() {
    for preset in ALL {
        let place = Place::of(preset);
        let mut order = task("json please");
        order.expected_outputs = vec!["title".to_owned(), "body".to_owned()];
        let answer = attempt(&place.agent(), &order, &MemoryContext::new()).await.unwrap();
        assert_eq!(
            Value::from(answer.outputs.clone()),
            json!({ "title": "T", "body": [1, 2] }),
            "{preset:?}"
        );
        order.expected_outputs.push("price".to_owned());
        let answer = attempt(&place.agent(), &order, &MemoryContext::new()).await.unwrap();
        assert_eq!(answer.verdict(), FeedbackType::PartialSuccess);
        assert_eq!(answer.errors, ["`price` is missing"]);
    }
}

/// Starts an attempt, and stops it when the assistant is at work.
async fn interrupt(place: &Place, order: &WorkOrder, cx: &Arc<MemoryContext>) {
    let (agent, stop) = (place.agent(), CancellationToken::new());
    let at_work = async {
        // The file is there before its content is.
        let waits =
            || std::fs::read_to_string(place.folder.path().join("waiting")).is_ok_and(|id| !id.is_empty());
        while !waits() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        stop.cancel();
    };
    let work = agent.perform_among(order, Arc::clone(cx) as _, stop.clone());
    let (ended, ()) = tokio::join!(work, at_work);
    assert_eq!(ended, Err(AgentFailure::Stopped));
}

#[tokio::test]
async fn an_interrupted_session_is_continued() {
    for preset in ALL {
        let place = Place::of(preset);
        let cx = MemoryContext::new();
        interrupt(&place, &task("wait for it"), &cx).await;
        let id = sessions(&cx)[0].0.clone();
        assert_eq!(std::fs::read_to_string(place.folder.path().join("waiting")).unwrap(), id);

        let answer = attempt(&place.agent(), &task("wait for it"), &cx).await.unwrap();
        assert_eq!(answer.outputs["report"], "did for it at start 2", "{preset:?}");
        assert!(place.argv(1).contains(&id) && !place.argv(1).contains(&"--session-id".to_owned()));
        let prompt = place.calls()[1]["prompt"].as_str().unwrap().to_owned();
        assert!(prompt.starts_with("You were interrupted"), "{prompt}");
        assert!(sessions(&cx).iter().all(|(session, ..)| *session == id), "{:?}", sessions(&cx));
    }
}

#[tokio::test]
async fn a_session_that_never_began_is_begun_anew() {
    for preset in ALL {
        let place = Place::of(preset);
        let lost = AgentNote::Session {
            program: preset.program().to_owned(),
            id: "5e2f3b1c-0000-4000-8000-000000000000".to_owned(),
            state: SessionState::Opened,
            tokens: None,
            cost: None,
        };
        let cx = MemoryContext::left_with([lost]);
        let answer = attempt(&place.agent(), &task("fix the bug"), &cx).await.unwrap();
        assert_eq!(answer.outputs["report"], "did the bug at start 1");
        assert_eq!(place.calls().len(), 2, "{preset:?}");
    }
}

#[tokio::test]
async fn a_later_attempt_continues_what_was_cut_off_and_leaves_what_came_to_its_end() {
    let place = Place::of(Preset::Claude);
    let cx = MemoryContext::new();
    let limited = attempt(&place.agent(), &task("limited once"), &cx).await;
    assert!(matches!(&limited, Err(AgentFailure::Failed(it)) if it.kind == FailureKind::RateLimited));
    assert_eq!(sessions(&cx).last().unwrap().1, SessionState::Interrupted);
    assert_eq!(sessions(&cx).last().unwrap().3, Some(0.05), "what it cost is charged all the same");

    let second = WorkOrder { attempt: 2, ..task("limited once") };
    let answer = attempt(&place.agent(), &second, &cx).await.unwrap();
    assert_eq!(answer.outputs["report"], "did once at start 2");

    let third = WorkOrder { attempt: 3, ..task("limited once more") };
    let answer = attempt(&place.agent(), &third, &cx).await;
    assert!(answer.is_err(), "a new session, which is limited once again");
    assert!(place.argv(2).contains(&"--session-id".to_owned()), "{:?}", place.argv(2));
}

#[tokio::test]
async fn failures_have_the_kinds_that_they_are_told_with() {
    for preset in ALL {
        let place = Place::of(preset);
        let kinds = [
            ("limited", FailureKind::RateLimited, Transience::Transient),
            ("auth", FailureKind::Denied, Transience::Permanent),
            ("down", FailureKind::Unavailable, Transience::Transient),
            ("die", FailureKind::Crashed, Transience::Unknown),
            ("crash", FailureKind::Crashed, Transience::Unknown),
            ("silent", FailureKind::BadOutput, Transience::Unknown),
        ];
        for (words, kind, transience) in kinds {
            let failure = failure(&place, words).await;
            assert_eq!(
                (failure.kind, failure.transience),
                (kind, transience),
                "{preset:?} {words}: {failure:?}"
            );
        }
        let turns = failure(&place, "turns").await;
        let named = matches!(preset, Preset::Claude | Preset::Gemini);
        assert_eq!(turns.kind == FailureKind::OverBudget, named, "{preset:?}: {turns:?}");
    }
    let crashed = failure(&Place::of(Preset::Codex), "crash").await;
    assert!(crashed.message.ends_with("exited with code 7: Traceback: it broke"), "{}", crashed.message);
    assert_eq!(crashed.exit_code, Some(7));
}

#[tokio::test]
async fn what_it_may_do_follows_from_its_declaration() {
    let modes = [
        (Preset::Claude, ["--permission-mode", "acceptEdits"], ["--permission-mode", "default"]),
        (Preset::Codex, ["--sandbox", "workspace-write"], ["--sandbox", "read-only"]),
        (Preset::Gemini, ["--approval-mode", "auto_edit"], ["--approval-mode", "default"]),
    ];
    for (preset, changing, reading) in modes {
        let place = Place::of(preset);
        attempt(&place.agent(), &task("fix it"), &MemoryContext::new()).await.unwrap();
        attempt(&place.agent().read_only(true), &task("fix it"), &MemoryContext::new()).await.unwrap();
        let has = |call, mode: [&str; 2]| place.argv(call).windows(2).any(|pair| pair == mode);
        assert!(has(0, changing) && has(1, reading), "{:?}", place.calls());
    }
    let place = Place::of(Preset::Goose);
    attempt(&place.agent().read_only(true), &task("fix it"), &MemoryContext::new()).await.unwrap();
    assert_eq!(place.calls()[0]["mode"], "chat");
    // What is given decides.
    let place = Place::of(Preset::Claude);
    let given = ["--permission-mode", "plan"].map(str::to_owned).to_vec();
    attempt(&place.agent().with_args(given), &task("fix it"), &MemoryContext::new()).await.unwrap();
    assert_eq!(place.argv(0).iter().filter(|word| *word == "--permission-mode").count(), 1);
}
