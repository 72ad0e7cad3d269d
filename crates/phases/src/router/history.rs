//! What past successes tell about an agent.
//!
//! A task that an agent succeeded at is worth as much as its description: the two together are what the
//! agent means. But tasks resemble tasks more than they resemble descriptions, so that agents with a history
//! would win from those without one for no other reason than having it. The history itself tells by how much,
//! and the similarities of agents with a history are put back on the scale of a bare description: a right match
//! then looks alike with and without history.

use candor_model::Vector;

use super::meaning::dot;

/// How many successes of an agent count: the latest.
pub(super) const MOST_SUCCESSES: usize = 20;

/// How much more alike two tasks of an agent are than a task and its description, until pairs of tasks tell.
const ASSUMED_LIKENESS: f64 = 1.2;
/// How many pairs of tasks the assumed likenesses weigh as much as.
const ASSUMED_PAIRS: f64 = 10.0;

/// A right match must be closer than a wrong one by this much for either to say anything.
const LEAST_CONTRAST: f64 = 0.02;

/// What one agent has to show: vectors of length 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) description: Option<&'a Vector>,
    pub(super) successes: &'a [Vector],
}

/// How similar right and wrong pairs are on average, as the history shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// A right description stands out from a wrong one by this much.
    description: f64,
    /// An agent's other tasks stand out from other agents' tasks by this much.
    task: f64,
    /// A task and a wrong description.
    wrong_description: f64,
    /// Tasks of two agents.
    wrong_task: f64,
}

impl Scale {
    /// Reads it off the history; nothing if the history tells no right match from a wrong one.
    pub(super) fn of(records: &[Record<'_>], dimensions: usize) -> Option<Self> {
        let mut sums = Sums::new(dimensions);
        for record in records {
            sums.add(record);
        }
        sums.scale()
    }

    /// How far a right match with the centroid of so many texts stands out, and how similar a wrong one is, on
    /// average. The centroid itself has length 1, however much or little an agent's tasks are alike.
    fn centroid(&self, described: f64, tasks: f64) -> (f64, f64) {
        let right_description = self.description + self.wrong_description;
        let right_task = self.task + self.wrong_task;
        let squared = described
            + tasks
            + 2.0 * described * tasks * right_description
            + tasks * (tasks - 1.0) * right_task;
        let length = squared.max(1.0).sqrt();
        let sum = |description: f64, task: f64| (described * description + tasks * task) / length;
        (sum(self.description, self.task), sum(self.wrong_description, self.wrong_task))
    }
}

/// Running sums, from which the averages over all pairs follow without looking at each pair.
struct Sums {
    descriptions: Vec<f32>,
    tasks: Vec<f32>,
    described: f64,
    task_count: f64,
    /// Over the tasks whose agent has a description.
    own_descriptions: f64,
    own_description_count: f64,
    /// Over ordered pairs of tasks of the same agent.
    own_tasks: f64,
    own_task_pairs: f64,
}

impl Sums {
    fn new(dimensions: usize) -> Self {
        Self {
            descriptions: vec![0.0; dimensions],
            tasks: vec![0.0; dimensions],
            described: 0.0,
            task_count: 0.0,
            own_descriptions: 0.0,
            own_description_count: 0.0,
            own_tasks: 0.0,
            own_task_pairs: 0.0,
        }
    }

    fn add(&mut self, record: &Record<'_>) {
        if let Some(description) = record.description {
            self.described += 1.0;
            add(&mut self.descriptions, description);
        }
        if record.successes.is_empty() {
            return;
        }
        let count = record.successes.len() as f64;
        let mut own = vec![0.0; self.tasks.len()];
        for task in record.successes {
            add(&mut own, task);
        }
        if let Some(description) = record.description {
            self.own_descriptions += f64::from(dot(&own, description));
            self.own_description_count += count;
        }
        self.own_tasks += f64::from(dot(&own, &own)) - count;
        self.own_task_pairs += count * (count - 1.0);
        self.task_count += count;
        add(&mut self.tasks, &own);
    }

    fn scale(&self) -> Option<Scale> {
        let share = |sum: f64, count: f64| if count > 0.0 { Some(sum / count) } else { None };
        let right_description = share(self.own_descriptions, self.own_description_count)?;
        let wrong_description = share(
            f64::from(dot(&self.tasks, &self.descriptions)) - self.own_descriptions,
            self.task_count * self.described - self.own_description_count,
        )?;
        let pairs_apart = self.task_count * (self.task_count - 1.0) - self.own_task_pairs;
        let apart = f64::from(dot(&self.tasks, &self.tasks)) - self.task_count - self.own_tasks;
        let wrong_task = (apart + ASSUMED_PAIRS * wrong_description) / (pairs_apart + ASSUMED_PAIRS);
        let right_task = (self.own_tasks + ASSUMED_PAIRS * ASSUMED_LIKENESS * right_description)
            / (self.own_task_pairs + ASSUMED_PAIRS);
        let scale = Scale {
            description: right_description - wrong_description,
            task: right_task - wrong_task,
            wrong_description,
            wrong_task,
        };
        (scale.description >= LEAST_CONTRAST && scale.task >= LEAST_CONTRAST).then_some(scale)
    }
}

/// What an agent means, as a row and an offset; nothing if it has neither description nor success.
pub(super) fn meaning(record: &Record<'_>, scale: Option<&Scale>) -> Option<(Vec<f32>, f32)> {
    if record.successes.is_empty() {
        return record.description.map(|description| (description.to_vec(), 0.0));
    }
    let described = f64::from(u8::from(record.description.is_some()));
    let tasks = record.successes.len() as f64;
    let mut together = record.description.map_or_else(Vec::new, |description| description.to_vec());
    together.resize(record.successes.first().map_or(0, |task| task.len()), 0.0);
    for task in record.successes {
        add(&mut together, task);
    }
    let length = f64::from(dot(&together, &together)).sqrt();
    let centroid = if length > 0.0 { 1.0 / length } else { 0.0 };
    let (factor, offset) = match scale {
        None => (centroid, 0.0),
        Some(scale) => {
            let (contrast, wrong) = scale.centroid(described, tasks);
            let stretch = scale.description / contrast;
            (centroid * stretch, scale.wrong_description - stretch * wrong)
        }
    };
    together.iter_mut().for_each(|entry| *entry *= factor as f32);
    Some((together, offset as f32))
}

fn add(sum: &mut [f32], vector: &[f32]) {
    for (sum, entry) in sum.iter_mut().zip(vector) {
        *sum += entry;
    }
}
