//! How sure one can be of a plan before it runs.
//!
//! Two questions: are these the right tasks, and does each have the right agent? Both are answered by what is known
//! by then, with the weights in [`WEIGHTS`]. The answers are multiplied: a plan needs both. The weights were fitted on
//! one half of public tasks with labelled steps, where one agent does everything, and of public queries with labelled
//! tools; `cargo xtask quality` shows how well they hold on the other half. What tells right steps from wrong ones there
//! is how many the request was cut into: one step often hides several, and many are often a list to choose from.

use candor_model::Confidence;

/// Where the tasks of a plan come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A person wrote them.
    Supplied,
    /// A pack's template, made for this kind of goal.
    Template,
    /// A model wrote them for this request.
    Model,
    /// The sentences of the request.
    Rules,
}

/// How well a task's agent fits it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// How likely it is that the agent is the right one, from 0 to 1, as the ranking shows.
    pub chance: f64,
    /// How often the agent succeeded so far.
    pub success_rate: f64,
}

/// What is known of a plan before it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Where its tasks come from.
    pub origin: Origin,
    /// One entry for each task whose agent Candor chose.
    pub fits: Vec<Fit>,
    /// The share of the request's words that are in a task or in a constraint.
    pub covered: f64,
    /// How many tasks there are.
    pub tasks: usize,
    /// How many words that say something a task has on average. A request in shreds is not understood.
    pub words_per_task: f64,
    /// What was guessed when the request was read and cut.
    pub guesses: usize,
    /// What was not understood.
    pub doubts: usize,
    /// What was asked for and is in no task.
    pub gaps: usize,
    /// A model's own opinion, if it was asked.
    pub model: Option<f64>,
}

/// What each piece of evidence counts.
struct Weights {
    /// What right tasks are worth with the wrong agents, and what the right agents add.
    tasks_alone: f64,
    agents: f64,
    /// How sure one is of tasks from each origin when everything else is well.
    supplied: f64,
    template: f64,
    model: f64,
    rules: f64,
    /// What tasks by rules lose where nothing was found to cut, if there are very many of them, and if they have no words.
    uncut: f64,
    many: f64,
    wordless: f64,
    /// What is lost if none of the request's words is covered.
    uncovered: f64,
    /// The same for a template, which says much in words of its own: per share below `OWN_WORDS`. A request of which
    /// next to nothing is in the template was read as something that it is not.
    misread: f64,
    /// What is lost per guess, and by all guesses together.
    guess: f64,
    all_guesses: f64,
    /// What is lost per doubt and per gap.
    doubt: f64,
    gap: f64,
}

const WEIGHTS: Weights = Weights {
    tasks_alone: 0.38,
    agents: 0.62,
    supplied: 0.97,
    template: 0.97,
    model: 0.90,
    rules: 0.86,
    uncut: 0.14,
    many: 0.36,
    wordless: 0.30,
    uncovered: 0.30,
    misread: 2.0,
    guess: 0.01,
    all_guesses: 0.05,
    doubt: 0.10,
    gap: 0.05,
};

/// Up to this an agent is too doubtful to be made up for by others; from the second on it is as good as they are.
const DOUBTFUL_FIT: f64 = 0.4;
const CLEAR_FIT: f64 = 0.7;
/// What the poorest fit still counts: recovery gives a task to someone else.
const LEAST_FIT: f64 = 0.3;
/// A template that has this share of the request's words was meant.
const OWN_WORDS: f64 = 0.4;
/// A task with this many words that say something is told in full.
const FULL_TASK: f64 = 4.0;
/// Up to this many tasks are usual; `MANY` more are very many.
const USUAL_TASKS: f64 = 6.0;
const MANY: f64 = 6.0;
/// The highest confidence that anything but a person's own word can give.
const MOST: f64 = 0.95;
/// The highest where an agent is doubtful, however sure the tasks are: low enough that a person is asked.
const MOST_IN_DOUBT: f64 = 0.48;
/// The lowest that is told.
const LEAST: f64 = 0.05;

/// How sure one can be of a plan.
#[must_use]
pub fn before(evidence: &Evidence) -> Confidence {
    let tasks = tasks_right(evidence);
    // A model's opinion counts half; who fits is measured, and no opinion makes up for it.
    let tasks = evidence.model.map_or(tasks, |model| f64::midpoint(tasks, model));
    let agents = agents_right(&evidence.fits);
    let most = if agents < DOUBTFUL_FIT { MOST_IN_DOUBT } else { MOST };
    let score = (tasks * (WEIGHTS.tasks_alone + WEIGHTS.agents * agents)).clamp(LEAST, most);
    // More than two digits would only look exact.
    Confidence::new((score * 100.0).round() / 100.0).unwrap_or(Confidence::NONE)
}

