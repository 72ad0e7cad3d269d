//! The words everything in Candor is said in.
//!
//! This crate owns the entities of a run (goal, plan, task, feedback, revision, …), the [`Event`]s that
//! are kept on the log and the [`Effect`]s that a driver performs. It refuses to hold nonsense: every
//! id, number and list that has a rule is a type that can only be built when the rule holds, so nothing
//! further in has to check again. It decides nothing and touches nothing outside itself.
//!
//! Read JSON with [`from_json`]: its error names the field that is wrong.

mod agent;
mod ask;
mod assessment;
mod breaker;
mod brief;
mod cause;
mod consult;
mod critique;
mod effect;
mod error;
mod evaluation;
mod event;
mod failure;
mod feedback;
mod figures;
mod gate;
mod goal;
mod guarding;
pub mod handoff;
mod hex;
mod human;
mod id;
pub mod id_map;
mod journal;
mod layout;
mod looking;
mod material;
mod measured;
mod metrics;
mod money;
mod non_empty;
mod note;
mod notice;
mod order;
mod outcome;
mod phase;
mod plan;
mod read;
mod recovery;
pub mod redact;
mod report;
mod revision;
mod risk;
mod scalar;
pub mod secret;
mod settings;
mod summary;
mod talk;
mod task;
mod text_enum;
mod time;
mod todo;
mod tool;
mod verdict;
mod work_step;

pub use agent::{AgentCapability, AgentMeasure, RankedAgent, RoutedExample};
pub use ask::{
    Ask, AskId, AskPolicy, CallLimits, Check, ModelRequest, Next, NextCall, Texts, Vector, Vectors,
};
pub use assessment::{Assessment, CheckedCriterion, CriterionResult, CriterionSource, Evidence, Verdict};
pub use breaker::{Breaker, BreakerSettings, BreakerState};
pub use brief::{
    AgentCounts, BriefTask, PlanAlternative, PlanBrief, PlanEstimates, PlanTalk, Risk, RiskLevel, TierCounts,
};
pub use cause::{cause_line, told_line};
pub use consult::{
    AskKey, AskStep, CallDetails, Consulted, Degradation, FailedComponent, ModelCall, ModelErrorKind,
    ModelFailure, OpenCall, Tier, TokenUse,
};
pub use critique::{
    AlignmentCheck, ConfidenceCheck, ConsistencyCheck, CostCheck, CritiqueChecks, CritiqueVerdict,
    PastErrorCheck,
};
pub use effect::{Effect, EffectKey};
pub use error::{ErrorKind, PartialResult, PlanningError};
pub use evaluation::{
    Complexity, ENOUGH_QUALITY, Enhancement, Evaluation, OriginalPrompt, PromptChange, PromptQuality,
    PromptSource, PromptVariant,
};
pub use event::{
    Account, AfterStop, ConfidenceCause, ConflictResolution, Event, EventBody, EventError, FORMAT_VERSION,
    FallbackKind, OutcomeRecord, Payee, Position, Recorded, RepairKind, RevisionStep, ScheduledRetry,
    StopReason, old_logs,
};
pub use failure::{
    Failure, FailureKind, MissingInputs, ReportedError, TEMPORARY_EXIT_CODE, TOO_COMPLEX, Transience,
};
pub use feedback::{ExecutionFeedback, FeedbackType};
pub use figures::{RunFigures, Spend};
pub use gate::{Choice, ChoiceKind, ChoiceOption, ChoiceRequest};
pub use goal::{Constraint, Goal, GoalType};
pub use guarding::{Enforcement, GuardFinding, GuardReport, PhaseDecision};
pub use handoff::{
    Alternative, Handoff, HandoffContext, HandoffFlags, HandoffMessage, Instructions, MessageContext,
    MessageOutput, OptionalStep, OutputType, PhaseOutput,
};
pub use hex::hex;
pub use human::{
    Adjustment, Answer, ApprovalAction, FailureEscalationRequest, Guidance, GuidanceAction,
    HumanApprovalDecision, HumanApprovalRequest, Question, RecommendedAction,
};
pub use id::{
    AgentType, CheckpointId, ExecutionId, GateId, GoalId, PlanId, PlanVersion, RevisionId, RunId, TaskId,
};
pub use id_map::IdMap;
pub use journal::{ConfidenceChange, DecisionEntry, FailureContext, FailureLogEntry, LogLevel};
pub use layout::{ReportLayout, ReportRow, ReportSection, RowFormat};
pub use looking::{CheckKind, CheckResult, ReadFile, WantedCheck};
pub use material::{ForkedFrom, RunOrigin, StartMaterial};
pub use measured::{DurationBasis, MeasuredCost, MeasuredTime, MeasuredTokens};
pub use metrics::PhaseMetrics;
pub use money::{Money, TokenPrice};
pub use non_empty::NonEmpty;
pub use note::{
    AgentNote, LedgerEntry, MissionAction, Noted, Receipt, SessionState, SpeakerRole, UndoStep, Undone,
};
pub use notice::{
    Announcement, FailureNotification, Notification, ProgressStatus, ProgressUpdate, RecoveryNotification,
    Severity,
};
pub use order::{AgentAnswer, AgentBrief, ContextText, WorkOrder};
pub use outcome::{CalibrationMetrics, ExecutionResult, ExecutionStatus, KnownRequest, PlanOutcome};
pub use phase::{Phase, SpokenBy};
pub use plan::{ExecutionStrategy, Plan, PlanMetadata, ToolCallBudget};
pub use read::{MAX_DEPTH, ValidationError, check_depth, from_json, from_value};
pub use recovery::{BudgetPart, BudgetRule, PackRules, RecoveryRule, RuleUse};
pub use report::{ConfidencePoint, ExecutionReport, Lessons, ReportSummary, TaskReport};
pub use revision::{
    PlanRevision, ProposedChange, ProposedTask, Replacement, ReplanStrategy, RevisionDetails,
    RevisionProposal,
};
pub use risk::{RiskClass, TaskRisk};
pub use scalar::{Confidence, Penalty, Priority, Seconds, Share, Text};
pub use settings::{ApprovalPolicy, LoopGuard, PhaseLimits, RunSettings};
pub use summary::{RunStatus, RunSummary, SummaryFigure};
pub use talk::{
    Asking, Broadcast, MAX_TELLING_BYTES, MAX_TELLINGS, MessagePriority, MessageType, Query, QueryAnswer,
    QueryResponse, QueryType, Telling, USUAL_QUERY_TIMEOUT,
};
pub use task::{RetryPolicy, SubTask, TaskMetadata, TaskStatus, Tried};
pub use time::{Timestamp, day_after, retry_after};
pub use todo::{
    ListChange, MAX_REPLANS, MAX_TOOL_ATTEMPTS, StepStrategy, StrategyType, TodoItem, TodoList, TodoStatus,
};
pub use tool::{
    ASK_PERSON, Carried, FollowUp, ToolCall, ToolErrorKind, ToolHints, ToolProblem, ToolResult, ToolSpec,
    WRITE_FILE,
};
pub use verdict::{AssignmentResult, CompletenessResult, DependencyResult};
pub use work_step::WorkStep;

/// A JSON object, with its keys in a fixed order so that equal values have equal text.
pub type JsonMap = serde_json::Map<String, serde_json::Value>;
