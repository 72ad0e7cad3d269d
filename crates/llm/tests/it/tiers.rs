//! Whole asks against a real socket: the fallback policy from end to end, and what a call may cost. The steps are put
//! together here by hand; a run has the session's loop for it.

use std::time::Duration;

use candor_llm::chat::{Price, Provider, TierConfig};
use candor_llm::fallback_policy::Policy;
use candor_llm::record::Channel;
use candor_llm::{ModelsConfig, Tiers};
use candor_model::{AskStep, CallLimits, Consulted, Money, Seconds, Tier};
use candor_ports::{Ask, AskPolicy, Models, Next};
use candor_testkit::model_server::{Fault, ModelServer, Reply};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Colour {
    DarkRed,
    Blue,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Flower {
    name: String,
    #[schemars(range(min = 1, max = 100))]
    petals: u32,
    colour: Colour,
}

fn tier(server: &ModelServer, model: &str) -> TierConfig {
    let endpoint = Some(server.openai_url());
    TierConfig { endpoint, ..TierConfig::new(Provider::OpenAiCompatible, model) }
}

fn quick() -> Policy {
    Policy { initial_delay: Seconds::from_millis(1), ..Policy::default() }
}

fn tiers(config: &ModelsConfig) -> Tiers {
    Tiers::new(config, &Channel::Live).unwrap()
}

fn all_three(server: &ModelServer) -> Tiers {
    tiers(&ModelsConfig {
        fast: Some(tier(server, "small")),
        balanced: Some(tier(server, "medium")),
        strong: Some(tier(server, "large")),
        retry: quick(),
        ..ModelsConfig::default()
    })
}

const ROSE: &str = r#"{"name": "rose", "petals": 20, "colour": "dark_red"}"#;

fn rose() -> Flower {
    Flower { name: "rose".to_owned(), petals: 20, colour: Colour::DarkRed }
}

/// A flower, with every step that led to it.
#[derive(Debug)]
struct Asked {
    answer: Flower,
    steps: Vec<Consulted>,
}

/// Why there is none.
#[derive(Debug)]
struct Unanswered {
    reason: String,
    steps: Vec<Consulted>,
}

/// Asks for a flower until there is an answer or nobody is left to ask.
async fn ask(tiers: &Tiers, tier: Tier) -> Result<Asked, Unanswered> {
    let mut ask = Ask::expecting::<Flower>("parse_goal", tier);
    ask.slots.insert("request", "Name a flower.".to_owned());
    let mut steps: Vec<Consulted> = Vec::new();
    loop {
        let step = match tiers.next(&ask, &steps, Money::MAX) {
            Next::Step(outcome) => Consulted { call: None, outcome },
            Next::Call(call) => {
                tokio::time::sleep(Duration::from_millis(call.after.as_millis())).await;
                let limits =
                    CallLimits { within: Seconds::whole(60), max_output_tokens: call.max_output_tokens };
                tiers.call(&ask, &steps, limits, None, CancellationToken::new()).await
            }
        };
        steps.push(step.clone());
        match step.outcome {
            AskStep::Accepted { value, .. } => {
                return Ok(Asked { answer: serde_json::from_value(value).unwrap(), steps });
            }
            AskStep::GiveUp { reason, .. } => return Err(Unanswered { reason, steps }),
            AskStep::Repeat { .. } | AskStep::AskAgain { .. } | AskStep::FallBack { .. } => {}
        }
    }
}

#[tokio::test]
async fn any_type_with_a_schema_can_be_asked_for() {
    let server = ModelServer::start().unwrap();
    server.answer(ROSE);
    let asked = ask(&all_three(&server), Tier::Fast).await.unwrap();
    assert_eq!(asked.answer, rose());
    assert_eq!(asked.steps.len(), 1);
    let seen = server.seen();
    assert_eq!(seen[0].model(), "small");
    assert!(seen[0].says("Name a flower."));
}

#[tokio::test]
async fn a_damaged_answer_is_repaired_and_it_is_said_how() {
    // spec: beyond BY-14
    let server = ModelServer::start().unwrap();
    server.answer("Of course!\n```json\n{'name': 'rose', 'petals': '20', 'colour': 'Dark Red',}\n```");
    let asked = ask(&all_three(&server), Tier::Fast).await.unwrap();
    assert_eq!(asked.answer, rose());
    let AskStep::Accepted { repairs, .. } = &asked.steps[0].outcome else { panic!("{:?}", asked.steps) };
    assert!(repairs.len() >= 3, "{repairs:?}");
}

#[tokio::test]
async fn what_does_not_fit_is_asked_for_once_more_with_what_is_wrong() {
    // spec: orchestrator FD-01 FD-03
    let server = ModelServer::start().unwrap();
    server.script(vec![Reply::text(ROSE.replace("20", "140")), Reply::text(ROSE)]);
    let asked = ask(&all_three(&server), Tier::Fast).await.unwrap();
    assert_eq!(asked.answer, rose());
    assert!(matches!(asked.steps[0].outcome, AskStep::AskAgain { .. }));
    let second = &server.seen()[1];
    assert!(second.says("petals") && second.says("140"), "{second:?}");
}

#[tokio::test]
async fn the_chain_goes_down_tier_by_tier_and_its_end_is_told() {
    // spec: orchestrator ER-07 ER-08 ER-09
    let server = ModelServer::start().unwrap();
    server.script(vec![
        Reply::fault(Fault::WrongKey),
        Reply::text("I would rather not."),
        Reply::text("No."),
        Reply::text(ROSE),
    ]);
    let asked = ask(&all_three(&server), Tier::Strong).await.unwrap();
    let models: Vec<String> = server.seen().iter().map(|seen| seen.model().to_owned()).collect();
    assert_eq!(models, ["large", "medium", "medium", "small"], "a key that is wrong is not tried again");
    assert_eq!(asked.answer, rose());
    server.script(vec![Reply::text("Nothing to say."); 6]);
    let error = ask(&all_three(&server), Tier::Fast).await.unwrap_err();
    assert!(matches!(error.steps.last().unwrap().outcome, AskStep::GiveUp { .. }), "{error:?}");
}

#[tokio::test]
async fn a_failure_that_may_pass_is_repeated_a_bounded_number_of_times() {
    // spec: orchestrator ER-06
    let server = ModelServer::start().unwrap();
    server.script(vec![Reply::fault(Fault::Overloaded); 8]);
    let only =
        ModelsConfig { balanced: Some(tier(&server, "medium")), retry: quick(), ..ModelsConfig::default() };
    let error = ask(&tiers(&only), Tier::Balanced).await.unwrap_err();
    assert_eq!(server.seen().len(), 4, "one call and three repetitions");
    assert!(error.reason.contains("3 repetitions"), "{error:?}");
}

#[test]
fn a_tier_that_is_not_configured_is_covered_by_another() {
    // spec: orchestrator AG-05
    let server = ModelServer::start().unwrap();
    let only = |config: ModelsConfig| tiers(&config);
    let fast = only(ModelsConfig { fast: Some(tier(&server, "small")), ..ModelsConfig::default() });
    let strong = only(ModelsConfig { strong: Some(tier(&server, "large")), ..ModelsConfig::default() });
    let mut ask = Ask::expecting::<Flower>("parse_goal", Tier::Balanced);
    ask.slots.insert("request", "Name a flower".to_owned());
    for (tiers, expected) in [(fast, Tier::Fast), (strong, Tier::Strong)] {
        let Next::Call(next) = tiers.next(&ask, &[], Money::MAX) else { panic!("no call") };
        assert_eq!(next.tier, expected);
    }
}

#[test]
fn an_answer_is_as_long_as_the_money_allows_and_a_useless_one_is_not_bought() {
    // spec: beyond BY-06
    let server = ModelServer::start().unwrap();
    let dollars = |amount| Money::from_dollars(amount).unwrap();
    let price: Price =
        serde_json::from_value(serde_json::json!({ "input": 3, "output": 15, "as_of": "2026-11-01" }))
            .unwrap();
    let dear = TierConfig { price: Some(price), ..tier(&server, "medium") };
    let tiers = tiers(&ModelsConfig { balanced: Some(dear), ..ModelsConfig::default() });
    let mut ask = Ask::expecting::<Flower>("parse_goal", Tier::Balanced);
    ask.slots.insert("request", "Name a flower".to_owned());
    let next = |left| tiers.next(&ask, &[], left);
    let Next::Call(whole) = next(Money::MAX) else { panic!("no call") };
    assert_eq!(whole.max_output_tokens, 1024);
    let Next::Call(shorter) = next(dollars(0.012)) else { panic!("no call") };
    assert!(shorter.max_output_tokens < 1024 && shorter.at_most <= dollars(0.012), "{shorter:?}");
    let Next::Step(AskStep::GiveUp { reason, .. }) = next(dollars(0.001)) else { panic!("a call") };
    assert!(reason.contains("$0.001 are left"), "{reason}");
}

#[tokio::test]
async fn the_chain_can_be_configured() {
    // spec: orchestrator ER-08 DG-14
    let server = ModelServer::start().unwrap();
    server.script(vec![Reply::fault(Fault::WrongKey), Reply::text(ROSE)]);
    let config = ModelsConfig {
        fast: Some(tier(&server, "small")),
        balanced: Some(tier(&server, "medium")),
        strong: Some(tier(&server, "large")),
        fallback: [(Tier::Strong, vec![Tier::Fast]), (Tier::Fast, vec![Tier::Strong])].into(),
        ..ModelsConfig::default()
    };
    let models = |server: &ModelServer| -> Vec<String> {
        server.seen().iter().map(|seen| seen.model().to_owned()).collect()
    };
    ask(&tiers(&config), Tier::Strong).await.unwrap();
    assert_eq!(models(&server), ["large", "small"], "past the one in the middle");
    server.script(vec![Reply::fault(Fault::WrongKey); 3]);
    let error = ask(&tiers(&config), Tier::Fast).await.unwrap_err();
    assert_eq!(models(&server)[2..], ["small", "large"], "upwards too, and to an end: {error:?}");
}
