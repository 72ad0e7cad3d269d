//! The evaluation by rules: what a request is about, how much there is to it, and how well it is put.

use candor_language::evaluate::{self, Judged, TECHNIQUES, files_named_in, own_words};
use candor_language::goal;
use candor_model::{ENOUGH_QUALITY, Enhancement, PromptQuality, Timestamp};
use proptest::prelude::*;

fn noon() -> Timestamp {
    "2025-01-10T12:00:00Z".parse().unwrap()
}

fn judged(text: &str) -> Judged {
    evaluate::evaluate(text, &goal::read(&own_words(text), noon()))
}

fn quality(text: &str) -> PromptQuality {
    judged(text).evaluation.prompt_quality
}

fn complexity(text: &str) -> u8 {
    judged(text).evaluation.complexity.total
}

fn offered(text: &str) -> Enhancement {
    let reading = goal::read(text, noon());
    let quality = evaluate::evaluate(text, &reading).evaluation.prompt_quality;
    evaluate::enhance(text, &reading, &quality).unwrap()
}

#[test]
fn weak_requests_lose_their_points_one_by_one() {
    // spec: orchestrator PE-01 X-95
    let table: &[(&str, u8, &[&str])] = &[
        ("fix it", 15, &["vague", "no context", "too short", "no expected result", "undefined pronoun"]),
        (
            "make it better",
            15,
            &["vague", "no context", "too short", "no expected result", "undefined pronoun"],
        ),
        ("help", 25, &["vague", "no context", "too short", "no expected result"]),
        ("Improve the code", 50, &["no context", "too short", "no expected result"]),
        ("Fix the bug", 50, &["no context", "too short", "no expected result"]),
        ("Improve the performance of the whole app", 65, &["no context", "no expected result"]),
        ("Book a hotel", 65, &["no context", "too short"]),
        ("arréglalo", 15, &["vague", "no context", "too short", "no expected result", "undefined pronoun"]),
        ("Mejora el código", 50, &["no context", "too short", "no expected result"]),
    ];
    for (text, score, issues) in table {
        let found = quality(text);
        assert_eq!(
            (found.score, found.issues.iter().map(String::as_str).collect::<Vec<_>>()),
            (*score, issues.to_vec()),
            "{text}"
        );
    }
}

#[test]
fn vague_requests_are_below_the_line() {
    // spec: orchestrator PE-02
    for text in [
        "do something with the thing",
        "Do it",
        "help me",
        "hello",
        "hi there",
        "this",
        "asap please",
        "?",
        "Why?",
        "What is it?",
        "How do I fix it?",
        "can you fix it?",
        "make the app better",
        "fix the problem",
        "haz algo",
        "ayúdame",
        "arregla eso",
        "It does not work",
        "do the thing again",
        "optimize everything",
    ] {
        let found = quality(text);
        assert!(found.score < ENOUGH_QUALITY, "{text}: {} {:?}", found.score, found.issues);
    }
}

#[test]
fn clear_requests_are_good_enough() {
    // spec: orchestrator PE-02
    for text in [
        "What is the capital of France?",
        "What is love?",
        "Who wrote Don Quixote?",
        "How many legs does a spider have?",
        "¿Cuál es la capital de Francia?",
        "Is it safe to eat raw eggs?",
        "Plan a 3-day trip to Paris in May with a $2000 budget",
        "A trip to Rome for $2000 with a budget of $500",
        "Planifica un viaje de 3 días a París en mayo con un presupuesto de 2000 €",
        "A weekend in Rome for two",
        "Compare PostgreSQL vs MySQL",
        "Translate this: good morning, everyone",
        "Translate the menu from Spanish to English",
        "Prune the apple trees",
        "Frobnicate the old apple trees",
        "Reduce p99 latency to 200 ms within two weeks",
        "From Austin, Texas to D.C., March 3rd to 5th, 2500 dollars, my wife and I",
        "Filter the cards by class",
        "Fix the failing test in crates/cli",
        "Count to 10",
        "2 + 2",
        "Please prune the old apple trees in the garden",
        "Fix the crash in src/parser.rs when the input is empty",
        "Refactor crates/phases/src/lib.rs",
        "Rename get_user to fetch_user in the api module",
        "Write a poem about the sea and its colours",
        "Summarise the minutes of Monday's meeting for the team",
        "Add a logout button to the settings page",
        "Bake a chocolate cake for 8 people",
        "I need a report on last month's sales by region",
        "Could you book a table for two at Luigi's on Friday?",
        "Build a full login feature with tests",
        "Erstelle einen Bericht über die Verkaufszahlen im März",
        "プロジェクトの売上報告書を作成してください",
        "Escribe un poema sobre el mar y sus colores",
    ] {
        let found = quality(text);
        assert!(found.score >= ENOUGH_QUALITY, "{text}: {} {:?}", found.score, found.issues);
    }
}

