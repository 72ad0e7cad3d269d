//! What the travel pack does about failures: its rules on the worked example of the requirements.
use std::sync::Arc;

use candor_model::{
    ExecutionFeedback, Failure, FailureKind, PackRules, Plan, PlanRevision, ReplanStrategy, RunSettings,
    SubTask, TaskStatus,
};
use candor_phases::Pack;
use candor_planning::recovery::budget_rule::{Fit, fit};
use candor_planning::recovery::pack_rules::Case;
use candor_planning::replan::{ReplanContext, ReplanRefusal, Replanned, replan};
use candor_planning::slots::Slots;
use candor_testkit::fixtures;
use serde_json::{Value, json};

fn pack() -> Pack {
    let pack = Pack::from_toml(include_str!("../../../../packs/travel/pack.toml")).unwrap();
    pack.with_recovery(include_str!("../../../../packs/travel/recovery.toml")).unwrap()
}

fn rules() -> PackRules {
    pack().rules(&Slots::new(fixtures::object(json!({ "destination": "Paris", "currency": "EUR" })))).unwrap()
}

/// The worked example, every task of its category, with the inputs that the template gives.
fn paris() -> Plan {
    let mut plan = fixtures::paris_plan();
    let known = [
        ("flight_booking", json!({ "destination": "Paris", "depart": "2027-05-01", "nights": 3 })),
        ("hotel_booking", json!({ "destination": "Paris", "nights": 3, "radius_km": 5 })),
        ("activity_planning", json!({})),
        ("budget_validation", json!({ "budget": 2000 })),
    ];
    for (task, (category, inputs)) in plan.subtasks.iter_mut().zip(known) {
        task.metadata.other.insert("category".to_owned(), json!(category));
        task.inputs = fixtures::object(inputs);
        task.status = TaskStatus::Completed;
        // Nobody else to turn to: the rules of the pack are next.
        task.metadata.ranking.clear();
    }
    plan.metadata.pack_rules = Some(Arc::new(rules()));
    plan
}

fn answered(
    plan: &Plan,
    feedback: &ExecutionFeedback,
    reports: &[Arc<ExecutionFeedback>],
) -> Result<Replanned, ReplanRefusal> {
    let (settings, goal) = (RunSettings::default(), fixtures::paris_goal());
    let now = fixtures::time("2025-01-10T12:00:07Z");
    let context = ReplanContext {
        goal: Some(&goal),
        settings: &settings,
        now,
        agents: None,
        reports,
        by_person: false,
    };
    replan(plan, std::slice::from_ref(feedback), &context)
}

fn task<'p>(plan: &'p Plan, id: &str) -> &'p SubTask {
    plan.task(&fixtures::task_id(id)).unwrap()
}

fn reported(mut feedback: ExecutionFeedback, word: &str, outputs: Value) -> ExecutionFeedback {
    let mut failure = Failure::new(FailureKind::TaskError, feedback.errors[0].as_str());
    failure.reported_kind = Some(word.to_owned());
    feedback.failure = Some(failure);
    feedback.actual_outputs = fixtures::object(outputs);
    feedback
}

fn found(n: usize, outputs: Value) -> Arc<ExecutionFeedback> {
    let mut feedback = fixtures::feedback(n, candor_model::FeedbackType::Success, &[]);
    feedback.actual_outputs = fixtures::object(outputs);
    Arc::new(feedback)
}

/// What the sample agents find for Paris.
fn offers(hostels: bool) -> Vec<Arc<ExecutionFeedback>> {
    let flight = |name: &str, price: u32| json!({ "name": name, "total": price });
    let hotel =
        |name: &str, night: u32| json!({ "name": name, "price_per_night": night, "total": 3 * night });
    let mut hotels = vec![hotel("Le Marais", 180), hotel("Louvre", 220), hotel("République", 150)];
    hotels.extend(hostels.then(|| hotel("Canal", 60)));
    vec![
        found(1, json!({ "flight_options": [flight("AF", 650), flight("UA", 720), flight("Sample", 580)] })),
        found(2, json!({ "hotel_options": hotels, "selected_hotel": hotels[0] })),
    ]
}

fn too_dear(budget: u32) -> ExecutionFeedback {
    let mut feedback = fixtures::over_budget_feedback();
    feedback.actual_outputs = fixtures::object(json!({
        "total_cost": 1293, "budget": budget, "breakdown": { "flight": 650, "hotel": 540, "activities": 103 },
    }));
    feedback
}

