//! Candor inside this process: the real runtime on a real log, with agents that do nothing, at once.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};

use candor_agents::builtin;
use candor_model::{JsonMap, RunId, RunSettings, RunStatus, StartMaterial};
use candor_phases::plan_file::PlanFile;
use candor_phases::{Pack, Phases};
use candor_ports::Observer;
use candor_runtime::{AgentRegistry, RunOrder, Runtime};
use candor_store::{OpenOptions, SqliteLog};

use crate::shapes;

const TRAVEL: &str = include_str!("../../packs/travel/pack.toml");

/// The fewest agents with which a goal is planned; the command's default.
const MIN_AGENTS: usize = 3;

/// A runtime and its log.
#[derive(Clone)]
pub(crate) struct Inside {
    runtime: Runtime,
    /// The log.
    pub(crate) log: SqliteLog,
}

impl Inside {
    /// Opens a new log in a folder; `observer` is told everything that happens.
    pub(crate) fn open(folder: &Path, observer: Option<Arc<dyn Observer>>) -> Result<Self> {
        let (log, _) = SqliteLog::open(&folder.join("candor.db"), OpenOptions::default())?;
        let noop = builtin("noop", &JsonMap::new(), &|_| None)?;
        let agents = shapes::agents()?.into_iter().map(|agent| (agent, Arc::clone(&noop)));
        let phases = Phases::new(vec![Pack::from_toml(TRAVEL)?], MIN_AGENTS);
        let runtime =
            Runtime::new(Arc::new(log.clone()), AgentRegistry::new(agents.collect()), phases, observer);
        Ok(Self { runtime, log })
    }

    /// The same with runs spread over so many threads.
    pub(crate) fn spread_over(self, threads: usize) -> Result<Self> {
        Ok(Self { runtime: self.runtime.spread_over(threads)?, ..self })
    }

    /// Carries a plan out from start to end, through all phases, as `candor run --plan` does.
    pub(crate) async fn run(&self, run_id: RunId, plan: PlanFile) -> Result<()> {
        let plan = Arc::new(plan.into_plan(run_id.as_str())?);
        let order = RunOrder {
            run_id,
            request: shapes::PARIS.to_owned(),
            settings: RunSettings::default(),
            material: Some(StartMaterial { goal: None, plan: Some(plan) }),
            origin: None,
        };
        let status = self.runtime.start(order, None).await?.ended().await?;
        ensure!(status == RunStatus::Completed, "a run ended as {status:?} instead of being completed");
        Ok(())
    }
}
