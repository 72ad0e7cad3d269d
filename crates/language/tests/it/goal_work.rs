//! Goals that are no journeys, and readings that hold for every goal: nothing invented, every guess said.
use candor_language::goal::{self, Language, Reading, looks_like_travel};
use candor_model::Timestamp;
use serde_json::{Value, json};

/// A Wednesday.
fn read(text: &str) -> Reading {
    let now: Timestamp = "2025-01-15T10:00:00Z".parse().unwrap();
    goal::read(text, now)
}

fn extracted(text: &str) -> Value {
    json!(read(text).extracted)
}

fn quantity(value: impl Into<Value>, unit: &str, text: &str) -> Value {
    json!({ "value": value.into(), "unit": unit, "text": text })
}

#[test]
fn work_goals_are_read() {
    let rows = [
        (
            "Migrate the billing database to Postgres 16 by Friday with zero downtime, must not lose rows, budget 5k",
            json!({"budget": 5000, "currency": "USD", "deadline": "2025-01-17", "must_not": ["downtime", "lose rows"]}),
        ),
        (
            "Escribe un informe de 10 páginas para el 3 de junio",
            json!({"deadline": "2025-06-03", "quantities": [quantity(10, "páginas", "10 páginas")]}),
        ),
        (
            "Build a website for 3 restaurants before March 1, 2025, spending at most €4.500",
            json!({"budget": 4500, "currency": "EUR", "deadline": "2025-03-01", "quantities": [quantity(3, "restaurants", "3 restaurants")]}),
        ),
        (
            "Write a 2,000-word article about coral reefs by tomorrow",
            json!({"deadline": "2025-01-16", "quantities": [quantity(2000, "word", "2,000-word")]}),
        ),
        (
            "Refactor the parser. It must stay fast and must never panic.",
            json!({"must": ["stay fast"], "must_not": ["panic"]}),
        ),
        (
            "Hire two engineers by the end of the month",
            json!({"deadline": "2025-01-31", "quantities": [quantity(2, "engineers", "two engineers")]}),
        ),
        (
            "Organize a conference for 120 attendees on June 5, 2025 with a budget of $40,000",
            json!({"people": 120, "dates": ["2025-06-05"], "budget": 40000, "currency": "USD"}),
        ),
        (
            "Reduce p99 latency to 200 ms within two weeks",
            json!({"deadline": "2025-01-29", "quantities": [quantity(200, "ms", "200 ms")]}),
        ),
        ("Prepare the tax return no later than April 15th", json!({"deadline": "2025-04-15"})),
        (
            "Translate the manual into Spanish without changing the layout",
            json!({"must_not": ["changing the layout"]}),
        ),
        (
            "Ship 40 boxes from Hamburg to Lyon by next Tuesday",
            json!({"origin": "Hamburg", "destination": "Lyon", "places": ["Hamburg", "Lyon"], "deadline": "2025-01-21",
                "quantities": [quantity(40, "boxes", "40 boxes")]}),
        ),
        (
            "Open an office in Berlin in Q3 2025 with 250 thousand euros",
            json!({"places": ["Berlin"], "dates": "Q3 2025", "budget": 250_000, "currency": "EUR"}),
        ),
        (
            "Raise test coverage to 92.5% and make sure that no test is flaky",
            json!({"quantities": [quantity(92.5, "%", "92.5%")], "must": ["no test is flaky"]}),
        ),
        (
            "Run a 5-day training course for 12 people from 3 to 7 February 2025",
            json!({"people": 12, "duration_days": 5, "start_date": "2025-02-03", "end_date": "2025-02-07",
                "dates": ["2025-02-03", "2025-02-04", "2025-02-05", "2025-02-06", "2025-02-07"]}),
        ),
        (
            "Desarrolla una aplicación de reservas antes del 30 de abril de 2025, sin usar servicios externos, con 12.000 €",
            json!({"deadline": "2025-04-30", "must_not": ["usar servicios externos"], "budget": 12000, "currency": "EUR"}),
        ),
        (
            "Contrata a tres diseñadores; el gasto no puede superar 9000 euros",
            json!({"budget": 9000, "currency": "EUR", "must_not": ["superar 9000 euros"], "quantities": [quantity(3, "diseñadores", "tres diseñadores")]}),
        ),
        (
            "Compra 25 portátiles para la oficina de Madrid antes del viernes",
            json!({"places": ["Madrid"], "deadline": "2025-01-17", "quantities": [quantity(25, "portátiles", "25 portátiles")]}),
        ),
        (
            "El servidor debe responder en 200 ms y no debe perder datos",
            json!({"must": ["responder en 200 ms"], "must_not": ["perder datos"], "quantities": [quantity(200, "ms", "200 ms")]}),
        ),
        ("Summarize the attached report; ideally one page", json!({"preferences": ["one page"]})),
        (
            "Prepare a dinner for 8 people on Saturday; two guests are vegetarian; do not use nuts",
            json!({"people": 8, "dates": ["2025-01-18"], "must_not": ["use nuts"]}),
        ),
        ("Clean up the repo. Never force-push to main.", json!({"must_not": ["force-push to main"]})),
        (
            "Reduce cloud costs from $12,000 to $8,000 per month by Q2",
            json!({"deadline": "2025-06-30", "quantities": [quantity(12000, "USD", "$12,000"), quantity(8000, "USD", "$8,000")]}),
        ),
        ("Fix the login bug", json!({})),
        (
            "Deploy the new API before 5pm on January 20th; it cannot break existing clients",
            json!({"deadline": "2025-01-20", "must_not": ["break existing clients"]}),
        ),
        (
            "Crea un plan de estudio de 6 semanas para aprobar el examen del 10 de marzo",
            json!({"duration_days": 42, "dates": ["2025-03-10"]}),
        ),
        (
            "Organiza la boda de Ana para 150 invitados el 20 de septiembre de 2025 con 18.000 €, sin alcohol",
            json!({"people": 150, "dates": ["2025-09-20"], "budget": 18000, "currency": "EUR", "must_not": ["alcohol"]}),
        ),
        ("Pay the $300 invoice of the printer", json!({"quantities": [quantity(300, "USD", "$300")]})),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in &rows {
        let found = extracted(text);
        if &found != expected {
            wrong.push(format!("{text}\n  expected {expected}\n  read     {found}"));
        }
        if looks_like_travel(text, &read(text).extracted) {
            wrong.push(format!("{text}\n  taken for a journey"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn paris_is_read_and_nothing_is_invented() {
    // spec: planning GD-02
    let reading = read("Plan a 3-day trip to Paris in May with a $2000 budget");
    assert_eq!(
        json!(reading.extracted),
        json!({
            "destination": "Paris", "places": ["Paris"], "duration_days": 3, "budget": 2000, "currency": "USD",
            "dates": "May 2025", "visiting_city_number": 1,
        })
    );
    assert_eq!(reading.guesses, ["the year of May: 2025"]);
    assert!(reading.doubts.is_empty());
}

#[test]
fn a_month_that_has_passed_is_the_one_of_next_year() {
    let now: Timestamp = "2025-11-16T10:00:00Z".parse().unwrap();
    let reading = goal::read("Plan a 3-day trip to Paris in May with a $2000 budget", now);
    assert_eq!(json!(reading.extracted.dates), json!("May 2026"));
}

#[test]
fn the_language_is_told() {
    assert_eq!(read("Plan a trip to Rome").language, Language::En);
    assert_eq!(read("Planifica un viaje a Roma").language, Language::Es);
    assert_eq!(json!(Language::Es), json!("es"));
}

#[test]
fn what_is_guessed_is_said() {
    let guesses = |text: &str| read(text).guesses;
    assert_eq!(guesses("Paint the house, budget 900"), ["the currency of the budget: USD"]);
    assert_eq!(guesses("Paint the house by Friday"), ["Friday: 2025-01-17"]);
    assert_eq!(guesses("A weekend trip to Rome"), ["the duration: 2 days, a weekend taken as two"]);
    assert_eq!(guesses("A trip to Rome, 3 nights"), ["the duration: 4 days, one more than the nights"]);
    assert_eq!(guesses("A trip to Rome with my wife"), ["how many people go: 2"]);
    assert_eq!(
        guesses("A trip to Rome for 3 people, budget $500 per person"),
        ["the whole budget: 500 USD for each of 3 people, 1500"]
    );
}

#[test]
fn contradictions_are_doubts() {
    let doubts = |text: &str| read(text).doubts;
    assert_eq!(
        doubts("A 3-day trip to Rome from March 1st to March 5th, 2025"),
        ["The duration is said to be 3 days, but the dates span 5."]
    );
    assert_eq!(
        doubts("Budget of $2000 for the party. The budget is $3000."),
        ["Two budgets are named: 2000 USD and 3000 USD."]
    );
    assert_eq!(
        doubts("A trip to Rome from March 1st to March 3rd, 2022"),
        ["The dates lie in the past: they end on 2022-03-03, today is 2025-01-15."]
    );
    assert_eq!(
        doubts("A trip to Rome from March 9th, 2025 to March 3rd, 2025"),
        ["The dates end before they start: 2025-03-09 to 2025-03-03."]
    );
    assert_eq!(
        doubts("A trip to Rome for 3 people. There are 4 travelers."),
        ["Two numbers of people are named: 3 and 4."]
    );
}

#[test]
fn journeys_are_told_from_talk_about_journeys() {
    // spec: planning GD-06
    let travel = |text: &str| looks_like_travel(text, &read(text).extracted);
    assert!(travel("Plan a 3-day trip to Paris in May with a $2000 budget"));
    assert!(travel("Planifica un viaje de 3 días a París"));
    assert!(travel("Weekend in Rome"));
    assert!(!travel("Build a website for a travel agency"));
    assert!(!travel("Write a report about the history of tourism and flights"));
    assert!(!travel("Sort these numbers"));
    assert!(!travel(""));
}

#[test]
fn a_reading_survives_json() {
    let reading =
        read("Trip from Erie to Miami, 2 people, March 5-7, 2025, $1,500.50. No flights, pets allowed.");
    let text = serde_json::to_string(&reading).unwrap();
    assert_eq!(serde_json::from_str::<Reading>(&text).unwrap(), reading);
    assert_eq!(json!(reading.extracted)["budget"], json!(1500.5));
    assert_eq!(
        json!(reading.extracted)["local_constraint"],
        json!({"house rule": "pets", "transportation": "no flight"})
    );
}

#[test]
fn odd_texts_are_read_without_harm() {
    let now: Timestamp = "2025-01-15T10:00:00Z".parse().unwrap();
    for text in [
        "",
        " ",
        "\0\u{1}\u{fffd}",
        "$",
        "$$$ €€ £",
        "3",
        "-",
        "....",
        "'’'",
        "from to from to",
        "\u{301}\u{301}",
        "budget",
        "99999999999999999999999999 days",
        "from March 99 to March 0",
        "$9999999999999999999999999999999999k",
        "of de of de la la",
        "a a a a",
        "🧳✈️ to 🗼 3🌙",
        "ﬁrst ǅ İstanbul",
        "1/1/1/1/1",
        "2022-13-45",
        "mil mil mil mil mil million million million",
        "trip to , and , and",
        "for for for 2 2 2",
        "\u{202e}siraP ot pirt",
        "0000-00-00",
        "in 4294967295 weeks",
        "1'000'000 euros",
    ] {
        let _ = goal::read(text, now);
        let _ = goal::read(&format!("{text} {text}{text}"), now);
        for edge in [i64::MIN, 0, i64::MAX] {
            let _ = goal::read(
                &format!("a trip next month by Friday {text} in 3 weeks, 5 May"),
                Timestamp::from_millis(edge),
            );
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the requirement is about time; the crate itself has no clock")]
fn long_texts_are_read_in_linear_time() {
    let now: Timestamp = "2025-01-15T10:00:00Z".parse().unwrap();
    let unit =
        "Plan a 3-day trip from Houston to Paris for 2 people, March 3-5, $2,000; must not fly, no pets. ";
    for unit in
        [unit, "Paris and Rome, ", "to to to ", "$5 ", "March 3 to ", "and ", "two hundred ", "\u{301}a"]
    {
        let text = unit.repeat(100_000 / unit.len());
        let start = std::time::Instant::now();
        let reading = goal::read(&text, now);
        assert!(start.elapsed().as_secs() < 20, "{unit}: {:?}", start.elapsed());
        assert!(reading.doubts.len() <= 100);
    }
}

#[test]
fn pieces_of_goals_are_read_without_harm() {
    let now: Timestamp = "2025-01-15T10:00:00Z".parse().unwrap();
    let goals = [
        "Viaje de St. Louis a Río de Janeiro, del 3 al 7 de mayo de 2025, 1,2 millones de pesos, sin vuelos.",
        "From Austin, Texas to D.C., March 3rd–5th 2025, US$ 2.5k, my wife, our 2 kids and I; not a shared room!",
    ];
    for goal in goals {
        for (at, _) in goal.char_indices() {
            let (head, tail) = goal.split_at(at);
            let _ = goal::read(head, now);
            let _ = goal::read(tail, now);
            let _ = goal::read(&format!("{tail}{head}"), now);
        }
    }
}
