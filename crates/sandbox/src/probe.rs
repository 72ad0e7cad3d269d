//! What the kernel of this machine offers for confinement.

use landlock::{ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, Scope};

/// What the kernel offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// Access to files can be taken away (Landlock, Linux 6.2).
    pub files: bool,
    /// Signals to others can be taken away (Landlock, Linux 6.12). Without it, all signals are.
    pub signals: bool,
    /// Calls of the kernel can be taken away (seccomp).
    pub calls: bool,
}

impl Offer {
    /// Whether a command can be confined.
    #[must_use]
    pub const fn suffices(self) -> bool {
        self.files && self.calls
    }

    /// What is missing for a confinement, in words; empty if nothing is.
    #[must_use]
    pub fn missing(self) -> String {
        let files = (!self.files).then_some("Landlock with truncation (Linux 6.2 or newer, enabled)");
        let calls = (!self.calls).then_some("seccomp filters");
        files.into_iter().chain(calls).collect::<Vec<_>>().join(" and ")
    }
}

/// Asks the kernel.
#[must_use]
pub fn probe() -> Offer {
    let strict = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    Offer {
        // Version 3 is the first that protects files from being cut to nothing.
        files: strict().handle_access(AccessFs::from_all(ABI::V3)).is_ok(),
        signals: strict().scope(Scope::Signal).is_ok(),
        calls: rustix::thread::secure_computing_mode().is_ok() && supported_machine(),
    }
}

/// Whether filters can be made for this kind of processor.
fn supported_machine() -> bool {
    seccompiler::TargetArch::try_from(std::env::consts::ARCH).is_ok()
}
