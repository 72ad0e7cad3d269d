//! Agents that are near to everything: some descriptions resemble most queries, and win where they should not.
//!
//! What was asked before tells how near queries come to each agent anyway, whoever they were for. An agent to which many
//! come nearer than to others has to be nearer by part of that. Measured on MetaTool with the other half of the queries as
//! past ones; a fixed set of general requests gained nothing, nor did the agents' own descriptions with MiniLM.

/// How many of the nearest past queries count.
const NEAREST: usize = 10;
/// Which part of what an agent is nearer than others is taken off. Of 5, 10, 20, 60, 250 nearest and parts of 0.15, 0.25
/// and 0.4 this was the gentlest that gained with both models: 58.7 to 59.7 and 65.6 to 66.0 % of first places.
const PART: f32 = 0.15;
/// How many queries halve what may be taken off: few say little.
const HALF_TRUST: f32 = 40.0;
/// Among fewer agents hardly one is near to everything, and whoever most of the work is for would pay for it.
const LEAST_AGENTS: usize = 20;

/// How near past queries came to each agent, in the registry's order.
#[derive(Debug, Clone, Default)]
pub(super) struct Hubness {
    queries: usize,
    /// The greatest similarities, the smallest of them first.
    nearest: Vec<Vec<f32>>,
    /// What is added to each agent's similarity.
    corrections: Vec<f32>,
}

impl Hubness {
    /// Takes note of one query's similarities. An agent whose meaning rests on tasks of its own is near to tasks for that
    /// reason, which is corrected elsewhere: so only the share of its description counts.
    pub(super) fn note(&mut self, similarities: &[f32], successes: &[usize]) {
        if similarities.len() < LEAST_AGENTS {
            return;
        }
        self.queries += 1;
        self.nearest.resize(similarities.len(), Vec::new());
        for (nearest, similarity) in self.nearest.iter_mut().zip(similarities) {
            let place = nearest.partition_point(|known| known < similarity);
            nearest.insert(place, *similarity);
            if nearest.len() > NEAREST {
                nearest.remove(0);
            }
        }
        let mean = |values: &[f32]| values.iter().sum::<f32>() / values.len().max(1) as f32;
        let near: Vec<f32> = self.nearest.iter().map(|nearest| mean(nearest)).collect();
        let known: Vec<f32> = near.iter().copied().filter(|near| !near.is_nan()).collect();
        let (usual, count) = (mean(&known), self.queries as f32);
        let trust = PART * count / (count + HALF_TRUST);
        let share = |at: usize| 1.0 / (1.0 + successes.get(at).copied().unwrap_or(0) as f32);
        let correction = |(at, near): (usize, &f32)| trust * share(at) * (usual - near);
        self.corrections = near.iter().enumerate().map(correction).collect();
    }

    /// The offsets with what is taken off or added.
    pub(super) fn corrected(&self, offsets: &[f32]) -> Vec<f32> {
        let corrections = self.corrections.iter().chain(std::iter::repeat(&0.0));
        offsets.iter().zip(corrections).map(|(offset, correction)| offset + correction).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_that_is_near_to_every_query_has_to_be_nearer() {
        // spec: findings GL-15
        let mut hubness = Hubness::default();
        let of_query = |query: usize| -> Vec<f32> {
            (0..LEAST_AGENTS)
                .map(|agent| {
                    if agent == 0 {
                        0.5
                    } else if agent == query {
                        0.52
                    } else {
                        0.1
                    }
                })
                .collect()
        };
        (1..LEAST_AGENTS).for_each(|query| hubness.note(&of_query(query), &[]));
        let corrected = hubness.corrected(&[0.0; LEAST_AGENTS]);
        let (hub, other) = (corrected.first().copied().unwrap(), corrected.get(7).copied().unwrap());
        assert!(hub < 0.0 && other > 0.0, "{corrected:?}");
        // The right agent led by 0.02 and leads by more.
        assert!(0.52 + other > 0.5 + hub + 0.03, "{corrected:?}");
    }

    #[test]
    fn among_few_agents_nobody_pays_for_having_most_of_the_work() {
        let mut hubness = Hubness::default();
        (0..100).for_each(|_| hubness.note(&[0.8, 0.1, 0.1], &[]));
        assert_eq!(hubness.corrected(&[0.0, 0.2, 0.0]), [0.0, 0.2, 0.0]);
    }

    #[test]
    fn an_agent_of_unknown_meaning_stays_unknown_and_successes_count_less() {
        let mut hubness = Hubness::default();
        let mut similarities = vec![0.1; LEAST_AGENTS];
        similarities[0] = f32::NAN;
        similarities[1] = 0.6;
        similarities[2] = 0.6;
        (0..30).for_each(|_| hubness.note(&similarities, &[0, 0, 9]));
        let corrected = hubness.corrected(&similarities);
        assert!(corrected[0].is_nan());
        let (bare, experienced) = (corrected[1] - 0.6, corrected[2] - 0.6);
        assert!(bare < 0.0 && (experienced * 10.0 - bare).abs() < 1e-4, "{bare} {experienced}");
    }
}
