//! Texts with slots: `Find hotels in {destination}[ for {nights} nights]`.
//!
//! A part in brackets is left out when one of its slots is empty. A slot that is empty outside of brackets
//! makes the whole text unfit, and the caller is told which one it was.

use candor_model::JsonMap;
use serde_json::Value;

/// What the slots hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slots(JsonMap);

impl Slots {
    /// Slots with these values; `null` counts as empty.
    #[must_use]
    pub fn new(values: JsonMap) -> Self {
        Self(values)
    }

    /// What a slot holds.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Fills the slots of a text; the error is the name of an empty one.
    pub fn fill(&self, text: &str) -> Result<String, String> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, optional)) = rest.split_once('[') {
            filled.push_str(&self.fill_part(before)?);
            let Some((inside, after)) = optional.split_once(']') else {
                filled.push('[');
                rest = optional;
                continue;
            };
            filled.push_str(&self.fill_part(inside).unwrap_or_default());
            rest = after;
        }
        filled.push_str(&self.fill_part(rest)?);
        Ok(filled)
    }

    /// Fills a value: a text that is one slot becomes what the slot holds, other texts are filled, everything
    /// else stays. Nothing comes of a text with an empty slot.
    #[must_use]
    pub fn fill_value(&self, value: &Value) -> Option<Value> {
        let Value::String(text) = value else { return Some(value.clone()) };
        let whole = text.strip_prefix('{').and_then(|inner| inner.strip_suffix('}'));
        match whole.filter(|name| !name.contains(['{', '}'])) {
            Some(name) => self.get(name).cloned(),
            None => self.fill(text).ok().map(Value::String),
        }
    }

    fn fill_part(&self, text: &str) -> Result<String, String> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let Some((name, after)) = after.split_once('}') else {
                filled.push('{');
                rest = after;
                continue;
            };
            filled.push_str(&shown(self.get(name).ok_or_else(|| name.to_owned())?));
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(", "),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn slots(value: &Value) -> Slots {
        Slots::new(value.as_object().cloned().unwrap())
    }

    #[test]
    fn optional_parts_go_with_their_slots() {
        let text = "Find hotels in {destination}[ for {nights} nights][ under {price}]";
        let known = slots(&json!({"destination": "Paris", "nights": 3, "price": null}));
        assert_eq!(known.fill(text).unwrap(), "Find hotels in Paris for 3 nights");
        assert_eq!(slots(&json!({"nights": 3})).fill(text).unwrap_err(), "destination");
    }

    #[test]
    fn lists_are_shown_as_people_write_them() {
        let known = slots(&json!({"without": ["Paris", 3]}));
        assert_eq!(known.fill("not {without}").unwrap(), "not Paris, 3");
    }

    #[test]
    fn a_value_that_is_one_slot_keeps_its_type() {
        let known = slots(&json!({"budget": 2000}));
        assert_eq!(known.fill_value(&json!("{budget}")), Some(json!(2000)));
        assert_eq!(known.fill_value(&json!("at most {budget}")), Some(json!("at most 2000")));
        assert_eq!(known.fill_value(&json!("{people}")), None);
        assert_eq!(known.fill_value(&json!(5)), Some(json!(5)));
    }

    #[test]
    fn marks_that_do_not_close_are_only_marks() {
        let known = slots(&json!({}));
        assert_eq!(known.fill("a [b {c").unwrap(), "a [b {c");
        assert_eq!(known.fill("}] x").unwrap(), "}] x");
    }
}
