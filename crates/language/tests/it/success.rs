//! What a request's own words say of when it is fulfilled; and all the words that say nothing of it.

use candor_language::success::criteria;

fn derived(request: &str) -> Vec<String> {
    criteria(request).into_iter().map(|it| it.criterion).collect()
}

#[test]
fn plain_words_become_checks() {
    for (request, expected) in [
        ("Write a haiku about autumn to haiku.txt", &["file exists: haiku.txt"][..]),
        ("Create report.md", &["file exists: report.md"]),
        ("Save the results in out/results.txt", &["file exists: out/results.txt"]),
        ("Export the users as CSV to users.csv", &["file exists: users.csv", "file users.csv is csv"]),
        ("Convert prices.csv to prices.json", &["file exists: prices.json", "file prices.json is json"]),
        (
            "Summarise the minutes into minutes.md in under 200 words",
            &["file exists: minutes.md", "file minutes.md words < 200"],
        ),
        ("Explain how TLS works in at most 150 words", &["answer words <= 150"]),
        ("Describe the bug in no more than 20 lines", &["answer lines <= 20"]),
        ("List the top languages as JSON", &["answer is json"]),
        ("List at least 5 risks of the migration", &["count risks >= 5"]),
        ("Write at least 5 risks to risks.md", &["file exists: risks.md", "file risks.md entries >= 5"]),
        ("Write a welcome note in Spanish", &["answer in spanish"]),
        ("Translate notes.txt to German", &["judge: the result is written in German"]),
        ("Escribe un resumen de menos de 100 palabras", &["answer words < 100"]),
        ("Guarda la lista en compras.csv", &["file exists: compras.csv", "file compras.csv is csv"]),
        ("Redacta una carta en inglés", &["answer in english"]),
    ] {
        assert_eq!(derived(request), expected, "{request}");
    }
}

#[test]
fn what_could_mean_something_else_becomes_none() {
    for request in [
        "Read data.csv and tell me the average",
        "Compare old.json to new.json",
        "Write a summary of the errors in app.log",
        "Do not write to notes.md",
        "If there is time, save the plan to plan.md",
        "Explain how to write main.rs",
        "Find at least 3 days without meetings",
        "Analyse the documents written in English",
        "Read config as JSON",
        "Summarise the articles within 2 hours",
        "Write it up",
        "",
    ] {
        assert_eq!(derived(request), Vec::<String>::new(), "{request}");
    }
}

#[test]
fn what_nobody_here_can_check_is_left_to_be_judged() {
    // spec: findings HE-01
    let wanted = derived("Reduce our AWS bill by 20 % and e-mail the CFO");
    assert!(!wanted.is_empty() && wanted.iter().all(|it| it.starts_with("judge: ")), "{wanted:?}");
    let wanted = derived("Write the summary to notes.md. Send it to Bob.");
    assert_eq!(wanted.len(), 2, "{wanted:?}");
    assert!(wanted[1].starts_with("judge: Send it to Bob"), "{wanted:?}");
    let words = &criteria("Write the summary to notes.md. Send it to Bob.")[0].words;
    assert!(words.contains("notes.md"), "{words}");
}
