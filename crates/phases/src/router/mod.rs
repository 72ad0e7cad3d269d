//! Ranks agents for a task by meaning and by words, and learns from what they succeeded at.
//!
//! Vectors come from outside: it embeds nothing, keeps nothing and decides nothing beyond the order. Without
//! vectors it is the ranking by words alone, exactly. Past successes sharpen an agent's meaning, and their words
//! join its own; both so that agents that have no history yet lose nothing by it.

mod calibration;
mod explanation;
mod history;
mod hubness;
mod meaning;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use candor_language::split;
use candor_model::Vector;
use candor_model::{AgentCapability, AgentType, RoutedExample};
use candor_planning::routing::{self, RoutingProblem};

use crate::lexical::{self, Lexicon, LexiconCache};

use self::history::{MOST_SUCCESSES, Record, Scale};
use self::meaning::{Meaning, Nearness};

pub use self::explanation::{Explanation, RunnerUp};

/// How much words weigh beside meaning, in spreads of the meanings: whatever scale a model's similarities
/// have, an agent for which every word speaks gains `WORDS_WEIGHT × agents ^ WORDS_GROWTH` of them. Among few agents a
/// shared word is mostly chance; among hundreds it tells one from its neighbours. Chosen on MetaTool's rows among
/// 3, 5, 10, 25 and 199 agents.
const WORDS_WEIGHT: f64 = 0.8;
const WORDS_GROWTH: f64 = 0.43;
/// How many successes per agent halve that weight: the more tasks a meaning rests on, the less words add.
const HALF_WEIGHT_SUCCESSES: f64 = 10.0;

/// How much the words of a request's steps count beside all of its words. Of 0.25, 0.5, 0.75 and 1 each gained on both halves
/// of MetaTool's queries.
const ASKED_WEIGHT: f64 = 0.5;

/// How many past tasks tell how near queries come to agents anyway: the latest.
const MOST_PAST: usize = 500;

/// A task that an agent succeeded at.
#[derive(Debug, Clone, PartialEq)]
pub struct Success {
    /// Words of the task itself, without what Candor adds to them.
    pub text: String,
    /// Agent that succeeded at it.
    pub agent_type: AgentType,
    /// What the text means; without it there are only its words to learn from.
    pub vector: Option<Vector>,
}

impl Success {
    /// A task that is on record, with what it means as far as that is known.
    #[must_use]
    pub fn new(example: &RoutedExample, vector: Option<Vector>) -> Self {
        let text = routing::own_words(&example.text).to_owned();
        Self { text, agent_type: example.agent_type.clone(), vector }
    }
}

/// Why no ranking could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouterError {
    /// There is nobody to rank.
    #[error("no agent is registered")]
    NoAgent,
    /// An agent's vector, or that of one of its successes, is unusable.
    #[error(
        "the agent {agent_type} cannot be compared with tasks: {problem}; embed all agents anew with one model"
    )]
    Agent {
        /// Agent with the vector that cannot be used.
        agent_type: AgentType,
        /// What is wrong with it.
        problem: RoutingProblem,
    },
    /// The task's vector is unusable.
    #[error("the task “{task}” cannot be compared with agents: {problem}; embed it with the agents' model")]
    Task {
        /// The beginning of its text.
        task: String,
        /// What is wrong with it.
        problem: RoutingProblem,
    },
}

/// A registry of agents, ready to be asked for every task.
#[derive(Debug, Clone)]
pub struct Router {
    agents: Vec<AgentCapability>,
    /// What similarity is worth with each of them, side by side: a look at every agent would be a miss of the cache.
    worths: Vec<f64>,
    lexicon: Arc<Lexicon>,
    meaning: Option<Meaning>,
    /// How many successes of each agent count, in the registry's order.
    successes: Vec<usize>,
    words_weight: f64,
}

/// One agent's figures for one task.
#[derive(Debug, Clone, Copy)]
struct Standing {
    agent: usize,
    score: f64,
    similarity: f64,
    words: f64,
    meaning: Option<f64>,
}

impl Router {
    /// Reads the agents' words, and their meanings if they have any: `vectors` in the agents' order, one
    /// that is missing being unknown; `history` with the oldest success first.
    ///
    /// Successes of agents that are not registered count for nothing, those without a vector by their words.
    pub fn new(
        agents: Vec<AgentCapability>,
        vectors: &[Option<Vector>],
        history: &[Success],
    ) -> Result<Self, RouterError> {
        Self::cached(agents, vectors, history, &LexiconCache::default())
    }

