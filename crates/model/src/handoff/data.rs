//! A phase's output as the text that is on the log.
//!
//! As a tree it took four times the memory of every run under way, and was built, written and dropped for each phase;
//! most of it nobody reads again.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::JsonMap;

/// The JSON of an object, kept as it was written.
#[derive(Clone)]
pub struct HandoffData(Box<RawValue>);

impl HandoffData {
    /// The JSON of an output; what is no object says nothing.
    #[must_use]
    pub fn of<T: Serialize>(output: &T) -> Self {
        let text = serde_json::value::to_raw_value(output).ok();
        text.filter(|text| text.get().starts_with('{')).map_or_else(Self::default, Self)
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.get()
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
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for HandoffData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        if text.get().starts_with('{') {
            Ok(Self(text))
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
