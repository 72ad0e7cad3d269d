//! Where each task of a plan is drawn: under which other task, and in which order.

/// Each task's deepest dependency. A task in a circle (of a plan nobody checked) has none.
pub(super) fn parents(dependencies: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut places = vec![Place::default(); dependencies.len()];
    for at in topological(dependencies) {
        let depth = |it: &usize| places.get(*it).map_or(0, |place| place.depth);
        let needed = dependencies.get(at).into_iter().flatten();
        // Of two that are equally deep the later one is taken: it is listed last, and probably ends last.
        let deepest = needed.copied().max_by_key(depth);
        let below = deepest.map_or(0, |parent| depth(&parent) + 1);
        if let Some(place) = places.get_mut(at) {
            *place = Place { parent: deepest, depth: below };
        }
    }
    places.into_iter().map(|place| place.parent).collect()
}

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    parent: Option<usize>,
    depth: usize,
}

/// The tasks, each after everything it needs; those in a circle are left out.
fn topological(dependencies: &[Vec<usize>]) -> Vec<usize> {
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); dependencies.len()];
    for (at, needed) in dependencies.iter().enumerate() {
        for &dependency in needed {
            if let Some(list) = dependents.get_mut(dependency) {
                list.push(at);
            }
        }
    }
    let mut waiting: Vec<usize> = dependencies.iter().map(Vec::len).collect();
    let mut ready: Vec<usize> = (0..waiting.len()).filter(|&at| waiting.get(at) == Some(&0)).collect();
    let mut order = Vec::with_capacity(dependencies.len());
    while let Some(at) = ready.pop() {
        order.push(at);
        for &dependent in dependents.get(at).into_iter().flatten() {
            if let Some(waiting) = waiting.get_mut(dependent) {
                *waiting = waiting.saturating_sub(1);
                if *waiting == 0 {
                    ready.push(dependent);
                }
            }
        }
    }
    order
}

/// Parents before children, siblings in the plan's order.
pub(super) fn drawing_order(parents: &[Option<usize>]) -> Vec<usize> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    let mut stack = Vec::new();
    for (at, parent) in parents.iter().enumerate().rev() {
        match parent.and_then(|parent| children.get_mut(parent)) {
            Some(list) => list.push(at),
            None => stack.push(at),
        }
    }
    let mut order = Vec::with_capacity(parents.len());
    while let Some(at) = stack.pop() {
        order.push(at);
        stack.extend(children.get_mut(at).map(std::mem::take).unwrap_or_default());
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_hangs_below_its_deepest_dependency_and_is_drawn_once() {
        let dependencies = [vec![], vec![0], vec![], vec![0, 1, 2]];
        let parents = parents(&dependencies);
        assert_eq!(parents, [None, Some(0), None, Some(1)]);
        assert_eq!(drawing_order(&parents), [0, 1, 3, 2]);
    }

    #[test]
    fn tasks_in_a_circle_are_drawn_all_the_same() {
        let parents = parents(&[vec![1], vec![0], vec![1], vec![3], vec![]]);
        assert_eq!(parents, [None; 5]);
        assert_eq!(drawing_order(&parents), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let chain: Vec<Vec<usize>> =
            (0..100_000usize).map(|at| at.checked_sub(1).into_iter().collect()).collect();
        assert_eq!(drawing_order(&parents(&chain)).len(), chain.len());
    }
}
