//! Phase 2: what is known and of use. Reads the project's instructions and the files that the request names, and says
//! which agents and packs fit.
//!
//! What is loaded stays small. Its texts stand in the prompts of the phases after this one and in the agents' orders. Until there is a memory, what
//! is known from before is how past plans ended.

mod blockers;
mod loading;
mod skills;

use candor_language::evaluate::{self, files};
use candor_language::goal;
use candor_model::handoff::{
    CacheLookup, CacheStatus, ContextOutput, NamedCommand, PreAnalysisOutput, YesNo,
};
use candor_model::{Broadcast, Effect, JsonMap, OptionalStep, Phase, PhaseOutput};
use candor_planning::known_request;
use candor_planning::phase::{PhaseReport, PhaseResult};
use serde::Deserialize;
use serde_json::{Value, json};

use self::loading::Loaded;
use self::skills::Skills;
use super::pre_analysis::{looked_up, shortened};
use super::{Phases, counted, report};
use crate::plan_cache::normalised;
use crate::{Incomplete, PhaseContext};

/// What each file that could not be read takes from the phase's confidence.
const PER_FAILURE: usize = 10;

/// How many commands are listed.
const MOST_COMMANDS: usize = 20;

/// What a memory would be asked for, and whose answers are empty while there is none.
const MEMORY: [&str; 5] = ["errors", "improvements", "preferences", "efficiency", "self_notes"];

