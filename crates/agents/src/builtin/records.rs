//! Reading the records of a catalogue.

use candor_model::JsonMap;
use serde::Deserialize;
use serde_json::Value;

use super::BuiltinError;

/// Catalogues are searched from end to end; larger ones belong into a program of their own.
const MAX_RECORDS: usize = 10_000;

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "must be a JSON array of records, or an object with such an array as `records`"
)]
enum File {
    Plain(Vec<JsonMap>),
    Labelled { records: Vec<JsonMap> },
}

/// The records of a catalogue: those of a file, or those that stand in the options themselves.
pub(super) fn read_records(
    file: Option<&str>,
    inline: Option<Vec<JsonMap>>,
    files: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<JsonMap>, BuiltinError> {
    let (key, records) = match (file, inline) {
        (Some(_), Some(_)) => {
            return Err(BuiltinError::new("records", "give either `records` or `file`, not both"));
        }
        (None, None) => return Err(BuiltinError::new("file", "is missing: the file that holds the records")),
        (None, Some(records)) => ("records", records),
        (Some(name), None) => {
            let missing = || format!("there is no readable file `{name}`; expected a JSON array of records");
            let text = files(name).ok_or_else(|| BuiltinError::new("file", missing()))?;
            let wrong = |problem| BuiltinError::new("file", format!("`{name}`: {problem}"));
            ("file", parsed(&text).map_err(wrong)?)
        }
    };
    if records.len() > MAX_RECORDS {
        let problem = format!("has {} records; a catalogue has at most {MAX_RECORDS}", records.len());
        return Err(BuiltinError::new(key, problem));
    }
    Ok(records)
}

fn parsed(text: &str) -> Result<Vec<JsonMap>, serde_json::Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // In two steps, so that text which is not JSON is told by its line and not by its shape.
    match serde_json::from_value(serde_json::from_str::<Value>(text)?)? {
        File::Plain(records) | File::Labelled { records } => Ok(records),
    }
}
