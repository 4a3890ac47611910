//! How strongly a broken constraint is answered.

use std::fmt;
use std::str::FromStr;

/// What happens to a call that breaks a constraint. The order is strength, strongest first.
///
/// ```
/// use agentltl_core::Severity;
/// assert!(Severity::HardStop < Severity::Tolerate);
/// assert_eq!("PERSISTENT_BLOCK".parse(), Ok(Severity::PersistentBlock));
/// let error = "HARDSTOP".parse::<Severity>().unwrap_err();
/// assert!(error.to_string().contains("did you mean `HARD_STOP`"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The call is refused and the run stops.
    #[default]
    HardStop,
    /// The call is refused, every time; the model cannot override.
    PersistentBlock,
    /// The call is refused and a human is asked.
    Ask,
    /// The call is refused; after a number of attempts it escalates.
    SoftBlock,
    /// The call is refused once; the identical call as the very next one is let through.
    BlockAndWarn,
    /// The call goes through and the violation is noted.
    Tolerate,
}

impl Severity {
    /// All six, strongest first.
    pub const ALL: [Severity; 6] = [
        Severity::HardStop,
        Severity::PersistentBlock,
        Severity::Ask,
        Severity::SoftBlock,
        Severity::BlockAndWarn,
        Severity::Tolerate,
    ];

    /// The name in capitals, as it is written and serialised.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::HardStop => "HARD_STOP",
            Severity::PersistentBlock => "PERSISTENT_BLOCK",
            Severity::Ask => "ASK",
            Severity::SoftBlock => "SOFT_BLOCK",
            Severity::BlockAndWarn => "BLOCK_AND_WARN",
            Severity::Tolerate => "TOLERATE",
        }
    }

    /// May the model not get past a refusal by itself? Then the formula has to be one that only
    /// fails for good, see [`RuntimeSafety`](crate::RuntimeSafety).
    #[must_use]
    pub const fn is_blocking(self) -> bool {
        !matches!(self, Severity::BlockAndWarn | Severity::Tolerate)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Severity {
    type Err = UnknownSeverity;
    fn from_str(name: &str) -> Result<Self, UnknownSeverity> {
        Severity::ALL
            .into_iter()
            .find(|severity| severity.as_str() == name)
            .ok_or_else(|| UnknownSeverity {
                name: name.to_owned(),
            })
    }
}

/// A text that names no [`Severity`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownSeverity {
    /// The text.
    pub name: String,
}

impl UnknownSeverity {
    /// The severity whose name is nearest, if one is near.
    #[must_use]
    pub fn suggestion(&self) -> Option<Severity> {
        let name = self.name.to_ascii_uppercase().replace(['-', ' '], "_");
        let nearest = crate::nearest::nearest(&name, Severity::ALL.iter().map(|s| s.as_str()))?;
        nearest.parse().ok()
    }
}

impl fmt::Display for UnknownSeverity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown severity `{}`", self.name)?;
        if let Some(severity) = self.suggestion() {
            write!(f, "; did you mean `{severity}`?")?;
        }
        f.write_str("; the severities are ")?;
        for (i, severity) in Severity::ALL.iter().enumerate() {
            write!(f, "{}{severity}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownSeverity {}
