//! Questions that hide others, compare things, or are about quantities: what is found out first, and what waits for what.

use candor_language::split::{Place, read, split};

/// Checks the steps of a question before the last one, which is the question itself, and the needs of all.
#[track_caller]
fn assert_first(question: &str, first: &[(&str, &[usize])], needs: &[usize]) {
    let steps = split(question);
    let found: Vec<(&str, &[usize])> =
        steps.iter().map(|step| (step.description.as_str(), &step.depends_on[..])).collect();
    let mut expected = first.to_vec();
    expected.push((question, needs));
    assert_eq!(found, expected, "{question}");
}

/// A chain of things, the innermost first.
#[track_caller]
fn assert_chain(question: &str, things: &[&str]) {
    let identify: Vec<String> = things.iter().map(|thing| format!("Identify {thing}")).collect();
    let places: Vec<usize> = (0..things.len()).collect();
    let first: Vec<(&str, &[usize])> = identify
        .iter()
        .enumerate()
        .map(|(at, what)| (what.as_str(), at.checked_sub(1).map_or(&[][..], |before| &places[before..at])))
        .collect();
    assert_first(question, &first, &places[things.len() - 1..]);
}

#[test]
fn a_chain_of_relations_is_found_from_the_innermost_thing_outwards() {
    // spec: findings GL-03
    assert_chain(
        "When did the sister of the director of the film Almadraba die?",
        &["the director of the film Almadraba", "the sister of the director of the film Almadraba"],
    );
    assert_chain("Who taught the builder of Fastnet Light?", &["the builder of Fastnet Light"]);
    assert_chain(
        "What is the population of the town where the founder of Bodegas Ruiz was born?",
        &["the founder of Bodegas Ruiz", "the town where the founder of Bodegas Ruiz was born"],
    );
    assert_chain(
        "Which valley does the railway built by the father of the inventor of Lumograph cross?",
        &[
            "the inventor of Lumograph",
            "the father of the inventor of Lumograph",
            "the railway built by the father of the inventor of Lumograph",
        ],
    );
    assert_chain(
        "¿Dónde murió la madre del pintor de Marismas?",
        &["el pintor de Marismas", "la madre del pintor de Marismas"],
    );
    assert_chain(
        "¿En qué año cerró el taller que fundó la villa donde nació Abril?",
        &["la villa donde nació Abril", "el taller que fundó la villa donde nació Abril"],
    );
}

#[test]
fn a_thing_is_described_without_a_word_that_joins() {
    assert_chain(
        "Which river crosses the county Elm Abbey is located in?",
        &["the county Elm Abbey is located in"],
    );
    assert_chain(
        "How many people work in the port the Grey Gulls sail for?",
        &["the port the Grey Gulls sail for"],
    );
    assert_chain("When was the mill she ran in Leeds sold?", &["the mill she ran in Leeds"]);
    assert_chain("Who mended the Silver Heron sculptor in Turin?", &["the Silver Heron sculptor"]);
    assert_chain(
        "When was the first woman to cross the Namib born?",
        &["the first woman to cross the Namib"],
    );
}

#[test]
fn a_description_ends_where_the_question_goes_on() {
    for (question, thing) in [
        ("Where did Ines sing with her choir in the town where Bartók died?", "the town where Bartók died"),
        (
            "When was the guild hall where the weavers were from restored?",
            "the guild hall where the weavers were from",
        ),
        (
            "Who did the crew that won the last regatta play in the final?",
            "the crew that won the last regatta",
        ),
        ("How does the mill that grinds oats handle wet grain?", "the mill that grinds oats"),
        (
            "When did the duchy in which Ulm was situated lose its ports?",
            "the duchy in which Ulm was situated",
        ),
    ] {
        assert_chain(question, &[thing]);
    }
}

#[test]
fn names_of_places_and_what_is_asked_for_are_no_questions_of_their_own() {
    for question in [
        "What is the longest trail in the state of Sonora?",
        "Where does the Ebro meet the Gulf of Roses?",
        "Who is the curator of Casa Milá?",
        "¿Quién es el autor de Marinero en tierra?",
        "What is the difference between TCP and UDP?",
        "How do I restart the service that crashed?",
    ] {
        assert_eq!(split(question).len(), 1, "{:?}", split(question));
    }
}

#[test]
fn things_that_are_not_inside_each_other_are_found_independently() {
    assert_first(
        "When did the crew that sank the Aurora reach the bay where Cook died?",
        &[("Identify the bay where Cook died", &[]), ("Identify the crew that sank the Aurora", &[])],
        &[0, 1],
    );
}

