//! What the router promises, on small registries with vectors made by hand.

use candor_model::{Money, RankedAgent, Share};
use proptest::prelude::*;

use super::*;
use crate::lexical;

fn agent(name: &str, specialization: &str) -> AgentCapability {
    serde_json::from_value(serde_json::json!({ "agent_type": name, "specialization": specialization }))
        .unwrap()
}

fn travel() -> Vec<AgentCapability> {
    vec![
        agent("flight_agent", "Searches flights"),
        agent("hotel_agent", "Searches hotels"),
        agent("activity_agent", "Finds museums and tours"),
    ]
}

fn vector(numbers: &[f32]) -> Vector {
    Vector::from(numbers)
}

/// The three travel agents point along the three axes.
fn axes() -> Vec<Option<Vector>> {
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].iter().map(|axis| Some(vector(axis))).collect()
}

/// The same with a fourth axis that is nobody's.
fn axes_of_four() -> Vec<Option<Vector>> {
    axes().into_iter().flatten().map(|axis| Some(axis.iter().copied().chain([0.0]).collect())).collect()
}

fn success(agent: &str, numbers: &[f32]) -> Success {
    let agent_type = AgentType::new(agent).unwrap();
    Success { text: "done before".to_owned(), agent_type, vector: Some(vector(numbers)) }
}

fn names(ranking: &[Explanation]) -> Vec<&str> {
    ranking.iter().map(|place| place.agent_type.as_str()).collect()
}

fn closed(_: &AgentType) -> bool {
    false
}

/// How likely the first one is right is known to the router alone.
fn without_chance(place: &Explanation) -> RankedAgent {
    RankedAgent { chance: None, ..place.ranked() }
}

#[test]
fn what_a_request_asks_counts_more_than_what_it_tells() {
    let agents = vec![
        agent("oven_agent", "Repairs ovens in kitchens"),
        agent("manual_agent", "Translates manuals into Welsh"),
    ];
    let router = Router::by_words(agents, &[]);
    let request = "My kitchen has a new oven. Please translate it.";
    let first = |ranking: Result<Vec<Explanation>, RouterError>| names(&ranking.unwrap())[0].to_owned();
    assert_eq!(first(router.rank(request, None, &closed, 2)), "oven_agent");
    assert_eq!(first(router.rank_request(request, None, &closed, 2)), "manual_agent");
    // Nothing is asked of which any agent knows a word: then all of it counts.
    assert_eq!(first(router.rank_request("My oven is cold. Can you help?", None, &closed, 2)), "oven_agent");
    // A task of a plan has only what is asked.
    let task = "Repair the oven";
    assert_eq!(router.rank_request(task, None, &closed, 2), router.rank(task, None, &closed, 2));
}

#[test]
fn without_vectors_it_is_the_ranking_by_words() {
    // spec: planning SR-04 SR-05
    let agents = travel();
    let lexicon = Lexicon::new(&agents);
    let router = Router::by_words(agents.clone(), &[]);
    for text in ["Search for flights to Paris", "book a hotel near the museum", "", "zzz"] {
        let ranking = router.rank(text, Some(&[1.0, 0.0, 0.0]), &closed, 3).unwrap();
        let places: Vec<_> = ranking.iter().map(without_chance).collect();
        assert_eq!(places, lexical::rank(&agents, &lexicon, text, 3));
        assert!(ranking.iter().all(|place| place.meaning.is_none() && place.from_history == 0));
    }
    let with_meaning = Router::new(agents.clone(), &axes(), &[]).unwrap();
    let ranking = with_meaning.rank("Search for flights", None, &closed, 3).unwrap();
    assert_eq!(
        ranking.iter().map(without_chance).collect::<Vec<_>>(),
        lexical::rank(&agents, &lexicon, "Search for flights", 3)
    );
}

#[test]
fn meaning_decides_where_words_say_nothing() {
    // spec: planning SR-03 SR-05 SR-06
    let router = Router::new(travel(), &axes(), &[]).unwrap();
    let ranking = router.rank("zzz", Some(&[0.1, 0.9, 0.3]), &closed, 2).unwrap();
    assert_eq!(names(&ranking), ["hotel_agent", "activity_agent"]);
    assert!((ranking[0].meaning.unwrap() - 0.9 / 0.91f64.sqrt()).abs() < 1e-6);
}