fn caps(plan: &Plan) -> (Option<&Value>, Option<&Value>) {
    let cap = |id, input: &str| task(plan, id).inputs.get(input);
    (cap("task_001", "max_price"), cap("task_002", "max_price_per_night"))
}

#[test]
fn flight_and_hotel_are_capped_and_run_again_with_the_check() {
    // spec: planning RP-30 RP-31 RP-32 RP-33 EX-12 PX-11 PX-12
    for reports in [Vec::new(), offers(false)] {
        let Replanned { plan, revision } =
            answered(&paris(), &fixtures::over_budget_feedback(), &reports).unwrap();
        let modified: Vec<&str> = revision.modified_task_ids.iter().map(|id| id.as_str()).collect();
        assert_eq!(modified, ["task_001", "task_002"]);
        assert_eq!(caps(&plan), (Some(&json!(600)), Some(&json!(150))));
        let again: Vec<&str> = revision.details.rerun_task_ids.iter().map(|id| id.as_str()).collect();
        assert_eq!(again, ["task_001", "task_002", "task_004"]);
        let statuses: Vec<_> = plan.subtasks.iter().map(|task| task.status).collect();
        let again = TaskStatus::Pending;
        assert_eq!(statuses, [again, again, TaskStatus::Completed, again]);
    }
}

#[test]
fn people_learn_which_parameters_changed_and_why() {
    // spec: planning RP-34
    let revision = answered(&paris(), &fixtures::over_budget_feedback(), &[]).unwrap().revision;
    assert_eq!(
        *revision.changes,
        [
            "Adjust parameters: max_price of task task_001 is now 600, max_price_per_night of task task_002 is now \
          150, because: Total cost $2150 exceeds budget $2000"
        ]
    );
    assert_eq!(revision.details.strategies, [ReplanStrategy::AdjustParameters]);
}

#[test]
fn without_a_breakdown_the_categories_say_which_tasks_may_give() {
    // spec: planning RP-36 RP-31
    let mut feedback = fixtures::over_budget_feedback();
    feedback.actual_outputs.clear();
    let plan = answered(&paris(), &feedback, &[]).unwrap().plan;
    assert_eq!(caps(&plan), (Some(&json!(600)), Some(&json!(150))));
}

#[test]
fn a_second_violation_tightens_further() {
    // spec: planning RP-31
    let plan = answered(&paris(), &fixtures::over_budget_feedback(), &[]).unwrap().plan;
    let plan = answered(&plan, &fixtures::over_budget_feedback(), &[]).unwrap().plan;
    // 600 × 2000 / 2150 and 150 × 2000 / 2150, in whole cents.
    assert_eq!(caps(&plan), (Some(&json!(558.13)), Some(&json!(139.53))));
}

#[test]
fn a_reported_price_below_the_share_is_cut_by_the_overage() {
    // spec: planning RP-31
    let mut feedback = fixtures::over_budget_feedback();
    feedback.actual_outputs["breakdown"] = json!({ "flight": 430, "hotel": 1720 });
    let plan = answered(&paris(), &feedback, &[]).unwrap().plan;
    assert_eq!(caps(&plan), (Some(&json!(400)), Some(&json!(150))));
}

#[test]
fn a_budget_below_the_shares_is_kept_by_what_is_on_offer() {
    // spec: findings RC-09
    let Replanned { plan, revision } = answered(&paris(), &too_dear(1250), &offers(false)).unwrap();
    assert_eq!(caps(&plan), (None, Some(&json!(150))), "650 + 450 + 103 = 1203, and the flight stays");
    let again: Vec<&str> = revision.details.rerun_task_ids.iter().map(|id| id.as_str()).collect();
    assert_eq!(again, ["task_002", "task_004"]);
    assert!(revision.changes[0].contains("République"), "{:?}", revision.changes);
}

#[test]
fn what_the_hotels_cannot_give_hostels_may_and_then_the_cheapest_is_named() {
    // spec: findings RC-09
    let Replanned { plan, .. } = answered(&paris(), &too_dear(900), &offers(false)).unwrap();
    assert_eq!(task(&plan, "task_002").inputs["hostels"], true);
    let cheap = answered(&plan, &too_dear(900), &offers(true)).unwrap().plan;
    assert_eq!(caps(&cheap), (Some(&json!(580)), Some(&json!(60))));
    let (feedback, reports, goal) = (too_dear(800), offers(true), fixtures::paris_goal());
    let check = task(&plan, "task_004");
    let case = Case { plan: &plan, task: check, feedback: &feedback, reports: &reports, goal: Some(&goal) };
    let Some(Fit::Nothing(why)) = fit(rules().budget.as_ref().unwrap(), &case) else { panic!() };
    assert_eq!(
        why,
        "Nothing on offer fits $800: the cheapest total is $863 (Sample 580, Canal 180, all else 103)"
    );
}