#[test]
fn what_is_compared_is_looked_up_one_by_one() {
    for (question, things) in [
        ("Which is deeper, Lake Como or Lake Garda?", &["Lake Como", "Lake Garda"][..]),
        ("Who joined first, Ana, Marc or Lea?", &["Ana", "Marc", "Lea"]),
        ("Were the Beagle and the Fram both built in Norway?", &["the Beagle", "the Fram"]),
        ("Do the Po and the Adige rise in the same region?", &["the Po", "the Adige"]),
        ("¿Cuál pesa más, el cobre o el zinc?", &["el cobre", "el zinc"]),
        ("Which is cheaper, oak or beech?", &["oak", "beech"]),
    ] {
        let find: Vec<String> =
            things.iter().map(|thing| format!("Find out about {thing}: {question}")).collect();
        let first: Vec<(&str, &[usize])> = find.iter().map(|what| (what.as_str(), &[][..])).collect();
        assert_first(question, &first, &(0..things.len()).collect::<Vec<_>>());
    }
    for question in [
        "Is the shop open on Monday or Tuesday?",
        "Are Ana and Marc coming to the meeting?",
        "Which invoices from Turin are open, paid or disputed?",
    ] {
        assert_eq!(split(question).len(), 1, "{:?}", split(question));
    }
}

/// The steps of a text with what they need, in one line each.
fn lines(text: &str) -> Vec<String> {
    split(text).iter().map(|step| format!("{:?} {}", step.depends_on, step.description)).collect()
}

#[test]
fn what_is_added_or_taken_is_a_calculation_and_the_last_one_is_the_question() {
    assert_eq!(
        lines(
            "A kiln holds 48 tiles. Rosa removed 15 tiles at noon. Then she added 9 more tiles. How many tiles are in it?"
        ),
        [
            "[] Calculate the total after: Rosa removed 15 tiles at noon",
            "[0] Calculate: How many tiles are in it?",
        ]
    );
    assert_eq!(
        lines(
            "The chandler had 90 ropes. She sold 12 ropes and bought 30. How many ropes did she lose if 80 are left?"
        ),
        [
            "[] Calculate the total after: She sold 12 ropes and bought 30",
            "[0] Calculate: How many ropes did she lose if 80 are left?",
        ]
    );
    assert_eq!(lines("Nina has 12 stamps. She buys 8 stamps. How many stamps does she have?").len(), 1);
}

#[test]
fn each_price_is_multiplied_by_its_count_before_they_are_summed() {
    assert_eq!(
        lines("Candles cost $8 and wicks cost $3. How much do 4 candles and 2 wicks cost?"),
        [
            "[] Calculate the total: Candles cost $8",
            "[] Calculate the total: Wicks cost $3",
            "[0, 1] Calculate: How much do 4 candles and 2 wicks cost?",
        ]
    );
    assert_eq!(lines("Los higos cuestan 3 € y las uvas 2 €. ¿Cuánto cuestan 4 higos y 6 uvas?").len(), 3);
}

#[test]
fn a_product_of_three_figures_takes_one_calculation_before_the_question() {
    assert_eq!(
        lines(
            "A barge carries 3 stacks of 40 planks each. Each plank weighs 12 kg. What is the total weight?"
        ),
        [
            "[] Calculate the total: A barge carries 3 stacks of 40 planks each",
            "[0] Calculate: What is the total weight?",
        ]
    );
    assert_eq!(
        lines("A tank holds 300 litres. A pump moves 12 litres per minute. How long does it take?").len(),
        1
    );
}

#[test]
fn figures_side_by_side_are_put_together_first() {
    assert_eq!(
        lines(
            "The canteen served 45 soups at noon and 62 soups at night. Each soup costs $6. How much money did it take in?"
        ),
        [
            "[] Calculate the total: The canteen served 45 soups at noon and 62 soups at night",
            "[0] Calculate: How much money did it take in?",
        ]
    );
    assert_eq!(
        lines(
            "A barge goes at 9 km/h for 3 hours and then at 12 km/h for 2 hours. What is the total distance?"
        ),
        [
            "[] Calculate the total: A barge goes at 9 km/h for 3 hours",
            "[] Calculate the total: Then at 12 km/h for 2 hours",
            "[0, 1] Calculate: What is the total distance?",
        ]
    );
}

