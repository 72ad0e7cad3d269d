//! Words by each of the rules.

use candor_text::{Rule, words};
use proptest::prelude::*;

const RULES: [Rule; 6] =
    [Rule::Plain, Rule::Letters, Rule::Hyphenated, Rule::CamelCase, Rule::Identifier, Rule::Prose];

fn split(rule: Rule, text: &str) -> Vec<&str> {
    rule.split(text).map(|word| word.text).collect()
}

#[test]
fn plain_words_are_letters_and_digits() {
    let found: Vec<_> = words("A 3-day trip_to pin\u{303}a: don't, 3pm!").collect();
    assert_eq!(found, ["A", "3", "day", "trip", "to", "pin\u{303}a", "don", "t", "3pm"]);
    assert_eq!(words(" ,;- ").count(), 0);
}

#[test]
fn each_rule_says_what_else_is_part_of_a_word() {
    let table: &[(Rule, &str, &[&str])] = &[
        (Rule::Letters, "3-day trip 2x", &["day", "trip", "x"]),
        (Rule::Hyphenated, "a round-trip - or re- do --flag", &["a", "round-trip", "or", "re", "do", "flag"]),
        (Rule::CamelCase, "searchFlights sha256 HTTPServer", &["search", "Flights", "sha256", "HTTPServer"]),
        (Rule::Identifier, "searchFlights2go sha256", &["search", "Flights", "2", "go", "sha", "256"]),
        (Rule::Prose, "I’ll pay 3,000.50, at 3pm. 'so'", &["I’ll", "pay", "3,000.50", "at", "3", "pm", "so"]),
        (Rule::Prose, "x2 ½ 日本", &["x2", "日本"]),
    ];
    for (rule, text, expected) in table {
        assert_eq!(&split(*rule, text), expected, "{rule:?}");
    }
}

proptest! {
    #[test]
    fn words_are_parts_of_the_text_in_its_order(text in any::<String>()) {
        for rule in RULES {
            let mut end = 0;
            for word in rule.split(&text) {
                prop_assert!(word.start >= end && !word.text.is_empty());
                prop_assert_eq!(&text[word.start..word.end()], word.text);
                end = word.end();
            }
        }
    }

    #[test]
    fn no_letter_is_lost(text in any::<String>()) {
        for rule in RULES {
            let kept: usize = rule.split(&text).flat_map(|word| word.text.chars()).filter(|c| c.is_alphabetic()).count();
            prop_assert_eq!(kept, text.chars().filter(|c| c.is_alphabetic()).count());
        }
    }
}
