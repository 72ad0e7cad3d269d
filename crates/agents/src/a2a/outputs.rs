//! From the artifacts of a peer to the outputs of a task.

use a2a::{Artifact, Message, Part, PartContent};
use candor_model::JsonMap;
use serde_json::Value;

use super::progress::Progress;
use crate::text;

/// What text is called if nothing names it.
const TEXT: &str = "text";
/// What anything else is called if nothing names it.
const FILE: &str = "file";
/// How many characters of a name are kept.
const MAX_NAME_CHARS: usize = 100;

/// What a task brought, by name.
///
/// Data that are objects are outputs as they are. What has no name of its own is the one output that was
/// expected, if exactly one was; otherwise it is called like its artifact.
pub(super) fn outputs(progress: &Progress, expected: &[String]) -> JsonMap {
    let mut gathered = Gathered::default();
    for artifact in &progress.artifacts {
        gathered.artifact(artifact);
    }
    // Some say what they found without making an artifact of it.
    let message = progress.answer.as_ref().or_else(|| progress.message());
    if let Some(message) = message.filter(|_| progress.artifacts.is_empty()) {
        gathered.message(message);
    }
    match expected {
        [only] => gathered.under(only),
        _ => gathered.named(),
    }
}

#[derive(Default)]
struct Gathered {
    /// What the keys of objects say.
    data: JsonMap,
    /// Texts, by the name of their artifact.
    texts: Vec<(Option<String>, String)>,
    /// Everything else, with a name if it has one.
    others: Vec<(Option<String>, Value)>,
}

impl Gathered {
    fn artifact(&mut self, artifact: &Artifact) {
        let name = artifact.name.as_deref().map(|name| text::head_within(name.as_bytes(), MAX_NAME_CHARS));
        self.parts(name.filter(|name| !name.is_empty()).as_deref(), &artifact.parts);
    }

    fn message(&mut self, message: &Message) {
        self.parts(None, &message.parts);
    }

    fn parts(&mut self, name: Option<&str>, parts: &[Part]) {
        let mut texts = Vec::new();
        for part in parts {
            match &part.content {
                PartContent::Text(text) => texts.push(text.as_str()),
                PartContent::Data(data) => match whole_numbers(data.clone()) {
                    Value::Object(data) => self.data.extend(data),
                    data => self.others.push((name.map(str::to_owned), data)),
                },
                PartContent::Raw(_) | PartContent::Url(_) => {
                    let name =
                        part.filename.as_deref().filter(|name| !name.is_empty()).or(name).unwrap_or(FILE);
                    let name = text::head_within(name.as_bytes(), MAX_NAME_CHARS);
                    self.others.push((Some(name), serde_json::to_value(part).unwrap_or_default()));
                }
            }
        }
        if !texts.is_empty() {
            self.texts.push((name.map(str::to_owned), texts.join("\n")));
        }
    }

    /// Everything, when exactly this is expected.
    fn under(mut self, expected: &str) -> JsonMap {
        if self.data.contains_key(expected) {
            return self.named();
        }
        if !self.texts.is_empty() {
            let texts: Vec<String> =
                std::mem::take(&mut self.texts).into_iter().map(|(_, text)| text).collect();
            let mut outputs = self.named();
            outputs.insert(expected.to_owned(), Value::from(texts.join("\n\n")));
            return outputs;
        }
        let whole = match (self.data.is_empty(), self.others.len()) {
            (true, 0) => return JsonMap::new(),
            (true, 1) => self.others.pop().map(|(_, value)| value).unwrap_or_default(),
            _ => Value::Object(self.named()),
        };
        JsonMap::from_iter([(expected.to_owned(), whole)])
    }

