//! Ranks agents for a text by the words that they share, until embeddings arrive.
//!
//! Words are weighted by how few agents know them: those by which an agent is described and, much less, those of
//! tasks that it succeeded at. It knows no meaning beyond a small table of synonyms and of Spanish words, so it says
//! which words speak for an agent, never that the agent understands.

mod cache;
mod spanish;
mod synonyms;
mod vocabulary;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{AgentCapability, RankedAgent};
use candor_planning::routing;
use candor_text::WordShapes;

use words::Term;

pub(crate) use cache::LexiconCache;
pub(crate) use vocabulary::{does_anything, is_chatter, telling_words};

/// How much a mention counts in an agent's name, in its capabilities and in its specialization.
const NAME_MENTION: f64 = 2.5;
const CAPABILITY_MENTION: f64 = 1.5;
const SPECIALIZATION_MENTION: f64 = 1.0;

/// How much a mention counts in a task that an agent succeeded at, where everyone has such tasks: most of a task's
/// words are its own matter. Where only some have them it counts less, or they would win for knowing more words.
const TASK_MENTION: f64 = 0.1;

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
    /// Of the parts of compounds that are tried, most are no words.
    shapes: WordShapes,
}

/// How much each word is mentioned.
type Mentions = BTreeMap<String, f64>;

/// What the registry says about one word.
#[derive(Debug, Clone, Default)]
struct Known {
    rarity: f64,
    /// How strongly it can speak for anybody: in full if somebody is described by it, else as far as it does.
    most: f64,
    /// Who knows it, and how strongly it speaks for them, from 0 to 1.
    speaks_for: Vec<(usize, f64)>,
}

impl Lexicon {
    /// Reads the words of every agent.
    #[must_use]
    pub fn new(agents: &[AgentCapability]) -> Self {
        Self::with_tasks(agents, &[])
    }

    /// Reads the words of every agent, and those of the tasks that it succeeded at: `tasks` in the agents' order.
    #[must_use]
    pub fn with_tasks(agents: &[AgentCapability], tasks: &[Vec<&str>]) -> Self {
        let described: Vec<Mentions> = agents.iter().map(description_terms).collect();
        let vocabulary: BTreeSet<&str> =
            described.iter().flat_map(|terms| terms.keys().map(String::as_str)).collect();
        let own: Vec<_> = agents
            .iter()
            .zip(&described)
            .map(|(agent, terms)| with_name(terms.clone(), agent.agent_type.as_str(), &vocabulary))
            .collect();
        let experienced = tasks.iter().filter(|tasks| !tasks.is_empty()).count();
        let learned = task_mentions(agents.len(), experienced, tasks);
        let all: Vec<_> = own.iter().cloned().zip(learned).map(|(own, learned)| sum(own, learned)).collect();
        Self::from_mentions(&all, &own, experienced)
    }

    fn from_mentions(all: &[Mentions], own: &[Mentions], experienced: usize) -> Self {
        let lengths: Vec<f64> = all.iter().map(|terms| terms.values().sum()).collect();
        let mean = (lengths.iter().sum::<f64>() / all.len().max(1) as f64).max(1.0);
        let mut known = BTreeMap::<String, Known>::new();
        for (index, (terms, length)) in all.iter().zip(&lengths).enumerate() {
            let half_mark = HALF_MARK * (1.0 - DILUTION + DILUTION * length / mean);
            for (stem, count) in terms {
                let strength = count / (count + half_mark);
                known.entry(stem.clone()).or_default().speaks_for.push((index, strength));
            }
        }
        // Of a word that is known from tasks alone, only those who have tasks tell how rare it is.
        for word in known.values_mut() {
            word.rarity = rarity(word.speaks_for.len(), experienced);
            word.most = word.speaks_for.iter().map(|(_, strength)| *strength).fold(0.0, f64::max);
        }
        for stem in own.iter().flat_map(BTreeMap::keys) {
            if let Some(word) = known.get_mut(stem) {
                (word.rarity, word.most) = (rarity(word.speaks_for.len(), all.len()), 1.0);
            }
        }
        let shapes = WordShapes::of(known.keys().map(String::as_str));
        Self { agents: all.len(), known, shapes }
    }

    /// How similar each agent is to the text, from 0 to 1, in the registry's order.
    ///
    /// 1 means that all the words of the text that any agent knows, weighted by rarity, speak for this
    /// agent; 0 that none does.
    #[must_use]
    pub fn similarities(&self, text: &str) -> Vec<f64> {
        let mut sums = vec![0.0; self.agents];
        let mut best = vec![0.0; self.agents];
        let mut total = 0.0;
        for (stem, weight) in asked(text) {
            let found = self.find(&stem);
            total += weight * found.iter().map(|found| found.worth() * found.word.most).fold(0.0, f64::max);
            add_best(&mut sums, &mut best, &found, weight);
        }
        if total > 0.0 {
            for sum in &mut sums {
                *sum = (*sum / total).clamp(0.0, 1.0);
            }
        }
        sums
    }

