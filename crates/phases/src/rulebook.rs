//! The rules that hold for the phases of an installation: configuration, with defaults that need none.

use candor_model::{Enforcement, Seconds};
use candor_planning::conflict::ConflictRules;
use candor_planning::guardrails::Guardrails;
use candor_planning::quality_gate::QualityGate;
use candor_planning::roster::Roster;
use candor_planning::scaling::ScalingRules;
use serde::{Deserialize, Serialize};

/// A question that planning puts to an agent before it decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanningQuestion {
    /// Name of the agent that is asked.
    pub agent: String,
    /// Put to the agent as it stands.
    pub question: String,
    /// It is put if the request has one of these words; without any, always.
    #[serde(default)]
    pub when: Vec<String>,
    /// How long planning waits for the answer.
    #[serde(default = "usual_patience")]
    pub timeout: Seconds,
}

fn usual_patience() -> Seconds {
    Seconds::whole(5)
}

/// Rules of an installation, from files or the defaults.
#[derive(Debug, Clone)]
pub struct Rulebook {
    /// What may begin at all.
    pub guardrails: Guardrails,
    /// How many agents of which tiers.
    pub scaling: ScalingRules,
    /// How contradictions between agents are settled.
    pub conflicts: ConflictRules,
    /// Who works in the phases.
    pub roster: Roster,
    /// What is done about words that speak to models instead of to us.
    pub injection: Enforcement,
    /// What is done about secrets in the words.
    pub secrets: Enforcement,
    /// Whether models judge the phases' work, where there are any. It takes a call per phase.
    pub critique_by_model: bool,
    /// The project's own instruction files that are there, the most telling first.
    pub instructions: Vec<String>,
    /// What planning asks agents before it decides.
    pub questions: Vec<PlanningQuestion>,
    /// What must hold of every result.
    pub gates: Vec<QualityGate>,
    /// Programs that a criterion may run although the plan is not the person's own.
    pub allowed_commands: Vec<String>,
}

impl Default for Rulebook {
    fn default() -> Self {
        Self {
            guardrails: Guardrails::default(),
            scaling: ScalingRules::default(),
            conflicts: ConflictRules::default(),
            roster: Roster::default(),
            // Whoever types a request is its master; a server that takes requests from strangers blocks.
            injection: Enforcement::Suggest,
            secrets: Enforcement::Suggest,
            critique_by_model: false,
            instructions: Vec::new(),
            questions: Vec::new(),
            gates: Vec::new(),
            allowed_commands: Vec::new(),
        }
    }
}
