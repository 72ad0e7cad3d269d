//! Prohibitions, limits and conditions: never steps, and they end where they end. Nothing of a request disappears.

use std::collections::BTreeSet;

use candor_language::goal::{self, Extracted};
use candor_language::split::{Place, read};
use candor_text::words;
use proptest::prelude::*;

fn extracted(text: &str) -> Extracted {
    goal::read(text, "2025-01-15T10:00:00Z".parse().unwrap()).extracted
}

fn steps(text: &str) -> Vec<String> {
    read(text).steps.into_iter().map(|step| step.description).collect()
}

#[test]
fn what_is_forbidden_is_a_constraint_that_ends_where_it_ends() {
    for (text, tasks, must_not) in [
        ("Draft the reply. Do not send it.", vec!["Draft the reply"], vec!["send it"]),
        (
            "Empty the cache without removing any session and raise an alarm at 90 %.",
            vec!["Empty the cache without removing any session", "Raise an alarm at 90 %"],
            vec!["removing any session"],
        ),
        ("Update the docs, but don't touch the licence.", vec!["Update the docs"], vec!["touch the licence"]),
        ("Do not restart the router and tell Sam.", vec!["Tell Sam"], vec!["restart the router"]),
        ("Neither print nor mail the list; archive it.", vec!["Archive it"], vec!["print", "mail the list"]),
        (
            "Load the crate. Do not load it if the seal is broken.",
            vec!["Load the crate"],
            vec!["load it if the seal is broken"],
        ),
        (
            "Rank the tanks. Tank 5 must not be opened before Monday.",
            vec!["Rank the tanks"],
            vec!["Tank 5 must not be opened before Monday"],
        ),
        (
            "Reinicia el servicio. No toques la base de datos sin permiso de Marta.",
            vec!["Reinicia el servicio"],
            vec!["toques la base de datos sin permiso de Marta"],
        ),
        ("Lava la tela. Nadie debe usar lejía.", vec!["Lava la tela"], vec!["debe usar lejía"]),
        (
            "Present the answers. They are anonymous: don't link them to names.",
            vec!["Present the answers"],
            vec!["link them to names"],
        ),
        ("Never use tabs. Format the code.", vec!["Format the code"], vec!["use tabs"]),
        ("Cook a soup. Nothing with peanuts.", vec!["Cook a soup"], vec!["peanuts"]),
        ("Redacta la carta. No incluyas precios.", vec!["Redacta la carta"], vec!["incluyas precios"]),
        (
            "Copy the ledgers and bind them; leave the maps out.",
            vec!["Copy the ledgers", "Bind them"],
            vec!["the maps"],
        ),
        (
            "Cuenta las barcas y haz una lista, excluye las de recreo.",
            vec!["Cuenta las barcas", "Haz una lista"],
            vec!["las de recreo"],
        ),
        (
            "Find the doubles, exclude them and count.",
            vec!["Find the doubles", "Exclude them and count"],
            vec![],
        ),
        ("Exclude the doubles.", vec!["Exclude the doubles"], vec![]),
        (
            "Recorta gastos sin tocar los salarios y presenta el resultado.",
            vec!["Recorta gastos sin tocar los salarios", "Presenta el resultado"],
            vec!["tocar los salarios"],
        ),
    ] {
        assert_eq!(steps(text), tasks, "{text}");
        assert_eq!(extracted(text).must_not, must_not, "{text}");
    }
    assert_eq!(extracted("Only use metric units. Convert the recipe.").must, ["Only use metric units"]);
    assert_eq!(extracted("Write a memo. No more than 5 pages.").must, ["No more than 5 pages"]);
    assert!(
        extracted("Find a pet-friendly hotel without stairs in Rome").must_not.iter().all(|it| it != "pets")
    );
}

#[test]
fn conditions_guard_the_steps_that_they_are_about() {
    for (text, guarded) in [
        ("Drain the node. Reboot it. Stop if a pod fails.", vec![vec![], vec!["Stop if a pod fails"]]),
        (
            "Heat the kiln and load it; abort if it smokes.",
            vec![vec!["abort if it smokes"], vec!["abort if it smokes"]],
        ),
        ("Publish the page unless legal objects.", vec![vec!["unless legal objects"]]),
        (
            "If the tests pass, tag the release and publish it.",
            vec![vec!["If the tests pass"], vec!["If the tests pass"]],
        ),
        ("Si hay errores, avisa al equipo.", vec![vec!["Si hay errores"]]),
        ("Sweep the hall. Unless it rains, use the yard.", vec![vec![], vec!["Unless it rains"]]),
        ("Check if the door is locked.", vec![vec![]]),
    ] {
        let found: Vec<_> = read(text).steps.into_iter().map(|step| step.conditions).collect();
        assert_eq!(found, guarded, "{text}");
    }
}

