//! Recognises by its words which categories a task covers. The rule is told at [`Category`].

use candor_model::SubTask;
use candor_text::fold;
use serde_json::Value;

use super::{CATEGORY_KEY, Category};

/// What a task says about itself.
pub(super) enum Subject<'t> {
    /// Its categories, by name.
    Labelled(Vec<&'t str>),
    /// Its words, folded, each after a space.
    Words(String),
}

impl<'t> Subject<'t> {
    pub(super) fn new(task: &'t SubTask) -> Self {
        match task.metadata.other.get(CATEGORY_KEY) {
            Some(Value::String(label)) => Self::Labelled(vec![label]),
            Some(Value::Array(labels)) => Self::Labelled(labels.iter().filter_map(Value::as_str).collect()),
            _ => Self::Words(words_of(task)),
        }
    }
}

fn words_of(task: &SubTask) -> String {
    let mut words = String::with_capacity(task.description.as_str().len() + 32);
    add_words(&mut words, task.description.as_str());
    for output in &task.expected_outputs {
        end_field(&mut words);
        add_words(&mut words, output);
    }
    if !task.agent_type.is_tbd() {
        end_field(&mut words);
        add_words(&mut words, task.agent_type.as_str());
    }
    words
}

/// Keeps keywords of several words from being found across two fields.
fn end_field(words: &mut String) {
    words.push_str(" |");
}

fn add_words(words: &mut String, text: &str) {
    for word in candor_text::words(text) {
        words.push(' ');
        words.push_str(&fold(word));
    }
}

/// A category's name and the words it is recognised by.
pub(super) struct Matcher<'c> {
    name: &'c str,
    needles: Vec<String>,
}

impl<'c> Matcher<'c> {
    pub(super) fn new(category: &'c Category) -> Self {
        let mut matcher = Self::of_name(&category.name);
        matcher.needles.extend(category.keywords.iter().filter_map(|keyword| needle(keyword)));
        matcher
    }

    /// A matcher for a category of which only the name is known.
    pub(super) fn of_name(name: &'c str) -> Self {
        Self { name, needles: needle(name).into_iter().collect() }
    }

    pub(super) fn covers(&self, subject: &Subject<'_>) -> bool {
        match subject {
            Subject::Labelled(labels) => labels.iter().any(|label| label.eq_ignore_ascii_case(self.name)),
            Subject::Words(words) => self.needles.iter().any(|needle| words.contains(needle.as_str())),
        }
    }
}

/// A keyword in the form in which it is looked for; a keyword without a letter would be found everywhere.
fn needle(keyword: &str) -> Option<String> {
    let mut words = String::new();
    add_words(&mut words, keyword);
    (!words.is_empty()).then_some(words)
}
