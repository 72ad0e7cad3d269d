//! Sentences for people in both languages, side by side: one that lacks a language does not compile.

use crate::Language;

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
