//! What a driver does with phases that ask models: money, time, crashes, breakers, and words as they come.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use candor_model::{
    AskKey, AskStep, Consulted, EventBody, ModelErrorKind, Money, Phase, Recorded, RunId, RunSettings,
    RunStatus, Seconds, SpokenBy, Tier,
};
use candor_ports::{Ask, AskPolicy, BoxFuture, CallLimits, Models, Next, NextCall, Observer, Words};
use candor_runtime::{RunOrder, Runtime, RuntimeDeps};
use candor_testkit::consulting::{accepted_as, answered, failed, give_up};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{House, Way, Worker, count, until};

const REQUEST: &str = "Do the work and report it";

/// What comes of a call, by what is asked and how many steps there were.
type Reply = Box<dyn Fn(&Ask, usize) -> Consulted + Send + Sync>;

/// Models that do as they are told, and remember what they were asked.
struct Scripted {
    reply: Reply,
    /// The most that a call can cost.
    price: u64,
    /// The steps that were called for, in order.
    called: Mutex<Vec<&'static str>>,
    /// Calls for this step do not come back.
    hold: Mutex<Option<&'static str>>,
}

impl Scripted {
    fn new(reply: impl Fn(&Ask, usize) -> Consulted + Send + Sync + 'static) -> Arc<Self> {
        Self::at(1_000, reply)
    }

    fn at(price: u64, reply: impl Fn(&Ask, usize) -> Consulted + Send + Sync + 'static) -> Arc<Self> {
        let (reply, hold) = (Box::new(reply), Mutex::default());
        Arc::new(Self { reply, price, called: Mutex::default(), hold })
    }

    fn calls(&self) -> Vec<&'static str> {
        self.called.lock().unwrap().clone()
    }
}

impl AskPolicy for Scripted {
    fn next(&self, ask: &Ask, past: &[Consulted], left: Money) -> Next {
        let at_most = Money::from_micros(self.price);
        if at_most > left {
            return Next::Step(self.step_down(ask, past, &format!("${left} are left")));
        }
        let model = "acme/medium".to_owned();
        Next::Call(NextCall { tier: ask.tier, model, at_most, max_output_tokens: 100, after: Seconds::ZERO })
    }

    fn step_down(&self, ask: &Ask, _: &[Consulted], reason: &str) -> AskStep {
        AskStep::GiveUp { from: ask.tier, reason: reason.to_owned(), kind: None }
    }
}

