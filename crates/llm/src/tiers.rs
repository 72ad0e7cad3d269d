//! The models of an installation, by tier: one step of an ask at a time.
//!
//! Puts prompts, providers and the fallback policy together. It keeps nothing between two steps: they are on the
//! run's log, and the session puts them together.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use candor_model::{
    AskStep, CallDetails, Consulted, FailureKind, ModelCall, ModelFailure, Money, Seconds, Tier, TokenUse,
};
use candor_ports::{Ask, AskPolicy, BoxFuture, CallLimits, Models, Next, NextCall, Words};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::chat::{ChatAnswer, ChatClient, ChatRequest, TierConfig, TierProblem};
use crate::fallback_policy::{self, Policy};
use crate::prompt::{PromptError, Prompts, Rendered, with_schema};
use crate::record::Channel;

/// An answer shorter than this is of no use: it is not worth its price.
const SHORTEST_ANSWER: u32 = 120;

/// The section `[models]` of `candor.toml`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelsConfig {
    /// Model for short and frequent questions.
    pub fast: Option<TierConfig>,
    /// Model that is used unless a step says otherwise.
    pub balanced: Option<TierConfig>,
    /// The best there is.
    pub strong: Option<TierConfig>,
    /// How calls are repeated that fail for a reason that may pass.
    pub retry: Policy,
    /// A folder with prompts of your own.
    pub prompts: Option<PathBuf>,
    /// Who is asked next when a tier cannot answer; if unset, the tiers below it, in order.
    pub fallback: BTreeMap<Tier, Vec<Tier>>,
    /// Whether prompts are kept on the log as they were sent, without secrets.
    pub keep_prompts: bool,
}

impl ModelsConfig {
    /// The tiers that are configured, the cheapest first.
    pub fn tiers(&self) -> impl Iterator<Item = (Tier, &TierConfig)> {
        let all = [(Tier::Fast, &self.fast), (Tier::Balanced, &self.balanced), (Tier::Strong, &self.strong)];
        all.into_iter().filter_map(|(tier, config)| Some((tier, config.as_ref()?)))
    }

    /// Whether no model is configured.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tiers().next().is_none()
    }
}

/// Why models cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelsError {
    /// A tier is not configured as it must be.
    #[error("[models.{tier}]: {problem}")]
    Tier {
        /// Tier whose section is wrong.
        tier: Tier,
        /// Setting that is wrong, and what was expected.
        problem: TierProblem,
    },
    /// The prompts cannot be used.
    #[error(transparent)]
    Prompts(#[from] PromptError),
    /// The rules of repetition make no sense.
    #[error("[models.retry]: {0}")]
    Retry(String),
}

/// The models of an installation.
pub struct Tiers {
    clients: BTreeMap<Tier, ChatClient>,
    prompts: Prompts,
    policy: Policy,
    fallback: BTreeMap<Tier, Vec<Tier>>,
    keep_prompts: bool,
}

impl Tiers {
    /// Makes the models ready, with keys from the environment. Nothing is called yet.
    pub fn new(config: &ModelsConfig, channel: &Channel) -> Result<Self, ModelsError> {
        let mut clients = BTreeMap::new();
        for (tier, model) in config.tiers() {
            let client = ChatClient::new(model.clone(), channel.clone())
                .map_err(|problem| ModelsError::Tier { tier, problem })?;
            clients.insert(tier, client);
        }
        if let Some(problem) = config.retry.problems().into_iter().next() {
            return Err(ModelsError::Retry(problem));
        }
        let prompts = match &config.prompts {
            Some(folder) => Prompts::with_folder(folder)?,
            None => Prompts::embedded(),
        };
        let (fallback, keep_prompts) = (config.fallback.clone(), config.keep_prompts);
        Ok(Self { clients, prompts, policy: config.retry, fallback, keep_prompts })
    }

    /// Each tier with its client, the cheapest first.
    pub fn clients(&self) -> impl Iterator<Item = (Tier, &ChatClient)> {
        self.clients.iter().map(|(tier, client)| (*tier, client))
    }

    /// Why the recording is not complete, if there is one and it is not.
    #[must_use]
    pub fn recording_problem(&self) -> Option<&str> {
        self.clients.values().find_map(ChatClient::recording_problem)
    }

    /// The tier that stands in for one that is not configured: the next below, or else the next above.
    fn covering(&self, tier: Tier) -> Option<Tier> {
        let below = std::iter::successors(Some(tier), |tier| tier.below());
        let mut below = below.filter(|tier| self.clients.contains_key(tier));
        below.next().or_else(|| self.clients.keys().find(|other| **other > tier).copied())
    }

