//! What agents put out, in few words.

use candor_text::Language;
use serde_json::Value;

use crate::line::{clean, shortened};
use crate::words;

const ENTRIES: usize = 4;
const NAMED_ENTRIES: usize = 8;
const DEPTH: usize = 2;
const COLUMNS: usize = 160;
const STRING_COLUMNS: usize = 100;
/// Fields that say what a thing is come before those that say how it is.
const NAMES: [&str; 3] = ["name", "title", "price"];

/// A value in one line; long lists and deep structures are told by their beginning and their size.
#[must_use]
pub fn in_short(language: Language, value: &Value) -> String {
    shortened(&summary(language, value, DEPTH), COLUMNS, true)
}

fn summary(language: Language, value: &Value, depth: usize) -> String {
    match value {
        Value::Null => words::nothing(language).to_owned(),
        Value::Bool(value) => words::yes_or_no(language, *value).to_owned(),
        Value::Number(number) => number.to_string(),
        // What is far too long is not even walked through to be cleaned.
        Value::String(text) => {
            let head: String = text.chars().take(STRING_COLUMNS * 2).collect();
            shortened(clean(&head).trim(), STRING_COLUMNS, true)
        }
        Value::Array(entries) if depth == 0 => words::entries(language, entries.len()),
        // Of things that have names the names say enough.
        Value::Array(entries) if entries.len() > 1 && entries.iter().all(|entry| name(entry).is_some()) => {
            let shown: Vec<String> = entries.iter().filter_map(name).take(NAMED_ENTRIES).map(clean).collect();
            listed(language, &shown, entries.len())
        }
        Value::Array(entries) => {
            let shown = entries.iter().take(ENTRIES).map(|entry| summary(language, entry, depth - 1));
            listed(language, &shown.collect::<Vec<_>>(), entries.len())
        }
        Value::Object(fields) if depth == 0 => words::fields(language, fields.len()),
        Value::Object(fields) => {
            let (named, others): (Vec<_>, Vec<_>) =
                fields.iter().partition(|(key, _)| NAMES.contains(&key.as_str()));
            let shown = named.into_iter().chain(others).take(ENTRIES);
            let shown =
                shown.map(|(key, value)| format!("{} {}", clean(key), summary(language, value, depth - 1)));
            format!("({})", listed(language, &shown.collect::<Vec<_>>(), fields.len()))
        }
    }
}

fn name(entry: &Value) -> Option<&str> {
    entry.get("name").or_else(|| entry.get("title"))?.as_str()
}

fn listed(language: Language, shown: &[String], all: usize) -> String {
    if shown.is_empty() {
        return words::nothing(language).to_owned();
    }
    match all.saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{}, {}", shown.join(", "), words::and_more(language, more)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_things_with_names_the_names_are_told() {
        let activities = json!([{"name": "Louvre", "price": 20}, {"name": "Seine cruise", "price": 15}]);
        assert_eq!(in_short(Language::En, &activities), "Louvre, Seine cruise");
    }

    #[test]
    fn large_and_deep_values_stay_short() {
        assert_eq!(in_short(Language::En, &json!(["Louvre", "Orsay"])), "Louvre, Orsay");
        assert_eq!(in_short(Language::En, &json!([1, 2, 3, 4, 5, 6])), "1, 2, 3, 4, … and 2 more");
        assert_eq!(
            in_short(Language::En, &json!({"price": 450, "legs": [[1], {"a": 1}]})),
            "(price 450, legs 1 entry, 1 field)"
        );
        assert_eq!(in_short(Language::En, &json!(null)), "nothing");
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!([deep]);
        }
        assert_eq!(in_short(Language::En, &deep), "1 entry");
        assert!(in_short(Language::En, &json!("x".repeat(1_000_000))).chars().count() <= COLUMNS);
    }
}
