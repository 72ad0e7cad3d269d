//! `candor agents`: who is there, and what is known.

use candor_app::App;
use candor_model::{AgentCapability, Breaker, Enforcement, Phase};
use candor_planning::breaker;
use candor_planning::roster::{AgentDefinition, Roster};
use candor_ports::Experience;
use serde_json::{Value, json};

use super::kpi::NO_DATA;
use crate::args::{AgentsArgs, CircuitStatus, GlobalOptions, Listing};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) async fn agents(global: &GlobalOptions, args: &AgentsArgs) -> Result<u8, Failure> {
    let app = App::build(global)?.discover_agents().await;
    let registry = app.registry(&[])?;
    let experience = match app.data.open_if_there()? {
        Some(log) => log.experience().await?,
        None => Experience::default(),
    };
    let is_wanted = |agent: &AgentCapability| {
        let status = match open_circuit(&experience, agent) {
            Some(_) => CircuitStatus::Open,
            None => CircuitStatus::Closed,
        };
        args.status.is_none_or(|wanted| wanted == status)
    };
    if args.listing.json {
        let mut shown = app.shown_agents(&experience)?;
        if let Some(rows) = shown.get_mut("agents").and_then(Value::as_array_mut) {
            // One row per declared agent, in the same order.
            let mut wanted = registry.declared().iter().map(is_wanted);
            rows.retain(|_| wanted.next().unwrap_or(false));
            args.listing.cut(rows);
        }
        output::print_json(&shown)?;
        return Ok(code::DONE);
    }
    let known = registry.known(&experience.measured);
    let rows = registry.declared().iter().zip(&known).filter(|(declared, _)| is_wanted(declared));
    let rows = rows.take(args.listing.limit_or(usize::MAX));
    let mut text = format!(
        "{:<24} {:>8} {:>10} {:>8} {:>9}  {:<8} {}\n",
        word!("agent", "agente"),
        word!("success", "éxito"),
        word!("latency", "latencia"),
        word!("cost", "coste"),
        word!("attempts", "intentos"),
        word!("effects", "efectos"),
        word!("good at", "bueno en")
    );
    for (declared, known) in rows {
        // What is declared is no measurement, and is not mixed with one.
        let measured = experience.measured.get(&declared.agent_type).copied().unwrap_or_default();
        let shown = |figure: Option<String>| figure.unwrap_or_else(|| NO_DATA.to_owned());
        text.push_str(&format!(
            "{:<24} {:>8} {:>10} {:>8} {:>9}  {:<8} {}\n",
            declared.agent_type.as_str(),
            shown(measured.success_share().map(|share| format!("{:.0}%", share * 100.0))),
            shown(measured.mean_latency_ms().map(|mean| format!("{mean} ms"))),
            shown(measured.mean_cost().map(|mean| format!("${mean:.3}"))),
            measured.attempts,
            effects(known),
            match open_circuit(&experience, declared) {
                Some(open) => format!("{} — {open}", declared.specialization),
                None => declared.specialization.clone(),
            }
        ));
    }
    output::print(&text)?;
    Ok(code::DONE)
}

/// What an agent does to the world at most; `?` if that is not known.
fn effects(agent: &AgentCapability) -> String {
    let names = |effects: &Vec<_>| effects.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    agent.effects.as_ref().map_or_else(|| "?".to_owned(), names)
}

fn breaker_of<'e>(experience: &'e Experience, agent: &AgentCapability) -> Option<&'e Breaker> {
    experience.breakers.iter().find(|breaker| breaker.agent_id == agent.agent_type.as_str())
}

/// Whether an agent's circuit is open now, in words.
fn open_circuit(experience: &Experience, agent: &AgentCapability) -> Option<String> {
    let now = candor_runtime::wall();
    let open = breaker_of(experience, agent).filter(|known| breaker::is_open(known, now))?;
    Some(say!(
        "circuit open, retry in {} s: {}",
        "circuito abierto, reintento dentro de {} s: {}",
        breaker::opens_at(open).since(now),
        open.last_reason
    ))
}

/// Those who work in the eight phases.
pub(crate) fn roster(global: &GlobalOptions, listing: Listing) -> Result<u8, Failure> {
    let app = App::build(global)?;
    let roster = &app.config.rulebook.roster;
    let mut beside: Vec<_> = roster.agents().filter(|agent| agent.phase.is_none()).collect();
    let mut left = listing.limit_or(usize::MAX);
    let mut phases: Vec<(Phase, Vec<&AgentDefinition>)> = Vec::new();
    for phase in Phase::ALL {
        let agents: Vec<_> = roster.of_phase(*phase).take(left).collect();
        left -= agents.len();
        phases.push((*phase, agents));
    }
    beside.truncate(left);
    if listing.json {
        let phases: Vec<_> = phases.iter().map(|(phase, agents)| phase_row(roster, *phase, agents)).collect();
        output::print_json(&json!({ "phases": phases, "beside": beside }))?;
        return Ok(code::DONE);
    }
    let mut text = String::new();
    for (phase, agents) in &phases {
        let staff = roster.staff(*phase);
        let usual =
            say!("usually {} of the {} tier", "normalmente {} del nivel {}", staff.agents, staff.model);
        text.push_str(&format!("{} {phase} ({usual})\n", phase.number()));
        agents.iter().for_each(|agent| text.push_str(&agent_line(agent)));
    }
    if !beside.is_empty() {
        text.push_str(word!("beside the phases\n", "junto a las fases\n"));
        beside.iter().for_each(|agent| text.push_str(&agent_line(agent)));
    }
    output::print(&text)?;
    Ok(code::DONE)
}

fn phase_row(roster: &Roster, phase: Phase, agents: &[&AgentDefinition]) -> Value {
    json!({ "phase": phase.number(), "name": phase, "staff": roster.staff(phase), "agents": agents })
}

fn agent_line(agent: &AgentDefinition) -> String {
    let tools = if agent.tools.is_empty() {
        word!("no tools", "sin herramientas").to_owned()
    } else {
        agent.tools.join(", ")
    };
    let duty = match &agent.activation {
        Some(activation) if activation.enforcement == Enforcement::Block => {
            word!(", mandatory", ", obligatorio")
        }
        _ => "",
    };
    format!("  {:<26} {:<9} {tools}{duty}\n  {:<26} {}\n", agent.name, agent.model, "", agent.description)
}
