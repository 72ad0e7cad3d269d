//! Requests cut into steps: lists, connectives, framing, questions, odd input.

use std::time::{Duration, Instant};

use candor_language::split::{MAX_STEPS, Step, split};

/// Each step as its description and what it waits for.
fn outline(text: &str) -> Vec<(String, Vec<usize>)> {
    split(text).into_iter().map(|step| (step.description, step.depends_on)).collect()
}

#[track_caller]
fn assert_steps(text: &str, expected: &[(&str, &[usize])]) {
    let expected: Vec<_> =
        expected.iter().map(|(description, after)| ((*description).to_owned(), after.to_vec())).collect();
    assert_eq!(outline(text), expected, "{text}");
}

#[test]
fn a_text_says_the_same_whatever_was_read_before_it() {
    let (one, other) = ("Book the flight, then book the hotel", "Summarise the report and mail it to Ana");
    let (first, second) = (split(one), split(other));
    assert_ne!(first, second);
    assert_eq!((split(one), split(one), split(other)), (first.clone(), first, second));
    assert!(split("").is_empty());
}

#[test]
fn bullets_are_independent_steps() {
    assert_steps(
        "Prepare the launch:\n- write the announcement\n* brief the press\n• update the website\n",
        &[("Write the announcement", &[]), ("Brief the press", &[]), ("Update the website", &[])],
    );
}

#[test]
fn numbers_and_letters_suggest_an_order_and_say_so() {
    for text in [
        "1. Book the flight\n2. Book the hotel\n3. Check the budget",
        "1) Book the flight\n2) Book the hotel\n3) Check the budget",
        "(1) Book the flight\n(2) Book the hotel\n(3) Check the budget",
        "a) Book the flight\nb) Book the hotel\nc) Check the budget",
        "Step 1: Book the flight\nStep 2: Book the hotel\nStep 3: Check the budget",
    ] {
        assert_steps(text, &[("Book the flight", &[]), ("Book the hotel", &[0]), ("Check the budget", &[1])]);
        let guessed: Vec<_> = split(text).iter().map(|step| step.guessed).collect();
        assert_eq!(guessed, [false, true, true], "{text}");
    }
}

#[test]
fn an_item_keeps_its_further_lines_and_its_bullets() {
    assert_steps(
        "1. Book the flight\n   with one stop at most\n2. Book the hotel\n   - near the river\n   - quiet",
        &[("Book the flight with one stop at most", &[]), ("Book the hotel; near the river; quiet", &[0])],
    );
}

#[test]
fn a_list_may_be_numbered_within_a_line() {
    for text in [
        "Please do this: 1) book the flight, 2) book the hotel, and 3) check the budget.",
        "1. Book the flight. 2. Book the hotel. 3. Check the budget.",
    ] {
        assert_steps(text, &[("Book the flight", &[]), ("Book the hotel", &[0]), ("Check the budget", &[1])]);
    }
}

#[test]
fn one_verb_with_two_objects_is_two_guessed_steps() {
    assert_steps(
        "Book a flight to Rome and a hotel",
        &[("Book a flight to Rome", &[]), ("Book a hotel", &[])],
    );
    assert!(split("Book a flight to Rome and a hotel")[1].guessed);
    assert_steps("Find a room with a bath and a balcony", &[("Find a room with a bath and a balcony", &[])]);
}

#[test]
fn nouns_that_look_like_verbs_do_not_cut_a_sentence() {
    for text in [
        "Retrieve the title, plot, review and plan of the film",
        "Compare the research and design of both teams",
        "Analyze the logs and provide me with a summary",
    ] {
        assert_eq!(split(text).len(), 1, "{:?}", split(text));
    }
}

#[test]
fn sentences_without_a_connective_are_independent_steps() {
    assert_steps(
        "Book a flight to Paris. Reserve a hotel. Buy museum tickets!",
        &[("Book a flight to Paris", &[]), ("Reserve a hotel", &[]), ("Buy museum tickets!", &[])],
    );
}

#[test]
fn then_and_after_that_make_edges_that_are_said() {
    let steps = split("Download the report. Then translate it into Spanish. After that, email it to Ana.");
    let after: Vec<_> = steps.iter().map(|step| step.depends_on.clone()).collect();
    assert_eq!(after, [vec![], vec![0], vec![1]]);
    assert!(steps.iter().all(|step| !step.guessed), "{steps:?}");
}

