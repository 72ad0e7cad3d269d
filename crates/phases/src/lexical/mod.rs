//! Ranks agents for a text by the words that they share, until embeddings arrive.
//!
//! Words are weighted by how few agents know them. It knows no meaning beyond a small table of synonyms and
//! of Spanish words, so it says which words speak for an agent, never that the agent understands.

mod spanish;
mod synonyms;
mod vocabulary;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{AgentCapability, RankedAgent};
use candor_planning::routing;

use words::Term;

pub(crate) use vocabulary::{is_chatter, is_stop_word};
pub(crate) use words::{stem, without_accent};

/// How much a mention counts in an agent's name, in its capabilities and in its specialization.
const NAME_MENTION: f64 = 2.5;
const CAPABILITY_MENTION: f64 = 1.5;
const SPECIALIZATION_MENTION: f64 = 1.0;

/// How much a known word counts that is only a part of the written one.
const PART_MENTION: f64 = 0.5;

/// How much a known word counts that is a synonym of the written one.
const SYNONYM_MENTION: f64 = 0.5;

/// How many mentions make half of a full mark, for an agent of average length.
const HALF_MARK: f64 = 0.4;

/// How far a long description dilutes its words: 0 not at all, 1 in full.
const DILUTION: f64 = 0.6;

/// A text is read up to this many words that count; more would not change whom it is for.
const MAX_TEXT_TERMS: usize = 2_000;

/// The words of a registry's agents, built once and asked for every text.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    agents: usize,
    known: BTreeMap<String, Known>,
}

/// What the registry says about one word.
#[derive(Debug, Clone, Default)]
struct Known {
    rarity: f64,
    /// Who knows it, and how strongly it speaks for them, from 0 to 1.
    speaks_for: Vec<(usize, f64)>,
}

impl Lexicon {
    /// Reads the words of every agent.
    #[must_use]
    pub fn new(agents: &[AgentCapability]) -> Self {
        let described: Vec<BTreeMap<String, f64>> = agents.iter().map(description_terms).collect();
        let vocabulary: BTreeSet<&str> =
            described.iter().flat_map(|terms| terms.keys().map(String::as_str)).collect();
        let mentions: Vec<_> = agents
            .iter()
            .zip(&described)
            .map(|(agent, terms)| with_name(terms.clone(), agent.agent_type.as_str(), &vocabulary))
            .collect();
        Self::from_mentions(&mentions)
    }

    fn from_mentions(mentions: &[BTreeMap<String, f64>]) -> Self {
        let lengths: Vec<f64> = mentions.iter().map(|terms| terms.values().sum()).collect();
        let mean = (lengths.iter().sum::<f64>() / mentions.len().max(1) as f64).max(1.0);
        let mut known = BTreeMap::<String, Known>::new();
        for (index, (terms, length)) in mentions.iter().zip(&lengths).enumerate() {
            let half_mark = HALF_MARK * (1.0 - DILUTION + DILUTION * length / mean);
            for (stem, count) in terms {
                let strength = count / (count + half_mark);
                known.entry(stem.clone()).or_default().speaks_for.push((index, strength));
            }
        }
        for word in known.values_mut() {
            word.rarity = rarity(word.speaks_for.len(), mentions.len());
        }
        Self { agents: mentions.len(), known }
    }

    /// How similar each agent is to the text, from 0 to 1, in the registry's order.
    ///
    /// 1 means that all the words of the text that any agent knows, weighted by rarity, speak for this
    /// agent; 0 that none does.
    #[must_use]
    pub fn similarities(&self, text: &str) -> Vec<f64> {
        let mut sums = vec![0.0; self.agents];
        let mut total = 0.0;
        for (stem, weight) in asked(text) {
            let found = self.find(&stem);
            total += weight * found.iter().map(FoundWord::worth).fold(0.0, f64::max);
            for (agent, worth) in best_worths(&found) {
                if let Some(sum) = sums.get_mut(agent) {
                    *sum += weight * worth;
                }
            }
        }
        if total > 0.0 {
            for sum in &mut sums {
                *sum = (*sum / total).clamp(0.0, 1.0);
            }
        }
        sums
    }

    /// The known words that a written one stands for.
    fn find(&self, stem: &str) -> Vec<FoundWord<'_>> {
        let exact = self.known.get(stem).map(|word| FoundWord { word, rarity: word.rarity, share: 1.0 });
        let synonyms: Vec<_> = synonyms::of(stem).filter_map(|other| self.known.get(other)).collect();
        let found: Vec<_> = exact.into_iter().chain(self.together(&synonyms, SYNONYM_MENTION)).collect();
        if !found.is_empty() {
            return found;
        }
        let parts = match self.nearest(stem) {
            Some(word) => vec![word],
            None => parts(stem, |part| self.known.contains_key(part))
                .into_iter()
                .filter_map(|part| self.known.get(part))
                .collect(),
        };
        self.together(&parts, PART_MENTION)
    }

    /// Words that stand for another one; together they tell as little as a word that all their agents know.
    fn together<'a>(&self, words: &[&'a Known], share: f64) -> Vec<FoundWord<'a>> {
        let agents: BTreeSet<_> =
            words.iter().flat_map(|word| word.speaks_for.iter().map(|(agent, _)| agent)).collect();
        let common = rarity(agents.len(), self.agents);
        words.iter().map(|&word| FoundWord { word, rarity: word.rarity.min(common), share }).collect()
    }

    /// The known word with the same beginning, if the two differ in little but the end.
    fn nearest(&self, stem: &str) -> Option<&Known> {
        const SAME: usize = 5;
        const DIFFERENT: usize = 3;
        let beginning = stem.get(..SAME)?;
        let candidates = self.known.range(beginning.to_owned()..);
        let same_beginning = candidates.take_while(|(known, _)| known.starts_with(beginning));
        let tail = |known: &str| {
            let common = known.bytes().zip(stem.bytes()).take_while(|(a, b)| a == b).count();
            known.len().max(stem.len()).saturating_sub(common)
        };
        let (known, word) = same_beginning.take(50).min_by_key(|(known, _)| tail(known))?;
        (tail(known) <= DIFFERENT).then_some(word)
    }
}

