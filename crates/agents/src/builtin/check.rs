//! Checks what others produced against constraints, and says which one is broken.
//!
//! Options: `outputs` (what it answers), `violations` (each `when`, `error`, and optionally `suggestion` and
//! further `outputs`) and `require` (expressions that must have a value). It knows nothing of what it checks.

use candor_model::{AgentAnswer, FeedbackType, JsonMap, WorkOrder};
use candor_ports::AgentFailure;
use serde::Deserialize;

use super::expression::{Expression, NoValue, Scope};
use super::outputs::Outputs;
use super::template::Template;
use super::{BuiltinError, Limit, Work, not_computed, read_options};

const OPTIONS: [&str; 3] = ["outputs", "require", "violations"];

#[derive(Deserialize)]
struct Options {
    #[serde(default)]
    outputs: JsonMap,
    #[serde(default)]
    require: Vec<String>,
    #[serde(default)]
    violations: Vec<ViolationOptions>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ViolationOptions {
    when: String,
    error: String,
    suggestion: Option<String>,
    #[serde(default)]
    outputs: JsonMap,
}

/// An agent that checks constraints.
pub(super) struct Check {
    require: Vec<(String, Expression)>,
    outputs: Outputs,
    violations: Vec<Violation>,
}

struct Violation {
    when: Expression,
    error: Template,
    suggestion: Option<Template>,
    outputs: Outputs,
}

impl Check {
    pub(super) fn new(options: &JsonMap) -> Result<Self, BuiltinError> {
        let options: Options = read_options(options, &OPTIONS)?;
        if options.outputs.is_empty() && options.violations.is_empty() {
            return Err(BuiltinError::new("violations", "a check needs at least one violation or output"));
        }
        let required = options.require.into_iter().map(|source| {
            let read = Expression::new(&source).map_err(|problem| BuiltinError::new("require", problem))?;
            Ok((source, read))
        });
        let violations = options.violations.iter().enumerate();
        Ok(Self {
            require: required.collect::<Result<_, BuiltinError>>()?,
            outputs: Outputs::new("outputs", &options.outputs)?,
            violations: violations.map(|(n, one)| Violation::new(n, one)).collect::<Result<_, _>>()?,
        })
    }

    /// A check that lacks what it is about has not found anything to be in order.
    fn require(&self, scope: &Scope<'_>) -> Result<(), AgentFailure> {
        for (source, expression) in &self.require {
            match expression.value(scope) {
                Ok(_) => {}
                Err(NoValue::Absent) => {
                    return Err(not_computed(format!("cannot check without `{source}`: it is missing")));
                }
                Err(NoValue::Wrong(problem)) => return Err(not_computed(problem)),
            }
        }
        Ok(())
    }
}

impl Work for Check {
    fn answer(&self, order: &WorkOrder, limit: &Limit) -> Result<AgentAnswer, AgentFailure> {
        let mut scope = Scope::of(order);
        self.require(&scope)?;
        let mut answer = AgentAnswer::default();
        self.outputs.compute(&mut scope, &mut answer.outputs)?;
        for violation in &self.violations {
            limit.check()?;
            violation.look(&mut scope, &mut answer)?;
        }
        Ok(answer)
    }
}

impl Violation {
    fn new(n: usize, options: &ViolationOptions) -> Result<Self, BuiltinError> {
        let key = |field: &str| format!("violations[{n}].{field}");
        let suggestion = options.suggestion.as_ref();
        Ok(Self {
            when: Expression::new(&options.when)
                .map_err(|problem| BuiltinError::new(key("when"), problem))?,
            error: Template::new(&key("error"), &options.error)?,
            suggestion: suggestion.map(|text| Template::new(&key("suggestion"), text)).transpose()?,
            outputs: Outputs::new(&key("outputs"), &options.outputs)?,
        })
    }

    /// Adds itself to the answer if it is there. A constraint that nobody set cannot be broken.
    fn look(&self, scope: &mut Scope<'_>, answer: &mut AgentAnswer) -> Result<(), AgentFailure> {
        match self.when.holds(scope) {
            Ok(false) | Err(NoValue::Absent) => return Ok(()),
            Ok(true) => {}
            Err(NoValue::Wrong(problem)) => return Err(not_computed(problem)),
        }
        self.outputs.compute(scope, &mut answer.outputs)?;
        answer.feedback_type = Some(FeedbackType::ConstraintViolation);
        answer.errors.push(self.error.fill(scope));
        let suggestion = self.suggestion.as_ref().map(|text| text.fill(scope));
        answer.suggested_adjustments = answer.suggested_adjustments.take().or(suggestion);
        Ok(())
    }
}
