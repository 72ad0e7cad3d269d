//! What is wrong with a pack's rules, found when it is read: a rule that can never apply, or that changes nothing,
//! would otherwise be found when somebody needs it.

use std::collections::BTreeSet;

use candor_model::{BudgetRule, RecoveryRule, ValidationError};

use super::Pack;

impl Pack {
    /// Refuses rules that cannot apply; the error names the field.
    pub(super) fn check(&self) -> Result<(), ValidationError> {
        self.check_applies()?;
        for (n, gate) in self.gates.iter().enumerate() {
            if let Some((field, problem)) = gate.problem() {
                return Err(ValidationError::new(format!("gates[{n}].{field}"), problem));
            }
        }
        let mut names = BTreeSet::new();
        for (n, rule) in self.recovery.iter().enumerate() {
            let at = |field: &str| format!("recovery[{n}].{field}");
            if !names.insert(&rule.name) {
                let problem = format!("there are two rules `{}`; names tell them apart", rule.name);
                return Err(ValidationError::new(at("name"), problem));
            }
            self.check_rule(rule).map_err(|(field, problem)| ValidationError::new(at(field), problem))?;
        }
        self.budget.as_ref().map_or(Ok(()), |budget| self.check_budget(budget))
    }

    /// Refuses evidence that could never be found, and shares that nothing could reach.
    fn check_applies(&self) -> Result<(), ValidationError> {
        let Some(applies) = &self.applies else { return Ok(()) };
        if applies.threshold <= 0.0 {
            return Err(ValidationError::new(
                "applies.threshold",
                "must be above 0, or the pack would always apply",
            ));
        }
        if !(0.0..=1.0).contains(&applies.share) {
            return Err(ValidationError::new("applies.share", "must be from 0 to 1"));
        }
        if !applies.evidence.iter().any(|evidence| evidence.score > 0.0) {
            return Err(ValidationError::new(
                "applies.evidence",
                "nothing speaks for the pack: it could never apply",
            ));
        }
        match applies.evidence.iter().position(|evidence| evidence.words.is_empty()) {
            Some(n) => Err(ValidationError::new(format!("applies.evidence[{n}].words"), "names no word")),
            None => Ok(()),
        }
    }

    fn check_rule(&self, rule: &RecoveryRule) -> Result<(), (&'static str, String)> {
        if rule.categories.is_empty() {
            return Err(("categories", "names no category: the rule could never apply".to_owned()));
        }
        for category in &rule.categories {
            self.check_category(category).map_err(|problem| ("categories", problem))?;
        }
        if let Some(category) = &rule.change {
            self.check_category(category).map_err(|problem| ("change", problem))?;
        }
        if rule.kinds.is_empty() && rule.words.is_empty() {
            return Err(("kinds", "say which failures are meant, by `kinds` or by `words`".to_owned()));
        }
        let changes = [
            rule.set.is_empty(),
            rule.multiply.is_empty(),
            rule.shift_days.is_empty(),
            rule.exclude.is_empty(),
        ];
        if changes.iter().all(|empty| *empty) {
            let problem = "the rule changes nothing: it needs `set`, `multiply`, `shift_days` or `exclude`";
            return Err(("set", problem.to_owned()));
        }
        if rule.most == 0 {
            return Err(("most", "must be above 0: the rule could never apply".to_owned()));
        }
        Ok(())
    }

    fn check_budget(&self, budget: &BudgetRule) -> Result<(), ValidationError> {
        if budget.parts.is_empty() {
            return Err(ValidationError::new("budget.parts", "names no part that may cost less"));
        }
        for (n, part) in budget.parts.iter().enumerate() {
            let at = |field: &str| format!("budget.parts[{n}].{field}");
            self.check_category(&part.category)
                .map_err(|problem| ValidationError::new(at("category"), problem))?;
            if part.cap_field.is_none() && part.units.is_some() {
                let problem = "means nothing without `cap_field`, the price of one unit";
                return Err(ValidationError::new(at("units"), problem));
            }
        }
        Ok(())
    }

    fn check_category(&self, name: &str) -> Result<(), String> {
        let named = self.categories.iter().map(|category| category.name.as_str());
        let known: BTreeSet<&str> =
            named.chain(self.tasks.iter().map(|task| task.category.as_str())).collect();
        if known.contains(name) {
            return Ok(());
        }
        let known: Vec<&str> = known.into_iter().collect();
        Err(format!("`{name}` is no category of this pack; there are {}", known.join(", ")))
    }
}
