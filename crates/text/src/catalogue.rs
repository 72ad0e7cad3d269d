//! Sentences for people in both languages, side by side: one that lacks a language does not compile.

use std::fmt;

use crate::Language;

/// A sentence in both languages, for where it is not known yet who reads it: an error of the app goes to a terminal, which
/// has a language, and to programs, which are answered in English.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    en: String,
    es: String,
}

impl Sentence {
    /// Takes the two versions; `both!` makes them of one set of values.
    #[must_use]
    pub const fn new(en: String, es: String) -> Self {
        Self { en, es }
    }

    /// The version in this language.
    #[must_use]
    pub fn text(&self, language: Language) -> &str {
        match language {
            Language::En => &self.en,
            Language::Es => &self.es,
        }
    }

    /// Goes on with another sentence.
    #[must_use]
    pub fn then(self, next: impl Into<Self>) -> Self {
        let next = next.into();
        Self { en: self.en + &next.en, es: self.es + &next.es }
    }

    /// Puts a path or a key in front, which is the same in both languages.
    #[must_use]
    pub fn after(self, place: impl fmt::Display) -> Self {
        Self { en: format!("{place}{}", self.en), es: format!("{place}{}", self.es) }
    }
}

/// What another library says is in its language, whoever reads it. `Sentence` itself has no `Display`, so that it cannot
/// come in here and lose its Spanish.
impl<T: fmt::Display> From<T> for Sentence {
    fn from(text: T) -> Self {
        let text = text.to_string();
        Self { es: text.clone(), en: text }
    }
}

/// A [`Sentence`] with the same placeholders in each language: `both!("{count} left", "quedan {count}")`.
#[macro_export]
macro_rules! both {
    ($en:literal, $es:literal $($arguments:tt)*) => {
        $crate::Sentence::new(::std::format!($en $($arguments)*), ::std::format!($es $($arguments)*))
    };
}

/// A sentence in the language that is given, with the same placeholders in each: `in_language!(language; "{count} left",
/// "quedan {count}")`.
#[macro_export]
macro_rules! in_language {
    ($language:expr; $en:literal, $es:literal $($arguments:tt)*) => {
        match $language {
            $crate::Language::En => ::std::format!($en $($arguments)*),
            $crate::Language::Es => ::std::format!($es $($arguments)*),
        }
    };
}

/// The same without placeholders, as a `&'static str`.
#[macro_export]
macro_rules! word_in {
    ($language:expr; $en:literal, $es:literal) => {
        match $language {
            $crate::Language::En => $en,
            $crate::Language::Es => $es,
        }
    };
}

/// A noun of this language, with its adjectives, for a count: `task`, `tasks`; `intento fallido`, `intentos fallidos`.
#[must_use]
pub fn plural(language: Language, count: usize, noun: &str) -> String {
    if count == 1 {
        return noun.to_owned();
    }
    match language {
        Language::En => format!("{noun}s"),
        // An adjective agrees with its noun; what follows a preposition does not change.
        Language::Es => {
            let (head, rest) =
                noun.split_once(" de ").map_or((noun, None), |(head, rest)| (head, Some(rest)));
            let head = head.split(' ').map(spanish_plural).collect::<Vec<_>>().join(" ");
            rest.map_or_else(|| head.clone(), |rest| format!("{head} de {rest}"))
        }
    }
}

fn spanish_plural(word: &str) -> String {
    match word {
        // Borrowed words keep the ending of their language.
        "token" => "tokens".to_owned(),
        word if word.ends_with("ión") => format!("{}iones", word.trim_end_matches("ión")),
        word if word.ends_with('z') => format!("{}ces", word.trim_end_matches('z')),
        word if word.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{word}s"),
        word => format!("{word}es"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_and_their_adjectives_agree_with_the_count() {
        assert_eq!(plural(Language::En, 2, "failed attempt"), "failed attempts");
        let spanish = |noun| plural(Language::Es, 2, noun);
        assert_eq!(
            ["tarea", "intento fallido", "ejecución", "vez", "token", "byte", "error", "punto de control"]
                .map(spanish),
            [
                "tareas",
                "intentos fallidos",
                "ejecuciones",
                "veces",
                "tokens",
                "bytes",
                "errores",
                "puntos de control"
            ]
        );
        assert_eq!(plural(Language::Es, 1, "otra tarea"), "otra tarea");
    }

    #[test]
    fn a_locale_names_its_language() {
        let code = |locale| Language::of_code(locale).map(Language::code);
        assert_eq!(
            ["es_MX.UTF-8", "ES", "en-GB", "es@euro"].map(code),
            [Some("es"), Some("es"), Some("en"), Some("es")]
        );
        assert_eq!(["", "C", "C.UTF-8", "fr_FR", "español"].map(code), [None; 5]);
    }
}