#[test]
fn a_sentence_is_cut_at_and_then() {
    assert_steps(
        "Can you filter the cards by class and then sort them by power?",
        &[("Filter the cards by class", &[]), ("Sort them by power", &[0])],
    );
}

#[test]
fn additionally_and_also_make_no_edge() {
    assert_steps(
        "Retrieve the injury report. Additionally, transcribe the interview. Also, check the weather. \
         Finally, book a table.",
        &[
            ("Retrieve the injury report", &[]),
            ("Transcribe the interview", &[]),
            ("Check the weather", &[]),
            ("Book a table", &[]),
        ],
    );
}

#[test]
fn finally_closes_a_sequence_and_is_guessed() {
    let steps = split("First, preheat the oven. Then mix the dough. Finally, bake the bread.");
    assert_eq!(steps[2].depends_on, [1]);
    assert!(steps[2].guessed && !steps[1].guessed, "{steps:?}");
}

#[test]
fn a_step_after_two_side_by_side_waits_for_both() {
    assert_steps(
        "Retrieve the layout of the room and check if the curtains are open. Next, estimate the cost.",
        &[
            ("Retrieve the layout of the room", &[]),
            ("Check if the curtains are open", &[]),
            ("Estimate the cost", &[0, 1]),
        ],
    );
}

#[test]
fn a_condition_waits_for_the_step_before() {
    assert_steps(
        "Check the connection. If it is up, upload the files. Once that is done, notify me.",
        &[("Check the connection", &[]), ("If it is up, upload the files", &[0]), ("Notify me", &[1])],
    );
}

#[test]
fn working_on_results_makes_an_edge_that_is_guessed() {
    let steps = split("Survey the customers. Write a summary based on the results.");
    assert_eq!(steps[1].depends_on, [0]);
    assert!(steps[1].guessed);
}

#[test]
fn those_concerned_are_told_after_what_was_done() {
    // spec: findings GL-03
    for (text, first, second) in [
        (
            "Delete the unused buckets and e-mail every owner",
            "Delete the unused buckets",
            "E-mail every owner",
        ),
        ("Revoke the old API keys and email each team", "Revoke the old API keys", "Email each team"),
        (
            "Borra las cuentas inactivas y avisa a los dueños",
            "Borra las cuentas inactivas",
            "Avisa a los dueños",
        ),
    ] {
        assert_steps(text, &[(first, &[]), (second, &[0])]);
    }
}

#[test]
fn a_pronoun_makes_an_edge_to_what_it_stands_for() {
    assert_steps(
        "Analyze the CSV file, generate a report and send it to my boss.",
        &[("Analyze the CSV file", &[]), ("Generate a report", &[0]), ("Send it to my boss", &[1])],
    );
}

#[test]
fn what_is_forbidden_is_no_step() {
    assert_steps(
        "We must book flights. We must not spend more than $500. Don't wake Ana. Also find a hotel.",
        &[("Book flights", &[]), ("Find a hotel", &[])],
    );
}

#[test]
fn what_stands_before_a_colon_only_leads_up_to_the_steps() {
    assert_steps(
        "Organiza un viaje a Sevilla: busca vuelos, reserva un hotel y recomienda restaurantes.",
        &[("Busca vuelos", &[]), ("Reserva un hotel", &[]), ("Recomienda restaurantes", &[])],
    );
}

