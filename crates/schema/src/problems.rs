//! What is wrong with data, measured against its schema, in words for people and for models.
//!
//! It covers what `schemars` writes for our types. It is bounded: in the number of messages, in depth, and
//! in the work that alternatives can cause.

use serde_json::{Map, Value};

use crate::parts::{branches, is_type, listed, member_path, resolve, type_words, types, value_words};

/// How many problems are named at most.
pub const MAX_PROBLEMS: usize = 20;

/// How deep schema and data are followed.
const MAX_DEPTH: usize = 160;

/// How many pairs of value and schema are looked at.
const MAX_STEPS: usize = 100_000;

/// Says what is wrong with a value, each message with the place: `tasks[2].priority: must be …, is …`.
#[must_use]
pub fn problems(value: &Value, schema: &Value) -> Vec<String> {
    problems_with(value, schema, schema, &mut 0)
}

/// Says what is wrong with a value by a part of a schema, whose references lead into the whole.
/// `steps` counts the work of many such questions, which is bounded as a whole.
pub(crate) fn problems_with(value: &Value, part: &Value, whole: &Value, steps: &mut usize) -> Vec<String> {
    let mut checker = Checker { root: whole, found: Vec::new(), steps: *steps };
    checker.check(value, part, "", 0);
    *steps = checker.steps;
    checker.found
}

struct Checker<'a> {
    root: &'a Value,
    found: Vec<String>,
    steps: usize,
}

