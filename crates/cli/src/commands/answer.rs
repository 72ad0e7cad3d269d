//! `candor answer`: one of the options of a question that a run waits with.

use candor_app::load_run;
use candor_engine::{Input, Refusal};
use candor_model::{AgentType, Answer, Choice, GateId, Guidance, GuidanceAction, JsonMap, Question};

use super::control::AtRun;
use crate::args::{AnswerArgs, GlobalOptions};
use crate::drive::json_or_text;
use crate::failure::Failure;
use crate::remote::{self, Remote};
use crate::view::words;

/// What can be done about a task that keeps failing.
const GUIDANCE: [(&str, GuidanceAction); 3] =
    [("retry", GuidanceAction::Retry), ("skip", GuidanceAction::Skip), ("abort", GuidanceAction::Abort)];

pub(crate) async fn answer(global: &GlobalOptions, args: &AnswerArgs) -> Result<u8, Failure> {
    if let Some(remote) = Remote::of(global)? {
        return remote::answer(&remote, args).await;
    }
    let at = AtRun::find(global, &args.run).await?;
    let (gate, question) = asked(&at, args.gate.as_deref()).await?;
    let text = at.app.without_secrets(args.text.clone());
    let answer = match question {
        Question::Guidance(_) => Answer::Guidance(guidance(&gate, args)?),
        Question::Choice(_) => Answer::Choice(choice(args, text)?),
        Question::Approval { .. } => {
            return Err(Failure::usage(say!(
                "{gate} asks about a plan; `candor status {}` shows the commands that answer it",
                "{gate} pregunta por un plan; `candor status {}` muestra las órdenes que responden",
                at.run
            )));
        }
    };
    at.submit(global, Input::Answered { gate, answer }, &args.drive).await
}

/// The question that is meant: the one that is named, or the only one.
async fn asked(at: &AtRun, named: Option<&str>) -> Result<(GateId, Question), Failure> {
    let state = load_run(&at.log, &at.run).await?.state;
    let open = state.open_questions();
    let listed = || open.keys().map(GateId::as_str).collect::<Vec<_>>().join(", ");
    let mut gates = open.iter().map(|(gate, question)| (gate.clone(), question.clone()));
    match named {
        _ if open.is_empty() => Err(Failure::usage(say!(
            "run {} ({}) does not ask anything",
            "la ejecución {} ({}) no pregunta nada",
            at.run,
            words::run_status(state.status())
        ))),
        None if open.len() > 1 => Err(Failure::usage(say!(
            "several questions are open, say which with --gate: {}",
            "hay varias preguntas abiertas; indicar cuál con --gate: {}",
            listed()
        ))),
        None => gates.next().ok_or_else(|| {
            Failure::usage(say!("run {} does not ask anything", "la ejecución {} no pregunta nada", at.run))
        }),
        Some(named) => gates.find(|(gate, _)| gate.as_str() == named).ok_or_else(|| {
            Failure::usage(say!(
                "--gate: there is no open question {named}; open: {}",
                "--gate: no hay ninguna pregunta abierta {named}; abiertas: {}",
                listed()
            ))
        }),
    }
}

fn choice(args: &AnswerArgs, text: String) -> Result<Choice, Failure> {
    if args.agent.is_some() || !args.inputs.is_empty() {
        return Err(Failure::usage(word!(
            "--agent and --input are for a task that keeps failing",
            "--agent y --input son para una tarea que no deja de fallar"
        )));
    }
    Ok(Choice { option: args.option.clone(), text, by_default: false })
}

fn guidance(gate: &GateId, args: &AnswerArgs) -> Result<Guidance, Failure> {
    let known = GUIDANCE.iter().find(|(word, _)| word.eq_ignore_ascii_case(args.option.trim()));
    let Some((_, action)) = known else {
        let offered = GUIDANCE.map(|(word, _)| word).join(", ");
        let refusal = Refusal::NotOffered { gate: gate.clone(), given: args.option.clone(), offered };
        return Err(Failure::usage(refusal));
    };
    let agent_type = args.agent.as_ref().map(AgentType::new).transpose().map_err(Failure::usage)?;
    let mut inputs = JsonMap::new();
    for input in &args.inputs {
        let (key, value) = input.split_once('=').ok_or_else(|| {
            Failure::usage(say!(
                "--input {input}: expected KEY=VALUE",
                "--input {input}: se espera KEY=VALUE"
            ))
        })?;
        inputs.insert(key.to_owned(), json_or_text(value));
    }
    let said = [args.comments.as_str(), args.text.as_str()].into_iter().find(|said| !said.is_empty());
    Ok(Guidance { action: *action, agent_type, inputs, comments: said.unwrap_or_default().to_owned() })
}
