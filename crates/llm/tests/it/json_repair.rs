//! What is made of the texts that models write, and what is said about data that does not fit.

use std::time::{Duration, Instant};

use candor_llm::json::{MAX_BYTES, MAX_PROBLEMS, Unreadable, fit, problems, read, read_strict};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde_json::{Value, json};

/// Texts of each kind of damage, and what they mean.
fn damaged() -> Vec<(&'static str, Value)> {
    vec![
        // Around the data.
        ("```json\n{\"city\": \"Rome\"}\n```", json!({"city": "Rome"})),
        ("Of course, here you are: {\"days\": 4} Enjoy!", json!({"days": 4})),
        ("Two lists (as you asked):\n[1, 2]", json!([1, 2])),
        ("(3, 4)", json!([3, 4])),
        ("/* draft */ {\"a\": 1}", json!({"a": 1})),
        // Commas, colons, values.
        ("{\"a\": 1, \"b\": [1, 2,],}", json!({"a": 1, "b": [1, 2]})),
        ("{\"a\": \"x\" \"b\": 2}", json!({"a": "x", "b": 2})),
        ("[\"x\" \"y\" 3]", json!(["x", "y", 3])),
        ("{\"a\" 1, \"b\" \"x\"}", json!({"a": 1, "b": "x"})),
        ("{\"a\" => 1; \"b\" = 2}", json!({"a": 1, "b": 2})),
        ("{\"a\": , \"b\": 1}", json!({"a": "", "b": 1})),
        ("[1, 2, ...]", json!([1, 2])),
        // Quotes.
        ("{'a': 'it's fine', 'b': 'x'}", json!({"a": "it's fine", "b": "x"})),
        ("{'b': 'it's fine'}", json!({"b": "it's fine"})),
        ("{“a”: “x”, “b”: 1}", json!({"a": "x", "b": 1})),
        ("{\"note\": \"the \"old\" town\", \"n\": 1}", json!({"note": "the \"old\" town", "n": 1})),
        ("{\"note\": \"called \"Roma\"\", \"n\": 1}", json!({"note": "called \"Roma\"", "n": 1})),
        ("{\"a\": \"one\ntwo\", \"b\": 'x'}", json!({"a": "one\ntwo", "b": "x"})),
        ("{\"\"a\"\": \"\"x\"\"}", json!({"a": "x"})),
        ("{\"a: \"x\", \"b\": 1}", json!({"a": "x", "b": 1})),
        ("{\"a\": \"x, \"b\": 1}", json!({"a": "x", "b": 1})),
        ("{\"a\": \"x\", b\": 1}", json!({"a": "x", "b": 1})),
        ("{\"a: [1, 2], \"b\": true}", json!({"a": [1, 2], "b": true})),
        ("{\"a\": \"x\", \"b\" null}", json!({"a": "x", "b": null})),
        ("[\"x, \"y\"]", json!(["x", "y"])),
        ("[\"x\" -3, \"y\" null, \"z\"]", json!(["x", -3, "y", null, "z"])),
        ("[\"x\", y\", \"z\"]", json!(["x", "y", "z"])),
        ("{\\\"a\\\": \\\"x\\\"}", json!({"a": "x"})),
        ("{\"path\": \"C:\\dir\\*.txt\",}", json!({"path": "C:\\dir\\*.txt"})),
        ("{\"say\": \"send {\"k\": 1} now\", \"b\": 2}", json!({"say": "send {\"k\": 1} now", "b": 2})),
        // Bare words and foreign literals.
        ("{city: Rome, days: 4}", json!({"city": "Rome", "days": 4})),
        (
            "{\"a\": True, \"b\": None, \"c\": NaN, \"d\": undefined}",
            json!({"a": true, "b": null, "c": null, "d": null}),
        ),
        (
            "{\"a\": +5, \"b\": .5, \"c\": 1_000, \"d\": 1/3}",
            json!({"a": 5, "b": 0.5, "c": 1000, "d": "1/3"}),
        ),
        (
            "{\"when\": 2026-05-01, \"url\": http://x.org/y}",
            json!({"when": "2026-05-01", "url": "http://x.org/y"}),
        ),
        // Comments.
        ("{\"a\": 1, // one\n \"b\": 2 # two\n}", json!({"a": 1, "b": 2})),
        ("[1, /* two, */ 3]", json!([1, 3])),
        // Cut off.
        ("{\"a\": [1, {\"b\": \"x", json!({"a": [1, {"b": "x"}]})),
        ("{\"a\": 1, \"b", json!({"a": 1})),
        ("{\"a\": 1, \"b\":", json!({"a": 1, "b": ""})),
        ("[{\"a\": 1}, {\"a\": 2", json!([{"a": 1}, {"a": 2}])),
        // Brackets.
        ("{\"a\": [1, 2, \"b\": 3}", json!({"a": [1, 2], "b": 3})),
        ("[{\"a\": 1]", json!([{"a": 1}])),
        ("{\"a\": {\"b\": 1}}}}", json!({"a": {"b": 1}})),
        ("{\"red\", \"green\"}", json!(["red", "green"])),
        ("[\"a\": 1, \"b\": 2]", json!([{"a": 1, "b": 2}])),
        // Several pieces.
        ("{\"a\": 1}\n{\"b\": 2}", json!([{"a": 1}, {"b": 2}])),
        ("{\"a\": 1}\nSorry, I meant:\n{\"a\": 2}", json!({"a": 2})),
        ("{\"a\": 1}, \"b\": 2}", json!({"a": 1, "b": 2})),
        ("{\"a\": \"```json {\"b\": [1]} ```\"}", json!({"a": {"b": [1]}})),
    ]
}

