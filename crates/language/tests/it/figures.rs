//! What numbers mean: a day, money, a length of time, or none of the three.

use candor_language::goal;
use candor_model::Timestamp;
use serde_json::{Value, json};

/// What a text says of days, money and length, by the names of the reading. The present is a Wednesday.
fn facts(text: &str) -> Value {
    let now: Timestamp = "2025-01-15T10:00:00Z".parse().unwrap();
    let read = json!(goal::read(text, now).extracted);
    let named = ["budget", "dates", "deadline", "duration_days", "start_date", "end_date"];
    let said = named.iter().filter_map(|name| Some(((*name).to_owned(), read.get(*name)?.clone())));
    Value::Object(said.collect())
}

fn all_read(rows: &[(&str, Value)]) {
    let wrong: Vec<String> = rows
        .iter()
        .map(|(text, expected)| (text, expected, facts(text)))
        .filter(|(_, expected, found)| *expected != found)
        .map(|(text, expected, found)| format!("{text}\n  expected {expected}\n  read     {found}"))
        .collect();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn versions_codes_rates_counts_and_sizes_are_neither_day_nor_money_nor_length() {
    let texts = [
        "Upgrade the service to version 2.4.1",
        "Roll back from 3.11.2 to 3.10.9 on all hosts",
        "Install Python 3.12 and Node 20.11",
        "Bump React 18.2 to React 19.0",
        "Patch v1.9 of the gateway",
        "Scan the host 192.168.4.20 for open ports",
        "Open port 8080 on 10.0.0.12",
        "Block ports 3000 and 5432",
        "Sustain 50k msg/s on the broker",
        "The proxy must handle up to 50k msg/s",
        "Limit the API to 100 requests per minute",
        "Benchmark it under 3000 req/s",
        "The gateway returned 502s all morning",
        "Find out why users see 404s",
        "Explain error 1045 and HTTP 503",
        "Check exit code 137 of the job",
        "Fix ticket 4711 and issue 12",
        "Review pull request 482",
        "Summarise section 4.2 and chapter 3",
        "Check article 13 of the regulation",
        "Compare rows 12 and 15 of the table",
        "Keep 24/7 coverage of the desk",
        "Add 3/4 cup of sugar",
        "Resize the image to 1920x1080",
        "Compress the archive below 250 MB",
        "Keep under 50k rows in the table",
        "Raise coverage to 92.5% on line 40",
        "Bake it at 220 degrees for 25 minutes",
        "Delete logs older than 30 days",
        "Retry 5 times with 30 s between tries",
        "Call 555-0134 and ask for Ana",
        "Read RFC 9110 and ISO 27001",
        "We publish two posts a week; find better topics",
        "We pay $3,000 a month for hosting; find out why",
        "The plan costs 20 euros a month per user, explain the bill",
        "Hold the p99 at 200 ms",
        "Print 200 badges at 300 dpi",
        "Set the threshold to 0.75",
        "Split it 80-20 between train and test",
        "Open the doors at 19:30",
        "Actualiza el servicio a la versión 2.4.1",
        "Abre el puerto 5432 en 10.0.0.3",
        "Corrige el error 500 de la página 3",
        "Soporta 20k mensajes por segundo",
        "Revisa la sección 4.2 del manual",
        "El plan cuesta 30 euros al mes, explica la factura",
        "Borra los registros más antiguos de 90 días",
        "Reduce el peso a 250 MB",
    ];
    let rows: Vec<_> = texts.iter().map(|text| (*text, json!({}))).collect();
    all_read(&rows);
}

#[test]
fn days_money_and_lengths_are_still_read() {
    all_read(&[
        ("Migrate to version 2.4.1 by March 3", json!({"deadline": "2025-03-03"})),
        ("Upgrade to 16.2 with a budget of $4,000", json!({"budget": 4000})),
        ("Spend under 6k on it", json!({"budget": 6000})),
        ("Run a 3-day workshop on port scanning", json!({"duration_days": 3})),
        ("Deliver it on 1.3.2025", json!({"dates": ["2025-03-01"]})),
        ("Presupuesto de 2.500 € y versión 3.1.4", json!({"budget": 2500})),
        ("The course lasts two weeks", json!({"duration_days": 14})),
        ("Order 3 laptops by Friday", json!({"deadline": "2025-01-17"})),
        ("Request 3 quotes before April 2", json!({"deadline": "2025-04-02"})),
        ("Un taller de 5 días en el aula 12", json!({"duration_days": 5})),
    ]);
}

#[test]
fn a_year_is_carried_across_a_range_and_the_past_stays_past() {
    let march: Vec<String> = (8..=14).map(|day| format!("2022-03-{day:02}")).collect();
    let march =
        json!({"dates": march, "start_date": "2022-03-08", "end_date": "2022-03-14", "duration_days": 7});
    all_read(&[
        ("It will begin on March 8th and conclude on March 14th, 2022", march.clone()),
        ("Starting March 8, 2022 and ending on March 14", march),
        ("The outage was on November 3; write a post-mortem", json!({"dates": ["2024-11-03"]})),
        ("Sales fell in October. Explain why", json!({"dates": "October 2024"})),
        ("El fallo ocurrió el 3 de noviembre; escribe un informe", json!({"dates": ["2024-11-03"]})),
        ("Repaint the hall in October", json!({"dates": "October 2025"})),
        ("Publish it on November 3", json!({"dates": ["2025-11-03"]})),
    ]);
    let late: Timestamp = "2026-11-17T10:00:00Z".parse().unwrap();
    let dates = |text| json!(goal::read(text, late).extracted.dates);
    assert_eq!(dates("Review the campaign of this spring"), json!("spring 2026"));
    assert_eq!(dates("Plant the bulbs in spring"), json!("spring 2027"));
}
