//! Understands changes that are said plainly, in English or in Spanish.
//!
//! A change is a verb, a task and what is to become of it. Every word must have its part in that: what is left
//! over is not understood, and told.

use std::fmt;

use candor_model::{AgentCapability, AgentType, Plan, TaskId};
use serde_json::Value;

use super::cursor::{after_any, split_at, split_last, trimmed};
use super::phrases::{
    AROUND_ORDER, AROUND_PRIORITY, DESCRIBING, GIVING, REMOVING, RENAMING, SETTING, TO, USING,
};
use super::reference::{resolve, resolve_one};
use super::words::{Word, words, written};
use super::{Edit, whole};

/// How a change can be said; told to whoever was not understood.
const HOW: &str = "Say it like this: remove TASK; use AGENT for TASK; set priority of TASK to 8; do TASK after \
                   TASK; describe TASK as \"…\"; set KEY to VALUE for TASK; one at a time; in parallel; cheaper. \
                   TASK is an id such as task_002, a place such as T1.1, a number, or words of its name.";

/// A change of which a part was not understood; nothing of it is made.
#[derive(Debug, Clone, PartialEq)]
pub struct NotUnderstood {
    /// The part, in the person's words.
    pub part: String,
    /// Why, if that can be told.
    pub why: Option<String>,
    /// What was understood before it.
    pub understood: Vec<Edit>,
}

impl fmt::Display for NotUnderstood {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Nothing was changed: \"{}\" was not understood", self.part)?;
        if let Some(why) = &self.why {
            write!(formatter, " ({why})")?;
        }
        if !self.understood.is_empty() {
            let edits: Vec<String> = self.understood.iter().map(ToString::to_string).collect();
            write!(formatter, ". Understood was: {}", edits.join("; "))?;
        }
        write!(formatter, ". {HOW}")
    }
}

/// Reads the changes that a text asks for.
///
/// # Errors
/// [`NotUnderstood`] with the first part that makes no sense here.
pub fn parse(text: &str, plan: &Plan, agents: &[AgentCapability]) -> Result<Vec<Edit>, NotUnderstood> {
    let said = words(text);
    let pieces = pieces(&said);
    let reader = Reader { plan, agents };
    let mut edits: Vec<Edit> = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        let (taken, read) = reader.next(pieces.get(at..).unwrap_or_default(), edits.last());
        match read {
            Ok(more) => edits.extend(more),
            Err(why) => {
                let part = pieces.get(at).map(|piece| written(piece)).unwrap_or_default();
                return Err(NotUnderstood { part, why, understood: edits });
            }
        }
        at += taken;
    }
    if edits.is_empty() {
        return Err(NotUnderstood { part: text.trim().to_owned(), why: None, understood: edits });
    }
    Ok(edits)
}

/// Words that may stand between two changes.
const BETWEEN: &[&str] =
    &["and", "then", "also", "but", "y", "e", "luego", "despues,", "tambien", "pero", "ademas"];

/// Cuts words where one change may end and the next begin.
fn pieces(said: &[Word]) -> Vec<Vec<Word>> {
    let mut pieces: Vec<Vec<Word>> = vec![Vec::new()];
    for word in said {
        if word.is_any(BETWEEN) {
            pieces.push(Vec::new());
            continue;
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(word.clone());
        }
        if word.ends {
            pieces.push(Vec::new());
        }
    }
    pieces.retain(|piece| !polished(piece).is_empty());
    pieces
}

/// Words that are only polite, at either end.
const POLITE: &[&str] = &[
    "please", "por", "favor", "can", "could", "would", "you", "i", "want", "i'd", "like", "to", "let's",
    "lets", "just", "maybe", "quiero", "quisiera", "puedes", "podrias", "que", "instead", "too", "ok",
    "okay", "yes", "si", "now", "ahora",
];

fn polished(piece: &[Word]) -> &[Word] {
    let is_polite = |word: &Word| word.is_any(POLITE);
    let start = piece.iter().position(|word| !is_polite(word)).unwrap_or(piece.len());
    let rest = piece.get(start..).unwrap_or_default();
    let end = rest.iter().rposition(|word| !word.is_any(&["please", "favor", "por", "instead", "too"]));
    rest.get(..end.map_or(0, |end| end + 1)).unwrap_or_default()
}

/// What came of reading some words: changes, or nothing and perhaps why.
type Read = Result<Vec<Edit>, Option<String>>;

/// One kind of change; nothing if the words are no such change.
type Way<R> = fn(&R, &[Word]) -> Option<Read>;

