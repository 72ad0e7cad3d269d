//! What had to be repaired in a text, said in words that never change.

/// One kind of repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repair {
    Around,
    Brackets,
    Colon,
    Commas,
    Comment,
    CutOff,
    Doubled,
    Duplicate,
    EmptyKey,
    Escaped,
    Fence,
    Junk,
    List,
    Literal,
    Merged,
    NoValue,
    Quotes,
    Several,
    Tuple,
    Unquoted,
}

impl Repair {
    /// In words, for the log.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Around => "text around the data was left out",
            Self::Brackets => "brackets that do not match were put right",
            Self::Colon => "a missing colon was put in",
            Self::Commas => "missing or spare commas were put right",
            Self::Comment => "comments were left out",
            Self::CutOff => "the end is missing: what was open was closed",
            Self::Doubled => "doubled quotes were made single",
            Self::Duplicate => "a key appears twice: the last value counts",
            Self::EmptyKey => "a key is empty",
            Self::Escaped => "data that was escaped as a whole was unescaped",
            Self::Fence => "data inside a fenced block in a text was read as data",
            Self::Junk => "words with no place in the data were left out",
            Self::List => "braces without keys were read as a list",
            Self::Literal => "words and numbers of other languages were translated",
            Self::Merged => "keys after the end of an object were put into it",
            Self::NoValue => "a missing value became an empty text",
            Self::Quotes => "quotes that do not match were put right",
            Self::Several => "there are several pieces of data",
            Self::Tuple => "round brackets were read as a list",
            Self::Unquoted => "quotes were put around bare words",
        }
    }

    /// Whether the text could as well have meant something else.
    pub(super) const fn is_guess(self) -> bool {
        matches!(
            self,
            Self::Colon
                | Self::Doubled
                | Self::Duplicate
                | Self::EmptyKey
                | Self::Escaped
                | Self::List
                | Self::Merged
                | Self::NoValue
                | Self::Several
        )
    }
}

/// The repairs of one text, each named once, in the order in which they were first needed.
#[derive(Debug, Clone, Default)]
pub(super) struct Repairs(Vec<Repair>);

impl Repairs {
    pub(super) fn note(&mut self, repair: Repair) {
        if !self.0.contains(&repair) {
            self.0.push(repair);
        }
    }

    pub(super) fn first_guess(&self) -> Option<Repair> {
        self.0.iter().copied().find(|repair| repair.is_guess())
    }

    pub(super) fn words(&self) -> Vec<&'static str> {
        self.0.iter().map(|repair| repair.words()).collect()
    }
}
