//! Why things are as they are: the choices of a run with their reasons, its timeline, all its decisions.

use candor_engine::RunState;
use candor_model::{DecisionEntry, EventBody, Recorded, SubTask, TaskId};
use candor_planning::report::DecisionFilter;
use candor_planning::{estimate, texts};
use candor_projections::chronicle::{Chronicle, Failure};
use candor_projections::explain::{self, Explanation, family};
use candor_projections::{format, warnings as projected};
use serde_json::{Value, json};

use super::live::marked;
use super::status::{heading, warnings};
use super::style::{Line, Mark, Style, Tone};
use super::text;
use super::timeline::attempt_lines;
use super::words::{self, because, label};

const PARAGRAPH_COLUMNS: usize = 2000;
/// How many agents of a ranking are shown.
const RANKED: usize = 4;
/// Of a larger plan, only the first tasks are explained; the others one by one, when asked.
const SHOWN_TASKS: usize = 100;
/// Explains a run, or one of its tasks: why this plan, why these agents, why these changes.
#[must_use]
pub fn why(state: &RunState, records: &[Recorded], task: Option<&TaskId>, style: Style) -> String {
    let chronicle = Chronicle::of(records);
    let page = Page { state, chronicle, style };
    let lines = match task {
        None => page.run(records),
        Some(id) => page.task(id),
    };
    lines.join("\n") + "\n"
}

/// Gives the reasons for a run, or for one of its tasks, as data.
#[must_use]
pub fn why_json(state: &RunState, records: &[Recorded], task: Option<&TaskId>) -> Value {
    json!(Explanation::of(state, records, task))
}

/// Shows the decisions that the filter lets through, each with its reasoning.
#[must_use]
pub fn decisions(records: &[Recorded], filter: &DecisionFilter, style: Style) -> String {
    let found = explain::decisions(records, filter);
    if found.is_empty() {
        return format!("{}\n", words::NO_DECISIONS.text());
    }
    let started = records.first().map(|recorded| recorded.event.at);
    let blocks = found.iter().map(|entry| {
        let offset = entry.timestamp.since(started.unwrap_or(entry.timestamp));
        decision_lines(entry, &format::offset(offset), style).join("\n")
    });
    blocks.collect::<Vec<_>>().join("\n\n") + "\n"
}

/// Gives the decisions that the filter lets through as data.
#[must_use]
pub fn decisions_json(records: &[Recorded], filter: &DecisionFilter) -> Value {
    json!(explain::decisions(records, filter))
}

struct Page<'a> {
    state: &'a RunState,
    chronicle: Chronicle<'a>,
    style: Style,
}

