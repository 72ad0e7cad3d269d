//! Comparisons of a figure with a value, as configuration says them: `p95 > 10000 ms`, `retryRate > 20%`.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use super::{ALL, Known, Targets, Unit};

/// The name of a figure that there is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

impl Name {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn known(&self) -> Option<&'static Known> {
        ALL.iter().find(|known| known.name == self.0)
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if ALL.iter().any(|known| known.name == text) {
            return Ok(Self(text));
        }
        let nearest = ALL
            .iter()
            .map(|known| known.name)
            .min_by_key(|name| strsim::levenshtein(&name.to_ascii_lowercase(), &text.to_ascii_lowercase()));
        Err(format!("there is no figure `{text}`; the nearest name is `{}`", nearest.unwrap_or_default()))
    }
}

/// A comparison with a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Comparison {
    /// `< value`
    Below(f64),
    /// `<= value`
    AtMost(f64),
    /// `> value`
    Above(f64),
    /// `>= value`
    AtLeast(f64),
}

impl Comparison {
    /// Compares a measured value with the bound.
    #[must_use]
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::Below(bound) => value < bound,
            Self::AtMost(bound) => value <= bound,
            Self::Above(bound) => value > bound,
            Self::AtLeast(bound) => value >= bound,
        }
    }

    /// What it compares with, and how.
    #[must_use]
    pub const fn parts(self) -> (&'static str, f64) {
        match self {
            Self::Below(bound) => ("<", bound),
            Self::AtMost(bound) => ("<=", bound),
            Self::Above(bound) => (">", bound),
            Self::AtLeast(bound) => (">=", bound),
        }
    }

    /// Reads `> 10 s`, `< 5%`, `<= $0.05`; the value gets the unit of the figure.
    pub fn parse(text: &str, unit: Unit) -> Result<Self, String> {
        let text = text.trim();
        let wrong =
            || format!("`{text}` is no comparison; expected <, <=, > or >= and a value, such as `> 20%`");
        let signs = [
            ("<=", Self::AtMost as fn(f64) -> Self),
            (">=", Self::AtLeast),
            ("<", Self::Below),
            (">", Self::Above),
        ];
        let found = signs.into_iter().find_map(|(sign, make)| Some((make, text.strip_prefix(sign)?)));
        let (make, rest) = found.ok_or_else(wrong)?;
        value(rest.trim(), unit).map(make)
    }
}

fn value(text: &str, unit: Unit) -> Result<f64, String> {
    let (digits, factor) = match unit {
        Unit::Milliseconds => match text.strip_suffix("ms") {
            Some(digits) => (digits, 1.0),
            None => text.strip_suffix('s').map_or((text, 1.0), |digits| (digits, 1_000.0)),
        },
        Unit::Share => text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 0.01)),
        Unit::Dollars => (text.strip_prefix('$').unwrap_or(text), 1.0),
        Unit::PerHour => (text.strip_suffix("/h").unwrap_or(text), 1.0),
        Unit::Tokens | Unit::Count => (text, 1.0),
    };
    let number: f64 = digits.trim().replace('_', "").parse().map_err(|_| format!("`{text}` is no value"))?;
    let number = number * factor;
    let right = number.is_finite() && number >= 0.0 && (unit != Unit::Share || number <= 1.0);
    right.then_some(number).ok_or_else(|| match unit {
        Unit::Share => format!("`{text}` is no share; expected 0 to 1, or 0% to 100%"),
        _ => format!("`{text}` must not be negative"),
    })
}

impl fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, bound) = self.parts();
        write!(formatter, "{sign} {bound}")
    }
}

impl Serialize for Comparison {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Comparison {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Comparison".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

/// When an alert is raised: a figure and a comparison.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Condition {
    /// Key figure that is compared.
    pub kpi: Name,
    /// The comparison that must not hold.
    pub is: Comparison,
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let at = text.find(['<', '>']).ok_or_else(|| {
            format!("`{text}` is no condition; expected a figure, a comparison and a value: retryRate > 20%")
        })?;
        let (name, comparison) = text.split_at(at);
        let kpi = Name::try_from(name.trim().to_owned())?;
        let unit = kpi.known().map_or(Unit::Count, |known| known.unit);
        let is = Comparison::parse(comparison, unit)?;
        Ok(Self { kpi, is })
    }
}

impl TryFrom<String> for Condition {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.kpi.as_str(), self.is)
    }
}

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads targets as they are configured: names of figures with comparisons.
pub fn targets(written: &BTreeMap<String, String>) -> Result<Targets, String> {
    let read = |(name, comparison): (&String, &String)| {
        let name = Name::try_from(name.clone())?;
        let comparison = Comparison::parse(comparison, unit_of(&name))
            .map_err(|problem| format!("{}: {problem}", name.as_str()))?;
        Ok((name, comparison))
    };
    written.iter().map(read).collect()
}

/// The unit of a figure.
#[must_use]
pub(super) fn unit_of(name: &Name) -> Unit {
    name.known().map_or(Unit::Count, |known| known.unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_a_figure_a_sign_and_a_value_with_its_unit() {
        // spec: orchestrator KP-08
        let read = |text: &str| text.parse::<Condition>().map(|it| (it.kpi.as_str().to_owned(), it.is));
        assert_eq!(read("retryRate > 20%"), Ok(("retryRate".to_owned(), Comparison::Above(0.2))));
        assert_eq!(read("p95>10s"), Ok(("p95".to_owned(), Comparison::Above(10_000.0))));
        assert_eq!(read("costPerTask >= $0.50"), Ok(("costPerTask".to_owned(), Comparison::AtLeast(0.5))));
        assert!(read("retriRate > 2%").unwrap_err().contains("`retryRate`"));
        assert!(read("retryRate > 200%").unwrap_err().contains("share"));
        assert!(read("p95 is slow").unwrap_err().contains("condition"));
        assert!(read("p95 > fast").unwrap_err().contains("value"));
    }
}
