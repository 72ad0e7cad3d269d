//! `candor trace` and `candor export otlp`: a run as a trace, here or in another program.

use std::collections::BTreeMap;
use std::path::Path;

use candor_app::{App, DataFolder, find_run, state_export, traces};
use candor_projections::format;
use candor_projections::trace::{Content, Span, SpanKind, SpanStatus, Trace};
use candor_telemetry::{Endpoint, otlp};

use super::kpi::now;
use crate::args::{ExportArgs, ExportCommand, GlobalOptions, TraceArgs};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) async fn trace(global: &GlobalOptions, args: &TraceArgs) -> Result<u8, Failure> {
    let data = DataFolder::find(global.data.as_deref())?;
    let log = data.open_if_there()?;
    let run = find_run(&data, log.as_ref(), &args.run).await?;
    let log = log.ok_or_else(|| Failure::usage(word!("there are no runs", "no hay ejecuciones")))?;
    let content = if args.content { Content::With } else { Content::Without };
    let trace = traces::trace(&log, &run, content).await?;
    if args.json {
        output::print_json(&trace)?;
    } else {
        output::print(&text(&trace))?;
    }
    Ok(code::DONE)
}

/// The records of a run, to files or as one object.
async fn state(global: &GlobalOptions, named: &str, folder: Option<&Path>) -> Result<u8, Failure> {
    let data = DataFolder::find(global.data.as_deref())?;
    let log = data.open_if_there()?;
    let run = find_run(&data, log.as_ref(), named).await?;
    let log = log.ok_or_else(|| Failure::usage(word!("there are no runs", "no hay ejecuciones")))?;
    let records = state_export::records(&log, &run).await?;
    let Some(folder) = folder else {
        output::print_json(&records)?;
        return Ok(code::DONE);
    };
    for (name, text) in &records {
        let path = folder.join(name);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        written.and_then(|()| std::fs::write(&path, text)).map_err(|error| {
            Failure::failed(say!(
                "could not write {}: {error}",
                "no se pudo escribir {}: {error}",
                path.display()
            ))
        })?;
    }
    output::print(&say!(
        "{} records of {run} are in {}\n",
        "{} registros de {run} están en {}\n",
        records.len(),
        folder.display()
    ))?;
    Ok(code::DONE)
}

pub(crate) async fn export(global: &GlobalOptions, args: &ExportArgs) -> Result<u8, Failure> {
    let (run, pending, endpoint, content, file) = match &args.command {
        ExportCommand::Otlp { run, pending, endpoint, content, output } => {
            (run, pending, endpoint, content, output)
        }
        ExportCommand::State { run, output } => return state(global, run, output.as_deref()).await,
    };
    let data = DataFolder::find(global.data.as_deref())?;
    let log = data.open_if_there()?;
    let named = match run {
        Some(named) => Some(find_run(&data, log.as_ref(), named).await?),
        None => None,
    };
    let log = log.ok_or_else(|| Failure::usage(word!("there are no runs", "no hay ejecuciones")))?;
    let mut targets = traces::targets();
    targets.content |= *content;
    if let Some(url) = endpoint {
        let url = format!("{}/v1/traces", url.trim_end_matches('/').trim_end_matches("/v1/traces"));
        targets.endpoints = vec![Endpoint { url, headers: Vec::new(), scores: None }];
    }
    if let (Some(run), Some(path)) = (&named, file) {
        let content = if targets.content { Content::With } else { Content::Without };
        let trace = traces::trace(&log, run, content).await?;
        let written = std::fs::write(path, otlp::request(&trace, traces::VERSION));
        written.map_err(|error| {
            Failure::failed(say!(
                "could not write {}: {error}",
                "no se pudo escribir {}: {error}",
                path.display()
            ))
        })?;
        return Ok(code::DONE);
    }
    if targets.endpoints.is_empty() {
        return Err(Failure::usage(word!(
            "nowhere to send traces to; say --endpoint URL, or set OTEL_EXPORTER_OTLP_ENDPOINT, or \
             LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY",
            "no hay adónde enviar trazas; indicar --endpoint URL, o definir OTEL_EXPORTER_OTLP_ENDPOINT, o LANGFUSE_PUBLIC_KEY y LANGFUSE_SECRET_KEY"
        )));
    }
    if let Some(run) = named {
        traces::export(&log, &run, &targets, now()).await?;
        tell!("candor: sent the trace of {run}", "candor: enviada la traza de {run}");
    } else if *pending {
        let sent = traces::export_pending(&log, &targets, now()).await?;
        tell!("candor: sent {sent} traces", "candor: enviadas {sent} trazas");
    } else {
        return Err(Failure::usage(word!(
            "name a run, or say --pending",
            "nombrar una ejecución, o indicar --pending"
        )));
    }
    Ok(code::DONE)
}

/// After a run: sends what has ended, if the environment names a place. What fails is told and changes nothing.
pub(crate) async fn after_run(app: &App, log: &candor_app::Log) {
    let targets = traces::targets();
    if targets.endpoints.is_empty() {
        return;
    }
    if let Err(error) = traces::export_pending(log, &targets, now()).await {
        let error = app.redactor().text(&error.to_string()).into_owned();
        tell!(
            "candor: warning: {error}; it is sent after the next run, or by: candor export otlp --pending",
            "candor: aviso: {error}; se envía después de la próxima ejecución, o con: candor export otlp --pending"
        );
    }
}

fn text(trace: &Trace) -> String {
    let mut children: BTreeMap<Option<&str>, Vec<&Span>> = BTreeMap::new();
    for span in &trace.spans {
        children.entry(span.parent.as_deref()).or_default().push(span);
    }
    let mut text = say!("{}  trace {}\n", "{}  traza {}\n", trace.id, trace.trace_id);
    for root in children.get(&None).into_iter().flatten() {
        branch(&mut text, root, &children, 0, root);
    }
    for score in &trace.scores {
        text.push_str(&say!("score {} {:.2}\n", "puntuación {} {:.2}\n", score.name, score.value));
    }
    text
}

fn branch(
    text: &mut String,
    span: &Span,
    children: &BTreeMap<Option<&str>, Vec<&Span>>,
    depth: usize,
    root: &Span,
) {
    text.push_str(&line(span, depth, root));
    for child in children.get(&Some(span.id.as_str())).into_iter().flatten() {
        branch(text, child, children, depth + 1, root);
    }
}

fn line(span: &Span, depth: usize, root: &Span) -> String {
    let mark = match span.status {
        SpanStatus::Complete => "✓",
        SpanStatus::Failed => "✗",
        SpanStatus::Running => "▶",
    };
    let kind = match span.kind {
        SpanKind::Span => String::new(),
        kind => format!(" [{}]", kind.as_str()),
    };
    let name = format!("{:indent$}{mark} {}{kind}", "", span.name, indent = depth * 2);
    let offset = format::offset(span.start.since(root.start));
    let took = format::duration(span.end.since(span.start));
    let tokens =
        span.tokens.map(|tokens| say!("  {} tokens", "  {} tokens", tokens.total())).unwrap_or_default();
    let cost = span.cost.map(|cost| format!("  {}", format::money(cost))).unwrap_or_default();
    format!("{name:<52} {offset:>9} {took:>9}{tokens}{cost}\n")
}
