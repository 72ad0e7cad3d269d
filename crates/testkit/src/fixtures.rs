//! The Paris example of the requirement documents: goal, agents, plan and feedback.
//!
//! Everything here is fixed by the documents; a change of these values is a change of the requirements.

use candor_model::{
    AgentCapability, AgentType, Confidence, Constraint, DurationBasis, ExecutionFeedback, Failure,
    FeedbackType, Goal, GoalId, GoalType, JsonMap, Money, Plan, PlanId, PlanMetadata, Priority, RankedAgent,
    Seconds, Share, SubTask, TaskId, Text, Timestamp,
};
use serde_json::json;

/// When the example's plan is made.
pub const NOON: &str = "2025-01-10T12:00:00Z";

/// Builds a value that the fixture knows to be valid.
#[track_caller]
fn valid<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        #[expect(clippy::panic, reason = "a fixture that is not valid is a bug in the fixture")]
        Err(error) => panic!("invalid fixture: {error}"),
    }
}

/// A task's id.
#[track_caller]
pub fn task_id(text: &str) -> TaskId {
    valid(TaskId::new(text))
}

/// An agent's name.
#[track_caller]
pub fn agent_type(text: &str) -> AgentType {
    valid(AgentType::new(text))
}

/// A confidence.
#[track_caller]
pub fn confidence(value: f64) -> Confidence {
    valid(Confidence::new(value))
}

/// A number of seconds.
#[track_caller]
pub fn seconds(value: f64) -> Seconds {
    valid(Seconds::new(value))
}

/// An amount of dollars.
#[track_caller]
pub fn dollars(value: f64) -> Money {
    valid(Money::from_dollars(value))
}

/// A point in time.
#[track_caller]
pub fn time(text: &str) -> Timestamp {
    valid(text.parse())
}

/// A JSON object.
#[track_caller]
pub fn object(value: serde_json::Value) -> JsonMap {
    valid(match value {
        serde_json::Value::Object(map) => Ok(map),
        other => Err(format!("{other} is not an object")),
    })
}

/// "Plan a 3-day trip to Paris in May with a $2000 budget", understood.
pub fn paris_goal() -> Goal {
    let constraint = |kind: &str, value: &str, priority| Constraint {
        kind: valid(Text::new(kind.to_owned())),
        value: valid(Text::new(value.to_owned())),
        priority: valid(Priority::new(priority)),
    };
    Goal {
        goal_id: valid(GoalId::new("goal_abc123")),
        goal_type: GoalType::TRAVEL_PLANNING,
        description: valid(Text::new("Plan a 3-day trip to Paris in May with a $2000 budget".to_owned())),
        constraints: vec![
            constraint("budget", "2000 USD", 10),
            constraint("duration", "3 days", 9),
            constraint("time", "May 2025", 8),
        ],
        success_criteria: [
            "Round-trip flight booked within budget",
            "Hotel for 3 nights in central Paris",
            "At least 5 activities planned",
            "Total cost <= $2000",
        ]
        .map(str::to_owned)
        .to_vec(),
        deadline: Some(time("2025-04-15T00:00:00Z")),
        priority: valid(Priority::new(7)),
    }
}

fn agent(
    name: &str,
    capabilities: &[&str],
    specialization: &str,
    cost: f64,
    latency: u64,
    rate: f64,
) -> AgentCapability {
    AgentCapability {
        agent_type: agent_type(name),
        capabilities: capabilities.iter().map(|&capability| capability.to_owned()).collect(),
        specialization: specialization.to_owned(),
        cost_per_invocation: dollars(cost),
        avg_latency_ms: latency,
        success_rate: valid(Share::new(rate)),
        max_concurrent: None,
        timeout: None,
        max_cost: None,
        retry: None,
        effects: Some(vec![candor_model::RiskClass::Read]),
    }
}

