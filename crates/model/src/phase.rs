//! The eight phases a run goes through.

use crate::text_enum::text_enum;

text_enum!(
    /// A phase of a run. All of them run, always, in this order; the first two side by side.
    Phase {
        /// Phase 0: cache and budget.
        PreAnalysis = "pre_analysis",
        /// Keywords, complexity, quality of the prompt; the goal.
        Evaluation = "evaluation",
        /// Phase 2: what memory and files know about the request.
        Context = "context",
        /// Phase 3: the request as tasks.
        Decomposition = "decomposition",
        /// Agents, estimates, risks; the plan.
        Planning = "planning",
        /// Phase 5: agents work.
        Execution = "execution",
        /// The result against the success criteria.
        Validation = "validation",
        /// Phase 7: report, outcome and lessons.
        Consolidation = "consolidation",
    }
);

impl Phase {
    /// The phase's number, 0 to 7.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The phase with this number.
    #[must_use]
    pub fn numbered(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The phase that takes what this one hands over; none after the last.
    #[must_use]
    pub const fn next(self) -> Option<Self> {
        match self {
            Self::PreAnalysis | Self::Evaluation => Some(Self::Context),
            Self::Context => Some(Self::Decomposition),
            Self::Decomposition => Some(Self::Planning),
            Self::Planning => Some(Self::Execution),
            Self::Execution => Some(Self::Validation),
            Self::Validation => Some(Self::Consolidation),
            Self::Consolidation => None,
        }
    }

    /// The agent of the roster that speaks for the phase.
    #[must_use]
    pub const fn lead_agent(self) -> &'static str {
        match self {
            Self::PreAnalysis => "pre-analysis-agent",
            Self::Evaluation => "confidence-assessor",
            Self::Context => "context-loader",
            Self::Decomposition => "task-decomposer-agent",
            Self::Planning => "plan-iterator-agent",
            Self::Execution => "orchestrator",
            Self::Validation => "validation-agent",
            Self::Consolidation => "knowledge-consolidator",
        }
    }
}

text_enum!(
    /// Which of the two twins of a step gave its result.
    SpokenBy {
        /// A model's answer passed the checks.
        Model = "model",
        /// The rule-based fallback.
        Heuristic = "heuristic",
    }
);
