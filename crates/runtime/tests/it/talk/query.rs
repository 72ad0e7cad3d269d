//! What agents ask each other.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use candor_agents::stop_orphans;
use candor_model::{EventBody, RunStatus};
use serde_json::json;

use super::block_on;
use super::crew::{Crew, outputs, plan, queries, run_id};

#[test]
fn a_question_is_answered_over_the_log() {
    // spec: orchestrator AC-01 AC-08 AC-09 AC-12
    block_on(async {
        let crew = Crew::new().with("asker", r#"done(said=ask("oracle", "How many?"))"#).with(
            "oracle",
            r#"answer({"n": 3, "from": query["fromAgent"], "id": query["id"]}, 90) if query else done()"#,
        );
        let log = crew.complete(plan(&[("asker", &[])])).await;
        let said = &outputs(&log, 1)["said"];
        assert_eq!(*said, json!({"response": {"n": 3, "from": "asker", "id": "query_1"}, "confidence": 90}));
        let all = queries(&log);
        let (query, Some(response)) = &all[0] else { panic!("{all:?}") };
        assert_eq!(all.len(), 1);
        assert_eq!((query.from_agent.as_str(), query.to_agent.as_str()), ("asker", "oracle"));
        assert_eq!((query.query.as_str(), query.timeout), ("How many?", 5_000));
        assert_eq!((response.from_agent.as_str(), response.to_agent.as_str()), ("oracle", "asker"));
        assert_eq!((response.query_id.as_str(), response.confidence), ("query_1", 90));
        assert_eq!(response.response.as_ref().unwrap()["n"], 3);
        assert!(response.processing_time > 0 && response.processing_time < 5_000);
    });
}

#[test]
fn without_an_answer_the_asker_hears_why_and_goes_on() {
    // spec: orchestrator AC-10 AC-12
    block_on(async {
        let crew = Crew::new()
            .with(
                "asker",
                r#"
began = time.time()
late = ask("sleeper", "awake?", 300)
took = time.time() - began
done(late=late, took=took, unknown=ask("ghost", "there?"), mute=ask("mute", "well?"))
"#,
            )
            .with("sleeper", "time.sleep(60)")
            .with("mute", "sys.exit(4)");
        let log = crew.complete(plan(&[("asker", &[])])).await;
        let outputs = outputs(&log, 1);
        assert_eq!(outputs["late"], json!({"error": "sleeper did not answer within 300 ms"}));
        assert!((0.3..3.0).contains(&outputs["took"].as_f64().unwrap()), "{outputs}");
        let unknown = outputs["unknown"]["error"].as_str().unwrap();
        assert_eq!(unknown, "there is no agent `ghost`; there are: asker, sleeper, mute");
        assert!(outputs["mute"]["error"].as_str().unwrap().contains("exited with code 4"), "{outputs}");
        let all = queries(&log);
        assert_eq!(all.len(), 3, "every question is on the log");
        for (query, response) in &all {
            let response = response.as_ref().unwrap();
            assert!(response.response.is_err() && response.confidence == 0, "{query:?} {response:?}");
        }
    });
}

#[test]
fn agents_that_would_wait_for_each_other_are_told_so() {
    // spec: orchestrator AC-10
    block_on(async {
        let slow = r#"
if query:
    mark("thinking")
    wait_for("refused")
    answer("yes")
"#;
        let crew = Crew::new().with("first", r#"done(said=ask("second", "ready?"))"#).with(
            "second",
            &format!(
                r#"{slow}
wait_for("thinking")
refused = ask("first", "are you?")
own = ask("second", "am I?")
mark("refused")
done(refused=refused, own=own)
"#
            ),
        );
        let log = crew.complete(plan(&[("first", &[]), ("second", &[])])).await;
        assert_eq!(outputs(&log, 1)["said"]["response"], "yes");
        let outputs = outputs(&log, 2);
        let refused = outputs["refused"]["error"].as_str().unwrap();
        assert!(refused.contains("first waits for second already"), "{refused}");
        assert!(outputs["own"]["error"].as_str().is_some(), "nobody waits for themselves");
        assert_eq!(queries(&log).len(), 1, "what is refused changes nothing");
    });
}

