//! Which tier of models suits a task, by its words.

use candor_model::{SubTask, Tier};

use super::hints::has_word;

/// Work on what keeps harm out.
const SECURITY: &[&str] = &[
    "security",
    "secure",
    "securely",
    "auth",
    "authent*",
    "authoriz*",
    "authoris*",
    "oauth",
    "encrypt*",
    "decrypt*",
    "crypto*",
    "vulnerab*",
    "password*",
    "credential*",
    "permission*",
    "seguridad",
    "segur*",
    "cifra*",
    "contraseña*",
    "permiso*",
    "autentic*",
];

/// Decisions that everything else rests on, and hard thinking.
const STRONG: &[&str] =
    &["architect*", "algorithm*", "arquitectura", "algoritmo*", "trade-off*", "concurren*"];

/// Logic, refactoring, testing.
const BALANCED: &[&str] = &[
    "logic",
    "refactor*",
    "test*",
    "implement*",
    "debug*",
    "integrat*",
    "migrat*",
    "lógica",
    "prueba*",
    "depura*",
];

/// Simple edits, settings, formatting.
const FAST: &[&str] = &[
    "format*",
    "config*",
    "renam*",
    "typo*",
    "lint*",
    "bump",
    "comment*",
    "edit",
    "setting*",
    "reword*",
    "rephras*",
    "renombra*",
    "edita",
    "editar",
    "ajuste*",
    "errata*",
];

/// The tier that suits a task.
#[must_use]
pub fn tier_for(text: &str) -> Tier {
    if is_security(text) || has_word(text, STRONG) {
        Tier::Strong
    } else if has_word(text, BALANCED) {
        Tier::Balanced
    } else if has_word(text, FAST) {
        Tier::Fast
    } else {
        Tier::Balanced
    }
}

/// Whether a text speaks of what keeps harm out.
#[must_use]
pub fn is_security(text: &str) -> bool {
    has_word(text, SECURITY)
}

/// The tier that a task has, or that suits it.
#[must_use]
pub fn tier_of(task: &SubTask) -> Tier {
    task.metadata.tier.unwrap_or_else(|| tier_for(task.description.as_str()))
}

/// Gives tasks the next tier below, because tokens run out. What keeps harm out stays where it is. Returns how
/// many were changed.
pub fn lower(tasks: &mut [SubTask]) -> usize {
    let mut lowered = 0;
    for task in tasks.iter_mut().filter(|task| !is_security(task.description.as_str())) {
        if let Some(below) = tier_of(task).below() {
            task.metadata.tier = Some(below);
            lowered += 1;
        }
    }
    lowered
}