impl Page<'_> {
    fn run(&self, records: &[Recorded]) -> Vec<String> {
        let mut lines = self.says(Tone::Strong, self.state.request());
        lines.extend(self.goal(records));
        lines.extend(self.plan());
        let plan = self.state.plan();
        let tasks = plan.iter().flat_map(|plan| &plan.subtasks);
        let hidden = tasks.clone().count().saturating_sub(SHOWN_TASKS);
        let mut agents: Vec<String> =
            tasks.take(SHOWN_TASKS).flat_map(|task| self.agent_choice(task)).collect();
        if hidden > 0 {
            agents.extend(self.says(Tone::Dim, &words::and_more(hidden)));
        }
        if !agents.is_empty() {
            lines.extend(heading(because::AGENTS.text(), self.style));
            lines.extend(agents);
        }
        lines.extend(self.answers_to_failures(&self.chronicle.failures.iter().collect::<Vec<_>>()));
        lines.extend(warnings(&projected::of(self.state), self.style));
        lines.extend(self.people());
        lines
    }

    fn task(&self, id: &TaskId) -> Vec<String> {
        let family = family(&self.chronicle, id);
        let name = self.chronicle.name(id);
        let known = self.state.task(id).or_else(|| self.chronicle.task(id).cloned());
        let Some(task) = known else { return self.says(Tone::Bad, &words::unknown_task(id)) };
        let mut lines = vec![Line::new(self.style).add(Tone::Strong, &format!("{name} ({id})")).render()];
        lines.extend(self.says(Tone::Plain, task.description.as_str()));
        let others: Vec<&str> = family.iter().filter(|other| **other != id).map(|it| it.as_str()).collect();
        if !others.is_empty() {
            lines.extend(self.says(Tone::Dim, &words::related(&others)));
        }
        lines.extend(heading(because::AGENT.text(), self.style));
        lines.extend(self.agent_choice(&task));
        let attempts = self.chronicle.attempts.iter().filter(|it| family.contains(&it.task_id));
        let attempts: Vec<_> = attempts.collect();
        if !attempts.is_empty() {
            lines.extend(heading(words::title::TIMELINE.text(), self.style));
            lines.extend(attempt_lines(&self.chronicle, &attempts, self.style));
        }
        let failures = self.chronicle.failures.iter().filter(|it| family.contains(&it.task_id));
        lines.extend(self.answers_to_failures(&failures.collect::<Vec<_>>()));
        let mut warned = projected::of(self.state);
        warned.retain(|it| family.contains(&&it.task_id));
        lines.extend(warnings(&warned, self.style));
        let decisions = self.chronicle.decisions.iter();
        let decisions = decisions.filter(|it| it.task_id.as_ref().is_some_and(|id| family.contains(&id)));
        for (at, entry) in decisions.enumerate() {
            lines.extend(if at == 0 {
                heading(because::DECISIONS.text(), self.style)
            } else {
                vec![String::new()]
            });
            let offset = format::offset(self.chronicle.offset(entry.timestamp));
            lines.extend(decision_lines(entry, &offset, self.style));
        }
        lines
    }

    /// Wraps a paragraph and paints it.
    fn says(&self, tone: Tone, paragraph: &str) -> Vec<String> {
        paragraph_lines("", tone, paragraph, self.style)
    }

    fn goal(&self, records: &[Recorded]) -> Vec<String> {
        let Some(goal) = self.state.goal() else { return Vec::new() };
        let mut lines = heading(label::GOAL.text(), self.style);
        lines.extend(self.says(Tone::Plain, &words::goal_defined(goal)));
        let spoken = records.iter().filter_map(|recorded| match &recorded.event.body {
            EventBody::PhaseCompleted { phase, handoff, .. } => Some((*phase, handoff.spoken_by)),
            _ => None,
        });
        let (mut models, mut rules) = (Vec::new(), Vec::new());
        for (phase, by) in spoken {
            let list = if by == candor_model::SpokenBy::Model { &mut models } else { &mut rules };
            if !list.contains(&words::phase(phase)) {
                list.push(words::phase(phase));
            }
        }
        lines.extend(self.says(Tone::Dim, &words::who_spoke(&models, &rules)));
        lines
    }

    fn plan(&self) -> Vec<String> {
        let Some((plan, repairs)) = self.chronicle.first_plan else { return Vec::new() };
        let mut lines = heading(because::PLAN.text(), self.style);
        let proposed = words::proposed(
            None,
            plan.subtasks.len(),
            plan.confidence_score,
            estimate::remaining(&plan.subtasks, None),
            repairs.len(),
        );
        lines.extend(self.says(Tone::Plain, &proposed));
        if !repairs.is_empty() {
            lines.extend(self.says(Tone::Plain, &words::repaired(repairs)));
        }
        let about_plan = self.chronicle.decisions.iter().filter(|entry| entry.task_id.is_none());
        for entry in about_plan {
            lines.extend(self.says(Tone::Plain, &words::decided(entry)));
        }
        for point in self.chronicle.confidence.iter().skip(1) {
            let moved = words::confidence_now(point.confidence, words::confidence_cause(&point.cause));
            lines.extend(self.says(Tone::Dim, &moved));
        }
        lines
    }

    /// Why an agent has a task: the ranking it came from.
    fn agent_choice(&self, task: &SubTask) -> Vec<String> {
        let name = format!("{} ({})", texts::task_name(task), task.task_id);
        let chosen = texts::agent_name(&task.agent_type);
        let head = Line::new(self.style).mark(Mark::of_task(task.status)).plain(&name).plain(": ");
        let mut lines = vec![head.add(Tone::Strong, &chosen).render()];
        let ranking = task.metadata.ranking.iter().take(RANKED);
        let ranking: Vec<String> = ranking
            .map(|ranked| words::ranked(&texts::agent_name(&ranked.agent_type), ranked.score))
            .collect();
        let reason =
            if ranking.is_empty() { words::NO_RANKING.text().to_owned() } else { words::ranking(&ranking) };
        lines.extend(paragraph_lines("  ", Tone::Dim, &reason, self.style));
        let failed: Vec<String> = task.metadata.failed_agents.iter().map(texts::agent_name).collect();
        if !failed.is_empty() {
            lines.extend(paragraph_lines("  ", Tone::Dim, &words::agents_failed(&failed), self.style));
        }
        lines
    }

    /// What was done about each failure, and why.
    fn answers_to_failures(&self, failures: &[&Failure<'_>]) -> Vec<String> {
        if failures.is_empty() {
            return Vec::new();
        }
        let mut lines = heading(because::RECOVERIES.text(), self.style);
        for failure in failures {
            lines.extend(failure_lines(&self.chronicle, failure, self.style));
            let decided = self.chronicle.decisions.iter().find(|entry| {
                entry.task_id.as_ref() == Some(failure.task_id) && entry.timestamp == failure.at
            });
            let told = decided.map(|entry| words::reasoning(&entry.operation, &entry.reasoning));
            lines.extend(told.into_iter().flat_map(|it| paragraph_lines("  ", Tone::Dim, &it, self.style)));
        }
        lines
    }

    fn people(&self) -> Vec<String> {
        let answers = &self.chronicle.answers;
        if answers.is_empty() {
            return Vec::new();
        }
        let mut lines = heading(words::title::PEOPLE.text(), self.style);
        for (at, gate, answer) in answers {
            let when = format::offset(self.chronicle.offset(*at));
            lines.extend(self.says(Tone::Plain, &format!("{when} {gate}: {}", words::answered(answer))));
        }
        lines
    }
}

