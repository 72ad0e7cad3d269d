//! `candor route`: ranks agents for a text, or for one text after the other.

use std::io::{BufRead, Write};

use candor_model::{AgentCapability, RankedAgent};
use candor_phases::lexical::{self, Lexicon};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::args::{Place, RouteArgs};
use crate::config::AgentList;
use crate::failure::{Failure, code};
use crate::house::House;
use crate::output;

/// A text to find agents for, with whatever name the asker gave it.
#[derive(Deserialize)]
struct Query {
    #[serde(default)]
    id: Value,
    text: String,
}

pub(crate) fn route(place: &Place, args: &RouteArgs) -> Result<u8, Failure> {
    let agents = match &args.agents {
        Some(path) => AgentList::read(path)?,
        None => House::build(place)?.staff(&[])?.declared().to_vec(),
    };
    let router = Router { lexicon: Lexicon::new(&agents), agents, top_k: args.top_k };
    if args.words.is_empty() {
        return router.stream();
    }
    let text = args.words.join(" ");
    let ranking = router.rank(&text);
    if args.json {
        output::print_json(&json!({ "ranking": ranking, "method": "lexical" }))?;
        return Ok(code::DONE);
    }
    for (n, ranked) in (1..).zip(&ranking) {
        output::print(&format!(
            "{n:>3}  {:<30} score {:.4}  similarity {:.4}\n",
            ranked.agent_type.as_str(),
            ranked.score,
            ranked.similarity
        ))?;
    }
    eprintln!("candor: ranked by shared words (no embedding model is configured)");
    Ok(code::DONE)
}

struct Router {
    agents: Vec<AgentCapability>,
    lexicon: Lexicon,
    top_k: usize,
}

impl Router {
    fn rank(&self, text: &str) -> Vec<RankedAgent> {
        lexical::rank(&self.agents, &self.lexicon, text, self.top_k)
    }

    /// Answers each line of standard input as soon as it is there; a line that cannot be read gets an error
    /// of its own, and the rest goes on.
    fn stream(&self) -> Result<u8, Failure> {
        let mut out = std::io::stdout().lock();
        let mut bad = 0_u64;
        for (n, line) in (1..).zip(std::io::stdin().lock().split(b'\n')) {
            let line = line?;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let answer = match serde_json::from_slice::<Query>(&line) {
                Ok(query) => {
                    json!({ "id": query.id, "ranking": self.rank(&query.text), "method": "lexical" })
                }
                Err(error) => {
                    bad += 1;
                    json!({ "id": null, "line": n, "error": format!("expected {{\"id\", \"text\"}}: {error}") })
                }
            };
            let written = serde_json::to_writer(&mut out, &answer).map_err(std::io::Error::from);
            match written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()) {
                Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(code::DONE),
                other => other?,
            }
        }
        Ok(if bad == 0 { code::DONE } else { code::USAGE })
    }
}