#[test]
fn what_is_fully_booked_is_looked_for_nearby_and_never_chosen_again() {
    // spec: planning RP-40 RP-41 RP-42 RP-43 RP-44 RP-46; findings RC-11
    let full = json!({ "selected_hotel": { "name": "Hotel Le Marais" } });
    let feedback = reported(fixtures::fully_booked_feedback(), "fully_booked", full);
    let Replanned { plan, revision } = answered(&paris(), &feedback, &[]).unwrap();
    let new = &revision.new_subtasks[0];
    assert_eq!((new.task_id.as_str(), new), ("task_002_workaround", &plan.subtasks[1]));
    assert_eq!(new.description.as_str(), "Search alternative hotels in nearby locations of Paris");
    assert_eq!(new.expected_outputs, ["hotel_booking"]);
    assert_eq!((&new.inputs["radius_km"], &new.inputs["exclude"]), (&json!(10), &json!(["Hotel Le Marais"])));
    assert!(!new.agent_type.is_tbd());
    assert_eq!(plan.subtasks[3].dependencies[1], new.task_id);
    let told = &revision.changes[0];
    assert!(told.contains("workaround") && told.contains("Preferred hotel fully booked"), "{told}");
    assert_eq!(revision.details.strategies, [ReplanStrategy::FindWorkaround]);
}

fn depart(revision: &PlanRevision) -> &Value {
    &revision.new_subtasks[0].inputs["depart"]
}

#[test]
fn days_without_a_flight_are_passed_over() {
    let none = |id: &str| {
        let feedback = fixtures::feedback(1, candor_model::FeedbackType::Failure, &["No flight on this day"]);
        let mut feedback = reported(feedback, "no_match", json!({}));
        feedback.task_id = fixtures::task_id(id);
        feedback
    };
    let first = answered(&paris(), &none("task_001"), &[]).unwrap();
    assert_eq!(depart(&first.revision), "2027-05-03");
    let second = answered(&first.plan, &none("task_001_workaround"), &[]).unwrap();
    assert_eq!(depart(&second.revision), "2027-05-05");
}

#[test]
fn what_a_report_leads_with_comes_with_the_plan() {
    // spec: findings HE-14
    let layout = rules().report.unwrap();
    assert_eq!((layout.title.as_str(), layout.currency.as_deref()), ("Trip to Paris", Some("EUR")));
    let titles: Vec<&str> = layout.sections.iter().map(|section| section.title.as_str()).collect();
    assert_eq!(titles, ["Flight", "Hotel", "Activities", "Local transport", "Cost"]);
}

#[test]
fn rules_that_cannot_apply_are_refused_with_the_field() {
    let rule = |more: &str| format!("[[recovery]]\nname = \"x\"\ntell = \"y\"\n{more}\n");
    let whole = "categories = [\"hotel_booking\"]\nkinds = [\"timeout\"]\nset = { a = 1 }\n";
    let plain = Pack::from_toml(include_str!("../../../../packs/travel/pack.toml")).unwrap();
    let check = |more: &str| plain.clone().with_recovery(&rule(more)).map_err(|error| error.to_string());
    check(whole).unwrap();
    let field = |more: &str, field: &str, word: &str| {
        let error = check(more).unwrap_err();
        assert!(error.contains(field) && error.contains(word), "{error}");
    };
    field("kinds = [\"timeout\"]\nset = { a = 1 }", "categories", "missing");
    field(&whole.replace("hotel_booking", "hotels"), "categories", "hotel_booking");
    field(&whole.replace("\"timeout\"", "\"late\""), "recovery[0].kinds[0]", "timeout");
    field(&whole.replace("kinds = [\"timeout\"]\n", ""), ".kinds", "`words`");
    field(&whole.replace("set = { a = 1 }\n", ""), ".set", "changes nothing");
    field(&format!("{whole}colour = 1"), "colour", "unknown");
    field(&format!("{whole}most = 0"), ".most", "above 0");
    field(&format!("{whole}change = \"hotel\""), ".change", "no category");
    let twice = format!("{}{}", rule(whole), rule(whole));
    let error = plain.clone().with_recovery(&twice).unwrap_err().to_string();
    assert!(error.contains("recovery[1].name"), "{error}");
    let error = pack().with_recovery("[budget]\nparts = []").unwrap_err().to_string();
    assert!(error.contains("budget"), "{error}");
}
