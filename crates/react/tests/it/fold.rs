//! Folding notes: every beginning of them is a state to go on from.

use crate::common::{World, map, order, strategy};
use candor_model::{MissionAction, Noted, TodoItem, ToolErrorKind, ToolResult};
use candor_react::{Approve, Mission, MissionSettings};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A small generator, so that a world plays the same way for the same seed.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn world(seed: u64) -> World {
    let (mut calls, mut ways, mut acts) = (Dice(seed), Dice(seed ^ 1), Dice(seed ^ 2));
    let mut world = World::new(move |_| match calls.throw(5) {
        0 => ToolResult::failed(ToolErrorKind::Timeout, "no answer"),
        1 => ToolResult::failed(ToolErrorKind::Failed, "no"),
        2 => ToolResult::failed(ToolErrorKind::Unavailable, "gone"),
        _ => ToolResult::done("fine", Some(json!({ "id": "e1" }))),
    })
    .with_strategy(move |_, _| match ways.throw(4) {
        0 => Some(strategy("RETRY_WITH_PARAMS", 0.9, json!({ "parameters": { "url": "b" } }))),
        1 => Some(strategy("SWAP_TOOL", 0.9, json!({ "tool": "look", "parameters": { "url": "c" } }))),
        2 => Some(strategy("DECOMPOSE_TASK", 0.8, json!({ "subtasks": ["one", { "description": "two" }] }))),
        _ => None,
    });
    world.plan = Ok(vec![TodoItem::new("", 0, "First"), TodoItem::new("", 0, "Second")]);
    world.on_act = Box::new(move |_| match acts.throw(7) {
        0 => Ok(MissionAction::Replan { reason: "other".to_owned() }),
        1 => Ok(MissionAction::Skip { reason: String::new() }),
        2 => Ok(MissionAction::AskUser { question: "why?".to_owned() }),
        3 => Ok(MissionAction::Complete { summary: "s".to_owned(), outputs: map(json!({ "a": 1 })) }),
        4 => Err("down".to_owned()),
        5 => Ok(MissionAction::ToolCall { tool: "wipe".to_owned(), parameters: map(json!({ "path": "x" })) }),
        _ => Ok(MissionAction::ToolCall { tool: "read".to_owned(), parameters: map(json!({ "url": "x" })) }),
    });
    let mut people = Dice(seed ^ 3);
    let words = ["allow", "all", "deny", "done", "again", "skip", "answer"];
    world.answers = (0..40).map(|_| words[people.throw(7) as usize]).collect();
    world
}

fn steps(kind: u64) -> Value {
    match kind {
        0 => json!(null),
        1 => json!([{ "id": "a", "tool": "add", "parameters": { "title": "t" } },
                    { "id": "b", "tool": "read", "parameters": { "url": "${steps.a.id}" }, "save_as": "a" }]),
        _ => {
            json!([{ "id": "a", "tool": "gone" }, { "id": "b", "tool": "wipe" }, { "description": "think" }])
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_mission_that_is_folded_or_written_down_wants_the_same(
        seed in any::<u64>(), kind in 0u64..3, model in any::<bool>(), replanning in any::<bool>(),
    ) {
        let settings = MissionSettings { model, replanning, approve: Approve::Destructive, ..Default::default() };
        let order = order(steps(kind), &["a"]);
        let mut world = world(seed);
        let mut mission = Mission::resume(&order, settings.clone(), &[]);
        let ending = world.run(&mut mission);
        prop_assert!(ending.is_some() || world.answers.is_empty());
        let notes: Vec<Noted> = world.noted();
        let tools = crate::common::tools();
        let mut applied = Mission::resume(&order, settings.clone(), &[]);
        for cut in 0..=notes.len() {
            let folded = Mission::resume(&order, settings.clone(), &notes[..cut]);
            prop_assert_eq!(&folded, &applied);
            let written = serde_json::to_string(&folded).unwrap();
            let read: Mission = serde_json::from_str(&written).unwrap();
            prop_assert_eq!(read.poll_action(&tools, 0), applied.poll_action(&tools, 0));
            prop_assert_eq!(&read, &folded);
            if let Some(next) = notes.get(cut) {
                applied.apply(&next.note);
            }
        }
        prop_assert_eq!(&applied, &mission);
    }

    #[test]
    fn from_every_beginning_of_the_notes_a_mission_comes_to_an_end(seed in any::<u64>(), kind in 0u64..3) {
        // spec: planning TA-31, beyond BY-12
        let settings = MissionSettings { model: true, ..MissionSettings::default() };
        let order = order(steps(kind), &["a"]);
        let mut first = world(seed);
        first.run(&mut Mission::resume(&order, settings.clone(), &[]));
        let notes = first.noted();
        for cut in 0..=notes.len() {
            let mut again = Mission::resume(&order, settings.clone(), &notes[..cut]);
            let mut world = world(seed ^ cut as u64);
            let ending = world.run(&mut again);
            prop_assert!(ending.is_some() || world.answers.is_empty());
        }
    }
}
