//! A hash map for the core: fast look-up by id, and no way to depend on the order of its entries.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::FixedState;

/// A map that can be looked into but not walked through.
///
/// The standard map is seeded at random, and the order of its entries with it; the core must do the same
/// thing each time. So the hasher here has a fixed seed, and there is deliberately no iterator.
#[derive(Debug, Clone)]
pub struct IdMap<K, V>(HashMap<K, V, FixedState>);

impl<K: Hash + Eq, V> IdMap<K, V> {
    /// An empty map with room for `capacity` entries.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self(HashMap::with_capacity_and_hasher(capacity, FixedState::default()))
    }

    /// Puts `value` under `key` and returns what was there before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.0.insert(key, value)
    }

    /// What is kept under `key`.
    pub fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.0.get(key)
    }

    /// What is kept under `key`, to be changed.
    pub fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.0.get_mut(key)
    }

    /// Whether anything is kept under `key`.
    pub fn contains_key(&self, key: &K) -> bool {
        self.0.contains_key(key)
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Hash + Eq, V> Default for IdMap<K, V> {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl<K: Hash + Eq, V> FromIterator<(K, V)> for IdMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        map.0.extend(entries);
        map
    }
}
