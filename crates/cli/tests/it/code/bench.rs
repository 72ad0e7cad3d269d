//! A place with a code agent: a sandbox's Python, a scripted model that writes what it is told, and the binary.

use std::process::Command;
use std::time::Duration;

use candor_testkit::model_server::{ModelServer, Reply, SeenRequest};
use candor_testkit::peers::Peers;
use candor_testkit::skips::or_skipped;
use serde_json::{Value, json};

use crate::support::{Candor, Said};

/// The variable that holds the model's key.
const KEY: &str = "CANDOR_TEST_MODEL_KEY";

/// A folder with a configuration, and the model that it names.
pub(crate) struct Bench {
    pub(crate) candor: Candor,
    pub(crate) server: ModelServer,
}

/// What a scripted model answers: whether the data needs a look, code for that look, programs one after the other.
#[derive(Default, Clone)]
pub(crate) struct Script {
    pub(crate) needs_analysis: bool,
    pub(crate) insights: String,
    pub(crate) programs: Vec<String>,
    pub(crate) judgements: Vec<Value>,
    /// What is looked up before the first program is written.
    pub(crate) looks_up: Option<(&'static str, &'static str)>,
    /// Whether nobody who judges ever comes to an end.
    pub(crate) slow_judge: bool,
}

impl Script {
    /// A model that writes these programs.
    pub(crate) fn writing(programs: &[&str]) -> Self {
        Self { programs: programs.iter().map(|program| (*program).to_owned()).collect(), ..Self::default() }
    }

    pub(crate) fn play(mut self) -> impl FnMut(&SeenRequest) -> Reply + Send + 'static {
        move |seen| match step_of(seen) {
            "analyse_input" => {
                let complexity = if self.needs_analysis { "complex" } else { "simple" };
                Reply::json(json!({ "needs_analysis": self.needs_analysis, "complexity": complexity,
                    "reasoning": "as far as one can tell from the keys" }))
            }
            "analyse_data" => Reply::json(json!({ "code": self.insights, "tool_calls": [] })),
            "write_code" if self.looks_up.is_some() => {
                let (library, query) = self.looks_up.take().unwrap();
                let call = json!({ "function": "search_documentation",
                    "arguments": { "library": library, "query": query } });
                Reply::json(json!({ "code": "", "tool_calls": [call] }))
            }
            "write_code" => {
                let next =
                    if self.programs.len() > 1 { self.programs.remove(0) } else { self.programs[0].clone() };
                // Whoever has looked something up is offered no more tools.
                let offered = seen.body.to_string().contains("\"tool_calls\"");
                Reply::json(if offered {
                    json!({ "code": next, "tool_calls": [] })
                } else {
                    json!({ "code": next })
                })
            }
            "judge_output" if self.slow_judge => Reply::text("").after(Duration::from_secs(600)),
            "judge_output" if self.judgements.is_empty() => {
                Reply::json(json!({ "valid": true, "reason": "what was asked for is there" }))
            }
            "judge_output" => Reply::json(self.judgements.remove(0)),
            // What else a run asks for is answered by the rules.
            "revise_task" | "direct_answer" | "judge_result" => Reply::text("I do not know."),
            other => panic!("nobody should ask for `{other}`"),
        }
    }
}

/// Which question a request is.
pub(crate) fn step_of(seen: &SeenRequest) -> &str {
    seen.body.pointer("/response_format/json_schema/name").and_then(Value::as_str).unwrap_or("")
}

/// Models of all three tiers at one address.
pub(crate) fn tiers(url: &str) -> String {
    let one = |(tier, model): (&str, &str)| {
        format!(
            "[models.{tier}]\nprovider = \"openai_compatible\"\nmodel = \"{model}\"\nendpoint = \"{url}\"\n\
             api_key_env = \"{KEY}\"\nstructured = true\n\
             price = {{ input = 5, output = 10, as_of = \"2026-11-01\" }}\n"
        )
    };
    [("fast", "quick"), ("balanced", "usual"), ("strong", "best")].into_iter().map(one).collect()
}

impl Bench {
    /// A model that plays this script, and `more` in the configuration.
    pub(crate) fn new(script: Script, more: &str) -> Self {
        let server = ModelServer::start().unwrap();
        server.route(script.play());
        let candor = Candor::with_config(&format!("{more}\n{}", tiers(&server.openai_url())));
        Self { candor, server }
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.candor.command(["--data", "data"]);
        command.args(args).env(KEY, "test.only.0123456789");
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Said {
        Said::of(self.command(args).output().unwrap())
    }

    /// Has a task done with this context.
    pub(crate) fn code(&self, task: &str, context: &Value, more: &[&str]) -> Said {
        self.candor.write("context.json", context.to_string());
        self.run(&[&["code", "run", "--task", task, "--context", "context.json", "--json"], more].concat())
    }

    /// What the model was asked for a step, in order.
    pub(crate) fn asked(&self, step: &str) -> Vec<SeenRequest> {
        self.server.seen().into_iter().filter(|seen| step_of(seen) == step).collect()
    }
}

/// The configuration for the sandbox's Python with its libraries; says why there is none.
pub(crate) fn with_libraries() -> Option<String> {
    let python = or_skipped(Peers::find())?.sandbox_python();
    // What models are told is fixed, so that recordings fit whatever else is installed.
    Some(format!(
        "[code]\npython = \"{}\"\nlibraries = [\"pandas\", \"pymupdf\", \"pypdf\"]\n",
        python.display()
    ))
}
