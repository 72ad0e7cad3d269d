//! Room 2: what is known and of use. Reads the files that the request names, and says which agents and packs fit.
//!
//! What is loaded stays small: the phases behind this one get the most relevant of it. Until there is a memory, what
//! is known from before is how past plans ended.

mod loading;
mod skills;

use candor_language::evaluate::{self, files};
use candor_language::goal;
use candor_model::{Broadcast, Effect, JsonMap, Phase};
use candor_planning::phase::{PhaseReport, PhaseResult};
use serde_json::{Value, json};

use self::loading::Loaded;
use self::skills::Skills;
use super::pre_analysis::{FILE_READING, looked_up, shortened};
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
    let wanted = wanted_files(cx);
    let unread: Vec<String> = wanted.iter().filter(|file| !cx.files.contains_key(*file)).cloned().collect();
    if !unread.is_empty() {
        return Err(Incomplete::Needs(vec![Effect::ReadFiles { paths: unread }]));
    }
    let keywords = keywords(cx);
    let skills = Skills::evaluate(phases, cx);
    let loaded = Loaded::new(cx, &wanted, &keywords, &skills);
    let data = json!({
        "calibration": cx.calibration,
        "agents": cx.agents.len(),
        "cached": cached(phases, cx, &wanted),
        "loaded": loaded.items,
        "dropped": loaded.dropped,
        "failed": loaded.failed,
        "tokens": loaded.tokens,
        "commands": commands(cx.request),
        "skills": skills.as_json(),
        "skills_activated": skills.activated,
    });
    let mut report = report(summary(cx, &loaded), data, PhaseResult::Plain);
    let lacking = loaded.failed.len().saturating_mul(PER_FAILURE);
    report.handoff.context.confidence = u8::try_from(100_usize.saturating_sub(lacking)).ok();
    report.handoff.context.files_read.clone_from(&loaded.files);
    report.handoff.instructions.focus = keywords;
    report.handoff.instructions.suggested_agents = skills.agents();
    report.handoff.flags.uncertainty_areas.clone_from(&loaded.failed);
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
fn wanted_files(cx: &PhaseContext<'_>) -> Vec<String> {
    let skip = cx.left(Phase::PreAnalysis, "skip").and_then(Value::as_array);
    if skip.is_some_and(|steps| steps.iter().any(|step| step == FILE_READING)) {
        return Vec::new();
    }
    files::readable(&evaluate::files_named_in(cx.request))
}

/// What the request is about, as the evaluation left it; read anew if it left nothing.
fn keywords(cx: &PhaseContext<'_>) -> Vec<String> {
    let left = cx.left(Phase::Evaluation, "keywords").cloned().unwrap_or_default();
    serde_json::from_value(left).unwrap_or_else(|_| {
        let reading = goal::read(&evaluate::own_words(cx.request), cx.now);
        evaluate::evaluate(cx.request, &reading).evaluation.keywords
    })
}

/// Whether the request is known, as phase 0 found. It is looked up again when the words have changed since, and it
/// is not the same when its files have.
fn cached(phases: &Phases, cx: &PhaseContext<'_>, files: &[String]) -> Value {
    let words = normalised(cx.request);
    let left = cx.left(Phase::PreAnalysis, "cached");
    let same = left
        .and_then(|cached| cached.get("request")?.get("normalised")?.as_str())
        .is_some_and(|before| before == shortened(&words));
    let mut cached = match left.filter(|_| same) {
        Some(left) => left.clone(),
        None => looked_up(phases, cx),
    };
    if !files.is_empty() {
        let read = files.iter().filter_map(|path| cx.files.get(path));
        let digests: Vec<String> = read.map(|file| format!("{}={}", file.path, file.hash)).collect();
        let unchanged = phases.cache().same_files(&words, &digests.join("\n"));
        if let (false, Some(fields)) = (unchanged, cached.as_object_mut()) {
            fields.insert("hit".to_owned(), json!(false));
            fields.insert("confidence".to_owned(), json!(0));
        }
    }
    if let Some(fields) = cached.as_object_mut() {
        fields.remove("request");
        fields.insert("looked_up_again".to_owned(), json!(!same));
    }
    cached
}

/// Commands that the request itself names, between back ticks: `cargo test`.
fn commands(request: &str) -> Vec<Value> {
    let quoted = request.split('`').skip(1).step_by(2);
    let commands =
        quoted.filter(|text| text.contains(' ') && text.starts_with(|c: char| c.is_ascii_lowercase()));
    commands
        .take(MOST_COMMANDS)
        .map(|command| json!({ "name": command, "answer": "YES", "reason": "the request names it" }))
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
