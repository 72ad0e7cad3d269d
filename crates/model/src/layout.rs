//! What the report of a run leads with, as its pack describes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;

/// The result part of a report: sections with rows that point into the outputs of finished tasks.
///
/// A path starts with the name of an output and goes on with fields: `chosen_item.price`. Where two tasks have an
/// output of the same name, the later one counts. A row whose path leads nowhere is left out, and so is a section
/// without rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportLayout {
    /// The heading. In a pack it may have `{slot}`s, which are filled when the plan is made.
    pub title: String,
    /// The ISO code of the currency that amounts are in, if the goal names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// The sections, in order.
    pub sections: Vec<ReportSection>,
}

/// A part of the result with a heading of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportSection {
    /// Heading above the rows.
    pub title: String,
    /// The path of a list: the section has one line for each entry, and the paths of its rows start there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<String>,
    /// The field of an entry by which the lines are grouped, such as `day`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The rows, in order; with `each`, the columns.
    pub rows: Vec<ReportRow>,
}

/// A value of the outputs with the label that a reader sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportRow {
    /// What it is called.
    pub label: String,
    /// Where it is found.
    pub path: String,
    /// How it is shown.
    #[serde(default)]
    pub format: RowFormat,
}

text_enum!(
    /// How a value is shown.
    #[derive(Default)]
    RowFormat {
        /// As it is; the entries of a list one after the other.
        #[default]
        Text = "text",
        /// As an amount in the layout's currency.
        Money = "money",
        /// A date without a time.
        Date = "date",
        /// A number with separators.
        Number = "number",
    }
);