    /// The same with a lexicon that may have been built before.
    pub(crate) fn cached(
        agents: Vec<AgentCapability>,
        vectors: &[Option<Vector>],
        history: &[Success],
        lexicons: &LexiconCache,
    ) -> Result<Self, RouterError> {
        let latest = latest(&agents, history);
        let meaning = Learned::new(&agents, vectors, &latest)?.meaning();
        let mut router = Self { meaning, ..Self::with_words(agents, &latest, lexicons) };
        let past = history.iter().rev().filter_map(|success| success.vector.as_ref()).take(MOST_PAST);
        past.for_each(|query| router.note(query));
        Ok(router)
    }

    /// Ranks by words alone: those of the agents, and those of the tasks that they succeeded at.
    #[must_use]
    pub fn by_words(agents: Vec<AgentCapability>, history: &[Success]) -> Self {
        Self::by_words_cached(agents, history, &LexiconCache::default())
    }

    /// The same with a lexicon that may have been built before.
    pub(crate) fn by_words_cached(
        agents: Vec<AgentCapability>,
        history: &[Success],
        lexicons: &LexiconCache,
    ) -> Self {
        let latest = latest(&agents, history);
        Self::with_words(agents, &latest, lexicons)
    }

    fn with_words(agents: Vec<AgentCapability>, latest: &[Vec<&Success>], lexicons: &LexiconCache) -> Self {
        let texts: Vec<Vec<&str>> = latest
            .iter()
            .map(|successes| successes.iter().map(|success| success.text.as_str()).collect())
            .collect();
        let lexicon = lexicons.with_tasks(&agents, &texts);
        let successes: Vec<usize> = latest.iter().map(Vec::len).collect();
        let worths = agents.iter().map(routing::worth).collect();
        let words_weight = words_weight(&successes);
        Self { agents, worths, lexicon, meaning: None, successes, words_weight }
    }

    /// The agents, in the order in which they came.
    #[must_use]
    pub fn agents(&self) -> &[AgentCapability] {
        &self.agents
    }

    /// Whether it knows what any of its agents means.
    #[must_use]
    pub fn knows_meanings(&self) -> bool {
        self.meaning.is_some()
    }

    /// Takes note of what a query means, so that agents to which everything is near have to be nearer than others.
    ///
    /// Who the query is for does not matter: queries of the same batch and past ones both count.
    pub fn note(&mut self, query: &[f32]) {
        if let Some(meaning) = &mut self.meaning {
            meaning.note(query, &self.successes);
        }
    }

    /// Ranks the agents for a task, the best first, at most `top_k` of them; those with an open breaker come
    /// after all others, and equal scores go by name.
    ///
    /// Words alone decide if the task or all agents come without a vector.
    pub fn rank(
        &self,
        task_text: &str,
        task_vector: Option<&[f32]>,
        breaker_open: &dyn Fn(&AgentType) -> bool,
        top_k: usize,
    ) -> Result<Vec<Explanation>, RouterError> {
        let words = self.lexicon.similarities(task_text);
        self.rank_by(&words, task_text, task_vector, breaker_open, top_k)
    }

    /// The same for a request in somebody's own words: the words with which it asks count more than those with which it
    /// tells why. Tasks of a plan have only the former.
    pub fn rank_request(
        &self,
        request: &str,
        vector: Option<&[f32]>,
        breaker_open: &dyn Fn(&AgentType) -> bool,
        top_k: usize,
    ) -> Result<Vec<Explanation>, RouterError> {
        let mut words = self.lexicon.similarities(request);
        let steps: Vec<String> = split::split(request).into_iter().map(|step| step.description).collect();
        let asked = self.lexicon.similarities(&steps.join(". "));
        if asked.iter().any(|asked| *asked > 0.0) {
            for (words, asked) in words.iter_mut().zip(asked) {
                *words = (*words + ASKED_WEIGHT * asked) / (1.0 + ASKED_WEIGHT);
            }
        }
        self.rank_by(&words, request, vector, breaker_open, top_k)
    }