/// A failure in plain words, what was done about it, and why.
pub(super) fn failure_lines(chronicle: &Chronicle<'_>, failure: &Failure<'_>, style: Style) -> Vec<String> {
    let cause = words::told(&texts::cause(&failure.feedback.errors));
    let told = failure.notice.map_or_else(|| cause.clone(), words::error_summary);
    let attempt = words::attempt_of(&texts::agent_name(failure.agent), failure.attempt);
    let when = format::offset(chronicle.offset(failure.at));
    let mut lines = marked(Mark::Failed, &format!("{when} {told} ({}, {attempt})", failure.task_id), style);
    let mut details = Vec::new();
    if let Some(notice) = failure.notice {
        details.push(words::done_about_it(&words::told(&notice.recovery_strategy)));
    }
    if let Some(recovery) = failure.recovery {
        details.push(words::reason(&words::told(&recovery.why)));
        details.push(words::impact(
            &words::told(&recovery.expected_impact),
            &words::told(&recovery.confidence_adjustment),
        ));
    }
    if !told.contains(&cause) {
        details.push(words::agent_reported(&cause));
    }
    lines.extend(details.iter().flat_map(|detail| paragraph_lines("  ", Tone::Plain, detail, style)));
    lines
}

fn decision_lines(entry: &DecisionEntry, offset: &str, style: Style) -> Vec<String> {
    let about = entry.task_id.as_ref().map(|id| format!(" {id}")).unwrap_or_default();
    let head = Line::new(style)
        .add(Tone::Dim, &format!("{offset} "))
        .add(Tone::Strong, &entry.operation)
        .add(Tone::Dim, &about);
    let mut lines = vec![head.render()];
    let confidence = entry.confidence.map(|change| words::confidence_span(change.before, change.after));
    let rows = [
        (because::DECISION.text(), Some(words::told(&entry.decision))),
        (because::REASON.text(), Some(words::told(&entry.reasoning))),
        (because::INPUT.text(), Some(entry.input.clone())),
        (because::CONFIDENCE.text(), confidence),
        (because::COST.text(), (entry.cost != candor_model::Money::ZERO).then(|| format::money(entry.cost))),
    ];
    for (name, value) in rows {
        let value = value.filter(|value| !value.trim().is_empty());
        let shown = value.map(|value| paragraph_lines("  ", Tone::Plain, &format!("{name}: {value}"), style));
        lines.extend(shown.unwrap_or_default());
    }
    lines
}