#[test]
fn the_three_samples_fall_in_the_three_classes() {
    // spec: orchestrator SC-10 X-95
    let class = |text: &str| match complexity(text) {
        0..=30 => "simple",
        31..=60 => "standard",
        _ => "complex",
    };
    let table = [
        ("What is a binary tree?", "simple"),
        ("What is the capital of France?", "simple"),
        ("What is OAuth?", "simple"),
        ("Fix the typo in README.md", "simple"),
        ("Compare PostgreSQL vs MySQL", "standard"),
        ("Compara Python con Rust", "standard"),
        ("Plan a 3-day trip to Paris in May with a $2000 budget", "standard"),
        ("Plan a trip to Rome", "standard"),
        (
            "Create a React component with i18n in src/Menu.tsx, locales/en.json and locales/es.json",
            "standard",
        ),
        ("Write tests for src/parser.rs", "standard"),
        ("Implement a full search feature with tests", "complex"),
        ("Build a complete authentication system with tests in 12 files", "complex"),
        ("Implementa una funcionalidad completa de búsqueda con pruebas", "complex"),
    ];
    for (text, expected) in table {
        assert_eq!(class(text), expected, "{text}: {:?}", judged(text).evaluation.complexity);
    }
}

#[test]
fn the_rubric_adds_up() {
    // spec: orchestrator X-95
    assert_eq!(complexity("What is love?"), 10);
    assert_eq!(complexity("Sing about a.rs and b.rs"), 10 + 2 * 6);
    assert_eq!(complexity("Sing about 50 files"), 10 + 60, "files add 60 at most");
    assert_eq!(complexity("Build and refactor the shed"), 10 + 2 * 8);
    assert_eq!(complexity("Draw a sheep. Then count the sheep. Then count the cows."), 10 + 2 * 10);
    assert_eq!(complexity("Erase the blackboard"), 10 + 8);
    assert_eq!(complexity("Sing about the architecture"), 10 + 15);
    let huge = "Build and rewrite and migrate and deploy the entire secure system with tests in 40 files";
    assert_eq!(complexity(huge), 100);
    let parts = judged("Build the shed").evaluation.complexity.parts;
    assert_eq!(parts, ["10: what every request takes", "8: verbs of building and rebuilding"]);
}

#[test]
fn keywords_are_files_names_technologies_and_places() {
    // spec: orchestrator PH-08
    let found =
        judged("Fix parse_goal in src/goal.rs so that Rust code for Paris compiles, and ask Maria").found;
    assert_eq!(found.files, ["src/goal.rs"]);
    assert_eq!(found.identifiers, ["parse_goal"]);
    assert_eq!(found.technologies, ["Rust"]);
    assert!(
        found.entities.contains(&"Paris".to_owned()) && found.entities.contains(&"Maria".to_owned()),
        "{found:?}"
    );
    assert!(found.task_types.contains(&"fix".to_owned()), "{found:?}");
    assert_eq!(found.all[0], "src/goal.rs", "the most telling first");
    let spanish = judged("Arregla el error de inicio de sesión en src/login.ts con React").found;
    assert_eq!((spanish.files[0].as_str(), spanish.technologies[0].as_str()), ("src/login.ts", "React"));
    assert!(spanish.task_types.contains(&"fix".to_owned()));
}

#[test]
fn files_are_told_from_what_looks_like_them() {
    // spec: orchestrator PH-08
    let named = |text: &str| files_named_in(text).join(" ");
    assert_eq!(
        named("Read ./notes/a.txt, README.md and (Makefile); README.md again."),
        "notes/a.txt README.md Makefile"
    );
    assert_eq!(
        named("See https://example.com/a.rs, me@site.md, e.g. Node.js 3.11 and/or 24/7 at U.S. example.com"),
        ""
    );
    assert_eq!(judged("Rename it in 7 files").evaluation.file_count, 7);
    assert_eq!(judged("Change a.rs, b.rs and c.rs").evaluation.file_count, 3);
}