struct Reader<'a> {
    plan: &'a Plan,
    agents: &'a [AgentCapability],
}

impl Reader<'_> {
    /// Reads the change at the beginning; says how many pieces it took.
    fn next(&self, pieces: &[Vec<Word>], last: Option<&Edit>) -> (usize, Read) {
        let mut first_why = None;
        for taken in 1..=pieces.len().min(4) {
            let joined: Vec<Word> = pieces.iter().take(taken).flatten().cloned().collect();
            match self.clause(polished(&joined)) {
                Ok(edits) => return (taken, Ok(edits)),
                Err(why) => first_why = first_why.or(why),
            }
        }
        let bare = pieces.first().map_or(&[][..], |piece| polished(piece));
        match self.carried_on(bare, last) {
            Some(edits) => (1, Ok(edits)),
            None => (1, Err(first_why)),
        }
    }

    /// `remove A and B`: the second task goes with the verb of the first.
    fn carried_on(&self, bare: &[Word], last: Option<&Edit>) -> Option<Vec<Edit>> {
        let tasks = resolve(bare, self.plan).ok()?;
        match last? {
            Edit::Remove(_) => Some(tasks.into_iter().map(Edit::Remove).collect()),
            Edit::After(task, _) => {
                Some(tasks.into_iter().map(|first| Edit::After(task.clone(), first)).collect())
            }
            Edit::Agent(_, agent) => {
                Some(tasks.into_iter().map(|task| Edit::Agent(task, agent.clone())).collect())
            }
            Edit::Priority(_, number) => {
                Some(tasks.into_iter().map(|task| Edit::Priority(task, *number)).collect())
            }
            _ => None,
        }
    }

    fn clause(&self, said: &[Word]) -> Read {
        let ways: [Way<Self>; 7] = [
            Self::whole_plan,
            Self::removal,
            Self::priority,
            Self::agent,
            Self::wording,
            Self::order,
            Self::setting,
        ];
        ways.iter().find_map(|way| way(self, said)).unwrap_or(Err(None))
    }

    /// Cheaper; one at a time; in parallel.
    fn whole_plan(&self, said: &[Word]) -> Option<Read> {
        whole::edit(said).map(|edit| Ok(vec![edit]))
    }

    fn removal(&self, said: &[Word]) -> Option<Read> {
        let task = after_any(said, REMOVING)?;
        let removed = resolve(task, self.plan).map(|tasks| tasks.into_iter().map(Edit::Remove).collect());
        Some(removed.map_err(Some))
    }

    fn priority(&self, said: &[Word]) -> Option<Read> {
        let place = said.iter().position(|word| word.is_any(&["priority", "prioridad"]))?;
        let number = said.iter().position(|word| !word.quoted && word.plain.parse::<u8>().is_ok());
        // The number stands at the end, or right behind the word: `priority 9 for TASK`.
        let end = said.len().checked_sub(1)?;
        let number = number
            .filter(|at| *at == place + 1)
            .or_else(|| said.get(end).filter(|word| word.plain.parse::<u8>().is_ok()).map(|_| end))?;
        let value: u8 = said.get(number)?.plain.parse().ok()?;
        let rest = said
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != place && *at != number)
            .map(|(_, word)| word.clone());
        let rest: Vec<Word> = rest.collect();
        let task = trimmed(&rest, AROUND_PRIORITY);
        Some(resolve_one(task, self.plan).map(|task| vec![Edit::Priority(task, value)]).map_err(Some))
    }

    fn agent(&self, said: &[Word]) -> Option<Read> {
        let (agent, task) = if let Some(rest) = after_any(said, USING) {
            split_at(rest, &["for", "do", "on", "para", "en", "haga"])?
        } else {
            let (task, agent) = split_last(after_any(said, GIVING)?, &["to", "a", "al"])?;
            (agent, task)
        };
        let found = self.agent_named(agent).and_then(|agent| {
            let tasks = resolve(task, self.plan)?;
            Ok(tasks.into_iter().map(|task| Edit::Agent(task, agent.clone())).collect())
        });
        Some(found.map_err(Some))
    }

    fn agent_named(&self, said: &[Word]) -> Result<AgentType, String> {
        let said = trimmed(said, &["the", "el", "la", "al", "agent", "agente"]);
        let wanted: Vec<&str> = said.iter().flat_map(|word| word.plain.split(['_', '-', ' '])).collect();
        let joined = wanted.join("_");
        let name = |agent: &AgentCapability| agent.agent_type.as_str().to_lowercase().replace('-', "_");
        let exact = self.agents.iter().find(|agent| {
            name(agent) == joined
                || name(agent) == format!("{joined}_agent")
                || name(agent) == format!("{joined}agent")
        });
        let has_all = |agent: &&AgentCapability| {
            let name = name(agent);
            !wanted.is_empty() && wanted.iter().all(|wanted| name.split('_').any(|part| part == *wanted))
        };
        let fitting: Vec<&AgentCapability> = self.agents.iter().filter(has_all).collect();
        match (exact, fitting.as_slice()) {
            (Some(agent), _) => Ok(agent.agent_type.clone()),
            (None, [agent]) => Ok(agent.agent_type.clone()),
            _ => {
                let known: Vec<&str> =
                    self.agents.iter().map(|agent| agent.agent_type.as_str()).take(20).collect();
                Err(format!("\"{}\" is no agent here; there are {}", written(said), known.join(", ")))
            }
        }
    }

    fn wording(&self, said: &[Word]) -> Option<Read> {
        let (rest, is_name) = match after_any(said, RENAMING) {
            Some(rest) => (rest, true),
            None => (after_any(said, DESCRIBING)?, false),
        };
        let quote = rest.iter().position(|word| word.quoted);
        let (task, text) = match quote {
            Some(at) if at + 1 == rest.len() => {
                let task = trimmed(rest.get(..at)?, &["as", "to", "a", "como", "into", "por"]);
                (task, rest.get(at)?.written.clone())
            }
            // Words without quotes are taken as they are, but only behind a clear `as`.
            _ => {
                let (task, text) =
                    split_at(rest, if is_name { &["to", "as", "a", "como"] } else { &["as", "como"] })?;
                (task, written(text))
            }
        };
        let made = |task: TaskId| if is_name { Edit::Rename(task, text) } else { Edit::Describe(task, text) };
        Some(resolve_one(task, self.plan).map(|task| vec![made(task)]).map_err(Some))
    }

    fn order(&self, said: &[Word]) -> Option<Read> {
        let (at, is_after) = said.iter().enumerate().find_map(|(at, word)| match word.plain.as_str() {
            "after" | "despues" | "tras" => Some((at, true)),
            "before" | "antes" => Some((at, false)),
            _ => None,
        })?;
        let one = trimmed(said.get(..at)?, AROUND_ORDER);
        let other = trimmed(said.get(at + 1..)?, &["de", "del", "doing", "hacer"]);
        let found = resolve_one(one, self.plan).and_then(|one| Ok((one, resolve_one(other, self.plan)?)));
        let edit =
            |(one, other)| vec![if is_after { Edit::After(one, other) } else { Edit::After(other, one) }];
        Some(found.map(edit).map_err(Some))
    }

    /// `set KEY to VALUE for TASK`, `set KEY of TASK to VALUE`.
    fn setting(&self, said: &[Word]) -> Option<Read> {
        let rest = after_any(said, SETTING)?;
        let (key, task, value) = match split_at(rest, &["of", "de", "del"]) {
            Some((key, rest)) => {
                let (task, value) = split_last(rest, TO)?;
                (key, task, value)
            }
            None => {
                let (key, rest) = split_at(rest, TO)?;
                let (value, task) = split_last(rest, &["for", "on", "para", "in"])?;
                (key, task, value)
            }
        };
        let key = trimmed(key, &["the", "el", "la", "los", "las"]);
        let key = key.iter().map(|word| word.plain.as_str()).collect::<Vec<_>>().join("_");
        if key.is_empty() || value.is_empty() {
            return None;
        }
        if ["agent", "agent_type", "agente"].contains(&key.as_str()) {
            let found = self.agent_named(value).and_then(|agent| Ok((resolve_one(task, self.plan)?, agent)));
            return Some(found.map(|(task, agent)| vec![Edit::Agent(task, agent)]).map_err(Some));
        }
        Some(
            resolve_one(task, self.plan)
                .map(|task| vec![Edit::Set(task, key, value_of(value))])
                .map_err(Some),
        )
    }
}

/// A value as data: numbers and truth values as such, everything else as text.
fn value_of(said: &[Word]) -> Value {
    let text = match said {
        [only] => only.written.clone(),
        several => written(several),
    };
    if said.iter().any(|word| word.quoted) {
        return Value::String(text.trim_matches('"').to_owned());
    }
    let number = text.trim_start_matches(['$', '€']).trim_end_matches('€').replace(',', "");
    match serde_json::from_str(&number) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ => Value::String(text),
    }
}
