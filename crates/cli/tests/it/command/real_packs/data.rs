//! The pack `data`: from a table to a verified report.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{copied, output, report};
use crate::support::{Candor, GENERAL, texts};

const REVENUE: &str = "Analyse sales.csv and report revenue by region";

/// Rows of sales with known sums: region, and the revenue in cents.
fn sales(rows: u64) -> (String, Vec<(&'static str, u64)>) {
    let regions = ["North", "South", "East", "West"];
    let mut sums: Vec<(&str, u64)> = regions.iter().map(|name| (*name, 0)).collect();
    let mut text = String::from("date,region,product,revenue\n");
    for n in 0..rows {
        let place = usize::try_from(n * 7 % 4).unwrap();
        let cents = n * 37 % 100_000;
        sums[place].1 += cents;
        let (month, day) = (n % 12 + 1, n % 28 + 1);
        text.push_str(&format!(
            "2023-{month:02}-{day:02},{},P{},{}.{:02}\n",
            regions[place],
            n % 50,
            cents / 100,
            cents % 100
        ));
    }
    (text, sums)
}

fn grouped(cents: u64) -> String {
    let whole = (cents / 100).to_string();
    let mut text = String::new();
    for (n, digit) in whole.chars().enumerate() {
        if n > 0 && (whole.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if cents.is_multiple_of(100) { text } else { format!("{text}.{:02}", cents % 100) }
}

fn packs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs")
}

#[test]
fn a_hundred_thousand_rows_become_a_verified_report_in_one_command() {
    let candor = Candor::new();
    let (text, sums) = sales(100_000);
    candor.write("sales.csv", text);
    let (said, events) = candor.events(&["run", REVENUE]);
    said.ended_with(0);
    assert_eq!(events.report()["verdict"], "verified", "{:?}", events.report());
    let report = report(&candor, &events);
    for (region, cents) in sums {
        let row = format!("| {region} | {} |", grouped(cents));
        assert!(report.contains(&row), "no `{row}` in {report}");
    }
    assert!(report.contains("100,000 rows"), "{report}");
    assert_eq!(output(&events, "figures_differing"), 0);
    assert!(output(&events, "figures_checked").as_u64().unwrap() > 20);
    let chart = fs::read_to_string(candor.path(texts(output(&events, "svg_charts"))[0])).unwrap();
    assert!(chart.starts_with("<svg") && chart.contains("North"), "{chart}");
    let plan = events.only("plan_proposed");
    let allowed = &plan["plan"]["metadata"]["pack_rules"]["permissions"];
    assert_eq!(allowed, "reads this folder, writes candor-output/, runs python3; no network");
}

#[test]
fn a_wrong_figure_is_found_by_the_second_computation() {
    let candor = Candor::with_config("[packs]\nfolders = [\"data\"]\n");
    candor.write("sales.csv", sales(200).0);
    copied(&packs().join("data"), &candor.path("data"));
    let program = candor.path("data/compute.py");
    let text = fs::read_to_string(&program).unwrap();
    let wrong = text.replace("total = self.total + self.lost\n", "total = self.total + self.lost + 0.01\n");
    assert_ne!(wrong, text);
    fs::write(&program, wrong).unwrap();
    let (said, events) = candor.events(&["run", REVENUE]);
    said.ended_with(1);
    assert_eq!(events.report()["verdict"], "not_met");
    assert!(output(&events, "figures_differing").as_u64().unwrap() >= 4);
    let told = output(&events, "differences").to_string();
    assert!(told.contains("North"), "{told}");
    let said = candor.run(["report", "last"]).ended_with(0);
    said.shows(&["Every figure agrees with a second, independent computation"]);
}

#[test]
fn a_figure_that_is_wrong_only_in_the_report_is_found_too() {
    let candor = Candor::with_config("[packs]\nfolders = [\"data\"]\n");
    candor.write("sales.csv", sales(200).0);
    copied(&packs().join("data"), &candor.path("data"));
    let program = candor.path("data/report.py");
    let text = fs::read_to_string(&program).unwrap();
    let wrong =
        text.replace("        return f\"{int(value):,}\"\n", "        return f\"{int(value) + 1:,}\"\n");
    let wrong = wrong.replace("f\"{value:,.2f}\" if", "f\"{value + 1:,.2f}\" if");
    assert_ne!(wrong, text);
    fs::write(&program, wrong).unwrap();
    let (said, events) = candor.events(&["run", REVENUE]);
    said.ended_with(1);
    assert_eq!(events.report()["verdict"], "not_met");
    assert!(output(&events, "differences").to_string().contains("report"));
}

#[test]
fn what_the_data_does_not_have_is_told_with_what_it_has() {
    let candor = Candor::new();
    candor.write("sales.csv", sales(50).0);
    let (said, events) = candor.events(&["run", "Analyse sales.csv and report revenue by colour"]);
    said.ended_with(1);
    let reason = events.first_reason();
    assert!(
        reason.contains("no column “colour”") && reason.contains("date, region, product, revenue"),
        "{reason}"
    );
    assert_eq!(events.dispatched(), ["task_001"], "known before anything is computed, and tried once");
    let told = candor.run(["run", "Analyse orders.csv and report revenue by region"]).ended_with(1);
    told.tells(&["orders.csv", "there is no such file"]);
}

#[test]
fn filters_periods_and_formats_are_read_in_english_and_spanish() {
    let candor = Candor::new();
    let rows = "fecha;ciudad;importe\n05/01/2023;Lima;1.200,50\n09/02/2023;Quito;300\n01/03/2022;Lima;10\n11/02/2023;Lima;1,5\n";
    candor.write("ventas.csv", rows);
    let (said, events) = candor.events(&["run", "Analiza ventas.csv: importe por mes en 2023, solo Lima"]);
    said.ended_with(0);
    let text = report(&candor, &events);
    assert!(text.contains("| 2023-01 | 1,200.50 |") && text.contains("| 2023-02 | 1.50 |"), "{text}");
    assert!(!text.contains("2022-03") && text.contains("# Análisis de ventas.csv"), "{text}");

    let lines = (1..=30)
        .map(|n| format!("{{\"dept\": \"D{}\", \"pay\": {}, \"full\": {}}}\n", n % 3, n * 10, n % 2 == 0));
    candor.write("staff.jsonl", lines.collect::<String>());
    let (said, events) = candor.events(&["run", "What is the average pay per dept in staff.jsonl?"]);
    said.ended_with(0);
    let text = report(&candor, &events);
    assert!(
        text.contains("| D0 | 165 |") && text.contains("| D1 | 145 |") && text.contains("| D2 | 155 |"),
        "{text}"
    );
}

#[test]
fn packs_for_real_files_leave_other_goals_to_ones_own_agents() {
    let candor = Candor::with_config(GENERAL);
    candor.write("sales.csv", sales(50).0);
    for goal in [
        "Write a script that parses sales.csv and prints the total",
        "Compare repositories of vector databases and write a summary",
        "Send sales.csv to the team by mail",
    ] {
        let (said, events) = candor.events(&["run", goal]);
        assert!(said.code <= 3, "{said:?}");
        let proposed = events.only("plan_proposed");
        let agents: Vec<&Value> =
            proposed["plan"]["subtasks"].as_array().unwrap().iter().map(|task| &task["agent_type"]).collect();
        let own = ["writer", "mailer", "collector"];
        assert!(agents.iter().all(|agent| own.contains(&agent.as_str().unwrap())), "{goal}: {agents:?}");
    }
    // Their own tasks they still do, and nobody else does.
    let (said, events) = candor.events(&["run", REVENUE]);
    said.ended_with(0);
    assert_eq!(events.texts("task_dispatched", "agent_type")[0], "data_profiler");
    // They can be switched off.
    let off = Candor::with_config(&format!("{GENERAL}[packs]\nagents = false\n"));
    off.write("sales.csv", sales(50).0);
    let (_, events) = off.events(&["run", REVENUE]);
    let used = events.texts("task_dispatched", "agent_type");
    assert!(!used.iter().any(|agent| agent.starts_with("data_")), "{used:?}");
}
