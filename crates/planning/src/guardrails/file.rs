//! What a file may say about guardrails: rules of one's own, and other words for those of the phases.

use candor_model::{Enforcement, ValidationError};
use serde::Deserialize;

use super::phases;
use super::rule::{GlobalSettings, Rule, RulePriority};
use super::triggers::{EVERY, PromptTriggers};
use super::{Guardrails, MAX_RULES};
use crate::rules_file::RuleDocument;
use crate::rules_file::links::{self, Entry, Names};

const NAMES: Names = Names { entry: "rule", id: "skillId", needs: "dependsOn" };

/// What stands in a file of guardrails.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WrittenGuardrails {
    rules: Vec<WrittenRule>,
    global_settings: GlobalSettings,
}

/// A rule as it stands in a file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    #[serde(rename = "skillId")]
    skill_id: String,
    enforcement: Option<Enforcement>,
    priority: Option<RulePriority>,
    tripwire: Option<bool>,
    run_in_parallel: Option<bool>,
    #[serde(rename = "dependsOn")]
    depends_on: Option<Vec<String>>,
    #[serde(rename = "promptTriggers")]
    prompt_triggers: Option<PromptTriggers>,
    message: Option<String>,
}

impl RuleDocument for Guardrails {
    type Written = WrittenGuardrails;

    fn accept(written: WrittenGuardrails) -> Result<Self, ValidationError> {
        if written.rules.len() > MAX_RULES {
            return Err(ValidationError::new("rules", format!("more than {MAX_RULES} rules")));
        }
        let mut rules: Vec<Rule> = phases::rules().collect();
        let mut seen = Vec::new();
        for (index, rule) in written.rules.into_iter().enumerate() {
            let place = format!("rules[{index}]");
            if seen.contains(&rule.skill_id) {
                let problem = format!("`{}` is there twice; give this rule another name", rule.skill_id);
                return Err(ValidationError::new(format!("{place}.skillId"), problem));
            }
            seen.push(rule.skill_id.clone());
            take(&mut rules, rule, &place)?;
        }
        check_links(&rules, &seen)?;
        check_settings(written.global_settings)?;
        Ok(Self { rules, global_settings: written.global_settings })
    }
}

/// What holds for every run cannot be switched off.
fn check_settings(settings: GlobalSettings) -> Result<(), ValidationError> {
    let fixed = [
        ("requireExplicitHandoffs", settings.require_explicit_handoffs),
        ("forcedEvaluation", settings.forced_evaluation),
    ];
    match fixed.into_iter().find(|(_, holds)| !holds) {
        Some((name, _)) => Err(ValidationError::new(
            format!("globalSettings.{name}"),
            "cannot be switched off, because every phase always runs; write true or leave it out",
        )),
        None => Ok(()),
    }
}

/// Adds a rule of one's own, or takes the words for a phase's rule.
fn take(rules: &mut Vec<Rule>, written: WrittenRule, place: &str) -> Result<(), ValidationError> {
    if !written.skill_id.starts_with(phases::PREFIX) {
        rules.push(own_rule(written, place)?);
        return Ok(());
    }
    let Some(known) = rules.iter_mut().find(|rule| rule.skill_id == written.skill_id) else {
        return Err(unknown_phase(&written.skill_id, place));
    };
    if let Some((field, _)) = changes(&written, known).into_iter().find(|(_, changed)| *changed) {
        let problem = format!(
            "the rule `{}` cannot be changed, because every phase always runs; only its `message` can",
            known.skill_id
        );
        return Err(ValidationError::new(format!("{place}.{field}"), problem));
    }
    if let Some(message) = written.message {
        known.message = checked_message(message, place)?;
    }
    Ok(())
}