/// Ranks the agents for a text by words, the best first, at most `top_k` of them; equal scores go by name.
///
/// The lexicon must be that of the same agents in the same order.
#[must_use]
pub fn rank(agents: &[AgentCapability], lexicon: &Lexicon, text: &str, top_k: usize) -> Vec<RankedAgent> {
    let ranked = |(agent, similarity): (&AgentCapability, f64)| RankedAgent {
        agent_type: agent.agent_type.clone(),
        score: routing::score(similarity, agent),
        similarity,
    };
    let mut ranking: Vec<_> = agents.iter().zip(lexicon.similarities(text)).map(ranked).collect();
    ranking.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.agent_type.cmp(&b.agent_type)));
    ranking.truncate(top_k);
    ranking
}

/// A known word that a written one stands for.
#[derive(Debug, Clone, Copy)]
struct FoundWord<'a> {
    word: &'a Known,
    rarity: f64,
    /// How much it counts: in full if it is the written word itself.
    share: f64,
}

impl FoundWord<'_> {
    fn worth(&self) -> f64 {
        self.rarity * self.share
    }
}

/// For each agent the worth of the one word that speaks for it the most: synonyms do not add up.
fn best_worths(found: &[FoundWord<'_>]) -> Vec<(usize, f64)> {
    let mut worths: Vec<_> = found
        .iter()
        .flat_map(|found| {
            let worth = found.worth();
            found.word.speaks_for.iter().map(move |&(agent, strength)| (agent, worth * strength))
        })
        .collect();
    worths.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    worths.dedup_by_key(|(agent, _)| *agent);
    worths
}

/// How much a word tells that `knowing` of `agents` agents know.
fn rarity(knowing: usize, agents: usize) -> f64 {
    let (knowing, agents) = (knowing as f64, agents as f64);
    (1.0 + (agents - knowing + 0.5).max(0.0) / (knowing + 0.5)).ln()
}

/// The terms that a text asks for, with their weights; a repeated word counts a little more.
fn asked(text: &str) -> BTreeMap<String, f64> {
    let mut asked = BTreeMap::<String, (f64, f64)>::new();
    // The words by which a task announces its outputs are ours, not the task's.
    let (description, outputs) = text.split_once("Expected outputs:").unwrap_or((text, ""));
    for Term { stem, weight } in words::terms(description).chain(words::terms(outputs)).take(MAX_TEXT_TERMS) {
        let entry = asked.entry(stem).or_insert((weight, 0.0));
        entry.1 += 1.0;
    }
    asked.into_iter().map(|(stem, (weight, count))| (stem, weight * (1.0 + count.ln() / 2.0))).collect()
}

/// What an agent says of itself: each word with its mentions.
fn description_terms(agent: &AgentCapability) -> BTreeMap<String, f64> {
    let mut mentions = BTreeMap::new();
    for term in words::terms(&agent.specialization) {
        *mentions.entry(term.stem).or_insert(0.0) += SPECIALIZATION_MENTION;
    }
    for term in agent.capabilities.iter().flat_map(|capability| words::terms(capability)) {
        *mentions.entry(term.stem).or_insert(0.0) += CAPABILITY_MENTION;
    }
    mentions
}

/// Adds the words of the agent's name, and those that the registry knows inside of them.
fn with_name(
    mut mentions: BTreeMap<String, f64>,
    name: &str,
    known: &BTreeSet<&str>,
) -> BTreeMap<String, f64> {
    for term in words::terms(name) {
        for part in parts(&term.stem, |part| known.contains(part)) {
            *mentions.entry(part.to_owned()).or_insert(0.0) += NAME_MENTION * PART_MENTION;
        }
        *mentions.entry(term.stem).or_insert(0.0) += NAME_MENTION;
    }
    mentions
}

/// The known words at the two ends of a compound, such as "chat" and "pdf" of "chatpdf".
fn parts(word: &str, is_known: impl Fn(&str) -> bool) -> Vec<&str> {
    const SHORTEST_COMPOUND: usize = 6;
    const SHORTEST_PART: usize = 3;
    const SHORTEST_LONE_PART: usize = 4;
    if word.len() < SHORTEST_COMPOUND {
        return Vec::new();
    }
    let cuts = || (SHORTEST_PART..=word.len().saturating_sub(SHORTEST_PART)).rev();
    let halves = |cut| word.split_at_checked(cut);
    if let Some((head, tail)) =
        cuts().filter_map(halves).find(|(head, tail)| is_known(head) && is_known(tail))
    {
        return vec![head, tail];
    }
    let long_and_known = |part: &&str| part.len() >= SHORTEST_LONE_PART && is_known(part);
    let head = cuts().filter_map(halves).map(|(head, _)| head).find(long_and_known);
    let tail = cuts().rev().filter_map(halves).map(|(_, tail)| tail).find(long_and_known);
    head.into_iter().chain(tail).collect()
}
