//! Three real workflows, end to end: data made here, code from recorded exchanges, run in the real sandbox with real
//! libraries.
//!
//! The recordings were made once with a scripted model that wrote the programs in `programs/`. When a prompt
//! changes they no longer fit: `UPDATE_RECORDINGS=1 cargo test -p candor --test code workflows` makes them anew.

use std::path::PathBuf;
use std::{env, fs};

use serde_json::{Value, json};

use crate::code::bench::{Bench, Script, tiers, with_libraries};
use crate::code::data;
use crate::support::{Candor, Said};

/// One workflow.
struct Workflow {
    name: &'static str,
    task: &'static str,
    context: Value,
    insights: &'static str,
    program: &'static str,
}

impl Workflow {
    /// Plays it back: no model and no key; only the sandbox is real.
    fn play(&self, code: &str) -> Said {
        if env::var_os("UPDATE_RECORDINGS").is_some() {
            self.record(code);
        }
        // Nobody listens there: whatever is asked and was not recorded fails.
        let candor = Candor::with_config(&format!("{code}{}", tiers("http://127.0.0.1:9/v1/")));
        let said = self.run(&candor, &["--replay", &self.folder().to_string_lossy()]);
        Said { stderr: format!("(UPDATE_RECORDINGS=1 if a prompt has changed)\n{}", said.stderr), ..said }
    }

    fn record(&self, code: &str) {
        let _ = fs::remove_dir_all(self.folder());
        let script = Script {
            needs_analysis: true,
            insights: self.insights.to_owned(),
            ..Script::writing(&[self.program])
        };
        let bench = Bench::new(script, code);
        self.run(&bench.candor, &["--record", &self.folder().to_string_lossy()]).ended_with(0);
    }

    fn run(&self, candor: &Candor, more: &[&str]) -> Said {
        candor.write("context.json", self.context.to_string());
        let words = ["code", "run", "--task", self.task, "--context", "context.json", "--json"];
        let mut command = candor.command([&words, more].concat());
        Said::of(command.env("CANDOR_TEST_MODEL_KEY", "test.only.0123456789").output().unwrap())
    }

    fn folder(&self) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/code/recordings").join(self.name)
    }
}

/// What must hold for all of them.
fn well_done(said: Said, context: &Value) -> Value {
    let result = said.ended_with(0).json();
    for (key, value) in context.as_object().unwrap() {
        assert_eq!(&result[key], value, "what was given stays");
    }
    let metadata = &result["_ai_metadata"];
    assert_eq!((&metadata["attempts"], &metadata["errors"]), (&json!(1), &json!([])), "{metadata}");
    result
}

// spec: code-agent QT-06, QT-07, DA-10, DA-15, ST-13, SB-15
#[test]
fn the_total_of_an_invoice() {
    let Some(code) = with_libraries() else { return };
    let workflow = Workflow {
        name: "invoice",
        task: "Extrae el total de esta factura",
        context: data::invoice(),
        insights: include_str!("programs/invoice_insights.py"),
        program: include_str!("programs/invoice.py"),
    };
    let result = well_done(workflow.play(&code), &workflow.context);
    assert_eq!((&result["total_amount"], &result["currency"]), (&json!("1234.56"), &json!("USD")));
    let insights = &result["_ai_metadata"]["data_analysis"];
    assert_eq!((&insights["type"], &insights["pages"]), (&json!("pdf"), &json!(1)), "{insights}");
    assert_eq!(insights["has_text_layer"], json!(true));
    assert!(insights["analysis_code"].as_str().unwrap().contains("pymupdf"));
    assert!(result.get("insights").is_none(), "insights are kept apart from the data");
}

// spec: code-agent QT-06, DA-15, SB-05
#[test]
fn the_statistics_of_a_table_with_dirty_rows() {
    let Some(code) = with_libraries() else { return };
    let workflow = Workflow {
        name: "sales",
        task: "Clean this CSV and sum the amounts by region",
        context: data::sales(),
        insights: include_str!("programs/sales_insights.py"),
        program: include_str!("programs/sales.py"),
    };
    let result = well_done(workflow.play(&code), &workflow.context);
    assert_eq!(result["rows_read"].as_u64().unwrap() - result["rows_dropped"].as_u64().unwrap(), 31);
    assert_eq!(result["total_by_region"]["north"], json!(200.0));
    assert_eq!(result["total_by_region"]["south"], json!(200.0));
    assert!(result["first_day"].as_str().unwrap().starts_with("2026-01-03"), "a date becomes text");
}

// spec: code-agent QT-06
#[test]
fn sender_date_and_attachments_of_a_raw_email() {
    let Some(code) = with_libraries() else { return };
    let workflow = Workflow {
        name: "email",
        task: "Who sent this e-mail, when, and with which attachments?",
        context: data::email(),
        insights: include_str!("programs/email_insights.py"),
        program: include_str!("programs/email.py"),
    };
    let result = well_done(workflow.play(&code), &workflow.context);
    assert_eq!(
        (&result["sender_name"], &result["sender_address"]),
        (&json!("María Gómez"), &json!("maria@example.com"))
    );
    assert_eq!(result["subject"], json!("Cifras de noviembre ✓"));
    assert_eq!(result["sent_at"], json!("2026-11-03T09:15:00+01:00"));
    let attachments = result["attachments"].as_array().unwrap();
    let names: Vec<&str> = attachments.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["figures.csv", "note.txt"]);
    assert_eq!(attachments[1]["bytes"], json!(34));
}