/// Which fields would change a phase's rule. One that repeats what holds anyway changes nothing.
fn changes(written: &WrittenRule, known: &Rule) -> [(&'static str, bool); 6] {
    fn differs<T: PartialEq>(written: Option<&T>, known: &T) -> bool {
        written.is_some_and(|said| said != known)
    }
    [
        ("enforcement", differs(written.enforcement.as_ref(), &known.enforcement)),
        ("priority", differs(written.priority.as_ref(), &known.priority)),
        ("tripwire", differs(written.tripwire.as_ref(), &known.tripwire)),
        ("run_in_parallel", differs(written.run_in_parallel.as_ref(), &known.run_in_parallel)),
        ("dependsOn", differs(written.depends_on.as_ref(), &known.depends_on)),
        ("promptTriggers", differs(written.prompt_triggers.as_ref(), &known.prompt_triggers)),
    ]
}

fn unknown_phase(id: &str, place: &str) -> ValidationError {
    let known: Vec<&str> = candor_model::Phase::ALL.iter().map(|phase| phases::rule_id(*phase)).collect();
    let problem = format!("unknown phase: `{}` is not one of {}", id.escape_debug(), known.join(", "));
    ValidationError::new(format!("{place}.skillId"), problem)
}

fn own_rule(written: WrittenRule, place: &str) -> Result<Rule, ValidationError> {
    let id = written.skill_id.trim();
    if id.is_empty() || id.len() != written.skill_id.len() {
        return Err(ValidationError::new(format!("{place}.skillId"), "a name without blanks at its ends"));
    }
    let missing = |field: &str, hint: &str| {
        ValidationError::new(format!("{place}.{field}"), format!("missing in rule `{id}`: {hint}"))
    };
    let enforcement =
        written.enforcement.ok_or_else(|| missing("enforcement", "write `block` or `suggest`"))?;
    let message =
        written.message.ok_or_else(|| missing("message", "say what is shown when it is violated"))?;
    let triggers = written.prompt_triggers.unwrap_or_default();
    let depends_on = written.depends_on.unwrap_or_default();
    if triggers.is_empty() && depends_on.is_empty() {
        let hint = "say which messages it is about (keywords = [\"*\"] for all), or what it `dependsOn`";
        return Err(missing("promptTriggers", hint));
    }
    check_keywords(&triggers, place)?;
    Ok(Rule {
        skill_id: id.to_owned(),
        enforcement,
        priority: written.priority.unwrap_or_default(),
        tripwire: written.tripwire.unwrap_or(false),
        run_in_parallel: written.run_in_parallel.unwrap_or(false),
        depends_on,
        prompt_triggers: triggers,
        message: checked_message(message, place)?,
    })
}

fn checked_message(message: String, place: &str) -> Result<String, ValidationError> {
    if message.trim().is_empty() {
        let problem = "is empty; it is what people read when the rule is violated";
        return Err(ValidationError::new(format!("{place}.message"), problem));
    }
    Ok(message)
}

/// A keyword that could never be found is a mistake that should not wait for its day.
fn check_keywords(triggers: &PromptTriggers, place: &str) -> Result<(), ValidationError> {
    for (index, keyword) in triggers.keywords.iter().enumerate() {
        let problem = if keyword.trim().is_empty() {
            "is empty"
        } else if keyword != EVERY && keyword.contains(EVERY) {
            "`*` stands alone, for every message; write the words out"
        } else {
            continue;
        };
        return Err(ValidationError::new(format!("{place}.promptTriggers.keywords[{index}]"), problem));
    }
    Ok(())
}

fn check_links(rules: &[Rule], written: &[String]) -> Result<(), ValidationError> {
    let place = |id: &String| match written.iter().position(|other| other == id) {
        Some(index) => format!("rules[{index}]"),
        None => "rules".to_owned(),
    };
    let entries: Vec<Entry<'_>> = rules
        .iter()
        .map(|rule| Entry { place: place(&rule.skill_id), id: &rule.skill_id, needs: &rule.depends_on })
        .collect();
    links::check(&entries, NAMES)
}