/// How sure one can be that these are the tasks.
fn tasks_right(evidence: &Evidence) -> f64 {
    let w = &WEIGHTS;
    let start = match evidence.origin {
        Origin::Supplied => return w.supplied,
        Origin::Template => w.template,
        Origin::Model => w.model,
        Origin::Rules => w.rules - shredded(evidence),
    };
    let guessed = (w.guess * evidence.guesses as f64).min(w.all_guesses);
    let doubtful = w.doubt * evidence.doubts as f64 + w.gap * evidence.gaps as f64;
    let covered = evidence.covered.clamp(0.0, 1.0);
    let uncovered = match evidence.origin {
        Origin::Template => w.misread * (OWN_WORDS - covered).max(0.0),
        _ => w.uncovered * (1.0 - covered),
    };
    (start - guessed - doubtful - uncovered).clamp(0.0, 1.0)
}

/// What sentences lose that were not cut, or cut into shreds, or into very many tasks.
fn shredded(evidence: &Evidence) -> f64 {
    let uncut = if evidence.tasks <= 1 { WEIGHTS.uncut } else { 0.0 };
    let wordless = 1.0 - (evidence.words_per_task / FULL_TASK).clamp(0.0, 1.0);
    let many = ((evidence.tasks as f64 - USUAL_TASKS) / MANY).clamp(0.0, 1.0);
    uncut + WEIGHTS.wordless * wordless + WEIGHTS.many * many
}

/// How sure one can be that every task has the right agent: the mean of what is known of each, unless one of them is
/// doubtful. Then the plan is as doubtful as that one, so that a poor fit among many good ones reaches a person. Who was
/// named by the plan's author is no choice of ours.
fn agents_right(fits: &[Fit]) -> f64 {
    let right = |fit: &Fit| fit.chance.clamp(0.0, 1.0) * fit.success_rate.clamp(0.0, 1.0);
    if fits.is_empty() {
        return 1.0;
    }
    let mean = fits.iter().map(right).sum::<f64>() / fits.len() as f64;
    let least = fits.iter().map(right).fold(1.0, f64::min);
    let clear = ((least - DOUBTFUL_FIT) / (CLEAR_FIT - DOUBTFUL_FIT)).clamp(0.0, 1.0);
    (least + (mean - least) * clear).max(LEAST_FIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence() -> Evidence {
        Evidence {
            origin: Origin::Rules,
            fits: vec![Fit { chance: 0.98, success_rate: 1.0 }],
            covered: 1.0,
            tasks: 3,
            words_per_task: 8.0,
            guesses: 0,
            doubts: 0,
            gaps: 0,
            model: None,
        }
    }

    fn of(change: impl FnOnce(&mut Evidence)) -> f64 {
        let mut evidence = evidence();
        change(&mut evidence);
        before(&evidence).get()
    }

    #[test]
    fn a_clear_fit_is_high_and_every_weakness_lowers_it() {
        let clear = of(|_| ());
        assert!(clear >= 0.8, "{clear}");
        let weaker = [
            of(|it| it.tasks = 1),
            of(|it| it.covered = 0.5),
            of(|it| it.words_per_task = 2.0),
            of(|it| it.tasks = 20),
            of(|it| it.doubts = 1),
            of(|it| it.gaps = 1),
            of(|it| it.guesses = 2),
            of(|it| it.fits[0].success_rate = 0.5),
            of(|it| it.fits[0].chance = 0.5),
        ];
        assert!(weaker.iter().all(|weaker| *weaker < clear), "{weaker:?}");
    }

    #[test]
    fn one_poor_fit_among_good_ones_is_asked_about_whatever_a_model_thinks() {
        let poor = Fit { chance: 0.3, success_rate: 1.0 };
        assert!(of(|it| it.fits.extend([it.fits[0], poor, it.fits[0]])) < 0.5);
        assert!(of(|it| (it.fits[0], it.model) = (poor, Some(0.95))) < 0.5);
        assert!(of(|it| (it.fits[0], it.origin) = (poor, Origin::Template)) < 0.5);
    }

    #[test]
    fn one_task_that_somebody_likely_can_do_is_not_asked_about_and_one_that_nobody_likely_can_do_is() {
        let one = |chance| of(|it| (it.tasks, it.fits) = (1, vec![Fit { chance, success_rate: 1.0 }]));
        assert!(one(0.55) >= 0.5 && one(0.45) < 0.5, "{} {}", one(0.55), one(0.45));
    }

    #[test]
    fn what_a_person_wrote_is_not_doubted_and_a_model_counts_half() {
        assert!(of(|it| (it.origin, it.covered, it.fits) = (Origin::Supplied, 0.0, Vec::new())) >= 0.95);
        let (with, without) = (of(|it| it.model = Some(0.1)), of(|_| ()));
        assert!((with - f64::midpoint(0.1, without)).abs() < 0.02, "{with} {without}");
    }

    #[test]
    fn absurd_figures_stay_between_the_bounds() {
        for odd in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
            let shown = of(|it| {
                it.covered = odd;
                it.words_per_task = odd;
                it.fits[0] = Fit { chance: odd, success_rate: odd };
            });
            assert!((0.0..=1.0).contains(&shown), "{shown}");
        }
    }
}
