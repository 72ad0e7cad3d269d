//! Forms of a word that have one stem, and words that must not be mixed up.

use candor_text::{Language, alike, singular, stem};
use proptest::prelude::*;

#[track_caller]
fn assert_one_stem(language: Language, forms: &[&str]) {
    let stems: Vec<_> = forms.iter().map(|form| stem(form, language)).collect();
    assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{forms:?}: {stems:?}");
}

#[test]
fn english_forms_have_one_stem() {
    for forms in [
        &["plan", "plans", "planning", "planned"][..],
        &["hotel", "hotels", "hotel's"],
        &["search", "searches", "searching", "searched"],
        &["city", "cities"],
        &["validate", "validation", "validator"],
        &["translate", "translation", "translator"],
    ] {
        assert_one_stem(Language::En, forms);
    }
}

#[test]
fn spanish_forms_have_one_stem() {
    for forms in [
        &["reservar", "reserva", "reservas", "reservando", "reservado", "reservacion", "reservaciones"][..],
        &["viaje", "viajes", "viajar", "viajando"],
        &["hotel", "hoteles"],
        &["voz", "voces"],
        &["buscar", "busca", "buscando", "buscador"],
        &["ciudad", "ciudades"],
        &["alojar", "alojamiento", "alojamientos"],
        &["restaurante", "restaurantes"],
        &["crisis", "crisis"],
        &["traducir", "traducido"],
    ] {
        assert_one_stem(Language::Es, forms);
    }
}

#[test]
fn different_words_keep_different_stems() {
    for (language, one, other) in [
        (Language::En, "plane", "plan"),
        (Language::En, "news", "new"),
        (Language::En, "bus", "bu"),
        (Language::Es, "hotel", "hora"),
        (Language::Es, "vuelo", "vuelta"),
    ] {
        assert_ne!(stem(one, language), stem(other, language), "{one} {other}");
    }
}

#[test]
fn what_has_no_known_ending_stays() {
    for word in ["sha256s", "日本語です", "bus", "ios", ""] {
        assert_eq!(stem(word, Language::En), word);
        assert_eq!(stem(word, Language::Es), word);
    }
}

#[test]
fn alike_words_are_forms_of_one_word_in_either_language() {
    assert!(alike("hotels", "hotel") && alike("hoteles", "hotel") && alike("vuelo", "vuelo"));
    assert!(!alike("hotel", "motel") && !alike("plane", "plans"));
}

#[test]
fn singular_takes_the_plural_off_and_nothing_else() {
    for (plural, word) in [
        ("flights", "flight"),
        ("activities", "activity"),
        ("boxes", "box"),
        ("beaches", "beach"),
        ("bus", "bus"),
        ("class", "class"),
        ("planning", "planning"),
    ] {
        assert_eq!(singular(plural), word);
    }
}

proptest! {
    #[test]
    fn a_stem_is_never_longer_and_never_empty(word in "[a-z']{1,14}") {
        for language in [Language::En, Language::Es] {
            let stem = stem(&word, language);
            prop_assert!(!stem.is_empty() && stem.len() <= word.len());
        }
    }
}