/// The four agents of the example.
pub fn paris_agents() -> Vec<AgentCapability> {
    vec![
        agent(
            "flight_agent",
            &["search_flights", "compare_prices", "book_flights"],
            "Flight booking and price comparison for domestic and international travel",
            0.02,
            1500,
            0.92,
        ),
        agent(
            "hotel_agent",
            &["search_hotels", "check_availability", "book_rooms", "compare_amenities"],
            "Hotel search and reservation with filtering by location, price, and amenities",
            0.015,
            1200,
            0.95,
        ),
        agent(
            "activity_agent",
            &["search_activities", "recommend_attractions", "book_tours", "create_itineraries"],
            "Tourist activities, attractions, and local experiences recommendation",
            0.01,
            800,
            0.88,
        ),
        agent(
            "validation_agent",
            &["validate_budget", "check_constraints", "verify_completeness"],
            "Validate plans against budgets, constraints, and business rules",
            0.005,
            300,
            0.98,
        ),
    ]
}

/// The four agents, a backup for flights and one for transport.
pub fn full_registry() -> Vec<AgentCapability> {
    let mut agents = paris_agents();
    agents.push(agent(
        "backup_flight_agent",
        &["search_flights", "book_flights"],
        "Second source for flights",
        0.03,
        2500,
        0.85,
    ));
    agents.push(agent(
        "transportation_agent",
        &["book_metro", "book_trains"],
        "Local transport: metro passes, trains, transfers",
        0.005,
        600,
        0.97,
    ));
    agents
}

/// A task of the example, with its ranking of agents.
fn paris_task(n: usize, name: &str, description: &str, output: &str, agents: &[(&str, f64)]) -> SubTask {
    let mut task =
        SubTask::new(TaskId::numbered(n), valid(Text::new(description.to_owned())), vec![output.to_owned()]);
    task.metadata.name = Some(name.to_owned());
    task.metadata.duration_basis = Some(DurationBasis::Stated);
    task.metadata.ranking = agents
        .iter()
        .map(|&(name, score)| RankedAgent {
            agent_type: agent_type(name),
            score,
            similarity: score,
            chance: None,
        })
        .collect();
    if let Some(best) = task.metadata.ranking.first() {
        task.agent_type = best.agent_type.clone();
    }
    task
}

/// The example's plan: flights and activities side by side, the hotel after the flight, then the check.
pub fn paris_plan() -> Plan {
    let mut flight = paris_task(
        1,
        "Flight search",
        "Search for round-trip flights to Paris in May",
        "flight_options",
        &[("flight_agent", 0.8447), ("backup_flight_agent", 0.78), ("hotel_agent", 0.332)],
    );
    flight.priority = valid(Priority::new(10));
    let mut hotel = paris_task(
        2,
        "Hotel search",
        "Find hotels in central Paris for 3 nights",
        "hotel_booking",
        &[("hotel_agent", 0.901), ("activity_agent", 0.31)],
    );
    hotel.dependencies = vec![TaskId::numbered(1)];
    hotel.priority = valid(Priority::new(9));
    hotel.estimated_duration_seconds = Seconds::whole(25);
    let mut activities = paris_task(
        3,
        "Activity search",
        "Recommend 5+ tourist activities in Paris",
        "activities",
        &[("activity_agent", 0.875), ("hotel_agent", 0.28)],
    );
    activities.priority = valid(Priority::new(7));
    activities.estimated_duration_seconds = Seconds::whole(20);
    let mut check = paris_task(
        4,
        "Budget check",
        "Validate total cost against $2000 budget",
        "budget_status",
        &[("validation_agent", 0.912)],
    );
    check.dependencies = (1..=3).map(TaskId::numbered).collect();
    check.priority = valid(Priority::new(10));
    check.estimated_duration_seconds = Seconds::whole(5);
    plan_of(vec![flight, hotel, activities, check], 0.85)
}

