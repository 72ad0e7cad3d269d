//! Driving a run from the command line: shows it, asks people, and ends with the right exit code.

mod choice;
mod people;
mod plan_talk;
mod prompt;
mod screen;

use std::sync::Arc;

use candor_app::{App, Begin, LoadedRun, Log, load_run};
use candor_engine::Input;
use candor_model::{
    Answer, AskKey, EventBody, ExecutionFeedback, GateId, JsonMap, Position, Question, Recorded, RunId,
    RunStatus, SubTask, Verdict, secret,
};
use candor_ports::Observer;
use candor_projections::verdict::RunVerdict;
use candor_runtime::{DriveError, RunHandle, RunSnapshot, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::watch;

pub(crate) use self::people::{adjustments, json_or_text};
pub(crate) use self::screen::Screen;
use self::screen::Told;
use crate::args::{DriveOptions, GlobalOptions};
use crate::failure::{Failure, code};
use crate::output;

/// Sends what it is told to whoever shows it. The channel is not bounded: what waits in it is on the log
/// already, and the run must not wait for a terminal.
struct Relay(UnboundedSender<Update>);

/// What a run tells while it is driven.
enum Update {
    /// Events that were appended, in order.
    Events(Vec<Recorded>),
    /// What a model says, as it says it.
    Words {
        /// What it was asked.
        ask: AskKey,
        /// Piece of the model's answer.
        words: String,
    },
}

impl Observer for Relay {
    fn on_events(&self, _: &RunId, events: &[Recorded]) {
        // Nobody listens any more when the command is about to end.
        let _ = self.0.send(Update::Events(events.to_vec()));
    }

    fn on_chunk(&self, _: &RunId, ask: &AskKey, words: &str) {
        let _ = self.0.send(Update::Words { ask: ask.clone(), words: words.to_owned() });
    }
}

/// Why driving came to its end.
enum Outcome {
    /// The run has ended.
    Ended(RunStatus),
    /// It waits for a person who is not here.
    Waiting(RunSnapshot),
    /// Ctrl-C was pressed, or the process is told to end.
    Interrupted,
}

/// Drives a run as far as it goes; returns the exit code.
pub(crate) async fn drive(
    app: &App,
    log: Log,
    begin: Begin,
    options: &DriveOptions,
    global: &GlobalOptions,
) -> Result<u8, Failure> {
    let screen = Screen::new(options, begin.run());
    drive_on(app, log, begin, options, global, screen).await
}

/// The same, shown elsewhere.
pub(crate) async fn drive_on(
    app: &App,
    log: Log,
    begin: Begin,
    options: &DriveOptions,
    global: &GlobalOptions,
    screen: Screen,
) -> Result<u8, Failure> {
    let run = begin.run().clone();
    let lease = app.claim(&run).await?;
    let (sender, told) = mpsc::unbounded_channel();
    let tiers = app.models(&options.models)?;
    let (relay, scope) = (Arc::new(Relay(sender)), begin.agent_scope(&log).await?);
    let runtime =
        app.runtime_with_models(log.clone(), &options.faults, tiers.as_ref(), Some(relay), scope)?;
    let mut show = Show { screen, told, caught_up: true };
    show.catch_up(&log, &begin).await?;
    let handle = app.begin(&runtime, begin, lease).await?;
    show.tell_fork(&log, &run).await?;
    let outcome = attend(app, &runtime, handle, &mut show, options).await;
    // Nobody needs the servers of tools any more.
    app.close().await;
    let outcome = outcome.map_err(|failure| cut_short(&failure, &run, app, global))?;
    show.drain()?;
    match app.redactor().taken() {
        0 => {}
        1 => tell!(
            "candor: 1 secret was taken out of what was recorded and shown.",
            "candor: se quitó 1 secreto de lo registrado y mostrado."
        ),
        count => tell!(
            "candor: {count} secrets were taken out of what was recorded and shown.",
            "candor: se quitaron {count} secretos de lo registrado y mostrado."
        ),
    }
    if let Some(problem) = tiers.as_ref().and_then(|tiers| tiers.recording_problem()) {
        tell!(
            "candor: the recording is not complete: {problem}",
            "candor: la grabación no está completa: {problem}"
        );
    }
    let ended = conclude(&log, &run, outcome, show.screen, options, global).await;
    // What is not kept now is computed when figures over all runs are asked for.
    let _ = candor_app::run_metrics::keep_ended(&log, &run).await;
    crate::commands::trace::after_run(app, &log).await;
    ended
}

/// Whether a task that is still to be done gets something that was recorded without its secret.
fn needs_lost_secrets(loaded: &LoadedRun) -> bool {
    let Some(plan) = loaded.state.plan() else { return false };
    let open: Vec<&SubTask> = plan.subtasks.iter().filter(|task| !task.status.is_terminal()).collect();
    let holds = |value: &JsonMap| serde_json::to_string(value).is_ok_and(|text| text.contains(secret::MARK));
    let gets = |feedback: &ExecutionFeedback| {
        holds(&feedback.actual_outputs)
            && open.iter().any(|task| task.dependencies.contains(&feedback.task_id))
    };
    open.iter().any(|task| holds(&task.inputs))
        || loaded.state.feedback().iter().any(|feedback| gets(feedback))
}

/// A run that could not be driven on, because the disk is full for instance, is as far as its log says.
fn cut_short(failure: &Failure, run: &RunId, app: &App, global: &GlobalOptions) -> Failure {
    let (folder, more) = (app.data.path().display(), global.words());
    let message = say!(
        "{failure}\nThe data folder is {folder}. What was told is recorded there. When the cause is gone, go \
         on with: candor resume {run}{more}",
        "{failure}\nLa carpeta de datos es {folder}. Lo mostrado está registrado allí. Cuando la causa desaparezca, continuar con: candor resume {run}{more}"
    );
    Failure { code: failure.code, message }
}

/// Shows what happens, as it happens.
struct Show {
    screen: Screen,
    told: UnboundedReceiver<Update>,
    /// Whether the screen knows all that happened before.
    caught_up: bool,
}

impl Show {
    /// Lets the screen know what happened before; only new events are told.
    async fn catch_up(&mut self, log: &Log, begin: &Begin) -> Result<(), Failure> {
        if let Begin::Resume { run, .. } = begin {
            self.screen.remember(&log.read(run, Position::START).await?);
            if needs_lost_secrets(&load_run(log, run).await?) {
                tell!(
                    "candor: secrets of this run were not recorded; its tasks get [redacted:…] in their place.",
                    "candor: los secretos de esta ejecución no se registraron; sus tareas reciben [redacted:…] en su lugar."
                );
                tell!(
                    "        Give them to the agents by environment variables, or start a new run.",
                    "        Hay que darlos a los agentes con variables de entorno, o empezar una ejecución nueva."
                );
            }
        }
        self.caught_up = !matches!(begin, Begin::Fork { .. });
        Ok(())
    }

    /// A run that was forked shares a past that nobody told here: the screen learns it, and says where it is from.
    async fn tell_fork(&mut self, log: &Log, run: &RunId) -> Result<(), Failure> {
        if self.caught_up {
            return Ok(());
        }
        let records = log.read(run, Position::START).await?;
        let fork = records.first().and_then(|first| match &first.event.body {
            EventBody::RunStarted { forked_from: Some(fork), .. } => Some(fork.clone()),
            _ => None,
        });
        let Some(fork) = fork else { return Ok(()) };
        let past = records.iter().take_while(|recorded| recorded.position <= fork.position);
        self.screen.remember(&past.cloned().collect::<Vec<_>>());
        self.screen.tell_fork(run, &fork)
    }

    fn drain(&mut self) -> Result<(), Failure> {
        while let Ok(told) = self.told.try_recv() {
            self.show(&told)?;
        }
        Ok(())
    }

    fn show(&mut self, told: &Update) -> Result<(), Failure> {
        match told {
            Update::Events(events) => self.screen.tell(events),
            Update::Words { ask, words } => self.screen.hear(ask, words),
        }
    }
}

async fn attend(
    app: &App,
    runtime: &Runtime,
    handle: RunHandle,
    show: &mut Show,
    options: &DriveOptions,
) -> Result<Outcome, Failure> {
    let mut snapshot = handle.snapshot();
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut terminations = signal(SignalKind::terminate())?;
    // The terminal was closed: agents must not go on without a driver.
    let mut hangups = signal(SignalKind::hangup())?;
    loop {
        // First of all: a run that was taken up may wait already, and then nothing will happen by itself.
        if let Some(outcome) = answer(app, runtime, &handle, &mut snapshot, show, options).await? {
            handle.leave().await?;
            return Ok(outcome);
        }
        tokio::select! {
            Some(told) = show.told.recv() => show.show(&told)?,
            changed = snapshot.changed() => {
                if changed.is_err() {
                    break;
                }
            }
            () = show.screen.tick() => show.screen.redraw()?,
            _ = interrupts.recv() => return interrupted(handle).await,
            _ = terminations.recv() => return interrupted(handle).await,
            _ = hangups.recv() => return interrupted(handle).await,
        }
    }
    Ok(Outcome::Ended(handle.ended().await?))
}

async fn interrupted(handle: RunHandle) -> Result<Outcome, Failure> {
    handle.leave().await?;
    Ok(Outcome::Interrupted)
}

/// Deals with a run that waits for a person and has nothing else to do. An outcome means that nobody is here
/// who could answer.
async fn answer(
    app: &App,
    runtime: &Runtime,
    handle: &RunHandle,
    snapshot: &mut watch::Receiver<RunSnapshot>,
    show: &mut Show,
    options: &DriveOptions,
) -> Result<Option<Outcome>, Failure> {
    let now = snapshot.borrow_and_update().clone();
    let waits = matches!(now.status, RunStatus::WaitingHuman | RunStatus::Paused) && !now.busy;
    if !waits {
        return Ok(None);
    }
    show.drain()?;
    let Some((gate, question)) = now.questions.first() else {
        return Ok(Some(Outcome::Waiting(now)));
    };
    // Whoever is asked sees what led to the question.
    show.screen.redraw()?;
    // A pack's programs do the tasks of their own plans only.
    let agents = app.phases().rankable(None, runtime.registry().declared());
    let asked = show.screen.asked(question);
    let mut open = prompt::StillOpen { gate, snapshot: snapshot.clone() };
    loop {
        let answered = people::answer(question, &asked, options, &agents, &mut open).await?;
        // What was asked stands below the frame.
        if people::can_be_asked(options) {
            show.screen.leave_frame();
        }
        if !snapshot.borrow().questions.iter().any(|(other, _)| other == gate) {
            // Somebody else has answered: the run goes on.
            return Ok(None);
        }
        let Some(answer) = answered else { return Ok(Some(Outcome::Waiting(now))) };
        let answer = app.answer_without_secrets(answer);
        match handle.submit(Input::Answered { gate: gate.clone(), answer }).await {
            // Whoever sits at the terminal can say it better at once.
            Err(DriveError::Refused(refusal)) if people::can_be_asked(options) => tell!("{refusal}"),
            given => return given.map(|()| None).map_err(Failure::from),
        }
    }
}

/// Answers a question by `--yes` or by asking on the terminal, without the agents of an installation at hand. `gone`
/// ends when somebody else has answered it.
pub(crate) async fn answer_question(
    gate: &GateId,
    question: &Question,
    screen: &Screen,
    options: &DriveOptions,
    gone: impl Future<Output = ()>,
) -> Result<Option<Answer>, Failure> {
    let questions = vec![(gate.clone(), question.clone())];
    let waiting = RunSnapshot { status: RunStatus::WaitingHuman, questions, busy: false };
    let (still_open, snapshot) = watch::channel(waiting);
    let asked = screen.asked(question);
    let mut open = prompt::StillOpen { gate, snapshot };
    let mut answering = std::pin::pin!(people::answer(question, &asked, options, &[], &mut open));
    tokio::select! {
        answer = &mut answering => return answer,
        () = gone => {}
    }
    still_open.send_modify(|waiting| waiting.questions.clear());
    answering.await
}

/// Whether a run that has ended is done: its verdict is not that it missed its goal, and nobody is strict about what
/// could not be checked.
pub(crate) fn is_done(loaded: &LoadedRun, strict: bool) -> bool {
    let verdict = RunVerdict::of(&loaded.records).verdict;
    match verdict {
        Some(Verdict::Verified) => true,
        Some(Verdict::Unverified) | None => loaded.state.status() == RunStatus::Completed && !strict,
        Some(Verdict::NotMet) => false,
    }
}

/// Says how it ended and what can be done now.
async fn conclude(
    log: &Log,
    run: &RunId,
    outcome: Outcome,
    screen: Screen,
    options: &DriveOptions,
    global: &GlobalOptions,
) -> Result<u8, Failure> {
    let (strict, asked_here) = (options.strict, people::can_be_asked(options));
    let loaded = load_run(log, run).await?;
    let told = screen.told();
    screen.close(&loaded)?;
    let more = global.words();
    match outcome {
        Outcome::Ended(_) if is_done(&loaded, strict) => Ok(code::DONE),
        Outcome::Ended(RunStatus::Completed) => Ok(code::FAILED),
        Outcome::Ended(_) if told == Told::Aside => Ok(code::FAILED),
        Outcome::Ended(_) => {
            // Where the last lines of the run are read too, nothing of them is said twice.
            match (told, output::is_one_place()) {
                (Told::Lines, true) => {}
                (_, one_place) => {
                    let why = people::why_ended(&loaded, one_place && told == Told::Drawn);
                    if !why.is_empty() {
                        output::complain(&why);
                    }
                    output::complain(&say!(
                        "candor: what can be done: candor postmortem {run}{more}",
                        "candor: qué se puede hacer: candor postmortem {run}{more}"
                    ));
                }
            }
            Ok(code::FAILED)
        }
        Outcome::Waiting(snapshot) => {
            // A frame shows the question and the commands that answer it, unless they are put below it.
            let is_shown = told == Told::Drawn && output::is_one_place() && !asked_here;
            if !is_shown || snapshot.questions.is_empty() {
                output::complain(&people::how_to_go_on(run, &snapshot, &more));
            }
            Ok(code::WAITING)
        }
        Outcome::Interrupted => {
            tell!(
                "candor: interrupted; nothing is lost. Go on with: candor resume {run}{more}",
                "candor: interrumpida; no se ha perdido nada. Continuar con: candor resume {run}{more}"
            );
            Ok(code::INTERRUPTED)
        }
    }
}