#[test]
fn what_remains_is_calculated_before_a_part_of_it() {
    let question = "If she sells half of the remaining jars, how many jars does she sell?";
    assert_eq!(
        lines(&format!("Ida filled 90 jars. She filled 3 times as many in May. {question}"))[1..],
        [
            "[0] Calculate what remains: If she sells half of the remaining jars".to_owned(),
            format!("[1] Calculate: {question}"),
        ]
    );
}

#[test]
fn a_name_that_is_a_verb_as_well_begins_no_command() {
    let found = lines(
        "Mark has 12 crates. Bill buys twice as many crates as Mark. How many crates do they have together?",
    );
    assert_eq!(
        found,
        [
            "[] Calculate the number of crates: Bill buys twice as many crates as Mark",
            "[0] Calculate: How many crates do they have together?",
        ]
    );
    let found = lines("Ship orders to 3 towns, 20 crates each. How many crates are left in total?");
    assert!(found[0].contains("Ship orders"), "{found:?}");
}

#[test]
fn an_average_is_taken_of_a_total() {
    let found = lines(
        "The first hive gave 20 kg. The second hive gave twice as much. What is the average weight per hive?",
    );
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[1].starts_with("[0] Calculate the total: ") && found[2].starts_with("[1] "), "{found:?}");
}

#[test]
fn a_conversion_begins_at_the_figure_of_the_question() {
    let text =
        "If 3 bushels are worth 5 sacks and 2 sacks are worth 7 pecks, how many bushels are worth 210 pecks?";
    assert_eq!(
        lines(text),
        ["[] Calculate: 2 sacks are worth 7 pecks".to_owned(), format!("[0] Calculate: {text}")]
    );
}

#[test]
fn a_chance_is_the_favourable_cases_among_all() {
    assert_eq!(
        lines("Three coins are tossed. What is the probability that exactly two show heads?"),
        [
            "[] Calculate the number of all possible cases: Three coins are tossed",
            "[] Calculate the number of cases in which exactly two show heads",
            "[0, 1] Calculate: What is the probability that exactly two show heads?",
        ]
    );
    assert_eq!(lines("We run 40 hosts. What is the probability that one fails?").len(), 1);
}

#[test]
fn what_is_supposed_in_formulas_is_set_out_first() {
    assert_eq!(
        lines("Let $f(t) = 3t + 1$ for all $t$. What is $f(f(2))$?"),
        ["[] Set out what is given: Let $f(t) = 3t + 1$ for all $t$", "[0] What is $f(f(2))$?"]
    );
    assert_eq!(lines("Sean $a = 3$ y $b = 4$. ¿Cuánto vale $a^2 + b^2$?").len(), 2);
    for text in ["If the price is $20, what do we charge?", "If $x = 4$, what is $x^2$?"] {
        assert_eq!(lines(text).len(), 1, "{:?}", lines(text));
    }
}

#[test]
fn a_plea_is_no_question_whose_answer_the_next_step_waits_for() {
    let steps = split("Can you print the tide tables? Could you fold the charts for the Tagus?");
    assert!(steps.iter().all(|step| step.depends_on.is_empty()), "{steps:?}");
    let steps = split("Which pumps leak? Order new seals.");
    assert_eq!(steps[1].depends_on, [0], "{steps:?}");
}

#[test]
fn what_is_told_beside_a_question_is_its_background() {
    // spec: findings GL-05
    let places = |text: &str| -> Vec<(String, Place)> {
        read(text).parts.into_iter().map(|part| (part.text, part.place)).collect()
    };
    let task = |steps: &[usize]| Place::Task { steps: steps.to_vec() };
    let told = "Ida filled 90 jars.";
    let twice = "Noa filled twice as many jars.";
    let asked = "How many jars did they fill together?";
    assert_eq!(
        places(&format!("{told} {twice} {asked}")),
        [(told.to_owned(), Place::Context), (twice.to_owned(), task(&[0])), (asked.to_owned(), task(&[1]))]
    );
    let hidden = "When was the mill that Ana Ruiz founded sold?";
    assert_eq!(places(hidden), [(hidden.to_owned(), task(&[0, 1]))]);
    let found = places(
        "What ails the hive? Choices: A. mites, B. hunger. The log reports a cluster of bees at the entrance.",
    );
    assert_eq!(found.last().map(|(_, place)| place), Some(&Place::Context), "{found:?}");
    assert_eq!(found[0].1, task(&[0, 1]), "{found:?}");
}
