//! `candor prune`: removes old runs that have ended, and gives their space back.

use candor_app::config::Retention;
use candor_app::{App, DataFolder};
use candor_model::Timestamp;
use serde_json::json;

use crate::args::{GlobalOptions, Period, PruneArgs};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) async fn prune(global: &GlobalOptions, args: &PruneArgs) -> Result<u8, Failure> {
    let app = App::build(global)?;
    let set = &app.config.retention;
    let Some(age) = args.older_than.or(set.older_than) else {
        return Err(Failure::usage(word!(
            "say which runs: `candor prune --older-than 30d`, or set older_than under [retention] in candor.toml",
            "indicar qué ejecuciones: `candor prune --older-than 30d`, o definir older_than en [retention] de candor.toml"
        )));
    };
    let (before, keep) = (age.before(now()), args.keep.unwrap_or(set.keep));
    let Some(log) = app.data.open_if_there()? else {
        return told(args, &[], 0);
    };
    let mut outdated = DataFolder::outdated(&log, before, keep).await?;
    if args.dry_run {
        let query = args.runs.query(&Period::default());
        outdated.retain(|entry| query.admits(entry));
        args.listing.cut(&mut outdated);
    } else if !args.runs.is_open() || args.listing.limit.is_some() {
        return Err(Failure::usage(word!(
            "--status, --project, --user and --limit choose what --dry-run lists; runs are removed by age",
            "--status, --project, --user y --limit eligen lo que muestra --dry-run; las ejecuciones se quitan por antigüedad"
        )));
    }
    let runs: Vec<String> = outdated.iter().map(|entry| entry.summary.run_id.to_string()).collect();
    drop(log);
    if args.dry_run {
        return told(args, &runs, 0);
    }
    app.data.prune(before, keep).await?;
    let freed = app.data.compact()?;
    told(args, &runs, freed)
}

fn told(args: &PruneArgs, runs: &[String], freed: u64) -> Result<u8, Failure> {
    if args.listing.json {
        output::print_json(&json!({ "removed": !args.dry_run, "runs": runs, "freed_bytes": freed }))?;
        return Ok(code::DONE);
    }
    if args.dry_run {
        runs.iter().try_for_each(|run| output::print(&format!("{run}\n")))?;
        output::print(&say!("{} runs would be removed.\n", "Se quitarían {} ejecuciones.\n", runs.len()))?;
    } else {
        output::print(&say!(
            "{} runs removed, {} KB freed.\n",
            "{} ejecuciones quitadas, {} KB liberados.\n",
            runs.len(),
            freed / 1024
        ))?;
    }
    Ok(code::DONE)
}

/// Removes what the configuration says is too old, before a run begins. A failure of it must not stop the run.
pub(super) async fn retain(data: &DataFolder, set: &Retention) {
    let Some(age) = set.older_than else { return };
    match data.prune(age.before(now()), set.keep).await {
        Ok(0) => {}
        Ok(removed) => tell!(
            "candor: {removed} old runs removed, as [retention] says",
            "candor: {removed} ejecuciones antiguas quitadas, como dice [retention]"
        ),
        Err(error) => tell!(
            "candor: old runs could not be removed: {error}",
            "candor: no se pudieron quitar ejecuciones antiguas: {error}"
        ),
    }
}

fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
