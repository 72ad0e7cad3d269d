//! A run and the installation at a glance: the terminal, the API and programs get the same.

use candor_model::{Position, RunId, Timestamp};
use candor_projections::dashboard::{Dashboard, RunDashboard};
use candor_projections::efficiency::EfficiencyReport;
use candor_projections::kpi::KpiFold;
use candor_projections::summary::SummaryFold;

use crate::config::KpiConfig;
use crate::data::Log;
use crate::error::AppError;
use crate::observe;

/// The dashboard over the configured window, with a run if one is named. Alerts are judged by it.
pub async fn board(
    log: Option<&Log>,
    run: Option<&RunId>,
    config: &KpiConfig,
    now: Timestamp,
) -> Result<Dashboard, AppError> {
    let window = observe::window(None, config, now);
    let Some(log) = log else {
        let kpis = KpiFold::new(window).report(&config.targets.0);
        let (summary, efficiency) = (SummaryFold::new(window).summary(), EfficiencyReport::default());
        return Ok(Dashboard { run: None, kpis, alerts: Vec::new(), summary, efficiency });
    };
    let kpis = observe::kpis(log, config, window).await?;
    let (efficiency, summary) = observe::efficiency(log, window).await?;
    let alerts = observe::judge(log, config, &kpis).await?.active;
    let run = match run {
        Some(run) => RunDashboard::of(run, &log.read(run, Position::START).await?),
        None => None,
    };
    Ok(Dashboard { run, kpis, alerts, summary, efficiency })
}
