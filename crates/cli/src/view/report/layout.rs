//! The result as the run's pack lays it out: sections of labelled values, prices in the goal's currency.

use crate::view::words::in_short;
use candor_model::{JsonMap, ReportLayout, ReportRow, ReportSection, RowFormat};
use candor_projections::deliverable::Deliverable;
use serde_json::Value;

use super::block::{Block, Span, text};
use crate::view::text::clean;

/// The sections that have something to show.
pub(super) fn sections(layout: &ReportLayout, made: &[Deliverable]) -> Vec<Block> {
    // Where two tasks have an output of the same name, the later one counts.
    let outputs: JsonMap = made.iter().flat_map(|made| made.outputs.clone()).collect();
    let outputs = Value::Object(outputs);
    let shown = |section: &ReportSection| {
        let body = match &section.each {
            Some(list) => each(section, at(&outputs, list), layout.currency.as_deref()),
            None => facts(section, &outputs, layout.currency.as_deref()),
        };
        super::block::section(3, &section.title, body)
    };
    layout.sections.iter().flat_map(shown).collect()
}

fn facts(section: &ReportSection, outputs: &Value, currency: Option<&str>) -> Vec<Block> {
    let fact = |row: &ReportRow| Some((row.label.clone(), shown(row, outputs, currency)?));
    let facts: Vec<(String, Span)> = section.rows.iter().filter_map(fact).collect();
    if facts.is_empty() { Vec::new() } else { vec![Block::Facts(facts)] }
}

/// One table, or one for each group of entries.
fn each(section: &ReportSection, list: Option<&Value>, currency: Option<&str>) -> Vec<Block> {
    let entries = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut groups: Vec<(String, Vec<&Value>)> = Vec::new();
    for entry in entries {
        let group = section.group.as_deref().and_then(|field| at(entry, field)).map(in_short);
        let group = group.unwrap_or_default();
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, members)) => members.push(entry),
            None => groups.push((group, vec![entry])),
        }
    }
    let label = section.group.as_deref().unwrap_or_default().replace('_', " ");
    let shown = |(group, members): &(String, Vec<&Value>)| {
        let title = format!("{label} {group}");
        let heading = (!group.is_empty()).then(|| Block::Heading(4, clean(title.trim())));
        heading.into_iter().chain([table(section, members, currency)]).collect::<Vec<_>>()
    };
    groups.iter().flat_map(shown).collect()
}

fn table(section: &ReportSection, entries: &[&Value], currency: Option<&str>) -> Block {
    let head = section.rows.iter().map(|row| row.label.clone()).collect();
    let cells = |entry: &&Value| {
        section.rows.iter().map(|row| shown(row, entry, currency).unwrap_or_default()).collect()
    };
    Block::Table(head, entries.iter().map(cells).collect())
}

/// The value that a path leads to: names of fields, or the number of an entry.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(value, |value, step| match value {
        Value::Array(entries) => entries.get(step.parse::<usize>().ok()?),
        other => other.get(step),
    })
}

fn shown(row: &ReportRow, from: &Value, currency: Option<&str>) -> Option<Span> {
    let value = at(from, &row.path).filter(|value| !value.is_null())?;
    Some(text(match (row.format, value) {
        (RowFormat::Money, Value::Number(amount)) => {
            amount.as_f64().map_or_else(|| amount.to_string(), |amount| money(amount, currency))
        }
        (RowFormat::Date, Value::String(day)) => day.split('T').next().unwrap_or(day).to_owned(),
        (_, other) => in_short(other),
    }))
}

fn money(amount: f64, currency: Option<&str>) -> String {
    match currency {
        Some("USD") => format!("${amount:.2}"),
        Some(code) => format!("{amount:.2} {code}"),
        None => format!("{amount:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use candor_model::TaskId;
    use serde_json::json;

    use super::*;

    fn blocks(layout: Value, outputs: Value) -> Vec<Block> {
        let layout: ReportLayout = candor_model::from_value(layout).unwrap();
        let Value::Object(outputs) = outputs else { panic!("not an object") };
        let made = Deliverable {
            task_id: TaskId::new("t").unwrap(),
            task: "t".to_owned(),
            outputs,
            is_result: true,
        };
        sections(&layout, &[made])
    }

    #[test]
    fn rows_follow_their_paths_and_what_leads_nowhere_is_left_out() {
        let layout = json!({"title": "Order", "currency": "EUR", "sections": [
            {"title": "Sum", "rows": [
                {"label": "Total", "path": "chosen.price", "format": "money"},
                {"label": "Delivery", "path": "chosen.at", "format": "date"},
                {"label": "Nowhere", "path": "chosen.missing.deeper"},
            ]},
            {"title": "Empty", "rows": [{"label": "x", "path": "nothing"}]},
        ]});
        let shown = blocks(layout, json!({"chosen": {"price": 1223, "at": "2027-05-01T10:00:00Z"}}));
        let facts = [("Total", "1223.00 EUR"), ("Delivery", "2027-05-01")];
        let facts = facts.map(|(label, value)| (label.to_owned(), text(value)));
        assert_eq!(shown, [Block::Heading(3, "Sum".to_owned()), Block::Facts(facts.into())]);
    }

    #[test]
    fn entries_are_grouped_and_each_group_is_a_table() {
        let layout = json!({"title": "Rota", "sections": [{"title": "Days", "each": "shifts", "group": "day",
            "rows": [{"label": "Who", "path": "name"}]}]});
        let shifts = json!([{"day": 1, "name": "Ana"}, {"day": 2, "name": "Bo"}, {"day": 1, "name": "Cy"}]);
        let shown = blocks(layout, json!({ "shifts": shifts }));
        assert_eq!(shown[1], Block::Heading(4, "day 1".to_owned()));
        let Block::Table(_, rows) = &shown[2] else { panic!("{shown:?}") };
        assert_eq!(rows, &[[text("Ana")], [text("Cy")]]);
    }
}
