//! Agents that users declare: a file with `agents`, and `phases` for their usual staff.

use candor_model::{Phase, ValidationError};
use serde::Deserialize;

use super::definition::{AgentDefinition, tool};
use super::staffing::Staffing;
use super::{Roster, builtin};
use crate::guardrails::Enforcement;
use crate::rules_file::RuleDocument;
use crate::rules_file::links::{self, Entry, Names};
use crate::scaling::MAX_AGENTS;

const NAMES: Names = Names { entry: "agent", id: "name", needs: "activation.dependsOn" };

/// What stands in a file of agents.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WrittenRoster {
    agents: Vec<AgentDefinition>,
    phases: Staffing,
}

impl RuleDocument for Roster {
    type Written = WrittenRoster;

    fn accept(written: WrittenRoster) -> Result<Self, ValidationError> {
        for (index, agent) in written.agents.iter().enumerate() {
            let place = format!("agents[{index}]");
            check_texts(agent, &place)?;
            check_tools(agent, &place)?;
            check_activation(agent, &place)?;
            check_place(agent, &place)?;
        }
        let mut agents: Vec<AgentDefinition> = builtin::agents()
            .filter(|known| !written.agents.iter().any(|theirs| theirs.name == known.name))
            .collect();
        check_links(&agents, &written.agents)?;
        check_staff(&written.phases)?;
        agents.extend(written.agents);
        Ok(Roster { agents, phases: written.phases })
    }
}

fn check_texts(agent: &AgentDefinition, place: &str) -> Result<(), ValidationError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let (field, problem) = if agent.name.is_empty() || !agent.name.chars().all(plain) {
        ("name", "a name is made of letters, digits, `-` and `_`")
    } else if agent.description.trim().is_empty() {
        ("description", "is empty; say what the agent is for")
    } else {
        return Ok(());
    };
    Err(ValidationError::new(format!("{place}.{field}"), problem))
}

fn check_tools(agent: &AgentDefinition, place: &str) -> Result<(), ValidationError> {
    let known = |name: &String| tool::ALL.contains(&name.as_str());
    let Some(index) = agent.tools.iter().position(|name| !known(name)) else { return Ok(()) };
    let wrong = agent.tools.get(index).map(|name| name.escape_debug().to_string()).unwrap_or_default();
    // In these words a name that is nearly right gets its suggestion.
    let problem = format!("`{wrong}` is not one of {}", tool::ALL.join(", "));
    Err(ValidationError::new(format!("{place}.tools[{index}]"), problem))
}

/// A mandatory agent that nothing calls would be mandatory in name only.
fn check_activation(agent: &AgentDefinition, place: &str) -> Result<(), ValidationError> {
    let Some(activation) = &agent.activation else { return Ok(()) };
    let field = format!("{place}.activation.triggers");
    if activation.enforcement == Enforcement::Block && activation.triggers.is_empty() {
        return Err(ValidationError::new(field, "is empty, so nothing would call this mandatory agent"));
    }
    match activation.triggers.iter().position(|trigger| trigger.trim().is_empty()) {
        Some(index) => Err(ValidationError::new(format!("{field}[{index}]"), "is empty")),
        None => Ok(()),
    }
}

/// Who describes a mandatory agent anew leaves it where it is and as mandatory as it is.
fn check_place(agent: &AgentDefinition, place: &str) -> Result<(), ValidationError> {
    let Some(known) = builtin::agents().find(|known| known.name == agent.name) else { return Ok(()) };
    if known.phase != agent.phase {
        let slot = known.phase.map_or_else(|| "no phase".to_owned(), |slot| format!("phase {slot}"));
        let problem = format!("`{}` comes with Candor and belongs to {slot}", agent.name);
        return Err(ValidationError::new(format!("{place}.phase"), problem));
    }
    let Some(usual) = known.activation.filter(|usual| usual.enforcement == Enforcement::Block) else {
        return Ok(());
    };
    let kept = agent.activation.as_ref().is_some_and(|theirs| {
        theirs.enforcement == Enforcement::Block
            && usual.triggers.iter().all(|trigger| theirs.triggers.contains(trigger))
            && usual.depends_on.iter().all(|name| theirs.depends_on.contains(name))
    });
    if kept {
        return Ok(());
    }
    let problem = format!(
        "`{}` is mandatory: keep `enforcement` = \"block\", its trigger `{}`{}",
        agent.name,
        usual.triggers.join("`, `"),
        usual.depends_on.first().map_or_else(String::new, |name| format!(" and `dependsOn` = [\"{name}\"]")),
    );
    Err(ValidationError::new(format!("{place}.activation"), problem))
}

fn check_links(usual: &[AgentDefinition], theirs: &[AgentDefinition]) -> Result<(), ValidationError> {
    let usual = usual.iter().map(|agent| ("agents".to_owned(), agent));
    let theirs = theirs.iter().enumerate().map(|(index, agent)| (format!("agents[{index}]"), agent));
    let entries: Vec<Entry<'_>> = usual
        .chain(theirs)
        .map(|(place, agent)| Entry { place, id: &agent.name, needs: agent.depends_on() })
        .collect();
    links::check(&entries, NAMES)
}

fn check_staff(phases: &Staffing) -> Result<(), ValidationError> {
    let wrong = Phase::ALL.iter().find(|phase| !(1..=MAX_AGENTS).contains(&phases.of(**phase).agents));
    let Some(phase) = wrong else { return Ok(()) };
    let problem = format!("{} is not within 1 to {MAX_AGENTS}", phases.of(*phase).agents);
    Err(ValidationError::new(format!("phases.{phase}.agents"), problem))
}
