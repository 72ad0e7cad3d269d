//! Answers to questions about a plan, from what is on record: the figures, the tasks and the decisions.

use std::collections::BTreeSet;

use candor_model::{AgentCapability, BriefTask, DecisionEntry, Plan, PlanBrief, Risk, SubTask, TaskId};
use candor_planning::critique::stems;
use candor_planning::{estimate, texts};
use candor_text::{Language, fold};

use super::reference::{resolve, told};
use super::words::{Word, words};

/// How many words that mean nothing here are repeated.
const SHOWN_WORDS: usize = 6;

/// The plan that a person was shown, and what is on record about it.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// Version of the plan that the question is about.
    pub plan: &'a Plan,
    /// The plan in figures.
    pub brief: Option<&'a PlanBrief>,
    /// What was decided, oldest first.
    pub decisions: &'a [DecisionEntry],
    /// Everyone who can be given a task.
    pub agents: &'a [AgentCapability],
}

/// Answers a question by what is on record. Never empty: what it cannot tell, it says, with what it can.
#[must_use]
pub fn answer(question: &str, shown: Shown<'_>) -> String {
    let said = words(question);
    let has = |cues: &[&str]| said.iter().any(|word| cues.iter().any(|cue| matches(word, cue)));
    let task = shown.task_in(&said);
    if has(ORDERING)
        && let Some((task, other)) = shown.two_tasks_in(&said)
    {
        return shown.about_order(task, other);
    }
    let asks_why = has(&["why", "reason*", "por", "porque", "razon*"]);
    let asks_less = has(&[
        "reduce*", "cheaper", "less", "save*", "faster", "quicker", "cut", "lower", "barato", "rapido",
        "reduc*", "ahorr*", "menos", "bajar",
    ]);
    if has(&["risk*", "riesgo*", "wrong", "mal"])
        || (has(&["if", "si"]) && has(&["fail*", "happens", "falla*", "pasa"]))
    {
        return shown.about_risk(&said, task);
    }
    if asks_less {
        return shown.about_less(has(&["time", "fast*", "quick*", "long", "tiempo", "rapido", "duration"]));
    }
    if task.is_none()
        && let Some(strange) = shown.strange_to_plan(question)
    {
        return not_told(&strange);
    }
    if let Some(task) = task {
        if asks_why || has(&["who", "agent*", "quien*", "agente*"]) {
            return shown.about_agent(task);
        }
        return shown.about_task(task);
    }
    if asks_why
        || has(&[
            "strateg*",
            "sequential*",
            "parallel*",
            "hybrid",
            "estrateg*",
            "secuencial*",
            "paralelo",
            "order",
        ])
    {
        return shown.about_strategy();
    }
    if has(&["long", "time", "duration", "when", "tiempo", "tarda*", "dura*", "cuando"]) {
        return shown.about_time();
    }
    if has(&[
        "much", "cost*", "price*", "money", "dollar*", "cuesta", "cuanto", "coste*", "costo*", "precio*",
        "token*",
    ]) {
        return shown.about_cost();
    }
    if has(&["who", "agent*", "quien*", "agente*"]) {
        return shown.about_agents();
    }
    if has(&["alternative*", "option*", "else", "differently", "alternativa*", "opcion*", "otra"]) {
        return shown.about_alternatives();
    }
    not_told("")
}

/// Words by which one asks for the order of two tasks.
const ORDERING: &[&str] = &[
    "after",
    "before",
    "wait*",
    "depend*",
    "need*",
    "first",
    "then",
    "precede*",
    "follow*",
    "despues",
    "antes",
    "espera*",
    "depende*",
    "necesita*",
    "primero",
];

/// Words of questions about any plan; see [`answer`].
const ABOUT_ANY_PLAN: &str = "plan task step strategy order sequential parallel hybrid agent cost price money dollar \
    token time long duration second minute hour day finish done ready start end run take risk fail failure wrong happen \
    alternative option different approach cheap fast quick slow reduce save lower confidence sure choose chosen pick \
    assign work reason decide result output approve change estrategia secuencial paralelo agente coste costo precio \
    dinero cuesta cuestan tiempo tarda dura riesgo falla alternativa opcion orden tarea paso razon";

