//! How likely it is that the best of a ranking is the right agent.
//!
//! Logistic functions of what the ranking shows, fitted on the even rows of MetaTool among 3, 5, 10, 25 and 199 agents,
//! with the right agent and, for one task in five, without it: a registry may have nobody for a task. `cargo xtask
//! quality` shows how far they are off on the odd rows.

/// Where words alone were compared: how far they speak for the first, and how far the next is behind.
pub(super) fn by_words(words: f64, behind: f64) -> f64 {
    logistic(-2.1 + 3.0 * words + 2.4 * behind)
}

/// Where meanings were compared too; `behind` in spreads of the meanings, whatever scale a model's similarities have.
pub(super) fn by_meaning(meaning: f64, words: f64, behind: f64) -> f64 {
    logistic(-3.0 + 3.05 * meaning + 3.0 * words + 0.39 * behind)
}

/// How often somebody with one agent asks it for what it does.
const USUALLY: f64 = 0.7;
/// A task with fewer words that tell what it is about ("say what it holds") says little about who can do it.
const TELLING: f64 = 2.0;

/// Whether the only agent there is does what is asked, fitted on MetaTool's descriptions, each with queries of its own and of
/// others.
pub(super) fn alone(meaning: Option<f64>, words: f64, telling: usize) -> f64 {
    let fits = match meaning {
        Some(meaning) => logistic(-2.0 + 11.7 * meaning + 1.7 * words),
        None => logistic(-1.1 + 8.0 * words),
    };
    let known = (telling as f64 / TELLING).min(1.0);
    USUALLY + (fits - USUALLY) * known
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
