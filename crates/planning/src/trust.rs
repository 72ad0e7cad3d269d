//! What a coding assistant's sessions teach about trust: prompts that approve or object, and calls that were asked about.
//!
//! A fold over the entries that the hook keeps. An objection makes its session careful: until the person approves, or
//! for [`OBJECTION_LASTS`] prompts, everything that changes something is asked about.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::RiskClass;
use serde::{Deserialize, Serialize};

/// After so many prompts without another one an objection is over.
pub const OBJECTION_LASTS: u32 = 20;

/// What is kept of one event. No words of the person are among it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TrustEntry {
    /// A prompt of the person.
    Prompt {
        /// Names the conversation with the assistant.
        session: String,
        /// Whether it approves (true) or objects (false).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approves: Option<bool>,
    },
    /// A call that the person was asked about.
    Asked {
        /// Names the call within the assistant.
        call: String,
        /// Class of what the call does.
        class: RiskClass,
    },
    /// A call that was asked about has run: the person allowed it.
    Ran {
        /// Names the call, as in `Asked`.
        call: String,
    },
}

/// How often people were asked about a class of calls, and how often they allowed them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Allowed {
    /// How often they were asked.
    pub asked: u64,
    /// How many of these calls ran.
    pub allowed: u64,
}

/// What the entries come to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TrustRecord {
    /// Prompts that were seen.
    pub prompts: u64,
    /// Number of `prompts` that approve.
    pub approvals: u64,
    /// Number of `prompts` that object.
    pub objections: u64,
    /// Calls that were asked about, by what they do.
    pub calls: BTreeMap<RiskClass, Allowed>,
    /// Sessions with an objection that is not over, and for how many more prompts it holds.
    pub careful: BTreeMap<String, u32>,
    #[serde(skip)]
    open: BTreeMap<String, BTreeSet<RiskClass>>,
}

impl TrustRecord {
    /// What these entries come to, the oldest first.
    pub fn of<'a>(entries: impl IntoIterator<Item = &'a TrustEntry>) -> Self {
        let mut record = Self::default();
        entries.into_iter().for_each(|entry| record.apply(entry));
        record
    }

    fn apply(&mut self, entry: &TrustEntry) {
        match entry {
            TrustEntry::Prompt { session, approves } => self.prompt(session, *approves),
            TrustEntry::Asked { call, class } => {
                let counted = self.calls.entry(*class).or_default();
                counted.asked = counted.asked.saturating_add(1);
                self.open.entry(call.clone()).or_default().insert(*class);
            }
            TrustEntry::Ran { call } => {
                for class in self.open.remove(call).unwrap_or_default() {
                    let counted = self.calls.entry(class).or_default();
                    counted.allowed = counted.allowed.saturating_add(1);
                }
            }
        }
    }

    fn prompt(&mut self, session: &str, approves: Option<bool>) {
        self.prompts = self.prompts.saturating_add(1);
        let left = self.careful.remove(session).unwrap_or(0);
        let left = match approves {
            Some(true) => {
                self.approvals = self.approvals.saturating_add(1);
                0
            }
            Some(false) => {
                self.objections = self.objections.saturating_add(1);
                OBJECTION_LASTS
            }
            None => left.saturating_sub(1),
        };
        if left > 0 {
            self.careful.insert(session.to_owned(), left);
        }
    }

    /// Whether a person was asked about this call and it has not run yet.
    #[must_use]
    pub fn waits(&self, call: &str) -> bool {
        self.open.contains_key(call)
    }

    /// For how many more prompts a session is careful; 0 if it is not.
    #[must_use]
    pub fn careful_for(&self, session: &str) -> u32 {
        self.careful.get(session).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(session: &str, approves: Option<bool>) -> TrustEntry {
        TrustEntry::Prompt { session: session.to_owned(), approves }
    }

    #[test]
    fn an_objection_holds_for_its_session_until_approval_or_twenty_prompts() {
        // spec: orchestrator TL-09
        let mut entries = vec![prompt("a", Some(false)), prompt("b", None)];
        let record = TrustRecord::of(&entries);
        assert_eq!((record.careful_for("a"), record.careful_for("b")), (OBJECTION_LASTS, 0));
        entries.extend((0..19).map(|_| prompt("a", None)));
        assert_eq!(TrustRecord::of(&entries).careful_for("a"), 1);
        entries.push(prompt("a", None));
        assert_eq!(TrustRecord::of(&entries).careful_for("a"), 0);
        let approved = [prompt("a", Some(false)), prompt("a", Some(true))];
        assert_eq!(TrustRecord::of(&approved).careful_for("a"), 0);
    }

    #[test]
    fn a_call_that_ran_after_it_was_asked_about_was_allowed() {
        // spec: orchestrator TL-13
        let asked = |call: &str| TrustEntry::Asked { call: call.to_owned(), class: RiskClass::Delete };
        let ran = |call: &str| TrustEntry::Ran { call: call.to_owned() };
        let record = TrustRecord::of(&[asked("1"), asked("2"), ran("1"), ran("1"), ran("3")]);
        assert_eq!(record.calls[&RiskClass::Delete], Allowed { asked: 2, allowed: 1 });
        assert!(record.waits("2") && !record.waits("1"));
    }
}