impl<'a> Checker<'a> {
    fn check(&mut self, value: &Value, schema: &'a Value, path: &str, depth: usize) {
        self.steps += 1;
        if self.found.len() >= MAX_PROBLEMS {
            return;
        }
        if depth > MAX_DEPTH || self.steps > MAX_STEPS {
            self.found.push("the answer: is too large or too deep to be checked".to_owned());
            self.found.truncate(MAX_PROBLEMS);
            return;
        }
        let schema = resolve(self.root, schema);
        if schema.as_bool() == Some(false) {
            return self.say(path, "must not be there");
        }
        if let Some(allowed) = listed(self.root, schema) {
            return self.one_of(value, &allowed, path);
        }
        if !self.has_type(value, schema, path) {
            return;
        }
        self.own_rules(value, schema, path, depth);
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.check(value, part, path, depth + 1);
        }
        if let Some(branches) = branches(schema) {
            self.any_of(value, branches, path, depth);
        }
    }

    fn say(&mut self, path: &str, what: &str) {
        if self.found.len() < MAX_PROBLEMS {
            let place = if path.is_empty() { "the answer" } else { path };
            self.found.push(format!("{place}: {what}"));
        }
    }

    fn one_of(&mut self, value: &Value, allowed: &[&Value], path: &str) {
        if allowed.contains(&value) {
            return;
        }
        let names: Vec<String> = allowed.iter().take(12).map(|one| value_words(one)).collect();
        let more = if allowed.len() > 12 { ", …" } else { "" };
        let several = if allowed.len() > 1 { "one of " } else { "" };
        self.say(path, &format!("must be {several}{}{more}, is {}", names.join(", "), value_words(value)));
    }

    fn has_type(&mut self, value: &Value, schema: &Value, path: &str) -> bool {
        let wanted = types(schema);
        if wanted.is_empty() || wanted.iter().any(|name| is_type(value, name)) {
            return true;
        }
        let names: Vec<&str> = wanted.iter().map(|name| type_words(name)).collect();
        self.say(path, &format!("must be {}, is {}", names.join(" or "), value_words(value)));
        false
    }

    fn own_rules(&mut self, value: &Value, schema: &'a Value, path: &str, depth: usize) {
        match value {
            Value::Object(map) => self.object(map, schema, path, depth),
            Value::Array(items) => self.array(items, schema, path, depth),
            Value::String(text) => {
                let length = text.chars().count();
                self.size(length, schema, ("minLength", "maxLength"), "characters", path);
            }
            Value::Number(number) => self.number(number.as_f64().unwrap_or_default(), value, schema, path),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn object(&mut self, map: &Map<String, Value>, schema: &'a Value, path: &str, depth: usize) {
        for key in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            if let Some(key) = key.as_str().filter(|key| !map.contains_key(*key)) {
                self.say(&member_path(path, key), "is missing");
            }
        }
        let known = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        for (key, value) in map {
            let place = member_path(path, key);
            match (known.and_then(|known| known.get(key)), others) {
                (Some(schema), _) => self.check(value, schema, &place, depth + 1),
                (None, Some(Value::Bool(false))) => self.unknown_key(&place, known),
                (None, Some(schema)) => self.check(value, schema, &place, depth + 1),
                (None, None) => {}
            }
        }
    }

    fn unknown_key(&mut self, place: &str, known: Option<&Map<String, Value>>) {
        let names: Vec<&str> = known.into_iter().flatten().map(|(key, _)| key.as_str()).take(20).collect();
        let place: String = place.chars().take(200).collect();
        self.say(&place, &format!("is not known; known are {}", names.join(", ")));
    }

    fn array(&mut self, items: &[Value], schema: &'a Value, path: &str, depth: usize) {
        self.size(items.len(), schema, ("minItems", "maxItems"), "items", path);
        let first = schema.get("prefixItems").and_then(Value::as_array);
        for (index, item) in items.iter().enumerate() {
            let own = first.and_then(|first| first.get(index)).or_else(|| schema.get("items"));
            if let Some(own) = own {
                self.check(item, own, &format!("{path}[{index}]"), depth + 1);
            }
            if self.found.len() >= MAX_PROBLEMS {
                return;
            }
        }
    }

    fn size(&mut self, size: usize, schema: &Value, keys: (&str, &str), unit: &str, path: &str) {
        let limit = |key| schema.get(key).and_then(Value::as_u64);
        let size = u64::try_from(size).unwrap_or(u64::MAX);
        if let Some(least) = limit(keys.0).filter(|least| size < *least) {
            self.say(path, &format!("must have at least {least} {unit}, has {size}"));
        }
        if let Some(most) = limit(keys.1).filter(|most| size > *most) {
            self.say(path, &format!("must have at most {most} {unit}, has {size}"));
        }
    }

    fn number(&mut self, number: f64, value: &Value, schema: &Value, path: &str) {
        let limit = |key| schema.get(key).and_then(Value::as_f64);
        let (least, most) = (limit("minimum"), limit("maximum"));
        let outside = least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most);
        if outside {
            let range = match (least, most) {
                (Some(least), Some(most)) => format!("from {least} to {most}"),
                (Some(least), None) => format!("at least {least}"),
                (None, most) => format!("at most {}", most.unwrap_or_default()),
            };
            return self.say(path, &format!("must be {range}, is {value}"));
        }
        if let Some(bound) = limit("exclusiveMinimum").filter(|bound| number <= *bound) {
            self.say(path, &format!("must be above {bound}, is {value}"));
        }
        if let Some(bound) = limit("exclusiveMaximum").filter(|bound| number >= *bound) {
            self.say(path, &format!("must be below {bound}, is {value}"));
        }
    }

    /// No alternative fits: the problems of the one that comes nearest are named.
    fn any_of(&mut self, value: &Value, branches: &'a [Value], path: &str, depth: usize) {
        let mut nearest: Option<(bool, Vec<String>)> = None;
        for branch in branches {
            let mut own = Checker { root: self.root, found: Vec::new(), steps: self.steps };
            own.check(value, branch, path, depth + 1);
            self.steps = own.steps;
            if own.found.is_empty() {
                return;
            }
            let other_kind = !self.same_kind(value, branch);
            let better = nearest
                .as_ref()
                .is_none_or(|(other, found)| (other_kind, own.found.len()) < (*other, found.len()));
            if better {
                nearest = Some((other_kind, own.found));
            }
        }
        match nearest {
            Some((true, _)) => self.no_such_kind(value, branches, path),
            Some((false, found)) => self.found.extend(found),
            None => {}
        }
        self.found.truncate(MAX_PROBLEMS);
    }

    fn same_kind(&self, value: &Value, branch: &'a Value) -> bool {
        let branch = resolve(self.root, branch);
        let wanted = types(branch);
        match listed(self.root, branch) {
            Some(values) => {
                values.iter().any(|one| std::mem::discriminant(*one) == std::mem::discriminant(value))
            }
            None => wanted.is_empty() || wanted.iter().any(|name| is_type(value, name)),
        }
    }

    fn no_such_kind(&mut self, value: &Value, branches: &'a [Value], path: &str) {
        let mut names: Vec<String> = Vec::new();
        for branch in branches {
            let branch = resolve(self.root, branch);
            let values = listed(self.root, branch);
            names.extend(types(branch).into_iter().map(|name| type_words(name).to_owned()));
            names.extend(values.into_iter().flatten().map(value_words));
        }
        names.dedup();
        names.truncate(12);
        self.say(path, &format!("must be {}, is {}", names.join(" or "), value_words(value)));
    }
}
