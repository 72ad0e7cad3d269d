//! What the hook knows of trust: signals in prompts, calls that people allowed, and how Candor's own runs and agents did.

use candor_app::{App, DataFolder};
use candor_language::trust::{Signal, signal};
use candor_model::{RiskClass, Verdict};
use candor_planning::trust::{TrustEntry, TrustRecord};
use candor_ports::RunFilter;
use serde_json::{Value, json};

use super::Event;
use crate::args::{GlobalOptions, TrustArgs, TrustCommand};
use crate::failure::{Failure, code};
use crate::output;

/// An agent with fewer attempts has no record worth a word.
const FEWEST_ATTEMPTS: u64 = 3;

/// Notes a prompt; what its signal means for the assistant.
pub(super) fn heard(data: &DataFolder, event: &Event) -> Option<&'static str> {
    let signal = signal(&event.prompt);
    let approves = signal.map(|signal| signal == Signal::Trust);
    note(data, &TrustEntry::Prompt { session: event.session_id.clone(), approves });
    Some(match signal? {
        Signal::Trust => {
            "The person leaves the choices to you. What cannot be undone is asked about all the same."
        }
        Signal::Distrust => {
            "The person objects to what was done: stop, say what you changed and how to undo it, and ask how to go on."
        }
    })
}

/// What is said of a call that may need a person's word, and kept as asked.
pub(super) fn asked(data: &DataFolder, event: &Event, class: RiskClass) -> Option<String> {
    let record = data.trust();
    let careful = record.careful_for(&event.session_id);
    if !class.asks() && careful == 0 {
        return None;
    }
    note(data, &TrustEntry::Asked { call: event.call(), class });
    if !class.asks() {
        return Some(say!(
            "you objected to what was done before; changes are asked about until you say “go ahead”, or for {careful} more prompts",
            "hubo una objeción a lo hecho antes; se pregunta por los cambios hasta oír «adelante», o durante {careful} peticiones más"
        ));
    }
    let known = record.calls.get(&class).copied().unwrap_or_default();
    Some(match known.asked {
        0 => word!("the first such call here", "la primera llamada así aquí").to_owned(),
        asked => say!(
            "you allowed {} of {asked} such calls before",
            "se permitieron antes {} de {asked} llamadas así",
            known.allowed
        ),
    })
}

/// Notes that a call ran which a person was asked about.
pub(super) fn ran(data: &DataFolder, event: &Event) {
    let call = event.call();
    if data.trust().waits(&call) {
        note(data, &TrustEntry::Ran { call });
    }
}

/// A hook that cannot keep something must not stop the assistant.
fn note(data: &DataFolder, entry: &TrustEntry) {
    if let Err(error) = data.note_trust(entry) {
        tell!("candor: {error}");
    }
}

/// What was measured of Candor's own work: runs by verdict, and agents by attempts.
#[derive(Debug, Default)]
pub(super) struct Measured {
    /// Runs that have ended and were judged, and those of them that reached their goal.
    runs: (u64, u64),
    /// Agents with attempts and successes.
    agents: Vec<(String, u64, u64)>,
}

impl Measured {
    pub(super) async fn of(data: &DataFolder) -> Self {
        if !data.log_path().exists() {
            return Self::default();
        }
        let Ok((log, _)) = data.open_quietly() else { return Self::default() };
        let runs = log.runs(RunFilter::default()).await.unwrap_or_default();
        let verdicts: Vec<Verdict> = runs.iter().filter_map(|run| run.summary.verdict).collect();
        let reached = verdicts.iter().filter(|verdict| **verdict == Verdict::Verified).count();
        let measured = log.experience().await.map(|experience| experience.measured).unwrap_or_default();
        let agents =
            measured.into_iter().map(|(agent, did)| (agent.to_string(), did.attempts, did.successes));
        Self { runs: (verdicts.len() as u64, reached as u64), agents: agents.collect() }
    }

    /// One line about the runs so far, where there are any.
    pub(super) fn of_runs(&self) -> Option<String> {
        let (judged, reached) = self.runs;
        (judged > 0).then(|| format!("{reached} of {judged} runs of Candor were verified here so far."))
    }

    /// Agents that a prompt names and that fail more often than not.
    pub(super) fn doubtful(&self, prompt: &str) -> Vec<String> {
        let poor = self.agents.iter().filter(|(_, attempts, successes)| {
            *attempts >= FEWEST_ATTEMPTS && successes.saturating_mul(2) < *attempts
        });
        let prompt = candor_text::fold(prompt);
        let named = poor.filter(|(name, ..)| {
            candor_text::says(&prompt, name) || candor_text::says(&prompt, &name.replace('_', " "))
        });
        named
            .map(|(name, attempts, successes)| {
                format!(
                    "The agent {name} succeeded in {successes} of {attempts} attempts: check what it gives."
                )
            })
            .collect()
    }
}

/// `candor trust`.
pub(crate) async fn trust(global: &GlobalOptions, args: &TrustArgs) -> Result<u8, Failure> {
    let data = App::build(global)?.data;
    if let Some(TrustCommand::Clear) = args.command {
        data.forget_trust()?;
        tell!(
            "candor: forgot signals and allowed calls; runs and agents keep their records",
            "candor: olvidadas las señales y las llamadas permitidas; las ejecuciones y los agentes conservan sus registros"
        );
        return Ok(code::DONE);
    }
    let (record, mut measured) = (data.trust(), Measured::of(&data).await);
    args.listing.cut(&mut measured.agents);
    if args.listing.json {
        output::print_json(&as_json(&record, &measured))?;
    } else {
        output::print(&as_text(&record, &measured))?;
    }
    Ok(code::DONE)
}

fn as_json(record: &TrustRecord, measured: &Measured) -> Value {
    let agents = measured.agents.iter().map(|(name, attempts, successes)| {
        (name.clone(), json!({ "attempts": attempts, "successes": successes }))
    });
    let (judged, verified) = measured.runs;
    json!({
        "assistant": record,
        "runs": { "judged": judged, "verified": verified },
        "agents": agents.collect::<serde_json::Map<_, _>>(),
    })
}

fn as_text(record: &TrustRecord, measured: &Measured) -> String {
    let TrustRecord { prompts, approvals, objections, .. } = record;
    let mut text = say!(
        "coding assistant: {prompts} prompts, {approvals} that approve, {objections} that object\n",
        "asistente de programación: {prompts} peticiones, {approvals} que aprueban, {objections} que objetan\n"
    );
    for (session, left) in &record.careful {
        text.push_str(&say!("session {session}: changes are asked about for {left} more prompts, or until you approve\n", "sesión {session}: se pregunta por los cambios durante {left} peticiones más, o hasta una aprobación\n"
        ));
    }
    for (class, known) in &record.calls {
        text.push_str(&say!(
            "{class}: {} of {} calls allowed\n",
            "{class}: {} de {} llamadas permitidas\n",
            known.allowed,
            known.asked
        ));
    }
    if let Some(line) = measured.of_runs() {
        text.push_str(&format!("{line}\n"));
    }
    for (name, attempts, successes) in &measured.agents {
        text.push_str(&say!(
            "{name}: {successes} of {attempts} attempts succeeded\n",
            "{name}: {successes} de {attempts} intentos logrados\n"
        ));
    }
    text
}