#[test]
fn what_needs_another_step_waits_for_it() {
    for (text, edges) in [
        ("Compare both offers and recommend one.", vec![vec![], vec![0]]),
        ("Compute the totals and send them to Kim.", vec![vec![], vec![0]]),
        ("Fix the parser, test it and deploy it.", vec![vec![], vec![0], vec![1]]),
        ("Review the code and report anything odd.", vec![vec![], vec![0]]),
        ("Run the tests before deploying the app.", vec![vec![], vec![0]]),
        ("After reviewing the draft, send it to Lee.", vec![vec![], vec![0]]),
        ("Escribe el informe, revísalo y mándalo a Ana.", vec![vec![], vec![0], vec![1]]),
        ("Compara las ofertas y recomienda una mejor.", vec![vec![], vec![0]]),
        ("Water the plants, feed the cat and lock the doors.", vec![vec![], vec![], vec![]]),
        ("Order chairs, rent a hall and hire a band.", vec![vec![], vec![], vec![]]),
    ] {
        let found: Vec<_> = read(text).steps.into_iter().map(|step| step.depends_on).collect();
        assert_eq!(found, edges, "{text}");
    }
}

#[test]
fn both_branches_wait_for_what_is_found_out() {
    for (text, edges, conditions) in [
        (
            "Check whether the tank leaks. Otherwise, refill it and sign the log; if it does, call the plumber.",
            vec![vec![], vec![0], vec![1], vec![0]],
            vec!["", "otherwise, not if the tank leaks", "otherwise, not if the tank leaks", "if it does"],
        ),
        (
            "Comprueba si la demanda cumple. De lo contrario, redacta un aviso y fija un plazo de diez días.",
            vec![vec![], vec![0], vec![0]],
            vec!["", "de lo contrario, no si la demanda cumple", "de lo contrario, no si la demanda cumple"],
        ),
        (
            "Averigua por qué falló la bomba, cambia la junta si está rota y, en caso contrario, avisa al taller.",
            vec![vec![], vec![0], vec![0]],
            vec!["", "si está rota", "de lo contrario, no si está rota"],
        ),
        (
            "Sweep the deck; unless it rains, oil the rails.",
            vec![vec![], vec![]],
            vec!["", "unless it rains"],
        ),
        ("Si hay nidos, no tales el árbol y avísame.", vec![vec![]], vec!["Si hay nidos"]),
        ("Encarga el motor, salvo que tarde un mes.", vec![vec![]], vec!["salvo que tarde un mes"]),
    ] {
        let found = read(text).steps;
        let needs: Vec<_> = found.iter().map(|step| step.depends_on.clone()).collect();
        assert_eq!(needs, edges, "{found:?}");
        let guards: Vec<_> = found.iter().map(|step| step.conditions.join("; ")).collect();
        assert_eq!(guards, conditions, "{text}");
    }
    assert!(extracted("Encarga el motor, salvo que tarde un mes.").must_not.is_empty());
    assert_eq!(extracted("Archiva las actas. Las del juez, no.").must_not, ["Las del juez"]);
    assert_eq!(steps("Archiva las actas. Las del juez, no."), ["Archiva las actas"]);
}

#[test]
fn each_clause_of_a_spanish_wish_is_a_step() {
    for (text, tasks, edges) in [
        (
            "Quiero que pintes la verja, que el cerrajero la revise y que la cierres.",
            vec!["Pintes la verja", "El cerrajero la revise", "La cierres"],
            vec![vec![], vec![0], vec![1]],
        ),
        (
            "Necesito que vendas el coche, que es viejo, y compres otro.",
            vec!["Vendas el coche, que es viejo", "Compres otro"],
            vec![vec![], vec![]],
        ),
        ("Necesito que midas la valla que se cayó.", vec!["Midas la valla que se cayó"], vec![vec![]]),
    ] {
        assert_eq!(steps(text), tasks, "{text}");
        let found: Vec<_> = read(text).steps.into_iter().map(|step| step.depends_on).collect();
        assert_eq!(found, edges, "{text}");
    }
}

