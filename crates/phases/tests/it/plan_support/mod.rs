//! A stage on which the phases up to the plan are visited, with or without models, and the plan is talked about.
use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::Ask;
use candor_model::{
    AgentCapability, CalibrationMetrics, Complexity, Consulted, DecisionEntry, Effect, Evaluation, Goal,
    Handoff, LogLevel, Phase, Plan, PlanBrief, PlanTalk, PromptQuality, ReadFile, RunId, RunSettings,
    StartMaterial,
};
use candor_phases::{Answers, Incomplete, Pack, PhaseContext, Phases};
use candor_planning::phase::{DecisionNote, PhaseReport, PhaseResult};
use candor_testkit::consulting::{accepted_as, answered, give_up};
use candor_testkit::fixtures;
use serde_json::{Value, json};

pub(crate) const PARIS: &str = "Plan a 3-day trip to Paris in May with a $2000 budget";

/// What a model says to an ask; nothing if it cannot answer.
pub(crate) type Voice = fn(&Ask) -> Option<Value>;

/// The phases, and what lies on the cx.
pub(crate) struct Stage {
    pub(crate) phases: Phases,
    pub(crate) agents: Vec<AgentCapability>,
    pub(crate) request: String,
    pub(crate) evaluation: Option<Evaluation>,
    pub(crate) settings: RunSettings,
    pub(crate) material: Option<StartMaterial>,
    pub(crate) handoffs: BTreeMap<Phase, Arc<Handoff>>,
    pub(crate) goal: Option<Goal>,
    pub(crate) plan: Option<Plan>,
    pub(crate) brief: Option<PlanBrief>,
    pub(crate) made: Vec<DecisionNote>,
    pub(crate) voice: Option<Voice>,
    pub(crate) asked: Vec<Ask>,
}

impl Stage {
    pub(crate) fn new(request: &str) -> Self {
        let travel = Pack::from_toml(include_str!("../../../../../packs/travel/pack.toml")).unwrap();
        let mut agents = fixtures::full_registry();
        for agent in fixtures::full_registry() {
            // Agents that belong to no pack, so that any request finds somebody.
            agents.push(AgentCapability {
                agent_type: fixtures::agent_type(&format!("my_{}", agent.agent_type)),
                ..agent
            });
        }
        if request == PARIS {
            agents = fixtures::full_registry();
        }
        Self {
            phases: Phases::new(vec![travel], 0),
            agents,
            request: request.to_owned(),
            evaluation: None,
            settings: RunSettings::default(),
            material: None,
            handoffs: BTreeMap::new(),
            goal: None,
            plan: None,
            brief: None,
            made: Vec::new(),
            voice: None,
            asked: Vec::new(),
        }
    }

    /// The same for a request of this complexity.
    pub(crate) fn complex(request: &str, complexity: u8) -> Self {
        let evaluation = Evaluation {
            keywords: Vec::new(),
            complexity: Complexity { total: complexity, parts: Vec::new() },
            prompt_quality: PromptQuality { score: 90, ..PromptQuality::default() },
            confidence: 90,
            file_count: 0,
        };
        Self { evaluation: Some(evaluation), ..Self::new(request) }
    }

