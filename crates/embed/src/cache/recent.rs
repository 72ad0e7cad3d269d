//! Vectors in bounded memory: kept for a while, those that were used longest ago leaving first.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use candor_ports::Vector;

/// What the bookkeeping of one entry takes, about.
const BOOKKEEPING: usize = 200;

/// The model's name and the whole text: two texts that begin alike are two texts.
type Key = Arc<(String, String)>;

/// The vectors that were used last.
pub(super) struct Recent {
    entries: HashMap<Key, Entry>,
    /// Keys by the turn in which they were last used.
    turns: BTreeMap<u64, Key>,
    turn: u64,
    bytes: usize,
    most_bytes: usize,
    keep: Duration,
}

struct Entry {
    vector: Vector,
    since: Duration,
    turn: u64,
}

impl Recent {
    /// Room for so many bytes, each vector for so long.
    pub(super) fn new(most_bytes: usize, keep: Duration) -> Self {
        Self { entries: HashMap::new(), turns: BTreeMap::new(), turn: 0, bytes: 0, most_bytes, keep }
    }

    /// The vector of a text, unless it is too old.
    pub(super) fn get(&mut self, model: &str, text: &str, now: Duration) -> Option<Vector> {
        let key = Arc::new((model.to_owned(), text.to_owned()));
        let entry = self.entries.get_mut(&key)?;
        if now.saturating_sub(entry.since) > self.keep {
            self.remove(&key);
            return None;
        }
        self.turns.remove(&entry.turn);
        self.turn += 1;
        entry.turn = self.turn;
        self.turns.insert(self.turn, key);
        Some(entry.vector.clone())
    }

    /// Keeps a vector, and lets go of others if there is no phase; one that is too large is not kept.
    pub(super) fn put(&mut self, model: &str, text: &str, vector: Vector, now: Duration) {
        let key = Arc::new((model.to_owned(), text.to_owned()));
        let size = size(&key, &vector);
        if size > self.most_bytes {
            return;
        }
        self.remove(&key);
        while self.bytes + size > self.most_bytes {
            let Some((_, oldest)) = self.turns.pop_first() else { break };
            self.remove(&oldest);
        }
        self.turn += 1;
        self.bytes += size;
        self.turns.insert(self.turn, key.clone());
        self.entries.insert(key, Entry { vector, since: now, turn: self.turn });
    }

    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.turns.remove(&entry.turn);
            self.bytes = self.bytes.saturating_sub(size(key, &entry.vector));
        }
    }
}

fn size(key: &Key, vector: &Vector) -> usize {
    key.0.len() + key.1.len() + size_of_val(&**vector) + BOOKKEEPING
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn vector() -> Vector {
        Arc::new([1.0; 100])
    }

    #[test]
    fn whatever_was_used_longest_ago_leaves_first() {
        // spec: planning SR-08
        let one = size(&Arc::new(("m".into(), "a".into())), &vector());
        let mut recent = Recent::new(2 * one, HOUR);
        let now = Duration::ZERO;
        recent.put("m", "a", vector(), now);
        recent.put("m", "b", vector(), now);
        assert!(recent.get("m", "a", now).is_some());
        recent.put("m", "c", vector(), now);
        assert!(recent.get("m", "b", now).is_none());
        assert!(recent.get("m", "a", now).is_some() && recent.get("m", "c", now).is_some());
        assert_eq!(recent.bytes, 2 * one);
    }

    #[test]
    fn memory_stays_bounded_whatever_is_put_in() {
        // spec: planning SR-08
        let mut recent = Recent::new(50_000, HOUR);
        for number in 0..1000u64 {
            let text = "x".repeat(number as usize * 7 % 3000);
            recent.put("m", &format!("{number}{text}"), vector(), Duration::from_secs(number));
            assert!(recent.bytes <= 50_000);
        }
        assert_eq!(recent.entries.len(), recent.turns.len());
        recent.put("m", &"x".repeat(60_000), vector(), Duration::ZERO);
        assert!(!recent.entries.is_empty(), "what is too large throws nothing out");
    }

    #[test]
    fn models_do_not_share_vectors() {
        // spec: planning SR-08
        let mut recent = Recent::new(50_000, HOUR);
        recent.put("m", "a", vector(), Duration::ZERO);
        assert!(recent.get("n", "a", Duration::ZERO).is_none());
        assert!(recent.get("m", "a", HOUR).is_some());
        assert!(recent.get("m", "a", HOUR + Duration::from_secs(1)).is_none());
        assert_eq!((recent.bytes, recent.turns.len()), (0, 0));
    }
}
