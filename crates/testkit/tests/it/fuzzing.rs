//! The fuzz targets on damaged copies of real plans and logs.

use candor_testkit::{fixtures, fuzzing, golden};
use proptest::prelude::*;

/// A text with some bytes changed, some cut out and its end cut off.
fn damaged(text: String) -> impl Strategy<Value = Vec<u8>> {
    let bytes = text.into_bytes();
    let length = bytes.len();
    let changes = prop::collection::vec((0..length, any::<u8>()), 0..6);
    (changes, 0..length, 0..40usize, 0..=length).prop_map(move |(changes, cut, count, end)| {
        let mut bytes = bytes.clone();
        for (place, byte) in changes {
            if let Some(old) = bytes.get_mut(place) {
                *old = byte;
            }
        }
        bytes.truncate(end.max(length / 2));
        let until = (cut + count).min(bytes.len());
        if cut < until {
            bytes.drain(cut..until);
        }
        bytes
    })
}

fn plan_text() -> String {
    serde_json::to_string(&fixtures::paris_plan()).unwrap_or_default()
}

fn log_text() -> String {
    let events = golden::STORIES.iter().flat_map(|(_, story)| story());
    events.filter_map(|event| event.to_json().ok()).collect::<Vec<_>>().join("\n")
}

#[test]
fn whole_inputs_pass() {
    fuzzing::plan_json(plan_text().as_bytes());
    fuzzing::event_json(log_text().as_bytes());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_damaged_plan_makes_trouble(bytes in damaged(plan_text())) {
        fuzzing::plan_json(&bytes);
    }

    #[test]
    fn no_bytes_at_all_make_trouble(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        fuzzing::plan_json(&bytes);
        fuzzing::event_json(&bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_damaged_log_makes_trouble(bytes in damaged(log_text())) {
        fuzzing::event_json(&bytes);
    }

    #[test]
    fn no_damage_of_a_log_makes_trouble_for_its_repair(
        kind in any::<u8>(), bytes in prop::collection::vec(any::<u8>(), 0..400)
    ) {
        let data: Vec<u8> = std::iter::once(kind).chain(bytes).collect();
        fuzzing::repair(&data);
    }

    #[test]
    fn no_text_makes_trouble_for_the_redactor_or_the_rules(
        text in prop::collection::vec(prop_oneof![
            Just("password"), Just("="), Just(": "), Just("\""), Just("{"), Just("}"), Just("sk-"), Just("ghp_"), Just("a1B2c3D4e5F6g7H8i9J0"),
            Just("Plain-words-9"), Just("\n"), Just("- "), Just("rules:"), Just("://u:p@h"), Just("-----BEGIN PRIVATE KEY-----"),
        ], 0..16)
    ) {
        let text = text.concat();
        fuzzing::redactor(text.as_bytes());
        fuzzing::rules(text.as_bytes());
    }

    #[test]
    fn no_file_taken_for_a_log_makes_trouble(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        fuzzing::log_open(&bytes);
    }
}
