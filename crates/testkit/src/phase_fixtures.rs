//! What phases say in tests: checks of their own work, judged requests, better wordings, plans in figures.

use candor_model::{
    AgentCounts, AlignmentCheck, Broadcast, Complexity, ConfidenceCheck, ConsistencyCheck, CostCheck,
    CritiqueChecks, Enforcement, Enhancement, Evaluation, ExecutionStrategy, GuardFinding, JsonMap,
    MessagePriority, MessageType, OriginalPrompt, PastErrorCheck, Phase, PlanAlternative, PlanBrief,
    PlanEstimates, PromptQuality, PromptVariant, Risk, RiskLevel, Severity, SpokenBy,
};
use serde_json::Value;

use crate::fixtures;

/// Five checks of a phase's own work, of which the first so many fail.
#[must_use]
pub fn checks(failed: usize) -> CritiqueChecks {
    let pass = |n: usize| n >= failed;
    let score = if pass(2) { 80 } else { 60 };
    CritiqueChecks {
        objective_alignment: AlignmentCheck {
            pass: pass(0),
            confidence: 80,
            reason: "so it seems".to_owned(),
        },
        consistency_with_project: ConsistencyCheck { pass: pass(1), issues: Vec::new() },
        similar_to_past_error: PastErrorCheck { pass: pass(3), matched_errors: Vec::new() },
        confidence_level: ConfidenceCheck { pass: pass(2), score },
        cost_efficiency: CostCheck { pass: pass(4), tokens_used: 1, expected: 1 },
        judged_by: SpokenBy::Heuristic,
    }
}

/// A request judged with this score.
#[must_use]
pub fn evaluation(score: u8) -> Evaluation {
    Evaluation {
        keywords: vec!["paris".to_owned()],
        complexity: Complexity { total: 40, parts: Vec::new() },
        prompt_quality: PromptQuality {
            score,
            issues: vec!["no context".to_owned()],
            contradictions: Vec::new(),
        },
        confidence: 80,
        file_count: 0,
    }
}

/// Three better wordings of a request with this score.
#[must_use]
pub fn offer(text: &str, score: u8) -> Enhancement {
    let variant = |text: &str, score| PromptVariant {
        text: text.to_owned(),
        score,
        improvements: vec!["specificity".to_owned()],
    };
    Enhancement {
        original: OriginalPrompt { text: text.to_owned(), score, issues: vec!["no context".to_owned()] },
        variants: vec![
            variant("Plan a 3-day trip to Paris in May 2025 for two people, all in for at most $2000", 90),
            variant("Plan a 3-day trip to Paris in May 2025", 80),
            variant("Plan a trip to Paris", 75),
        ],
        recommendation: "A".to_owned(),
    }
}

/// A plan in figures, with a risk and the alternatives A, B and C.
#[must_use]
pub fn brief() -> PlanBrief {
    let alternative = |id: &str| PlanAlternative {
        id: id.to_owned(),
        name: format!("way {id}"),
        tradeoff: "slower, safer".to_owned(),
        estimates: PlanEstimates::default(),
    };
    PlanBrief {
        strategy: ExecutionStrategy::Hybrid,
        agents: AgentCounts::default(),
        estimates: PlanEstimates::default(),
        subtasks: Vec::new(),
        risks: vec![Risk {
            level: RiskLevel::Low,
            description: "hotels are full".to_owned(),
            mitigation: "look for others".to_owned(),
        }],
        alternatives: ["A", "B", "C"].map(alternative).to_vec(),
        recommendation: "C".to_owned(),
    }
}

/// What a guardrail found.
#[must_use]
pub fn finding(rule: &str, enforcement: Enforcement, tripwire: bool) -> GuardFinding {
    GuardFinding {
        rule: rule.to_owned(),
        enforcement,
        tripwire,
        severity: Severity::Error,
        message: format!("{rule} was violated"),
    }
}

/// What an agent tells everyone at work in a phase.
#[must_use]
pub fn message(
    phase: Phase,
    from: &str,
    message_type: MessageType,
    priority: MessagePriority,
    content: &str,
) -> Broadcast {
    Broadcast {
        phase,
        from_agent: from.to_owned(),
        task_id: None,
        message_type,
        priority,
        content: content.to_owned(),
        data: JsonMap::new(),
    }
}

/// What an agent recommends to everyone at work on the plan.
#[track_caller]
#[must_use]
pub fn advice(from: &str, recommendation: &Value) -> Broadcast {
    let (kind, priority) = (MessageType::Discovery, MessagePriority::Medium);
    let mut message = message(Phase::Execution, from, kind, priority, "I would do it so");
    message.data = fixtures::object(serde_json::json!({ "recommendation": recommendation }));
    message
}
