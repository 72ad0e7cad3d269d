//! `candor plan`: what would be done, without doing it.

use candor_app::{App, DryRuns, Planned};
use candor_ports::Experience;
use serde_json::Map;

use super::{batch, check};
use crate::args::{GlobalOptions, PlanArgs, PlanCommand};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) async fn plan(global: &GlobalOptions, args: PlanArgs) -> Result<u8, Failure> {
    if let Some(PlanCommand::Check { file, json }) = &args.check {
        return check::check(global, file, *json);
    }
    let app = App::build(global)?.discover_agents().await;
    let experience = match app.data.open_if_there()? {
        Some(log) => log.experience().await?,
        None => Experience::default(),
    };
    if args.stdin {
        let runs = DryRuns::new(&app, &args.models)?;
        return batch::answer_lines(async |text| {
            let planned = Planned::by(&runs, experience.clone(), text).await?;
            Ok(Map::from_iter([("plan".to_owned(), planned.as_line())]))
        })
        .await;
    }
    let words = args.words.join(" ");
    if let Some(why) = app.nobody_for(&words, &args.models).await {
        return Err(Failure::from(why));
    }
    let planned = Planned::of(&app, experience, words, &args.models).await?;
    if args.json {
        output::print_json(&planned.as_json())?;
    } else {
        output::print(&planned.as_text(crate::lang::language()))?;
    }
    Ok(if planned.refusal.is_none() { code::DONE } else { code::FAILED })
}