    fn rank_by(
        &self,
        words: &[f64],
        text: &str,
        vector: Option<&[f32]>,
        breaker_open: &dyn Fn(&AgentType) -> bool,
        top_k: usize,
    ) -> Result<Vec<Explanation>, RouterError> {
        if self.agents.is_empty() {
            return Err(RouterError::NoAgent);
        }
        let nearness = self.nearness(text, vector)?;
        let standings = self.standings(words, nearness.as_ref());
        // One more than asked, so that the last one has a runner-up too.
        let chosen = self.best(standings, breaker_open, top_k.saturating_add(1));
        let mut explained = self.explained(&chosen, top_k);
        if let Some(first) = explained.first_mut() {
            first.chance = Some(self.chance(first, text, nearness.as_ref()));
        }
        Ok(explained)
    }

    /// How likely it is that the first of a ranking is the right agent.
    fn chance(&self, first: &Explanation, text: &str, nearness: Option<&Nearness>) -> f64 {
        let next = first.runner_up.as_ref().map_or(0.0, |next| next.similarity);
        let behind = first.similarity - next;
        match (nearness, self.agents.as_slice()) {
            (_, [only]) if lexical::does_anything(only) => 1.0,
            (_, [_]) => calibration::alone(first.meaning, first.words, lexical::telling_words(text)),
            (None, _) => calibration::by_words(first.words, behind),
            (Some(Nearness { spread, .. }), _) => {
                let weight = self.words_weight * spread;
                calibration::by_meaning(
                    first.meaning.unwrap_or(0.0),
                    first.words,
                    behind * (1.0 + weight) / spread,
                )
            }
        }
    }

    fn nearness(&self, text: &str, vector: Option<&[f32]>) -> Result<Option<Nearness>, RouterError> {
        let (Some(meaning), Some(vector)) = (&self.meaning, vector) else { return Ok(None) };
        let named = |problem| RouterError::Task { task: beginning(text), problem };
        meaning.compare(vector).map(Some).map_err(named)
    }

    /// Everyone's figures, in the registry's order.
    fn standings(&self, words: &[f64], nearness: Option<&Nearness>) -> Vec<Standing> {
        let agents = self.worths.iter().zip(words).enumerate();
        let weight = nearness.map_or(0.0, |nearness| self.words_weight * nearness.spread);
        let standing = |agent: usize, worth: f64, words: f64, meaning: Option<f64>| {
            let similarity = meaning.map_or(words, |meaning| fused(meaning, words, weight));
            Standing { agent, score: routing::score_of(similarity, worth), similarity, words, meaning }
        };
        match nearness {
            None => agents.map(|(index, (&worth, &words))| standing(index, worth, words, None)).collect(),
            Some(nearness) => agents
                .zip(&nearness.similarities)
                .map(|((index, (&worth, &words)), &meaning)| {
                    standing(index, worth, words, Some(f64::from(meaning)))
                })
                .collect(),
        }
    }

    /// The best of them with their breakers' states, without sorting or asking about more than needed.
    fn best(
        &self,
        mut standings: Vec<Standing>,
        breaker_open: &dyn Fn(&AgentType) -> bool,
        count: usize,
    ) -> Vec<(Standing, bool)> {
        let (mut closed, mut open) = (Vec::new(), Vec::new());
        let mut rest = standings.as_mut_slice();
        while closed.len() < count && !rest.is_empty() {
            let wanted = count.saturating_sub(closed.len()).min(rest.len());
            if wanted < rest.len() {
                rest.select_nth_unstable_by(wanted, |a, b| self.best_first(a, b));
            }
            let (first, after) = std::mem::take(&mut rest).split_at_mut(wanted);
            first.sort_unstable_by(|a, b| self.best_first(a, b));
            for standing in first.iter().copied() {
                let is_open =
                    self.agents.get(standing.agent).is_some_and(|agent| breaker_open(&agent.agent_type));
                if is_open { &mut open } else { &mut closed }.push((standing, is_open));
            }
            rest = after;
        }
        closed.extend(open);
        closed.truncate(count);
        closed
    }

    fn best_first(&self, a: &Standing, b: &Standing) -> Ordering {
        let name = |standing: &Standing| self.agents.get(standing.agent).map(|agent| &agent.agent_type);
        b.score.total_cmp(&a.score).then_with(|| name(a).cmp(&name(b))).then(a.agent.cmp(&b.agent))
    }

