//! `candor route`: ranks agents for a text, or for one text after the other, and says why.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use candor_app::App;
use candor_app::config::{AgentList, EmbeddingConfig, read_text};
use candor_model::{AgentCapability, AgentType, RoutedExample};
use candor_phases::router::{Explanation, Router, Success};
use candor_planning::routing;
use candor_ports::{Embedder, Experience, Vector};
use serde_json::{Map, json};

use super::batch;
use crate::args::{GlobalOptions, RouteArgs};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) async fn route(global: &GlobalOptions, args: &RouteArgs) -> Result<u8, Failure> {
    let asker = Asker::new(global, args).await?;
    if args.stdin || args.words.is_empty() {
        return asker.stream().await;
    }
    let text = args.words.join(" ");
    let ranking = asker.rank(&text).await?;
    if args.json {
        output::print_json(
            &json!({ "ranking": ranking, "method": asker.method(), "embeddings": asker.model() }),
        )?;
        return Ok(code::DONE);
    }
    for (n, explained) in (1..).zip(&ranking) {
        output::print(&say!(
            "{n:>3}  {:<30} score {:.4}  similarity {:.4}\n",
            "{n:>3}  {:<30} puntuación {:.4}  similitud {:.4}\n",
            explained.agent_type.as_str(),
            explained.score,
            explained.similarity
        ))?;
    }
    if let Some(best) = ranking.first() {
        tell!("candor: {best}");
    }
    match asker.model() {
        Some(model) => tell!(
            "candor: ranked by meaning and words ({model})",
            "candor: clasificados por significado y palabras ({model})"
        ),
        None => tell!(
            "candor: ranked by shared words (no embedding model is configured)",
            "candor: clasificados por palabras comunes (no hay modelo de embeddings configurado)"
        ),
    }
    Ok(code::DONE)
}

/// Ranks agents for texts.
struct Asker {
    /// It takes note of each question, so that agents that are near to everything have to be nearer in later ones.
    router: RefCell<Router>,
    meaning: Option<Arc<dyn Embedder>>,
    /// Agents whose circuit is open.
    open_circuits: BTreeSet<AgentType>,
    top_k: usize,
}

impl Asker {
    async fn new(global: &GlobalOptions, args: &RouteArgs) -> Result<Self, Failure> {
        let mut app = App::build(global)?.discover_agents().await;
        if let Some(model) = args.embeddings {
            app.config.embeddings = EmbeddingConfig::from(model);
        }
        let experience = match app.data.open_if_there()? {
            Some(log) if args.agents.is_none() => log.experience().await?,
            _ => Experience::default(),
        };
        let agents: Vec<AgentCapability> = match &args.agents {
            Some(path) => AgentList::read(path)?,
            None => app.phases().rankable(None, &app.registry(&[])?.known(&experience.measured)),
        };
        let mut history = experience.examples.clone();
        if let Some(path) = &args.history {
            history.extend(read_history(path, &agents)?);
        }
        let open_circuits = open_breakers(&experience);
        let mut meaning = app.embedder()?;
        let router = match build(&agents, &history, meaning.as_ref()).await {
            Ok(router) => router,
            Err(reason) => {
                tell!(
                    "candor: {reason}; agents are ranked by words alone",
                    "candor: {reason}; los agentes se clasifican solo por palabras"
                );
                meaning = None;
                Router::by_words(agents, &successes(&history, Vec::new()))
            }
        };
        Ok(Self { router: RefCell::new(router), meaning, open_circuits, top_k: args.top_k })
    }

