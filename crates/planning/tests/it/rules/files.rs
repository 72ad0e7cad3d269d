//! Files of rules: every refusal names the file, the line and the field.

use candor_planning::conflict::ConflictRules;
use candor_planning::guardrails::Guardrails;
use candor_planning::roster::Roster;
use candor_planning::rules_file::{RuleDocument, RulesError, read};
use candor_planning::scaling::ScalingRules;
use proptest::prelude::*;

/// What is said about a file that is refused.
pub(crate) fn refusal<T: RuleDocument>(file: &str, text: &str) -> String {
    match read::<T>(file, text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn empty_files_give_the_usual_rules() {
    // spec: orchestrator SF-02
    for (file, text) in [("rules.toml", ""), ("rules.json", "{}")] {
        assert_eq!(read::<ScalingRules>(file, text).unwrap(), ScalingRules::default());
        assert_eq!(read::<Guardrails>(file, text).unwrap(), Guardrails::default());
        assert_eq!(read::<ConflictRules>(file, text).unwrap(), ConflictRules::default());
        assert_eq!(read::<Roster>(file, text).unwrap(), Roster::default());
    }
}

#[test]
fn what_is_shown_can_be_read_again() {
    // spec: orchestrator SF-02 AG-01
    fn again<T: RuleDocument + Default + serde::Serialize + PartialEq + std::fmt::Debug>() {
        let usual = T::default();
        let shown = serde_json::to_string_pretty(&usual).unwrap();
        let back = read::<T>("rules.json", &shown).unwrap();
        assert_eq!(serde_json::to_value(&back).unwrap(), serde_json::to_value(&usual).unwrap());
    }
    again::<ScalingRules>();
    again::<Guardrails>();
    again::<ConflictRules>();
    again::<Roster>();
}

#[test]
fn a_name_with_another_ending_is_refused() {
    // spec: orchestrator SF-03
    for file in ["scaling-rules.yaml", "rules", ""] {
        let error = read::<ScalingRules>(file, "").unwrap_err();
        assert_eq!(error, RulesError::Ending { file: file.to_owned() });
        assert!(error.to_string().contains(".json or .toml"), "{error}");
    }
    assert!(read::<ScalingRules>("RULES.TOML", "").is_ok(), "any letter case will do");
}

#[test]
fn broken_syntax_is_told_with_its_line_and_key() {
    // spec: orchestrator SF-03
    let told = refusal::<ScalingRules>("s.toml", "\n[classes.simple]\ncomplexity = \n");
    assert!(told.starts_with("s.toml:3: complexity: not valid TOML: "), "{told}");
    let told = refusal::<Guardrails>("g.json", "{\n  \"rules\": [\n    {\"skillId\": nope}\n  ]\n}");
    assert!(told.starts_with("g.json:3: skillId: not valid JSON: "), "{told}");
    assert!(!told.contains("at line"), "the line is told once: {told}");
    let told = refusal::<Guardrails>("g.json", "");
    assert!(told.starts_with("g.json:1: (document): not valid JSON: "), "{told}");
    for text in ["[]", "3", "null"] {
        let told = refusal::<Guardrails>("g.json", text);
        assert!(told.starts_with("g.json:1: (document): is not a table"), "{told}");
    }
}

#[test]
fn unknown_keys_get_the_nearest_name() {
    // spec: orchestrator SF-03
    let told = refusal::<ScalingRules>("s.toml", "# mine\n\nmatrx = []\n");
    assert!(told.starts_with("s.toml:3: matrx: unknown field"), "{told}");
    assert!(told.ends_with("did you mean `matrix`?"), "{told}");
    let told =
        refusal::<Guardrails>("g.json", "{\"rules\": [\n{\"skillId\": \"x\",\n\"enforcment\": \"block\"}]}");
    assert!(told.starts_with("g.json:3: rules[0].enforcment: unknown field"), "{told}");
    assert!(told.ends_with("did you mean `enforcement`?"), "{told}");
    let told = refusal::<ConflictRules>("c.toml", "[zzz]\n");
    assert!(told.starts_with("c.toml:1: zzz: unknown field") && !told.contains("did you mean"), "{told}");
}

#[test]
fn a_key_that_is_given_twice_is_refused_in_both_formats() {
    // spec: orchestrator SF-03
    let told = refusal::<ConflictRules>("c.json", "{\"model\": {\"auto\": false},\n \"model\": {}}");
    assert_eq!(told, "c.json:2: model: given twice, first on line 1; keep one of them");
    let told = refusal::<ConflictRules>("c.toml", "[model]\nauto = true\nauto = false\n");
    assert!(told.starts_with("c.toml:3: auto: not valid TOML: duplicate key"), "{told}");
}

#[test]
fn wrong_types_are_told_in_plain_words() {
    // spec: orchestrator SF-03
    let told = refusal::<Roster>("a.toml", "[phases.context]\nagents = \"two\"\nmodel = \"fast\"\n");
    let rest = "invalid type: string \"two\", expected a whole number, 0 or more";
    assert_eq!(told, format!("a.toml:2: phases.context.agents: {rest}"));
    let told = refusal::<Guardrails>("g.toml", "globalSettings = 3\n");
    assert!(told.starts_with("g.toml:1: globalSettings: ") && told.ends_with("expected a table"), "{told}");
}

#[test]
fn a_missing_key_is_told_at_the_entry_that_lacks_it() {
    // spec: orchestrator SF-03
    let text = "[[matrix]]\ncomplexity = \"0-100\"\nfiles = \"0+\"\nagents = 1\nmodels = { fast = 100 }\n\
                execution = \"parallel\"\n\n[classes.simple]\nmodel = \"fast\"\n";
    let told = refusal::<ScalingRules>("s.toml", text);
    assert!(told.starts_with("s.toml:8: classes.simple.complexity: missing field"), "{told}");
    let told = refusal::<Roster>("a.toml", "\n[[agents]]\nname = \"a\"\n");
    assert!(told.starts_with("a.toml:2: agents[0].description: missing field"), "{told}");
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_stumble(text in "\\PC{0,60}", json in any::<bool>()) {
        let file = if json { "x.json" } else { "x.toml" };
        let _ = read::<Guardrails>(file, &text);
        let _ = read::<ScalingRules>(file, &text);
    }

    #[test]
    fn json_with_odd_strings_keeps_its_lines(key in "[a-z\\\\\"\n{}\\[\\],:]{0,8}", before in 0_usize..5) {
        let first = serde_json::to_string(&format!("a{key}")).unwrap();
        let text = format!("{{{first}: [1, {{\"x\": {first}}}],{}\"zz\": 1}}", "\n".repeat(before));
        // Whichever of the two unknown keys is told, its line is the right one.
        let told = refusal::<ScalingRules>("x.json", &text);
        let line = if told.contains(": zz: ") { before + 1 } else { 1 };
        let expected = format!("x.json:{line}: ");
        prop_assert!(told.starts_with(&expected), "{}", told);
    }
}
