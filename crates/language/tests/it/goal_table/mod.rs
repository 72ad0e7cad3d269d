//! One line per reading, so that a table of texts can be compared with what must be read from them.

use candor_language::goal::{self, Dates, Extracted};
use candor_model::Timestamp;

fn read(text: &str) -> Extracted {
    let now: Timestamp = "2024-09-10T09:00:00Z".parse().unwrap();
    goal::read(text, now).extracted
}

/// The reading in the form of the tables: origin, destination, days, cities, first day, people, budget, house
/// rule, cuisines, room type, transportation; `-` for what was not said.
fn shown(read: &Extracted) -> String {
    let constraint = read.local_constraint.clone().unwrap_or_default();
    let number = |value: Option<u32>| value.map(|value| value.to_string());
    let dates = match &read.dates {
        Some(Dates::Days(days)) => {
            assert!(read.duration_days.is_none_or(|length| days.len() == length as usize), "{days:?}");
            days.first().cloned()
        }
        Some(Dates::Text(text)) => Some(text.clone()),
        None => None,
    };
    [
        read.origin.clone(),
        read.destination.clone(),
        number(read.duration_days),
        number(read.visiting_city_number),
        dates,
        number(read.people),
        read.budget.map(|budget| budget.0.to_string()),
        constraint.house_rule,
        Some(constraint.cuisine.join(",")).filter(|list| !list.is_empty()),
        constraint.room_type,
        constraint.transportation,
    ]
    .map(|field| field.unwrap_or_else(|| "-".to_owned()))
    .join("|")
}

/// Fails with every row that is read otherwise than expected.
pub(crate) fn all_are_read(rows: &[(&str, &str)]) {
    let wrong: Vec<String> = rows
        .iter()
        .map(|(text, expected)| (text, expected, shown(&read(text))))
        .filter(|(_, expected, found)| *expected != found)
        .map(|(text, expected, found)| format!("{text}\n  expected {expected}\n  read     {found}"))
        .collect();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
