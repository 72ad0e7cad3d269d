//! One change of a plan.

use std::fmt;

use candor_model::{AgentType, ExecutionStrategy, TaskId};
use serde_json::Value;

/// One change of a plan.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Leave a task out.
    Remove(TaskId),
    /// Give a task to an agent.
    Agent(TaskId, AgentType),
    /// Set a task's priority.
    Priority(TaskId, u8),
    /// The first task waits for the second.
    After(TaskId, TaskId),
    /// Give a task another name.
    Rename(TaskId, String),
    /// Say otherwise what is to be done.
    Describe(TaskId, String),
    /// Set a parameter or another field of a task.
    Set(TaskId, String, Value),
    /// How all tasks are carried out.
    Strategy(ExecutionStrategy),
    /// The cheapest agents that fit well enough.
    Cheaper,
    /// The agents that succeed most often among those that fit well enough.
    Reliable,
}

impl fmt::Display for Edit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Remove(task) => write!(formatter, "leave {task} out"),
            Self::Agent(task, agent) => write!(formatter, "give {task} to {agent}"),
            Self::Priority(task, priority) => write!(formatter, "set the priority of {task} to {priority}"),
            Self::After(task, first) => write!(formatter, "do {task} after {first}"),
            Self::Rename(task, name) => write!(formatter, "rename {task} to \"{name}\""),
            Self::Describe(task, text) => write!(formatter, "describe {task} as \"{text}\""),
            Self::Set(task, key, value) => write!(formatter, "set {key} of {task} to {value}"),
            Self::Strategy(strategy) => write!(formatter, "carry the tasks out {strategy}"),
            Self::Reliable => formatter.write_str("use the agents that succeed most often"),
            Self::Cheaper => formatter.write_str("use the cheapest agents that fit"),
        }
    }
}
