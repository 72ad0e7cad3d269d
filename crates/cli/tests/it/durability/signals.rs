//! Ctrl-C, SIGTERM and SIGHUP: the children stop, nothing is lost, and the way on is said.

use std::time::{Duration, Instant};

use crate::durability::support::{Place, is_running, successes};

#[test]
fn an_interrupted_run_stops_its_children_and_says_how_to_go_on() {
    // spec: findings DU-03
    for signal in ["INT", "TERM", "HUP"] {
        let place = Place::new();
        let plan = place.plan(
            "plan",
            &[("first", "quick", &[]), ("long", "patient", &["first"]), ("too", "patient", &[])],
        );
        let running = place.start_run("run_cut", &plan);
        let children = [place.begun("run_cut", "long"), place.begun("run_cut", "too")];
        let sent = Instant::now();
        running.signal(signal);
        let done = running.end();
        assert_eq!(done.code(), Some(130), "SIG{signal}: {}", done.err);
        assert!(sent.elapsed() < Duration::from_secs(5));
        assert!(children.iter().all(|child| !is_running(child.pid)), "SIG{signal}: a child is left");
        assert!(done.err.contains("candor resume run_cut"), "{}", done.err);

        place.let_go("run_cut");
        place.complete("run_cut");
        let first = place.ledger("run_cut").into_iter().filter(|entry| entry.key == "run_cut/first/1");
        assert_eq!(first.count(), 1, "what was done stays done");
        assert_eq!(successes("run_cut", &place.log("run_cut")).len(), 3);
    }
}

#[test]
fn a_child_that_ignores_the_request_to_end_is_killed() {
    let place = Place::new();
    let stubborn = "trap '' TERM INT; read -r order; echo $$ > \"$LEDGER.pid\"; while :; do sleep 0.05; done";
    let config = format!(
        "[[agents]]\nagent_type = \"stubborn\"\nspecialization = \"Stays\"\ncommand = [\"sh\", \"-c\", {stubborn:?}]\n"
    );
    std::fs::write(place.config(), config).unwrap();
    let plan = place.plan("plan", &[("stay", "stubborn", &[])]);
    let running = place.start_run("run_stay", &plan);
    let file = place.path().join("run_stay.ledger.pid");
    let pid = || std::fs::read_to_string(&file).ok().and_then(|text| text.trim().parse::<u32>().ok());
    crate::durability::support::wait_for("the child", || pid().is_some());
    running.signal("INT");
    assert_eq!(running.end().code(), Some(130));
    assert!(!is_running(pid().unwrap()));
}
