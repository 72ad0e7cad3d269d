//! The kind of work that a run is: one word from a closed list, by which runs are compared with each other.

use candor_model::GoalType;

/// Where nothing says what kind of work it is.
pub const GENERAL: &str = "general";

/// The kinds that the words of a request name; a pack's goal type stands beside them.
pub const TASK_TYPES: [&str; 14] = [
    "fix",
    "refactor",
    "test",
    "build",
    "write",
    "document",
    "compare",
    "research",
    "translate",
    "summarise",
    "travel",
    "plan",
    "deploy",
    "security",
];

/// The kind of work: the goal type of a pack, else the first kind among the keywords, else [`GENERAL`].
///
/// Keywords come from the evaluation, the most telling first.
#[must_use]
pub fn task_type<'a>(goal_type: Option<&'a GoalType>, keywords: &'a [String]) -> &'a str {
    let of_pack = goal_type.filter(|kind| **kind != GoalType::GENERIC).map(GoalType::as_str);
    let named = || keywords.iter().map(String::as_str).find(|word| TASK_TYPES.contains(word));
    of_pack.or_else(named).unwrap_or(GENERAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_comes_before_words_and_words_before_nothing() {
        let words: Vec<String> = ["ledger.py", "translate", "fix"].map(str::to_owned).to_vec();
        let of = |kind: &str| kind.parse::<GoalType>().unwrap();
        assert_eq!(task_type(Some(&of("bookkeeping")), &words), "bookkeeping");
        assert_eq!(task_type(Some(&GoalType::GENERIC), &words), "translate");
        assert_eq!(task_type(None, &words[..1]), GENERAL);
    }
}
