//! The libraries that programs are promised, in the confinement, if they are installed.

use std::path::Path;

use candor_ports::{CodeLimit, CodeOutcome};
use candor_sandbox::Limits;
use candor_sandbox::python::{LocalPython, PythonConfig};
use candor_testkit::skips::skipped;
use serde_json::json;

use crate::fixtures::{config, finished, run};

/// A Python with all of them, in the folder of test peers that `CANDOR_TEST_PEERS` names.
fn equipped() -> Option<LocalPython> {
    let Some(peers) = std::env::var_os("CANDOR_TEST_PEERS") else {
        skipped("CANDOR_TEST_PEERS names no folder");
        return None;
    };
    let python = Path::new(&peers).join("sandbox/bin/python3");
    if !python.exists() {
        skipped(format!("there is no {}", python.display()));
        return None;
    }
    let limits = Limits { memory_bytes: 1024 * 1024 * 1024, ..config().limits };
    Some(LocalPython::new(PythonConfig { python, limits, ..config() }).unwrap())
}

/// What is not installed is skipped, and told.
async fn offers(python: &LocalPython, names: &[&str]) -> bool {
    let facts = python.facts().await.unwrap();
    let there = |name: &&str| facts.libraries.keys().any(|found| found.eq_ignore_ascii_case(name));
    let missing: Vec<_> = names.iter().filter(|name| !there(name)).collect();
    if !missing.is_empty() {
        skipped(format!("{missing:?} are not installed"));
    }
    missing.is_empty()
}

// spec: code-agent SB-05, SB-15, NX-15
#[tokio::test]
async fn numbers_and_tables_work_inside() {
    let Some(python) = equipped() else { return };
    if !offers(&python, &["numpy", "pandas"]).await {
        return;
    }
    let code = "
import numpy, pandas
table = pandas.DataFrame({'a': [1, 2, 3], 'b': [1.5, None, 3.5]})
context.update(total=table['a'].sum(), mean=table['b'].mean(), missing=table['b'][1], flag=numpy.bool_(True),
    when=pandas.Timestamp('2024-01-02'), text=numpy.str_('x'), product=int(numpy.dot([1, 2], [3, 4])))
";
    let run = run(&python, code).await;
    let warned = run.warnings.join("\n");
    assert!(warned.contains("`context.missing` is nan") && warned.contains("`context.when` is"), "{warned}");
    assert_eq!(
        finished(run),
        json!({
            "total": 6, "mean": 2.5, "missing": null, "flag": true, "when": "2024-01-02 00:00:00", "text": "x",
            "product": 11,
        })
    );
}

// spec: code-agent SB-15
#[tokio::test]
async fn documents_and_pictures_work_inside() {
    let Some(python) = equipped() else { return };
    if !offers(&python, &["PyMuPDF", "pillow"]).await {
        return;
    }
    let code = "
import fitz, io
from PIL import Image
document = fitz.open(); document.new_page().insert_text((72, 72), 'hello'); data = document.tobytes()
context['text'] = fitz.open(stream=data, filetype='pdf')[0].get_text().strip()
picture = io.BytesIO(); Image.new('RGB', (2, 3)).save(picture, 'PNG')
context['size'] = Image.open(picture).size
";
    assert_eq!(finished(run(&python, code).await), json!({"text": "hello", "size": [2, 3]}));
}

#[tokio::test]
async fn a_table_that_is_too_large_is_told_by_its_limit() {
    let Some(python) = equipped() else { return };
    if !offers(&python, &["numpy"]).await {
        return;
    }
    let run = run(&python, "import numpy; x = numpy.ones((40_000, 40_000))").await;
    assert!(matches!(run.outcome, CodeOutcome::Limit { limit: CodeLimit::Memory, .. }), "{run:?}");
}
