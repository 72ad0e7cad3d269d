//! The fields that the operator has named, where they stand in a text: JSON that was written into a sentence, a line of a
//! log, a preview. As fields of a record they are known by their names.

use std::ops::Range;

use crate::secret::{PROSE, after, looks_random, trim_spaces, value};

/// Where the values of this field are in a text: behind `name:`, `name=` or `"name":`, and behind `name is` what looks like a
/// secret.
pub(super) fn values(text: &str, name: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = position(after(text, at), name).map(|place| at + place) {
        at = start + name.len();
        if begins_word(text, start)
            && let Some(value) = value_at(text, at)
        {
            at = value.end;
            found.push(value);
        }
    }
    found
}

fn position(text: &str, name: &str) -> Option<usize> {
    text.as_bytes().windows(name.len().max(1)).position(|part| part.eq_ignore_ascii_case(name.as_bytes()))
}

fn begins_word(text: &str, start: usize) -> bool {
    let before = text.get(..start).and_then(|before| before.chars().next_back());
    !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
}

/// The value that follows a name. In JSON within JSON quotation marks have backslashes in front of them.
fn value_at(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = after(text, from);
    let said = PROSE.iter().find_map(|word| rest.strip_prefix(word));
    let ahead = rest.trim_start_matches('\\');
    let ahead = trim_spaces(ahead.strip_prefix(['"', '\'']).unwrap_or(ahead));
    let assigned = ["=>", "=", ":"].iter().find_map(|sign| ahead.strip_prefix(sign));
    let ahead = trim_spaces(assigned.or(said)?);
    let unescaped = ahead.trim_start_matches('\\');
    let quote = unescaped.chars().next().filter(|letter| matches!(letter, '"' | '\''));
    let (ahead, is_escaped) =
        if quote.is_some() { (unescaped, unescaped.len() < ahead.len()) } else { (ahead, false) };
    let mut value = value(ahead, quote);
    if is_escaped {
        value = value.trim_end_matches('\\');
    }
    // Lists are looked at item by item, and what has a mark was taken out before.
    let is_value =
        !value.is_empty() && !value.starts_with('[') && (assigned.is_some() || looks_random(value));
    let start = text.len() - ahead.len() + usize::from(quote.is_some());
    is_value.then(|| start..start + value.len())
}

#[cfg(test)]
mod tests {
    use super::values;

    #[test]
    fn values_are_found_in_sentences_and_in_json_at_any_depth() {
        // spec: findings SE-04
        for text in [
            "{ \"db\": { \"ssn\": \"778-90-1234\" } }",
            "{\\\"SSN\\\":\\\"778-90-1234\\\"}",
            "{\\\\\\\"ssn\\\\\\\": \\\\\\\"778-90-1234\\\\\\\"}",
            "got ssn=778-90-1234, and more",
            "ssn: 778-90-1234",
            "{'ssn': '778-90-1234'}",
            "the ssn is 778-90-1234",
        ] {
            let found: Vec<&str> = values(text, "ssn").into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, ["778-90-1234"], "{text}");
        }
    }

    #[test]
    fn other_names_marks_and_prose_are_left_alone() {
        for text in [
            "",
            "ssn",
            "ssn:",
            "my_ssn: 778-90-1234",
            "classn: 5",
            "ssn_kind: long",
            "the ssn is required",
            "\"ssn\": [redacted:secret#0a0b0c]",
            "\"ssn\": [\"a\"]",
            "\"ssn\": {\"type\": \"string\"}",
        ] {
            assert_eq!(values(text, "ssn"), [], "{text}");
        }
    }
}