#[test]
fn what_nobody_can_work_on_scores_low_and_says_why() {
    // spec: findings HE-13
    for (text, issue) in [
        ("asdf qwer zxcv poiu lkjh mnbv", "not readable"),
        ("xkcdq zzzrt bcdfg hjklm qwrtp", "not readable"),
        ("aaaa bbbb cccc dddd eeee ffff", "not readable"),
        ("fghj ghjk dfgh jkljkl sdfsdf asdasd", "not readable"),
        ("Summarise the attached file in three sentences for the board", "missing attachment"),
        ("Please see the attachment and correct the figures of March", "missing attachment"),
        ("I attached a spreadsheet; compute the totals by region", "missing attachment"),
        ("Resume el documento adjunto en tres frases para el consejo", "missing attachment"),
        ("Revisa las facturas adjuntas y calcula el total de marzo", "missing attachment"),
        ("Prepare the sales report for March as discussed with the team", "unknown reference"),
        ("Send the newsletter to the customers like last time", "unknown reference"),
        ("Prepara el informe de ventas de marzo como la última vez", "unknown reference"),
        ("Envía el boletín a los clientes como siempre", "unknown reference"),
    ] {
        let found = quality(text);
        assert!(found.issues.contains(&issue.to_owned()), "{text}: {found:?}");
        assert!(found.score < ENOUGH_QUALITY, "{text}: {found:?}");
    }
}

#[test]
fn what_is_given_or_belongs_to_something_else_is_not_missed() {
    // spec: findings HE-13
    for text in [
        "Summarise the attached report.pdf in three sentences for the board",
        "Count the files attached to each invoice of March",
        "Sort the attached list: apples, pears and plums of the garden",
        "Download the documents attached to the tickets of project Apollo",
        "Cuenta los archivos adjuntos a cada factura de marzo",
        "Compare the prices of March with those of the year before",
        "Write a list of crwth, pwm, nth and html terms for the index of Chapter 3",
        "Ouvre le rapport des ventes du mois de mars et compte les clients",
        "Zweckmäßigkeitsprüfung der Rechtschreibung und der Angstschwelle erstellen",
        "Run rg, ls and awk on /var/log/nginx and count the 502 errors",
    ] {
        let found = quality(text);
        let missed = ["not readable", "missing attachment", "unknown reference"];
        assert!(!found.issues.iter().any(|issue| missed.contains(&issue.as_str())), "{text}: {found:?}");
    }
}

#[test]
fn contradictions_are_found_and_told() {
    // spec: orchestrator AC-05 PE-01
    for (text, parts) in [
        ("Write the report in Spanish, only English", ["in Spanish", "only in English"]),
        ("Escribe el informe en español, solo en inglés", ["in Spanish", "only in English"]),
        ("List at most 3 hotels in Rome, at least 5", ["at most 3 hotels", "at least 5"]),
        (
            "Write no more than 100 words about Rome and more than 300 words",
            ["no more than 100 words", "more than 300 words"],
        ),
        (
            "Escribe como máximo 2 páginas sobre Roma, al menos 4 páginas",
            ["como máximo 2 páginas", "al menos 4 páginas"],
        ),
        ("Find a cheap flight to Rome, money no object", ["cheap", "money no object"]),
        ("Build the shed without nails. Build the roof with nails", ["with nails", "without nails"]),
        ("Don't use plastic for the toy boat. Use plastic.", ["Use plastic", "Don't use plastic"]),
        ("Prepara la tarta con azúcar y sin azúcar", ["con azúcar", "sin azúcar"]),
        ("Finish the report today, next month", ["today", "next month"]),
        ("Send the report to Ann today. It must be ready next month", ["today", "next month"]),
        ("Write a short answer about Rome in great detail", ["short", "in great detail"]),
        ("Keep it short. Explain the fall of Rome in great detail", ["short", "in great detail"]),
        ("Book a one-way flight to Rome, round trip", ["one-way", "round trip"]),
        ("Add i18n to the museum's landing page, only English", ["i18n", "only English"]),
        ("Internacionaliza la ficha del museo, solo en español", ["Internacionaliza", "only Spanish"]),
    ] {
        let found = quality(text);
        assert_eq!(found.contradictions.len(), 1, "{text}: {found:?}");
        for part in parts {
            assert!(found.contradictions[0].contains(part), "{text}: {found:?}");
        }
        assert!(
            found.issues.contains(&"contradiction".to_owned()) && found.score <= ENOUGH_QUALITY,
            "{text}: {found:?}"
        );
    }
}

