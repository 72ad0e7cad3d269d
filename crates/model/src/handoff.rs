//! What one phase hands to the next: the only way in which anything gets from phase to phase.
//!
//! A handoff's data is JSON, kept as it was written. What a phase puts into it, and what others read from it, is one
//! struct per phase ([`PhaseOutput`]). Parts whose types belong to crates above this one are type parameters.

mod closing;
mod data;
mod planned;
mod preparing;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use self::closing::*;
pub use self::data::HandoffData;
pub use self::planned::*;
pub use self::preparing::*;
use crate::text_enum::text_enum;
use crate::{JsonMap, Phase, SpokenBy, Timestamp};

/// The data of one phase's handoff.
pub trait PhaseOutput {
    /// The phase that hands it over.
    const PHASE: Phase;
}

/// What a phase leaves for the next one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Handoff {
    /// Whether a model or rules made the result.
    pub spoken_by: SpokenBy,
    /// The result in a sentence.
    pub summary: String,
    /// The result as data.
    #[serde(default)]
    pub data: HandoffData,
    /// How the result came about.
    #[serde(default, skip_serializing_if = "HandoffContext::is_empty")]
    pub context: HandoffContext,
    /// How good the result is, from 0 to 100; absent if nobody can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<u8>,
    /// What the next phase is asked to mind.
    #[serde(default, rename = "nextPhaseInstructions", skip_serializing_if = "Instructions::is_empty")]
    pub instructions: Instructions,
    /// What stands in the way.
    #[serde(default, skip_serializing_if = "HandoffFlags::is_empty")]
    pub flags: HandoffFlags,
}

impl Handoff {
    /// A handoff that says only what came out.
    #[must_use]
    pub fn new(spoken_by: SpokenBy, summary: String, data: impl Into<HandoffData>) -> Self {
        let data = data.into();
        Self {
            spoken_by,
            summary,
            data,
            context: HandoffContext::default(),
            quality: None,
            instructions: Instructions::default(),
            flags: HandoffFlags::default(),
        }
    }

    /// A handoff of a phase's output. A model spoke if the output says so.
    #[must_use]
    pub fn of<T: PhaseOutput + Serialize>(spoken_by: SpokenBy, summary: String, output: &T) -> Self {
        Self::new(spoken_by, summary, HandoffData::of(output))
    }

    /// The phase's output; an error if the data is not what the phase hands over today, as that of an older version
    /// or of somebody else may be.
    pub fn output<T: PhaseOutput + DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.data.text())
    }
}

/// How a phase's result came about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct HandoffContext {
    /// What was decided on the way, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub key_decisions: Vec<String>,
    /// Files that were changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files_modified: Vec<String>,
    /// Files that were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files_read: Vec<String>,
    /// Tools that were used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools_used: Vec<String>,
    /// What models took and gave, in tokens.
    pub tokens_consumed: u64,
    /// How sure the phase is of its result, from 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
}