    fn method(&self) -> &'static str {
        if self.router.borrow().knows_meanings() { "hybrid" } else { "lexical" }
    }

    fn model(&self) -> Option<&str> {
        self.meaning.as_ref().filter(|_| self.router.borrow().knows_meanings()).map(|meaning| meaning.name())
    }

    async fn rank(&self, text: &str) -> Result<Vec<Explanation>, Failure> {
        let vector = match &self.meaning {
            Some(meaning) => {
                vectors(&**meaning, &[text.to_owned()]).await.unwrap_or_default().pop().flatten()
            }
            None => None,
        };
        let open_circuits = |agent: &AgentType| self.open_circuits.contains(agent);
        let mut router = self.router.borrow_mut();
        let ranking = router.rank_request(text, vector.as_deref(), &open_circuits, self.top_k);
        vector.iter().for_each(|vector| router.note(vector));
        ranking.map_err(Failure::failed)
    }

    /// Answers each line of standard input.
    async fn stream(&self) -> Result<u8, Failure> {
        batch::answer_lines(async |text: String| {
            let ranking = serde_json::to_value(self.rank(&text).await?)?;
            let fields = [("ranking".to_owned(), ranking), ("method".to_owned(), json!(self.method()))];
            Ok(Map::from_iter(fields))
        })
        .await
    }
}

/// Those whose breaker is open now.
fn open_breakers(experience: &Experience) -> BTreeSet<AgentType> {
    let now = candor_runtime::wall();
    let open = experience.breakers.iter().filter(|breaker| candor_planning::breaker::is_open(breaker, now));
    open.filter_map(|breaker| AgentType::new(&breaker.agent_id).ok()).collect()
}

/// A router that knows what agents and their past successes mean.
async fn build(
    agents: &[AgentCapability],
    history: &[RoutedExample],
    meaning: Option<&Arc<dyn Embedder>>,
) -> Result<Router, String> {
    let Some(meaning) = meaning else {
        return Ok(Router::by_words(agents.to_vec(), &successes(history, Vec::new())));
    };
    let texts: Vec<String> = agents.iter().map(routing::agent_text).collect();
    let described = if meaning.needs_time() {
        let kept = meaning.keep(&texts).await.map_err(|error| error.to_string())?;
        kept.into_iter().map(Some).collect()
    } else {
        vectors(&**meaning, &texts).await?
    };
    let texts: Vec<String> =
        history.iter().map(|example| routing::own_words(&example.text).to_owned()).collect();
    let done = vectors(&**meaning, &texts).await?;
    Router::new(agents.to_vec(), &described, &successes(history, done)).map_err(|error| error.to_string())
}

/// Past tasks with what they mean, as far as that is known.
fn successes(history: &[RoutedExample], vectors: Vec<Option<Vector>>) -> Vec<Success> {
    let vectors = vectors.into_iter().chain(std::iter::repeat(None));
    history.iter().zip(vectors).map(|(example, vector)| Success::new(example, vector)).collect()
}

/// What texts mean; nothing where a text has no meaning to the model.
async fn vectors(meaning: &dyn Embedder, texts: &[String]) -> Result<Vec<Option<Vector>>, String> {
    if meaning.needs_time() {
        let all = meaning.embed(texts).await.map_err(|error| error.to_string())?;
        return Ok(all.into_iter().map(Some).collect());
    }
    Ok(texts.iter().map(|text| meaning.at_once(text)).collect())
}

/// Reads who succeeded at what: JSON lines {"text", "agent_type"}.
fn read_history(path: &Path, agents: &[AgentCapability]) -> Result<Vec<RoutedExample>, Failure> {
    let known: BTreeSet<&AgentType> = agents.iter().map(|agent| &agent.agent_type).collect();
    let text = read_text(path)?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let mut strangers = 0_u64;
    let mut history = Vec::new();
    for (n, line) in lines {
        let at = |problem: String| {
            Failure::usage(say!("{}, line {n}: {problem}", "{}, línea {n}: {problem}", path.display()))
        };
        let example: RoutedExample = serde_json::from_str(line).map_err(|error| {
            at(say!(
                "expected {{\"text\", \"agent_type\"}}: {error}",
                "se espera {{\"text\", \"agent_type\"}}: {error}"
            ))
        })?;
        if known.contains(&example.agent_type) {
            history.push(example);
        } else {
            strangers += 1;
        }
    }
    if strangers > 0 {
        tell!(
            "candor: {strangers} lines of {} name an agent that is not known here",
            "candor: {strangers} líneas de {} nombran un agente que no se conoce aquí",
            path.display()
        );
    }
    Ok(history)
}
