//! A plan as it is shown to the person who decides on it: what it does, what it takes, what may go wrong, what
//! else could be done.

use candor_model::{HumanApprovalRequest, PlanBrief, PlanVersion, Risk};

use candor_projections::recorded;

use crate::lang::language;

use super::{text, words};

/// Shows a plan that waits for a person, line by line: why it is asked about, its tasks as a table, what is risky, what each
/// alternative changes, and how the result is checked.
#[must_use]
pub fn lines(version: PlanVersion, request: &HumanApprovalRequest) -> Vec<String> {
    let request = &recorded::approval(language(), request);
    let brief = request.brief.as_deref();
    let mut lines = vec![words::plan_head(version, brief.map(|brief| brief.strategy), request)];
    lines.push(words::REASONS.text().to_owned());
    lines.extend(request.reasons.iter().map(|reason| format!("  - {}", text::clean(reason))));
    match brief {
        Some(brief) => lines.extend(in_figures(brief, request)),
        None => lines.extend(request.plan_summary.lines().map(text::clean)),
    }
    if !request.criteria.is_empty() {
        lines.push(words::CHECKED_BY.text().to_owned());
        lines.extend(request.criteria.iter().map(|criterion| format!("  - {}", text::clean(criterion))));
    }
    lines.extend((request.round > 0).then(|| words::plan_round(request.round)));
    lines.extend(Some(&request.digest).filter(|it| !it.is_empty()).map(|it| words::plan_digest(it)));
    lines.extend(request.reply.as_ref().map(|reply| words::plan_reply(&text::clean(reply))));
    lines
}

fn in_figures(brief: &PlanBrief, request: &HumanApprovalRequest) -> Vec<String> {
    let listed = |line: String| format!("  {}", text::clean(&line));
    let mut lines = table(brief);
    lines.push(words::plan_agents(brief));
    lines.extend(words::plan_estimates(&brief.estimates));
    // What is among the reasons is not told twice.
    let told = |risk: &&Risk| request.reasons.contains(&risk.description);
    let risks: Vec<&Risk> = brief.risks.iter().filter(|risk| !told(risk)).collect();
    if !risks.is_empty() {
        lines.push(words::RISKS.text().to_owned());
    }
    lines.extend(risks.into_iter().map(|risk| listed(words::plan_risk(risk))));
    // The plan as it is is no alternative to itself.
    if brief.alternatives.len() < 2 {
        return lines;
    }
    lines.push(words::ALTERNATIVES.text().to_owned());
    lines.extend(brief.alternatives.iter().map(|alternative| {
        let recommended = alternative.id.eq_ignore_ascii_case(&brief.recommendation);
        listed(words::plan_alternative(alternative, recommended))
    }));
    lines
}

/// Widths of the columns of tasks, actions and agents: with the last one they fit 80 columns.
const COLUMNS: [usize; 3] = [14, 34, 16];

/// The tasks as a table: which, what, who, and after which others.
fn table(brief: &PlanBrief) -> Vec<String> {
    let rows = std::iter::once(words::plan_columns()).chain(brief.subtasks.iter().map(words::plan_row));
    let rows: Vec<[String; 4]> = rows.map(|row| row.map(|cell| text::clean(&cell))).collect();
    let mut widths = COLUMNS;
    for (at, most) in COLUMNS.into_iter().enumerate() {
        let widest = rows.iter().filter_map(|row| row.get(at)).map(|cell| text::width(cell)).max();
        if let Some(width) = widths.get_mut(at) {
            *width = widest.unwrap_or_default().min(most);
        }
    }
    let fit = |cell: &str, width: usize| {
        let cell = text::shortened(cell, width, true);
        let gap = width.saturating_sub(text::width(&cell));
        format!("{cell}{}", " ".repeat(gap))
    };
    let line = |[task, action, agent, after]: &[String; 4]| {
        let [first, second, third] = widths;
        let cells = [fit(task, first), fit(action, second), fit(agent, third), after.clone()];
        format!("  {}", cells.join("  ")).trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use candor_model::{
        AgentCounts, BriefTask, Confidence, ExecutionStrategy, Money, NonEmpty, PlanAlternative,
        PlanEstimates, PlanId, RecommendedAction, RiskLevel, Seconds, Tier, TierCounts,
    };
    use candor_testkit::fixtures::task_id;

    use super::*;

    fn brief() -> PlanBrief {
        let task = |id: &str, group, needs: &[&str]| BriefTask {
            id: task_id(id),
            action: format!("Do {id}"),
            agent: None,
            model: Some(Tier::Balanced),
            parallel_group: group,
            depends_on: needs.iter().map(|id| task_id(id)).collect(),
        };
        let alternative = |id: &str, name: &str, tradeoff: &str| PlanAlternative {
            id: id.to_owned(),
            name: name.to_owned(),
            tradeoff: tradeoff.to_owned(),
            estimates: PlanEstimates::default(),
        };
        PlanBrief {
            strategy: ExecutionStrategy::Hybrid,
            agents: AgentCounts {
                total: 3,
                parallel: 2,
                sequential: 1,
                models: TierCounts { fast: 0, balanced: 2, strong: 1 },
            },
            estimates: PlanEstimates {
                tokens: None,
                cost: Some(Money::from_micros(20_000)),
                duration: Some(Seconds::whole(35)),
                measured: None,
                measured_cost: None,
                measured_tokens: None,
            },
            subtasks: vec![task("a", Some(1), &[]), task("b", None, &["a"])],
            risks: vec![
                Risk {
                    level: RiskLevel::High,
                    description: "prices move".to_owned(),
                    mitigation: "asked again".to_owned(),
                },
                Risk {
                    level: RiskLevel::Medium,
                    description: "unsure".to_owned(),
                    mitigation: "told among the reasons already".to_owned(),
                },
            ],
            alternatives: vec![
                alternative("A", "all in a row", "safer, slower"),
                alternative("C", "hybrid", "as planned"),
            ],
            recommendation: "C".to_owned(),
        }
    }

    #[test]
    fn a_plan_is_shown_with_everything_that_a_person_decides_on() {
        // spec: orchestrator IP-04
        let request = HumanApprovalRequest {
            plan_id: PlanId::new("p").unwrap(),
            confidence_score: Confidence::new(0.4).unwrap(),
            reasons: NonEmpty::or_one(Vec::new(), || "unsure".to_owned()),
            risks: Vec::new(),
            plan_summary: "not shown when there are figures".to_owned(),
            criteria: vec!["file exists: a.md".to_owned()],
            recommended_action: RecommendedAction::ReviewAndAdjust,
            brief: Some(Box::new(brief())),
            digest: "abc123".to_owned(),
            choices: Vec::new(),
            round: 2,
            reply: Some("because it is safer".to_owned()),
        };
        let shown = lines(PlanVersion(3), &request);
        let expected = [
            "Plan version 3, strategy hybrid, confidence 0.40",
            "Why you are asked:",
            "  - unsure",
            "  Task  Action  Agent     After",
            "  a     Do a    balanced",
            "  b     Do b    balanced  a",
            "Agents: 3 (2 parallel, 1 sequential; 2 balanced, 1 strong)",
            "Takes: 35s, stated in the plan; $0.02 by the agents' prices",
            "Risks:",
            "  high: prices move — asked again",
            "Alternatives:",
            "  A all in a row: safer, slower",
            "  C hybrid (recommended): as planned",
            "Checked at the end:",
            "  - file exists: a.md",
            "Changed 2 times so far",
            "Digest abc123: an answer is for this plan only",
            "Answer: because it is safer",
        ];
        assert_eq!(shown, expected);
    }
}