#[test]
fn each_kind_of_damage_is_repaired_to_what_was_meant() {
    // spec: beyond BY-14
    for (text, meant) in damaged() {
        let found = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(found.value, meant, "{text}");
        assert!(!found.repairs.is_empty(), "{text}: a repair is always named");
    }
}

#[test]
fn plain_json_is_not_touched() {
    for text in
        ["{}", " [1, 2.5, null] ", "\"x\"", "7", "{\"a\": \"b, \\\"c\\\": {1}\"}", "{\"a\": 1, \"a\": 2}"]
    {
        let found = read(text).unwrap();
        assert_eq!(found.value, serde_json::from_str::<Value>(text).unwrap());
        assert!(found.repairs.is_empty());
    }
}

#[test]
fn a_text_without_data_is_refused_and_says_why() {
    // spec: planning GD-08
    assert_eq!(read("  \n").unwrap_err(), Unreadable::Empty);
    assert_eq!(read("I cannot help with that.").unwrap_err(), Unreadable::NoData);
    assert_eq!(
        read("not json").unwrap_err().to_string(),
        "the answer has no JSON in it: expected an object or a list"
    );
    assert_eq!(read(&"[{\"a\":".repeat(200)).unwrap_err(), Unreadable::TooDeep);
    let huge = " ".repeat(MAX_BYTES + 1);
    assert_eq!(read(&huge).unwrap_err(), Unreadable::TooLarge { bytes: MAX_BYTES + 1 });
}

#[test]
fn strict_reading_repairs_but_does_not_guess() {
    assert_eq!(read_strict("```\n{'a': 1,}\n```").unwrap().value, json!({"a": 1}));
    assert_eq!(read_strict("12").unwrap().value, json!(12));
    let guesses = [
        "{\"a\": 1}{\"b\": 2}",
        "{\"a\": 1, \"a\": 2}",
        "{\"\": 1}",
        "{\"a\" 1}",
        "{\"a\": }",
        "{\"a\", \"b\"}",
        "{\"a\": \"\"x\"\"}",
        "{\\\"a\\\": 1}",
    ];
    for text in guesses {
        assert!(matches!(read_strict(text), Err(Unreadable::Ambiguous { .. })), "{text}");
        assert!(read(text).is_ok(), "{text}");
    }
}

