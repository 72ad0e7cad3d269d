//! Case, accents, marks; the language of a text.

use std::borrow::Cow;

use candor_text::{Language, fold, fold_letter, is_stop_word, says};
use proptest::prelude::*;

#[test]
fn case_and_accents_do_not_count() {
    for (text, folded) in [
        ("PARÍS", "paris"),
        ("pin\u{303}a", "pina"),
        ("Señor Müller, São Paulo, Åre, Tromsø", "senor muller, sao paulo, are, tromso"),
        ("garçon Ýmir", "garcon ymir"),
        ("don’t – re‑do", "don't - re-do"),
        ("日本 Ж", "日本 ж"),
        ("", ""),
    ] {
        assert_eq!(fold(text), folded);
    }
    assert_eq!((fold_letter('É'), fold_letter('x'), fold_letter('Ñ')), ('e', 'x', 'n'));
}

#[test]
fn a_folded_text_is_not_copied() {
    assert!(matches!(fold("plain words, 3 of them"), Cow::Borrowed(_)));
}

#[test]
fn small_words_tell_the_language() {
    for (text, language) in [
        ("Plan a trip to Paris for my family", Language::En),
        ("Planifica un viaje a París para mi familia", Language::Es),
        ("¿Qué hoteles hay?", Language::Es),
        ("diseño", Language::Es),
        ("hotel", Language::En),
        ("", Language::En),
    ] {
        assert_eq!(Language::of(text), language, "{text}");
    }
}

#[test]
fn stop_words_are_known_in_both_languages() {
    assert!(["the", "with", "tambien", "para"].iter().all(|word| is_stop_word(word)));
    assert!(!["hotel", "vuelo", ""].iter().any(|word| is_stop_word(word)));
}

#[test]
fn a_phrase_is_found_as_whole_words_only() {
    for (text, phrase, found) in [
        ("start the art", "art", true),
        ("start", "art", false),
        ("my_art", "art", false),
        ("the result of it", "the result", true),
        ("the results", "the result", false),
        ("run /deploy now", "/deploy", true),
        ("run x/deploy", "/deploy", true),
        ("after that, go", "that,", true),
        ("anything", "", false),
        ("él dijo", "l", false),
    ] {
        assert_eq!(says(text, phrase), found, "{text}: {phrase}");
    }
}

proptest! {
    #[test]
    fn folding_twice_changes_nothing(text in any::<String>()) {
        let once = fold(&text).into_owned();
        prop_assert_eq!(fold(&once), once.as_str());
    }
}