    /// Everything by its own name.
    fn named(self) -> JsonMap {
        let mut outputs = self.data;
        let texts = self
            .texts
            .into_iter()
            .map(|(name, text)| (name.unwrap_or_else(|| TEXT.to_owned()), Value::from(text)));
        let others =
            self.others.into_iter().map(|(name, value)| (name.unwrap_or_else(|| FILE.to_owned()), value));
        for (name, value) in texts.chain(others) {
            let name = free(&outputs, name);
            outputs.insert(name, value);
        }
        outputs
    }
}

/// The same with whole numbers written as such: on the protocol's wire every number is a fraction, so that a peer
/// that means 3 says 3.0.
fn whole_numbers(value: Value) -> Value {
    /// Up to here every whole number is exact.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Array(values) => values.into_iter().map(whole_numbers).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, whole_numbers(value))).collect(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            #[expect(clippy::cast_possible_truncation, reason = "whole and small enough")]
            Some(float) if float.fract() == 0.0 && float.abs() < EXACT => Value::from(float as i64),
            _ => Value::Number(number),
        },
        other => other,
    }
}

/// The name, or with a number behind it if something has it already.
fn free(taken: &JsonMap, name: String) -> String {
    if !taken.contains_key(&name) {
        return name;
    }
    // There is always one: only so many names are taken.
    (2..=taken.len() + 2)
        .map(|number| format!("{name}_{number}"))
        .find(|name| !taken.contains_key(name))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(artifacts: Value, expected: &[&str]) -> Value {
        let mut progress = Progress::default();
        progress.artifacts = serde_json::from_value(artifacts).unwrap();
        let expected: Vec<String> = expected.iter().map(|&name| name.to_owned()).collect();
        Value::Object(outputs(&progress, &expected))
    }

    #[test]
    fn data_are_outputs_and_text_is_what_was_expected() {
        let both = json!([{ "artifactId": "1", "name": "n", "parts": [{ "data": { "a": 1 } }, { "text": "t" }, { "text": "u" }] }]);
        assert_eq!(of(both.clone(), &["report"]), json!({ "a": 1, "report": "t\nu" }));
        assert_eq!(of(both.clone(), &["a"]), json!({ "a": 1, "n": "t\nu" }));
        assert_eq!(of(both.clone(), &["x", "y"]), json!({ "a": 1, "n": "t\nu" }));
        assert_eq!(of(both, &[]), json!({ "a": 1, "n": "t\nu" }));
        let data = json!([{ "artifactId": "1", "parts": [{ "data": { "a": 1 } }] }]);
        assert_eq!(of(data.clone(), &["report"]), json!({ "report": { "a": 1 } }));
        assert_eq!(of(data, &["a", "b"]), json!({ "a": 1 }));
        let list = json!([{ "artifactId": "1", "parts": [{ "data": [1, 2] }] }]);
        assert_eq!(of(list.clone(), &["report"]), json!({ "report": [1, 2] }));
        assert_eq!(of(list, &[]), json!({ "file": [1, 2] }));
        assert_eq!(of(json!([]), &["report"]), json!({}));
    }

    #[test]
    fn whole_numbers_are_whole_again() {
        let data = json!([{ "artifactId": "1", "parts": [{ "data": { "a": [3.0, 2.5, -1.0, 1e300], "b": { "c": 7 } } }] }]);
        assert_eq!(of(data, &[]), json!({ "a": [3, 2.5, -1, 1e300], "b": { "c": 7 } }));
    }

    #[test]
    fn nothing_is_lost_to_a_name_that_is_taken() {
        let same = json!([{ "artifactId": "1", "parts": [{ "text": "t" }, { "raw": "AAA=", "filename": "text" }] },
            { "artifactId": "2", "parts": [{ "text": "u" }, { "url": "http://h/x", "mediaType": "image/png" }] }]);
        assert_eq!(
            of(same, &[]),
            json!({ "text": "t", "text_2": "u", "text_3": { "raw": "AAA=", "filename": "text" },
                "file": { "url": "http://h/x", "mediaType": "image/png" } })
        );
    }
}