/// An honest answer to what the plan says nothing about.
fn not_told(strange: &str) -> String {
    let about = if strange.is_empty() { "that".to_owned() } else { format!("“{strange}”") };
    format!(
        "The plan does not tell: it says nothing about {about}. It can be asked why a task has its agent, why one \
         task waits for another, what may go wrong, how long it takes, what it costs, or what else could be done."
    )
}

fn matches(word: &Word, cue: &str) -> bool {
    !word.quoted
        && cue.strip_suffix('*').map_or(word.plain == cue, |beginning| word.plain.starts_with(beginning))
}

impl<'a> Shown<'a> {
    /// The task that some run of the words names, the longest run first.
    fn task_in(&self, said: &[Word]) -> Option<&'a SubTask> {
        for length in (1..=said.len().min(6)).rev() {
            for run in said.windows(length) {
                // A word that is in the question only because it asks must not name a task.
                let asks = |word: &Word| !word.quoted && ASKING.contains(&word.plain.as_str());
                if run.iter().any(asks) {
                    continue;
                }
                if let Ok([id]) = resolve(run, self.plan).as_deref() {
                    return self.plan.task(id);
                }
            }
        }
        None
    }

    /// The two tasks that are named on both sides of a word such as "after".
    fn two_tasks_in(&self, said: &[Word]) -> Option<(&'a SubTask, &'a SubTask)> {
        let cuts = said.iter().enumerate().filter(|(_, word)| ORDERING.iter().any(|cue| matches(word, cue)));
        let pair = |(at, _): (usize, &Word)| {
            let (before, after) = said.split_at_checked(at)?;
            let (task, other) = (self.task_in(before)?, self.task_in(after.get(1..)?)?);
            (task.task_id != other.task_id).then_some((task, other))
        };
        cuts.into_iter().find_map(pair)
    }

    /// Why one task comes after the other, or that it need not.
    fn about_order(&self, task: &SubTask, other: &SubTask) -> String {
        let (task, other) = match self.waits_for(other, task) {
            true => (other, task),
            false => (task, other),
        };
        if task.dependencies.contains(&other.task_id) {
            return format!("{} waits for {}: it needs its results.", told(task), told(other));
        }
        if self.waits_for(task, other) {
            let between: Vec<&str> = task.dependencies.iter().map(|id| id.as_str()).collect();
            let (task, other) = (told(task), told(other));
            return format!("{task} waits for {}, which in turn wait for {other}.", between.join(", "));
        }
        let id = &task.task_id;
        format!(
            "Neither waits for the other: {} and {} may run at once. To change it, say: do {id} after {}.",
            told(task),
            told(other),
            other.task_id
        )
    }

    /// Whether a task waits for another, directly or through others.
    fn waits_for(&self, task: &SubTask, other: &SubTask) -> bool {
        let mut open: Vec<&TaskId> = task.dependencies.iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if *id == other.task_id {
                return true;
            }
            if seen.insert(id) {
                open.extend(self.plan.task(id).into_iter().flat_map(|task| &task.dependencies));
            }
        }
        false
    }

    /// The words of a question of which neither the plan nor anything on record says a word; nothing if there is one
    /// that it does.
    fn strange_to_plan(&self, question: &str) -> Option<String> {
        let language = Language::of(question);
        let asked = stems(question, language);
        let told_of = |task: &SubTask| {
            let agent = task.agent_type.as_str().replace('_', " ");
            format!("{} {} {agent}", told(task), task.description)
        };
        let of_tasks: Vec<String> = self.plan.subtasks.iter().map(told_of).collect();
        let of_risks =
            self.brief.into_iter().flat_map(|brief| &brief.risks).map(|risk| risk.description.as_str());
        let on_record = of_tasks.iter().map(String::as_str).chain(of_risks).chain([ABOUT_ANY_PLAN]);
        let known: BTreeSet<_> = on_record.flat_map(|text| stems(text, language)).collect();
        let asking = ASKING.join(" ");
        let asking = stems(&asking, language);
        let telling: Vec<_> = asked.difference(&asking).collect();
        let is_strange = !telling.is_empty() && telling.iter().all(|word| !known.contains(*word));
        let words = question.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        let strange = |word: &&str| stems(word, language).iter().any(|stem| telling.contains(&stem));
        is_strange.then(|| words.filter(strange).take(SHOWN_WORDS).collect::<Vec<_>>().join(" "))
    }

    fn strategy(&self) -> String {
        let AgentsLine(agents) = AgentsLine::of(self.brief);
        format!("The strategy is {}{agents}", self.plan.execution_strategy)
    }

    /// The latest decision of a kind, on a task or on the whole.
    fn decided(&self, operation: &str, task: Option<&SubTask>) -> Option<&'a DecisionEntry> {
        let wanted = task.map(|task| &task.task_id);
        self.decisions
            .iter()
            .rev()
            .find(|entry| entry.operation == operation && entry.task_id.as_ref() == wanted)
    }

    fn about_strategy(&self) -> String {
        let why = self
            .decided("scale_agents", None)
            .map(|entry| format!(" It was decided because {}.", entry.reasoning))
            .unwrap_or_default();
        let widest = crate::decompose::groups::widest(&self.plan.subtasks);
        let shape = if widest > 1 {
            format!("up to {widest} tasks need nothing of each other and can run side by side")
        } else {
            "every task needs the one before it, so there is nothing to run side by side".to_owned()
        };
        format!("{}: {shape}.{why} {}", self.strategy(), self.alternatives())
    }

    fn about_agent(&self, task: &SubTask) -> String {
        let why = match self.decided("route_task", Some(task)) {
            Some(entry) => entry.reasoning.clone(),
            None => "the plan named it".to_owned(),
        };
        format!("{} is done by {}: {why}. {}", told(task), task.agent_type, others(task))
    }

    fn about_task(&self, task: &SubTask) -> String {
        let needs: Vec<&str> = task.dependencies.iter().map(|id| id.as_str()).collect();
        let needs = if needs.is_empty() { "nothing".to_owned() } else { needs.join(", ") };
        let id = &task.task_id;
        format!(
            "{} waits for {needs} and is done by {}{}. {} To do it differently, say for instance: use \
             AGENT for {id}; describe {id} as \"…\"; do {id} after TASK; remove {id}.",
            told(task),
            task.agent_type,
            texts::basis(task).map(|takes| format!(" ({takes})")).unwrap_or_default(),
            others(task)
        )
    }

    fn about_risk(&self, said: &[Word], task: Option<&SubTask>) -> String {
        let risks = self.brief.map_or(&[][..], |brief| brief.risks.as_slice());
        let number = said.iter().find_map(|word| word.plain.trim_start_matches('#').parse::<usize>().ok());
        let by_number = number.and_then(|number| risks.get(number.checked_sub(1)?));
        let by_words = || {
            let shares =
                |risk: &&Risk| said.iter().filter(|word| word.plain.len() > 3 && is_in(risk, word)).count();
            risks.iter().filter(|risk| shares(risk) > 0).max_by_key(shares)
        };
        if let Some(task) = task.filter(|_| by_number.is_none()) {
            return format!(
                "If {} fails it is reported immediately, and the plan is revised: {} What needs its results waits until \
                 then. The strategy {} stays.",
                told(task),
                others(task),
                self.plan.execution_strategy
            );
        }
        match by_number.or_else(by_words).or_else(|| risks.first()) {
            Some(risk) => format!(
                "Risk ({}): {}. What is done about it: {}.",
                risk.level, risk.description, risk.mitigation
            ),
            None => format!(
                "No risk is on record for this plan. A failed task is reported immediately and the plan is revised. {}.",
                self.strategy()
            ),
        }
    }

    fn about_less(&self, time: bool) -> String {
        let all = self.brief.map_or(&[][..], |brief| brief.alternatives.as_slice());
        let now = self.brief.map(|brief| brief.estimates);
        let better = all.iter().filter(|other| {
            now.is_some_and(|now| {
                let (other, now) = (other.estimates, now);
                match time {
                    true => other.duration.zip(now.duration).is_some_and(|(other, now)| other < now),
                    false => other.cost.zip(now.cost).is_some_and(|(other, now)| other < now),
                }
            })
        });
        let ways: Vec<String> =
            better.map(|other| format!("{} ({}): {}", other.id, other.name, other.tradeoff)).collect();
        let known = self.plan.subtasks.iter().filter(|task| task.metadata.duration_basis.is_some());
        let most = known.max_by(|a, b| {
            let (a, b) = (a.estimated_duration_seconds.get(), b.estimated_duration_seconds.get());
            a.total_cmp(&b)
        });
        let longest = most
            .map(|task| {
                format!(" The longest task is {}; leaving one out (remove TASK) saves its share.", told(task))
            })
            .unwrap_or_default();
        let (what, less) = if time { ("time", "is faster") } else { ("cost", "costs less") };
        match ways.as_slice() {
            [] => format!("{}: no alternative on record {less}.{longest}", self.strategy()),
            ways => format!("{}. To reduce {what}, choose {}.{longest}", self.strategy(), ways.join(", or ")),
        }
    }

    fn about_time(&self) -> String {
        let estimates = self.brief.map(|brief| brief.estimates).unwrap_or_default();
        if let Some(measured) = estimates.measured {
            return format!("{}: {}.", self.strategy(), texts::measured(measured));
        }
        match estimates.duration.zip(estimate::duration(&self.plan.subtasks, Some(1))) {
            Some((now, sum)) => format!(
                "{}: {now} s by what the plan states, {sum} s if the tasks ran one after the other.",
                self.strategy()
            ),
            None => format!("{}: such tasks were not measured yet, so nobody knows.", self.strategy()),
        }
    }

    fn about_cost(&self) -> String {
        let cost = self
            .brief
            .map_or_else(|| estimate::cost(&self.plan.subtasks, self.agents), |brief| brief.estimates.cost);
        let tasks = self.plan.subtasks.len();
        match cost {
            Some(cost) => {
                format!(
                    "${cost} by the agents' prices, one attempt at each of {tasks} tasks. {}.",
                    self.strategy()
                )
            }
            None => format!("None of its agents states a price. {}.", self.strategy()),
        }
    }

    fn about_agents(&self) -> String {
        let who =
            self.plan.subtasks.iter().take(12).map(|task| format!("{} by {}", told(task), task.agent_type));
        format!("{}. {}.", self.strategy(), who.collect::<Vec<_>>().join(", "))
    }

    fn about_alternatives(&self) -> String {
        format!("{}. {}", self.strategy(), self.alternatives())
    }

    fn alternatives(&self) -> String {
        let Some(brief) = self.brief else { return "No alternatives are on record.".to_owned() };
        let others = brief.alternatives.iter().filter(|other| other.id != brief.recommendation);
        let others: Vec<String> =
            others.map(|other| format!("{} ({}): {}", other.id, other.name, other.tradeoff)).collect();
        match others.as_slice() {
            [] => "No other way differs from it.".to_owned(),
            others => format!("Others are {}.", others.join("; ")),
        }
    }
}

