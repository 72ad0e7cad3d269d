//! The agents that come with Candor.

use candor_model::{Phase, Tier};

use super::definition::{Activation, AgentDefinition, PhaseSlot, tool};
use crate::guardrails::{Enforcement, RulePriority};

/// What triggers are called.
pub mod trigger {
    /// Fired when decomposition starts.
    pub const PHASE_3_START: &str = "phase3_start";
    /// The tasks are listed.
    pub const PHASE_3A_COMPLETE: &str = "phase3a_complete";
    /// Fired when planning starts.
    pub const PHASE_4_START: &str = "phase4_start";
    /// The prompt's quality is under 70.
    pub const PROMPT_QUALITY_LOW: &str = "prompt_quality_below_70";
}

/// Looks around, changes nothing.
const LOOK: &[&str] = &[tool::READ, tool::CONTENT_SEARCH, tool::FILE_SEARCH];
/// Looks around and asks.
const LOOK_AND_ASK: &[&str] = &[tool::READ, tool::CONTENT_SEARCH, tool::FILE_SEARCH, tool::ASK_HUMAN];
/// What those who carry a plan out may be given; a subtask names which of these.
const WORK: &[&str] =
    &[tool::READ, tool::CONTENT_SEARCH, tool::FILE_SEARCH, tool::WRITE, tool::EDIT, tool::SHELL];

/// An agent in short form.
struct Seed {
    name: &'static str,
    phase: Option<(Phase, Option<char>)>,
    model: Tier,
    tools: &'static [&'static str],
    /// What calls it; its phase does not end without it then.
    called_by: Option<&'static str>,
    after: &'static [&'static str],
    description: &'static str,
    mission: &'static str,
    input: &'static str,
    output: &'static str,
    rules: &'static [&'static str],
}

/// What an agent has when nothing else is said.
const PLAIN: Seed = Seed {
    name: "",
    phase: None,
    model: Tier::Balanced,
    tools: &[],
    called_by: None,
    after: &[],
    description: "",
    mission: "",
    input: "",
    output: "",
    rules: &[],
};