/// A paragraph in as many lines as it takes, each after `indent`; what would fill screens is shortened.
pub(super) fn paragraph_lines(indent: &str, tone: Tone, paragraph: &str, style: Style) -> Vec<String> {
    let room = style.columns().saturating_sub(text::width(indent));
    let paragraph =
        text::shortened(&text::printable(paragraph, style.unicode), PARAGRAPH_COLUMNS, style.unicode);
    let pieces = text::wrapped(&paragraph, room);
    pieces.iter().map(|piece| Line::new(style).plain(indent).add(tone, piece).render()).collect()
}

#[cfg(test)]
mod tests {
    use candor_model::RunId;
    use candor_testkit::fixtures;
    use candor_testkit::golden::STORIES;

    use super::*;
    use crate::view::words::tests::story;

    fn wide() -> Style {
        Style { width: 2000, ..Style::default() }
    }

    fn folded(records: &[Recorded]) -> RunState {
        RunState::fold(RunId::new("run_test").unwrap(), records).unwrap()
    }

    #[test]
    fn every_decision_is_shown_with_its_reasoning() {
        // spec: planning TR-07 TR-08 TR-09
        let mut seen = 0;
        for (name, _) in STORIES {
            let records = story(name);
            let text = decisions(&records, &DecisionFilter::default(), wide());
            for recorded in &records {
                let EventBody::DecisionMade { entry } = &recorded.event.body else { continue };
                seen += 1;
                for part in [&entry.operation, &entry.decision, &entry.reasoning] {
                    assert!(text.contains(part.as_str()), "{name}: {part} is missing in\n{text}");
                }
            }
        }
        assert!(seen > 5);
        let records = story("backup_agent");
        let filter = DecisionFilter { operation: Some("replan".to_owned()), ..DecisionFilter::default() };
        assert_eq!(decisions_json(&records, &filter).as_array().unwrap().len(), 1);
        let text = decisions(&records, &DecisionFilter::default(), wide());
        assert!(text.contains("confidence: 0.85 → 0.75"), "{text}");
    }

    #[test]
    fn the_choice_of_an_agent_and_of_a_strategy_is_explained() {
        // spec: planning EN-22 FT-17 TR-04
        let records = story("backup_agent");
        let state = folded(&records);
        let text = why(&state, &records, None, wide());
        for part in [
            "Flight search (task_001_retry): backup flight agent",
            "fit: flight agent 0.84, backup flight agent 0.78",
            "What was done: Retrying with backup flight agent",
            "Why: The previous agent failed at it.",
            "Effect: Adds 2-3 seconds",
            "without a model",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    #[test]
    fn a_task_is_explained_with_those_it_replaces() {
        let records = story("backup_agent");
        let state = folded(&records);
        for id in ["task_001", "task_001_retry"] {
            let id = fixtures::task_id(id);
            let text = why(&state, &records, Some(&id), wide());
            assert!(text.contains("failed") && text.contains("done") && !text.contains("Hotel"), "{text}");
            let data = why_json(&state, &records, Some(&id));
            assert_eq!(data["failures"].as_array().unwrap().len(), 1);
            assert_eq!(data["decisions"].as_array().unwrap().len(), 1);
        }
        let nobody = why(&state, &records, Some(&fixtures::task_id("nobody")), wide());
        assert!(nobody.contains("no task nobody"), "{nobody}");
    }
}
