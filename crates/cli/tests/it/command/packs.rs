//! What packs know beyond a plan, through the command: recovery rules, the budget, required categories.

use serde_json::{Value, json};

use crate::support::{Candor, Events, QUICK, texts};

fn run(goal: &str, faults: &[&str], code: i32) -> Events {
    let candor = Candor::with_config(QUICK);
    let mut args = vec!["run", goal];
    faults.iter().for_each(|fault| args.extend(["--fault", fault]));
    let (said, events) = candor.events(&args);
    said.ended_with(code);
    events
}

/// The last value of an output, whichever task gave it.
fn output<'e>(events: &'e Events, name: &str) -> &'e Value {
    let feedback = events.report()["result"]["feedback"].as_array().unwrap();
    feedback.iter().rev().find_map(|it| it["actual_outputs"].get(name)).unwrap()
}

fn changes(events: &Events) -> Vec<String> {
    let revisions = events.all("replanned").into_iter();
    revisions.flat_map(|it| texts(&it["revision"]["changes"]).into_iter().map(str::to_owned)).collect()
}

#[test]
fn what_is_fully_booked_is_not_chosen_again() {
    // spec: findings RC-11
    for times in 1..=2 {
        let events = run(
            "Plan a 3-day trip to Rome in May with a $2000 budget",
            &[&format!("hotel_agent=fully_booked:{times}")],
            0,
        );
        let tried: Vec<&Value> = events
            .all("task_failed")
            .iter()
            .map(|it| &it["feedback"]["actual_outputs"]["selected_hotel"]["name"])
            .collect();
        assert_eq!(tried.len(), times, "{tried:?}");
        let chosen = &output(&events, "selected_hotel")["name"];
        assert!(chosen.is_string() && !tried.contains(&chosen), "{chosen} after {tried:?}");
    }
}

#[test]
fn a_budget_is_kept_by_what_is_on_offer() {
    // spec: findings RC-09
    let events = run("Plan a 3-day trip to Paris in May with a $1250 budget", &[], 0);
    assert_eq!(events.strategies(), ["ADJUST_PARAMETERS"]);
    assert_eq!(output(&events, "total_cost"), 1203, "650 + 450 + 103");
    let dispatched = events.dispatched();
    let times = |task: &str| dispatched.iter().filter(|it| *it == task).count();
    assert_eq!((times("task_001"), times("task_002"), times("task_003")), (1, 2, 1), "only what changes");
}

#[test]
fn a_cheaper_category_is_looked_at_before_a_budget_is_given_up() {
    let events = run("Plan a 3-day trip to Paris in May with a $900 budget", &[], 0);
    assert_eq!(output(&events, "total_cost"), 863, "580 + 180 + 103");
    assert_eq!(output(&events, "selected_hotel")["kind"], "hostel");
    let changes = changes(&events);
    assert!(changes[0].contains("include hostels"), "{changes:?}");
}

#[test]
fn a_budget_that_nothing_fits_is_told_in_its_own_currency_with_the_cheapest() {
    // spec: findings RC-09
    let candor = Candor::with_config(QUICK);
    let said = candor.run(["run", "Plan a 3-day trip to Paris in May with a budget of 800 EUR", "--plain"]);
    let all = format!("{}{}", said.stdout, said.stderr);
    assert!(all.contains("Total cost 1293 EUR exceeds budget 800 EUR"), "{all}");
    let why = "Nothing on offer fits 800 EUR: the cheapest total is 863 EUR (Sample Air 580, Hostel Canal 180, all else 103)";
    assert!(all.contains(why), "{all}");
    assert!(!all.contains("$800") && !all.contains("$1293"), "{all}");
}

#[test]
fn days_without_flights_are_passed_over_and_the_hotel_follows_the_flight() {
    let events = run("Plan a 3-day trip to Rome on December 24 with a $2000 budget", &[], 0);
    let flight = output(&events, "selected_flight");
    let day = |value: &Value| value.as_str().unwrap().get(5..).unwrap().to_owned();
    assert_eq!((day(&flight["depart"]), day(&flight["return"])), ("12-26".to_owned(), "12-29".to_owned()));
    assert_eq!(output(&events, "selected_hotel")["check_in"], flight["depart"]);
    assert!(changes(&events).iter().any(|it| it.contains("look for flights on")), "{:?}", changes(&events));
}

#[test]
fn a_place_that_is_in_no_catalogue_is_named_and_nothing_is_made_up() {
    let candor = Candor::with_config(QUICK);
    let said = candor.run(["run", "Plan a 3-day trip to Reykjavik in May with a $2000 budget", "--plain"]);
    let all = format!("{}{}", said.stdout, said.stderr);
    assert!(all.contains("no flights to Reykjavik"), "{all}");
    assert!(!all.contains("look for flights on"), "another day would not help: {all}");
}