/// Words by which one asks; they name no task.
const ASKING: &[&str] = &[
    "why",
    "what",
    "who",
    "how",
    "which",
    "when",
    "can",
    "could",
    "is",
    "are",
    "does",
    "do",
    "did",
    "if",
    "this",
    "that",
    "instead",
    "rather",
    "than",
    "not",
    "use",
    "used",
    "happens",
    "happen",
    "fails",
    "fail",
    "for",
    "agent",
    "agents",
    "strategy",
    "risk",
    "cost",
    "time",
    "plan",
    "por",
    "que",
    "quien",
    "como",
    "cuanto",
    "si",
    "falla",
    "agente",
    "it",
    "be",
    "done",
    "differently",
    "different",
    "approach",
    "long",
    "much",
    "take",
    "takes",
    "task",
    "tasks",
    "the",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
];

/// ` with N agents, …`, if the figures are there.
struct AgentsLine(String);

impl AgentsLine {
    fn of(brief: Option<&PlanBrief>) -> Self {
        let line = |brief: &PlanBrief| {
            let grouped =
                brief.subtasks.iter().filter(|task: &&BriefTask| task.parallel_group.is_some()).count();
            let agents = match brief.agents.total {
                1 => "1 agent".to_owned(),
                total => format!("{total} agents"),
            };
            format!(" with {agents}, {grouped} of {} tasks in parallel groups", brief.subtasks.len())
        };
        Self(brief.map(line).unwrap_or_default())
    }
}

/// Who else could do a task.
fn others(task: &SubTask) -> String {
    let others = task.metadata.ranking.iter().filter(|ranked| ranked.agent_type != task.agent_type);
    let names: Vec<&str> = others.map(|ranked| ranked.agent_type.as_str()).take(3).collect();
    match names.as_slice() {
        [] => "Nobody else is known who could do it.".to_owned(),
        names => format!("It could also be done by {}.", names.join(", ")),
    }
}

fn is_in(risk: &Risk, word: &Word) -> bool {
    fold(&risk.description).contains(&word.plain) || fold(&risk.mitigation).contains(&word.plain)
}
