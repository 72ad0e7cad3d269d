//! What may go wrong with a plan, how bad that is, and what is done about it.

use candor_model::{AgentCapability, Risk, RiskLevel, RunSettings, SubTask};

use crate::Pack;

/// Below this success rate an agent is named as a risk; below half of the attempts, as a high one.
const WEAK: f64 = 0.8;
const HIGHLY_WEAK: f64 = 0.5;

/// What the rules see; never nothing.
pub(crate) fn of_plan(
    pack: Option<&Pack>,
    agents: &[AgentCapability],
    tasks: &[SubTask],
    settings: &RunSettings,
) -> Vec<Risk> {
    let mut risks: Vec<Risk> = pack.into_iter().flat_map(of_pack).collect();
    let alone = tasks.iter().filter(|task| task.metadata.ranking.len() < 2).count();
    if alone > 0 {
        risks.push(Risk {
            level: RiskLevel::Medium,
            description: format!("{alone} tasks have no second agent to fall back on"),
            mitigation: format!(
                "After {} failures of such a task a person is asked; more agents can be declared in candor.toml",
                settings.escalate_after_failures
            ),
        });
    }
    risks.extend(agents.iter().filter_map(|agent| weak(agent, tasks)));
    if risks.is_empty() {
        risks.push(Risk {
            level: RiskLevel::Low,
            description: "An agent can fail or answer too late".to_owned(),
            mitigation: format!(
                "It is reported immediately, another agent takes over, and the plan is revised up to {} times",
                settings.max_revisions
            ),
        });
    }
    risks
}

/// A risk that a model sees.
pub(crate) fn from_model(description: &str) -> Risk {
    Risk {
        level: RiskLevel::Medium,
        description: description.to_owned(),
        mitigation:
            "Results are checked as they come; a failure is reported immediately and the plan is revised"
                .to_owned(),
    }
}

fn of_pack(pack: &Pack) -> Vec<Risk> {
    let sample = pack.sample_data.then(|| Risk {
        level: RiskLevel::Low,
        description: format!(
            "The agents of pack {} work on sample data: nothing is booked, prices are not real",
            pack.name
        ),
        mitigation: "Every result says that it is sample data; own agents in candor.toml replace it"
            .to_owned(),
    });
    let known = pack.risks.iter().map(|risk| from_model(risk));
    sample.into_iter().chain(known).collect()
}

/// An agent that has a task and often fails.
fn weak(agent: &AgentCapability, tasks: &[SubTask]) -> Option<Risk> {
    let rate = agent.success_rate.get();
    let task = tasks.iter().find(|task| task.agent_type == agent.agent_type).filter(|_| rate < WEAK)?;
    let others = task.metadata.ranking.iter().map(|ranked| &ranked.agent_type);
    let backup = others.into_iter().find(|other| **other != agent.agent_type);
    Some(Risk {
        level: if rate < HIGHLY_WEAK { RiskLevel::High } else { RiskLevel::Medium },
        description: format!("{} succeeds in {:.0} % of its attempts", agent.agent_type, rate * 100.0),
        mitigation: match backup {
            Some(backup) => format!("{backup} takes over {} if it fails", task.task_id),
            None => format!("A person is asked about {} if it keeps failing", task.task_id),
        },
    })
}
