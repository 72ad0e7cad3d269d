//! The lexicon that was built last: runs that start one after the other have the same agents, and mostly the same past.

use std::sync::{Arc, Mutex, PoisonError};

use candor_model::AgentCapability;

use super::Lexicon;

/// Keeps the last lexicon. It changes how long routing takes, and nothing else.
#[derive(Debug, Default)]
pub(crate) struct LexiconCache(Mutex<Option<Entry>>);

#[derive(Debug)]
struct Entry {
    /// What it was built from.
    agents: Vec<(String, String, Vec<String>)>,
    tasks: Vec<Vec<String>>,
    lexicon: Arc<Lexicon>,
}

impl Entry {
    fn is_of(&self, agents: &[AgentCapability], tasks: &[Vec<&str>]) -> bool {
        let same = |(known, agent): (&(String, String, Vec<String>), &AgentCapability)| {
            known.0 == agent.agent_type.as_str()
                && known.1 == agent.specialization
                && known.2 == agent.capabilities
        };
        self.agents.len() == agents.len() && self.tasks == tasks && self.agents.iter().zip(agents).all(same)
    }
}

impl LexiconCache {
    /// [`Lexicon::with_tasks`], built only if it is not the one that was built last.
    pub(crate) fn with_tasks(&self, agents: &[AgentCapability], tasks: &[Vec<&str>]) -> Arc<Lexicon> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = last.as_ref().filter(|entry| entry.is_of(agents, tasks)) {
            return Arc::clone(&entry.lexicon);
        }
        let lexicon = Arc::new(Lexicon::with_tasks(agents, tasks));
        let named = |agent: &AgentCapability| {
            (agent.agent_type.to_string(), agent.specialization.clone(), agent.capabilities.clone())
        };
        let owned = |tasks: &Vec<&str>| tasks.iter().map(|task| (*task).to_owned()).collect();
        *last = Some(Entry {
            agents: agents.iter().map(named).collect(),
            tasks: tasks.iter().map(owned).collect(),
            lexicon: Arc::clone(&lexicon),
        });
        lexicon
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_agent_or_another_past_is_another_lexicon() {
        let cache = LexiconCache::default();
        let agent = |text: &str| -> AgentCapability {
            candor_model::from_json(&format!(r#"{{"agent_type":"a","specialization":"{text}"}}"#)).unwrap()
        };
        let (bread, boats) = ([agent("Bakes bread")], [agent("Repairs boats")]);
        let speaks_for = |agents: &[AgentCapability], tasks: &[Vec<&str>]| {
            cache.with_tasks(agents, tasks).similarities("bake bread").first().copied().unwrap_or_default()
        };
        assert!(speaks_for(&bread, &[Vec::new()]) > 0.0);
        let first = cache.with_tasks(&bread, &[Vec::new()]);
        assert!(Arc::ptr_eq(&first, &cache.with_tasks(&bread, &[Vec::new()])));
        assert!(speaks_for(&boats, &[Vec::new()]) <= 0.0);
        assert!(speaks_for(&boats, &[vec!["Bake bread"]]) > 0.0);
    }
}