#[test]
fn bullets_of_a_story_come_in_the_order_in_which_they_can_be_done() {
    let split = read(
        "Add search:\n- write tests for the search form\n- create the index model\n- implement the search form\n- deploy",
    );
    let outline: Vec<_> =
        split.steps.iter().map(|step| (step.description.as_str(), step.depends_on.clone())).collect();
    assert_eq!(
        outline,
        [
            ("Create the index model", vec![]),
            ("Implement the search form", vec![]),
            ("Write tests for the search form", vec![1]),
            ("Deploy", vec![0, 1, 2]),
        ]
    );
}

#[test]
fn a_command_to_do_nothing_is_no_step() {
    assert_eq!(steps("Measure the light curve. Publish nothing yet."), ["Measure the light curve"]);
    assert_eq!(extracted("Measure the light curve. Publish nothing yet.").must, ["Publish nothing yet"]);
}

proptest! {
    // spec: findings GL-05
    #[test]
    fn every_word_is_in_some_part(
        text in "(could you please |hey |check it|if it leaks|, |and |; |\\. |otherwise |do not |before opening the lid|\\n- |1\\) |\\? |[a-z]{1,6} |\\PC){1,30}"
    ) {
        let kept: BTreeSet<String> =
            read(&text).parts.iter().flat_map(|part| words(&part.text).map(str::to_owned)).collect();
        let plain = text.trim().replace('’', "'");
        let lost: Vec<&str> = words(&plain).filter(|word| !kept.contains(*word)).collect();
        prop_assert!(lost.is_empty(), "{lost:?} of {text:?}");
    }
}

#[test]
fn a_step_of_one_letter_is_no_piece_of_another_word() {
    // spec: findings GL-05
    let parts = read("could you please c").parts;
    assert!(parts.iter().any(|part| words(&part.text).any(|word| word == "could")), "{parts:?}");
    assert!(read("and , ※").parts.iter().any(|part| part.text.contains("and")));
}

#[test]
fn to_use_none_of_something_contradicts_nothing() {
    let text = "Count the seeds. Use no tap water.";
    let reading = goal::read(text, "2025-01-15T10:00:00Z".parse().unwrap());
    let judged = candor_language::evaluate::evaluate(text, &reading);
    assert!(judged.evaluation.prompt_quality.contradictions.is_empty(), "{judged:?}");
}

#[test]
fn every_clause_went_somewhere() {
    let split = read(
        "We moved offices in May. Analyse last year's invoices: find the largest ones and explain the changes. \
         Don't contact suppliers. Stop if a file is locked. Thanks!",
    );
    let places: Vec<_> = split.parts.iter().map(|part| (part.text.as_str(), &part.place)).collect();
    let task = Place::Task { steps: vec![0] };
    let stop = Place::Condition { steps: vec![0] };
    let courtesy = Place::Dropped { reason: "courtesy".to_owned() };
    assert_eq!(
        places,
        [
            ("We moved offices in May.", &Place::Context),
            ("Analyse last year's invoices", &Place::Context),
            ("find the largest ones and explain the changes.", &task),
            ("Don't contact suppliers.", &Place::Constraint),
            ("Stop if a file is locked", &stop),
            ("Thanks!", &courtesy),
        ]
    );
}

#[test]
fn a_condition_under_which_all_work_stops_is_no_step_wherever_it_stands() {
    // spec: findings GL-04
    for (text, tasks, stop) in [
        (
            "Proof the artwork. If the fonts are missing, stop.",
            vec!["Proof the artwork"],
            "If the fonts are missing, stop",
        ),
        (
            "Proof the artwork. Stop if the fonts are missing.",
            vec!["Proof the artwork"],
            "Stop if the fonts are missing",
        ),
        (
            "Back up the archive, and if the disk is full, abort.",
            vec!["Back up the archive"],
            "if the disk is full, abort",
        ),
        (
            "Revisa las galeradas. Si faltan fuentes, para todo.",
            vec!["Revisa las galeradas"],
            "Si faltan fuentes, para todo",
        ),
    ] {
        let found = read(text);
        let descriptions: Vec<&str> = found.steps.iter().map(|step| step.description.as_str()).collect();
        assert_eq!(descriptions, tasks, "{text}");
        let conditions = &found.steps[0].conditions;
        assert!(conditions.iter().any(|said| said == stop), "{text}: {conditions:?}");
    }
    assert_eq!(
        steps("1. Transcribe the interview\n2. Translate it\nUse no cloud service."),
        ["Transcribe the interview", "Translate it"]
    );
    // To stop something is a step.
    assert_eq!(
        steps("Check the pump. If it leaks, stop the motor."),
        ["Check the pump", "If it leaks, stop the motor"]
    );
}