#[test]
fn consistent_requests_contradict_nothing() {
    // spec: orchestrator AC-05
    for text in [
        "Translate the menu from Spanish to English",
        "Translate the letter into Spanish, only the English parts",
        "Add i18n to the museum's landing page and write its manual only in English",
        "Write the manual in English and in Spanish",
        "Answer in English and Spanish only",
        "Write the docs in English only and the labels in Spanish",
        "Find at least 3 and at most 5 hotels",
        "At most 3 adults and at least 5 children",
        "Stay at least 3 nights in Rome and at most 2 nights in Milan",
        "Spend at most $300 on at least 5 museums",
        "No more than 5 pages, at least 3",
        "A pizza with cheese but without onions",
        "Coffee with or without milk",
        "One pizza with ham and one without ham",
        "Compare coffee with milk and coffee without milk",
        "Bread without added sugar, with sugar on top",
        "Find a cheap hotel and an expensive restaurant",
        "Book today a trip for next month",
        "Call Ann today and finish the report next month",
        "Move the meeting from today to next month",
        "Write a short summary and a very detailed report",
        "Plan a short trip to Rome in great detail",
        "Write a brief email and explain in detail why the train was late",
        "Is it a formal or an informal letter?",
        "Plan a 3-day trip to Paris in May with a $2000 budget",
        "Use tabs, do not use spaces",
        "Ve a Madrid con mi hermano y sin mi perro",
    ] {
        assert_eq!(quality(text).contradictions, Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_weak_request_gets_three_wordings_the_best_first() {
    // spec: orchestrator PE-03 PE-04 PE-05
    for text in ["fix it", "make it better", "help", "Improve the code", "arréglalo", "Book a hotel"] {
        let Enhancement { original, variants, recommendation } = offered(text);
        assert_eq!((original.text.as_str(), variants.len(), recommendation.as_str()), (text, 3, "A"));
        assert!(variants.is_sorted_by(|one, other| one.score >= other.score), "{text}: {variants:?}");
        for variant in &variants {
            assert!(
                variant.improvements.iter().any(|name| TECHNIQUES.contains(&name.as_str())),
                "{variant:?}"
            );
            assert!(variant.text.contains(text), "what the person said stays: {variant:?}");
            assert_eq!(own_words(&variant.text), text, "and nothing is added to it");
            // spec: findings GL-14
            assert_eq!(variant.score, original.score, "our own words make no request clearer: {variant:?}");
            assert_eq!(quality(&variant.text).score, variant.score, "chosen, it is judged as it was offered");
        }
        let structured = variants.iter().find(|variant| variant.improvements[0] == "added XML").unwrap();
        for tag in ["<context>", "</context>", "<task>", "</task>"] {
            assert!(structured.text.contains(tag), "{structured:?}");
        }
    }
    // spec: orchestrator PH-09
    let at = |score: u8| {
        let quality = PromptQuality { score, ..PromptQuality::default() };
        evaluate::enhance("fix it", &goal::Reading::default(), &quality)
    };
    assert!(at(69).is_some() && at(70).is_none());
}

#[test]
fn a_template_is_no_context_and_a_blank_that_is_filled_is() {
    // spec: orchestrator PE-01 PE-05
    let text = "Improve the code";
    let variants = offered(text).variants;
    assert!(variants.iter().all(|variant| quality(&variant.text).issues.contains(&"no context".to_owned())));
    let asking = variants.iter().find(|variant| variant.improvements == ["specificity"]).unwrap();
    assert_eq!(asking.score, quality(text).score, "questions alone add nothing: {asking:?}");
    let filled = asking.text.replacen("____", "src/export.rs", 1);
    let better = quality(&filled);
    assert!(!better.issues.contains(&"no context".to_owned()) && better.score > asking.score, "{better:?}");
    assert!(own_words(&filled).contains("src/export.rs"), "{filled}");
    let spanish = offered("Mejora el código").variants;
    assert!(spanish.iter().any(|variant| variant.text.contains("paso a paso")), "{spanish:?}");
}

#[test]
fn confidence_falls_with_what_is_missing() {
    // spec: orchestrator PH-08 X-95
    let sure = judged("Plan a 3-day trip to Paris in May with a $2000 budget").evaluation.confidence;
    let unsure = judged("make it better").evaluation.confidence;
    assert!(sure >= 80 && unsure <= 40, "{sure} {unsure}");
    assert_eq!(judged("make it better").missing.len(), 3);
}

proptest! {
    // spec: orchestrator PE-03 PH-08
    #[test]
    fn whatever_is_said_is_judged(text in "(\\PC|[ \n]|it|only|at most [0-9]|in English|without x|____|<task>){0,60}") {
        let reading = goal::read(&text, noon());
        let Judged { evaluation, found, .. } = evaluate::evaluate(&text, &reading);
        let quality = &evaluation.prompt_quality;
        for score in [quality.score, evaluation.complexity.total, evaluation.confidence, found.coverage] {
            prop_assert!(score <= 100);
        }
        let enhancement = evaluate::enhance(&text, &reading, quality);
        prop_assert_eq!(enhancement.is_some(), quality.score < ENOUGH_QUALITY);
        if let Some(Enhancement { variants, .. }) = enhancement {
            prop_assert_eq!(variants.len(), 3);
            prop_assert!(variants.iter().all(|variant| variant.score <= 100 && !variant.improvements.is_empty()));
        }
    }
}