impl Models for Scripted {
    fn call<'a>(
        &'a self,
        ask: &'a Ask,
        past: &'a [Consulted],
        limits: CallLimits,
        words: Option<Words>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Consulted> {
        Box::pin(async move {
            self.called.lock().unwrap().push(ask.step);
            if let Some(words) = words {
                words("thinking aloud of ");
                words("ghp_abcdefghij");
                words("klmnopqrstuvwxyz0123456789 now");
            }
            let end = tokio::time::Instant::now() + Duration::from_millis(limits.within.as_millis());
            while *self.hold.lock().unwrap() == Some(ask.step) && !stop.is_cancelled() {
                if tokio::time::Instant::now() >= end {
                    return Consulted {
                        call: Some(failed(ModelErrorKind::Timeout)),
                        outcome: give_up("timeout"),
                    };
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            (self.reply)(ask, past.len())
        })
    }
}

/// The answer to each question that a good model would give.
fn sensible(step: &str) -> Value {
    match step {
        "parse_goal" => json!({
            "success_criteria": ["The work is reported"],
            "keywords": ["work", "report"],
            "promptQuality": { "score": 85 },
            "confidence": 90,
        }),
        "decompose_task" => json!({ "tasks": [
            { "description": "Do the work" },
            { "description": "Report the work", "dependencies": [0] },
        ] }),
        _ => json!({ "strategy": "sequential", "confidence": 0.95, "risks": ["rain"], "alternatives": [
            { "name": "later", "description": "Do it tomorrow", "trade_off": "slower" },
            { "name": "never", "description": "Do nothing", "trade_off": "cheaper" },
        ] }),
    }
}

fn good(ask: &Ask, _: usize) -> Consulted {
    let value = sensible(ask.step);
    Consulted { call: Some(answered(&value.to_string(), 500)), outcome: accepted_as(value) }
}

fn runtime(house: &House, models: &Arc<Scripted>, observer: Option<Arc<dyn Observer>>) -> Runtime {
    let worker = Worker::new(Way::Works(Duration::ZERO));
    let models: Arc<dyn Models> = Arc::clone(models) as Arc<dyn Models>;
    let equipment = RuntimeDeps { models: Some(models), ..RuntimeDeps::default() };
    house.equipped(house.log(), &worker, observer, equipment)
}

fn order(run: &str) -> RunOrder {
    let settings = RunSettings { planning_timeout: Seconds::whole(20), ..RunSettings::default() };
    RunOrder {
        run_id: RunId::new(run).unwrap(),
        request: REQUEST.to_owned(),
        settings,
        material: None,
        origin: None,
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let executor =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    executor.block_on(work)
}

fn voices(log: &[Recorded]) -> Vec<(Phase, SpokenBy)> {
    let handoffs = log.iter().filter_map(|recorded| match &recorded.event.body {
        EventBody::PhaseCompleted { phase, handoff, .. } => Some((*phase, handoff.spoken_by)),
        _ => None,
    });
    handoffs.collect()
}

#[test]
fn models_speak_where_they_can_and_what_they_cost_is_on_the_log() {
    // spec: planning TD-01 BC-01 BC-09
    block_on(async {
        let (house, models) = (House::new(), Scripted::new(good));
        let run = runtime(&house, &models, None).start(order("run_1"), None).await.unwrap();
        let id = run.run_id().clone();
        assert_eq!(run.ended().await.unwrap(), RunStatus::Completed);
        assert_eq!(models.calls(), ["parse_goal", "decompose_task", "plan", "judge_result"]);
        let log = house.read(&id).await;
        let by_models = voices(&log).into_iter().filter(|(_, by)| *by == SpokenBy::Model);
        let phases: Vec<Phase> = by_models.map(|(phase, _)| phase).collect();
        assert_eq!(phases, [Phase::Evaluation, Phase::Decomposition, Phase::Planning]);
        let charged: u64 = log
            .iter()
            .map(|recorded| match &recorded.event.body {
                EventBody::Charged { amount, what, .. } if what.contains("acme/medium") => amount.micros(),
                _ => 0,
            })
            .sum();
        assert_eq!(charged, 2_000);
        assert_eq!(count(&log, |body| matches!(body, EventBody::Degraded { .. })), 0);
        // The answer is on the log before anything follows from it.
        let place = |matches: &dyn Fn(&EventBody) -> bool| {
            log.iter().position(|recorded| matches(&recorded.event.body)).unwrap()
        };
        let told =
            place(&|body| matches!(body, EventBody::ModelConsulted { ask, .. } if ask.step == "parse_goal"));
        assert!(told < place(&|body| matches!(body, EventBody::GoalDefined { .. })));
    });
}

#[test]
fn a_resumed_run_never_pays_twice_for_an_answer() {
    // spec: beyond BY-01 BY-12
    block_on(async {
        let house = House::new();
        let first = Scripted::new(good);
        *first.hold.lock().unwrap() = Some("decompose_task");
        let run = runtime(&house, &first, None).start(order("run_1"), None).await.unwrap();
        let id = run.run_id().clone();
        until("the second question", || first.calls().len() == 2).await;
        run.leave().await.unwrap();
        let second = Scripted::new(good);
        let run = runtime(&house, &second, None).resume(id.clone(), None, None).await.unwrap();
        assert_eq!(run.ended().await.unwrap(), RunStatus::Completed);
        assert_eq!(
            second.calls(),
            ["decompose_task", "plan", "judge_result"],
            "the first answer was on the log"
        );
        let log = house.read(&id).await;
        let lost = count(&log, |body| match body {
            EventBody::ModelConsulted { step, .. } => {
                matches!(&step.outcome, AskStep::Repeat { reason, .. } if reason.contains("may have been paid"))
            }
            _ => false,
        });
        assert_eq!(lost, 1);
    });
}

#[test]
fn without_money_the_rules_speak_and_the_budget_is_not_touched() {
    // spec: beyond BY-06; orchestrator DG-05
    block_on(async {
        let (house, models) = (House::new(), Scripted::at(20_000, good));
        let run = runtime(&house, &models, None).start(order("run_1"), None).await.unwrap();
        let id = run.run_id().clone();
        assert_eq!(run.ended().await.unwrap(), RunStatus::Completed);
        assert!(models.calls().is_empty(), "nothing was called: {:?}", models.calls());
        let log = house.read(&id).await;
        assert!(voices(&log).iter().all(|(_, by)| *by == SpokenBy::Heuristic));
        assert_eq!(count(&log, |body| matches!(body, EventBody::PhaseDegraded { .. })), 3);
    });
}

#[test]
fn when_the_time_for_planning_is_nearly_up_the_rules_speak() {
    block_on(async {
        let (house, models) = (House::new(), Scripted::new(good));
        *models.hold.lock().unwrap() = Some("parse_goal");
        let mut order = order("run_1");
        order.settings.planning_timeout = Seconds::whole(1);
        let run = runtime(&house, &models, None).start(order, None).await.unwrap();
        let id = run.run_id().clone();
        assert_eq!(run.ended().await.unwrap(), RunStatus::Completed, "a slow model does not end the run");
        let log = house.read(&id).await;
        assert_eq!(models.calls(), ["parse_goal"], "nobody is asked any more after that");
        assert!(
            count(
                &log,
                |body| matches!(body, EventBody::PhaseDegraded { reason, .. } if reason.contains("nearly up"))
            ) >= 1
        );
    });
}

#[test]
fn a_model_that_keeps_failing_is_left_in_peace_also_after_a_restart() {
    // spec: orchestrator ER-02 ER-03 ER-10; beyond BY-26
    block_on(async {
        let down = |_: &Ask, _: usize| Consulted {
            call: Some(failed(ModelErrorKind::Transient)),
            outcome: give_up("down"),
        };
        let (house, models) = (House::new(), Scripted::new(down));
        let run = runtime(&house, &models, None).start(order("run_1"), None).await.unwrap();
        let id = run.run_id().clone();
        assert_eq!(run.ended().await.unwrap(), RunStatus::Completed);
        assert_eq!(models.calls().len(), 3, "three failures open it");
        let log = house.read(&id).await;
        assert_eq!(count(&log, |body| matches!(body, EventBody::ModelBreakerOpened { .. })), 1);
        until("the breaker on disk", || {
            let log = house.log();
            let kept =
                futures_now(async move { candor_ports::Streams::experience(&*log).await.unwrap().breakers });
            kept.iter().any(|breaker| breaker.failure_count == 3)
        })
        .await;
        let again = Scripted::new(good);
        let run = runtime(&house, &again, None).start(order("run_2"), None).await.unwrap();
        let id = run.run_id().clone();
        assert_eq!(run.ended().await.unwrap(), RunStatus::Completed);
        assert!(again.calls().is_empty(), "another process leaves it in peace too: {:?}", again.calls());
        let log = house.read(&id).await;
        assert!(
            count(
                &log,
                |body| matches!(body, EventBody::PhaseDegraded { reason, .. } if reason.contains("circuit open"))
            ) >= 1
        );
    });
}

/// Runs a future to its end from a closure that cannot wait.
fn futures_now<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    std::thread::spawn(|| {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
    })
    .join()
    .unwrap()
}

struct Ear(Mutex<Vec<(String, String)>>);

impl Observer for Ear {
    fn on_events(&self, _: &RunId, _: &[Recorded]) {}

    fn on_chunk(&self, _: &RunId, ask: &AskKey, words: &str) {
        self.0.lock().unwrap().push((ask.step.clone(), words.to_owned()));
    }
}

#[test]
fn words_are_heard_as_they_come_without_secrets_and_are_on_no_log() {
    // spec: findings SE-04
    block_on(async {
        let (house, models) = (House::new(), Scripted::new(good));
        let ear = Arc::new(Ear(Mutex::default()));
        let observer: Arc<dyn Observer> = Arc::clone(&ear) as Arc<dyn Observer>;
        let run = runtime(&house, &models, Some(observer)).start(order("run_1"), None).await.unwrap();
        let id = run.run_id().clone();
        run.ended().await.unwrap();
        let heard = ear.0.lock().unwrap().clone();
        let (step, words) = &heard[0];
        assert_eq!((step.as_str(), words.as_str()), ("parse_goal", "thinking aloud of "));
        let (_, rest) = &heard[1];
        assert!(rest.starts_with("[redacted:github_token#") && rest.ends_with("] now"), "{rest}");
        let log = house.read(&id).await;
        assert!(!format!("{log:?}").contains("aloud"));
    });
}

#[test]
fn tiers_below_are_told_in_order() {
    // spec: orchestrator ER-08 ER-09
    block_on(async {
        let falls = |ask: &Ask, past: usize| match past {
            0 => Consulted {
                call: Some(failed(ModelErrorKind::Auth)),
                outcome: AskStep::FallBack {
                    from: ask.tier,
                    to: Tier::Fast,
                    reason: "auth: no key".to_owned(),
                },
            },
            _ => good(ask, past),
        };
        let (house, models) = (House::new(), Scripted::new(falls));
        let run = runtime(&house, &models, None).start(order("run_1"), None).await.unwrap();
        let id = run.run_id().clone();
        assert_eq!(run.ended().await.unwrap(), RunStatus::Completed);
        let log = house.read(&id).await;
        assert_eq!(count(&log, |body| matches!(body, EventBody::FellBack { .. })), 4);
        assert_eq!(count(&log, |body| matches!(body, EventBody::Degraded { level: 1, .. })), 1, "told once");
    });
}
