//! `parse_goal`: what is wanted, read from the person's own words.

use std::collections::BTreeSet;
use std::sync::Arc;

use candor_language::goal::{Amount, Dates, Reading};
use candor_model::Ask;
use candor_model::{GoalType, Tier};
use candor_planning::criterion;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::content_words;
use super::evaluate::{QualityAnswer, out_of_range};
use crate::{PhaseContext, Phases};

/// A goal as a model reads it. What is not said is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GoalAnswer {
    /// The kind of goal, one of the known kinds.
    pub(crate) goal_type: Option<String>,
    /// Where a journey goes.
    pub(crate) destination: Option<String>,
    /// Where a journey starts.
    pub(crate) origin: Option<String>,
    /// How many days it takes.
    #[schemars(range(min = 1, max = 3650))]
    pub(crate) duration_days: Option<u32>,
    /// What may be spent.
    #[schemars(range(min = 0))]
    pub(crate) budget: Option<f64>,
    /// The ISO code of the budget's currency.
    pub(crate) currency: Option<String>,
    /// When it takes place.
    pub(crate) dates: Option<String>,
    /// How many people take part.
    #[schemars(range(min = 1, max = 10000))]
    pub(crate) people: Option<u32>,
    /// What is liked.
    #[schemars(length(max = 8))]
    pub(crate) preferences: Vec<String>,
    /// What must be so.
    #[schemars(length(max = 8))]
    pub(crate) must: Vec<String>,
    /// What must not be so.
    #[schemars(length(max = 8))]
    pub(crate) must_not: Vec<String>,
    /// How to tell that it was reached.
    #[schemars(length(max = 8))]
    pub(crate) success_criteria: Vec<String>,
    /// What it is about, the most telling first.
    #[schemars(length(max = 20))]
    pub(crate) keywords: Vec<String>,
    /// How much there is to it.
    #[schemars(range(min = 0, max = 100))]
    pub(crate) complexity: Option<f64>,
    /// How well the request says what is wanted.
    #[serde(rename = "promptQuality", alias = "prompt_quality")]
    pub(crate) prompt_quality: Option<QualityAnswer>,
    /// How sure the model is of its reading.
    #[schemars(range(min = 0, max = 100))]
    pub(crate) confidence: Option<f64>,
}

/// Asks what is wanted.
pub(crate) fn parse_goal(phases: &Phases, cx: &PhaseContext<'_>) -> Ask {
    let kinds: Vec<String> = phases.packs().iter().map(|pack| pack.goal_type.to_string()).collect();
    let kinds: Vec<String> = kinds.into_iter().chain([GoalType::GENERIC.to_string()]).collect();
    let mut ask = Ask::expecting::<GoalAnswer>("parse_goal", Tier::Balanced);
    ask.slots.insert("request", cx.request.to_owned());
    ask.slots.insert("today", cx.now.to_string().chars().take(10).collect());
    ask.slots.insert("known_kinds", kinds.join(", "));
    ask.max_output_tokens = 400;
    let (fits, request) = (Arc::clone(&ask.check), cx.request.to_owned());
    ask.check = Arc::new(move |value: &Value| {
        let mut problems = fits(value);
        if let Ok(answer) = serde_json::from_value::<GoalAnswer>(value.clone()) {
            problems.extend(made_up(&answer, &request, &kinds));
            problems.extend(out_of_range(&answer));
        }
        problems
    });
    ask
}

/// What the answer says and the request does not.
fn made_up(answer: &GoalAnswer, request: &str, kinds: &[String]) -> Vec<String> {
    let words: BTreeSet<String> = content_words(request).collect();
    let said = |text: &String| content_words(text).any(|word| words.contains(&word));
    let mut problems = Vec::new();
    for (field, place) in [("destination", &answer.destination), ("origin", &answer.origin)] {
        if let Some(place) = place.as_ref().filter(|place| !said(place)) {
            problems
                .push(format!("{field}: `{place}` is not in the request; leave it out if it is not said"));
        }
    }
    let numbers: BTreeSet<String> = numbers_in(request);
    if let Some(budget) = answer.budget.filter(|budget| !numbers.contains(&digits(*budget))) {
        problems.push(format!("budget: {budget} is not in the request; leave it out if it is not said"));
    }
    // A sentence is for somebody to judge; what looks like a form and is none is a mistake.
    let misspelt = answer.success_criteria.iter().filter(|text| criterion::nearest(text).is_some());
    problems.extend(misspelt.flat_map(|text| criterion::problems(text)));
    if let Some(kind) = answer.goal_type.as_ref().filter(|kind| !kinds.contains(kind)) {
        problems.push(format!("goal_type: `{kind}` is not one of {}", kinds.join(", ")));
    }
    problems
}