/// A plan of these tasks.
pub fn plan_of(subtasks: Vec<SubTask>, score: f64) -> Plan {
    let mut plan = Plan {
        plan_id: valid(PlanId::new("plan_xyz789")),
        goal_id: valid(GoalId::new("goal_abc123")),
        subtasks,
        execution_strategy: candor_model::ExecutionStrategy::Hybrid,
        estimated_total_duration: Seconds::ZERO,
        confidence_score: confidence(score),
        created_at: time(NOON),
        updated_at: time(NOON),
        metadata: PlanMetadata::default(),
    };
    plan.estimated_total_duration = plan.total_estimate();
    plan
}

/// A simple task with a description, dependencies by number and the one agent that does it.
pub fn simple_task(n: usize, description: &str, dependencies: &[usize], agent: &str) -> SubTask {
    let mut task = paris_task(n, description, description, &format!("output_{n}"), &[(agent, 0.9)]);
    task.metadata.name = None;
    task.dependencies = dependencies.iter().map(|&n| TaskId::numbered(n)).collect();
    task
}

/// Feedback of one kind on the n-th task.
pub fn feedback(n: usize, kind: FeedbackType, errors: &[&str]) -> ExecutionFeedback {
    typed(ExecutionFeedback {
        task_id: TaskId::numbered(n),
        feedback_type: kind,
        actual_outputs: JsonMap::new(),
        errors: errors.iter().map(|&error| error.to_owned()).collect(),
        duration_seconds: Seconds::whole(1),
        cost: Money::ZERO,
        suggested_adjustments: None,
        timestamp: time(NOON),
        failure: None,
    })
}

/// The feedback with the kind of failure that its words stand for. It fails for good: what passes by itself is
/// repeated as it is, and most stories are not about that.
pub fn typed(feedback: ExecutionFeedback) -> ExecutionFeedback {
    let failure = Failure::derived(&feedback);
    let set = |failure: Failure| Failure { derived: false, ..failure }.permanent();
    ExecutionFeedback { failure: failure.map(set), ..feedback }
}

/// The flight agent did not answer within ten seconds.
pub fn timeout_feedback() -> ExecutionFeedback {
    let mut feedback = feedback(1, FeedbackType::Failure, &["Agent timeout after 10s"]);
    feedback.duration_seconds = Seconds::whole(10);
    feedback.suggested_adjustments = Some("Retry with a different agent".to_owned());
    feedback
}

/// The hotel task is more than one agent can do.
pub fn too_complex_feedback() -> ExecutionFeedback {
    let mut feedback = feedback(2, FeedbackType::Failure, &["Task too complex to execute"]);
    feedback.duration_seconds = Seconds::whole(5);
    feedback
}

/// The hotel is fully booked.
pub fn fully_booked_feedback() -> ExecutionFeedback {
    let mut feedback = feedback(2, FeedbackType::Failure, &["Preferred hotel fully booked"]);
    feedback.duration_seconds = Seconds::whole(3);
    feedback.cost = dollars(0.015);
    feedback.suggested_adjustments = Some("Try alternative hotels or another location".to_owned());
    feedback
}

/// Everything together costs more than the budget.
pub fn over_budget_feedback() -> ExecutionFeedback {
    let mut feedback =
        feedback(4, FeedbackType::ConstraintViolation, &["Total cost $2150 exceeds budget $2000"]);
    feedback.cost = dollars(0.005);
    feedback.suggested_adjustments = Some("Choose a cheaper flight or hotel".to_owned());
    feedback.actual_outputs = object(json!({
        "budget_status": "EXCEEDED", "total_cost": 2150, "budget": 2000, "overage": 150,
        "breakdown": { "flight": 720, "hotel": 660, "activities": 103 },
    }));
    feedback
}

/// The check could not start because the flight failed.
pub fn dependency_feedback() -> ExecutionFeedback {
    let mut feedback = feedback(4, FeedbackType::DependencyFailure, &["Dependency task_001 failed"]);
    feedback.duration_seconds = Seconds::ZERO;
    feedback
}