#[test]
fn a_question_ends_with_the_attempt_that_asked_it() {
    // spec: orchestrator AC-10 AC-12
    block_on(async {
        let crew = Crew::new()
            .with(
                "asker",
                r#"
if order["attempt"] == 1:
    send({"ask": {"toAgent": "sleeper", "query": "awake?", "timeout": 60000}})
    wait_for("asleep")
    os._exit(1)
done(said=ask("sleeper", "and now?", 100))
"#,
            )
            .with("sleeper", r#"mark("asleep"); time.sleep(60)"#);
        let mut plan = plan(&[("asker", &[])]);
        plan.subtasks[0].retry_policy =
            Some(candor_model::RetryPolicy { max_retries: 2, backoff_seconds: candor_model::Seconds::ZERO });
        let began = Instant::now();
        let log = crew.complete(plan).await;
        assert!(began.elapsed() < Duration::from_secs(20));
        let all = queries(&log);
        assert_eq!(
            all.iter().map(|(query, _)| query.id.as_str()).collect::<Vec<_>>(),
            ["query_1", "query_2"]
        );
        let first = all[0].1.as_ref().unwrap().response.as_ref().unwrap_err();
        assert_eq!(first, "whoever asked has come to its end");
        assert!(all[1].1.as_ref().unwrap().response.as_ref().unwrap_err().contains("within 100 ms"));
    });
}

#[test]
fn a_cancelled_run_waits_for_no_answer() {
    block_on(async {
        let crew = Crew::new()
            .with("asker", r#"ask("sleeper", "awake?", 60000)"#)
            .with("sleeper", r#"mark("asleep"); time.sleep(60)"#);
        let run = crew.start(plan(&[("asker", &[])])).await;
        until_marked(&crew, "asleep").await;
        let cancel = candor_engine::Input::Cancel { reason: "enough".to_owned() };
        run.submit(cancel).await.unwrap();
        let ended = tokio::time::timeout(Duration::from_secs(10), run.ended()).await.unwrap();
        assert_eq!(ended.unwrap(), RunStatus::Cancelled);
        assert!(queries(&crew.read().await)[0].1.is_some(), "no question is left open");
    });
}

async fn until_marked(crew: &Crew, name: &str) {
    let give_up = Instant::now() + Duration::from_secs(20);
    while !crew.folder().join(name).exists() {
        assert!(Instant::now() < give_up, "waited in vain for {name}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Where the driver that is to be killed works; set for it alone.
const FOLDER: &str = "CANDOR_TALK_TEST_FOLDER";

fn asking_crew(crew: Crew) -> Crew {
    crew.with(
        "asker",
        r#"
again = os.path.exists("asleep")
done(again=again, said=ask("sleeper", "awake?", 200 if again else 60000))
"#,
    )
    .with("sleeper", r#"mark("asleep"); time.sleep(60)"#)
}

/// Not a test by itself: the process that the next one kills.
#[test]
fn a_driver_to_be_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    block_on(async {
        let crew = asking_crew(Crew::in_folder(folder.as_ref()));
        crew.complete(plan(&[("asker", &[])])).await;
    });
}

#[test]
fn a_run_whose_process_was_killed_while_a_question_was_open_ends_well() {
    // spec: orchestrator AC-10 AC-12
    let crew = asking_crew(Crew::new());
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "talk::query::a_driver_to_be_killed"])
        .env(FOLDER, crew.folder())
        // What a killed process leaves among its temporary files goes with the folder.
        .env("TMPDIR", crew.folder())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    block_on(async {
        until_marked(&crew, "asleep").await;
        process.kill().unwrap();
        process.wait().unwrap();
        assert!(queries(&crew.read().await)[0].1.is_none(), "it was open");
        let stopped = stop_orphans(&crew.attempts(), &run_id()).unwrap();
        assert_eq!(stopped, 2, "both who asked and who was asked outlived the driver");
        let run = crew.runtime().resume(run_id(), None, None).await.unwrap();
        let log = crew.ends(run).await;
        let all = queries(&log);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].1.as_ref().unwrap().response, Err("whoever asked was interrupted".to_owned()));
        assert_ne!(all[0].0.id, all[1].0.id);
        assert_eq!(outputs(&log, 1)["again"], true);
        let dispatched = |body: &EventBody| matches!(body, EventBody::TaskDispatched { .. });
        assert_eq!(log.iter().filter(|it| dispatched(&it.event.body)).count(), 1, "the same attempt");
    });
}

#[test]
fn the_validator_asks_whoever_warned_and_has_the_work_done_again() {
    // spec: orchestrator AC-11
    block_on(async {
        let crew = Crew::new().with(
            "careful",
            r#"
if query:
    answer({"critical": not os.path.exists("second")})
if os.path.exists("first"):
    mark("second")
mark("first")
tell("warning", "high", "the prices are a year old")
done(output_1=1)
"#,
        );
        let log = crew.complete(plan(&[("careful", &[])])).await;
        let all = queries(&log);
        let asked: Vec<bool> = all
            .iter()
            .map(|(query, response)| {
                assert_eq!(
                    (query.from_agent.as_str(), query.to_agent.as_str()),
                    ("validation-agent", "careful")
                );
                response.as_ref().unwrap().response.as_ref().unwrap()["critical"].as_bool().unwrap()
            })
            .collect();
        assert_eq!(asked, [true, false], "critical at first, and not any more");
        let again = log.iter().filter(|it| matches!(it.event.body, EventBody::TaskReopened { .. })).count();
        assert_eq!(again, 1, "the task whose agent called it critical is done again, once");
    });
}