#[test]
fn commands_are_found_in_domains_that_nobody_prepared() {
    // spec: findings GL-03, GL-04, GL-05
    let steps = |text: &str| outline(text).into_iter().map(|(step, _)| step).collect::<Vec<_>>();
    assert_eq!(
        steps(
            "For the blood bank, reconcile the stock with the log, flag units that expire soon, and email a summary."
        ),
        [
            "For the blood bank, reconcile the stock with the log",
            "Flag units that expire soon",
            "Email a summary"
        ]
    );
    assert_eq!(
        steps("Design the lighting: pick gels for the storm, patch dimmers 12 to 24 and notarise the plan"),
        ["Pick gels for the storm", "Patch dimmers 12 to 24", "Notarise the plan"]
    );
    assert_eq!(
        steps("Schedule the hearings: list the pending motions, then notify both counsel"),
        ["List the pending motions", "Notify both counsel"]
    );
    assert_eq!(
        steps("Organiza el archivo: primero separa los libros, luego restaura las tapas"),
        ["Separa los libros", "Restaura las tapas"]
    );
    let split = candor_language::split::read(
        "Cuenta las reinas y, si faltan tres, encarga reinas nuevas; después redacta un informe",
    );
    let told: Vec<_> =
        split.steps.iter().map(|step| (step.description.as_str(), step.depends_on.as_slice())).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert_eq!(split.steps[1].conditions, ["si faltan tres"]);
    assert_eq!((told[2].0, told[2].1.is_empty()), ("Redacta un informe", false));
    assert_eq!(steps("Translate the sheet, have each translation reviewed, and print it").len(), 3);
    assert_steps(
        "Antes de abrir la piscina, mide el cloro, ajusta lo que haga falta y anota los valores; si el pH supera 7.8, avisa al técnico",
        &[
            ("Mide el cloro", &[]),
            ("Ajusta lo que haga falta", &[0]),
            ("Anota los valores", &[1]),
            ("Si el pH supera 7.8, avisa al técnico", &[0, 1, 2]),
            ("Abrir la piscina", &[3]),
        ],
    );
    assert_steps(
        "Check the sensors, calibrate any that drift, tag every outlier, then spot-check a row and send the tags to Ana; leave the pumps alone",
        &[
            ("Check the sensors", &[]),
            ("Calibrate any that drift", &[0]),
            ("Tag every outlier", &[1]),
            ("Spot-check a row", &[0, 1, 2]),
            ("Send the tags to Ana", &[3]),
        ],
    );
    // Things in a row are no commands.
    assert_eq!(
        steps("Compare the suppliers on price, delivery time, test results and temperature range").len(),
        1
    );
}

#[test]
fn a_thing_must_be_made_before_it_is_used() {
    let steps = split(
        "Check the weather. Additionally, create a new playlist named 'Road'. Lastly, add track 99 to the playlist.",
    );
    assert_eq!(steps[2].depends_on, [1]);
    assert!(steps[2].guessed);
}

#[test]
fn framing_sentences_are_no_steps() {
    for text in [
        "I'm planning a trip. Please help me. Book a flight to Rome. Thank you.",
        "I need your assistance with my travel plans. Could you please book a flight to Rome?",
        "Hello! My company is growing fast. I want you to book a flight to Rome.",
        "I need some help. First, book a flight to Rome.",
        "Estoy planeando un viaje. Por favor, book a flight to Rome. Gracias.",
    ] {
        assert_steps(text, &[("Book a flight to Rome", &[])]);
    }
}

#[test]
fn details_stay_with_their_step() {
    let steps = split(
        "Find a hotel in Paris. Specifically, it must be near the Louvre. Then retrieve the soil moisture \
         level. The moisture level should be in percentage.",
    );
    assert_eq!(steps.len(), 2, "{steps:?}");
    assert_eq!(steps[0].description, "Find a hotel in Paris. Specifically, it must be near the Louvre");
    assert!(steps[1].description.ends_with("should be in percentage"), "{steps:?}");
}

#[test]
fn spanish_connectives_mean_the_same() {
    assert_steps(
        "Primero, busca vuelos a Madrid. Luego reserva un hotel. Después, compra entradas. Por último, valida \
         el presupuesto.",
        &[
            ("Busca vuelos a Madrid", &[]),
            ("Reserva un hotel", &[0]),
            ("Compra entradas", &[1]),
            ("Valida el presupuesto", &[2]),
        ],
    );
    assert_steps(
        "Necesito buscar un vuelo. Además, quiero reservar un hotel y luego comparar los precios.",
        &[("Buscar un vuelo", &[]), ("Reservar un hotel", &[]), ("Comparar los precios", &[1])],
    );
}

#[test]
fn a_question_with_choices_is_answered_before_one_is_chosen() {
    let steps = split(
        "What is next to the skateboard? There're some choices: A. baby, B. cat, C. shoe. The image shows a boy.",
    );
    assert_eq!(steps.len(), 2, "{steps:?}");
    assert_eq!(steps[0].description, "What is next to the skateboard?");
    assert_eq!(steps[1].depends_on, [0]);
    assert!(steps[1].description.contains("B. cat"), "{steps:?}");
}