#[test]
fn words_and_meaning_add_up() {
    let router = Router::new(travel(), &axes(), &[]).unwrap();
    let level = [0.5, 0.5, 0.5];
    let ranking = router.rank("a tour of museums", Some(&level), &closed, 3).unwrap();
    assert_eq!(ranking[0].agent_type.as_str(), "activity_agent");
    assert!(ranking[0].similarity > ranking[0].meaning.unwrap() / 2.0 && ranking[0].similarity <= 1.0);
}

#[test]
fn the_score_is_similarity_times_success_rate_and_thrift() {
    // spec: planning SR-04
    // spec: beyond BY-22
    let mut agents = travel();
    agents[0].success_rate = Share::new(0.5).unwrap();
    agents[0].cost_per_invocation = Money::from_dollars(2.0).unwrap();
    let router = Router::new(agents, &axes(), &[]).unwrap();
    let ranking = router.rank("zzz", Some(&[0.8, 0.6, 0.0]), &closed, 3).unwrap();
    assert_eq!(names(&ranking), ["hotel_agent", "flight_agent", "activity_agent"]);
    let flight = &ranking[1];
    assert!((flight.score - flight.similarity * 0.5 * 0.8).abs() < 1e-12);
}

#[test]
fn an_open_breaker_puts_an_agent_after_all_others() {
    // spec: beyond BY-22
    let router = Router::new(travel(), &axes(), &[]).unwrap();
    let flight_is_open = |agent: &AgentType| agent.as_str() == "flight_agent";
    let task = [1.0, 0.2, 0.1];
    let ranking = router.rank("Search flights", Some(&task), &flight_is_open, 3).unwrap();
    assert_eq!(names(&ranking), ["hotel_agent", "activity_agent", "flight_agent"]);
    assert_eq!(ranking.iter().map(|place| place.breaker_open).collect::<Vec<_>>(), [false, false, true]);
    let first = router.rank("Search flights", Some(&task), &flight_is_open, 1).unwrap();
    assert_eq!(names(&first), ["hotel_agent"]);
    let all_open = router.rank("Search flights", Some(&task), &|_| true, 2).unwrap();
    assert_eq!(names(&all_open), ["flight_agent", "hotel_agent"], "somebody must do it");
}

#[test]
fn successes_draw_like_tasks_to_an_agent() {
    let history = [success("activity_agent", &[0.9, 0.0, 0.4]), success("hotel_agent", &[0.0, 1.0, 0.1])];
    let cold = Router::new(travel(), &axes(), &[]).unwrap();
    let learned = Router::new(travel(), &axes(), &history).unwrap();
    let task = [0.75, 0.0, 0.66];
    assert_eq!(cold.rank("zzz", Some(&task), &closed, 1).unwrap()[0].agent_type.as_str(), "flight_agent");
    let ranking = learned.rank("zzz", Some(&task), &closed, 3).unwrap();
    assert_eq!(ranking[0].agent_type.as_str(), "activity_agent");
    assert_eq!(ranking[0].from_history, 1);
}

/// All tasks share the way in which tasks are worded, here the fourth axis; descriptions do not.
#[test]
fn an_agent_without_history_does_not_lose_its_tasks_to_those_with_one() {
    let flights = vec![success("flight_agent", &[0.45, 0.0, 0.0, 0.89]); 5];
    let tours = vec![success("activity_agent", &[0.0, 0.0, 0.45, 0.89]); 5];
    let router = Router::new(travel(), &axes_of_four(), &[flights, tours].concat()).unwrap();
    let first = |task: &[f32]| router.rank("zzz", Some(task), &closed, 1).unwrap().remove(0);
    assert_eq!(first(&[0.0, 0.45, 0.0, 0.89]).agent_type.as_str(), "hotel_agent");
    assert_eq!(first(&[0.45, 0.0, 0.0, 0.89]).agent_type.as_str(), "flight_agent");
}

/// Sums of tasks that are not alike are shorter; what counts is where they point.
#[test]
fn an_agent_of_many_sides_loses_nothing_to_one_that_always_does_the_same() {
    let same = vec![success("flight_agent", &[1.0, 0.0, 0.0, 0.0]); 4];
    let sides = [[0.0, 0.7, 0.0, 0.7], [0.0, 0.7, 0.0, -0.7]].map(|side| success("hotel_agent", &side));
    let history = [same, sides.to_vec(), sides.to_vec()].concat();
    let router = Router::new(travel(), &axes_of_four(), &history).unwrap();
    let first = router.rank("zzz", Some(&[0.66, 0.75, 0.0, 0.0]), &closed, 1).unwrap().remove(0);
    assert_eq!(first.agent_type.as_str(), "hotel_agent");
}

