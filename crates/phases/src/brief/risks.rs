//! What may go wrong with a plan, how bad that is, and what is done about it.

use candor_model::{AgentCapability, AgentType, Risk, RiskLevel, RunSettings, SubTask};

use crate::Pack;

/// Below this success rate an agent is named as a risk; below half of the attempts, as a high one.
const WEAK: f64 = 0.8;
const HIGHLY_WEAK: f64 = 0.5;
/// So many tasks are looked at for one that others wait for; more would take too long for too little.
const LOOKED_AT: usize = 200;

/// What the rules see in this plan; nothing if there is nothing to see.
pub(crate) fn of_plan(
    pack: Option<&Pack>,
    agents: &[AgentCapability],
    tasks: &[SubTask],
    settings: &RunSettings,
) -> Vec<Risk> {
    let mut risks: Vec<Risk> = pack.into_iter().flat_map(of_pack).collect();
    risks.extend(CHANGING.iter().filter_map(|(tool, does)| changing(tool, does, tasks)));
    risks.extend(single_point(tasks));
    risks.extend(without_backup(tasks, settings));
    risks.extend(agents.iter().filter_map(|agent| weak(agent, tasks)));
    risks
}

/// Tools that change something outside, by the names that tasks and agents use.
const CHANGING: [(&str, &str); 3] = [
    ("write", "may change files"),
    ("run", "may run programs"),
    ("http", "may call services on the network"),
];

/// The tasks that may change something outside.
fn changing(tool: &str, does: &str, tasks: &[SubTask]) -> Option<Risk> {
    let uses = |task: &&SubTask| task.metadata.tools.iter().any(|used| used == tool);
    let ids: Vec<&str> = tasks.iter().filter(uses).map(|task| task.task_id.as_str()).collect();
    let (first, more) = (ids.first()?, ids.len().saturating_sub(1));
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(Risk {
        level: RiskLevel::Low,
        description: format!("{first}{more} {does}"),
        mitigation: "Changes that tools report are recorded; `candor rollback` undoes what can be undone"
            .to_owned(),
    })
}

/// The task that most others wait for, where its failure stops at least two of them.
fn single_point(tasks: &[SubTask]) -> Option<Risk> {
    let waiting =
        |task: &SubTask| tasks.iter().filter(|other| other.dependencies.contains(&task.task_id)).count();
    let (task, count) =
        tasks.iter().take(LOOKED_AT).map(|task| (task, waiting(task))).rev().max_by_key(|it| it.1)?;
    let backup = second_agent(task);
    (count >= 2).then(|| Risk {
        level: if backup.is_some() { RiskLevel::Low } else { RiskLevel::Medium },
        description: format!("{count} tasks wait for {} ({})", task.task_id, task.agent_type),
        mitigation: match backup {
            Some(backup) => format!("{backup} takes over if {} fails", task.agent_type),
            None => "Nobody else can do it: check that its agent works before the plan runs".to_owned(),
        },
    })
}

/// Who else was ranked for a task.
fn second_agent(task: &SubTask) -> Option<&AgentType> {
    task.metadata.ranking.iter().map(|ranked| &ranked.agent_type).find(|other| **other != task.agent_type)
}

/// The tasks that nobody else can do, by name.
fn without_backup(tasks: &[SubTask], settings: &RunSettings) -> Option<Risk> {
    let alone: Vec<String> = tasks
        .iter()
        .filter(|task| second_agent(task).is_none())
        .map(|task| format!("{} ({})", task.task_id, task.agent_type))
        .collect();
    let first = alone.first()?;
    let more = alone.len().saturating_sub(1);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(Risk {
        level: RiskLevel::Medium,
        description: format!("No second agent for {first}{more}"),
        mitigation: format!(
            "After {} failures of such a task a person is asked; declare another agent in candor.toml",
            settings.escalate_after_failures
        ),
    })
}

/// Something that was guessed, or an agent that hardly fits: the result may not be what is wanted.
pub(crate) fn doubtful(description: &str) -> Risk {
    Risk {
        level: RiskLevel::Medium,
        description: description.to_owned(),
        mitigation: "Correct it before you approve: `modify`, or say more in the request".to_owned(),
    }
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
    let backup = second_agent(task);
    Some(Risk {
        level: if rate < HIGHLY_WEAK { RiskLevel::High } else { RiskLevel::Medium },
        description: format!("{} succeeds in {:.0} % of its attempts", agent.agent_type, rate * 100.0),
        mitigation: match backup {
            Some(backup) => format!("{backup} takes over {} if it fails", task.task_id),
            None => format!("A person is asked about {} if it keeps failing", task.task_id),
        },
    })
}
