//! Agents ranked by words: the travel registry, other registries, odd input and speed.

use std::time::{Duration, Instant};

use candor_model::{AgentCapability, RankedAgent};
use candor_phases::lexical::{Lexicon, rank};
use candor_planning::routing;

fn agent(
    name: &str,
    capabilities: &[&str],
    specialization: &str,
    cost: f64,
    success_rate: f64,
) -> AgentCapability {
    let record = serde_json::json!({
        "agent_type": name, "capabilities": capabilities, "specialization": specialization,
        "cost_per_invocation": cost, "success_rate": success_rate,
    });
    serde_json::from_value(record).unwrap()
}

/// The agents of PX-04, a second source for flights and one for transport.
fn travel() -> Vec<AgentCapability> {
    vec![
        agent(
            "flight_agent",
            &["search_flights", "compare_prices", "book_flights"],
            "Flight booking and price comparison for domestic and international travel",
            0.02,
            0.92,
        ),
        agent(
            "hotel_agent",
            &["search_hotels", "check_availability", "book_rooms", "compare_amenities"],
            "Hotel search and reservation with filtering by location, price, and amenities",
            0.015,
            0.95,
        ),
        agent(
            "activity_agent",
            &["search_activities", "recommend_attractions", "book_tours", "create_itineraries"],
            "Tourist activities, attractions, and local experiences recommendation",
            0.01,
            0.88,
        ),
        agent(
            "validation_agent",
            &["validate_budget", "check_constraints", "verify_completeness"],
            "Validate plans against budgets, constraints, and business rules",
            0.005,
            0.98,
        ),
        agent(
            "backup_flight_agent",
            &["search_flights", "book_flights"],
            "Second source for flights",
            0.03,
            0.85,
        ),
        agent(
            "transportation_agent",
            &["book_metro", "book_trains"],
            "Local transport: metro passes, trains, transfers",
            0.005,
            0.97,
        ),
    ]
}

fn ranking(text: &str) -> Vec<RankedAgent> {
    let agents = travel();
    rank(&agents, &Lexicon::new(&agents), text, agents.len())
}

fn score(ranking: &[RankedAgent], name: &str) -> f64 {
    ranking.iter().find(|ranked| ranked.agent_type.as_str() == name).unwrap().score
}

fn best(text: &str) -> String {
    ranking(text)[0].agent_type.to_string()
}

#[test]
fn a_flight_search_goes_to_the_flight_agents_and_to_no_hotel() {
    // spec: planning SR-05 SR-07
    let ranking = ranking("Search for round-trip flights to Paris in May. Expected outputs: flight_options");
    let names: Vec<_> = ranking.iter().map(|ranked| ranked.agent_type.as_str()).collect();
    assert_eq!(names[..2], ["flight_agent", "backup_flight_agent"], "{ranking:?}");
    assert!(score(&ranking, "backup_flight_agent") >= 0.6, "{ranking:?}");
    assert!(score(&ranking, "hotel_agent") < 0.35, "{ranking:?}");
}

#[test]
fn every_paris_task_goes_to_its_agent() {
    // spec: planning SR-05 SR-11
    for (text, expected) in [
        ("Find hotels in central Paris for 3 nights. Expected outputs: hotel_booking", "hotel_agent"),
        ("Recommend 5+ tourist activities in Paris. Expected outputs: activities", "activity_agent"),
        ("Validate total cost against $2000 budget. Expected outputs: validation_report", "validation_agent"),
        ("Book Paris Metro 3-day pass. Expected outputs: output_1", "transportation_agent"),
    ] {
        let ranking = ranking(text);
        assert_eq!(ranking[0].agent_type.as_str(), expected, "{text}: {ranking:?}");
        assert!(ranking[0].score >= 0.5, "{text}: {ranking:?}");
        assert!(ranking[1].score < 0.5, "{text}: {ranking:?}");
    }
}

#[test]
fn words_of_the_same_meaning_find_the_agent() {
    for (text, expected) in [
        ("Reserve accommodation near the Louvre", "hotel_agent"),
        ("Which plane could I take?", "flight_agent"),
        ("sightseeing", "activity_agent"),
        ("Verify that the plan is complete", "validation_agent"),
        ("Take the subway", "transportation_agent"),
    ] {
        assert_eq!(best(text), expected, "{text}: {:?}", ranking(text));
    }
}

#[test]
fn spanish_texts_reach_agents_described_in_english() {
    for (text, expected) in [
        ("Buscar vuelos de ida y vuelta a París en mayo", "flight_agent"),
        ("Encuentra hoteles céntricos para tres noches", "hotel_agent"),
        ("Recomienda actividades turísticas", "activity_agent"),
        ("Validar el presupuesto total", "validation_agent"),
        ("Comprar billetes de metro y de tren", "transportation_agent"),
    ] {
        assert_eq!(best(text), expected, "{text}: {:?}", ranking(text));
    }
}

#[test]
fn an_agent_described_in_spanish_is_found_in_both_languages() {
    let agents = [
        agent("agente_vuelos", &["buscar_vuelos"], "Búsqueda de vuelos baratos", 0.0, 1.0),
        agent("agente_hoteles", &["reservar_habitaciones"], "Reservas de hoteles", 0.0, 1.0),
    ];
    let lexicon = Lexicon::new(&agents);
    for (text, expected) in
        [("vuelo barato", 0), ("a cheap flight", 0), ("una habitación", 1), ("rooms to reserve", 1)]
    {
        let similarities = lexicon.similarities(text);
        assert!(similarities[expected] > similarities[1 - expected], "{text}: {similarities:?}");
    }
}