    fn explained(&self, chosen: &[(Standing, bool)], top_k: usize) -> Vec<Explanation> {
        let mut explanations: Vec<Explanation> = Vec::with_capacity(chosen.len());
        for &(Standing { agent: index, score, similarity, words, meaning }, breaker_open) in chosen {
            let Some(agent) = self.agents.get(index) else { continue };
            if let Some(last) = explanations.last_mut() {
                last.runner_up = Some(RunnerUp { agent_type: agent.agent_type.clone(), score, similarity });
            }
            let from_history = self.successes.get(index).copied().unwrap_or(0);
            let bare = Explanation::new(agent, score, similarity, words);
            explanations.push(Explanation { meaning, from_history, breaker_open, ..bare });
        }
        explanations.truncate(top_k);
        explanations
    }
}

/// The latest successes of each agent, in the registry's order; from the newest on, so that what is over the limit
/// is what is oldest.
fn latest<'h>(agents: &[AgentCapability], history: &'h [Success]) -> Vec<Vec<&'h Success>> {
    let places: BTreeMap<&AgentType, usize> =
        agents.iter().enumerate().map(|(index, agent)| (&agent.agent_type, index)).collect();
    let mut latest = vec![Vec::new(); agents.len()];
    for success in history.iter().rev() {
        let place = places.get(&success.agent_type).and_then(|&place| latest.get_mut(place));
        if let Some(known) = place.filter(|known| known.len() < MOST_SUCCESSES) {
            known.push(success);
        }
    }
    latest
}

/// How much words weigh in a registry with these successes, the same for all of its agents.
fn words_weight(successes: &[usize]) -> f64 {
    let agents = successes.len().max(1) as f64;
    let mean = successes.iter().sum::<usize>() as f64 / agents;
    WORDS_WEIGHT * agents.powf(WORDS_GROWTH) / (1.0 + mean / HALF_WEIGHT_SUCCESSES)
}

/// Meaning and words as one similarity, from 0 to 1.
fn fused(meaning: f64, words: f64, weight: f64) -> f64 {
    ((meaning + weight * words) / (1.0 + weight)).clamp(0.0, 1.0)
}

/// Vectors of length 1 for each agent: of its description, and of its successes.
struct Learned {
    dimensions: Option<usize>,
    descriptions: Vec<Option<Vector>>,
    successes: Vec<Vec<Vector>>,
}

impl Learned {
    fn new(
        agents: &[AgentCapability],
        vectors: &[Option<Vector>],
        latest: &[Vec<&Success>],
    ) -> Result<Self, RouterError> {
        let mut learned = Self { dimensions: None, descriptions: Vec::new(), successes: Vec::new() };
        for (index, agent) in agents.iter().enumerate() {
            let vector = vectors.get(index).and_then(Option::as_ref);
            let description = vector.map(|vector| learned.unit(&agent.agent_type, vector)).transpose()?;
            learned.descriptions.push(description);
        }
        for (agent, successes) in agents.iter().zip(latest) {
            let vectors = successes.iter().filter_map(|success| success.vector.as_ref());
            let units =
                vectors.map(|vector| learned.unit(&agent.agent_type, vector)).collect::<Result<_, _>>()?;
            learned.successes.push(units);
        }
        Ok(learned)
    }

    fn unit(&mut self, agent_type: &AgentType, vector: &[f32]) -> Result<Vector, RouterError> {
        let named = |problem| RouterError::Agent { agent_type: agent_type.clone(), problem };
        let right = *self.dimensions.get_or_insert(vector.len());
        if vector.len() != right {
            return Err(named(RoutingProblem::UnequalDimensions { left: vector.len(), right }));
        }
        routing::unit(vector).map(Vector::from).map_err(named)
    }

    /// The matrix of meanings, unless nothing is known of anybody.
    fn meaning(&self) -> Option<Meaning> {
        let dimensions = self.dimensions?;
        let records: Vec<_> = self
            .descriptions
            .iter()
            .zip(&self.successes)
            .map(|(description, successes)| Record { description: description.as_ref(), successes })
            .collect();
        let scale = Scale::of(&records, dimensions);
        let mut matrix = Meaning::new(dimensions, records.len());
        for record in &records {
            let row = history::meaning(record, scale.as_ref());
            matrix.push(row.as_ref().map(|(row, offset)| (row.as_slice(), *offset)));
        }
        Some(matrix)
    }
}

/// The first words of a text, for a message.
fn beginning(text: &str) -> String {
    const SHOWN: usize = 60;
    let shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() { format!("{shown}…") } else { shown }
}
