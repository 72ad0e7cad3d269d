//! What a remote agent asks is put to a person, and the answer goes to the task that asked.

use crate::peers::peer::{Peer, carry_out, knowing, status};
use crate::support::Events;

#[test]
fn its_question_waits_for_a_person_and_the_answer_goes_to_the_same_task() {
    // spec: beyond BY-03
    for options in [&[][..], &["--plain"]] {
        let Some(peer) = Peer::start(options) else { return };
        let candor = knowing(&peer.url, "");
        let (said, _) = carry_out(&candor, "ask me");
        said.ended_with(3).tells(&["Which colour?", "candor answer run_1"]);
        let seen = candor.run(["status", "run_1"]).ended_with(0);
        assert!(seen.stdout.contains("Which colour?"), "{}", seen.stdout);

        candor.run(["answer", "run_1", "answer", "--text", "blue", "--yes"]).ended_with(0);
        assert_eq!(status(&candor), "completed");
        let messages = peer.got("message");
        assert_eq!(messages.len(), 2, "the task was not sent again: {messages:?}");
        assert_eq!(messages[0]["task"], messages[1]["task"]);
        assert_eq!(messages[1]["text"], "blue");
        candor.run(["report", "run_1"]).ended_with(0).shows(&["painted blue"]);
    }
}

#[test]
fn one_question_after_the_other_is_answered() {
    // spec: beyond BY-03
    let Some(peer) = Peer::start(&[]) else { return };
    let candor = knowing(&peer.url, "");
    carry_out(&candor, "ask me").0.ended_with(3);
    let said = candor.run(["answer", "run_1", "answer", "--text", "twice", "--yes"]);
    said.ended_with(3).tells(&["And which size?"]);
    candor.run(["answer", "run_1", "answer", "--text", "large", "--yes"]).ended_with(0);
    assert_eq!(peer.got("message").len(), 3);
}

#[test]
fn a_person_can_have_the_task_canceled_instead() {
    // spec: beyond BY-07
    let Some(peer) = Peer::start(&[]) else { return };
    let candor = knowing(&peer.url, "");
    carry_out(&candor, "ask me").0.ended_with(3);
    let said = candor.run(["answer", "run_1", "cancel", "--yes", "--json"]);
    let (asked, canceled) = (peer.gets("message"), peer.gets("cancel"));
    assert_eq!(asked["task"], canceled["task"]);
    let events = Events(said.lines());
    assert!(events.first_reason().contains("canceled instead of an answer"), "{}", events.first_reason());
}