impl HandoffContext {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What the next phase is asked to mind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Instructions {
    /// Points to which the next phase should pay attention.
    pub focus: Vec<String>,
    /// What to stay away from.
    pub avoid: Vec<String>,
    /// What the result must contain; what is missing is reported as a gap.
    pub must_include: Vec<String>,
    /// Who could do it.
    pub suggested_agents: Vec<String>,
}

impl Instructions {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What stands in the way of the next phase.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct HandoffFlags {
    /// A person must say something before the next phase; why is among the uncertain things.
    pub needs_user_input: bool,
    /// What is planned can do harm.
    pub high_risk: bool,
    /// What is not certain.
    pub uncertainty_areas: Vec<String>,
    /// What must be settled before the next phase.
    pub blockers: Vec<String>,
}

impl HandoffFlags {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

text_enum!(
    /// The kind of a phase's output.
    OutputType {
        /// Output of phase 0.
        PreAnalysis = "pre_analysis",
        /// Output of phase 1.
        Evaluation = "evaluation",
        /// Output of phase 2.
        Context = "context",
        /// Output of phase 3.
        Decomposition = "decomposition",
        /// Output of phase 4.
        Plan = "plan",
        /// Output of phase 5.
        Execution = "execution",
        /// Output of phase 6.
        Validation = "validation",
        /// Output of phase 7.
        Consolidation = "consolidation",
    }
);

impl OutputType {
    /// What this phase puts out.
    #[must_use]
    pub const fn of(phase: Phase) -> Self {
        match phase {
            Phase::PreAnalysis => Self::PreAnalysis,
            Phase::Evaluation => Self::Evaluation,
            Phase::Context => Self::Context,
            Phase::Decomposition => Self::Decomposition,
            Phase::Planning => Self::Plan,
            Phase::Execution => Self::Execution,
            Phase::Validation => Self::Validation,
            Phase::Consolidation => Self::Consolidation,
        }
    }
}

/// A handoff as a message of its own, for those who read it outside the log.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HandoffMessage {
    /// The phase that ended.
    pub from_phase: u8,
    /// Who speaks for it.
    pub from_agent: String,
    /// The phase that begins; none after the last.
    pub to_phase: Option<u8>,
    /// Moment at which the phase ended.
    pub timestamp: Timestamp,
    /// How the result came about.
    pub context: MessageContext,
    /// Result of the phase.
    pub output: MessageOutput,
    /// What the next phase is asked to mind.
    pub next_phase_instructions: Instructions,
    /// What stands in the way.
    pub flags: HandoffFlags,
}

/// The context of a [`HandoffMessage`]: every field is always there.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageContext {
    /// One or two lines.
    pub summary: String,
    /// What was decided on the way.
    pub key_decisions: Vec<String>,
    /// Files that were changed.
    pub files_modified: Vec<String>,
    /// Files that were read.
    pub files_read: Vec<String>,
    /// Tools that were used.
    pub tools_used: Vec<String>,
    /// Tokens that models took in the phase.
    pub tokens_consumed: u64,
    /// From 0 to 100.
    pub confidence: Option<u8>,
}

/// The output of a [`HandoffMessage`].
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MessageOutput {
    /// Tells how `data` is to be read.
    #[serde(rename = "type")]
    pub kind: OutputType,
    /// The result as data.
    pub data: JsonMap,
    /// From 0 to 100.
    pub quality: Option<u8>,
}

impl HandoffMessage {
    /// The message that this handoff of a phase is.
    #[must_use]
    pub fn of(phase: Phase, handoff: &Handoff, at: Timestamp) -> Self {
        let context = handoff.context.clone();
        Self {
            from_phase: phase.number(),
            from_agent: phase.lead_agent().to_owned(),
            to_phase: phase.next().map(Phase::number),
            timestamp: at,
            context: MessageContext {
                summary: two_lines(&handoff.summary),
                key_decisions: context.key_decisions,
                files_modified: context.files_modified,
                files_read: context.files_read,
                tools_used: context.tools_used,
                tokens_consumed: context.tokens_consumed,
                confidence: context.confidence,
            },
            output: MessageOutput {
                kind: OutputType::of(phase),
                data: handoff.data.map(),
                quality: handoff.quality,
            },
            next_phase_instructions: handoff.instructions.clone(),
            flags: handoff.flags.clone(),
        }
    }
}

/// A summary has two lines at most.
fn two_lines(text: &str) -> String {
    text.lines().take(2).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::TaskId;

    fn handoff() -> Handoff {
        Handoff::new(SpokenBy::Heuristic, "one\ntwo\nthree".to_owned(), JsonMap::new())
    }

    #[test]
    fn a_plain_handoff_is_written_as_before() {
        let text = serde_json::to_string(&handoff()).unwrap();
        assert_eq!(text, r#"{"spoken_by":"heuristic","summary":"one\ntwo\nthree","data":{}}"#);
        assert_eq!(crate::from_json::<Handoff>(&text).unwrap(), handoff());
    }

    #[test]
    fn an_output_reads_back_equal_and_keeps_the_names_of_its_fields() {
        let output = PreAnalysisOutput {
            cached: Some(CacheStatus::Lookup(CacheLookup {
                hit: true,
                confidence: 90,
                ..Default::default()
            })),
            skip: vec![OptionalStep::FileReading],
            ..PreAnalysisOutput::default()
        };
        let handoff = Handoff::of(SpokenBy::Heuristic, "known".to_owned(), &output);
        assert_eq!(
            Value::Object(handoff.data.map()),
            json!({ "cached": { "hit": true, "confidence": 90 }, "budget": null, "skip": ["file_reading"] })
        );
        assert_eq!(handoff.output::<PreAnalysisOutput>().unwrap(), output);
        let task = HandedTask { task_id: TaskId::numbered(2), dependencies: vec![TaskId::numbered(1)] };
        let listing =
            ListedTasks { high_level_tasks: vec![ListedTask { id: "T1".into(), name: "x".into() }] };
        let output = DecompositionOutput {
            source: "a test".to_owned(),
            subtasks: Some(vec![task]),
            listing: Some(listing),
            ..DecompositionOutput::default()
        };
        let handoff = Handoff::of(SpokenBy::Model, "1 task".to_owned(), &output);
        let data = handoff.data.map();
        let keys: Vec<&str> = data.keys().map(String::as_str).collect();
        assert_eq!(keys, ["highLevelTasks", "source", "subtasks"]);
        let read: DecompositionOutput<HandedTask, ListedTasks> = handoff.output().unwrap();
        assert_eq!(read, output);
    }

    #[test]
    fn data_of_older_versions_and_of_others_is_read_or_refused_and_never_a_panic() {
        let with = |data: Value| {
            let Value::Object(data) = data else { panic!("{data}") };
            Handoff::new(SpokenBy::Heuristic, String::new(), data)
        };
        let old = with(json!({ "cached": true, "confidence": 85, "budget": {}, "more": [1] }));
        let read: PreAnalysisOutput = old.output().unwrap();
        assert_eq!((read.cached, read.confidence), (Some(CacheStatus::Flag(true)), Some(85)));
        let nothing = with(json!({}));
        assert_eq!(nothing.output::<ContextOutput>().unwrap(), ContextOutput::default());
        assert_eq!(nothing.output::<EvaluationOutput>().unwrap(), EvaluationOutput::default());
        assert_eq!(nothing.output::<DecompositionOutput>().unwrap().subtasks, None);
        assert!(nothing.output::<PlanningOutput>().is_err() && nothing.output::<ExecutionOutput>().is_err());
        assert!(nothing.output::<ValidationOutput>().is_err());
        assert!(nothing.output::<ConsolidationOutput>().is_err());
        assert!(with(json!({ "subtasks": "none" })).output::<DecompositionOutput>().is_err());
        let told = with(json!({ "pastErrors": ["one", { "issue": "two" }, 3] }));
        let told: ContextOutput = told.output().unwrap();
        assert_eq!(
            told.past_errors.iter().map(PastError::text).collect::<Vec<_>>(),
            [Some("one"), Some("two"), None]
        );
    }

    #[test]
    fn every_phase_has_its_output_type_and_its_successor() {
        // spec: orchestrator HO-02 HO-03 HO-04
        let kinds = Phase::ALL.iter().map(|phase| {
            let message = HandoffMessage::of(*phase, &handoff(), Timestamp::EPOCH);
            assert_eq!(message.context.summary, "one\ntwo");
            (message.output.kind.as_str(), message.to_phase)
        });
        assert_eq!(
            kinds.collect::<Vec<_>>(),
            [
                ("pre_analysis", Some(2)),
                ("evaluation", Some(2)),
                ("context", Some(3)),
                ("decomposition", Some(4)),
                ("plan", Some(5)),
                ("execution", Some(6)),
                ("validation", Some(7)),
                ("consolidation", None),
            ]
        );
        let json =
            serde_json::to_value(HandoffMessage::of(Phase::Planning, &handoff(), Timestamp::EPOCH)).unwrap();
        for key in [
            "fromPhase",
            "fromAgent",
            "toPhase",
            "timestamp",
            "context",
            "output",
            "nextPhaseInstructions",
            "flags",
        ] {
            assert!(json.get(key).is_some(), "{key}");
        }
        for key in [
            "summary",
            "keyDecisions",
            "filesModified",
            "filesRead",
            "toolsUsed",
            "tokensConsumed",
            "confidence",
        ] {
            assert!(json["context"].get(key).is_some(), "{key}");
        }
    }
}
