//! `candor goal`: reads a goal from plain words, and says what it understood and what it guessed.

use std::path::Path;

use candor_app::{App, DryRuns, Understood};
use candor_model::Evaluation;
use serde_json::{Map, Value};

use super::batch;
use super::run::read;
use crate::args::{GlobalOptions, GoalArgs};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) async fn goal(global: &GlobalOptions, args: &GoalArgs) -> Result<u8, Failure> {
    let app = App::build(global)?.discover_agents().await;
    if args.stdin {
        let runs = DryRuns::new(&app, &args.models)?;
        return batch::answer_lines(async |text| {
            let understood = Understood::by(&runs, text).await?;
            Ok(Map::from_iter([("goal".to_owned(), understood.as_json())]))
        })
        .await;
    }
    let words = match args.words.as_slice() {
        [] => read(Path::new("-"))?,
        words => words.join(" "),
    };
    let understood = Understood::of(&app, words, &args.models).await?;
    if args.json {
        output::print_json(&understood.as_json())?;
    } else {
        output::print(&as_text(&understood)?)?;
    }
    Ok(code::DONE)
}

fn as_text(Understood { goal, reading, evaluation }: &Understood) -> Result<String, Failure> {
    let mut text =
        say!("{}\n\nkind         {}\n", "{}\n\ntipo         {}\n", goal.description, goal.goal_type);
    for constraint in &goal.constraints {
        text.push_str(&say!(
            "{:<12} {} (priority {})\n",
            "{:<12} {} (prioridad {})\n",
            constraint.label(),
            constraint.value,
            constraint.priority
        ));
    }
    for criterion in &goal.success_criteria {
        text.push_str(&format!("{:<12} {criterion}\n", word!("reached when", "se alcanza si")));
    }
    if let Some(deadline) = goal.deadline {
        text.push_str(&format!("{:<12} {deadline}\n", word!("deadline", "plazo")));
    }
    if let Value::Object(fields) = serde_json::to_value(&reading.extracted)? {
        text.push_str(word!("\nread from the words:\n", "\nleído de las palabras:\n"));
        for (key, value) in fields {
            text.push_str(&format!("  {:<22} {value}\n", key.replace('_', " ")));
        }
    }
    if let Some(evaluation) = evaluation {
        text.push_str(&judged(evaluation));
    }
    for guess in &reading.guesses {
        text.push_str(&say!("guessed: {guess}\n", "supuesto: {guess}\n"));
    }
    for doubt in &reading.doubts {
        text.push_str(&say!("unclear: {doubt}\n", "no está claro: {doubt}\n"));
    }
    Ok(text)
}

/// How well the request says what is wanted and how much there is to it, each with its reasons.
fn judged(evaluation: &Evaluation) -> String {
    let quality = &evaluation.prompt_quality;
    let mut text = say!("\nquality      {} of 100", "\ncalidad      {} de 100", quality.score);
    if !quality.issues.is_empty() {
        text.push_str(&format!(": {}", quality.issues.join(", ")));
    }
    text.push_str(&say!(
        "\ncomplexity   {} of 100\n",
        "\ncomplejidad  {} de 100\n",
        evaluation.complexity.total
    ));
    for contradiction in &quality.contradictions {
        text.push_str(&say!("contradiction: {contradiction}\n", "contradicción: {contradiction}\n"));
    }
    text
}