pub(super) fn work(phases: &Phases, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete> {
    let before: PreAnalysisOutput = cx.left().unwrap_or_default();
    let wanted = wanted_files(cx, &before);
    let instructions = &phases.rules.instructions;
    let all = instructions.iter().chain(&wanted);
    let unread: Vec<String> = all.filter(|file| !cx.files.contains_key(*file)).cloned().collect();
    if !unread.is_empty() {
        return Err(Incomplete::Needs(vec![Effect::ReadFiles { paths: unread }]));
    }
    let keywords = keywords(cx);
    let skills = Skills::evaluate(phases, cx);
    let loaded = Loaded::new(cx, instructions, &wanted, &keywords, &skills);
    let output = ContextOutput {
        calibration: cx.calibration.clone(),
        agents: cx.agents.len(),
        cached: Some(CacheStatus::Lookup(cached(phases, cx, before.cached, &wanted, &loaded))),
        loaded: loaded.items.clone(),
        dropped: loaded.dropped.clone(),
        failed: loaded.failed.clone(),
        tokens: loaded.tokens,
        commands: commands(cx.request),
        skills: skills.answers(),
        skills_activated: skills.activated.clone(),
        past_errors: Vec::new(),
    };
    let mut report = report(summary(cx, &loaded), &output, None, PhaseResult::Plain);
    let lacking = loaded.failed.len().saturating_mul(PER_FAILURE);
    report.handoff.context.confidence = u8::try_from(100_usize.saturating_sub(lacking)).ok();
    report.handoff.context.files_read.clone_from(&loaded.files);
    report.handoff.instructions.focus = keywords;
    report.handoff.instructions.suggested_agents = skills.agents();
    report.handoff.flags.uncertainty_areas.clone_from(&loaded.failed);
    report.handoff.flags.blockers = blockers::missing(cx, &wanted);
    report.messages = vec![loader(&loaded), retriever(cx)];
    Ok(report)
}

fn summary(cx: &PhaseContext<'_>, loaded: &Loaded) -> String {
    let past = match cx.calibration.sample_size {
        0 => "nothing is known from before; confidence is taken as it is".to_owned(),
        1 => "one past plan; it takes more to correct confidence by".to_owned(),
        past => format!("{past} past plans; confidence is corrected by how they ended"),
    };
    match loaded.files.len() + loaded.failed.len() {
        0 => past,
        named => format!("{past}; {} of {} read", loaded.files.len(), counted(named, "named file")),
    }
}

/// The files that the request names and that may be read, unless reading is left out.
fn wanted_files(cx: &PhaseContext<'_>, before: &PreAnalysisOutput) -> Vec<String> {
    if before.skip.contains(&OptionalStep::FileReading) {
        return Vec::new();
    }
    files::readable(&evaluate::files_named_in(cx.request))
}

/// What is read here of the evaluation.
#[derive(Deserialize)]
struct Detected {
    #[serde(default)]
    keywords: Option<Vec<String>>,
}

impl PhaseOutput for Detected {
    const PHASE: Phase = Phase::Evaluation;
}

/// What the request is about, as the evaluation left it; read anew if it left nothing.
fn keywords(cx: &PhaseContext<'_>) -> Vec<String> {
    let left = cx.left::<Detected>().and_then(|left| left.keywords);
    left.unwrap_or_else(|| {
        let reading = goal::read(&evaluate::own_words(cx.request), cx.now);
        evaluate::evaluate(cx.request, &reading).evaluation.keywords
    })
}

/// Whether the request is known, as phase 0 found. It is looked up again when the words have changed since, and it
/// is not the same when its files have.
fn cached(
    phases: &Phases,
    cx: &PhaseContext<'_>,
    left: Option<CacheStatus>,
    files: &[String],
    loaded: &Loaded,
) -> CacheLookup {
    let words = normalised(cx.request);
    let kept = match left {
        Some(CacheStatus::Lookup(left)) => Some(left),
        _ => None,
    };
    let is_same = |left: &CacheLookup| {
        left.request.as_ref().is_some_and(|before| before.normalised == shortened(&words))
    };
    let kept = kept.filter(is_same);
    let same = kept.is_some();
    let mut cached = kept.unwrap_or_else(|| looked_up(phases, cx));
    if !files.is_empty() {
        let read = files.iter().filter_map(|path| cx.files.get(path));
        let digests: Vec<String> = read.map(|file| format!("{}={}", file.path, file.hash)).collect();
        let same = phases.cache().same_files(&words, &digests.join("\n"));
        if !same && !known_request::has(cx.outcomes, cx.request, &loaded.items) {
            (cached.hit, cached.confidence) = (false, 0);
        }
    }
    CacheLookup { request: None, looked_up_again: Some(!same), ..cached }
}

/// Commands that the request itself names, between back ticks: `cargo test`.
fn commands(request: &str) -> Vec<NamedCommand> {
    let quoted = request.split('`').skip(1).step_by(2);
    let commands =
        quoted.filter(|text| text.contains(' ') && text.starts_with(|c: char| c.is_ascii_lowercase()));
    commands
        .take(MOST_COMMANDS)
        .map(|command| NamedCommand {
            name: command.to_owned(),
            answer: YesNo::Yes,
            reason: "the request names it".to_owned(),
        })
        .collect()
}

fn loader(loaded: &Loaded) -> Broadcast {
    let content = format!("{} loaded, {} tokens", counted(loaded.items.len(), "item"), loaded.tokens);
    completion("context-loader", content, json!({ "loaded": loaded.items, "dropped": loaded.dropped }))
}

/// Every load is made, even while there is no memory to load from.
fn retriever(cx: &PhaseContext<'_>) -> Broadcast {
    let loads: JsonMap = MEMORY.iter().map(|load| ((*load).to_owned(), json!(0))).collect();
    let content = match cx.calibration.sample_size {
        0 => "nothing is remembered yet".to_owned(),
        past => format!(
            "how {} ended is known; nothing else is remembered yet",
            counted(usize::try_from(past).unwrap_or(usize::MAX), "past plan")
        ),
    };
    completion("memory-retriever", content, Value::Object(loads))
}

fn completion(agent: &str, content: String, data: Value) -> Broadcast {
    let data = match data {
        Value::Object(map) => map,
        _ => JsonMap::new(),
    };
    Broadcast { data, ..Broadcast::completion(Phase::Context, agent, content) }
}
