//! `candor feedback`: what a person thinks of a run.

use candor_app::feedback::{self, Feedback};
use candor_app::{App, DataFolder, find_run, traces, user_name};
use serde_json::json;

use super::kpi::now;
use crate::args::{FeedbackArgs, GlobalOptions};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) async fn feedback(global: &GlobalOptions, args: &FeedbackArgs) -> Result<u8, Failure> {
    let data = DataFolder::find(global.data.as_deref())?;
    let log = data.open_if_there()?;
    let run = find_run(&data, log.as_ref(), &args.run).await?;
    let log = log.ok_or_else(|| Failure::usage(word!("there are no runs", "no hay ejecuciones")))?;
    let app = App::build(global)?;
    let text = args.text.clone().map(|text| app.without_secrets(text));
    let (by, at) = (user_name(args.user.as_deref()), now());
    let given = Feedback { rating: args.rating, text, by, at };
    feedback::record(&log, &run, &given).await?;
    if let Err(error) = traces::export_rated(&log, &run, at).await {
        tell!(
            "candor: warning: the rating is on record and could not be sent: {error}",
            "candor: aviso: la valoración está registrada y no se pudo enviar: {error}"
        );
    }
    if args.json {
        output::print_json(&json!(given))?;
    } else {
        output::print(&say!("{run} was rated {}.\n", "{run} se valoró con {}.\n", args.rating))?;
    }
    Ok(code::DONE)
}
