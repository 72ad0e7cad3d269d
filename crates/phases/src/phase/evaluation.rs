//! Phase 1: what is wanted, and how well it is said. Reads the goal from the person's words and judges them; a
//! request that is too weak gets better wordings to choose from.

mod messages;

use std::collections::BTreeSet;

use candor_language::evaluate::{self, Judged, files};
use candor_language::goal::{self, Dates, Extracted, Reading};
use candor_language::success;
use candor_model::handoff::EvaluationOutput;
use candor_model::{
    Constraint, ENOUGH_QUALITY, Effect, Enhancement, Goal, GoalId, GoalType, Instructions, JsonMap, Priority,
    RunId, Text, Timestamp,
};
use candor_planning::metrics::KEYWORD_MISS;
use candor_planning::phase::{PhaseReport, PhaseResult};
use candor_planning::slots::Slots;
use candor_planning::{criterion, risk};
use serde_json::{Value, json};

use super::{Phases, counted, report};
use crate::consult::{EnhanceAnswer, GoalAnswer, Said, enhance_prompt, parse_goal};
use crate::pack::{self, Meant};
use crate::{Incomplete, Pack, PhaseContext};

/// How important a goal is that says nothing of it.
const USUAL_PRIORITY: u8 = 7;

pub(super) fn work(phases: &Phases, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete> {
    let brought = cx.material.is_some_and(|material| material.goal.is_some() || material.plan.is_some());
    let mut said: Option<Said<GoalAnswer>> = None;
    let (goal, reading, judged) = match cx.material.and_then(|material| material.goal.as_deref()) {
        Some(brought) => {
            let reading = goal::read(brought.description.as_str(), cx.now);
            let judged = evaluate::evaluate(brought.description.as_str(), &reading);
            (brought.clone(), reading, judged)
        }
        None => {
            look_at_files(phases, cx)?;
            let files = files_there(cx);
            let (mut goal, reading) = define_goal_of(phases, cx.request, &files, cx.now, cx.run_id)?;
            if let Some(kind) = super::stated_kind(cx) {
                goal.goal_type = kind.clone();
                goal.success_criteria = criteria(phases.pack(kind), &reading.extracted, cx.request, &files);
            }
            let judged = evaluate::evaluate(cx.request, &reading);
            if !brought {
                said = cx.consult("parse_goal", || parse_goal(phases, cx))?;
            }
            match &said {
                Some(Said { answer, model }) => {
                    let (goal, reading) = defined_by(answer, phases, (goal, reading), &files);
                    (goal, reading, answer.judged_over(judged, cx.request, model))
                }
                None => (goal, reading, judged),
            }
        }
    };
    // Whoever asks for a plan that is fixed has said enough for it.
    let fixed = phases.pack(&goal.goal_type).is_some_and(|pack| pack.fixed_plan);
    let enhancement = if brought || fixed { None } else { enhancement(cx, &reading, &judged)? };
    let close = if brought || said.is_some() { None } else { close_to(phases, cx, &reading) };
    let mut report = handed_over(goal, &reading, judged, enhancement, said.map(|said| said.model));
    report.handoff.flags.high_risk = !risk::of_text(cx.request).is_empty();
    if let Some(question) = close {
        report.handoff.flags.needs_user_input = true;
        report.handoff.flags.uncertainty_areas.push(question);
    }
    Ok(report)
}

/// What to ask where a pack is perhaps meant. Unattended, the goal stays generic.
fn close_to(phases: &Phases, cx: &PhaseContext<'_>, reading: &Reading) -> Option<String> {
    let slots = slots_of(&reading.extracted);
    let Some((pack, how)) = pack::meant(phases.packs(), cx.request, &slots, &files_there(cx)) else {
        return without_file(phases, cx.request, &reading.extracted);
    };
    (how == Meant::Perhaps).then(|| {
        format!(
            "It may be meant for the pack {} ({}); it is planned without it unless the goal says so more clearly",
            pack.name, pack.description
        )
    })
}

/// The pack that would apply if a file were there that the request names.
pub(super) fn without_file(phases: &Phases, request: &str, extracted: &Extracted) -> Option<String> {
    let named = evaluate::files_named_in(request);
    let (pack, _) = pack::meant(phases.packs(), request, &slots_of(extracted), &named)?;
    let file = pack.own_files(&named).next()?;
    Some(format!("the pack {} would do this, but {file} is not in the working folder", pack.name))
}

/// Asks for a look at the files that the request names, if a pack applies only where there is one of them.
fn look_at_files(phases: &Phases, cx: &PhaseContext<'_>) -> Result<(), Incomplete> {
    let mut packs = phases.packs().iter().filter(|pack| pack.needs_file()).peekable();
    if packs.peek().is_none() {
        return Ok(());
    }
    let named = files::readable(&evaluate::files_named_in(cx.request));
    let matter: BTreeSet<&String> = packs.flat_map(|pack| pack.own_files(&named)).collect();
    let unread = matter.into_iter().filter(|file| !cx.files.contains_key(*file));
    let paths: Vec<String> = unread.cloned().collect();
    if paths.is_empty() { Ok(()) } else { Err(Incomplete::Needs(vec![Effect::ReadFiles { paths }])) }
}

/// The files that the request names and that are there, in its order.
pub(super) fn files_there(cx: &PhaseContext<'_>) -> Vec<String> {
    if cx.files.is_empty() {
        return Vec::new();
    }
    let there = |file: &String| cx.files.get(file).is_some_and(|read| read.bytes > 0 || read.text.is_ok());
    files::readable(&evaluate::files_named_in(cx.request)).into_iter().filter(there).collect()
}

/// Better wordings, if the request is too weak: a model's, or those of the rules.
fn enhancement(
    cx: &PhaseContext<'_>,
    reading: &Reading,
    judged: &Judged,
) -> Result<Option<Enhancement>, Incomplete> {
    let quality = &judged.evaluation.prompt_quality;
    if quality.score >= ENOUGH_QUALITY {
        return Ok(None);
    }
    let said: Option<Said<EnhanceAnswer>> = cx.consult("enhance_prompt", || enhance_prompt(cx, quality))?;
    Ok(match said {
        Some(said) => Some(said.answer.enhancement(cx.request, quality)),
        None => evaluate::enhance(cx.request, reading, quality),
    })
}

fn handed_over(
    goal: Goal,
    reading: &Reading,
    judged: Judged,
    enhancement: Option<Enhancement>,
    model: Option<String>,
) -> PhaseReport {
    let evaluation = &judged.evaluation;
    let output = EvaluationOutput {
        reading,
        keywords: Some(evaluation.keywords.clone()),
        complexity: Some(evaluation.complexity.clone()),
        prompt_quality: Some(evaluation.prompt_quality.clone()),
        confidence: evaluation.confidence,
        file_count: evaluation.file_count,
        model,
    };
    let summary = summary(&goal, reading);
    let messages = messages::of(&judged);
    let instructions = Instructions {
        focus: evaluation.keywords.clone(),
        avoid: reading.extracted.must_not.clone(),
        must_include: reading.extracted.must.clone(),
        suggested_agents: Vec::new(),
    };
    let (confidence, quality) = (evaluation.confidence, evaluation.prompt_quality.score);
    let unsure = reading.guesses.iter().chain(&evaluation.prompt_quality.contradictions).cloned().collect();
    let missed = evaluation.keywords.is_empty().then(|| KEYWORD_MISS.to_owned());
    let result = PhaseResult::Goal {
        goal: Box::new(goal),
        evaluation: Some(Box::new(judged.evaluation)),
        enhancement: enhancement.map(Box::new),
    };
    let mut report = report(summary, &output, output.model.as_deref(), result);
    report.handoff.context.confidence = Some(confidence);
    report.handoff.quality = Some(quality);
    report.handoff.instructions = instructions;
    report.handoff.flags.uncertainty_areas = unsure;
    report.messages = messages;
    report.failure_reasons.extend(missed);
    report
}

fn summary(goal: &Goal, reading: &Reading) -> String {
    let guesses = reading.guesses.len();
    format!(
        "{}: {}, success criteria: {}{}",
        goal.goal_type,
        counted(goal.constraints.len(), "constraint"),
        goal.success_criteria.len(),
        if guesses == 0 { String::new() } else { format!("; guessed: {guesses}") }
    )
}

/// The goal as a model reads it, laid over what the rules read.
fn defined_by(
    answer: &GoalAnswer,
    phases: &Phases,
    (mut goal, reading): (Goal, Reading),
    files: &[String],
) -> (Goal, Reading) {
    let mut reading = answer.laid_over(reading);
    let named = answer.goal_type.as_ref().and_then(|kind| kind.parse().ok());
    if let Some(kind) =
        named.filter(|kind: &GoalType| phases.pack(kind).is_some() || *kind == GoalType::GENERIC)
    {
        goal.goal_type = kind;
    }
    goal.constraints = constraints(&reading.extracted);
    let known = phases.pack(&goal.goal_type);
    goal.success_criteria = criteria(known, &reading.extracted, goal.description.as_str(), files);
    if known.is_none() {
        for said in understood(&answer.success_criteria, &mut reading.doubts) {
            if !goal.success_criteria.contains(&said) {
                goal.success_criteria.push(said);
            }
        }
    }
    (goal, reading)
}

/// Reads a goal from plain words: its kind, its constraints and how to tell that it was reached. No file that it names
/// is taken to exist.
pub fn define_goal(
    phases: &Phases,
    request: &str,
    now: Timestamp,
    run_id: &RunId,
) -> Result<(Goal, Reading), String> {
    define_goal_of(phases, request, &[], now, run_id)
}

/// The same; `files` are those of the files that it names which exist.
fn define_goal_of(
    phases: &Phases,
    request: &str,
    files: &[String],
    now: Timestamp,
    run_id: &RunId,
) -> Result<(Goal, Reading), String> {
    // The enhancer's own wording is no part of what is wanted, and would become steps of the plan.
    let request = &*evaluate::own_words(request);
    let description = Text::new(request.trim().to_owned())
        .map_err(|_| "the request is empty; say in plain words what is to be done".to_owned())?;
    let reading = goal::read(request, now);
    let extracted = &reading.extracted;
    let meant = pack::meant(phases.packs(), request, &slots_of(extracted), files);
    let pack = meant.filter(|(_, how)| *how == Meant::Clearly).map(|(pack, _)| pack);
    let name = run_id.as_str();
    let goal_id = GoalId::new(format!("goal_{}", name.strip_prefix("run_").unwrap_or(name)))
        .map_err(|error| error.to_string())?;
    let goal = Goal {
        goal_id,
        goal_type: pack.map_or(GoalType::GENERIC, |pack| pack.goal_type.clone()),
        description,
        constraints: constraints(extracted),
        success_criteria: criteria(pack, extracted, request, files),
        deadline: extracted.deadline.as_deref().and_then(|day| format!("{day}T00:00:00Z").parse().ok()),
        priority: Priority::new(USUAL_PRIORITY).unwrap_or_default(),
    };
    Ok((goal, reading))
}

fn constraints(extracted: &Extracted) -> Vec<Constraint> {
    let budget = extracted.budget.as_ref().map(|amount| {
        let currency = extracted.currency.as_deref().unwrap_or("USD");
        ("budget", format!("{} {currency}", amount.0), 10)
    });
    let duration = extracted.duration_days.map(|days| ("duration", days_of(days), 9));
    let time = extracted.dates.as_ref().map(|dates| ("time", said(dates), 8));
    let musts = extracted.must.iter().map(|must| ("must", must.clone(), 9));
    let must_nots = extracted.must_not.iter().map(|must| ("must_not", must.clone(), 9));
    let all = budget.into_iter().chain(duration).chain(time).chain(musts).chain(must_nots);
    all.filter_map(|(kind, value, priority)| {
        Some(Constraint {
            kind: Text::new(kind.to_owned()).ok()?,
            value: Text::new(value).ok()?,
            priority: Priority::new(priority).ok()?,
        })
    })
    .collect()
}

fn days_of(days: u32) -> String {
    counted(usize::try_from(days).unwrap_or(usize::MAX), "day")
}

fn said(dates: &Dates) -> String {
    match dates {
        Dates::Text(text) => text.clone(),
        Dates::Days(days) => match (days.first(), days.last()) {
            (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
            (Some(only), _) => only.clone(),
            (None, _) => String::new(),
        },
    }
}

/// How to tell that a goal was reached: what its pack says, then what its own words say. That every task succeeded
/// would be no criterion of it.
fn criteria(pack: Option<&Pack>, extracted: &Extracted, request: &str, files: &[String]) -> Vec<String> {
    let slots = pack.map_or_else(|| slots_of(extracted), |pack| slots_for(pack, extracted, request, files));
    let known = pack.into_iter().flat_map(|pack| &pack.criteria);
    let known = known.filter_map(|text| slots.fill(text).ok());
    known.chain(success::criteria(request).into_iter().map(|derived| derived.criterion)).collect()
}

/// A model's criteria in the language that is executed. What it says in words is judged; what is a misspelt form is
/// dropped, and that is told.
fn understood(said: &[String], doubts: &mut Vec<String>) -> Vec<String> {
    let mut criteria = Vec::new();
    for text in said.iter().map(|text| text.trim()).filter(|text| !text.is_empty()) {
        match (criterion::problems(text).first(), criterion::nearest(text)) {
            (None, _) => criteria.push(text.to_owned()),
            (Some(_), None) => criteria.push(format!("judge: {text}")),
            (Some(problem), Some(_)) => doubts.push(format!("{problem} It was dropped")),
        }
    }
    criteria
}

/// What a goal says, with its own words (`request`) and the files that the pack is for (`file`, `files`).
pub(super) fn slots_for(pack: &Pack, extracted: &Extracted, request: &str, files: &[String]) -> Slots {
    let mut slots = values_of(extracted);
    slots.insert("request".to_owned(), json!(evaluate::own_words(request)));
    let own: Vec<&String> = pack.own_files(files).collect();
    if let Some(first) = own.first() {
        slots.insert("file".to_owned(), json!(first));
        slots.insert("files".to_owned(), json!(own));
    }
    Slots::new(slots)
}

/// What a goal says, as slots for texts.
fn slots_of(extracted: &Extracted) -> Slots {
    Slots::new(values_of(extracted))
}

fn values_of(extracted: &Extracted) -> JsonMap {
    let Ok(Value::Object(mut slots)) = serde_json::to_value(extracted) else {
        return JsonMap::new();
    };
    if let Some(days) = extracted.duration_days {
        slots.insert("nights".to_owned(), json!(days));
        slots.insert("duration".to_owned(), json!(days_of(days)));
    }
    if let Some(amount) = &extracted.budget {
        slots.insert("budget_text".to_owned(), json!(money(amount, extracted.currency.as_deref())));
    }
    if let Some(dates) = &extracted.dates {
        slots.insert("when".to_owned(), json!(when(dates)));
    }
    if let Some(place) = extracted.known_place() {
        slots.insert("known_place".to_owned(), json!(place));
    }
    if let Some(day) = extracted.first_day() {
        slots.insert("first_day".to_owned(), json!(day));
    }
    slots
}

fn money(amount: &goal::Amount, currency: Option<&str>) -> String {
    match currency {
        None | Some("USD") => format!("${}", amount.0),
        Some(other) => format!("{} {other}", amount.0),
    }
}

/// `in May`, `from 2022-03-01 to 2022-03-07`: as one says it, without the year that was guessed.
fn when(dates: &Dates) -> String {
    match dates {
        Dates::Text(text) => match text.rsplit_once(' ') {
            Some((month, year)) if year.parse::<u16>().is_ok() => format!("in {month}"),
            _ => format!("in {text}"),
        },
        Dates::Days(days) => match (days.first(), days.last()) {
            (Some(first), Some(last)) if first != last => format!("from {first} to {last}"),
            (Some(only), _) => format!("on {only}"),
            (None, _) => String::new(),
        },
    }
}
