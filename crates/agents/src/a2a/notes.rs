//! What was noted of an attempt before, and where it stands by that.

use candor_model::{AgentNote, Choice, Noted, ToolErrorKind, ToolResult};

/// What sending a task to a peer is called on the ledger.
pub(super) const SEND: &str = "a2a.send";
/// What a question is about that the peer asks.
pub(super) const INPUT: &str = "a2a.input";
/// The options of the questions to a person.
pub(super) const ANSWER: &str = "answer";
pub(super) const CANCEL: &str = "cancel";
pub(super) const AGAIN: &str = "again";
pub(super) const GIVE_UP: &str = "give_up";

/// A task at a peer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Remote {
    pub(super) task: String,
    pub(super) context: String,
}

/// Where an attempt stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Standing {
    /// Nothing was sent, or nothing of it is left.
    Fresh,
    /// It was sent, and nobody knows what became of it.
    Unknown,
    /// Nobody knows what became of it, and a person says that it is not to be sent again.
    GivenUp,
    /// A peer has it.
    At(Remote),
    /// A peer asked something, and a person answered.
    Answered(Remote, Choice),
    /// The remote task has ended.
    Over(Option<Remote>, ToolResult),
}

/// An attempt so far.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Story {
    pub(super) standing: Standing,
    /// How often it was withdrawn before: what is sent then is new.
    pub(super) withdrawn: usize,
    /// How often a person answered a peer's question.
    pub(super) answers: usize,
    /// Whether the last note is a question that nobody has answered.
    pub(super) asked: bool,
}

impl Story {
    /// What the notes say of this attempt.
    pub(super) fn of(notes: &[Noted], attempt: u32) -> Self {
        let mut story = Self { standing: Standing::Fresh, withdrawn: 0, answers: 0, asked: false };
        let mut about = String::new();
        for note in notes.iter().filter(|noted| noted.attempt == attempt).map(|noted| &noted.note) {
            match note {
                AgentNote::Called { call, .. } if call.tool == SEND => story.standing = Standing::Unknown,
                AgentNote::Remote { task, context, .. } => {
                    story.standing = Standing::At(Remote { task: task.clone(), context: context.clone() });
                }
                AgentNote::Returned { result, .. } => story.returned(result),
                AgentNote::Asked { about: asked } => about.clone_from(asked),
                AgentNote::Answered { choice } => story.answered(&about, choice),
                _ => continue,
            }
            story.asked = matches!(note, AgentNote::Asked { .. });
        }
        story
    }

    fn returned(&mut self, result: &ToolResult) {
        if result.error.as_ref().is_some_and(|problem| problem.kind == ToolErrorKind::Cancelled) {
            self.withdrawn += 1;
            self.standing = Standing::Fresh;
            return;
        }
        let remote = match std::mem::replace(&mut self.standing, Standing::Fresh) {
            Standing::At(remote) | Standing::Answered(remote, _) => Some(remote),
            _ => None,
        };
        self.standing = Standing::Over(remote, result.clone());
    }

    fn answered(&mut self, about: &str, choice: &Choice) {
        let chose = |option: &str| choice.option.eq_ignore_ascii_case(option);
        self.standing = match std::mem::replace(&mut self.standing, Standing::Fresh) {
            // An answer without a word is none: the question is put again.
            Standing::At(remote) if about == INPUT && (chose(CANCEL) || !choice.text.trim().is_empty()) => {
                self.answers += 1;
                Standing::Answered(remote, choice.clone())
            }
            Standing::Unknown if about == SEND && chose(AGAIN) => Standing::Fresh,
            Standing::Unknown if about == SEND => Standing::GivenUp,
            other => other,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_model::{JsonMap, ToolCall, ToolHints};

    fn called() -> AgentNote {
        let call = ToolCall { key: "k".to_owned(), tool: SEND.to_owned(), arguments: JsonMap::new() };
        AgentNote::Called { item: "a2a".to_owned(), call: Box::new(call), hints: ToolHints::default() }
    }

    fn remote(state: &str) -> AgentNote {
        AgentNote::Remote { task: "t".to_owned(), context: "c".to_owned(), state: state.to_owned() }
    }

    fn asked(about: &str) -> AgentNote {
        AgentNote::Asked { about: about.to_owned() }
    }

    fn chose(option: &str, text: &str) -> AgentNote {
        let choice = Choice { option: option.to_owned(), text: text.to_owned(), by_default: false };
        AgentNote::Answered { choice }
    }

    fn returned(result: ToolResult) -> AgentNote {
        AgentNote::Returned { key: "k".to_owned(), result: Box::new(result) }
    }

    fn story(notes: Vec<AgentNote>) -> Story {
        let notes: Vec<Noted> = notes.into_iter().map(|note| Noted { attempt: 2, note }).collect();
        Story::of(&notes, 2)
    }

    #[test]
    fn an_attempt_stands_where_its_own_notes_say() {
        // spec: beyond BY-27
        let at = || Remote { task: "t".to_owned(), context: "c".to_owned() };
        assert_eq!(Story::of(&[Noted { attempt: 1, note: called() }], 2).standing, Standing::Fresh);
        assert_eq!(story(vec![called()]).standing, Standing::Unknown);
        assert_eq!(story(vec![called(), asked(SEND), chose("AGAIN", "")]).standing, Standing::Fresh);
        assert_eq!(story(vec![called(), asked(SEND), chose(GIVE_UP, "")]).standing, Standing::GivenUp);
        assert_eq!(story(vec![called(), remote("working")]).standing, Standing::At(at()));
        let waiting = story(vec![called(), remote("input-required"), asked(INPUT)]);
        assert_eq!((waiting.standing, waiting.asked), (Standing::At(at()), true));
        let told = story(vec![called(), remote("input-required"), asked(INPUT), chose(ANSWER, "blue")]);
        assert!(matches!(told.standing, Standing::Answered(..)) && told.answers == 1 && !told.asked);
        let empty = story(vec![called(), remote("input-required"), asked(INPUT), chose(ANSWER, " ")]);
        assert_eq!(empty.standing, Standing::At(at()));
    }

    #[test]
    fn what_is_over_stays_over_and_what_was_withdrawn_begins_anew() {
        let done = ToolResult::done("x", None);
        let over = story(vec![called(), remote("completed"), returned(done.clone())]);
        assert!(matches!(over.standing, Standing::Over(Some(_), result) if result == done));
        let stopped = ToolResult::failed(ToolErrorKind::Cancelled, "stopped");
        let withdrawn = story(vec![called(), remote("canceled"), returned(stopped)]);
        assert_eq!((withdrawn.standing, withdrawn.withdrawn), (Standing::Fresh, 1));
    }
}
