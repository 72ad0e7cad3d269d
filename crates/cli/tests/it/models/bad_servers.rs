//! Providers that cannot or will not answer: the run comes to a good end by other means, and says why.

use std::io::Read;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use candor_testkit::model_server::{Cut, Fault, Reply};

use crate::models::scene::{EASY, Scene, level, outcome, sensible, spoken_by, step_of, steps, tasks, tier};
use crate::support::{Candor, Events, PARIS, Said};

/// No repetitions: for failures whose repetition is not what the test is about.
const ONCE: &str = "[limits]\nplanning_budget = 1.0\n[models.retry]\nmax_retries = 0\n";

/// The run is finished by the rules, and says which phases they spoke in and why.
#[track_caller]
fn finished_by_rules(events: &Events, kind: &str, words: &[&str]) {
    for phase in ["evaluation", "decomposition", "planning"] {
        assert_eq!(spoken_by(events, phase), "heuristic", "{phase}");
    }
    let call = &events.all("model_consulted")[0]["step"]["call"];
    assert_eq!(call["failure"]["kind"], kind, "{call}");
    let reason = outcome(events, "parse_goal", "give_up")["reason"].as_str().unwrap();
    for word in words {
        assert!(reason.contains(word), "no `{word}` in {reason}");
    }
    assert_eq!(level(events), 3);
    assert_eq!(tasks(events).len(), 4);
    assert_eq!(events.all("phase_degraded").len(), 3);
}

/// A scene with one tier whose provider answers everything with this.
fn always(reply: Reply) -> Scene {
    let scene = Scene::with_one_tier(ONCE, "timeout = 5");
    scene.server.route(move |_| reply.clone());
    scene
}

#[test]
fn no_key_is_told_with_the_variable_to_set_and_nothing_is_sent() {
    // spec: orchestrator ER-07 FD-02; beyond BY-10
    let scene = Scene::with_one_tier(EASY, "");
    let said = Said::of(scene.keyless(&["run", PARIS, "--json"]).output().unwrap()).ended_with(0);
    let events = Events(said.lines());
    finished_by_rules(&events, "auth", &[crate::models::scene::KEY, "set the environment variable"]);
    assert!(scene.server.seen().is_empty());
}

#[test]
fn a_wrong_key_is_tried_once_and_the_message_does_not_show_it() {
    // spec: orchestrator ER-07 FD-02
    let scene = Scene::with_one_tier(EASY, "");
    scene.server.route(|_| Reply::fault(Fault::WrongKey));
    let events = scene.paris();
    finished_by_rules(&events, "auth", &["401", crate::models::scene::KEY, "set a valid one"]);
    assert_eq!(
        (steps(&events, "parse_goal"), scene.asked("parse_goal").len()),
        (vec!["give_up".to_owned()], 1)
    );
    assert!(!format!("{events:?}").contains(crate::models::scene::SECRET));
}

#[test]
fn an_unknown_model_is_named_and_the_next_tier_is_asked() {
    // spec: orchestrator ER-07 ER-09
    let scene = Scene::new();
    scene.server.route(|seen| match seen.model() {
        "usual" => Reply::fault(Fault::UnknownModel),
        _ => sensible(seen),
    });
    let events = scene.paris();
    assert_eq!(steps(&events, "parse_goal"), ["fall_back", "accepted"]);
    let reason = outcome(&events, "parse_goal", "fall_back")["reason"].as_str().unwrap();
    assert!(reason.contains("unknown_model") && reason.contains("`usual`"), "{reason}");
    assert_eq!(level(&events), 1);
}

