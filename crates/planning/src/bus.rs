//! Whether questions between agents would make them wait for each other.

use std::collections::BTreeSet;

use candor_model::Query;

/// Whether, with one more question, agents would wait for each other in a circle. It is refused then.
#[must_use]
pub fn would_wait_in_circles(open: &[Query], new: &Query) -> bool {
    let mut seen = BTreeSet::new();
    let mut waiting_for = vec![new.to_agent.as_str()];
    while let Some(agent) = waiting_for.pop() {
        if agent == new.from_agent {
            return true;
        }
        if seen.insert(agent) {
            let asked = open.iter().filter(|query| query.from_agent == agent);
            waiting_for.extend(asked.map(|query| query.to_agent.as_str()));
        }
    }
    false
}