    /// The ask as it is put here: to the tier that covers its own.
    fn covered(&self, ask: &Ask) -> Ask {
        Ask { tier: self.covering(ask.tier).unwrap_or(ask.tier), ..ask.clone() }
    }

    fn down(&self, ask: &Ask, past: &[Consulted], reason: &str) -> AskStep {
        let outcome = fallback_policy::step_down(ask, past, &|tier| self.clients.contains_key(&tier), reason);
        self.led(ask, past, outcome)
    }

    /// A step down as the configuration leads it, where it leads otherwise than to the tier below.
    fn led(&self, ask: &Ask, past: &[Consulted], outcome: AskStep) -> AskStep {
        let Some(chain) = self.fallback.get(&ask.tier) else { return outcome };
        let steps = past.iter().filter(|step| matches!(step.outcome, AskStep::FallBack { .. })).count();
        let next = chain.iter().filter(|tier| self.clients.contains_key(tier)).nth(steps).copied();
        match (outcome, next) {
            (AskStep::FallBack { from, reason, .. } | AskStep::GiveUp { from, reason, .. }, Some(to)) => {
                AskStep::FallBack { from, to, reason }
            }
            (AskStep::FallBack { from, reason, .. }, None) => {
                AskStep::GiveUp { from, reason: fallback_policy::chain(past, from, &reason), kind: None }
            }
            (other, _) => other,
        }
    }

    fn next_of(&self, ask: &Ask, rendered: &Rendered, past: &[Consulted], left: Money) -> Next {
        let ask = &self.covered(ask);
        let tier = fallback_policy::tier_now(ask, past);
        let Some(client) = self.clients.get(&tier) else {
            return Next::Step(self.down(ask, past, &format!("the {tier} tier is not configured")));
        };
        let wanted = client.tier().output_limit(ask.max_output_tokens);
        let mut request = request(client, ask, rendered, past, wanted);
        let Some(max_output_tokens) = affordable(client, &mut request, left) else {
            let reason = format!(
                "a call of {} can cost ${}, and ${left} are left of the budget",
                client.tier().name(),
                client.at_most(&ChatRequest { max_output_tokens: SHORTEST_ANSWER.min(wanted), ..request })
            );
            return Next::Step(self.down(ask, past, &reason).without_call(FailureKind::OverBudget));
        };
        let after = match past.last().map(|step| &step.outcome) {
            Some(AskStep::Repeat { delay, .. }) => *delay,
            _ => Seconds::ZERO,
        };
        let at_most = client.at_most(&request);
        Next::Call(NextCall { tier, model: client.tier().name(), at_most, max_output_tokens, after })
    }

    async fn call_of(
        &self,
        ask: &Ask,
        rendered: &Rendered,
        past: &[Consulted],
        limits: CallLimits,
        words: Option<Words>,
        stop: CancellationToken,
    ) -> Consulted {
        let ask = &self.covered(ask);
        let tier = fallback_policy::tier_now(ask, past);
        let Some(client) = self.clients.get(&tier) else {
            let outcome = self.down(ask, past, &format!("the {tier} tier is not configured"));
            return Consulted { call: None, outcome };
        };
        let request = request(client, ask, rendered, past, limits.max_output_tokens);
        let started = Instant::now();
        let (words, first) = timed(words, started);
        let answer = client.chat(&request, limits.within, words, stop).await;
        // What is judged goes on the log as well, in the value or in what is wrong with it.
        let clean = |text: &str| client.redactor().redact(text).into_owned();
        let answer = answer.map(|answer| ChatAnswer { text: clean(&answer.text), ..answer });
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let said = answer.as_ref().map(|answer| answer.text.as_str());
        let configured = |tier| self.clients.contains_key(&tier);
        let outcome = fallback_policy::judge(ask, past, said, &self.policy, &configured, fastrand::f64());
        let outcome = self.led(ask, past, outcome);
        let details = self.details(client, &request, first.get().copied());
        let call = record(client, tier, rendered, &request, answer, Seconds::from_millis(millis), details);
        Consulted { call: Some(call), outcome }
    }

    fn details(&self, client: &ChatClient, request: &ChatRequest, first: Option<Seconds>) -> CallDetails {
        let tier = client.tier();
        let sent = || {
            let earlier =
                request.earlier.iter().flat_map(|(answer, again)| [answer.as_str(), again.as_str()]);
            let parts: Vec<&str> =
                [request.system.as_str(), request.question.as_str()].into_iter().chain(earlier).collect();
            client.redactor().redact(&parts.join("\n\n")).into_owned()
        };
        CallDetails {
            temperature: Some(request.temperature.unwrap_or(tier.temperature)),
            max_tokens: Some(tier.output_limit(request.max_output_tokens)),
            first_token_seconds: first,
            prompt: self.keep_prompts.then(sent),
        }
    }
}

