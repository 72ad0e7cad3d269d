//! Data bent towards its schema where its meaning is plain: spelling, numbers in quotes, wrappings.
//!
//! Nothing is made up and nothing that fits is touched. What cannot be bent stays as it is, for
//! [`problems`] to name.

use serde_json::{Map, Number, Value};

use crate::parts::{
    bare_name, branches, is_type, listed, member_path, resolve, type_words, types, value_words,
};
use crate::problems::problems_with;

/// How deep schema and data are followed.
const MAX_DEPTH: usize = 160;

/// How many trials alternatives and wrappings may cause.
const MAX_TRIALS: usize = 64;

/// Bends a value towards a schema; says what was changed, and where.
#[must_use]
pub fn fit(value: Value, schema: &Value) -> (Value, Vec<String>) {
    let mut fitter = Fitter { root: schema, repairs: Vec::new(), trials: 0, steps: 0 };
    let value = fitter.fit(value, schema, "", 0);
    (value, fitter.repairs)
}

struct Fitter<'a> {
    root: &'a Value,
    repairs: Vec<String>,
    trials: usize,
    steps: usize,
}

impl<'a> Fitter<'a> {
    fn fit(&mut self, value: Value, schema: &'a Value, path: &str, depth: usize) -> Value {
        if depth > MAX_DEPTH {
            return value;
        }
        let schema = resolve(self.root, schema);
        if let Some(allowed) = listed(self.root, schema) {
            return self.spelling(value, &allowed, path);
        }
        let mut value = self.retype(value, schema, path, depth);
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            value = self.fit(value, part, path, depth + 1);
        }
        if let Some(branches) = branches(schema) {
            value = self.choose(value, branches, path, depth);
        }
        match value {
            Value::Object(map) => Value::Object(self.members(map, schema, path, depth)),
            Value::Array(items) => Value::Array(self.items(items, schema, path, depth)),
            other => other,
        }
    }

    fn problems(&mut self, value: &Value, schema: &'a Value) -> Vec<String> {
        problems_with(value, schema, self.root, &mut self.steps)
    }

    fn note(&mut self, path: &str, what: &str) {
        let place = if path.is_empty() { "the answer" } else { path };
        self.repairs.push(format!("{place}: {what}"));
    }

    /// The spelling of the schema for a value that means the same.
    fn spelling(&mut self, value: Value, allowed: &[&Value], path: &str) -> Value {
        if allowed.contains(&&value) {
            return value;
        }
        let name = bare_name(&plain_words(&value));
        let mut same = allowed.iter().filter(|one| !name.is_empty() && bare_name(&plain_words(one)) == name);
        match (same.next(), same.next()) {
            (Some(one), None) => {
                self.note(path, &format!("{} was read as {}", value_words(&value), value_words(one)));
                (*one).clone()
            }
            _ => value,
        }
    }

    fn retype(&mut self, value: Value, schema: &'a Value, path: &str, depth: usize) -> Value {
        let wanted = types(schema);
        if wanted.contains(&"integer")
            && !wanted.contains(&"number")
            && let Some(whole) = whole_from_fraction(&value)
        {
            return whole;
        }
        if wanted.iter().any(|name| is_type(&value, name)) {
            return self.unwrap_object(value, schema, path, depth);
        }
        for name in wanted {
            if let Some(changed) = self.convert(&value, name, schema, path, depth) {
                self.note(path, &format!("{} was read as {}", value_words(&value), type_words(name)));
                return changed;
            }
        }
        value
    }

    fn convert(
        &mut self,
        value: &Value,
        name: &str,
        schema: &'a Value,
        path: &str,
        depth: usize,
    ) -> Option<Value> {
        match (name, value) {
            ("integer", Value::String(text)) => whole_number(text.trim()),
            ("number", Value::String(text)) => whole_number(text.trim()).or_else(|| fraction(text.trim())),
            ("boolean", Value::String(text)) => boolean(text.trim()),
            ("string", Value::Number(number)) => Some(Value::String(number.to_string())),
            ("string", Value::Bool(truth)) => Some(Value::String(truth.to_string())),
            ("array", Value::Object(map)) => Some(single_list(map).unwrap_or_else(|| one_item(value))),
            ("array", Value::String(_) | Value::Number(_) | Value::Bool(_)) => Some(one_item(value)),
            ("object", Value::Array(items)) => self.object_from_list(items, schema, path, depth),
            _ => None,
        }
    }

    /// An object in a list of one is that object; a list may be the only list that the object has.
    fn object_from_list(
        &mut self,
        items: &[Value],
        schema: &'a Value,
        path: &str,
        depth: usize,
    ) -> Option<Value> {
        if let [only @ Value::Object(_)] = items
            && let Some(fitted) = self.trial(only, schema, path, depth)
        {
            return Some(fitted);
        }
        let known = schema.get("properties").and_then(Value::as_object)?;
        let mut lists = known.iter().filter(|(_, own)| types(resolve(self.root, own)).contains(&"array"));
        let (Some((key, _)), None) = (lists.next(), lists.next()) else { return None };
        let mut map = Map::new();
        map.insert(key.clone(), Value::Array(items.to_vec()));
        self.trial(&Value::Object(map), schema, path, depth)
    }

    /// An object under a single key that the schema does not know is that object, if it then fits.
    fn unwrap_object(&mut self, value: Value, schema: &'a Value, path: &str, depth: usize) -> Value {
        let Value::Object(map) = &value else { return value };
        let Some(known) = schema.get("properties").and_then(Value::as_object) else { return value };
        let mut members = map.iter();
        let (Some((key, inner)), None) = (members.next(), members.next()) else { return value };
        let name = bare_name(key);
        if known.keys().any(|known| bare_name(known) == name) || !(inner.is_object() || inner.is_array()) {
            return value;
        }
        match self.trial(inner, schema, path, depth) {
            Some(fitted) => {
                let key: String = key.chars().take(60).collect();
                self.note(path, &format!("was taken out of \"{key}\""));
                fitted
            }
            None => value,
        }
    }

    /// The value bent towards a schema, if it then has no problems.
    fn trial(&mut self, value: &Value, schema: &'a Value, path: &str, depth: usize) -> Option<Value> {
        self.trials += 1;
        if self.trials > MAX_TRIALS {
            return None;
        }
        let mut inner =
            Fitter { root: self.root, repairs: Vec::new(), trials: self.trials, steps: self.steps };
        let fitted = inner.fit(value.clone(), schema, path, depth + 1);
        (self.trials, self.steps) = (inner.trials, inner.steps);
        if !self.problems(&fitted, schema).is_empty() {
            return None;
        }
        self.repairs.append(&mut inner.repairs);
        Some(fitted)
    }

    fn choose(&mut self, value: Value, branches: &'a [Value], path: &str, depth: usize) -> Value {
        if branches.iter().any(|branch| self.problems(&value, branch).is_empty()) {
            return value;
        }
        for branch in branches {
            if let Some(fitted) = self.trial(&value, branch, path, depth) {
                return fitted;
            }
        }
        let mut real = branches.iter().filter(|branch| types(resolve(self.root, branch)) != ["null"]);
        match (real.next(), real.next()) {
            (Some(only), None) if !value.is_null() => self.fit(value, only, path, depth + 1),
            _ => value,
        }
    }

    fn members(
        &mut self,
        map: Map<String, Value>,
        schema: &'a Value,
        path: &str,
        depth: usize,
    ) -> Map<String, Value> {
        let Some(known) = schema.get("properties").and_then(Value::as_object) else { return map };
        let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let map = self.spell_keys(map, known, path);
        let mut fitted = Map::new();
        for (key, value) in map {
            let place = member_path(path, &key);
            match known.get(&key) {
                None if closed => self.note(&place, "is not asked for and was left out"),
                None => {
                    fitted.insert(key, value);
                }
                Some(own) if value.is_null() && self.may_go(&key, schema, own) => {
                    self.note(&place, "is null and was left out");
                }
                Some(own) => {
                    let value = self.fit(value, own, &place, depth + 1);
                    fitted.insert(key, value);
                }
            }
        }
        fitted
    }

    /// Keys in the spelling of the schema, where it is free.
    fn spell_keys(
        &mut self,
        map: Map<String, Value>,
        known: &Map<String, Value>,
        path: &str,
    ) -> Map<String, Value> {
        if map.keys().all(|key| known.contains_key(key)) {
            return map;
        }
        let names: Vec<(String, &String)> = known.keys().map(|key| (bare_name(key), key)).collect();
        let taken: Vec<String> = map.keys().filter(|key| known.contains_key(*key)).cloned().collect();
        let mut spelled = Map::new();
        for (key, value) in map {
            let name = bare_name(&key);
            let meant = names.iter().find(|(bare, _)| *bare == name).map(|(_, key)| *key);
            match meant.filter(|meant| **meant != key && !taken.contains(meant)) {
                Some(meant) if !spelled.contains_key(meant) => {
                    self.note(&member_path(path, meant), "its name was spelled differently");
                    spelled.insert(meant.clone(), value);
                }
                _ => {
                    spelled.insert(key, value);
                }
            }
        }
        spelled
    }

    /// Whether a null may be left out: it is not asked for, and not allowed to be null either.
    fn may_go(&mut self, key: &str, schema: &Value, own: &'a Value) -> bool {
        let required = schema.get("required").and_then(Value::as_array);
        let asked = required.is_some_and(|keys| keys.iter().any(|one| one.as_str() == Some(key)));
        !asked && !self.problems(&Value::Null, own).is_empty()
    }

    fn items(&mut self, items: Vec<Value>, schema: &'a Value, path: &str, depth: usize) -> Vec<Value> {
        let first = schema.get("prefixItems").and_then(Value::as_array);
        let rest = schema.get("items");
        let fit_one = |(index, item)| match first.and_then(|first| first.get(index)).or(rest) {
            Some(own) => self.fit(item, own, &format!("{path}[{index}]"), depth + 1),
            None => item,
        };
        items.into_iter().enumerate().map(fit_one).collect()
    }
}

fn plain_words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn one_item(value: &Value) -> Value {
    Value::Array(vec![value.clone()])
}

/// The list that an object has under its only key.
fn single_list(map: &Map<String, Value>) -> Option<Value> {
    let mut values = map.values();
    match (values.next(), values.next()) {
        (Some(list @ Value::Array(_)), None) => Some(list.clone()),
        _ => None,
    }
}

fn whole_from_fraction(value: &Value) -> Option<Value> {
    let number = value.as_f64().filter(|number| value.is_f64() && number.fract() == 0.0)?;
    whole_number(&format!("{number:.0}"))
}

fn whole_number(text: &str) -> Option<Value> {
    text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<u64>().map(Value::from)).ok()
}

fn fraction(text: &str) -> Option<Value> {
    text.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number)
}

fn boolean(text: &str) -> Option<Value> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    match (is("true") || is("yes"), is("false") || is("no")) {
        (true, _) => Some(Value::Bool(true)),
        (_, true) => Some(Value::Bool(false)),
        _ => None,
    }
}
