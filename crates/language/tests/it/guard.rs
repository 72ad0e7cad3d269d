//! What the guardrails say of texts that are read on the way.

use candor_language::guard::examine_read;

#[test]
fn the_readme_of_this_project_gives_no_orders_to_models() {
    // It is read by every run in a clone, and is about agents, models and prompts.
    let readme = include_str!("../../../../README.md");
    assert_eq!(examine_read("the file README.md", readme), None);
}
