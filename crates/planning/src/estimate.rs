//! What a plan will probably take: money, and time along its longest path.

use candor_model::{AgentCapability, AgentType, IdMap, Money, RankedAgent, Seconds, SubTask};

use crate::graph::{TaskGraph, TaskIndex};

/// How well an agent must fit, as a share of the best, to be worth its lower price.
const GOOD_ENOUGH: f64 = 0.5;

/// What one attempt at each task costs.
#[must_use]
pub fn cost(tasks: &[SubTask], agents: &[AgentCapability]) -> Money {
    let prices = prices(agents);
    tasks.iter().filter_map(|task| prices.get(&task.agent_type).copied()).sum()
}

/// What one attempt at each task costs with the cheapest agents that fit well enough.
#[must_use]
pub fn cheapest(tasks: &[SubTask], agents: &[AgentCapability]) -> Money {
    let prices = prices(agents);
    let own = |task: &SubTask| prices.get(&task.agent_type).copied().unwrap_or_default();
    let least = |task: &SubTask| {
        let best = task.metadata.ranking.first().map_or(0.0, |ranked| ranked.score);
        let fits = |ranked: &&RankedAgent| ranked.score >= best * GOOD_ENOUGH;
        let fitting = task.metadata.ranking.iter().filter(fits);
        fitting
            .filter_map(|ranked| prices.get(&ranked.agent_type).copied())
            .min()
            .unwrap_or_else(|| own(task))
    };
    tasks.iter().map(|task| least(task).min(own(task))).sum()
}

fn prices(agents: &[AgentCapability]) -> IdMap<&AgentType, Money> {
    agents.iter().map(|agent| (&agent.agent_type, agent.cost_per_invocation)).collect()
}

/// The time from the first start to the last end when everything runs as early as it can. Tasks in a circle
/// never start, and count for nothing.
#[must_use]
pub fn critical_path(tasks: &[SubTask]) -> Seconds {
    let graph = TaskGraph::new(tasks);
    let mut missing: Vec<usize> =
        (0..tasks.len()).map(|n| graph.dependencies(TaskIndex::at(n)).len()).collect();
    let mut begins = vec![0.0_f64; tasks.len()];
    let mut ready: Vec<usize> = (0..tasks.len()).filter(|&n| missing.get(n) == Some(&0)).collect();
    let mut last = 0.0_f64;
    while let Some(n) = ready.pop() {
        let takes = tasks.get(n).map_or(0.0, |task| task.estimated_duration_seconds.get());
        let end = begins.get(n).copied().unwrap_or(0.0) + takes;
        last = last.max(end);
        for dependent in graph.dependents(TaskIndex::at(n)) {
            let at = dependent.as_usize();
            if let (Some(begin), Some(left)) = (begins.get_mut(at), missing.get_mut(at)) {
                *begin = begin.max(end);
                *left = left.saturating_sub(1);
                if *left == 0 {
                    ready.push(at);
                }
            }
        }
    }
    Seconds::new(last).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use candor_model::{TaskId, Text};

    use super::*;

    fn task(n: usize, needs: &[usize], seconds: u32) -> SubTask {
        let mut task = SubTask::new(TaskId::numbered(n), Text::or("d", "d"), Vec::new());
        task.dependencies = needs.iter().map(|&need| TaskId::numbered(need)).collect();
        task.estimated_duration_seconds = Seconds::whole(seconds);
        task
    }

    #[test]
    fn the_longest_path_counts_and_not_the_sum() {
        // Paris: 30, then 25 after it, 20 beside them, 5 after all.
        let tasks = [task(1, &[], 30), task(2, &[1], 25), task(3, &[], 20), task(4, &[1, 2, 3], 5)];
        assert_eq!(critical_path(&tasks), Seconds::whole(60));
    }

    #[test]
    fn circles_and_emptiness_take_no_time() {
        assert_eq!(critical_path(&[]), Seconds::ZERO);
        assert_eq!(critical_path(&[task(1, &[2], 3), task(2, &[1], 3)]), Seconds::ZERO);
    }

    #[test]
    fn the_cheapest_agent_that_fits_sets_the_lower_price() {
        let agent = |name: &str, price: f64| -> AgentCapability {
            candor_model::from_json(&format!(r#"{{"agent_type":"{name}","cost_per_invocation":{price}}}"#))
                .unwrap()
        };
        let agents = [agent("dear", 0.5), agent("fair", 0.2), agent("poor", 0.01)];
        let mut one = task(1, &[], 1);
        one.agent_type = AgentType::new("dear").unwrap();
        one.metadata.ranking = [("dear", 0.9), ("fair", 0.6), ("poor", 0.1)]
            .map(|(name, score)| RankedAgent {
                agent_type: AgentType::new(name).unwrap(),
                score,
                similarity: score,
            })
            .to_vec();
        let tasks = [one];
        assert_eq!(cost(&tasks, &agents).as_dollars(), 0.5);
        assert_eq!(cheapest(&tasks, &agents).as_dollars(), 0.2, "the poor one does not fit");
    }
}