#[test]
fn a_question_about_a_description_is_looked_up_concluded_and_then_chosen() {
    let asked = |source: &str, question: &str| {
        [format!("Identify in {source} what bears on: {question}"), format!("Answer: {question}")]
    };
    for (text, source, question) in [
        (
            "What duty does this consignment fall under? The options are: A. none, B. reduced, C. full. The customs form \
             lists forty crates of dried figs from Izmir.",
            "the customs form",
            "What duty does this consignment fall under?",
        ),
        (
            "The hive lost half its weight in May and the bees cluster at the entrance. What ails the colony? Choices: A. \
             mites, B. hunger, C. a lost queen.",
            "the description",
            "What ails the colony?",
        ),
        (
            "¿Qué oficio tiene la mujer? Opciones: A. soldadora, B. notaria, C. pastora. La fotografía muestra a una mujer \
             con careta y guantes junto a un arco eléctrico.",
            "the description",
            "¿Qué oficio tiene la mujer?",
        ),
    ] {
        let steps = split(text);
        let [look, answer] = asked(source, question);
        assert_eq!(steps.len(), 3, "{steps:?}");
        assert_eq!((&steps[0].description, &steps[1].description), (&look, &answer));
        assert!(
            steps[2].description.starts_with("Select the choice") && steps[2].description.contains("B. ")
        );
        assert_eq!((&steps[1].depends_on[..], &steps[2].depends_on[..]), (&[0][..], &[1][..]));
    }
    // Looking answers these, and without a description there is nothing to look at.
    for text in [
        "How many supers stand on the hive? Choices: A. one, B. two. The photograph shows a hive with two supers in snow.",
        "Which stamp is missing? Options: A. origin, B. health. The form shows a stamp of origin and two signatures.",
        "What is the duty on figs? Options: A. none, B. reduced, C. full.",
    ] {
        assert_eq!(split(text).len(), 2, "{:?}", split(text));
    }
}

#[test]
fn a_quantity_is_computed_from_those_that_it_is_made_of() {
    assert_steps(
        "The brewery filled 600 bottles on Monday. On Tuesday it filled half as many bottles, and on Wednesday 40 more \
         bottles than on Tuesday. How many bottles did it fill?",
        &[
            ("Calculate the number of bottles: On Tuesday it filled half as many bottles", &[]),
            ("Calculate the number of bottles: On Wednesday 40 more bottles than on Tuesday", &[0]),
            ("Calculate: How many bottles did it fill?", &[1]),
        ],
    );
    assert_steps(
        "El coro vendió 80 entradas. El doble de entradas se vendió el sábado. ¿Cuántas entradas vendió en total?",
        &[
            ("Calculate: El doble de entradas se vendió el sábado", &[]),
            ("Calculate: ¿Cuántas entradas vendió en total?", &[0]),
        ],
    );
    // What each of several has is a calculation, and the last statement may be the one that is asked for.
    assert_steps(
        "The ferry has 14 rows with 9 seats each. If 20 seats are broken, how many can be sold?",
        &[
            ("Calculate the total: The ferry has 14 rows with 9 seats each", &[]),
            ("Calculate: If 20 seats are broken, how many can be sold?", &[0]),
        ],
    );
    assert_steps(
        "There are 60 goats. 50 percent are does and 30 percent of the does are white. How many white does are there?",
        &[("Calculate: 50 percent are does", &[]), ("Calculate: How many white does are there?", &[0])],
    );
    assert_steps(
        "Pears come in 12 boxes of 8 each. Apples come in 5 crates of 20 each. How much fruit is there in total?",
        &[
            ("Calculate the total: Pears come in 12 boxes of 8 each", &[]),
            ("Calculate the total: Apples come in 5 crates of 20 each", &[]),
            ("Calculate: How much fruit is there in total?", &[0, 1]),
        ],
    );
    assert_eq!(
        split("The orchard has 30 trees. Each tree gives 40 kg. How many kg does the orchard give?").len(),
        1
    );
    // Nothing is computed where a figure is only mentioned, is about something else, or a command is given.
    for text in [
        "We have 3 stills. How many litres does one hold?",
        "Each keg takes 50 litres. How many kegs do 800 litres fill?",
        "The lighthouse flashes twice per minute. How much does a keeper earn?",
        "Order 20 % more malt than last year. How many sacks fit in the store?",
    ] {
        assert!(
            split(text).iter().all(|step| !step.description.starts_with("Calculate")),
            "{:?}",
            split(text)
        );
    }
}

