//! A phase's output as the text that is on the log.
//!
//! As a tree it took four times the memory of every run under way, and was built, written and dropped for each phase;
//! most of it nobody reads again.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::JsonMap;
use crate::redact::json;

/// The JSON of an object, kept as it was written.
#[derive(Clone)]
pub struct HandoffData(Box<str>);

impl HandoffData {
    /// The JSON of an output; what is no object says nothing.
    #[must_use]
    pub fn of<T: Serialize>(output: &T) -> Self {
        let text = json::text_of(output).ok();
        text.filter(|text| text.starts_with('{')).map_or_else(Self::default, |text| Self(text.into()))
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The object, read from its text.
    #[must_use]
    pub fn map(&self) -> JsonMap {
        serde_json::from_str(self.text()).unwrap_or_default()
    }
}

impl Default for HandoffData {
    fn default() -> Self {
        Self::of(&JsonMap::new())
    }
}

impl From<JsonMap> for HandoffData {
    fn from(map: JsonMap) -> Self {
        Self::of(&map)
    }
}

impl PartialEq for HandoffData {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl fmt::Debug for HandoffData {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text())
    }
}

impl Serialize for HandoffData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // As a `RawValue` does, which would read the text once more to be made of it.
        let mut raw = serializer.serialize_struct(json::RAW, 1)?;
        raw.serialize_field(json::RAW, &self.0)?;
        raw.end()
    }
}

impl<'de> Deserialize<'de> for HandoffData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        if text.get().starts_with('{') {
            Ok(Self(text.into()))
        } else {
            Err(serde::de::Error::custom("the data of a handoff is not an object"))
        }
    }
}

impl JsonSchema for HandoffData {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        JsonMap::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        JsonMap::json_schema(generator)
    }
}