/// The words as they are told, and when the first of them came.
fn timed(words: Option<Words>, started: Instant) -> (Option<Words>, Arc<OnceLock<Seconds>>) {
    let first = Arc::new(OnceLock::new());
    let seen = Arc::clone(&first);
    let timed = words.map(|words| -> Words {
        Arc::new(move |text: &str| {
            seen.get_or_init(|| {
                Seconds::from_millis(u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX))
            });
            words(text);
        })
    });
    (timed, first)
}

/// The request that is next: the question, or after a bad answer the same with what is wrong with it.
fn request(
    client: &ChatClient,
    ask: &Ask,
    rendered: &Rendered,
    past: &[Consulted],
    max_output_tokens: u32,
) -> ChatRequest {
    let native = client.tier().is_structured();
    let question = match &ask.schema {
        Some(schema) if !native => with_schema(&rendered.question, schema),
        _ => rendered.question.clone(),
    };
    let earlier = match past.last() {
        Some(Consulted { outcome: AskStep::AskAgain { problems }, call: Some(call) }) => {
            let answer = call.answer.clone().unwrap_or_default();
            let follow_up = fallback_policy::again(ask, &rendered.question, &answer, problems);
            // Some providers refuse an empty answer as part of a conversation.
            let answer = if answer.trim().is_empty() { "(no answer)".to_owned() } else { answer };
            Some((answer, follow_up))
        }
        _ => None,
    };
    ChatRequest {
        earlier,
        schema: ask.schema.clone().filter(|_| native),
        schema_name: ask.step.to_owned(),
        temperature: ask.temperature,
        ..ChatRequest::new(rendered.system.clone(), question, max_output_tokens)
    }
}

/// How long the answer may be for what is left: as long as was wanted, or shorter, or not worth asking for.
fn affordable(client: &ChatClient, request: &mut ChatRequest, left: Money) -> Option<u32> {
    let wanted = request.max_output_tokens;
    let fits =
        |tokens: u32| client.at_most(&ChatRequest { max_output_tokens: tokens, ..request.clone() }) <= left;
    let shortest = SHORTEST_ANSWER.min(wanted);
    let sizes = [wanted, wanted / 4 * 3, wanted / 2, wanted / 3, shortest];
    let chosen = sizes.into_iter().filter(|tokens| *tokens >= shortest).find(|tokens| fits(*tokens))?;
    request.max_output_tokens = chosen;
    Some(chosen)
}

/// The call as it goes on the log: the model's own words, whose secrets are taken out already.
fn record(
    client: &ChatClient,
    tier: Tier,
    rendered: &Rendered,
    request: &ChatRequest,
    outcome: Result<ChatAnswer, ModelFailure>,
    duration_seconds: Seconds,
    details: CallDetails,
) -> ModelCall {
    let (answer, failure, tokens) = match outcome {
        Ok(answer) => (Some(answer.text), None, answer.tokens),
        Err(failure) => (None, Some(failure), TokenUse::default()),
    };
    let price = client.tier().token_price();
    ModelCall {
        tier,
        model: client.tier().name(),
        prompt: rendered.name_and_version.clone(),
        request: client.digest(request),
        answer,
        failure,
        tokens,
        cost: price.cost(&tokens),
        saved: price.saved(&tokens),
        duration_seconds,
        details: Some(Box::new(details)),
    }
}

/// A prompt that cannot be filled in is the installation's own mistake: no call is made.
fn unusable_prompt(ask: &Ask, error: &impl ToString) -> AskStep {
    AskStep::GiveUp { from: ask.tier, reason: error.to_string(), kind: None }
}

impl AskPolicy for Tiers {
    fn next(&self, ask: &Ask, past: &[Consulted], left: Money) -> Next {
        match self.prompts.render(ask) {
            Ok(rendered) => self.next_of(ask, &rendered, past, left),
            Err(error) => Next::Step(unusable_prompt(ask, &error)),
        }
    }

    fn step_down(&self, ask: &Ask, past: &[Consulted], reason: &str) -> AskStep {
        self.down(&self.covered(ask), past, reason)
    }
}

impl Models for Tiers {
    fn call<'a>(
        &'a self,
        ask: &'a Ask,
        past: &'a [Consulted],
        limits: CallLimits,
        words: Option<Words>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Consulted> {
        Box::pin(async move {
            match self.prompts.render(ask) {
                Ok(rendered) => self.call_of(ask, &rendered, past, limits, words, stop).await,
                Err(error) => Consulted { call: None, outcome: unusable_prompt(ask, &error) },
            }
        })
    }
}
