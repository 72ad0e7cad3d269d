//! Proven code in front of everything else: what did the same task on data of the same shape is used again.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use candor_model::{JsonMap, Money, WorkStep};
use candor_ports::BoxFuture;
use serde_json::json;

use super::bench::{Bench, Refused};
use super::executor::NodeExecutor;
use super::library::Edition;
use super::outcome::{NodeResult, WorkflowError, without_metadata};
use super::proven::{Lookup, ProvenCode, ProvenEntry};
use super::shape;
use super::states::ExecutionState;

/// What it is called in the chain of work.
const CACHE: &str = "cache";

/// Uses code that did the same task on data of the same shape, and has it written when there is none.
pub struct CachedExecutor {
    proven: Option<Arc<dyn ProvenCode>>,
    edition: Edition,
    bench: Bench,
    /// Who writes code; nobody if there are no models.
    writer: Option<Arc<dyn NodeExecutor>>,
}

impl CachedExecutor {
    /// Looks for proven code there, for this Python; has new code written by `writer`.
    #[must_use]
    pub const fn new(
        proven: Option<Arc<dyn ProvenCode>>,
        edition: Edition,
        bench: Bench,
        writer: Option<Arc<dyn NodeExecutor>>,
    ) -> Self {
        Self { proven, edition, bench, writer }
    }

    async fn run(
        &self,
        task: &str,
        context: &JsonMap,
        timeout: Duration,
    ) -> Result<NodeResult, WorkflowError> {
        let context = without_metadata(context.clone());
        let Some(proven) = &self.proven else { return self.write(task, &context, timeout).await };
        let key = shape::key(task, &context, &self.bench.expected, &self.edition);
        if let Some(result) = self.use_proven(&**proven, &key, task, &context, timeout).await? {
            return Ok(result);
        }
        let result = self.write(task, &context, timeout).await?;
        self.keep(&**proven, &key, task, &context, &result).await?;
        Ok(result)
    }

    async fn write(
        &self,
        task: &str,
        context: &JsonMap,
        timeout: Duration,
    ) -> Result<NodeResult, WorkflowError> {
        let writer = self.writer.as_ref().ok_or(WorkflowError::NoModel)?;
        writer.execute(task, context, timeout).await
    }

    /// What proven code gave. Code that does not do it any more is forgotten.
    async fn use_proven(
        &self,
        proven: &dyn ProvenCode,
        key: &str,
        task: &str,
        context: &JsonMap,
        timeout: Duration,
    ) -> Result<Option<NodeResult>, WorkflowError> {
        let mut entry = match proven.find(key) {
            Lookup::Hit(entry) => *entry,
            Lookup::Miss => {
                self.tell(proven, key, false, None, None).await?;
                return Ok(None);
            }
            Lookup::Dropped { reason } => {
                self.tell(proven, key, false, None, Some(&reason)).await?;
                return Ok(None);
            }
        };
        let mut state = ExecutionState::new();
        match self.bench.try_code(&mut state, &entry.code, task, context, timeout).await? {
            Ok(after) => {
                entry.used();
                // What was counted is a figure: the work is done without it.
                let _ = proven.keep(key, &entry);
                self.tell(proven, key, true, Some(&entry), None).await?;
                let metadata = self.bench.conclude(&state, true, "done with proven code").await?;
                let cost = state.costs.values().copied().sum();
                Ok(Some(NodeResult { context: after, metadata, code: entry.code, cost }))
            }
            Err(Refused { stage, failure }) => {
                let reason = format!("{stage}: {failure}");
                proven.drop_entry(key, &reason);
                self.tell(proven, key, false, None, Some(&reason)).await?;
                Ok(None)
            }
        }
    }

    async fn tell(
        &self,
        proven: &dyn ProvenCode,
        key: &str,
        hit: bool,
        entry: Option<&ProvenEntry>,
        dropped: Option<&str>,
    ) -> Result<(), WorkflowError> {
        let mut data = JsonMap::new();
        data.insert("hit".to_owned(), json!(hit));
        data.insert("key".to_owned(), json!(key));
        let summary = match (entry, dropped) {
            (Some(entry), _) => {
                data.insert("saved".to_owned(), json!(entry.cost));
                data.insert("uses".to_owned(), json!(entry.uses));
                format!("proven code was used, ${} saved", entry.cost)
            }
            (None, Some(reason)) => {
                let reason = candor_react::shorten(&candor_react::redact(reason), 500);
                data.insert("dropped".to_owned(), json!(reason));
                "proven code did not do it any more, and is forgotten".to_owned()
            }
            (None, None) => "there is no proven code for it".to_owned(),
        };
        if let Some(rate) = proven.figures().and_then(|figures| figures.hit_rate()) {
            data.insert("hit_rate".to_owned(), json!(rate));
        }
        data.insert("summary".to_owned(), json!(summary));
        let step = WorkStep {
            component: CACHE.to_owned(),
            number: 0,
            success: true,
            duration_ms: 0.0,
            data,
            error: None,
            cost: Money::ZERO,
        };
        self.bench.note(step, hit).await
    }

    /// Keeps code that did it, unless it could give the result of this data for other data as well.
    async fn keep(
        &self,
        proven: &dyn ProvenCode,
        key: &str,
        task: &str,
        context: &JsonMap,
        result: &NodeResult,
    ) -> Result<(), WorkflowError> {
        let unfit = shape::not_for_others(&result.code, context, &result.context);
        let is_unfit = unfit.is_some();
        let kept = match unfit {
            Some(reason) => Err(reason),
            None => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
                let shape = shape::of_map(context);
                let entry = ProvenEntry::new(&result.code, task, shape, now, result.cost);
                proven.keep(key, &entry)
            }
        };
        let summary = match &kept {
            Ok(()) => "the code is kept for the next time".to_owned(),
            Err(reason) => format!("the code is not kept: {reason}"),
        };
        let data = json!({ "key": key, "kept": kept.is_ok(), "summary": summary });
        let step = WorkStep {
            component: CACHE.to_owned(),
            number: 1,
            // Not keeping code that must not be kept is no failure.
            success: is_unfit || kept.is_ok(),
            duration_ms: 0.0,
            data: data.as_object().cloned().unwrap_or_default(),
            error: None,
            cost: Money::ZERO,
        };
        self.bench.note(step, false).await
    }
}

impl NodeExecutor for CachedExecutor {
    fn execute<'a>(
        &'a self,
        task: &'a str,
        context: &'a JsonMap,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<NodeResult, WorkflowError>> {
        Box::pin(self.run(task, context, timeout))
    }
}