#[test]
fn the_score_is_the_formula_applied_to_the_similarity() {
    // spec: planning SR-04
    let agents = travel();
    let lexicon = Lexicon::new(&agents);
    let text = "Search flights and hotels";
    let similarities = lexicon.similarities(text);
    let ranking = rank(&agents, &lexicon, text, agents.len());
    for (agent, similarity) in agents.iter().zip(similarities) {
        let ranked = ranking.iter().find(|ranked| ranked.agent_type == agent.agent_type).unwrap();
        assert_eq!(ranked.similarity, similarity);
        assert_eq!(ranked.score, routing::score(similarity, agent));
    }
}

#[test]
fn the_ranking_descends_and_is_cut_at_top_k() {
    // spec: planning SR-06
    let agents = travel();
    let lexicon = Lexicon::new(&agents);
    let two = rank(&agents, &lexicon, "Book a flight", 2);
    assert_eq!(two.len(), 2);
    assert!(two[0].score >= two[1].score && two[1].score > 0.0);
    assert!(rank(&agents, &lexicon, "Book a flight", 0).is_empty());
    assert_eq!(rank(&agents, &lexicon, "Book a flight", 99).len(), agents.len());
}

#[test]
fn equal_scores_go_by_name() {
    // spec: planning SR-05
    let agents = ["zoe", "adam", "mia"].map(|name| agent(name, &[], "Translates letters", 0.0, 1.0));
    let ranking = rank(&agents, &Lexicon::new(&agents), "translate a letter", 3);
    let names: Vec<_> = ranking.iter().map(|ranked| ranked.agent_type.as_str()).collect();
    assert_eq!(names, ["adam", "mia", "zoe"]);
}

#[test]
fn no_word_in_common_is_no_similarity() {
    let lexicon = Lexicon::new(&travel());
    for text in ["", "   ", "the of and", "zzzqqq", "量子力学", "\u{0}\u{1}\u{ffff}", "🦀🦀"] {
        assert!(lexicon.similarities(text).iter().all(|&similarity| similarity == 0.0), "{text:?}");
    }
}

#[test]
fn similarity_says_how_much_of_the_known_text_speaks_for_an_agent() {
    let agents = [agent("pump_agent", &[], "pumps", 0.0, 1.0), agent("valve_agent", &[], "valves", 0.0, 1.0)];
    let lexicon = Lexicon::new(&agents);
    let whole = lexicon.similarities("pump");
    let half = lexicon.similarities("pump and valve");
    assert!(whole[0] > 0.85 && whole[1] == 0.0, "{whole:?}");
    assert!((half[0] - half[1]).abs() < 1e-9 && (half[0] - whole[0] / 2.0).abs() < 1e-9, "{half:?}");
}

#[test]
fn names_are_read_at_their_seams_and_compounds_at_their_ends() {
    let agents = [
        agent("PdfExporter", &[], "", 0.0, 1.0),
        agent("weather_now", &[], "", 0.0, 1.0),
        agent("chatspreadsheet", &[], "", 0.0, 1.0),
        agent("tables", &[], "spreadsheet formulas", 0.0, 1.0),
    ];
    let lexicon = Lexicon::new(&agents);
    assert!(lexicon.similarities("a pdf")[0] > 0.5);
    assert!(lexicon.similarities("WEATHER")[1] > 0.5);
    assert!(lexicon.similarities("my spreadsheet")[2] > 0.3);
}

#[test]
fn odd_registries_and_texts_give_numbers_between_0_and_1() {
    let long = "x".repeat(100_000);
    let registries = [
        vec![],
        vec![agent("a", &[], "", 0.0, 1.0)],
        vec![agent("same", &["same"], "same", 0.0, 1.0); 3],
        vec![
            agent("🦀", &["é", "ß", "ﬃ"], &long, 0.0, 1.0),
            agent("İstanbul", &["ñandú"], "\u{301}", 99.0, 0.0),
        ],
    ];
    let many = "flight ".repeat(100_000);
    for agents in &registries {
        let lexicon = Lexicon::new(agents);
        for text in ["same", "İSTANBUL ñandu ﬃ ß", "a", &long, &many, "\u{301}\u{301}"] {
            let similarities = lexicon.similarities(text);
            assert_eq!(similarities.len(), agents.len());
            assert!(
                similarities.iter().all(|similarity| (0.0..=1.0).contains(similarity)),
                "{similarities:?}"
            );
        }
    }
}

#[test]
fn a_thousand_agents_are_compared_quickly() {
    // spec: planning SR-10
    let agents: Vec<_> = (0..1_000)
        .map(|n| {
            let capability = format!("search_flights_{n}");
            agent(
                &format!("flight_agent_{n}"),
                &[&capability],
                "Flight search and price comparison",
                0.0,
                1.0,
            )
        })
        .collect();
    let lexicon = Lexicon::new(&agents);
    let start = Instant::now();
    for _ in 0..10 {
        let similarities =
            lexicon.similarities("Search for round-trip flights to Paris and compare their prices");
        assert!(similarities.iter().all(|&similarity| similarity > 0.0));
    }
    // Ten times in less than one task may take; a debug build is some twenty times slower than what ships.
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
}
