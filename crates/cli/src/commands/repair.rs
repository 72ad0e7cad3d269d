//! `candor repair`: a log made anew from what is intact in a damaged one.

use candor_app::{DataFolder, RepairReport, RepairedRun};
use serde_json::{Value, json};

use crate::args::{GlobalOptions, RepairArgs};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) fn repair(global: &GlobalOptions, args: &RepairArgs) -> Result<u8, Failure> {
    let data = DataFolder::find(global.data.as_deref())?;
    let sound = data.verify()?.is_none_or(|verified| verified.problems.is_empty());
    if sound && args.to.is_none() {
        if args.json {
            output::print_json(&json!({ "damaged": false, "runs": [] }))?;
        } else {
            output::print(word!(
                "The log is sound: nothing to repair.\n",
                "El registro está bien: nada que reparar.\n"
            ))?;
        }
        return Ok(code::DONE);
    }
    let to = args.to.as_ref().map(|folder| DataFolder::find(Some(folder))).transpose()?;
    let report = data.repair(to.as_ref())?;
    let place = to.as_ref().unwrap_or(&data).log_path();
    if args.json {
        let runs: Vec<Value> = report.runs.iter().map(as_json).collect();
        output::print_json(
            &json!({ "damaged": !sound, "log": place, "damaged_log": report.kept_as, "runs": runs,
                "unknown_loss": report.unknown_loss }),
        )?;
    } else {
        output::print(&told(&report))?;
        if let Some(reason) = &report.unknown_loss {
            output::print(&say!("More may be lost: {reason}\n", "Puede haberse perdido más: {reason}\n"))?;
        }
        output::print(&say!("Repaired log: {}\n", "Registro reparado: {}\n", place.display()))?;
        if let Some(kept_as) = &report.kept_as {
            output::print(&say!(
                "Damaged log, unchanged: {}\n",
                "Registro dañado, sin cambios: {}\n",
                kept_as.display()
            ))?;
        }
    }
    let complete = report.unknown_loss.is_none() && report.runs.iter().all(|run| run.lost.is_empty());
    Ok(if complete { code::DONE } else { code::FAILED })
}

fn as_json(run: &RepairedRun) -> Value {
    json!({ "run_id": run.run, "saved": run.saved, "apart": run.apart, "lost": run.lost })
}

fn told(report: &RepairReport) -> String {
    let sum = |figure: fn(&RepairedRun) -> u64| report.runs.iter().map(figure).fold(0, u64::saturating_add);
    let mut text = say!(
        "{} events of {} runs saved, {} lost\n",
        "{} eventos de {} ejecuciones salvados, {} perdidos\n",
        sum(|run| run.saved + run.apart),
        report.runs.len(),
        sum(RepairedRun::losses)
    );
    for run in report.runs.iter().filter(|run| !run.lost.is_empty()) {
        text.push_str(&told_of_run(run));
    }
    text
}

/// A run that lost something. What follows a lost event cannot be resumed from: its place in the story is gone.
fn told_of_run(run: &RepairedRun) -> String {
    let ranges: Vec<String> = run
        .lost
        .iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    let mut text = say!(
        "  {}: {} saved, lost: event {}\n",
        "  {}: {} salvados, perdido: evento {}\n",
        run.run,
        run.saved,
        ranges.join(", ")
    );
    if run.apart > 0 {
        text.push_str(&say!("    {} later events are in the table `quarantine`; a resume repeats what they did\n", "    {} eventos posteriores están en la tabla `quarantine`; al reanudar se repite lo que hicieron\n",
            run.apart
        ));
    }
    text
}