#[test]
fn a_thing_inside_a_question_ends_before_the_verb_of_the_question() {
    for (text, first) in [
        ("Where did Norma's composer die?", "Identify Norma's composer"),
        ("When was the port that the Romans left founded?", "Identify the port that the Romans left"),
        (
            "The orchard that the abbey owned was sold in which year?",
            "Identify the orchard that the abbey owned",
        ),
        ("What does the island that Ibn Battuta saw produce?", "Identify the island that Ibn Battuta saw"),
        ("Who painted the portrait of the judge known for Marbury?", "Identify the judge known for Marbury"),
        ("Where was the ship built by Odero sunk in 1942?", "Identify the ship built by Odero"),
    ] {
        assert_steps(text, &[(first, &[]), (text, &[0])]);
    }
    for text in ["What is Ana's surname?", "Where is Ana's?", "How long does the ferry from Ibiza take?"] {
        assert_steps(text, &[(text, &[])]);
    }
}

#[test]
fn what_was_made_or_done_before_is_known_by_its_name() {
    assert_steps(
        "Repair the pumps. Paint the fence. Ship the repaired pumps.",
        &[("Repair the pumps", &[]), ("Paint the fence", &[]), ("Ship the repaired pumps", &[0])],
    );
    assert_steps(
        "Seca las muestras. Llama a Ana. Pesa las muestras secadas.",
        &[("Seca las muestras", &[]), ("Llama a Ana", &[]), ("Pesa las muestras secadas", &[0])],
    );
    assert_steps(
        "Buy a ledger. Ring Lou. With the ledger, record every fee.",
        &[("Buy a ledger", &[]), ("Ring Lou", &[]), ("With the ledger, record every fee", &[0])],
    );
    assert_steps(
        "Draft a tenancy contract. Water the plants. Review the tenancy law. Send the contract to Ana.",
        &[
            ("Draft a tenancy contract", &[]),
            ("Water the plants", &[]),
            ("Review the tenancy law", &[]),
            ("Send the contract to Ana", &[0]),
        ],
    );
}

#[test]
fn the_thing_that_is_asked_for_is_not_asked_twice() {
    assert_steps(
        "Who is the sculptor that carved the doors?",
        &[("Who is the sculptor that carved the doors?", &[])],
    );
    let text = "Which of the casks that we filled in 2021 are ready, and what do we charge for them?";
    assert_steps(text, &[(text, &[])]);
    assert_steps(
        "Who owns the mill that burned in May, and since when?",
        &[
            ("Identify the mill that burned in May", &[]),
            ("Who owns the mill that burned in May, and since when?", &[0]),
        ],
    );
    assert_steps(
        "When was the composer of Norma born?",
        &[("Identify the composer of Norma", &[]), ("When was the composer of Norma born?", &[0])],
    );
}

#[test]
fn an_order_behind_a_condition_is_a_step_of_its_own_and_needs_what_was_found_out() {
    assert_steps(
        "Oil the hinges, weigh the churn and, if it is under 4 kg, resharpen twice.",
        &[("Oil the hinges", &[]), ("Weigh the churn", &[]), ("If it is under 4 kg, resharpen twice", &[1])],
    );
}

#[test]
fn a_prohibition_under_a_condition_is_no_step() {
    for text in [
        "Polish the lens. If a ship is in sight, do not dim the lamp.",
        "Afina las cuerdas. Si hay público en la sala, no pruebes los timbales.",
    ] {
        assert_eq!(split(text).len(), 1, "{:?}", split(text));
    }
    let steps = split("If frost is forecast, do not water the beds and cover the seedlings.");
    assert_eq!(steps.len(), 1, "{steps:?}");
    assert_eq!(steps[0].description, "Cover the seedlings");
    assert_eq!(steps[0].conditions, ["If frost is forecast"]);
}

#[test]
fn those_that_and_the_most_are_chosen_from_what_came_before() {
    for text in [
        "Compara los tres hornos y elige el más pequeño.",
        "Prueba los pozos y sella los que huelan mal.",
        "Weigh the gems and discard those that chip.",
        "Cuenta los barcos y extiende un permiso para cada uno.",
    ] {
        assert_eq!(outline(text).last().map(|(_, after)| after.clone()), Some(vec![0]), "{:?}", split(text));
    }
}

