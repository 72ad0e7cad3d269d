//! What is said about the plan before it is approved.

use std::sync::Arc;

use candor_model::{
    AgentCapability, ApprovalAction, HumanApprovalDecision, Plan, PlanBrief, PlanTalk, PlanVersion, Question,
    TaskRisk,
};
use serde::{Deserialize, Serialize};

/// A plan as it was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownPlan {
    /// Which shape it was.
    pub version: PlanVersion,
    /// The plan.
    pub plan: Arc<Plan>,
    /// The agents as they were known then.
    pub agents: Vec<AgentCapability>,
    /// The plan in figures.
    pub brief: Option<Arc<PlanBrief>>,
}

/// The plans that were shown, and what people said to them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlanDialogue {
    pub(crate) shown: Vec<ShownPlan>,
    /// What a person wants of the plan that was shown.
    pub(crate) wish: Option<PlanTalk>,
    /// How often the plan was changed because a person asked for it.
    pub(crate) rounds: u32,
    /// Whether a person has said anything to the plan: then they see it again, however sure it is.
    pub(crate) discussed: bool,
    /// The answer to what was asked last.
    pub(crate) reply: Option<String>,
    /// Whether anybody was asked about the plan that was proposed last, or it was approved.
    pub(crate) put: bool,
    /// The version of the plan that was approved last.
    pub(crate) approved: Option<PlanVersion>,
    /// The acts that cannot be taken back and that were approved with a plan: nobody is asked about them again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) risks: Vec<TaskRisk>,
}

impl PlanDialogue {
    pub(super) fn forget_wishes(&mut self) {
        self.wish = None;
        self.reply = None;
        self.discussed = false;
        self.rounds = 0;
    }

    /// A person has said something to the plan that they were shown.
    pub(crate) fn discuss(&mut self, decision: &HumanApprovalDecision) {
        let words = || decision.comments.clone();
        self.wish = match decision.action {
            ApprovalAction::Ask => Some(PlanTalk::Question(words())),
            ApprovalAction::Alternative => {
                Some(PlanTalk::Alternative(decision.alternative.clone().unwrap_or_default()))
            }
            ApprovalAction::Modify if decision.adjustments.is_empty() => Some(PlanTalk::Change(words())),
            ApprovalAction::Regenerate => Some(PlanTalk::Anew(words())),
            _ => None,
        };
        let changes = matches!(
            decision.action,
            ApprovalAction::Alternative | ApprovalAction::Modify | ApprovalAction::Regenerate
        );
        self.rounds = self.rounds.saturating_add(u32::from(changes));
        self.discussed |= decision.action != ApprovalAction::Approve;
        self.reply = None;
    }

    /// What was wanted of the plan stays in mind until the new one is shown.
    pub(crate) fn propose(&mut self, shown: ShownPlan) {
        if !self.put {
            // Nobody has seen the one before.
            self.shown.pop();
        }
        self.shown.push(shown);
        self.put = false;
        self.reply = None;
    }

    /// A person changed fields of the plan: it is shown as it is now.
    pub(crate) fn adjust(&mut self, version: PlanVersion, plan: &Plan) {
        if let Some(last) = self.shown.last().cloned() {
            self.shown.push(ShownPlan { version, plan: Arc::new(plan.clone()), ..last });
        }
    }

    /// Somebody is asked about the plan that was proposed.
    pub(crate) fn put(&mut self, question: &Question) {
        self.put = true;
        if matches!(question, Question::Approval { .. }) {
            self.wish = None;
        }
    }

    pub(super) fn answered(&mut self, answer: &str) {
        self.wish = None;
        self.reply = Some(answer.to_owned());
    }

    /// The plan is locked: what was said on the way to it is settled.
    pub(crate) fn approve(&mut self, version: PlanVersion, risks: &[TaskRisk]) {
        let new = risks.iter().filter(|risk| !self.risks.iter().any(|known| known.is_same_act(risk)));
        let new: Vec<TaskRisk> = new.cloned().collect();
        self.risks.extend(new);
        self.put = true;
        self.approved = Some(version);
        self.wish = None;
        self.reply = None;
        self.discussed = false;
    }

    pub(super) fn roll_back(&mut self, version: Option<PlanVersion>) {
        self.forget_wishes();
        self.put = true;
        if let Some(version) = version {
            self.shown.retain(|shown| shown.version <= version);
        }
    }
}
