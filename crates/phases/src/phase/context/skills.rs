//! Who and what could be of use, asked one by one: YES or NO, and why.

use std::collections::{BTreeMap, BTreeSet};

use candor_language::evaluate;
use candor_model::handoff::{SkillAnswer, SkillAnswers, SkillKind, YesNo};
use candor_model::{AgentCapability, GoalType};
use candor_text::{Language, fold, fold_letter, is_stop_word, stem, words};

use crate::lexical::is_chatter;
use crate::{PhaseContext, Phases};

/// With more than so many answers, only those with YES are listed, and the others counted.
const MOST_ANSWERS: usize = 100;

/// Whether each agent and command is of use for the request, with the reason.
#[derive(Debug)]
pub(super) struct Skills {
    answers: Vec<SkillAnswer>,
    /// The names of those with YES.
    pub(super) activated: Vec<String>,
}

impl Skills {
    /// Asks for every pack and every agent whether it is of use for the request.
    pub(super) fn evaluate(phases: &Phases, cx: &PhaseContext<'_>) -> Self {
        let kind = cx.goal.map_or(GoalType::GENERIC, |goal| goal.goal_type.clone());
        let own_words = evaluate::own_words(cx.request);
        let about = About::new(evaluate::beginning(&own_words));
        let mut homes: BTreeMap<&str, &GoalType> = BTreeMap::new();
        let mut answers = Vec::new();
        for pack in phases.packs() {
            homes.extend(pack.agent_names().map(|name| (name, &pack.goal_type)));
            let fits = pack.goal_type == kind;
            let is = if fits { "is" } else { "is not" };
            let reason = format!("it is for goals of kind {}, and this {is} one", pack.goal_type);
            answers.push(answer(SkillKind::Pack, &pack.name, fits, reason));
        }
        for agent in cx.agents {
            let (fits, reason) = judged(agent, homes.get(agent.agent_type.as_str()).copied(), &kind, &about);
            answers.push(answer(SkillKind::Agent, agent.agent_type.as_str(), fits, reason));
        }
        let yes = answers.iter().filter(|answer| answer.answer == YesNo::Yes);
        let activated = yes.map(|answer| answer.name.clone()).collect();
        Self { answers, activated }
    }

    /// The agents with YES.
    pub(super) fn agents(&self) -> Vec<String> {
        let agents = self
            .answers
            .iter()
            .filter(|answer| answer.kind == SkillKind::Agent && answer.answer == YesNo::Yes);
        agents.map(|answer| answer.name.clone()).take(MOST_ANSWERS).collect()
    }

    /// The answers for the record.
    pub(super) fn answers(&self) -> SkillAnswers {
        let (evaluated, yes) = (self.answers.len(), self.activated.len());
        let listed =
            self.answers.iter().filter(|it| evaluated <= MOST_ANSWERS || it.answer == YesNo::Yes).cloned();
        SkillAnswers { evaluated, yes, no: evaluated - yes, answers: listed.collect() }
    }
}

fn answer(kind: SkillKind, name: &str, fits: bool, reason: String) -> SkillAnswer {
    SkillAnswer { kind, name: name.to_owned(), answer: if fits { YesNo::Yes } else { YesNo::No }, reason }
}

/// An agent of a pack is of use for its kind of goals; others are if they have a word in common with the request.
fn judged(
    agent: &AgentCapability,
    home: Option<&GoalType>,
    kind: &GoalType,
    about: &About,
) -> (bool, String) {
    match home {
        Some(home) if home == kind => return (true, format!("it belongs to the pack for {kind}")),
        Some(home) => return (false, format!("it belongs to the pack for {home}")),
        None => {}
    }
    let texts = agent
        .capabilities
        .iter()
        .map(String::as_str)
        .chain([agent.specialization.as_str(), agent.agent_type.as_str()]);
    match texts.into_iter().find_map(|text| about.shared_with(text)) {
        Some(word) => (true, format!("it shares “{word}” with the request")),
        None => (false, "it shares no word with the request".to_owned()),
    }
}

/// The words of a request that say something, as they are compared.
struct About {
    stems: BTreeSet<String>,
    /// The letters with which they begin: most words of most agents begin with another.
    initials: BTreeSet<char>,
}

impl About {
    fn new(text: &str) -> Self {
        let stems: BTreeSet<String> = telling_words(text).filter_map(stem_of).collect();
        let initials = stems.iter().filter_map(|stem| stem.chars().next()).collect();
        Self { stems, initials }
    }

    /// The first word that a text has in common with the request.
    fn shared_with(&self, text: &str) -> Option<String> {
        let may_be =
            |word: &&str| word.chars().next().is_some_and(|c| self.initials.contains(&fold_letter(c)));
        telling_words(text).filter(may_be).filter_map(stem_of).find(|stem| self.stems.contains(stem))
    }
}

fn telling_words(text: &str) -> impl Iterator<Item = &str> {
    words(text).filter(|word| word.len() > 2)
}

fn stem_of(word: &str) -> Option<String> {
    let folded = fold(word);
    // Agents are described in English.
    (!is_stop_word(&folded) && !is_chatter(&folded)).then(|| stem(&folded, Language::En).into_owned())
}