#[test]
fn a_wish_may_praise_whoever_fulfils_it() {
    assert_steps(
        "Sort the ballots by precinct. It would be wonderful if you could also draft the notice for the gazette.",
        &[("Sort the ballots by precinct", &[]), ("Draft the notice for the gazette", &[])],
    );
}

#[test]
fn a_question_inside_a_question_comes_first_and_is_guessed() {
    let steps = split("Who was the first leader of the country that includes Niemba?");
    assert_eq!(steps[0].description, "Identify the country that includes Niemba");
    assert_eq!(steps[1].depends_on, [0]);
    assert!(steps.iter().all(|step| step.guessed));
}

#[test]
fn abbreviations_and_numbers_do_not_end_a_sentence() {
    let steps =
        split("Send 0.5 kg to Dr. Smith at 192.168.1.1, e.g. Tuesday. Archive shelf B. Then call me.");
    assert_eq!(steps.len(), 3, "{steps:?}");
}

#[test]
fn a_secret_that_was_taken_out_with_its_full_stop_ends_a_sentence() {
    for (text, second) in [
        (
            "Check a password. The password is [redacted:password#4a191b] Finally, I want to open the vault for Ana.",
            "Open the vault for Ana",
        ),
        (
            "Comprueba una clave. La clave es [redacted:password] Por último, quiero abrir la caja de Ana.",
            "Abrir la caja de Ana",
        ),
    ] {
        let found = outline(text);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[1].0, second);
    }
    assert_eq!(outline("Check the key [redacted:key] Madrid uses for the vault.").len(), 1);
}

#[test]
fn data_behind_the_request_is_no_step() {
    assert_steps(
        "Fetch a joke.\napi_list:[{'name': 'x', 'description': 'Find y. Then z.'}]",
        &[("Fetch a joke", &[])],
    );
}

#[test]
fn a_list_in_brackets_gives_each_action_once() {
    assert_steps(
        "How to clean a jade roller\nThe action list you can take: ['Rinse it.\\n', \"Don't drop it.\", 'Rinse it.']",
        &[("Rinse it", &[]), ("Don't drop it", &[])],
    );
}

#[test]
fn a_list_that_was_cut_off_keeps_its_last_words() {
    assert_steps(
        "How to tar a roof\nThe action list you can take: ['Heat the tar', 'Sweep the boards', 'Call the war",
        &[("Heat the tar", &[]), ("Sweep the boards", &[]), ("Call the war", &[])],
    );
}

#[test]
fn a_text_that_says_no_step_is_one_guessed_step() {
    let whole = |description: &str| Step {
        description: description.into(),
        depends_on: vec![],
        guessed: true,
        conditions: vec![],
    };
    assert_eq!(split("  the  sunny\n side "), [whole("The sunny side")]);
    assert_eq!(split("Thank you."), [whole("Thank you")]);
    assert!(split("").is_empty() && split(" \n\t ").is_empty());
}

#[test]
fn every_text_that_is_not_blank_has_a_step_and_edges_point_back() {
    let odd = [
        "...",
        "\u{0}\u{1}",
        "then",
        "Then, then, then",
        "- ",
        "1.",
        "-\n-\n-",
        "[",
        "['a', 'b",
        "A: ['x', 'y']",
        "🦀 then 🦀",
        "İ and then İ",
        "if",
        "?",
        "\"",
        "¿Qué?",
        "1. 2. 3.",
        "Please",
        "I want to",
        "and and and",
        "’’’",
        "ẞ; ẞ; ẞ",
        "\u{301}. Then \u{301}",
        "First",
        "{\"a\": 1}",
        "Book a flight and",
        ", then go",
    ];
    for text in odd {
        let steps = split(text);
        assert!(!steps.is_empty(), "{text:?}");
        for (place, step) in steps.iter().enumerate() {
            assert!(step.depends_on.iter().all(|&before| before < place), "{text:?}: {steps:?}");
            assert!(!step.description.trim().is_empty(), "{text:?}: {steps:?}");
        }
    }
}