/// Every number of a text as bare digits: `$2,000` is `2000`, and so is `2k`.
fn numbers_in(text: &str) -> BTreeSet<String> {
    let mut numbers = BTreeSet::new();
    let mut current = String::new();
    for c in text.chars().chain([' ']) {
        match c {
            '0'..='9' => current.push(c),
            ',' | '.' | '\'' if !current.is_empty() => {}
            'k' | 'K' if !current.is_empty() => {
                numbers.insert(format!("{current}000"));
            }
            _ if !current.is_empty() => {
                numbers.insert(std::mem::take(&mut current));
            }
            _ => {}
        }
    }
    numbers
}

fn digits(amount: f64) -> String {
    amount.to_string().chars().filter(char::is_ascii_digit).collect()
}

impl GoalAnswer {
    /// Puts what the model read over what the rules read. Where the two contradict each other, the model's
    /// word counts, and it is said that it is doubtful. Days of the calendar are the rules' business.
    pub(crate) fn laid_over(&self, mut reading: Reading) -> Reading {
        reading.guesses.clear();
        let Reading { extracted, doubts, .. } = &mut reading;
        lay(&mut extracted.destination, self.destination.clone(), "destination", doubts);
        lay(&mut extracted.origin, self.origin.clone(), "origin", doubts);
        lay(&mut extracted.duration_days, self.duration_days, "duration", doubts);
        lay(&mut extracted.people, self.people, "people", doubts);
        lay(&mut extracted.budget, self.budget.map(Amount), "budget", doubts);
        if extracted.budget.is_some() {
            extracted.currency = self.currency.clone().or(extracted.currency.take());
        }
        if extracted.dates.is_none() {
            extracted.dates = self.dates.clone().map(Dates::Text);
        }
        let lists = [
            (&mut extracted.preferences, &self.preferences),
            (&mut extracted.must, &self.must),
            (&mut extracted.must_not, &self.must_not),
        ];
        for (rules, model) in lists {
            if !model.is_empty() {
                rules.clone_from(model);
            }
        }
        reading
    }
}

fn lay<T: PartialEq + std::fmt::Debug>(
    rules: &mut Option<T>,
    model: Option<T>,
    name: &str,
    doubts: &mut Vec<String>,
) {
    let Some(said) = model else { return };
    if let Some(read) = rules.as_ref().filter(|read| **read != said) {
        doubts.push(format!("{name}: the model reads {said:?}, the rules read {read:?}"));
    }
    *rules = Some(said);
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: &str = "Plan a 3-day trip to Paris in May with a $2,000 budget";

    fn kinds() -> Vec<String> {
        vec!["travel_planning".to_owned(), "generic".to_owned()]
    }

    #[test]
    fn what_the_request_does_not_say_is_not_believed() {
        let answer = GoalAnswer {
            destination: Some("London".to_owned()),
            budget: Some(5000.0),
            goal_type: Some("holiday".to_owned()),
            ..GoalAnswer::default()
        };
        let problems = made_up(&answer, REQUEST, &kinds()).join("\n");
        for part in ["London", "5000", "holiday"] {
            assert!(problems.contains(part), "{problems}");
        }
        let right = GoalAnswer {
            destination: Some("Paris".to_owned()),
            budget: Some(2000.0),
            goal_type: Some("travel_planning".to_owned()),
            ..GoalAnswer::default()
        };
        assert_eq!(made_up(&right, REQUEST, &kinds()), Vec::<String>::new());
    }

    #[test]
    fn a_contradiction_between_model_and_rules_is_a_doubt() {
        let now = "2025-01-15T00:00:00Z".parse().unwrap();
        let answer = GoalAnswer { duration_days: Some(4), ..GoalAnswer::default() };
        let reading = answer.laid_over(candor_language::goal::read(REQUEST, now));
        assert_eq!(reading.extracted.duration_days, Some(4));
        assert!(reading.doubts.iter().any(|doubt| doubt.contains("duration")), "{:?}", reading.doubts);
        assert_eq!(reading.extracted.destination.as_deref(), Some("Paris"), "the rules fill what is missing");
    }
}