#[test]
fn history_of_strangers_counts_for_nothing() {
    let history = [success("gone_agent", &[1.0, 0.0, 0.0])];
    let learned = Router::new(travel(), &axes(), &history).unwrap();
    let cold = Router::new(travel(), &axes(), &[]).unwrap();
    let rank = |router: &Router| router.rank("done", Some(&[0.5, 0.4, 0.1]), &closed, 3).unwrap();
    assert_eq!(rank(&learned), rank(&cold));
}

/// A task that was done, without what it means.
fn done(agent: &str, text: &str) -> Success {
    Success { text: text.to_owned(), agent_type: AgentType::new(agent).unwrap(), vector: None }
}

#[test]
fn the_words_of_past_tasks_speak_for_an_agent() {
    let history = [done("hotel_agent", "A riad in Marrakech"), done("flight_agent", "Window seats to Oslo")];
    let text = "another riad, please";
    let by_words = Router::by_words(travel(), &history).rank(text, None, &closed, 3).unwrap();
    assert_eq!((by_words[0].agent_type.as_str(), by_words[0].from_history), ("hotel_agent", 1));
    assert!(by_words[0].words > by_words[1].words);
    let middle = [0.5, 0.5, 0.5];
    let with_meaning = Router::new(travel(), &axes(), &history).unwrap();
    let ranking = with_meaning.rank(text, Some(&middle), &closed, 3).unwrap();
    assert_eq!(ranking[0].agent_type.as_str(), "hotel_agent", "{ranking:?}");
}

#[test]
fn who_has_done_much_does_not_win_for_knowing_more_words() {
    let wordy = "Two seats to Paris in May for Anna and Ben, not above 900 dollars";
    let history: Vec<_> = ["flight_agent", "activity_agent"]
        .iter()
        .flat_map(|agent| vec![done(agent, wordy); MOST_SUCCESSES])
        .collect();
    let router = Router::by_words(travel(), &history);
    let ranking = router.rank("Hotels in Paris in May for Anna and Ben", None, &closed, 3).unwrap();
    assert_eq!(ranking[0].agent_type.as_str(), "hotel_agent", "{ranking:?}");
}

#[test]
fn words_speak_no_less_for_an_agent_that_does_a_task_again() {
    let task = "Search flights from Boston to Reykjavik on Friday";
    let history = [done("flight_agent", task), done("hotel_agent", "Search hotels in Rome")];
    let words = |history: &[Success]| {
        let ranking = Router::by_words(travel(), history).rank(task, None, &closed, 1).unwrap();
        assert_eq!(ranking[0].agent_type.as_str(), "flight_agent");
        ranking[0].words
    };
    assert!(words(&history) >= words(&[]), "{} {}", words(&history), words(&[]));
}

#[test]
fn only_the_latest_successes_count() {
    let old = success("hotel_agent", &[1.0, 0.0, 0.0]);
    let new = Success { text: "newer".to_owned(), ..success("hotel_agent", &[0.0, 0.0, 1.0]) };
    let long: Vec<_> = vec![old; 100].into_iter().chain(vec![new.clone(); MOST_SUCCESSES]).collect();
    let rank = |history: &[Success]| {
        let router = Router::new(travel(), &axes(), history).unwrap();
        router.rank("what was done before", Some(&[0.3, 0.5, 0.2]), &closed, 3).unwrap()
    };
    assert_eq!(rank(&long), rank(&vec![new; MOST_SUCCESSES]));
}

#[test]
fn an_agent_of_unknown_meaning_is_ranked_by_its_words() {
    let vectors = vec![Some(vector(&[1.0, 0.0])), None, Some(vector(&[0.0, 1.0]))];
    let router = Router::new(travel(), &vectors, &[]).unwrap();
    let ranking = router.rank("hotels", Some(&[0.6, 0.6]), &closed, 3).unwrap();
    assert_eq!(ranking[0].agent_type.as_str(), "hotel_agent");
}

