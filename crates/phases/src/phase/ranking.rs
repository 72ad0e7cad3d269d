//! Who fits a task: meaning and words as far as there are vectors, words alone otherwise.

use std::collections::BTreeMap;

use candor_model::handoff::RoutingMethod;
use candor_model::{AgentCapability, AgentType, RoutedExample, SubTask, Texts, Timestamp, Vector};
use candor_planning::routing;

use super::GUESSED_SIMILARITY;
use crate::lexical::LexiconCache;
use crate::router::{Explanation, Router, Success};
use crate::{Incomplete, Meaning, PhaseContext};

/// Ranks the agents at a cx.
pub(super) struct Ranking<'a> {
    router: Router,
    meaning: Option<Meaning<'a>>,
    open_circuits: &'a BTreeMap<AgentType, Option<Timestamp>>,
}

impl<'a> Ranking<'a> {
    /// Reads the agents. Pauses if the meaning of something is not known yet.
    pub(super) fn new<'t>(
        lexicons: &LexiconCache,
        cx: &PhaseContext<'a>,
        agents: &[AgentCapability],
        tasks: impl IntoIterator<Item = &'t SubTask>,
    ) -> Result<Self, Incomplete> {
        let Some(meaning) = cx.meaning else {
            return Ok(Self::by_words(lexicons, cx.open_circuits, agents, cx.examples));
        };
        let agents = &routable(agents);
        let agent_texts: Vec<String> = agents.iter().map(routing::agent_text).collect();
        let task_texts = tasks.into_iter().map(|task| routing::task_text(task).to_owned());
        let past = cx.examples.iter().map(|example| routing::own_words(&example.text).to_owned());
        meaning.known(Texts {
            lasting: agent_texts.iter().cloned().chain(past).collect(),
            passing: task_texts.collect(),
        })?;
        let vectors: Vec<Option<Vector>> = agent_texts.iter().map(|text| meaning.0.at_once(text)).collect();
        let history: Vec<Success> = cx
            .examples
            .iter()
            .map(|example| Success::new(example, meaning.0.at_once(routing::own_words(&example.text))))
            .collect();
        let router = Router::cached(agents.clone(), &vectors, &history, lexicons)
            .map_err(|error| error.to_string())?;
        Ok(Self { router, meaning: Some(meaning), open_circuits: cx.open_circuits })
    }

    /// Reads the words only: of the agents, and of what they succeeded at.
    pub(super) fn by_words(
        lexicons: &LexiconCache,
        open_circuits: &'a BTreeMap<AgentType, Option<Timestamp>>,
        agents: &[AgentCapability],
        examples: &[RoutedExample],
    ) -> Self {
        let history: Vec<Success> = examples.iter().map(|example| Success::new(example, None)).collect();
        let router = Router::by_words_cached(routable(agents), &history, lexicons);
        Self { router, meaning: None, open_circuits }
    }

    /// What the ranking goes by, for people.
    pub(super) fn method(&self) -> String {
        match self.meaning {
            Some(meaning) if self.router.knows_meanings() => {
                format!("meaning and words ({})", meaning.0.name())
            }
            _ => "shared words (no embeddings)".to_owned(),
        }
    }

    /// The same for programs.
    pub(super) fn method_code(&self) -> RoutingMethod {
        if self.router.knows_meanings() { RoutingMethod::Hybrid } else { RoutingMethod::Lexical }
    }

    /// The best agents for a task, the best first; without anything in common, everybody is as good a guess.
    pub(super) fn of(&self, task: &SubTask, count: usize) -> Result<Vec<Explanation>, String> {
        let text = routing::task_text(task);
        let vector = self.meaning.and_then(|meaning| meaning.0.at_once(text));
        let open_circuits = |agent: &AgentType| self.open_circuits.contains_key(agent);
        let rank = |count| self.router.rank(text, vector.as_deref(), &open_circuits, count);
        let ranked = rank(count).map_err(|error| error.to_string())?;
        if ranked.iter().any(|explained| explained.score > 0.0) {
            return Ok(ranked);
        }
        let mut guessed = rank(self.router.agents().len()).map_err(|error| error.to_string())?;
        for guess in &mut guessed {
            let agent = self.router.agents().iter().find(|agent| agent.agent_type == guess.agent_type);
            guess.similarity = GUESSED_SIMILARITY;
            guess.score = agent.map_or(0.0, |agent| routing::score(GUESSED_SIMILARITY, agent));
        }
        guessed.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.agent_type.cmp(&b.agent_type)));
        guessed.truncate(count);
        Ok(guessed)
    }
}

/// Those among whom is chosen: whoever is asked only when nobody else is left is not one of them.
fn routable(agents: &[AgentCapability]) -> Vec<AgentCapability> {
    agents.iter().filter(|agent| !routing::is_last_resort(&agent.agent_type)).cloned().collect()
}