#[test]
fn hostile_texts_take_linear_time() {
    let patterns = [
        "[",
        "{",
        "(",
        "\"",
        "\\\"",
        "\"\\\"",
        "{\"",
        "{\"a\":",
        "[\"a\" ",
        "{\"a\":\"b\" ",
        "\"a\": ",
        ",",
        "}",
        "]",
        "{}",
        "[]",
        "{a:b,",
        "\"x\"x",
        "', '",
        "/*",
        "//",
        "#",
        "# a\n",
        "```json {",
        "“",
        "{\"a\": \"```json {",
        "\\",
        "{\"a\": \"{\"k\": ",
        "1 ",
        "a, ",
        "\"a\", ",
        "{\"a\", ",
        "\\u00",
        "\u{1f600}",
        "((1",
        ":1",
        "a: 1",
        "{\"a\":\"x\"}, ",
    ];
    let openings = ["", "[", "{\"a\": \"", "{\"a\": [\"", "{\"a\": b", "{\"", "[\"", "{'a': '"];
    let mut slowest = (Duration::ZERO, String::new());
    for pattern in patterns {
        for opening in openings {
            let text = format!("{opening}{}", pattern.repeat(40_000 / pattern.len()));
            let start = Instant::now();
            let _ = read(&text);
            if start.elapsed() > slowest.0 {
                slowest = (start.elapsed(), format!("{opening}{pattern}"));
            }
        }
    }
    assert!(slowest.0 < Duration::from_secs(1), "{slowest:?}");
}