#[test]
fn unusable_vectors_are_errors_that_name_whose_they_are() {
    // spec: planning SR-12
    assert_eq!(Router::by_words(Vec::new(), &[]).rank("x", None, &closed, 3), Err(RouterError::NoAgent));
    let broken = |second: &[f32]| {
        let vectors = [Some(vector(&[1.0, 0.0])), Some(vector(second)), None];
        Router::new(travel(), &vectors, &[]).unwrap_err().to_string()
    };
    for (second, problem) in
        [(&[0.0, 0.0][..], "zero"), (&[1.0], "1 dimensions"), (&[f32::NAN, 1.0], "finite")]
    {
        let message = broken(second);
        assert!(message.contains("hotel_agent") && message.contains(problem), "{message}");
    }
    let alien = [success("flight_agent", &[1.0, 1.0])];
    assert!(Router::new(travel(), &axes(), &alien).unwrap_err().to_string().contains("flight_agent"));
    let router = Router::new(travel(), &axes(), &[]).unwrap();
    for task in [&[0.0, 0.0, 0.0][..], &[1.0], &[], &[f32::INFINITY, 0.0, 0.0]] {
        let message = router.rank("Book a hotel", Some(task), &closed, 3).unwrap_err().to_string();
        assert!(message.contains("Book a hotel"), "{message}");
    }
}

#[test]
fn it_explains_itself_in_one_sentence() {
    // spec: planning SR-13
    // spec: beyond BY-22
    let history = [success("flight_agent", &[1.0, 0.1, 0.0])];
    let router = Router::new(travel(), &axes(), &history).unwrap();
    let ranking = router.rank("Search flights", Some(&[1.0, 0.2, 0.0]), &closed, 1).unwrap();
    let sentence = ranking[0].to_string();
    for part in [
        "flight_agent scores",
        "meaning",
        "words",
        "1 past success",
        "success rate 100 %",
        "next hotel_agent",
    ] {
        assert!(sentence.contains(part), "{part} in {sentence}");
    }
    assert!(!sentence.contains('\n'));
}

const WORDS: &str = "flight|hotel|museum|invoice|repair|paint|zebra";

fn registry() -> impl Strategy<Value = Vec<(AgentCapability, Option<Vector>)>> {
    let numbers = prop::option::of(prop::array::uniform4(-1.0f32..1.0));
    let one = (WORDS, WORDS, numbers, 0.0f64..=1.0).prop_map(|(first, second, numbers, rate)| {
        let mut agent = agent("agent", &format!("{first} {second}"));
        agent.success_rate = Share::new(rate).unwrap();
        let usable = numbers.filter(|numbers| numbers.iter().any(|number| number.abs() > 0.01));
        (agent, usable.map(|numbers| vector(&numbers)))
    });
    prop::collection::vec(one, 1..12).prop_map(|mut registry| {
        for (index, (agent, _)) in registry.iter_mut().enumerate() {
            agent.agent_type = AgentType::new(format!("agent_{index}")).unwrap();
        }
        registry
    })
}

fn router(registry: &[(AgentCapability, Option<Vector>)]) -> Router {
    let (agents, vectors): (Vec<_>, Vec<_>) = registry.iter().cloned().unzip();
    Router::new(agents, &vectors, &[]).unwrap()
}

proptest! {
    #[test]
    fn the_order_is_total_and_does_not_depend_on_the_registrys(
        registry in registry(), text in "(flight|hotel|museum|zebra| ){0,5}", top_k in 1usize..14,
    ) {
        let task = [0.3, -0.2, 0.9, 0.1];
        let mut backwards = registry.clone();
        backwards.reverse();
        let one = router(&registry).rank(&text, Some(&task), &closed, registry.len()).unwrap();
        let other = router(&backwards).rank(&text, Some(&task), &closed, registry.len()).unwrap();
        for pair in one.windows(2) {
            prop_assert!((pair[0].score, &pair[1].agent_type) >= (pair[1].score, &pair[0].agent_type));
        }
        for (one, other) in one.iter().zip(&other) {
            prop_assert!((one.score - other.score).abs() < 1e-6);
        }
        let few = router(&registry).rank(&text, Some(&task), &closed, top_k).unwrap();
        prop_assert_eq!(&few[..], &one[..top_k.min(one.len())], "a shorter ranking is the beginning of a longer one");
    }

    /// A newcomer changes how rare words are and how far meanings are spread, and so how much words weigh
    /// beside meaning; but it changes nobody's meaning, and no order in which no word has a say.
    #[test]
    fn a_newcomer_changes_no_order_by_meaning(
        registry in registry(), numbers in prop::array::uniform4(0.1f32..1.0),
    ) {
        let known: Vec<_> = registry.into_iter().filter(|(_, vector)| vector.is_some()).collect();
        prop_assume!(!known.is_empty());
        let task = [0.3, -0.2, 0.9, 0.1];
        let before = router(&known).rank("qqqq", Some(&task), &closed, 99).unwrap();
        let mut more = known;
        more.push((agent("newcomer", "yak"), Some(vector(&numbers))));
        let mut after = router(&more).rank("qqqq", Some(&task), &closed, 99).unwrap();
        after.retain(|place| place.agent_type.as_str() != "newcomer");
        for (before, after) in before.iter().zip(&after) {
            prop_assert_eq!(before.meaning, after.meaning);
        }
        prop_assert_eq!(names(&before), names(&after));
    }

    #[test]
    fn nothing_makes_it_panic_or_answer_outside_of_0_to_1(
        text in ".{0,40}", task in prop::collection::vec(any::<f32>(), 0..6),
        history in prop::collection::vec((0usize..3, prop::collection::vec(any::<f32>(), 3)), 0..8),
    ) {
        let names = ["flight_agent", "hotel_agent", "nobody"];
        let history: Vec<_> = history.iter().map(|(index, numbers)| success(names[*index], numbers)).collect();
        let Ok(router) = Router::new(travel(), &axes(), &history) else { return Ok(()) };
        if let Ok(ranking) = router.rank(&text, Some(&task), &closed, 3) {
            prop_assert_eq!(ranking.len(), 3);
            for place in ranking {
                prop_assert!((0.0..=1.0).contains(&place.similarity) && (0.0..=1.0).contains(&place.score));
            }
        }
    }
}

