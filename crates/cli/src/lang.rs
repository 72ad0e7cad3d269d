//! The language in which people are told things, and the macros with which every sentence is written in both.
//!
//! A sentence stands once, in English and Spanish side by side and with the same placeholders: `say!("{task} started",
//! "{task}: iniciada")`. What programs read (`--json`, exit codes, names of commands, options and states) and what runs
//! recorded is the same in both languages.

use std::fmt;
use std::ops::Deref;

pub(crate) use candor_app::language;
use candor_text::Language;

/// Where a language is looked for if the command line names none, the first that is set: our own variable, then those of
/// the locale in the order of POSIX.
const VARIABLES: [&str; 4] = ["CANDOR_LANG", "LC_ALL", "LC_MESSAGES", "LANG"];

/// The language that arguments and environment ask for. It is read before the arguments are parsed, because the help that
/// parsing prints is in that language too; a `--lang` that is not known is refused by the parser. With `--json` it is
/// English: data for programs does not depend on who reads it.
pub(crate) fn asked_for(arguments: &[String], variable: impl Fn(&str) -> Option<String>) -> Language {
    let options = arguments.split(|argument| argument == "--").next().unwrap_or_default();
    if options.iter().any(|option| option == "--json") {
        return Language::En;
    }
    let typed = of_options(options);
    let set = || VARIABLES.iter().filter_map(|name| variable(name)).find(|value| !value.is_empty());
    typed.or_else(set).and_then(|code| Language::of_code(&code)).unwrap_or_default()
}

fn of_options(options: &[String]) -> Option<String> {
    let mut options = options.iter();
    while let Some(option) = options.next() {
        match option.strip_prefix("--lang") {
            Some("") => return options.next().cloned(),
            Some(rest) if rest.starts_with('=') => return rest.get(1..).map(str::to_owned),
            _ => {}
        }
    }
    None
}

/// A sentence without placeholders in both languages; reads as the text in the language of the process.
#[derive(Debug)]
pub(crate) struct Text {
    en: &'static str,
    es: &'static str,
}

impl Text {
    pub(crate) const fn new(en: &'static str, es: &'static str) -> Self {
        Self { en, es }
    }

    /// The text in the language of the process.
    pub(crate) fn text(&self) -> &'static str {
        match language() {
            Language::En => self.en,
            Language::Es => self.es,
        }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.text()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(arguments: &[&str], variables: &[(&str, &str)]) -> &'static str {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
        asked_for(&arguments, variable).code()
    }

    #[test]
    fn the_command_line_comes_before_our_variable_and_that_before_the_locale() {
        let spanish = [("LANG", "es_ES.UTF-8")];
        assert_eq!(asked(&["run"], &spanish), "es");
        assert_eq!(asked(&["run"], &[("LC_ALL", "C"), ("LANG", "es_ES.UTF-8")]), "en");
        assert_eq!(asked(&["run"], &[("CANDOR_LANG", ""), ("LC_MESSAGES", "es_AR")]), "es");
        assert_eq!(asked(&["run"], &[("CANDOR_LANG", "en"), ("LC_ALL", "es_ES")]), "en");
        assert_eq!(asked(&["run", "--lang", "en"], &spanish), "en");
        assert_eq!(asked(&["--lang=es", "list"], &[]), "es");
        assert_eq!(asked(&["run", "--", "--lang", "es"], &[]), "en");
        assert_eq!(asked(&["run"], &[("LANG", "fr_FR.UTF-8")]), "en");
        assert_eq!(asked(&["list", "--json", "--lang", "es"], &spanish), "en");
    }
}