#[test]
fn a_megabyte_is_read_in_time() {
    let texts = [
        ("", "["),
        ("", "{"),
        ("", "\"\\\""),
        ("", "{\"a\": \"b \"c\" d\", "),
        ("", "[\"x\" y\", "),
        ("{", "\"a\": \"{\"k\": 1, "),
    ];
    for (opening, pattern) in texts {
        let text = format!("{opening}{}", pattern.repeat((MAX_BYTES - opening.len()) / pattern.len()));
        let start = Instant::now();
        let _ = read(&text);
        assert!(start.elapsed() < Duration::from_secs(2), "{opening}{pattern}: {:?}", start.elapsed());
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        "[a-z ,:{}\\[\\]'\"\\\\\n]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,6}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}") {
        let _ = read(&text);
        let _ = read_strict(&text);
    }

    #[test]
    fn no_soup_of_structure_makes_it_panic(text in "[\\[\\]{}()\",:'a1 \\\\\n`/*#“”„.-]{0,120}") {
        let _ = read(&text);
        let _ = read_strict(&text);
    }

    #[test]
    fn valid_json_comes_back_unchanged(value in any_json()) {
        let found = read(&value.to_string()).unwrap();
        prop_assert_eq!(found.value, value);
        prop_assert!(found.repairs.is_empty());
    }

    #[test]
    fn data_between_words_is_found_whole(value in prop::collection::vec("[a-z ,:.{}]{1,12}", 1..4)) {
        let value = json!({ "items": value });
        let found = read(&format!("Here it is:\n{value}\nBye")).unwrap();
        prop_assert_eq!(found.value, value);
    }

    #[test]
    fn what_fits_is_never_changed(value in any_json()) {
        let schema = json!({ "type": ["object", "array", "string", "number", "boolean", "null"] });
        let (fitted, repairs) = fit(value.clone(), &schema);
        prop_assert_eq!(fitted, value);
        prop_assert!(repairs.is_empty());
    }

    #[test]
    fn any_pair_of_values_can_be_fitted_and_checked(value in any_json(), schema in any_json()) {
        let (fitted, _) = fit(value, &schema);
        prop_assert!(problems(&fitted, &schema).len() <= MAX_PROBLEMS);
    }
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Work {
    tasks: Vec<Job>,
    strategy: Option<Way>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Job {
    #[schemars(length(min = 1, max = 40))]
    description: String,
    #[schemars(range(min = 1, max = 10))]
    priority: Option<u8>,
    #[serde(default)]
    dependencies: Vec<u32>,
    #[serde(default)]
    urgent: bool,
    #[schemars(range(min = 0.0, max = 1.0))]
    share: Option<f64>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum Way {
    InOrder,
    /// All at once.
    SideBySide,
}

fn work_schema() -> Value {
    schemars::schema_for!(Work).to_value()
}

#[test]
fn data_is_bent_to_its_schema_where_the_meaning_is_plain() {
    let schema = work_schema();
    let cases = [
        (
            json!({"tasks": [{"description": "a", "priority": "3"}]}),
            json!({"tasks": [{"description": "a", "priority": 3}]}),
        ),
        (
            json!({"tasks": [{"description": "a", "priority": 3.0}]}),
            json!({"tasks": [{"description": "a", "priority": 3}]}),
        ),
        (json!({"tasks": [{"description": 7}]}), json!({"tasks": [{"description": "7"}]})),
        (
            json!({"tasks": [{"description": "a", "urgent": "True"}]}),
            json!({"tasks": [{"description": "a", "urgent": true}]}),
        ),
        (
            json!({"tasks": [{"description": "a", "dependencies": 0}]}),
            json!({"tasks": [{"description": "a", "dependencies": [0]}]}),
        ),
        (
            json!({"tasks": [{"description": "a", "dependencies": null}]}),
            json!({"tasks": [{"description": "a"}]}),
        ),
        (json!({"tasks": {"description": "a"}}), json!({"tasks": [{"description": "a"}]})),
        (json!({"tasks": [], "strategy": " In-Order "}), json!({"tasks": [], "strategy": "in_order"})),
        (json!({"tasks": [], "strategy": "SIDE BY SIDE"}), json!({"tasks": [], "strategy": "side_by_side"})),
        (json!({"tasks": [], "comment": "x"}), json!({"tasks": []})),
        (json!({"Tasks": []}), json!({"tasks": []})),
        (json!([{"tasks": []}]), json!({"tasks": []})),
        (json!({"plan": {"tasks": []}}), json!({"tasks": []})),
        (
            json!([{"description": "a"}, {"description": "b"}]),
            json!({"tasks": [{"description": "a"}, {"description": "b"}]}),
        ),
    ];
    for (value, meant) in cases {
        let (fitted, repairs) = fit(value.clone(), &schema);
        assert_eq!(fitted, meant, "{value}");
        let only_a_fraction = value.to_string().contains("3.0");
        assert!(only_a_fraction || !repairs.is_empty(), "{value}: a repair is always named");
        assert_eq!(problems(&fitted, &schema), Vec::<String>::new(), "{value}");
    }
}

#[test]
fn what_has_no_plain_meaning_is_left_for_the_checks() {
    let schema = work_schema();
    for value in [
        json!({"tasks": [{"description": "a", "priority": "high"}]}),
        json!({"tasks": [], "strategy": "sideways"}),
        json!("nothing"),
    ] {
        let (fitted, _) = fit(value.clone(), &schema);
        assert_eq!(fitted, value);
        assert!(!problems(&fitted, &schema).is_empty(), "{value}");
    }
}

#[test]
fn each_problem_names_its_place_and_what_is_allowed() {
    // spec: orchestrator FD-03
    // spec: planning GD-08
    let schema = work_schema();
    let cases = [
        (
            json!({"tasks": [{"description": "a", "priority": 140}]}),
            "tasks[0].priority: must be from 1 to 10, is 140",
        ),
        (
            json!({"tasks": [{"description": "a", "share": 1.5}]}),
            "tasks[0].share: must be from 0 to 1, is 1.5",
        ),
        (json!({"tasks": [{}]}), "tasks[0].description: is missing"),
        (
            json!({"tasks": [{"description": ""}]}),
            "tasks[0].description: must have at least 1 characters, has 0",
        ),
        (
            json!({"tasks": [{"description": "a", "urgent": 3}]}),
            "tasks[0].urgent: must be true or false, is 3",
        ),
        (
            json!({"tasks": [{"description": "a", "dependencies": [-1]}]}),
            "tasks[0].dependencies[0]: must be at least 0, is -1",
        ),
        (json!([1, 2]), "the answer: must be an object, is a list"),
        (json!({"tasks": [], "more": 1}), "more: is not known; known are "),
        (
            json!({"tasks": [], "strategy": "sideways"}),
            "strategy: must be one of \"in_order\", \"side_by_side\", is \"sideways\"",
        ),
    ];
    for (value, message) in cases {
        let found = problems(&value, &schema);
        assert!(
            found.iter().any(|one| one == message || (message.ends_with("are ") && one.starts_with(message))),
            "{value}: {found:?}"
        );
    }
}

#[test]
fn problems_are_bounded_in_number_and_effort() {
    let many = json!({"tasks": vec![json!({"priority": 99}); 500]});
    assert_eq!(problems(&many, &work_schema()).len(), MAX_PROBLEMS);
    let endless = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}], "$defs": {}});
    let start = Instant::now();
    assert!(problems(&json!(1), &endless).len() <= MAX_PROBLEMS);
    let (_, _) = fit(json!({"a": 1}), &endless);
    assert!(start.elapsed() < Duration::from_secs(2));
}
