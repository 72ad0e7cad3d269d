//! Plans that were made before, for those who ask for the same again: the least recently used go first.
//!
//! What is kept are the tasks, before they are routed: agents and their figures change, and every plan is
//! routed and validated anew. It lives as long as the process.

use std::collections::BTreeMap;

use candor_model::{GoalType, SubTask};
use serde::Serialize;

/// What is kept at most, in bytes of JSON.
pub const CEILING: usize = 100_000_000;

/// For how many requests it is remembered which files they came with.
const MOST_FILE_NOTES: usize = 1_000;

/// A goal as it was broken down.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BrokenDown {
    /// Where the tasks come from, in words.
    pub source: String,
    /// The tasks, not routed yet.
    pub tasks: Vec<SubTask>,
    /// What of them is guessed.
    pub guesses: Vec<String>,
}

/// A cache of tasks by what was asked for.
#[derive(Debug)]
pub struct PlanCache {
    ceiling: usize,
    used: usize,
    /// Counts the uses; the smallest mark was used longest ago.
    uses: u64,
    marks: BTreeMap<String, u64>,
    by_use: BTreeMap<u64, Kept>,
    /// The files that a request came with the last time, with their digests.
    files: BTreeMap<String, String>,
}

#[derive(Debug)]
struct Kept {
    key: String,
    plan: BrokenDown,
    bytes: usize,
}

impl Default for PlanCache {
    fn default() -> Self {
        Self::new(CEILING)
    }
}

impl PlanCache {
    /// An empty cache that keeps at most `ceiling` bytes.
    #[must_use]
    pub fn new(ceiling: usize) -> Self {
        Self {
            ceiling,
            used: 0,
            uses: 0,
            marks: BTreeMap::new(),
            by_use: BTreeMap::new(),
            files: BTreeMap::new(),
        }
    }

    /// What is kept under `key`; it counts as used just now.
    pub fn get(&mut self, key: &str) -> Option<BrokenDown> {
        let kept = self.by_use.remove(self.marks.get(key)?)?;
        let plan = kept.plan.clone();
        self.keep(kept);
        Some(plan)
    }

    /// Whether a plan is kept for a goal of this kind in these words, [`normalised`]. It does not count as a use.
    #[must_use]
    pub fn knows(&self, goal_type: &GoalType, words: &str) -> bool {
        let start = format!("{goal_type}\n{words}\n");
        let next = self.marks.range(start.clone()..).next();
        next.is_some_and(|(key, _)| key.starts_with(&start))
    }

    /// Whether these words came with the same files the last time. Remembers what they come with now.
    pub fn same_files(&mut self, words: &str, files: &str) -> bool {
        let before = self.files.insert(words.to_owned(), files.to_owned());
        while self.files.len() > MOST_FILE_NOTES {
            self.files.pop_first();
        }
        before.is_some_and(|before| before == files)
    }

    /// Keeps a plan under `key`, in place of what was there; makes phase by forgetting what was used longest ago.
    /// A plan that is larger than the whole cache is not kept.
    pub fn insert(&mut self, key: String, plan: BrokenDown) {
        let bytes = serde_json::to_vec(&plan).map_or(usize::MAX, |text| text.len());
        if let Some(before) = self.marks.remove(&key).and_then(|mark| self.by_use.remove(&mark)) {
            self.used -= before.bytes;
        }
        if bytes > self.ceiling {
            return;
        }
        while self.used.saturating_add(bytes) > self.ceiling {
            let Some((_, forgotten)) = self.by_use.pop_first() else { break };
            self.used -= forgotten.bytes;
            self.marks.remove(&forgotten.key);
        }
        self.used += bytes;
        self.keep(Kept { key, plan, bytes });
    }

    /// How many bytes are kept.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.used
    }

    fn keep(&mut self, kept: Kept) {
        self.uses += 1;
        self.marks.insert(kept.key.clone(), self.uses);
        self.by_use.insert(self.uses, kept);
    }
}

pub use candor_planning::known_request::normalised;

#[cfg(test)]
mod tests {
    use candor_model::{TaskId, Text};

    use super::*;

    fn plan(bytes: usize) -> BrokenDown {
        let description = Text::new("x".repeat(bytes)).unwrap();
        let tasks = vec![SubTask::new(TaskId::numbered(1), description, Vec::new())];
        BrokenDown { source: String::new(), tasks, guesses: Vec::new() }
    }

    #[test]
    fn the_least_recently_used_plan_goes_first() {
        // spec: planning WF-05
        let mut cache = PlanCache::default();
        for n in 0..9 {
            cache.insert(format!("plan {n}"), plan(11_000_000));
        }
        assert!(cache.get("plan 0").is_some(), "read again, so it stays");
        cache.insert("plan 9".to_owned(), plan(11_000_000));
        assert!(cache.bytes() <= CEILING);
        assert!(cache.get("plan 1").is_none(), "the oldest that nobody touched is gone");
        assert!(cache.get("plan 0").is_some() && cache.get("plan 9").is_some());
    }

    #[test]
    fn what_is_kept_again_takes_no_more_room_and_what_is_too_large_none() {
        let mut cache = PlanCache::new(1_000);
        cache.insert("a".to_owned(), plan(100));
        let once = cache.bytes();
        cache.insert("a".to_owned(), plan(100));
        assert_eq!(cache.bytes(), once);
        cache.insert("b".to_owned(), plan(2_000));
        assert!(cache.get("b").is_none() && cache.get("a").is_some());
        cache.insert("a".to_owned(), plan(2_000));
        assert!(cache.get("a").is_none(), "an old plan must not stand for a new one");
        assert_eq!(cache.bytes(), 0);
    }

    #[test]
    fn to_look_is_not_to_use() {
        // spec: orchestrator PC-06
        let kind = GoalType::GENERIC;
        let mut cache = PlanCache::new(2 * serde_json::to_vec(&plan(300)).unwrap().len());
        cache.insert(format!("{kind}\nprune the trees\n{{}}"), plan(300));
        cache.insert(format!("{kind}\nsing\n{{}}"), plan(300));
        assert!(cache.knows(&kind, "prune the trees") && !cache.knows(&kind, "prune the tree"));
        assert!(!cache.knows(&GoalType::TRAVEL_PLANNING, "sing"));
        cache.insert(format!("{kind}\ndance\n{{}}"), plan(300));
        assert!(!cache.knows(&kind, "prune the trees"), "it was looked at, and is still the oldest");
        assert!(!cache.same_files("sing", "a=1") && cache.same_files("sing", "a=1"));
        assert!(!cache.same_files("sing", "a=2"));
    }

    #[test]
    fn case_and_white_space_do_not_count() {
        assert_eq!(normalised("  Plan a\n TRIP "), "plan a trip");
    }
}
