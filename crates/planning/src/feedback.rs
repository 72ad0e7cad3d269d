//! What agents report, looked at before it is believed.
//!
//! Owns the reading of a budget check's output and the judgement that a "success" which says that the budget
//! is exceeded is none. It corrects no amounts: a breakdown that does not add up is told, and the agent's
//! total stands.

use candor_model::{ExecutionFeedback, Failure, FailureKind, FeedbackType, Goal, JsonMap, Money};
use serde_json::Value;

/// The output by which a budget check says how it went.
const STATUS: &str = "budget_status";
/// The status that makes a violation of a success.
const EXCEEDED: &str = "EXCEEDED";
/// The part of a breakdown that is kept aside and not spent.
const BUFFER: &str = "buffer";

/// Feedback as it is to be taken, with what was found strange about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The feedback, its type corrected if its outputs contradict it.
    pub feedback: ExecutionFeedback,
    /// What does not add up, in plain words.
    pub warnings: Vec<String>,
}

/// Looks at the outputs of an attempt and turns a success that broke the budget into a violation. Amounts are told
/// in the currency of the goal's budget.
#[must_use]
pub fn judge(feedback: ExecutionFeedback, goal: Option<&Goal>) -> Judged {
    let currency = goal.and_then(currency_of);
    let check = BudgetCheck::read(&feedback.actual_outputs);
    let warnings = check.inconsistency(&feedback, currency).into_iter().collect();
    let exceeded = feedback.feedback_type.is_success() && says_exceeded(&feedback.actual_outputs);
    let feedback = if exceeded { violation(feedback, &check, currency) } else { feedback };
    Judged { feedback, warnings }
}

fn says_exceeded(outputs: &JsonMap) -> bool {
    let status = outputs.get(STATUS).and_then(Value::as_str);
    status.is_some_and(|status| status.trim().eq_ignore_ascii_case(EXCEEDED))
}

fn violation(
    mut feedback: ExecutionFeedback,
    check: &BudgetCheck,
    currency: Option<&str>,
) -> ExecutionFeedback {
    let amount = |money: Option<Money>| {
        money.map_or_else(String::new, |money| format!(" {}", amount_text(money, currency)))
    };
    let text = format!("Total cost{} exceeds budget{}", amount(check.total), amount(check.budget));
    feedback.feedback_type = FeedbackType::ConstraintViolation;
    feedback.failure = Some(Failure::new(FailureKind::ConstraintViolated, text.as_str()));
    feedback.errors.insert(0, text);
    if let Some(overage) = check.overage() {
        feedback.actual_outputs.insert("overage".to_owned(), json_amount(overage));
    }
    feedback
}

/// The amounts that a budget check reports.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct BudgetCheck {
    /// What everything costs together.
    pub(crate) total: Option<Money>,
    /// What it may cost.
    pub(crate) budget: Option<Money>,
    /// What each part costs, the buffer left out.
    pub(crate) parts: Vec<(String, Money)>,
    /// What is kept aside.
    buffer: Money,
}

impl BudgetCheck {
    /// Reads what can be read; agents leave things out, and a missing amount is no error here.
    pub(crate) fn read(outputs: &JsonMap) -> Self {
        let field = |name| outputs.get(name).and_then(read_amount);
        let listed: Vec<(String, Money)> = match outputs.get("breakdown") {
            Some(Value::Object(parts)) => {
                parts.iter().filter_map(|(name, value)| Some((name.clone(), read_amount(value)?))).collect()
            }
            _ => Vec::new(),
        };
        let (buffers, parts): (Vec<_>, Vec<_>) =
            listed.into_iter().partition(|(name, _)| name.eq_ignore_ascii_case(BUFFER));
        let sum = || parts.iter().map(|(_, amount)| *amount).sum();
        let total = field("total_cost").or_else(|| (!parts.is_empty()).then(sum));
        let from_overage = || Some(total?.saturating_sub(field("overage")?));
        let budget = field("budget").or_else(from_overage);
        Self { total, budget, buffer: buffers.into_iter().map(|(_, amount)| amount).sum(), parts }
    }

    /// By how much the total is over the budget; what the agent says of it is not asked.
    pub(crate) fn overage(&self) -> Option<Money> {
        Some(self.total?.saturating_sub(self.budget?))
    }

    /// Says that the parts do not make the total, be the buffer counted or not.
    fn inconsistency(&self, feedback: &ExecutionFeedback, currency: Option<&str>) -> Option<String> {
        let total = self.total?;
        let sum: Money = self.parts.iter().map(|(_, amount)| *amount).sum();
        if self.parts.is_empty() || total == sum || total == sum + self.buffer {
            return None;
        }
        let (task, sum, total) =
            (&feedback.task_id, amount_text(sum, currency), amount_text(total, currency));
        Some(format!("The breakdown reported by task {task} adds up to {sum}, but its total is {total}"))
    }
}

/// The currency of the goal's budget, such as `EUR` of `800 EUR`.
pub(crate) fn currency_of(goal: &Goal) -> Option<&str> {
    let code = goal.constraint("budget")?.value.as_str().split_whitespace().last()?;
    (code.len() == 3 && code.chars().all(|letter| letter.is_ascii_uppercase())).then_some(code)
}

/// An amount for people: `$800`, `800 EUR`.
pub(crate) fn amount_text(amount: Money, currency: Option<&str>) -> String {
    match currency {
        None | Some("USD") => format!("${amount}"),
        Some(other) => format!("{amount} {other}"),
    }
}

/// Reads an amount of dollars from a number, or from text such as `$2,150`.
pub(crate) fn read_amount(value: &Value) -> Option<Money> {
    match value {
        Value::Number(number) => Money::from_dollars(number.as_f64()?).ok(),
        Value::String(text) => first_amount(text),
        _ => None,
    }
}

/// Reads the first number in a text such as `2000 USD` as an amount of dollars.
pub(crate) fn first_amount(text: &str) -> Option<Money> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let rest = text.get(start..)?;
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(rest.len());
    let digits = rest.get(..end)?.trim_end_matches(['.', ',']).replace(',', "");
    Money::from_dollars(digits.parse().ok()?).ok()
}

/// Writes an amount as people do: `600`, not `600.0`.
pub(crate) fn json_amount(amount: Money) -> Value {
    serde_json::to_value(amount).unwrap_or_default()
}