#[test]
fn the_chance_of_the_first_falls_with_its_fit_and_with_its_margin() {
    // spec: findings GL-08
    let router = Router::new(travel(), &axes(), &[]).unwrap();
    let chance =
        |text: &str, task: &[f32]| router.rank(text, Some(task), &closed, 1).unwrap()[0].chance.unwrap();
    let clear = chance("Search flights", &[1.0, 0.1, 0.1]);
    let torn = chance("Search", &[0.7, 0.69, 0.1]);
    let poor = chance("zzz", &[0.1, 0.05, -0.9]);
    assert!(clear > 0.9 && torn < clear && poor < 0.2, "{clear} {torn} {poor}");
    let by_words = Router::by_words(travel(), &[]);
    let chance = |text: &str| by_words.rank(text, None, &closed, 1).unwrap()[0].chance.unwrap();
    assert!(chance("Search flights") > 0.5 && chance("zzz") < 0.2);
}

#[test]
fn whoever_is_alone_has_to_fit_unless_it_does_anything() {
    // spec: findings GL-08
    let chance = |does: &str, text: &str, task: Option<&[f32]>| {
        let only = vec![agent("only", does)];
        let router = match task {
            Some(_) => Router::new(only, &[Some(vector(&[1.0, 0.0]))], &[]).unwrap(),
            None => Router::by_words(only, &[]),
        };
        router.rank(text, task, &closed, 1).unwrap()[0].chance.unwrap()
    };
    let does = "Prunes apple trees";
    assert!(chance(does, "Prune the trees behind the barn", Some(&[0.9, 0.3])) > 0.9);
    assert!(chance(does, "Text the vet", Some(&[0.05, 0.9])) < 0.3);
    assert!(chance(does, "Prune the trees", None) > 0.6 && chance(does, "Text the vet", None) < 0.3);
    assert!(chance(does, "Say what it holds", Some(&[0.05, 0.9])) > 0.4, "it says too little to be sure");
    for does in ["Does any work", "Hace cualquier cosa", "Helps with tasks"] {
        assert_eq!(chance(does, "Text the vet", Some(&[0.05, 0.9])), 1.0, "{does}");
    }
}

#[test]
fn among_few_agents_words_count_less_than_among_many() {
    // spec: findings GL-15
    let few = Router::new(travel(), &axes(), &[]).unwrap();
    let strangers = (0..200).map(|n| agent(&format!("stranger_{n}"), "Does something else"));
    let many: Vec<_> = travel().into_iter().chain(strangers).collect();
    let unknown = vec![None; 200];
    let many = Router::new(many, &[axes(), unknown].concat(), &[]).unwrap();
    // One word speaks for hotels, the meaning for flights.
    let first = |router: &Router| {
        let ranking = router.rank("hotels", Some(&[0.8, 0.5, 0.0]), &closed, 1).unwrap();
        ranking[0].agent_type.to_string()
    };
    assert_eq!((first(&few).as_str(), first(&many).as_str()), ("flight_agent", "hotel_agent"));
}

#[test]
fn old_examples_teach_a_tasks_own_words_only() {
    // spec: findings GL-07
    let example: RoutedExample = serde_json::from_value(serde_json::json!({
        "text": "Book a room. Expected outputs: output_2", "agent_type": "hotel_agent"
    }))
    .unwrap();
    assert_eq!(Success::new(&example, None).text, "Book a room");
}