const AGENTS: &[Seed] = &[
    Seed {
        name: "pre-analysis-agent",
        phase: Some((Phase::PreAnalysis, None)),
        model: Tier::Fast,
        description: "Looks into the cache and at the budget.",
        mission: "Say whether the answer is known already, what may be spent, and which optional steps can go.",
        input: "The user's message.",
        output: "cached, budget, skip",
        rules: &["Name optional steps only; a phase is never skipped."],
        ..PLAIN
    },
    Seed {
        name: "keyword-detector",
        phase: Some((Phase::Evaluation, Some('a'))),
        description: "Finds the words that say what the request is about.",
        mission: "Name the technologies, actions and things that the request is about.",
        input: "The user's message.",
        output: "keywords",
        ..PLAIN
    },
    Seed {
        name: "complexity-scorer",
        phase: Some((Phase::Evaluation, Some('b'))),
        description: "Scores how demanding the request is.",
        mission: "Score the complexity from 0 to 100 and estimate how many files it touches.",
        input: "The user's message.",
        output: "complexity, fileCount",
        ..PLAIN
    },
    Seed {
        name: "prompt-quality-scorer",
        phase: Some((Phase::Evaluation, Some('c'))),
        description: "Scores how well the request is put.",
        mission: "Score from 0 to 100 how clear, specific and complete the request is.",
        input: "The user's message.",
        output: "promptQuality",
        ..PLAIN
    },
    Seed {
        name: "confidence-assessor",
        phase: Some((Phase::Evaluation, Some('d'))),
        after: &["keyword-detector", "complexity-scorer", "prompt-quality-scorer"],
        description: "Says how sure the evaluation is.",
        mission: "Bring the other three results together and score the confidence from 0 to 100.",
        input: "keywords, complexity, promptQuality",
        output: "confidence",
        ..PLAIN
    },
    Seed {
        name: "prompt-enhancer-agent",
        phase: Some((Phase::Evaluation, None)),
        tools: &[tool::READ, tool::ASK_HUMAN],
        called_by: Some(trigger::PROMPT_QUALITY_LOW),
        description: "Offers a better wording for a request that is hard to understand.",
        mission: "Offer a clearer wording that asks for the same, and let the person choose.",
        input: "The user's message and its quality, item by item.",
        output: "The new wording, and what was changed and why.",
        rules: &["Never change what is wanted.", "The person decides which wording is used."],
        ..PLAIN
    },
    Seed {
        name: "context-loader",
        phase: Some((Phase::Context, None)),
        model: Tier::Fast,
        tools: LOOK,
        description: "Reads what the project says about the request.",
        mission: "Load the least that is needed to understand the request, and share it with the others.",
        input: "keywords, complexity, cacheStatus",
        output: "loaded, commands, skills_activated",
        rules: &["Stay under 3,000 tokens."],
        ..PLAIN
    },
    Seed {
        name: "memory-retriever",
        phase: Some((Phase::Context, None)),
        model: Tier::Fast,
        tools: LOOK,
        description: "Remembers past errors, preferences and patterns.",
        mission: "Load what earlier runs learned that matters here.",
        input: "keywords, complexity",
        output: "loaded",
        rules: &["Stay under 3,000 tokens together with the context loader."],
        ..PLAIN
    },
    Seed {
        name: "task-lister-agent",
        phase: Some((Phase::Decomposition, Some('a'))),
        tools: LOOK,
        called_by: Some(trigger::PHASE_3_START),
        description: "Lists the tasks that lead to the objective.",
        mission: "List the high-level tasks, with what each depends on.",
        input: "The objective, what was loaded, the complexity.",
        output: "tasks with id, name, priority and deps",
        rules: &["List at least one task.", "Change nothing."],
        ..PLAIN
    },
    Seed {
        name: "task-decomposer-agent",
        phase: Some((Phase::Decomposition, Some('b'))),
        tools: LOOK,
        called_by: Some(trigger::PHASE_3A_COMPLETE),
        after: &["task-lister-agent"],
        description: "Breaks each task into subtasks that one agent can do.",
        mission: "Break every task into subtasks, each with one result that can be checked by itself.",
        input: "The listed tasks and the scaling proposal.",
        output: "subtasks with validation, tools, tier and dependencies",
        rules: &["Every subtask costs fewer than 1,000 tokens.", "Change nothing."],
        ..PLAIN
    },
    Seed {
        name: "plan-iterator-agent",
        phase: Some((Phase::Planning, None)),
        model: Tier::Strong,
        tools: LOOK_AND_ASK,
        called_by: Some(trigger::PHASE_4_START),
        description: "Leads planning: makes the plan, shows it, and works questions and changes in.",
        mission: "Make a plan that a person approves.",
        input: "Subtasks, the scaling proposal, patterns from memory.",
        output: "A plan with strategy, agents, estimates, risks and at least two alternatives.",
        rules: &["Always show the plan first.", "Never go on without approval.", "At most five iterations."],
        ..PLAIN
    },
    Seed {
        name: "tool-selector",
        phase: Some((Phase::Planning, None)),
        model: Tier::Strong,
        tools: LOOK,
        description: "Helps planning: chooses the tools of each subtask.",
        mission: "Name the fewest tools with which each subtask can be done.",
        input: "Subtasks and the tools there are.",
        output: "tools per subtask",
        ..PLAIN
    },
    Seed {
        name: "strategy-planner",
        phase: Some((Phase::Planning, None)),
        model: Tier::Strong,
        tools: LOOK,
        description: "Helps planning: chooses how the subtasks run.",
        mission: "Choose between sequential, parallel and hybrid, and say why.",
        input: "Subtasks with their dependencies.",
        output: "strategy with its reason",
        ..PLAIN
    },
    Seed {
        name: "planning-agent",
        phase: Some((Phase::Planning, None)),
        model: Tier::Strong,
        tools: LOOK,
        description: "Helps planning: works out alternatives.",
        mission: "Work out alternatives to the plan, each with what it costs and what it gains.",
        input: "The plan so far.",
        output: "alternatives with tradeoff",
        ..PLAIN
    },
    Seed {
        name: "component-generator",
        phase: Some((Phase::Execution, None)),
        model: Tier::Strong,
        tools: WORK,
        description: "Builds a component.",
        mission: "Build what the subtask describes.",
        input: "The subtask and the results it depends on.",
        output: "result, files changed, warnings",
        rules: &["Use only the tools that the subtask names."],
        ..PLAIN
    },
    Seed {
        name: "i18n-manager",
        phase: Some((Phase::Execution, None)),
        model: Tier::Strong,
        tools: WORK,
        description: "Takes care of texts in several languages.",
        mission: "Bring the texts of the subtask into every language that is wanted.",
        input: "The subtask and the results it depends on.",
        output: "result, files changed, warnings",
        rules: &["Use only the tools that the subtask names."],
        ..PLAIN
    },
    Seed {
        name: "seo-optimizer",
        phase: Some((Phase::Execution, None)),
        model: Tier::Strong,
        tools: WORK,
        description: "Makes pages easy to find.",
        mission: "Improve how the pages of the subtask are found.",
        input: "The subtask and the results it depends on.",
        output: "result, files changed, warnings",
        rules: &["Use only the tools that the subtask names."],
        ..PLAIN
    },
    Seed {
        name: "validation-agent",
        phase: Some((Phase::Validation, None)),
        tools: &[tool::READ, tool::CONTENT_SEARCH, tool::FILE_SEARCH, tool::SHELL],
        description: "Checks results against their criteria.",
        mission: "Check quality, security and tests, and every subtask's own criterion.",
        input: "The compressed results; sections are expanded on demand.",
        output: "verdict, blocking failures, warnings",
        rules: &["A warning alone does not fail a result.", "Change nothing."],
        ..PLAIN
    },
    Seed {
        name: "pattern-detector",
        phase: Some((Phase::Consolidation, None)),
        model: Tier::Fast,
        tools: &[tool::READ],
        description: "Finds what worked and what did not.",
        mission: "Name the patterns of this run that are worth keeping.",
        input: "The whole run.",
        output: "patterns",
        ..PLAIN
    },
    Seed {
        name: "knowledge-consolidator",
        phase: Some((Phase::Consolidation, None)),
        model: Tier::Fast,
        tools: &[tool::READ],
        after: &["pattern-detector"],
        description: "Keeps what was learned.",
        mission: "Put patterns, preferences and figures into lasting memory.",
        input: "Patterns and metrics.",
        output: "learnings",
        ..PLAIN
    },
    Seed {
        name: "self-critic",
        model: Tier::Fast,
        description: "Looks at every phase's result before it is handed on.",
        mission: "Say what is weak in the result and whether it should be done again.",
        input: "The phase's output.",
        output: "verdict and reasons",
        ..PLAIN
    },
    Seed {
        name: "prompt-improvement-detector",
        model: Tier::Fast,
        description: "Finds out whether a message improves on the one before.",
        mission: "Say whether the message asks for the same again, and what was missing before.",
        input: "The last two messages.",
        output: "whether it is an iteration, and what changed",
        ..PLAIN
    },
    Seed {
        name: "chain-analyst",
        description: "Says why a request took several messages.",
        mission: "Find the cause in a chain of messages about the same thing.",
        input: "The chain of messages and results.",
        output: "diagnosis and what to do about it",
        ..PLAIN
    },
];

/// The agents that come with Candor.
pub(super) fn agents() -> impl Iterator<Item = AgentDefinition> {
    AGENTS.iter().map(grown)
}

fn grown(seed: &Seed) -> AgentDefinition {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let activation = (seed.called_by.is_some() || !seed.after.is_empty()).then(|| Activation {
        triggers: owned(seed.called_by.as_slice()),
        priority: if seed.called_by.is_some() { RulePriority::Critical } else { RulePriority::Medium },
        enforcement: if seed.called_by.is_some() { Enforcement::Block } else { Enforcement::Suggest },
        depends_on: owned(seed.after),
    });
    AgentDefinition {
        name: seed.name.to_owned(),
        description: seed.description.to_owned(),
        model: seed.model,
        phase: seed.phase.map(|(phase, letter)| PhaseSlot { phase, letter }),
        tools: owned(seed.tools),
        activation,
        mission: seed.mission.to_owned(),
        input: seed.input.to_owned(),
        output: seed.output.to_owned(),
        rules: owned(seed.rules),
    }
}
