//! How long tasks take when only so many run at once.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use candor_model::{Seconds, SubTask};

use crate::decompose::groups::Links;

/// The time from the first start to the last end: free tasks begin by priority, then as they are listed, up to
/// `width` at once, or as many as there are. Tasks in a circle never start, and count for nothing.
#[must_use]
pub fn duration(tasks: &[SubTask], width: Option<usize>) -> Seconds {
    let width = width.unwrap_or(usize::MAX).max(1);
    let mut links = Links::of(tasks);
    let urgency = |at: usize| (Reverse(tasks.get(at).map(|task| task.priority.get())), at);
    let takes = |at: usize| tasks.get(at).map_or(0, |task| task.estimated_duration_seconds.as_millis());
    let mut free: BTreeSet<_> = links.free().into_iter().map(urgency).collect();
    let mut running: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let mut now = 0;
    loop {
        while running.len() < width {
            let Some((_, at)) = free.pop_first() else { break };
            running.push(Reverse((now + takes(at), at)));
        }
        let Some(Reverse((end, at))) = running.pop() else { break };
        now = end;
        free.extend(links.done(at).into_iter().map(urgency));
    }
    Seconds::from_millis(now)
}
