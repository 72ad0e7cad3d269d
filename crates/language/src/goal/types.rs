//! What a reading of a goal holds. A field that was not said is absent, here and in JSON.

use candor_text::{Language, fold};
use serde::{Deserialize, Serialize, Serializer};

use super::gazetteer;

/// A goal as read from plain words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reading {
    /// The language of the text.
    pub language: Language,
    /// What the text says.
    pub extracted: Extracted,
    /// What was guessed and not said, in plain words.
    pub guesses: Vec<String>,
    /// What the text says twice in different ways, or not clearly.
    pub doubts: Vec<String>,
}

/// The facts named in a goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Extracted {
    /// Where a journey starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Where a journey goes: a city, or the region whose cities are visited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// Every place named, in the order of the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// How many days it takes, from words or from exact dates, first and last day included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_days: Option<u32>,
    /// What may be spent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Amount>,
    /// The ISO code of the budget's currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// How many people take part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<u32>,
    /// When it takes place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dates: Option<Dates>,
    /// The first day, as an ISO date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_date: Option<String>,
    /// The last day, as an ISO date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_date: Option<String>,
    /// The day by which it must be done, as an ISO date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// How many cities a journey visits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visiting_city_number: Option<u32>,
    /// Wishes about lodging, food and transport.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_constraint: Option<LocalConstraint>,
    /// Numbers with a unit that are none of the above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quantities: Vec<Quantity>,
    /// What is liked, in the goal's own words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preferences: Vec<String>,
    /// What must be so, in the goal's own words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub must: Vec<String>,
    /// What must not be so, in the goal's own words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub must_not: Vec<String>,
}

impl Extracted {
    /// The first place that is known beforehand and not only taken for one by its capital.
    #[must_use]
    pub fn known_place(&self) -> Option<&str> {
        let places = self.destination.iter().chain(&self.places).chain(&self.origin);
        places.map(String::as_str).find(|place| gazetteer::is_known(&fold(place)))
    }

    /// The first day, as an ISO date: the one that is named, or the first of the month that is.
    #[must_use]
    pub fn first_day(&self) -> Option<String> {
        let of_month = || match self.dates.as_ref()? {
            Dates::Text(month) => jiff::civil::Date::strptime("%B %Y %d", format!("{month} 1")).ok(),
            Dates::Days(_) => None,
        };
        self.start_date.clone().or_else(|| of_month().map(|day| day.to_string()))
    }
}

/// A number that is written without a fraction when it has none.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Deserialize)]
#[serde(transparent)]
pub struct Amount(pub f64);

/// Whole numbers above this are no longer exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            #[expect(clippy::cast_possible_truncation, reason = "whole and small, as checked")]
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// When something takes place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Dates {
    /// Every day, as ISO dates.
    Days(Vec<String>),
    /// A time known less exactly, such as `May 2025`.
    Text(String),
}

/// Wishes about lodging, food and transport, in the labels that catalogues use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocalConstraint {
    /// What the lodging must allow.
    #[serde(rename = "house rule", skip_serializing_if = "Option::is_none")]
    pub house_rule: Option<String>,
    /// The cuisines to be found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cuisine: Vec<String>,
    /// The kind of room.
    #[serde(rename = "room type", skip_serializing_if = "Option::is_none")]
    pub room_type: Option<String>,
    /// The means of transport to avoid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transportation: Option<String>,
}

/// A number with its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// How many.
    pub value: Amount,
    /// Of what.
    pub unit: String,
    /// The words as written.
    pub text: String,
}
