//! Ways to show a run: JSON lines, plain lines, a frame that is drawn again and again; and plain lines beside a
//! result that is somebody else's to print.

use std::time::Duration;

use candor_app::LoadedRun;
use candor_model::{AskKey, EventBody, ForkedFrom, Question, Recorded, RunId};
use candor_planning::degradation;
use candor_projections::verdict::RunVerdict;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::args::DriveOptions;
use crate::failure::Failure;
use crate::lang::language;
use crate::output;
use crate::view::level::Level;
use crate::view::lines::LineWriter;
use crate::view::live::Live;
use crate::view::{self, Style};

/// No sentence below a frame is longer.
const LONGEST: usize = 100;
/// How often a frame is drawn at most.
const FRAME: Duration = Duration::from_millis(100);

/// Where a run is shown.
pub(crate) enum Screen {
    /// One JSON object per event.
    Json(RunId),
    /// One line per event that a person wants to see.
    Lines(Box<LineWriter>, Style),
    /// The live view, redrawn in place.
    Drawn(Box<Drawn>),
    /// Lines on standard error, if anybody wants them: standard output is for what came of it.
    Aside(Option<Box<LineWriter>>),
}

/// In which form a run is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    Json,
    Lines,
    Drawn,
    Aside,
}

/// A frame on the terminal.
pub(crate) struct Drawn {
    live: Live,
    style: Style,
    /// The last frame; empty if the next one is not drawn over it.
    last: Vec<String>,
    /// When the next frame may be drawn.
    next: Instant,
}

impl Screen {
    pub(crate) fn new(options: &DriveOptions, run: &RunId) -> Self {
        let (style, asks) = (output::style(), super::people::can_be_asked(options));
        if options.json {
            Self::Json(run.clone())
        } else if options.plain || options.verbose || options.quiet || !output::is_screen() {
            let level = match (options.verbose, options.quiet) {
                (true, _) => Level::All,
                (_, true) => Level::Result,
                _ => Level::Usual,
            };
            let writer = LineWriter::at(level);
            let writer = if asks { writer.without_questions() } else { writer };
            Self::Lines(Box::new(writer), style)
        } else {
            let live = if asks { Live::new(run.clone()).without_questions() } else { Live::new(run.clone()) };
            Self::Drawn(Box::new(Drawn { live, style, last: Vec::new(), next: Instant::now() }))
        }
    }

    /// In which form a run is told here.
    pub(super) const fn told(&self) -> Told {
        match self {
            Self::Json(_) => Told::Json,
            Self::Lines(..) => Told::Lines,
            Self::Drawn(_) => Told::Drawn,
            Self::Aside(_) => Told::Aside,
        }
    }

    /// A question in words, with the name of its task where that is known.
    pub(super) fn asked(&self, question: &Question) -> String {
        match self {
            Self::Lines(writer, _) | Self::Aside(Some(writer)) => writer.question(question),
            Self::Drawn(drawn) => drawn.live.question(question),
            Self::Json(_) | Self::Aside(None) => LineWriter::new().question(question),
        }
    }

    /// One that leaves standard output alone.
    pub(crate) fn aside(quiet: bool) -> Self {
        Self::Aside((!quiet).then(|| Box::new(LineWriter::new())))
    }

    /// Takes note of what happened before, without telling it.
    pub(crate) fn remember(&mut self, events: &[Recorded]) {
        match self {
            Self::Json(_) | Self::Aside(None) => {}
            Self::Lines(writer, _) | Self::Aside(Some(writer)) => {
                events.iter().for_each(|event| _ = writer.tell(event));
            }
            Self::Drawn(drawn) => events.iter().for_each(|event| drawn.live.absorb(event)),
        }
    }

    /// Prints the lines of events.
    pub(crate) fn tell(&mut self, events: &[Recorded]) -> Result<(), Failure> {
        match self {
            Self::Json(run) => output::print_as_is(&json_lines(run, events)?),
            Self::Lines(writer, style) => {
                let told = events.iter().filter_map(|event| writer.tell(event));
                let text: String = told.map(|line| line.render(*style) + "\n").collect();
                if text.is_empty() { Ok(()) } else { output::print(&text) }
            }
            Self::Drawn(drawn) => {
                events.iter().for_each(|event| drawn.live.absorb(event));
                Ok(())
            }
            Self::Aside(writer) => {
                // What goes on around the one task is of no interest; what came of it is told at the end.
                let is_work = |event: &&Recorded| matches!(event.event.body, EventBody::AgentNoted { .. });
                let told = events.iter().filter(is_work).filter_map(|event| writer.as_mut()?.tell(event));
                told.for_each(|line| tell!("{}", line.render(Style::default())));
                Ok(())
            }
        }
    }

