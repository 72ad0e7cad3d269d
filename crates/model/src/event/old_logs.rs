//! What events of older versions say only in words.
//!
//! Events got typed fields beside their texts later. Whoever folds a log asks here, and here only the text of an
//! event without the field is read. Nothing is written back: an old event stays as it was.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{FallbackKind, Payee, RepairKind};
use crate::{AgentType, TaskId};

/// What a second choice took the place of.
#[must_use]
pub fn fallback_kind(kind: Option<FallbackKind>, what: &str) -> FallbackKind {
    kind.unwrap_or(match what {
        "orchestrator" => FallbackKind::Orchestrator,
        task if task.starts_with("task ") => FallbackKind::Agent,
        _ => FallbackKind::Model,
    })
}

/// What money was paid for.
#[must_use]
pub fn payee<'e>(payee: Option<&'e Payee>, what: &str) -> Cow<'e, Payee> {
    payee.map_or_else(|| Cow::Owned(read_payee(what)), Cow::Borrowed)
}

fn read_payee(what: &str) -> Payee {
    let attempt = |task: &str, agent: &str| {
        let task_id = TaskId::new(task.strip_prefix("task ")?).ok()?;
        Some(Payee::Attempt { task_id, agent_type: AgentType::new(agent).ok()? })
    };
    match what.split_once(" by ") {
        Some((first, by)) => attempt(first, by)
            .unwrap_or_else(|| Payee::Call { operation: first.to_owned(), model: by.to_owned() }),
        None => Payee::Other(what.to_owned()),
    }
}

/// How a proposed plan was changed before it was shown.
#[must_use]
pub fn repair_kinds<'e>(
    kinds: &'e BTreeSet<RepairKind>,
    repairs: &[String],
) -> Cow<'e, BTreeSet<RepairKind>> {
    if !kinds.is_empty() {
        return Cow::Borrowed(kinds);
    }
    let read = |repair: &String| {
        [
            ("closed the circle", RepairKind::DependencyRemoved),
            ("which no task covered", RepairKind::TaskAdded),
            ("taken up again from version", RepairKind::VersionRestored),
        ]
        .into_iter()
        .find_map(|(words, kind)| repair.contains(words).then_some(kind))
    };
    Cow::Owned(repairs.iter().filter_map(read).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_field_is_never_overruled_by_the_text() {
        assert_eq!(fallback_kind(Some(FallbackKind::Model), "task task_001"), FallbackKind::Model);
        let call = Payee::Call { operation: "parse_goal".to_owned(), model: "acme/small".to_owned() };
        assert_eq!(*payee(Some(&call), "task task_001 by writer"), call);
        let added = BTreeSet::from([RepairKind::TaskAdded]);
        assert_eq!(*repair_kinds(&added, &["closed the circle".to_owned()]), added);
    }

    #[test]
    fn an_event_of_an_older_version_is_read_by_its_text() {
        assert_eq!(fallback_kind(None, "task task_001"), FallbackKind::Agent);
        assert_eq!(fallback_kind(None, "orchestrator"), FallbackKind::Orchestrator);
        assert_eq!(fallback_kind(None, "parse_goal"), FallbackKind::Model);
        for what in ["task task_001 by writer", "route_task by acme/small", "planning", "task a by b c"] {
            assert_eq!(payee(None, what).to_string(), what);
        }
        assert!(matches!(*payee(None, "task task_001 by writer"), Payee::Attempt { .. }));
        assert!(matches!(*payee(None, "route_task by acme/small"), Payee::Call { .. }));
        assert!(matches!(*payee(None, "planning"), Payee::Other(_)));
        let texts = [
            "Removed the dependency of task_002 on task_001, which closed the circle [task_001]",
            "Added task_005 for Hotels, which no task covered: Find a hotel",
            "taken up again from version 2",
        ];
        let read = repair_kinds(&BTreeSet::new(), &texts.map(str::to_owned)).into_owned();
        assert_eq!(read, RepairKind::ALL.iter().copied().collect());
    }
}
