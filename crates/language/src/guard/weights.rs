//! What each sign is worth: the one table that the score is made of.
//!
//! The score is a logistic sum: a base, and for every sign its weight times how often it was seen, up to a limit.
//! A sign that is worth more than the base speaks for itself; the others count together. The weights were set by
//! hand and then moved towards what labelled texts of some thirty public sources say (logistic regression that is drawn back to the
//! values set by hand; each source counts the same), never to a side that a reader would not expect. The base is where, with each
//! source left out in turn, some 2 % of the harmless texts of the one left out are flagged.

/// What may be seen in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Sign {
    SetsAside,
    AsksForPrompt,
    NamesPrompt,
    TakesOver,
    Persona,
    Unbound,
    NeverRefuses,
    NoWarnings,
    InCharacter,
    Jailbreak,
    Mode,
    Slot,
    TwoVoices,
    AnswerForm,
    Confirms,
    Authority,
    Game,
    Vendor,
    Crude,
    Withheld,
    Payload,
    CodePayload,
    RiskyCode,
    NewTask,
    Mark,
    Turn,
    Label,
    Hidden,
    HiddenOrder,
    EncodedOrder,
    Leak,
    Strange,
    Rider,
    CarriesAway,
    RunsFetched,
    ToAssistants,
    SkipsApproval,
    Unasked,
    Secretly,
    Vocative,
    Duty,
    RulesEnded,
    Phishes,
    Rigs,
    HandsOut,
    Spends,
    Grants,
    Weakens,
    Agreed,
    Frame,
    Warns,
    WritesPrompt,
    Addressed,
    Impersonal,
    Learns,
    Creates,
    Meaning,
}

/// How many signs there are.
pub(super) const SIGNS: usize = Sign::Meaning as usize + 1;

/// What one sign is worth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weight {
    /// Sign that is weighed.
    pub(super) sign: Sign,
    /// For each time it is seen.
    pub(super) weight: f64,
    /// How many times count at most.
    pub(super) most: f64,
    /// What the text does, for people; empty for what speaks for a text.
    pub(super) says: &'static str,
}

/// Where a text without any sign stands.
pub(super) const BASE: f64 = -2.9;

/// The table, in the order of [`Sign`].
pub(super) const WEIGHTS: [Weight; SIGNS] = [
    of(Sign::SetsAside, 4.5, 2.0, "it wants instructions set aside"),
    of(Sign::AsksForPrompt, 4.6, 2.0, "it asks for the instructions of the model"),
    of(Sign::NamesPrompt, 1.7, 1.0, "it speaks of a system prompt"),
    of(Sign::TakesOver, 1.8, 2.0, "it makes the model someone else"),
    of(Sign::Persona, 0.3, 2.0, "it gives the model a role"),
    of(Sign::Unbound, 1.8, 4.0, "it wants a model without limits"),
    of(Sign::NeverRefuses, 1.8, 3.0, "it forbids the model to refuse"),
    of(Sign::NoWarnings, 1.9, 2.0, "it forbids warnings"),
    of(Sign::InCharacter, 1.5, 2.0, "it wants the model to stay in a role"),
    of(Sign::Jailbreak, 4.0, 2.0, "it uses a known jailbreak"),
    of(Sign::Mode, 1.9, 1.0, "it switches on a mode"),
    of(Sign::Slot, 1.3, 1.0, "it is a form for any request"),
    of(Sign::TwoVoices, 1.5, 2.0, "it wants a second answer beside the usual one"),
    of(Sign::AnswerForm, 1.2, 2.0, "it says how every answer must begin or end"),
    of(Sign::Confirms, 1.0, 1.0, "it wants its rules confirmed"),
    of(Sign::Authority, 1.8, 1.0, "it claims to speak for the makers"),
    of(Sign::Game, 1.2, 1.0, "it is put as a game"),
    of(Sign::Vendor, 0.2, 2.0, "it speaks of the model and its makers"),
    of(Sign::Crude, 0.5, 3.0, "it uses crude words"),
    of(Sign::Withheld, 2.5, 2.0, "it asks for what the model was told to keep"),
    of(Sign::Payload, 2.0, 1.0, "it puts something into the model's answer"),
    of(Sign::CodePayload, 1.6, 1.0, "it puts code into the answer"),
    of(Sign::RiskyCode, 1.6, 2.0, "it has code that reaches out of the program"),
    of(Sign::NewTask, 2.5, 2.0, "it replaces the task"),
    of(Sign::Mark, 4.5, 1.0, "it has marks of a model's own format"),
    of(Sign::Turn, 1.2, 3.0, "it has turns of a conversation written into it"),
    of(Sign::Label, 1.0, 2.0, "it has labels for a model's answers"),
    of(Sign::Hidden, 1.5, 2.0, "it has characters that are not to be seen"),
    of(Sign::HiddenOrder, 3.5, 1.0, "it has an order where nobody looks"),
    of(Sign::EncodedOrder, 4.5, 1.0, "it has an order in disguise"),
    of(Sign::Leak, 3.5, 1.0, "it sends data away with a picture's address"),
    of(Sign::Strange, 1.0, 2.0, "it is full of strange characters"),
    of(Sign::Rider, 1.5, 1.0, "it has no task but to change an answer"),
    of(Sign::CarriesAway, 4.2, 1.0, "it sends secrets to an address"),
    of(Sign::RunsFetched, 4.0, 1.0, "it runs what it fetches"),
    of(Sign::ToAssistants, 4.2, 1.0, "it gives orders to assistants"),
    of(Sign::SkipsApproval, 3.6, 1.0, "it wants people kept out"),
    // Said of people too: it takes a second sign.
    of(Sign::Unasked, 2.1, 1.0, "it wants something done unasked"),
    of(Sign::Secretly, 2.0, 1.0, "it wants to stay unseen"),
    of(Sign::Vocative, 3.0, 1.0, "it calls an assistant and tells it what to do"),
    of(Sign::Duty, 1.9, 1.0, "it says what assistants have to do"),
    of(Sign::RulesEnded, 1.9, 1.0, "it says that rules no longer hold"),
    of(Sign::Phishes, 3.2, 1.0, "it has people asked for their secrets"),
    of(Sign::Rigs, 1.8, 2.0, "it wants a judgement changed"),
    // Said to people too, and harmless between them: it takes a second sign.
    of(Sign::HandsOut, 1.2, 1.0, "it wants private things handed on"),
    of(Sign::Spends, 1.2, 1.0, "it wants money spent"),
    of(Sign::Grants, 1.2, 1.0, "it wants something granted"),
    of(Sign::Weakens, 1.2, 1.0, "it wants a protection removed"),
    of(Sign::Agreed, 1.2, 1.0, "it says that consent was given"),
    of(Sign::Frame, 2.8, 1.0, "it poses as a message of the system"),
    // What they say is not ordered in the same words: they take away what else was seen there.
    of(Sign::Warns, 0.0, 1.0, ""),
    of(Sign::WritesPrompt, 0.0, 1.0, ""),
    // Counts for nothing by itself: without it a long text is impersonal.
    of(Sign::Addressed, 0.0, 1_000.0, ""),
    of(Sign::Impersonal, -2.3, 1.0, ""),
    of(Sign::Learns, -0.8, 1.0, ""),
    of(Sign::Creates, -1.1, 1.0, ""),
    of(Sign::Meaning, 6.0, 1.0, "it means what attacks mean"),
];

const fn of(sign: Sign, weight: f64, most: f64, says: &'static str) -> Weight {
    Weight { sign, weight, most, says }
}