#[test]
fn a_verb_that_is_a_noun_too_is_a_verb_beside_others() {
    for (text, steps) in [
        (
            "Weigh the honey, order jars, and print labels.",
            vec!["Weigh the honey", "Order jars", "Print labels"],
        ),
        (
            "Sort linen by room, iron pillowcases and stack everything on trolley 5.",
            vec!["Sort linen by room", "Iron pillowcases", "Stack everything on trolley 5"],
        ),
        (
            "Bring the trays, throw twenty bowls, then tabulate answers.",
            vec!["Bring the trays", "Throw twenty bowls", "Tabulate answers"],
        ),
        // Lists of things, some of them named by two nouns.
        (
            "Compare load times, search results, and build quality.",
            vec!["Compare load times, search results, and build quality"],
        ),
        (
            "Buy paper, print cartridges, and label rolls.",
            vec!["Buy paper, print cartridges, and label rolls"],
        ),
        ("Weigh the honey, order forms and labels.", vec!["Weigh the honey, order forms and labels"]),
    ] {
        let found: Vec<_> = split(text).into_iter().map(|step| step.description).collect();
        assert_eq!(found, steps, "{text}");
    }
}

#[test]
fn what_leads_up_to_a_sequence_comes_before_it() {
    // spec: findings GL-03
    assert_steps(
        "Knead the dough, shape the loaves, and bake them.",
        &[("Knead the dough", &[]), ("Shape the loaves", &[0]), ("Bake them", &[1])],
    );
    assert_steps("Close port 80 and open port 443.", &[("Close port 80", &[]), ("Open port 443", &[])]);
    assert_steps(
        "Which pumps leak? Order two seals and a wrench. Only if the seals are late, close the valve.",
        &[
            ("Which pumps leak?", &[]),
            ("Order two seals and a wrench", &[0]),
            ("Only if the seals are late, close the valve", &[1]),
        ],
    );
}

#[test]
fn otherwise_is_the_other_branch() {
    for (text, conditions) in [
        (
            "Test the pump; if it leaks, replace the seal, otherwise paint it.",
            vec![None, Some("if it leaks"), Some("otherwise, not if it leaks")],
        ),
        (
            "Revisa la bomba. Si pierde agua, cambia la junta; de lo contrario, pinta la tapa.",
            vec![None, Some("Si pierde agua"), Some("de lo contrario, no si pierde agua")],
        ),
        (
            "Find the cause, restart the node if it hangs, and open a ticket otherwise.",
            vec![None, Some("if it hangs"), Some("otherwise, not if it hangs")],
        ),
    ] {
        let steps = split(text);
        let found: Vec<_> = steps.iter().map(|step| step.conditions.first().map(String::as_str)).collect();
        assert_eq!(found, conditions, "{text}");
        assert_eq!(steps[2].depends_on, steps[1].depends_on, "both branches wait for the same: {text}");
    }
}

#[test]
fn a_thing_that_is_wished_for_is_made_before_more_is_done_with_it() {
    assert_steps(
        "I need a survey for the hall. Translate it into Welsh and print 200 copies.",
        &[("A survey for the hall", &[]), ("Translate it into Welsh", &[0]), ("Print 200 copies", &[1])],
    );
}

#[test]
fn steps_beyond_the_limit_are_kept_in_the_last() {
    let text: String = (1..=MAX_STEPS + 5).map(|n| format!("- Send letter {n}\n")).collect();
    let steps = split(&text);
    assert_eq!(steps.len(), MAX_STEPS);
    let last = steps.last().unwrap();
    assert!(last.description.contains("Send letter 200 (and 5 further steps: Send letter 201;"), "{last:?}");
    assert!(last.guessed);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the requirement is about time; the crate itself has no clock")]
fn huge_texts_are_cut_in_linear_time() {
    let start = Instant::now();
    for piece in [
        "Book a flight. ",
        "and then go ",
        "x",
        "- a\n",
        "\"",
        "the thing that is, ",
        ". ",
        "['",
        "if a, b; ",
    ] {
        let steps = split(&piece.repeat(100_000 / piece.len()));
        assert!(steps.len() <= MAX_STEPS && !steps.is_empty(), "{piece:?}");
    }
    // Quadratic work would take hours; a machine that does other things as well takes a while.
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn a_circumstance_before_a_colon_is_no_part_of_the_first_step_only() {
    for text in [
        "For the harbour: list the ships, rank them, and print the ranking.",
        "For the harbour, list the ships, rank them, and print the ranking.",
    ] {
        let steps: Vec<String> =
            candor_language::split::read(text).steps.into_iter().map(|step| step.description).collect();
        assert_eq!(steps.len(), 3, "{steps:?}");
        assert_eq!(steps.last().map(String::as_str), Some("Print the ranking"), "{steps:?}");
    }
}