#[test]
fn an_endpoint_that_is_down_is_tried_as_often_as_allowed_and_then_left() {
    // spec: orchestrator ER-06 ER-07; beyond BY-25
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{free}/v1/");
    let scene = Scene::configured(|_| format!("{EASY}{}", tier("balanced", "usual", &url, "")));
    let events = scene.paris();
    finished_by_rules(&events, "transient", &["cannot connect", &url, "3 repetitions did not help"]);
    assert_eq!(steps(&events, "parse_goal"), ["repeat", "repeat", "repeat", "give_up"]);
    let numbers: Vec<_> = events
        .all("model_consulted")
        .iter()
        .filter_map(|event| event["step"]["rung"]["repeat"]["number"].as_u64())
        .take(3)
        .collect();
    assert_eq!(numbers, [1, 2, 3]);
}

#[test]
fn a_server_without_tls_where_some_is_expected_is_told_as_that() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/v1/", listener.local_addr().unwrap());
    // Answers the first word of TLS as a plain HTTP server does.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.read(&mut [0; 64]);
            let _ = std::io::Write::write_all(
                &mut stream,
                b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
            );
        }
    });
    let scene = Scene::configured(|_| format!("{ONCE}{}", tier("balanced", "usual", &url, "")));
    let events = scene.paris();
    finished_by_rules(&events, "tls", &["TLS", "begin `endpoint` with http://"]);
}

#[test]
fn an_empty_answer_is_asked_for_once_more_and_then_not_used() {
    // spec: orchestrator FD-01
    let scene = always(Reply::text(""));
    let events = scene.paris();
    for phase in ["evaluation", "decomposition", "planning"] {
        assert_eq!(spoken_by(&events, phase), "heuristic", "{phase}");
    }
    assert_eq!(steps(&events, "parse_goal"), ["ask_again", "give_up"]);
    assert_eq!((level(&events), tasks(&events).len()), (3, 4));
}

