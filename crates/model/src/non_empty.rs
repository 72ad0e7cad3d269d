//! A list that has at least one entry.

use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};

use crate::ValidationError;

/// A list with at least one entry: reasons, changes, suggested actions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct NonEmpty<T>(Vec<T>);

impl<T> NonEmpty<T> {
    /// A list of one entry.
    pub fn one(entry: T) -> Self {
        Self(vec![entry])
    }

    /// Makes the list of `entries`, or an error that names `field` if there are none.
    pub fn new(field: &str, entries: Vec<T>) -> Result<Self, ValidationError> {
        if entries.is_empty() {
            return Err(ValidationError::new(field, "must have at least one entry"));
        }
        Ok(Self(entries))
    }

    /// Makes the list of `entries`; if there are none, of `otherwise`.
    pub fn or_one(entries: Vec<T>, otherwise: impl FnOnce() -> T) -> Self {
        if entries.is_empty() { Self::one(otherwise()) } else { Self(entries) }
    }

    /// The entries as an ordinary list.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T> Deref for NonEmpty<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for NonEmpty<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = Vec::deserialize(deserializer)?;
        Self::new("list", entries).map_err(|error| serde::de::Error::custom(error.problem))
    }
}

impl<T: JsonSchema> JsonSchema for NonEmpty<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("NonEmpty_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "array", "minItems": 1, "items": generator.subschema_for::<T>() })
    }
}
