//! Prints every view of one of the golden logs: `cargo run -p candor --example show_views backup_agent`.
#![allow(clippy::print_stdout, reason = "an example that shows output")]

use candor::view::lines::LineWriter;
use candor::view::live::Live;
use candor::view::{Style, explain, postmortem, report, status, timeline};
use candor_engine::RunState;
use candor_model::{Position, Recorded, RunId};
use candor_planning::report::DecisionFilter;
use candor_testkit::golden::STORIES;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "backup_agent".to_owned());
    let (_, tell) = STORIES.iter().find(|(story, _)| *story == name).ok_or("no such story")?;
    let records: Vec<Recorded> =
        (1..).map(Position).zip(tell()).map(|(position, event)| Recorded { position, event }).collect();
    let run_id = RunId::new("run_test")?;
    let state = RunState::fold(run_id.clone(), &records)?;
    let style = Style::default();

    let mut lines = LineWriter::new();
    for recorded in &records {
        if let Some(told) = lines.tell(recorded) {
            println!("{}", told.render(style));
        }
    }
    let mut live = Live::new(run_id);
    for (at, recorded) in records.iter().enumerate() {
        live.absorb(recorded);
        if at * 3 / 2 == records.len() || at + 1 == records.len() {
            println!(
                "---- live\n{}",
                live.frame(recorded.event.at, Style { colour: true, ..style }).join("\n")
            );
        }
    }
    println!("---- status\n{}", status::text(&state, &records, false, style));
    println!("---- why\n{}", explain::why(&state, &records, None, style));
    let task = state.plan().and_then(|plan| plan.subtasks.first().map(|task| task.task_id.clone()));
    println!("---- why one task\n{}", explain::why(&state, &records, task.as_ref(), style));
    println!("---- timeline\n{}", timeline::text(&records, style));
    println!("---- decisions\n{}", explain::decisions(&records, &DecisionFilter::default(), style));
    println!("---- postmortem\n{}", postmortem::text(&state, &records, style));
    println!("---- report\n{}", report::markdown(&state, &records));
    Ok(())
}