const NO_HOTEL: &str = r#"{"goal_type": "travel_planning", "description": "Three days in Paris for $2000",
    "subtasks": [
        {"task_id": "fly", "description": "Search flights to Paris", "agent_type": "flight_agent",
         "inputs": {"destination": "Paris"}, "expected_outputs": ["flight_options"]},
        {"task_id": "see", "description": "Recommend activities in Paris", "agent_type": "activity_agent",
         "inputs": {"destination": "Paris"}, "expected_outputs": ["activities"]},
        {"task_id": "sum", "description": "Validate total cost against the budget", "agent_type": "validation_agent",
         "dependencies": ["fly", "see"], "inputs": {"budget": 2000}, "expected_outputs": ["total_cost"]}
    ]}"#;

#[test]
fn a_plan_file_that_says_its_kind_is_completed_and_one_that_does_not_is_the_authors() {
    // spec: planning PV-09; findings RC-10
    let candor = Candor::with_config(QUICK);
    candor.write("plan.json", NO_HOTEL);
    let (said, events) = candor.events(&["run", "--plan", "plan.json"]);
    said.ended_with(0);
    let proposed = events.only("plan_proposed");
    let tasks = proposed["plan"]["subtasks"].as_array().unwrap();
    let hotel = tasks.iter().find(|task| task["metadata"]["category"] == "hotel_booking").unwrap();
    assert_eq!((&hotel["agent_type"], &hotel["dependencies"]), (&json!("hotel_agent"), &json!(["fly"])));
    let name = hotel["task_id"].as_str().unwrap();
    assert!(texts(&tasks.last().unwrap()["dependencies"]).contains(&name), "{tasks:?}");
    assert_eq!(texts(&proposed["repairs"]).len(), 1);
    assert!(events.all("replanned").is_empty(), "a repair is no revision");
    let own = NO_HOTEL.replace(r#""goal_type": "travel_planning", "#, "");
    candor.write("own.json", own);
    let (said, events) = candor.events(&["run", "--plan", "own.json"]);
    said.ended_with(0);
    assert_eq!(events.only("plan_proposed")["plan"]["subtasks"].as_array().unwrap().len(), 3);
    candor.write("odd.json", NO_HOTEL.replace("travel_planning", "traveling"));
    candor.run(["run", "--plan", "odd.json"]).refused(&[
        "odd.json",
        "goal_type",
        "traveling",
        "travel_planning",
    ]);
}

/// A pack of another domain: a party with food and music, from two small catalogues.
const PARTY: &str = r#"
name = "party"
description = "Parties: food and music within a budget"
goal_type = "party_planning"
keywords = ["party"]
criteria = ["Total cost <= {budget_text}"]
[[categories]]
name = "food"
keywords = ["food", "catering"]
[[categories]]
name = "music"
keywords = ["music", "band"]
[[categories]]
name = "cost_validation"
keywords = ["cost"]
[[tasks]]
category = "food"
name = "Food"
description = "Find catering for the party"
outputs = ["menus"]
seconds = 5
[[tasks]]
category = "music"
name = "Music"
description = "Find a band for the party"
outputs = ["bands"]
seconds = 5
inputs = { loudness = 2 }
[[tasks]]
category = "cost_validation"
name = "Cost check"
description = "Validate the cost of the party"
needs = ["food", "music"]
outputs = ["total_cost"]
seconds = 5
inputs = { budget = "{budget}" }
[[agents]]
agent_type = "caterer"
capabilities = ["find_catering"]
specialization = "Catering and food for a party"
builtin = "catalogue"
[agents.options]
records = [{ name = "Feast", price = 900 }, { name = "Buffet", price = 500 }]
filter = "item.price <= inputs.at_most"
output = "menus"
choose = "menu"
[[agents]]
agent_type = "booker"
capabilities = ["find_bands"]
specialization = "Bands and music for a party"
builtin = "catalogue"
[agents.options]
records = [{ name = "Brass", price = 400, loudness = 4 }, { name = "Duo", price = 300, loudness = 2 }, { name = "Trio", price = 350, loudness = 2 }]
exclude = { name = "without" }
filter = ["item.price <= inputs.at_most", "item.loudness <= inputs.loudness"]
output = "bands"
choose = "band"
[[agents]]
agent_type = "accountant"
capabilities = ["validate_cost"]
specialization = "Validates the cost of a party"
builtin = "check"
[agents.options.outputs]
total_cost = "results.menu.price + results.band.price"
budget = "inputs.budget"
[[agents.options.violations]]
when = "outputs.total_cost > inputs.budget"
error = "{outputs.total_cost} is more than {inputs.budget}"
"#;

const PARTY_RULES: &str = r#"
[[recovery]]
name = "another band"
categories = ["music"]
words = ["fully_booked"]
exclude = { without = "band.name" }
multiply = { loudness = 2 }
tell = "ask others than {without}"
[[budget.parts]]
category = "food"
offers = "menus"
price = "price"
cap = "at_most"
[[budget.parts]]
category = "music"
offers = "bands"
price = "price"
cap = "at_most"
"#;

fn party(rules: &str) -> Candor {
    let candor = Candor::with_config("[packs]\nfolders = [\"party\"]\nagents = true\n");
    std::fs::create_dir(candor.path("party")).unwrap();
    candor.write("party/pack.toml", PARTY);
    candor.write("party/recovery.toml", rules);
    candor
}

#[test]
fn a_pack_of_another_domain_recovers_by_its_own_rules() {
    // spec: findings RC-05 RC-09 RC-11
    let goal = "Organise a party with a budget of $900";
    let (said, events) = party(PARTY_RULES).events(&["run", goal, "--fault", "booker=fully_booked:1"]);
    said.ended_with(0);
    let changes = changes(&events);
    assert!(changes[0].contains("ask others than Duo"), "{changes:?}");
    assert!(changes[1].contains("at_most") && changes[1].contains("Buffet"), "{changes:?}");
    assert_eq!(output(&events, "total_cost"), 900, "Buffet 500 and Brass 400, loud but not Duo");
    // The other pack's agents are there too, and nothing of theirs reaches this plan.
    let plan = format!("{}{:?}", events.only("plan_proposed")["plan"]["subtasks"], events.all("replanned"));
    for word in ["hotel", "flight", "nearby", "radius"] {
        assert!(!plan.to_lowercase().contains(word), "{word}: {plan}");
    }
}

#[test]
fn a_rule_that_cannot_be_read_is_refused_with_its_file_and_field() {
    let refused = |from: &str, to: &str, words: &[&str]| {
        party(&PARTY_RULES.replace(from, to)).run(["plan", "Organise a party"]).refused(words);
    };
    refused("\"fully_booked\"", "7", &["party/recovery.toml", "recovery[0].words"]);
    refused("words", "wrods", &["party/recovery.toml", "wrods"]);
    refused("[\"music\"]", "[\"musik\"]", &["party/recovery.toml", "recovery[0].categories", "music"]);
    refused("words = [\"fully_booked\"]", "kinds = [\"late\"]", &["recovery[0].kinds", "timeout"]);
}

/// A pack that is meant by a festive word beside a number of guests or a budget, or by two services.
fn festive() -> Candor {
    let candor = party(PARTY_RULES);
    let applies = r#"
[applies]
threshold = 1.0
margin = 0.5
share = 0.6
[[applies.evidence]]
words = ["party", "fiesta"]
with = [["people"], ["budget"]]
[[applies.evidence]]
words = ["party", "fiesta", "caterer", "band"]
score = 0.6
most = 1.2
[[applies.evidence]]
words = ["policy", "election"]
score = -0.9
"#;
    candor.write("party/pack.toml", format!("{PARTY}{applies}"));
    candor
}

fn kind_of(candor: &Candor, goal: &str) -> String {
    candor.run(["goal", goal, "--json"]).ended_with(0).json()["goal_type"].as_str().unwrap().to_owned()
}

#[test]
fn a_pack_applies_by_its_evidence_and_in_doubt_the_goal_is_generic() {
    // spec: findings GL-01
    let candor = festive();
    for (goal, kind) in [
        ("Organise a party for 30 people", "party_planning"),
        ("Organiza una fiesta con un presupuesto de 900 euros", "party_planning"),
        ("Hire a caterer and a band", "party_planning"),
        ("Explain the history of the labour party", "generic"),
        ("Summarise the party's election policy for 300 people", "generic"),
        // One of four steps is about it.
        ("Paint the fence. Repair the roof. Mow the lawn. Hire a caterer with a band.", "generic"),
        // What the other pack knows it keeps to itself.
        ("How to write philosophy: read the classics, take notes and draft an essay", "generic"),
        ("Triage the inbox: sort messages from legal to customers", "generic"),
        ("Plan a 3-day trip to Paris with a budget of $2000", "travel_planning"),
    ] {
        assert_eq!(kind_of(&candor, goal), kind, "{goal}");
    }
}

#[test]
fn a_pack_that_is_perhaps_meant_is_asked_about_and_not_used_unattended() {
    // spec: findings GL-01
    let (said, events) = festive().events(&["run", "Find music for a party", "--unattended"]);
    let asked = format!("{:?}", events.all("human_asked"));
    assert!(asked.contains("It may be meant for the pack party"), "{asked} {}", said.stderr);
    assert_eq!(events.only("goal_defined")["goal"]["goal_type"], "generic");
}