#[test]
fn an_answer_of_50_megabytes_is_cut_off_and_not_kept() {
    let scene = always(Reply::huge(50_000_000));
    let began = Instant::now();
    let events = scene.paris();
    finished_by_rules(&events, "too_large", &["was cut off"]);
    assert!(scene.server.sent() < 60_000_000, "{} bytes were taken for three questions", scene.server.sent());
    assert!(scene.bytes_below("data").len() < 5_000_000);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn a_body_that_is_no_answer_is_told_with_what_it_said() {
    // spec: orchestrator ER-07
    for body in ["<html>Welcome to nginx</html>", "", "{\"choices\": 7}", "\u{0}\u{1}\u{2}", "[]"] {
        let scene = always(Reply::body(body));
        let events = scene.paris();
        finished_by_rules(&events, "protocol", &["no known form", "`endpoint`"]);
    }
}

#[test]
fn a_dropped_connection_is_tried_again_and_then_answers() {
    // spec: orchestrator ER-06
    for cut in [Cut::BeforeHeaders, Cut::MidBody] {
        let scene = Scene::new();
        let mut cuts = 2;
        scene.server.route(move |seen| {
            if step_of(seen) == "parse_goal" && cuts > 0 {
                cuts -= 1;
                return sensible(seen).with_cut(cut);
            }
            sensible(seen)
        });
        let events = scene.paris();
        assert_eq!(steps(&events, "parse_goal"), ["repeat", "repeat", "accepted"], "{cut:?}");
        assert_eq!((level(&events), spoken_by(&events, "evaluation")), (0, "model"));
    }
}

#[test]
fn a_rate_limit_is_waited_for_as_long_as_the_provider_asks() {
    // spec: orchestrator FD-02 ER-06
    let scene = Scene::new();
    let times = Arc::new(Mutex::new(Vec::new()));
    let seen_at = Arc::clone(&times);
    scene.server.route(move |seen| {
        if step_of(seen) != "parse_goal" {
            return sensible(seen);
        }
        let mut times = seen_at.lock().unwrap();
        times.push(Instant::now());
        if times.len() == 1 { Reply::rate_limit("1") } else { sensible(seen) }
    });
    let events = scene.paris();
    assert_eq!(steps(&events, "parse_goal"), ["repeat", "accepted"]);
    let times = times.lock().unwrap();
    let waited = times[1] - times[0];
    assert!(waited >= Duration::from_secs(1) && waited < Duration::from_secs(5), "{waited:?}");
    let repeat = outcome(&events, "parse_goal", "repeat");
    assert!(repeat["delay"].as_f64().unwrap() >= 1.0 && repeat["reason"].as_str().unwrap().contains("429"));
    assert_eq!(level(&events), 0);
}

#[test]
fn a_wait_longer_than_the_longest_is_not_waited_for() {
    let scene = Scene::new();
    scene.server.route(|seen| match seen.model() {
        "usual" => Reply::rate_limit("3600"),
        _ => sensible(seen),
    });
    let began = Instant::now();
    let events = scene.paris();
    assert_eq!(steps(&events, "parse_goal"), ["fall_back", "accepted"]);
    let reason = outcome(&events, "parse_goal", "fall_back")["reason"].as_str().unwrap();
    assert!(reason.contains("asks for a wait of 3600 s"), "{reason}");
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_slow_server_is_given_the_tiers_time_and_no_more() {
    // spec: orchestrator FD-02 ER-06
    let scene = Scene::with_one_tier(ONCE, "timeout = 0.3");
    scene.server.route(|seen| sensible(seen).after(Duration::from_secs(30)));
    let began = Instant::now();
    let events = scene.paris();
    finished_by_rules(&events, "timeout", &["did not answer within 0.3 s", "`timeout`"]);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn a_server_that_speaks_for_ever_is_stopped_in_time() {
    let scene = Scene::with_one_tier(ONCE, "timeout = 0.5");
    scene.server.route(|_| Reply::endless().part_every(Duration::from_millis(20)));
    let events = scene.paris();
    finished_by_rules(&events, "timeout", &["did not answer within 0.5 s"]);
}

#[test]
fn time_for_planning_that_is_too_short_for_models_is_left_to_the_rules() {
    let config = "[limits]\nplanning_budget = 1.0\nplanning_timeout = 1\n[models.retry]\nmax_retries = 0\n";
    let scene = Scene::with_one_tier(config, "");
    scene.server.route(|seen| sensible(seen).after(Duration::from_secs(30)));
    let events = scene.paris();
    let reason = outcome(&events, "plan", "give_up")["reason"].as_str().unwrap();
    assert!(reason.contains("the time for planning (1 s) is nearly up"), "{reason}");
    assert_eq!((spoken_by(&events, "planning"), tasks(&events).len()), ("heuristic", 4));
}

#[test]
fn every_failure_is_told_on_a_plain_screen_with_the_report_at_the_end() {
    // spec: orchestrator DG-01 DG-12; beyond BY-10
    for (reply, words) in [
        (Reply::fault(Fault::Server), "Something broke."),
        (Reply::fault(Fault::Overloaded), "Overloaded"),
        (Reply::fault(Fault::ContextTooLong), "the prompt is too long"),
        (Reply::fault(Fault::Forbidden), "may not do this"),
        (Reply::fault(Fault::BadRequest), "the provider refused the request"),
        (Reply::redirect("http://127.0.0.1:1/"), "it points elsewhere, which is not followed"),
    ] {
        let said = always(reply).plain_paris();
        for word in [words, "works by rules", "Degradation level 3/5", "Output quality: degraded"] {
            assert!(said.stdout.contains(word), "no `{word}` in {}", said.stdout);
        }
        for phase in ["phase 1 (evaluation)", "phase 3 (decomposition)", "phase 4 (planning)"] {
            assert!(said.stdout.contains(phase), "no `{phase}` in {}", said.stdout);
        }
    }
}

#[test]
fn rules_make_the_same_plan_whether_models_failed_or_there_were_none() {
    // spec: orchestrator DG-11
    let scene = always(Reply::fault(Fault::Server));
    let failed = scene.paris();
    let (said, without) = Candor::new().events(&["run", PARIS]);
    said.ended_with(0);
    assert_eq!(tasks(&failed), tasks(&without));
}