    /// Does the work of a phase, asking as a driver would.
    pub(crate) fn visit(&mut self, phase: Phase, talk: Option<&PlanTalk>) -> Result<PhaseReport, String> {
        let (run_id, calibration) = (RunId::new("run_1").unwrap(), CalibrationMetrics::default());
        let decisions: Vec<DecisionEntry> = self.made.iter().map(entry).collect();
        let mut told: BTreeMap<String, Vec<Consulted>> = BTreeMap::new();
        let mut files = BTreeMap::new();
        loop {
            let steps = |step: &str| told.get(step).map_or(&[][..], Vec::as_slice);
            let cx = PhaseContext {
                ledger: &[],
                addresses: &std::collections::BTreeSet::new(),
                attempt: 1,
                run_id: &run_id,
                request: &self.request,
                now: fixtures::time(fixtures::NOON),
                settings: &self.settings,
                material: self.material.as_ref(),
                handoffs: &self.handoffs,
                evaluation: self.evaluation.as_ref(),
                goal: self.goal.as_ref(),
                agents: &self.agents,
                calibration: &calibration,
                plan: self.plan.as_ref(),
                brief: self.brief.as_ref(),
                talk,
                decisions: &decisions,
                refine: &[],
                files: &files,
                checks: &[],
                responses: &[],
                messages: &[],
                answers: self.voice.is_some().then_some(Answers(&steps)),
                meaning: None,
                outcomes: &[],
                started: None,
                examples: &[],
                open_circuits: &BTreeMap::new(),
                feedback: &[],
            };
            match self.phases.work(phase, &cx) {
                Ok(report) => return Ok(report),
                Err(Incomplete::Asks(ask)) => {
                    let value = self.voice.and_then(|voice| voice(&ask));
                    let step = match value {
                        Some(value) if (ask.check)(&value).is_empty() => {
                            vec![Consulted { call: Some(answered("…", 0)), outcome: accepted_as(value) }]
                        }
                        Some(value) => {
                            let problems = (ask.check)(&value).join("; ");
                            let call = Some(answered(&value.to_string(), 0));
                            vec![Consulted { call, outcome: give_up(&problems) }]
                        }
                        None => vec![Consulted { call: None, outcome: give_up("nobody answers") }],
                    };
                    told.entry(ask.step.to_owned()).or_default().extend(step);
                    self.asked.push(*ask);
                }
                Err(Incomplete::Needs(effects)) => {
                    let paths = effects.into_iter().flat_map(|effect| match effect {
                        Effect::ReadFiles { paths } => paths,
                        other => panic!("{other:?}"),
                    });
                    for path in paths {
                        let text = Err("not there".to_owned());
                        let file = ReadFile {
                            path: path.clone(),
                            bytes: 0,
                            modified: None,
                            hash: String::new(),
                            text,
                        };
                        files.insert(path, file);
                    }
                }
                Err(other) => return Err(other.to_string()),
            }
        }
    }

    /// Walks through the phases up to this one, and returns its report.
    pub(crate) fn walk(&mut self, last: Phase) -> PhaseReport {
        let phases =
            [Phase::PreAnalysis, Phase::Evaluation, Phase::Context, Phase::Decomposition, Phase::Planning];
        for phase in phases {
            let report = self.visit(phase, None).unwrap();
            self.take(phase, &report);
            if phase == last {
                return report;
            }
        }
        panic!("{last} is not on the way")
    }

    /// Puts what a phase left on the cx.
    pub(crate) fn take(&mut self, phase: Phase, report: &PhaseReport) {
        self.handoffs.insert(phase, Arc::new(report.handoff.clone()));
        self.made.extend(report.decisions.clone());
        match &report.result {
            PhaseResult::Goal { goal, .. } => self.goal = Some((**goal).clone()),
            PhaseResult::Plan(proposal) => {
                self.plan = Some(proposal.plan.clone());
                self.brief = proposal.brief.as_deref().cloned();
            }
            _ => {}
        }
    }

    /// A stage with its first plan.
    pub(crate) fn planned(request: &str) -> Self {
        let mut stage = Self::new(request);
        stage.walk(Phase::Planning);
        stage
    }

    /// What the planning phase says to a person; a new plan takes the place of the old one.
    pub(crate) fn say(&mut self, talk: &PlanTalk) -> PhaseReport {
        let report = self.visit(Phase::Planning, Some(talk)).unwrap();
        self.take(Phase::Planning, &report);
        report
    }

    /// The answer to a question.
    pub(crate) fn ask(&mut self, question: &str) -> String {
        reply(&self.say(&PlanTalk::Question(question.to_owned())))
    }

    pub(crate) fn plan(&self) -> &Plan {
        self.plan.as_ref().unwrap()
    }

    pub(crate) fn brief(&self) -> &PlanBrief {
        self.brief.as_ref().unwrap()
    }

    /// The data of a phase's handoff.
    pub(crate) fn data(&self, phase: Phase, key: &str) -> Value {
        self.handoffs[&phase].data.map().remove(key).unwrap_or_else(|| panic!("{key}"))
    }
}

/// The words of a reply.
pub(crate) fn reply(report: &PhaseReport) -> String {
    match &report.result {
        PhaseResult::Reply(text) => text.clone(),
        other => panic!("no reply but {other:?}"),
    }
}

fn entry(made: &DecisionNote) -> DecisionEntry {
    candor_model::from_value(json!({
        "timestamp": fixtures::NOON, "level": LogLevel::Info, "operation": made.operation,
        "task_id": made.task_id, "input": made.input, "decision": made.decision, "reasoning": made.reasoning, "cost": 0,
    }))
    .unwrap()
}