    /// Says where a run that was forked comes from.
    pub(super) fn tell_fork(&self, run: &RunId, fork: &ForkedFrom) -> Result<(), Failure> {
        match self {
            Self::Json(_) => output::print_json(&json!({ "run_id": run, "event": "forked", "from": fork })),
            Self::Lines(..) | Self::Drawn(_) => output::print(&view::status::forked(run, fork)),
            Self::Aside(_) => Ok(()),
        }
    }

    /// Hears a model's words as they come. Plain lines are for what is certain, and leave them out.
    pub(super) fn hear(&mut self, ask: &AskKey, words: &str) -> Result<(), Failure> {
        match self {
            Self::Json(run) => {
                output::print_json(&json!({ "run_id": run, "event": "words", "ask": ask, "words": words }))
            }
            Self::Lines(..) | Self::Aside(_) => Ok(()),
            Self::Drawn(drawn) => {
                drawn.live.hear(&ask.step, words);
                Ok(())
            }
        }
    }

    /// Waits until it is time for another frame; for ever where nothing is drawn.
    pub(super) async fn tick(&self) {
        match self {
            Self::Drawn(drawn) => tokio::time::sleep_until(drawn.next).await,
            _ => std::future::pending().await,
        }
    }

    /// Draws a frame over the last one.
    pub(crate) fn redraw(&mut self) -> Result<(), Failure> {
        match self {
            Self::Drawn(drawn) => drawn.draw(),
            _ => Ok(()),
        }
    }

    /// Leaves the last frame where it is: the next one is drawn below what was written since.
    pub(crate) fn leave_frame(&mut self) {
        if let Self::Drawn(drawn) = self {
            drawn.last.clear();
        }
    }

    /// Leaves the summary on the screen.
    pub(crate) fn close(mut self, loaded: &LoadedRun) -> Result<(), Failure> {
        match &mut self {
            Self::Json(_) => output::print_json(&report_line(loaded)),
            Self::Lines(_, style) => results(loaded, *style),
            Self::Drawn(drawn) => {
                drawn.draw()?;
                results(loaded, drawn.style)?;
                let sentence = RunVerdict::told(&loaded.records, language()).sentence;
                let lines = sentence.map(|sentence| {
                    view::wrapped(
                        drawn.live.without_told_cause(&sentence),
                        drawn.style.columns().min(LONGEST),
                    )
                    .join("\n")
                });
                lines.map_or(Ok(()), |lines| output::print(&format!("\n{lines}\n")))
            }
            Self::Aside(_) => Ok(()),
        }
    }
}

/// What came out, once everything has.
fn results(loaded: &LoadedRun, style: Style) -> Result<(), Failure> {
    let text = view::results::text(&loaded.state, style);
    if loaded.state.status().is_end() {
        if !text.is_empty() {
            output::print(&format!("\n{text}"))?;
        }
        if let Some(report) = degradation::report(loaded.state.degradation()) {
            output::print(&format!("\n{report}\n"))?;
        }
    }
    Ok(())
}

impl Drawn {
    /// Draws the screen over the last frame. What has not changed since is not written again.
    fn draw(&mut self) -> Result<(), Failure> {
        // The window may have another size by now.
        self.style = output::style();
        let frame = self.live.frame_within(candor_runtime::wall(), self.style, output::frame_rows());
        self.next = Instant::now() + FRAME;
        if frame == self.last {
            return Ok(());
        }
        let mut text = String::new();
        if !self.last.is_empty() {
            text.push_str(&format!("\x1b[{}A\r\x1b[J", self.last.len()));
        }
        frame.iter().for_each(|line| {
            text.push_str(line);
            text.push('\n');
        });
        self.last = frame;
        output::print_as_is(&text)
    }
}

/// One JSON object per event: its name under `event`, its fields beside it.
pub(crate) fn json_lines(run: &RunId, events: &[Recorded]) -> Result<String, Failure> {
    let mut text = String::new();
    for recorded in events {
        text.push_str(&serde_json::to_string(&json_line(run, recorded)?)?);
        text.push('\n');
    }
    Ok(text)
}

fn json_line(run: &RunId, recorded: &Recorded) -> Result<Value, Failure> {
    let mut line = json!({
        "run_id": run,
        "position": recorded.position,
        "timestamp": recorded.event.at,
    });
    if let (Value::Object(line), Value::Object(body)) =
        (&mut line, serde_json::to_value(&recorded.event.body)?)
    {
        for (name, fields) in body {
            line.insert("event".to_owned(), Value::String(name));
            if let Value::Object(fields) = fields {
                // What is said of the whole line comes first: a field of the same name is the same thing.
                fields.into_iter().for_each(|(key, value)| _ = line.entry(key).or_insert(value));
            }
        }
    }
    Ok(line)
}

fn report_line(loaded: &LoadedRun) -> Value {
    let mut report = view::report_json(&loaded.state, &loaded.records);
    if let Value::Object(fields) = &mut report {
        fields.insert("event".to_owned(), Value::String("report".to_owned()));
    }
    report
}