    fn get(&self, word: &str) -> Option<&Known> {
        if self.shapes.may_have(word) { self.known.get(word) } else { None }
    }

    /// The known words that a written one stands for.
    fn find(&self, stem: &str) -> Vec<FoundWord<'_>> {
        let exact = self.get(stem).map(|word| FoundWord { word, rarity: word.rarity, share: 1.0 });
        let synonyms: Vec<_> = synonyms::of(stem).filter_map(|other| self.get(other)).collect();
        let found: Vec<_> = exact.into_iter().chain(self.together(&synonyms, SYNONYM_MENTION)).collect();
        if !found.is_empty() {
            return found;
        }
        let parts = match self.nearest(stem) {
            Some(word) => vec![word],
            None => parts(stem, |part| self.get(part).is_some())
                .into_iter()
                .filter_map(|part| self.get(part))
                .collect(),
        };
        self.together(&parts, PART_MENTION)
    }

    /// Words that stand for another one; together they tell as little as a word that all their agents know.
    fn together<'a>(&self, words: &[&'a Known], share: f64) -> Vec<FoundWord<'a>> {
        let common = match words {
            // One alone is as rare as it is.
            [] | [_] => f64::INFINITY,
            several => rarity(self.knowing(several), self.agents),
        };
        words.iter().map(|&word| FoundWord { word, rarity: word.rarity.min(common), share }).collect()
    }

    /// How many agents know any of these words.
    fn knowing(&self, words: &[&Known]) -> usize {
        let mut seen = vec![false; self.agents];
        words.iter().flat_map(|word| &word.speaks_for).for_each(|&(agent, _)| {
            seen.get_mut(agent).into_iter().for_each(|seen| *seen = true);
        });
        seen.into_iter().filter(|seen| *seen).count()
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
        chance: None,
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

/// Adds to each agent's sum what the one word is worth that speaks for it the most: synonyms do not add up.
///
/// `best` holds an agent's best so far, and is all zero before and after.
fn add_best(sums: &mut [f64], best: &mut [f64], found: &[FoundWord<'_>], weight: f64) {
    for found in found {
        let worth = weight * found.worth();
        for &(agent, strength) in &found.word.speaks_for {
            let (Some(sum), Some(best)) = (sums.get_mut(agent), best.get_mut(agent)) else { continue };
            let more = (worth * strength - *best).max(0.0);
            *best += more;
            *sum += more;
        }
    }
    let speaks_for = found.iter().flat_map(|found| &found.word.speaks_for);
    speaks_for.for_each(|&(agent, _)| best.get_mut(agent).into_iter().for_each(|best| *best = 0.0));
}

/// How much a word tells that `knowing` of `agents` agents know.
fn rarity(knowing: usize, agents: usize) -> f64 {
    let (knowing, agents) = (knowing as f64, agents as f64);
    (1.0 + (agents - knowing + 0.5).max(0.0) / (knowing + 0.5)).ln()
}

/// The terms that a text asks for, with their weights; a repeated word counts a little more.
fn asked(text: &str) -> BTreeMap<String, f64> {
    let mut asked = BTreeMap::<String, (f64, f64)>::new();
    for Term { stem, weight } in words::terms(text).take(MAX_TEXT_TERMS) {
        let entry = asked.entry(stem).or_insert((weight, 0.0));
        entry.1 += 1.0;
    }
    asked.into_iter().map(|(stem, (weight, count))| (stem, weight * (1.0 + count.ln() / 2.0))).collect()
}

/// What an agent says of itself: each word with its mentions.
fn description_terms(agent: &AgentCapability) -> Mentions {
    let mut mentions = Mentions::new();
    for term in words::terms(&agent.specialization) {
        *mentions.entry(term.stem).or_insert(0.0) += SPECIALIZATION_MENTION;
    }
    for term in agent.capabilities.iter().flat_map(|capability| words::terms(capability)) {
        *mentions.entry(term.stem).or_insert(0.0) += CAPABILITY_MENTION;
    }
    mentions
}

/// The words of the tasks that each agent succeeded at, each once per task.
fn task_mentions(agents: usize, experienced: usize, tasks: &[Vec<&str>]) -> impl Iterator<Item = Mentions> {
    let mention = TASK_MENTION * experienced as f64 / agents.max(1) as f64;
    let learned = move |tasks: &Vec<&str>| {
        let mut mentions = Mentions::new();
        for stem in tasks.iter().flat_map(|task| asked(task).into_keys()) {
            *mentions.entry(stem).or_insert(0.0) += mention;
        }
        mentions
    };
    tasks.iter().map(learned).chain(std::iter::repeat_with(Mentions::new)).take(agents)
}

/// The mentions of both.
fn sum(mut own: Mentions, learned: Mentions) -> Mentions {
    for (stem, count) in learned {
        *own.entry(stem).or_insert(0.0) += count;
    }
    own
}

/// Adds the words of the agent's name, and those that the registry knows inside of them.
fn with_name(mut mentions: Mentions, name: &str, known: &BTreeSet<&str>) -> Mentions {
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
