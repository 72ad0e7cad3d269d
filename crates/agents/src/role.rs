//! Who an agent is, in the words of its declaration: every model that it asks is told.

/// The role of an agent, for the prompts of its models; empty if nothing is known of it but its name.
#[must_use]
pub fn role(name: &str, specialization: &str, instructions: &str) -> String {
    let (known, told) = (specialization.trim(), instructions.trim());
    match (known, told) {
        ("", "") => String::new(),
        ("", told) => format!("You are the agent `{name}`.\n{told}"),
        (known, told) => format!("You are the agent `{name}`: {known}\n{told}").trim_end().to_owned(),
    }
}
